// q = a * b in binary64, rounded to nearest, ties to even. Subnormal operands and
// results become zeros of the same sign. Every NaN is 7ff8000000000000.
//
// Computes one product per clock; q is ready LATENCY clock edges after a and b.
// Six stages: operands, partial products, rows, product, normalise, round. A
// larger LATENCY adds registers at the output, a smaller one does not elaborate.
module dmul #(
    parameter LATENCY = 6
) (
    input  wire        clk,
    input  wire [63:0] a,
    input  wire [63:0] b,
    output wire [63:0] q
);
    localparam STAGES = 6;
    generate
        if (LATENCY < STAGES) begin : check
            LATENCY_of_dmul_is_below_its_6_stages error ();
        end
    endgenerate

    // 1. Take the operands. Their wires and multiplexers have this clock to themselves.
    reg [63:0] a1, b1;
    always @(posedge clk) begin
        a1 <= a;
        b1 <= b;
    end

    // 2. Unpack, partial products. A DSP48E1 multiplies 24 bits by 17 (25 by 18,
    // signed) and an ECP5 18 by 18, so x is cut into 18 + 18 + 17 bits and y into
    // 17 + 17 + 17 + 2: 3 times 3 products that take one DSP each. The product
    // has no meaning if an operand is zero, so the leading bits are always set.
    wire        sign_a, zero_a, infinity_a, nan_a;
    wire        sign_b, zero_b, infinity_b, nan_b;
    wire [10:0] e_a, e_b;
    wire [52:0] m_a, m_b;
    fp_unpack unpack_a (.bits(a1), .sign(sign_a), .exponent(e_a), .significand(m_a),
        .zero(zero_a), .infinity(infinity_a), .nan(nan_a));
    fp_unpack unpack_b (.bits(b1), .sign(sign_b), .exponent(e_b), .significand(m_b),
        .zero(zero_b), .infinity(infinity_b), .nan(nan_b));
    wire unused_significands = ^{m_a, m_b};

    wire [52:0] x = {1'b1, a1[51:0]};
    wire [51:0] y = b1[51:0];
    reg [34:0] p00, p10, p01, p11, p02, p12;
    reg [33:0] p20, p21, p22;
    reg [54:0] top;
    reg [12:0] e2;
    reg        sign2, zero2, infinity2, nan2;
    always @(posedge clk) begin
        p00 <= x[17:0]  * y[16:0];
        p10 <= x[35:18] * y[16:0];
        p20 <= x[52:36] * y[16:0];
        p01 <= x[17:0]  * y[33:17];
        p11 <= x[35:18] * y[33:17];
        p21 <= x[52:36] * y[33:17];
        p02 <= x[17:0]  * y[50:34];
        p12 <= x[35:18] * y[50:34];
        p22 <= x[52:36] * y[50:34];
        // x times the two highest bits of its factor: a one and y[51].
        top <= {1'b0, x, 1'b0} + {2'd0, x & {53{y[51]}}};
        // -1023 .. 3071
        e2        <= {2'd0, e_a} + {2'd0, e_b} - 13'd1023;
        sign2     <= sign_a ^ sign_b;
        zero2     <= zero_a | zero_b;
        infinity2 <= infinity_a | infinity_b;
        nan2      <= nan_a | nan_b | (infinity_a & zero_b) | (zero_a & infinity_b);
    end

    // 3. Rows: x times each part of y. The outer products do not overlap.
    reg [69:0] row0, row1, row2;    // 53 + 17 bits
    reg [54:0] row3;                // 53 + 2 bits
    always @(posedge clk) begin
        row0 <= {p20, 1'b0, p00} + {17'd0, p10, 18'd0};
        row1 <= {p21, 1'b0, p01} + {17'd0, p11, 18'd0};
        row2 <= {p22, 1'b0, p02} + {17'd0, p12, 18'd0};
        row3 <= top;
    end

    // 4. The product, 2^104 .. 2^106.
    (* keep *) wire [86:0] low  = {17'd0, row0} + {row1, 17'd0};
    (* keep *) wire [71:0] high = {2'd0, row2} + {row3, 17'd0};
    reg [105:0] product;
    always @(posedge clk) product <= {19'd0, low} + {high, 34'd0};

    wire [12:0] e4;
    wire        sign4, zero4, infinity4, nan4;
    fp_delay #(.WIDTH(17), .STAGES(2)) beside_product (.clk(clk),
        .d({e2, sign2, zero2, infinity2, nan2}),
        .q({e4, sign4, zero4, infinity4, nan4}));

    // 5. Normalise: keep 54 of the 106 bits, and a sticky bit for the rest.
    reg [54:0] z;
    reg [12:0] e5;
    reg        sign5, zero5, infinity5, nan5;
    wire       from_two = product[105];
    wire       lost     = |product[49:0];
    always @(posedge clk) begin
        z         <= from_two ? {product[105:52], product[51] | product[50] | lost}
                              : {product[104:51], product[50] | lost};
        e5        <= e4 + {12'd0, from_two};
        sign5     <= sign4;
        zero5     <= zero4;
        infinity5 <= infinity4;
        nan5      <= nan4;
    end

    // 6. Round, pack.
    wire [63:0] rounded;
    fp_round round (.sign(sign5), .e(e5), .z(z), .zero(zero5), .infinity(infinity5),
        .nan(nan5), .q(rounded));
    fp_delay #(.WIDTH(64), .STAGES(LATENCY - STAGES + 1)) out (.clk(clk), .d(rounded), .q(q));
endmodule
