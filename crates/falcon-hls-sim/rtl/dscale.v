// q = a * 2^by in binary64: an adder of exponents. Subnormal operands and
// results become zeros of the same sign. Every NaN is 7ff8000000000000.
//
// q is ready LATENCY clock edges after a and by; with LATENCY = 0 it is
// combinational. The 12 bits of by cover the range of normal numbers: for every
// normal a, -2048 gives zero and 2047 gives infinity.
module dscale #(
    parameter LATENCY = 0
) (
    input  wire        clk,
    input  wire [63:0] a,
    input  wire signed [11:0] by,
    output wire [63:0] q
);
    wire        sign, zero, infinity, nan;
    wire [10:0] exponent;
    wire [52:0] significand;
    fp_unpack unpack (.bits(a), .sign(sign), .exponent(exponent), .significand(significand),
        .zero(zero), .infinity(infinity), .nan(nan));

    // -2047 .. 4093. No bit is below the last place: nothing is rounded.
    wire [12:0] e = {2'd0, exponent} + {by[11], by};
    wire [63:0] scaled;
    fp_round pack (.sign(sign), .e(e), .z({significand, 2'd0}), .zero(zero),
        .infinity(infinity), .nan(nan), .q(scaled));
    fp_delay #(.WIDTH(64), .STAGES(LATENCY)) out (.clk(clk), .d(scaled), .q(q));
endmodule
