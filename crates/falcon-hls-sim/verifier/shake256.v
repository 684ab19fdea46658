// SHAKE256 of a stream of bytes, read as 16-bit words with the most significant byte first.
//
// The block of 136 bytes rotates while bytes are added to it or words are read. A round of Keccak-f
// takes a clock.
module shake256 (
    input  wire        clk,
    input  wire        reset,
    // A byte, or the end of the message.
    input  wire        valid,
    input  wire        ending,
    input  wire [7:0]  data,
    output wire        ready,
    // After the end, a word, and whether it is taken.
    output wire        word_valid,
    output wire [15:0] word,
    input  wire        take
);
    localparam [1:0] ABSORB = 2'd0, PAD = 2'd1, PERMUTE = 2'd2, SQUEEZE = 2'd3;
    localparam [7:0] RATE = 8'd136;

    reg [1599:0] state;
    reg [1:0]    phase;
    reg          ended, first;
    // Number of bytes of the block, or of rounds.
    reg [7:0]    count;

    wire [1599:0] permuted;
    keccak_round unit (.round(count[4:0]), .a(state), .q(permuted));

    assign ready      = phase == ABSORB;
    assign word_valid = phase == SQUEEZE;
    assign word       = {state[7:0], state[15:8]};

    wire       absorbs = phase == PAD || (phase == ABSORB && valid && !ending);
    wire       last    = count == RATE - 8'd1;
    wire [7:0] padding = (first ? 8'h1f : 8'h00) ^ (last ? 8'h80 : 8'h00);
    wire [7:0] byte_in = state[7:0] ^ (phase == PAD ? padding : data);

    always @(posedge clk) begin
        if (reset) state <= 1600'd0;
        else if (phase == PERMUTE) state <= permuted;
        else if (absorbs) state[1087:0] <= {byte_in, state[1087:8]};
        else if (phase == SQUEEZE && take) state[1087:0] <= {state[15:0], state[1087:16]};

        if (reset) begin
            phase <= ABSORB;
            ended <= 1'b0;
            count <= 8'd0;
        end else if (phase == PERMUTE) begin
            count <= count + 8'd1;
            if (count == 8'd23) begin
                count <= 8'd0;
                phase <= ended ? SQUEEZE : ABSORB;
            end
        end else if (absorbs) begin
            first <= 1'b0;
            count <= last ? 8'd0 : count + 8'd1;
            if (last) begin
                phase <= PERMUTE;
                ended <= phase == PAD;
            end
        end else if (phase == ABSORB && valid) begin
            phase <= PAD;
            first <= 1'b1;
        end else if (phase == SQUEEZE && take) begin
            count <= count == RATE - 8'd2 ? 8'd0 : count + 8'd2;
            if (count == RATE - 8'd2) phase <= PERMUTE;
        end
    end
endmodule
