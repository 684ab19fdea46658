// q = a * b in binary64, rounded to nearest, ties to even. Subnormal operands and
// results become zeros of the same sign. Every NaN is 7ff8000000000000.
//
// Computes one product per clock; q is ready LATENCY clock edges after a and b.
// Six stages: unpack, partial products, rows, product, normalise, round. A
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

    // 1. Unpack.
    wire        sign_a, zero_a, infinity_a, nan_a;
    wire        sign_b, zero_b, infinity_b, nan_b;
    wire [10:0] e_a, e_b;
    wire [52:0] m_a, m_b;
    fp_unpack unpack_a (.bits(a), .sign(sign_a), .exponent(e_a), .significand(m_a),
        .zero(zero_a), .infinity(infinity_a), .nan(nan_a));
    fp_unpack unpack_b (.bits(b), .sign(sign_b), .exponent(e_b), .significand(m_b),
        .zero(zero_b), .infinity(infinity_b), .nan(nan_b));

    reg [52:0] x, y;
    reg [12:0] e1;
    reg        sign1, zero1, infinity1, nan1;
    always @(posedge clk) begin
        x         <= m_a;
        y         <= m_b;
        // -1023 .. 3071
        e1        <= {2'd0, e_a} + {2'd0, e_b} - 13'd1023;
        sign1     <= sign_a ^ sign_b;
        zero1     <= zero_a | zero_b;
        infinity1 <= infinity_a | infinity_b;
        nan1      <= nan_a | nan_b | (infinity_a & zero_b) | (zero_a & infinity_b);
    end

    // 2. Partial products. A DSP48E1 multiplies 24 bits by 17 (25 by 18, signed),
    // so x is cut into 24 + 24 + 5 bits and y into 17 + 17 + 17 + 2: 3 times 4
    // products, of which all but the smallest, 5 by 2 bits, take a DSP.
    reg [40:0] p00, p10, p01, p11, p02, p12;
    reg [21:0] p20, p21, p22;
    reg [25:0] p03, p13;
    reg [6:0]  p23;
    always @(posedge clk) begin
        p00 <= x[23:0]  * y[16:0];
        p10 <= x[47:24] * y[16:0];
        p20 <= x[52:48] * y[16:0];
        p01 <= x[23:0]  * y[33:17];
        p11 <= x[47:24] * y[33:17];
        p21 <= x[52:48] * y[33:17];
        p02 <= x[23:0]  * y[50:34];
        p12 <= x[47:24] * y[50:34];
        p22 <= x[52:48] * y[50:34];
        p03 <= x[23:0]  * y[52:51];
        p13 <= x[47:24] * y[52:51];
        p23 <= x[52:48] * y[52:51];
    end

    // 3. Rows: x times each part of y. The outer products do not overlap.
    reg [69:0] row0, row1, row2;    // 53 + 17 bits
    reg [54:0] row3;                // 53 + 2 bits
    always @(posedge clk) begin
        row0 <= {p20, 7'd0, p00} + {5'd0, p10, 24'd0};
        row1 <= {p21, 7'd0, p01} + {5'd0, p11, 24'd0};
        row2 <= {p22, 7'd0, p02} + {5'd0, p12, 24'd0};
        row3 <= {p23, 22'd0, p03} + {5'd0, p13, 24'd0};
    end

    // 4. The product, 2^104 .. 2^106 unless an operand is zero.
    (* keep *) wire [86:0] low  = {17'd0, row0} + {row1, 17'd0};
    (* keep *) wire [71:0] high = {2'd0, row2} + {row3, 17'd0};
    reg [105:0] product;
    always @(posedge clk) product <= {19'd0, low} + {high, 34'd0};

    wire [12:0] e4;
    wire        sign4, zero4, infinity4, nan4;
    fp_delay #(.WIDTH(17), .STAGES(3)) beside_product (.clk(clk),
        .d({e1, sign1, zero1, infinity1, nan1}),
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
