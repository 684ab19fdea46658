//! The first and the last stages of every unit: unpack, round, pack.
//!
//! A finite number is `(-1)^s 2^(e - 1023) m / 2^52` with the biased exponent `e` and the
//! significand `m`. A normal number has `1 <= e <= 2046` and `2^52 <= m < 2^53`. Between the stages
//! `e` has no bounds.

/// The quiet NaN with a positive sign and no payload. Units return no other NaN.
pub const NAN: u64 = 0x7ff8_0000_0000_0000;

/// Treatment of numbers below `2^-1022`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Subnormals {
    /// Subnormal operands and results become zeros of the same sign. This needs no shifters. The
    /// cores of FPGA vendors do the same.
    #[default]
    Flush,
    /// Gradual underflow, as in IEEE 754.
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

/// An operand, split into its fields.
#[derive(Copy, Clone)]
pub(super) struct Operand {
    /// The sign in bit 63, the rest zero.
    pub sign: u64,
    /// The bits without the sign, or zero if the operand is flushed. They are ordered like the
    /// absolute values.
    pub magnitude: u64,
    /// The biased exponent, in `1 ..= 2047`. A zero and a subnormal number have 1.
    pub exponent: i32,
    /// The significand. It is in `2^52 .. 2^53` for a normal number, below `2^52` for a subnormal
    /// number, and 0 for a zero. It is meaningless if the exponent is 2047.
    pub significand: u64,
}

impl Operand {
    /// Splits `bits` into its fields.
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

    /// Returns true for a NaN.
    #[inline(always)]
    pub fn is_nan(&self) -> bool {
        self.magnitude > INFINITY
    }

    /// Returns true for an infinity or a NaN.
    #[inline(always)]
    pub fn is_special(&self) -> bool {
        self.magnitude >= INFINITY
    }

    /// Returns true for a zero or a flushed operand.
    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        self.magnitude == 0
    }

    /// Returns exponent and significand of a nonzero finite operand. The exponent is in
    /// `-51 ..= 2046`, and the significand is in `2^52 .. 2^53`. Only subnormal numbers are shifted
    /// up.
    #[inline(always)]
    pub fn normalised(&self) -> (i32, u64) {
        let up = self.significand.leading_zeros() as i32 - 11;
        (self.exponent - up, self.significand << up)
    }
}

/// Returns `z / 2^places`, with the low bit set if a one was shifted out.
#[inline(always)]
pub(super) fn shift_right_sticky(z: u64, places: u32) -> u64 {
    // If a number below 2^63 is shifted by 63 places or more, only the sticky bit is left.
    let places = places.min(63);
    let lost = z & ((1 << places) - 1);
    (z >> places) | u64::from(lost != 0)
}

/// Returns the bits of `2^(e - 1023) z / 2^54`, rounded, with `sign`. `z` is in `2^54 .. 2^55`. The
/// two lowest bits of `z` are the guard bit and the sticky bit. The sticky bit is set if the exact
/// value is not `z`.
#[inline(always)]
pub(super) fn round_and_pack(mode: Subnormals, sign: u64, e: i32, z: u64) -> u64 {
    let (e, z) = match mode {
        // Here the last place of the result is 2^-1074, so `Keep` rounds there.
        Subnormals::Keep if e < 1 => (1, shift_right_sticky(z, (1 - e) as u32)),
        _ => (e, z),
    };
    let rounded = round(z);
    // If the significand was rounded up to 2^53, the exponent is one more.
    let e_rounded = e + (rounded >> 53) as i32;
    if e_rounded > 2046 {
        return sign | INFINITY;
    }
    if e_rounded < 1 {
        return sign; // Flush only
    }
    // The fields are added instead of joined, since `e - 1` may be -1. The leading bit adds one to
    // the exponent, or two after a carry, or nothing if the result is subnormal.
    sign | (((e - 1) as u64) << 52).wrapping_add(rounded)
}

/// Returns `z / 4`, rounded to nearest, ties to even. `z` ends with a guard bit and a sticky bit.
#[inline(always)]
fn round(z: u64) -> u64 {
    let (last, guard, sticky) = ((z >> 2) & 1, (z >> 1) & 1, z & 1);
    (z >> 2) + (guard & (sticky | last))
}

/// Returns the result for infinite or NaN operands: the infinity with the sign `infinity`, or the
/// NaN if `infinity` is `None`.
#[inline(always)]
pub(super) fn special(infinity: Option<u64>) -> u64 {
    infinity.map_or(NAN, |sign| sign | INFINITY)
}
