//! Conversions between binary64 and integers.

use super::bits::{SIGN, exponent, round, significand, with_sign};
use super::word::{Word, nonzero_bit};

/// `x`, rounded to nearest, ties to even.
#[inline(always)]
pub(super) fn from_i64<W: Word>(w: W, x: i64) -> u64 {
    let x = x as u64;
    // |x| <= 2^63.
    let magnitude = with_sign(w, x, x);
    let up = w.leading_zeros(magnitude);
    // 2^63 <= z < 2^64. Halving z keeps the lost bit sticky.
    let z = w.shl(magnitude, up);
    let bits = round(1023 + 63 - 1 - up, (z >> 1) | (z & 1));
    (bits & w.mask(z)) | (x & SIGN)
}

/// A number `a`, `|a| < 2^63`, split into an integer and a fraction.
struct Split {
    /// `|a|` rounded down.
    integer: u64,
    /// `|a| - integer` in units of `2^-64`, or zero if `|a| < 1/2`. The low bit
    /// is zero.
    fraction: u64,
    /// 1 if `|a|` is not an integer, else 0.
    inexact: u64,
}

impl Split {
    #[inline(always)]
    fn of<W: Word>(w: W, a: u64) -> Self {
        // |a| = m / 2^down, m < 2^63 and down >= 0. For |a| < 1/2, down is 64 or more, and both
        // parts become zero.
        let e = exponent(a);
        let m = (significand(a) << 10) & w.mask(e.wrapping_neg());
        let down = (1023u64 + 62).wrapping_sub(e);
        let near = w.mask(down.wrapping_sub(64));
        let integer = w.shr(m, down) & near;
        // m << (64 - down) in two steps, so that down = 0 gives 0.
        let fraction = w.shl(m << 1, !down) & near;
        let inexact = nonzero_bit(m.wrapping_sub(w.shl(integer, down)));
        Self {
            integer,
            fraction,
            inexact,
        }
    }
}

/// The integer nearest to `a`, ties to even.
#[inline(always)]
pub(super) fn rint<W: Word>(w: W, a: u64) -> i64 {
    let split = Split::of(w, a);
    // Rounds up if the fraction is above 1/2, or is 1/2 and the integer is odd. This holds if
    // fraction + odd > 2^63: then, and only then, bit 63 is set both in this sum and in the sum
    // less one.
    let t = split.fraction | (split.integer & 1);
    let up = (t & t.wrapping_sub(1)) >> 63;
    with_sign(w, split.integer + up, a) as i64
}

/// The largest integer not above `a`.
#[inline(always)]
pub(super) fn floor<W: Word>(w: W, a: u64) -> i64 {
    let split = Split::of(w, a);
    // A negative number that is not an integer gets a magnitude larger by one.
    let up = (a >> 63) & split.inexact;
    with_sign(w, split.integer + up, a) as i64
}

/// `a` rounded towards zero.
#[inline(always)]
pub(super) fn trunc<W: Word>(w: W, a: u64) -> i64 {
    with_sign(w, Split::of(w, a).integer, a) as i64
}
