// Verifies a signature of Falcon-512 (LOGN = 9) or Falcon-1024 (LOGN = 10).
//
// Three fields enter a byte per clock: the public key, the signature, the message. After each
// field, a beat with in_end ends it; its in_data is ignored. A byte or an end is taken at a clock
// edge with in_valid and in_ready. Some time after the end of the message, either accept or reject
// is set, and stays until reset. Whatever the bytes are, one of them is set. A clock edge with reset
// must precede each signature.
module falcon_verifier #(
    parameter LOGN = 9,
    parameter ZETAS = "zetas.hex"
) (
    input  wire       clk,
    input  wire       reset,
    input  wire       in_valid,
    output wire       in_ready,
    input  wire       in_end,
    input  wire [7:0] in_data,
    output reg        accept,
    output reg        reject
);
    generate
        if (LOGN != 9 && LOGN != 10) begin : check
            LOGN_of_falcon_verifier_is_neither_9_nor_10 error ();
        end
    endgenerate
    localparam PADDED = LOGN == 10 ? 1280 : 666;
    // The largest squared norm of a valid signature.
    localparam [35:0] BOUND = LOGN == 10 ? 36'd70265242 : 36'd34034726;
    localparam [15:0] Q = 16'd12289;

    // Input.
    localparam [1:0] KEY = 2'd0, SIGNATURE = 2'd1, MESSAGE = 2'd2, NONE = 2'd3;
    reg [1:0] field;
    wire hash_ready;
    assign in_ready = field == KEY || field == SIGNATURE || (field == MESSAGE && hash_ready);
    wire taken = in_valid && in_ready;
    wire data  = taken && !in_end;
    always @(posedge clk) begin
        if (reset) field <= KEY;
        else if (taken && in_end) field <= field + 2'd1;
    end

    wire key_write, key_good;
    wire [LOGN-1:0] key_at;
    wire [13:0] key_coefficient;
    key_decoder #(.LOGN(LOGN)) key (.clk(clk), .reset(reset), .valid(data && field == KEY),
        .data(in_data), .write(key_write), .at(key_at), .coefficient(key_coefficient),
        .good(key_good));

    wire nonce, signature_write, signature_good;
    wire [LOGN-1:0] signature_at;
    wire [10:0] signature_magnitude;
    wire [13:0] signature_coefficient;
    signature_decoder #(.LOGN(LOGN), .PADDED(PADDED)) signature (.clk(clk), .reset(reset),
        .valid(data && field == SIGNATURE), .data(in_data), .nonce(nonce),
        .write(signature_write), .at(signature_at), .magnitude(signature_magnitude),
        .coefficient(signature_coefficient), .good(signature_good));

    // The hash of nonce and message. The nonce is shorter than a block, so the hash takes it all.
    wire word_valid, take;
    wire [15:0] word;
    shake256 hash (.clk(clk), .reset(reset),
        .valid(field == SIGNATURE ? data && nonce : taken && field == MESSAGE),
        .ending(in_end), .data(in_data), .ready(hash_ready),
        .word_valid(word_valid), .word(word), .take(take));

    // s2 h, once key and signature are complete.
    wire product_done;
    wire [13:0] product;
    reg [LOGN:0] index;
    multiplier #(.LOGN(LOGN), .ZETAS(ZETAS)) multiplier (.clk(clk), .reset(reset),
        .h_write(key_write), .h_at(key_at), .h_in(key_coefficient), .h_complete(field != KEY),
        .s_write(signature_write), .s_at(signature_at), .s_in(signature_coefficient),
        .s_complete(field == MESSAGE || field == NONE),
        .done(product_done), .index(index[LOGN-1:0]), .q(product));

    // Words below 5q, reduced modulo q, are the point c. Each c - s2 h is taken from -q/2 to q/2.
    // `valid` says which of raw, difference's operands, difference and magnitude have a number.
    wire complete = index[LOGN];
    assign take = word_valid && product_done && !complete;
    wire chosen = take && word < 16'd61445;
    reg [3:0]  valid;
    reg [15:0] raw;
    reg [13:0] c, p, difference;
    reg [12:0] magnitude;
    wire [15:0] multiple = raw >= 16'd49156 ? 16'd49156 : raw >= 16'd36867 ? 16'd36867
        : raw >= 16'd24578 ? 16'd24578 : raw >= Q ? Q : 16'd0;
    wire [15:0] residue = raw - multiple;
    wire unused = &{1'b0, residue[15:14]};
    always @(posedge clk) begin
        raw        <= word;
        c          <= residue[13:0];
        p          <= product;
        difference <= c < p ? c - p + Q[13:0] : c - p;
        // No coefficient of s2 comes at the time of one of the difference.
        magnitude  <= !valid[2] ? {2'd0, signature_magnitude}
            : difference > 14'd6144 ? Q[12:0] - difference[12:0] : difference[12:0];
    end

    // The squared norm, and the verdict once nothing is under way.
    reg [25:0] square;
    reg        square_valid;
    reg [35:0] norm;
    reg [2:0]  settled;
    always @(posedge clk) begin
        square <= magnitude * magnitude;
        if (reset) begin
            index        <= 0;
            valid        <= 4'd0;
            square_valid <= 1'b0;
            norm         <= 36'd0;
            settled      <= 3'd0;
            accept       <= 1'b0;
            reject       <= 1'b0;
        end else begin
            if (chosen) index <= index + 1'b1;
            valid        <= {valid[2] || signature_write, valid[1:0], chosen};
            square_valid <= valid[3];
            if (square_valid) norm <= norm + {10'd0, square};
            if (complete && settled != 3'd7) settled <= settled + 3'd1;
            if (settled == 3'd6) begin
                accept <= key_good && signature_good && norm <= BOUND;
                reject <= !(key_good && signature_good && norm <= BOUND);
            end
        end
    end
endmodule
