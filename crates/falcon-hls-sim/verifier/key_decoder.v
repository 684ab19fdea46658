// Decodes a public key, a byte per clock: the header LOGN, then coefficients of 14 bits.
module key_decoder #(
    parameter LOGN = 9
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            valid,
    input  wire [7:0]      data,
    // A coefficient, a clock edge after its last byte.
    output reg             write,
    output reg  [LOGN-1:0] at,
    output reg  [13:0]     coefficient,
    // The bytes are exactly a key, from two clock edges after the last byte on.
    output wire            good
);
    reg          header, fault;
    // Number of coefficients.
    reg [LOGN:0] count;
    // The last bits of the bytes before, and how many of them are not decoded yet: 0, 2, .., 12.
    reg [11:0]   held;
    reg [3:0]    bits;

    wire complete = count[LOGN];
    assign good = complete && !fault;

    wire        full  = bits >= 4'd6;
    wire [19:0] wide  = {held, data};
    wire [4:0]  spare = {1'b0, bits - 4'd6};

    always @(posedge clk) begin
        write       <= valid && !header && full && !complete;
        at          <= count[LOGN-1:0];
        coefficient <= wide[spare +: 14];
        if (reset) begin
            header <= 1'b1;
            fault  <= 1'b0;
            count  <= 0;
            bits   <= 4'd0;
        end else begin
            if (valid) begin
                header <= 1'b0;
                if (header ? data != LOGN[7:0] : complete) fault <= 1'b1;
                if (!header) begin
                    held <= wide[11:0];
                    bits <= full ? bits - 4'd6 : bits + 4'd8;
                    if (full && !complete) count <= count + 1'b1;
                end
            end
            if (write && coefficient >= 14'd12289) fault <= 1'b1;
        end
    end
endmodule
