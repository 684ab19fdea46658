//! Conversions between binary64 and integers.

use super::word::Word;
use super::{SIGN, exponent, nonzero_mask, round, sign_mask, significand};

/// `x`, rounded to nearest, ties to even.
#[inline(always)]
pub(super) fn from_i64<W: Word>(x: i64) -> u64 {
    let negative = sign_mask(x as u64);
    // At most 2^63.
    let magnitude = (x as u64 ^ negative).wrapping_sub(negative);
    let up = W::leading_zeros(magnitude);
    // 2^63 <= z < 2^64; halving it keeps the lost bit sticky.
    let z = W::shl(magnitude, up);
    let bits = round(1023 + 63 - 1 - up, (z >> 1) | (z & 1));
    (bits & nonzero_mask(magnitude)) | (x as u64 & SIGN)
}

/// `|a|` as an integer and a fraction in units of `2^-64`, for `|a| < 2^63`.
///
/// The integer is exact. The fraction is exact for `|a| >= 2^-11`, zero for a
/// zero, and otherwise only known to be above 0 and below 1/2.
#[inline(always)]
fn split<W: Word>(a: u64) -> (u64, u64) {
    let e = exponent(a);
    // |a| = m / 2^down, m < 2^63, and down is -1 at most for |a| >= 2^63.
    let m = (significand(a) << 10) & nonzero_mask(e);
    let down = (1023u64 + 62).wrapping_sub(e);
    let near = sign_mask(down.wrapping_sub(64));
    let integer = W::shr(m, down) & near;
    // m << (64 - down) in two steps, so that down = 0 gives 0. Beyond 63 places
    // any positive fraction below 1/2 will do.
    let fraction = W::shl(m << 1, !down);
    (integer, (fraction & near) | ((m >> 2) & !near))
}

/// The integer nearest to `a`, ties to even.
#[inline(always)]
pub(super) fn rint<W: Word>(a: u64) -> i64 {
    let (integer, fraction) = split::<W>(a);
    // Up if the fraction is above 1/2, or is 1/2 and the integer is odd. Bit 0
    // of the fraction is free: m has ten zero bits and is shifted up at least
    // once.
    let half = 1 << 63;
    let odd_or_above = (fraction & (half - 1)) | (integer & 1);
    let up = (fraction & nonzero_mask(odd_or_above)) >> 63;
    with_sign(integer + up, a)
}

/// The largest integer not above `a`.
#[inline(always)]
pub(super) fn floor<W: Word>(a: u64) -> i64 {
    let (integer, fraction) = split::<W>(a);
    // One more in magnitude for a negative number that is not an integer.
    let up = u64::from(fraction != 0) & (a >> 63);
    with_sign(integer + up, a)
}

/// `a` rounded towards zero.
#[inline(always)]
pub(super) fn trunc<W: Word>(a: u64) -> i64 {
    with_sign(split::<W>(a).0, a)
}

/// `magnitude` with the sign of `a`.
#[inline(always)]
fn with_sign(magnitude: u64, a: u64) -> i64 {
    let negative = sign_mask(a);
    (magnitude ^ negative).wrapping_sub(negative) as i64
}
