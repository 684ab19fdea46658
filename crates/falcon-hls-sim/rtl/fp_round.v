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
    output wire [63:0] q
);
    // More than half of a last place, or exactly half and an odd last place.
    wire up = z[1] & (z[0] | z[2]);

    // A significand that is rounded up to 2^53 carries into the exponent. The
    // fraction is then zero, so the result is the right power of two.
    wire [62:0] rounded = {e[10:0], z[53:2]} + {62'd0, up};

    // The bounds do not wait for the sum: it carries if all bits above the sticky bit are set.
    wire carry = &z[53:1];
    wire under = e[12] | (~|e & ~carry);
    wire over  = ~e[12] & (e[11] | (&e[10:1] & (e[0] | carry)));

    wire unused_leading = z[54];

    wire ones   = nan | infinity | (over & ~zero);
    wire finite = ~(ones | zero | under);
    assign q = {sign & ~nan, (rounded[62:52] & {11{finite}}) | {11{ones}},
        (rounded[51] & finite) | nan, rounded[50:0] & {51{finite}}};
endmodule
