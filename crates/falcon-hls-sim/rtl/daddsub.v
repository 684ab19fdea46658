// q = a + b in binary64, or a - b if sub is set. Rounds to nearest, ties to even.
// Subnormal operands and results become zeros of the same sign. Every NaN is
// 7ff8000000000000.
//
// Computes one sum per clock; q is ready LATENCY clock edges after a, b and sub.
// Seven stages: compare, swap, align, add, normalise in two, round. A larger
// LATENCY adds one register at the operands and more at the output. A smaller one
// does not elaborate.
module daddsub #(
    parameter LATENCY = 7
) (
    input  wire        clk,
    input  wire [63:0] a,
    input  wire [63:0] b,
    input  wire        sub,
    output wire [63:0] q
);
    localparam STAGES = 7;
    generate
        if (LATENCY < STAGES) begin : check
            LATENCY_of_daddsub_is_below_its_7_stages error ();
        end
    endgenerate

    // Gives the wires and multiplexers of the operands a clock to themselves.
    localparam EARLY = LATENCY > STAGES ? 1 : 0;
    wire [63:0] a0, b0;
    wire        sub0;
    fp_delay #(.WIDTH(129), .STAGES(EARLY)) in (.clk(clk), .d({a, b, sub}), .q({a0, b0, sub0}));

    // 1. Unpack, compare. Without the sign, bits are ordered like the magnitudes.
    // The order of operands that are read as zero does not matter.
    wire        sign_a, zero_a, infinity_a, nan_a;
    wire        sign_b, zero_b, infinity_b, nan_b;
    wire [10:0] e_a, e_b;
    wire [52:0] m_a, m_b;
    fp_unpack unpack_a (.bits(a0), .sign(sign_a), .exponent(e_a), .significand(m_a),
        .zero(zero_a), .infinity(infinity_a), .nan(nan_a));
    fp_unpack unpack_b (.bits(b0), .sign(sign_b), .exponent(e_b), .significand(m_b),
        .zero(zero_b), .infinity(infinity_b), .nan(nan_b));
    wire unused_zero = zero_a & zero_b;

    reg [10:0] e_a1, e_b1;
    reg [52:0] m_a1, m_b1;
    reg        sign_a1, sign_b1, b_larger1, infinity1, conflict1, nan1;
    always @(posedge clk) begin
        e_a1      <= e_a;
        e_b1      <= e_b;
        m_a1      <= m_a;
        m_b1      <= m_b;
        sign_a1   <= sign_a;
        sign_b1   <= sign_b ^ sub0;
        b_larger1 <= a0[62:0] < b0[62:0];
        infinity1 <= infinity_a | infinity_b;
        conflict1 <= infinity_a & infinity_b;
        nan1      <= nan_a | nan_b;
    end

    // 2. Swap: |x| >= |y|, and the sum has the sign of x.
    reg [52:0] x, y;
    reg [10:0] e2, places;
    reg        sign2, opposite2, infinity2, nan2;
    always @(posedge clk) begin
        x         <= b_larger1 ? m_b1 : m_a1;
        y         <= b_larger1 ? m_a1 : m_b1;
        e2        <= b_larger1 ? e_b1 : e_a1;
        places    <= b_larger1 ? e_b1 - e_a1 : e_a1 - e_b1;
        sign2     <= b_larger1 ? sign_b1 : sign_a1;
        opposite2 <= sign_a1 ^ sign_b1;
        infinity2 <= infinity1;
        nan2      <= nan1 | (conflict1 & (sign_a1 ^ sign_b1));
    end

    // 3. Align, in units of an eighth of the last place of x.
    wire [55:0] shifted;
    fp_align align (.significand(y), .places(places), .aligned(shifted));

    reg  [55:0] larger, aligned;
    reg  [10:0] e3;
    reg         sign3, opposite3, infinity3, nan3;
    always @(posedge clk) begin
        larger    <= {x, 3'd0};
        aligned   <= shifted;
        e3        <= e2;
        sign3     <= sign2;
        opposite3 <= opposite2;
        infinity3 <= infinity2;
        nan3      <= nan2;
    end

    // 4. Add, or add the complement and one. The sum is below 2^57. Either nothing
    // was shifted out, or the result has at least two bits below its last place,
    // the lowest of them sticky: if y is shifted by four places or more, the sum
    // is at least 2^55 - 2^52.
    wire [57:0] with_carry = {1'b0, larger, 1'b1}
                           + {opposite3, aligned ^ {56{opposite3}}, opposite3};
    reg  [56:0] sum;
    reg  [11:0] e4;
    reg         sign4, opposite4, infinity4, nan4;
    wire        unused_carry = with_carry[0];
    always @(posedge clk) begin
        sum       <= with_carry[57:1];
        // A leading one in bit 55 has the exponent of x, in bit 56 one more.
        e4        <= {1'b0, e3} + 12'd1;
        sign4     <= sign3;
        opposite4 <= opposite3;
        infinity4 <= infinity3;
        nan4      <= nan3;
    end

    // 5. and 6. Normalise: shift the leading one to bit 56, by 32, 16, 8, 4, 2 and
    // 1 places. If the sum is zero, the number of places means nothing. Groups of
    // eight bits decide about the first three shifts, so no decision waits for a shift.
    wire [6:0] empty;
    genvar group;
    generate
        for (group = 0; group < 7; group = group + 1) begin : groups
            assign empty[group] = ~|sum[56 - 8 * group -: 8];
        end
    endgenerate
    wire       none32 = &empty[3:0];
    wire       none16 = none32 ? &empty[5:4] : &empty[1:0];
    wire       none8  = none32 ? (none16 ? empty[6] : empty[4]) : (none16 ? empty[2] : empty[0]);
    wire [56:0] by32  = none32 ? {sum[24:0], 32'd0} : sum;
    wire [56:0] by16  = none16 ? {by32[40:0], 16'd0} : by32;
    wire [56:0] by8   = none8 ? {by16[48:0], 8'd0} : by16;

    reg [56:0] half;
    reg [11:0] e5;
    reg [2:0]  eights5;
    reg        sign5, opposite5, infinity5, nan5;
    always @(posedge clk) begin
        half      <= by8;
        e5        <= e4;
        eights5   <= {none32, none16, none8};
        sign5     <= sign4;
        opposite5 <= opposite4;
        infinity5 <= infinity4;
        nan5      <= nan4;
    end

    wire       none4 = ~|half[56:53];
    wire [56:0] by4  = none4 ? {half[52:0], 4'd0} : half;
    wire       none2 = ~|by4[56:55];
    wire [56:0] by2  = none2 ? {by4[54:0], 2'd0} : by4;
    wire       none1 = ~by2[56];
    wire [56:0] by1  = none1 ? {by2[55:0], 1'd0} : by2;

    reg [54:0] z;
    reg [12:0] e6;
    reg        sign6, zero6, infinity6, nan6;
    always @(posedge clk) begin
        z         <= {by1[56:3], |by1[2:0]};
        e6        <= {1'b0, e5} - {7'd0, eights5, none4, none2, none1};
        // Without a leading one the sum is zero: of two zeros, or of operands
        // that cancel. Then opposite signs give +0.
        zero6     <= ~by1[56];
        sign6     <= sign5 & ~(opposite5 & ~by1[56]);
        infinity6 <= infinity5;
        nan6      <= nan5;
    end

    // 7. Round, pack.
    wire [63:0] rounded;
    fp_round round (.sign(sign6), .e(e6), .z(z), .zero(zero6), .infinity(infinity6),
        .nan(nan6), .q(rounded));
    fp_delay #(.WIDTH(64), .STAGES(LATENCY - STAGES - EARLY + 1)) out (.clk(clk),
        .d(rounded), .q(q));
endmodule
