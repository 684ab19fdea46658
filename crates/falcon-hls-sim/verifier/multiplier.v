// Multiplies s2 by h modulo x^n + 1 and q = 12289, n = 2^LOGN: two transforms, products of values,
// an inverse transform, all on one butterfly unit.
//
// The transform of h begins when h_complete is set, that of s2 when s_complete is set too. When
// done is set, q is coefficient number `index` of the product, a clock edge after index.
module multiplier #(
    parameter LOGN = 9,
    // Hexadecimal file of the factors: line k, from 0 on, has 7^brv(k), where brv reverses 10 bits.
    parameter ZETAS = "zetas.hex"
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            h_write,
    input  wire [LOGN-1:0] h_at,
    input  wire [13:0]     h_in,
    input  wire            h_complete,
    input  wire            s_write,
    input  wire [LOGN-1:0] s_at,
    input  wire [13:0]     s_in,
    input  wire            s_complete,
    output wire            done,
    input  wire [LOGN-1:0] index,
    output wire [13:0]     q
);
    localparam [2:0] WAIT_H = 3'd0, NTT_H = 3'd1, WAIT_S = 3'd2, NTT_S = 3'd3, VALUES = 3'd4,
        INVERSE = 3'd5, DONE = 3'd6;
    // Clocks from the last operation of a layer to the clock that writes its results: registers of
    // the address, of the RAM and of the butterfly. The next layer begins after that.
    localparam [LOGN:0] DRAIN = 8;
    localparam [LOGN:0] DEGREE = 1 << LOGN;

    reg [2:0]    phase;
    // Operation of the layer, and binary logarithm of the distance of its operands.
    reg [LOGN:0] count;
    reg [3:0]    distance;

    assign done = phase == DONE;
    wire values  = phase == VALUES;
    wire inverse = phase == INVERSE;
    wire busy    = phase == NTT_H || phase == NTT_S || values || inverse;
    wire [LOGN:0] operations = values ? DEGREE : DEGREE >> 1;
    wire layer_ends = count == operations + DRAIN - 1'b1;
    wire last_layer = values || (inverse ? distance == LOGN[3:0] - 4'd1 : distance == 4'd0);

    always @(posedge clk) begin
        count <= busy && !layer_ends ? count + 1'b1 : {(LOGN+1){1'b0}};
        if (reset) begin
            phase    <= WAIT_H;
            distance <= LOGN[3:0] - 4'd1;
        end else if (phase == WAIT_H) begin
            if (h_complete) phase <= NTT_H;
        end else if (phase == WAIT_S) begin
            if (s_complete) phase <= NTT_S;
        end else if (busy && layer_ends) begin
            if (last_layer) begin
                phase    <= phase + 3'd1;
                distance <= phase == NTT_H ? LOGN[3:0] - 4'd1 : 4'd0;
            end else distance <= inverse ? distance + 4'd1 : distance - 4'd1;
        end
    end

    // Indices of the operands, and of the factor: node 2^layer + block, mirrored in the inverse.
    wire [LOGN-1:0] k     = count[LOGN-1:0];
    wire [LOGN-1:0] block = k >> distance;
    wire [LOGN-1:0] step  = {{(LOGN-1){1'b0}}, 1'b1} << distance;
    wire [LOGN-1:0] first = {1'b1, {(LOGN-1){1'b0}}} >> distance;
    wire [LOGN-1:0] low   = k & (step - 1'b1);
    wire [LOGN-1:0] lower = ((block << distance) << 1) | low;
    reg  [LOGN-1:0] index0, index1, node;
    reg             valid;
    always @(posedge clk) begin
        index0 <= values ? k : lower;
        index1 <= values ? {k[LOGN-1:1], ~k[0]} : lower | step;
        node   <= first | (inverse ? block ^ (first - 1'b1) : block);
        valid  <= busy && count < operations;
    end

    reg [13:0] zetas [0:1023];
    initial $readmemh(ZETAS, zetas);
    reg [13:0] zeta;
    always @(posedge clk) zeta <= zetas[{{(10-LOGN){1'b0}}, node}];

    wire [LOGN-1:0] to0, to1;
    wire            write;
    fp_delay #(.WIDTH(2*LOGN+1), .STAGES(7)) late
        (.clk(clk), .d({valid, index0, index1}), .q({write, to0, to1}));

    wire [13:0] u, v, h0, h1, s0, s1;
    wire on_h = phase == NTT_H;
    wire on_s = phase == NTT_S || values || inverse;
    polynomial #(.LOGN(LOGN)) h (.clk(clk), .read0(index0), .read1(index1), .q0(h0), .q1(h1),
        .write0(on_h ? write : h_write), .write1(on_h && write),
        .at0(on_h ? to0 : h_at), .at1(to1), .in0(on_h ? u : h_in), .in1(v));
    wire [LOGN-1:0] s_read = done ? index : index0;
    polynomial #(.LOGN(LOGN)) s (.clk(clk), .read0(s_read), .read1(index1), .q0(s0), .q1(s1),
        .write0(on_s ? write : s_write), .write1(on_s && !values && write),
        .at0(on_s ? to0 : s_at), .at1(to1), .in0(on_s ? u : s_in), .in1(v));
    assign q = s0;

    butterfly unit (.clk(clk), .inverse(inverse),
        .x(on_h ? h0 : values ? 14'd0 : s0), .y(on_h ? h1 : values ? s0 : s1),
        .w(values ? h0 : zeta), .u(u), .v(v));
endmodule
