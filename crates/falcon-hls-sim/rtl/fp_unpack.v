// The fields of a binary64 operand. Combinational.
//
// A subnormal number is read as zero, with significand 0 and exponent 0. The
// significand of a normal number includes the leading bit: 2^52 <= significand
// < 2^53. For an infinity or a NaN, only the flags and the sign have a meaning.
module fp_unpack (
    input  wire [63:0] bits,
    output wire        sign,
    output wire [10:0] exponent,    // biased by 1023
    output wire [52:0] significand,
    output wire        zero,
    output wire        infinity,
    output wire        nan
);
    assign sign     = bits[63];
    assign exponent = bits[62:52];

    wire top     = &exponent;
    wire fraction = |bits[51:0];
    assign zero     = ~|exponent;
    assign infinity = top & ~fraction;
    assign nan      = top & fraction;

    assign significand = {~zero, bits[51:0] & {52{~zero}}};
endmodule
