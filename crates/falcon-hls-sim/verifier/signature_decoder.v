// Decodes a signature, a byte per clock: the header 0x30 + LOGN, a nonce of 40 bytes, and
// coefficients in Golomb-Rice code: the sign, seven bits of the magnitude, a zero for each 128 of
// it, and a one. A code word has at least nine bits, so a byte ends at most one.
//
// A signature of PADDED bytes may end with zero bytes. A longer one ends with its code, and a
// shorter one is no signature.
module signature_decoder #(
    parameter LOGN = 9,
    parameter PADDED = 666
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            valid,
    input  wire [7:0]      data,
    // The byte belongs to the nonce.
    output wire            nonce,
    // A coefficient, a clock edge after its last byte: its magnitude, and its residue modulo q.
    output reg             write,
    output reg  [LOGN-1:0] at,
    output reg  [10:0]     magnitude,
    output wire [13:0]     coefficient,
    // The bytes are exactly a signature, from two clock edges after the last byte on.
    output wire            good
);
    localparam [10:0] FIRST = 11'd41;
    // Number of bytes, up to PADDED + 1.
    reg [10:0]   length;
    // Number of coefficients.
    reg [LOGN:0] count;
    // A byte followed the code.
    reg          tail, fault;
    // Bits of the begun code word: the first eight, or `have` of them, and zeros after these.
    reg [7:0]    held;
    reg [3:0]    have;
    reg [4:0]    run;

    wire complete = count[LOGN];
    assign nonce = length != 11'd0 && length < FIRST;
    assign good  = complete && !fault && length >= PADDED[10:0]
        && !(tail && length > PADDED[10:0]);

    // The first eight bits of the code word, and the bits after them at the top of `rest`.
    wire [15:0] both = {held, data};
    wire [7:0]  word = both[have +: 8];
    wire [7:0]  rest = data << (4'd8 - have);
    wire        found = rest != 8'd0;
    wire [2:0]  zeros = rest[7] ? 3'd0 : rest[6] ? 3'd1 : rest[5] ? 3'd2 : rest[4] ? 3'd3
        : rest[3] ? 3'd4 : rest[2] ? 3'd5 : rest[1] ? 3'd6 : 3'd7;
    wire [4:0]  longer = run + (found ? {2'd0, zeros} : {1'b0, have});
    wire        code = valid && length >= FIRST;
    // Bits after the end of the code word that are not zero.
    wire        more = (rest & (rest - 8'd1)) != 8'd0;

    reg sign;
    assign coefficient = sign ? 14'd12289 - {3'd0, magnitude} : {3'd0, magnitude};

    always @(posedge clk) begin
        write     <= code && found && !complete;
        at        <= count[LOGN-1:0];
        magnitude <= {longer[3:0], word[6:0]};
        sign      <= word[7];
        if (reset) begin
            length <= 11'd0;
            count  <= 0;
            tail   <= 1'b0;
            fault  <= 1'b0;
            have   <= 4'd0;
            run    <= 5'd0;
        end else begin
            if (valid) begin
                if (length <= PADDED[10:0]) length <= length + 11'd1;
                if (length == 11'd0 && data != 8'h30 + LOGN[7:0]) fault <= 1'b1;
            end
            if (code && complete) begin
                tail <= 1'b1;
                if (data != 8'd0) fault <= 1'b1;
            end
            if (code && !complete) begin
                if (longer > 5'd15) fault <= 1'b1;
                if (found) begin
                    count <= count + 1'b1;
                    if (&count[LOGN-1:0] && more) fault <= 1'b1;
                    held <= data;
                    have <= have - 4'd1 - {1'b0, zeros};
                    run  <= 5'd0;
                end else begin
                    held <= word;
                    have <= 4'd8;
                    // A fault is final, so the number may be cut.
                    run  <= {1'b0, longer[3:0]};
                end
            end
            // Minus zero.
            if (write && sign && magnitude == 11'd0) fault <= 1'b1;
        end
    end
endmodule
