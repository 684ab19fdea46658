// The last stage of every unit: rounds to nearest, ties to even, and packs.
// Combinational.
//
// A finite nonzero result is 2^(e - 1023) z / 2^54 for 2^54 <= z < 2^55, where
// z[1] is the guard bit and z[0] the sticky bit: set if the exact value is not
// z. The exponent has no bounds yet, -4096 <= e <= 4094. After rounding, a result
// below 2^-1022 becomes zero, and one of 2^1024 or more becomes infinity. The
// first flag that is set, in the order nan, infinity, zero, decides the result.
module fp_round (
    input  wire        sign,
    input  wire [12:0] e,           // signed
    input  wire [54:0] z,
    input  wire        zero,
    input  wire        infinity,
    input  wire        nan,
    output reg  [63:0] q
);
    // More than half of a last place, or exactly half and an odd last place.
    wire up = z[1] & (z[0] | z[2]);

    // A significand that is rounded up to 2^53 carries into the exponent. The
    // fraction is then zero, so the result is the right power of two.
    wire [64:0] rounded   = {e, z[53:2]} + {64'd0, up};
    wire [12:0] e_rounded = rounded[64:52];
    wire        under     = e_rounded[12] | ~|e_rounded;
    wire        over      = ~e_rounded[12] & (e_rounded[11] | &e_rounded[10:0]);

    wire unused_leading = z[54];

    always @* begin
        if (nan)                   q = {1'b0, 11'h7ff, 1'b1, 51'd0};
        else if (infinity)         q = {sign, 11'h7ff, 52'd0};
        else if (zero | under)     q = {sign, 63'd0};
        else if (over)             q = {sign, 11'h7ff, 52'd0};
        else                       q = {sign, rounded[62:0]};
    end
endmodule
