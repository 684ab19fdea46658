// falcon_verifier behind a serial line: 8 data bits, no parity, one stop bit. Key, signature and
// message enter one after another, each behind its length in two bytes, high byte first. The answer
// is a byte, 'A' for accept or 'R' for reject, and a light until the next answer. Then the next key
// may enter.
//
// The ports have the names of the board ULX3S. `ftdi_txd` is the line to this circuit.
module board #(
    parameter LOGN = 9,
    // 115,200 bits per second at 25 MHz.
    parameter CLOCKS_PER_BIT = 217
) (
    input  wire       clk_25mhz,
    input  wire       ftdi_txd,
    output wire       ftdi_rxd,
    // Accept, reject.
    output reg  [1:0] led,
    // While it is high, the second processor of the board lets the circuit run.
    output wire       wifi_gpio0
);
    localparam [15:0] BIT = CLOCKS_PER_BIT[15:0];
    assign wifi_gpio0 = 1'b1;
    wire clk = clk_25mhz;

    // Registers begin with these values when the device is configured.
    reg reset = 1'b1;

    // Receiver: samples in the middle of a bit. `bits` counts those that are still to come.
    reg [1:0]  line = 2'b11;
    reg [3:0]  bits = 4'd0;
    reg [15:0] timer = 16'd0;
    reg [7:0]  received;
    reg        arrived = 1'b0;
    always @(posedge clk) begin
        line    <= {line[0], ftdi_txd};
        arrived <= 1'b0;
        if (bits == 4'd0) begin
            timer <= BIT + BIT / 2;
            if (!line[1]) bits <= 4'd9;
        end else if (timer != 16'd0) timer <= timer - 16'd1;
        else begin
            timer <= BIT - 16'd1;
            bits  <= bits - 4'd1;
            // The last one is the stop bit.
            if (bits == 4'd1) arrived <= line[1];
            else received <= {line[1], received[7:1]};
        end
    end

    // Fields. The verifier takes a byte long before the next one arrives.
    localparam [1:0] HIGH = 2'd0, LOW = 2'd1, DATA = 2'd2;
    reg [1:0]  phase = HIGH;
    reg [15:0] length;
    reg        byte_waits = 1'b0, end_waits = 1'b0;
    wire       ready, accept, reject;
    wire [15:0] announced = {length[15:8], received};
    always @(posedge clk) begin
        if (ready) begin
            byte_waits <= 1'b0;
            if (!byte_waits) end_waits <= 1'b0;
        end
        if (reset) phase <= HIGH;
        else if (arrived) case (phase)
            HIGH: begin
                length[15:8] <= received;
                phase        <= LOW;
            end
            LOW: begin
                length    <= announced;
                phase     <= announced == 16'd0 ? HIGH : DATA;
                end_waits <= announced == 16'd0;
            end
            default: begin
                length     <= length - 16'd1;
                byte_waits <= 1'b1;
                if (length == 16'd1) begin
                    phase     <= HIGH;
                    end_waits <= 1'b1;
                end
            end
        endcase
    end
    falcon_verifier #(.LOGN(LOGN)) verifier (.clk(clk), .reset(reset),
        .in_valid(byte_waits || end_waits), .in_ready(ready), .in_end(!byte_waits),
        .in_data(received), .accept(accept), .reject(reject));

    // Sender of the answer, the lowest bit first. The verifier is reset with the answer.
    reg [9:0]  answer = 10'h3ff;
    reg [15:0] rest = 16'd0;
    assign ftdi_rxd = answer[0];
    always @(posedge clk) begin
        reset <= 1'b0;
        if ((accept || reject) && !reset) begin
            reset  <= 1'b1;
            led    <= {reject, accept};
            answer <= {1'b1, accept ? "A" : "R", 1'b0};
            rest   <= BIT - 16'd1;
        end else if (rest != 16'd0) rest <= rest - 16'd1;
        else begin
            rest   <= BIT - 16'd1;
            answer <= {1'b1, answer[9:1]};
        end
    end
endmodule
