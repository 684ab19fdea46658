// The last stage of every unit: rounds to nearest, ties to even, and packs.
// Combinational.
//
// A finite nonzero result is 2^(e - 1023) z / 2^54 for 2^54 <= z < 2^55, where
// z[1] is the guard bit and z[0] the sticky bit: set if the exact value is not
// z. The exponent has no bounds yet, -4096 <= e <= 4094. What is below 2^-1022
// once rounded becomes a zero, what is not below 2^1024, an infinity. Of the
// flags the first that is set in the order nan, infinity, zero decides.
module fp_round (
    input  wire        sign,
    input  wire [12:0] e,           // signed
    input  wire [54:0] z,
    input  wire        zero,
    input  wire        infinity,
    input  wire        nan,
    output reg  [63:0] q
);
    // Half of a last place and more, or a half and an odd last place.
    wire up = z[1] & (z[0] | z[2]);

    // A significand that is rounded up to 2^53 carries into the exponent and
    // leaves no fraction behind: the right power of two.
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
