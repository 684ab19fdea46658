//! The first and the last stages of every unit: unpack, round, pack.
//!
//! A finite number is `(-1)^s 2^(e - 1023) m / 2^52` with the biased exponent
//! `e` and the significand `m`. Of a normal number `1 <= e <= 2046` and
//! `2^52 <= m < 2^53`. Between the stages `e` has no bounds.

/// The quiet NaN with a positive sign and no payload: the only one that a unit
/// gives.
pub const NAN: u64 = 0x7ff8_0000_0000_0000;

/// Treatment of numbers below `2^-1022`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Subnormals {
    /// Operands are read as zero, results become zero, the sign stays: no
    /// shifters for them, as in the cores of FPGA vendors.
    #[default]
    Flush,
    /// Gradual underflow, as IEEE 754 has it.
    Keep,
}

/// Bit 63: the sign.
pub(super) const SIGN: u64 = 1 << 63;
/// Bits 52 to 62, all ones: the bits of infinity.
pub(super) const INFINITY: u64 = 0x7ff << 52;
/// Bit 52: the leading bit of a significand.
pub(super) const LEADING: u64 = 1 << 52;
/// Bits 0 to 51: the significand without its leading bit.
const FRACTION: u64 = LEADING - 1;

/// An operand, its fields apart.
#[derive(Copy, Clone)]
pub(super) struct Operand {
    /// The sign in bit 63, the rest zero.
    pub sign: u64,
    /// The bits without the sign, zero if the operand is flushed. They are
    /// ordered as the values are.
    pub magnitude: u64,
    /// `1 ..= 2047`: a zero and a subnormal number have 1.
    pub exponent: i32,
    /// `2^52 .. 2^53`; below `2^52` of a subnormal number, 0 of a zero.
    /// Meaningless if the exponent is 2047.
    pub significand: u64,
}

impl Operand {
    /// The fields of `bits`.
    #[inline(always)]
    pub fn unpack(mode: Subnormals, bits: u64) -> Self {
        let field = (bits >> 52) & 0x7ff;
        let magnitude = match mode {
            Subnormals::Flush if field == 0 => 0,
            _ => bits & !SIGN,
        };
        let leading = if field == 0 { 0 } else { LEADING };
        Self {
            sign: bits & SIGN,
            magnitude,
            exponent: field.max(1) as i32,
            significand: (magnitude & FRACTION) | leading,
        }
    }

    /// Whether it is a NaN.
    #[inline(always)]
    pub fn is_nan(&self) -> bool {
        self.magnitude > INFINITY
    }

    /// Whether it is an infinity or a NaN.
    #[inline(always)]
    pub fn is_special(&self) -> bool {
        self.magnitude >= INFINITY
    }

    /// Whether it is zero, or has been flushed.
    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.magnitude == 0
    }

    /// For a nonzero finite operand: the exponent, `-51 ..= 2046`, and the
    /// significand in `2^52 .. 2^53`: a subnormal number is shifted up. No
    /// other has anything to shift.
    #[inline(always)]
    pub fn normalised(&self) -> (i32, u64) {
        let up = self.significand.leading_zeros() as i32 - 11;
        (self.exponent - up, self.significand << up)
    }
}

/// `z / 2^places`, its low bit set if a one was shifted out.
#[inline(always)]
pub(super) fn shift_right_sticky(z: u64, places: u32) -> u64 {
    // From 63 places on nothing is left of a z below 2^63 but the sticky bit.
    let places = places.min(63);
    let lost = z & ((1 << places) - 1);
    (z >> places) | u64::from(lost != 0)
}

/// The bits of `2^(e - 1023) z / 2^54`, rounded, with `sign`; for
/// `2^54 <= z < 2^55`, whose two lowest bits are the guard bit and the sticky
/// bit: set if the exact value is not `z`.
#[inline(always)]
pub(super) fn round_and_pack(mode: Subnormals, sign: u64, e: i32, z: u64) -> u64 {
    let (e, z) = match mode {
        // The last place is 2^-1074: it is there that Keep rounds.
        Subnormals::Keep if e < 1 => (1, shift_right_sticky(z, (1 - e) as u32)),
        _ => (e, z),
    };
    let rounded = round(z);
    // Rounded up to 2^53: one step of the exponent more.
    let e_rounded = e + (rounded >> 53) as i32;
    if e_rounded > 2046 {
        return sign | INFINITY;
    }
    if e_rounded < 1 {
        return sign; // in Flush only
    }
    // Added, not joined (`e - 1` may be -1): the leading bit counts as one step of the exponent, or
    // as two if there was a carry, or as none if the result is subnormal.
    sign | (((e - 1) as u64) << 52).wrapping_add(rounded)
}

/// `z / 4` to nearest, ties to even; `z` has a guard bit and a sticky bit.
#[inline(always)]
fn round(z: u64) -> u64 {
    let (last, guard, sticky) = ((z >> 2) & 1, (z >> 1) & 1, z & 1);
    (z >> 2) + (guard & (sticky | last))
}

/// The sum or product of infinities and NaNs: `infinity` with its sign if there
/// is one, else the NaN.
#[inline(always)]
pub(super) fn special(infinity: Option<u64>) -> u64 {
    infinity.map_or(NAN, |sign| sign | INFINITY)
}
