//! The fields of a number, and rounding.

use super::word::Word;

/// Bit 63: the sign.
pub(super) const SIGN: u64 = 1 << 63;
/// Bits 0 to 51: the significand without its leading bit.
const FRACTION: u64 = (1 << 52) - 1;
/// Bit 52: the leading bit of a significand, or one step of the exponent.
const LEADING: u64 = 1 << 52;

/// The biased exponent.
#[inline(always)]
pub(super) fn exponent(x: u64) -> u64 {
    (x >> 52) & 0x7FF
}

/// The significand of a nonzero `x`, in `2^52 .. 2^53`. For a zero, the result is `2^52`.
#[inline(always)]
pub(super) fn significand(x: u64) -> u64 {
    (x & FRACTION) | LEADING
}

/// [`significand`] shifted up by 11, in `2^63 .. 2^64`.
#[inline(always)]
pub(super) fn top_significand(x: u64) -> u64 {
    (x << 11) | SIGN
}

/// `x` without its sign.
#[inline(always)]
pub(super) fn magnitude(x: u64) -> u64 {
    x & !SIGN
}

/// `value` negated in two's complement if bit 63 of `sign` is set.
#[inline(always)]
pub(super) fn with_sign<W: Word>(w: W, value: u64, sign: u64) -> u64 {
    let negative = w.mask(sign);
    (value ^ negative).wrapping_sub(negative)
}

/// Magnitude bits of `2^(e - 1022) (z / 2^62)` rounded to nearest, ties to
/// even, for `2^62 <= z < 2^63` with a sticky low bit.
///
/// `z` has ten bits more than a significand. Adding half of a last place, less one unless the kept
/// part is odd, carries into the kept part exactly when it must be rounded up. The leading bit of
/// the rounded significand is added to the exponent field, hence `1022`; a significand rounded up
/// to `2^53` adds two and leaves the fraction zero, which is the right power of two.
#[inline(always)]
pub(super) fn round(e: u64, z: u64) -> u64 {
    // The inner sum is computed in 32 bits, the outer one in 64.
    let odd = (z as u32 >> 10) & 1;
    let rounded = (z + u64::from(0x1FF + odd)) >> 10;
    (e << 52).wrapping_add(rounded)
}

/// Rounds as [`round`] does, for `2^61 <= z < 2^63`. `e` is the exponent for the upper half. If `z`
/// is in the lower half, doubles `z` and decrements `e`.
#[inline(always)]
pub(super) fn round_either<W: Word>(w: W, e: u64, z: u64) -> u64 {
    let low = (z >> 62) ^ 1;
    round(e.wrapping_sub(low), w.shl_bit(z, low))
}
