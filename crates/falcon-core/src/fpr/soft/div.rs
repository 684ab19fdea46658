//! Division: a reciprocal by Newton's iteration, then the exact remainder.

use super::word::Word;
use super::{SIGN, exponent, nonzero_mask, round_either, sign_mask, significand};

/// `48/17` and `32/17` in units of `2^-62`.
const START: [u64; 2] = [((48 << 62) / 17u128) as u64, ((32 << 62) / 17u128) as u64];

/// A lower bound of `1/d` in units of `2^-63`, for `d = D / 2^64` in
/// `1/2 .. 1`, with a relative error below `2^-60`.
///
/// The line `48/17 - 32/17 d` has the least error over the interval,
/// `|1 - d p| <= 1/17`. A Newton step `p (2 - d p)` turns the error `e` into
/// `e^2`. Here it is computed from below: `2 - d p` is at most one unit too
/// small, and the truncated product at most two, so that `e` becomes
/// `e^2 + 2^-61` at most and stays positive, which keeps `p < 1/d <= 2`, one
/// word. The errors are below 2^-4, 2^-8.1, 2^-16.2, 2^-32.4 and at last 2^-60.
#[inline(always)]
fn reciprocal<W: Word>(d: u64) -> u64 {
    let mut p = (START[0] - W::mul_wide(d, START[1]).0) << 1;
    for _ in 0..4 {
        let correction = !W::mul_wide(d, p).0;
        p = W::mul_wide(p, correction).0 << 1;
    }
    p
}

/// `a / b`, for nonzero `b`.
///
/// With significands `x` and `y`, the reciprocal gives `q`, a lower bound of
/// `2^55 x / y`. That is below `2^56`, and the error below `2^56 2^-60` plus
/// the truncations, so that `q` is the quotient rounded down or one less. The
/// exact remainder tells which, and is the sticky bit.
#[inline(always)]
pub(super) fn div<W: Word>(a: u64, b: u64) -> u64 {
    let (x, y) = (significand(a), significand(b));
    let q = W::mul_wide(x << 11, reciprocal::<W>(y << 11)).0 >> 8;
    // 0 <= r < 2 y < 2^54, so that the low word is all of it.
    let r = (x << 55).wrapping_sub(q.wrapping_mul(y));
    let fits = !sign_mask(r.wrapping_sub(y));
    let q = q + (fits & 1);
    let r = r.wrapping_sub(y & fits);

    // 2^54 < q < 2^56.
    let e = (exponent(a) + 1022).wrapping_sub(exponent(b));
    let magnitude = round_either(e, (q << 7) | u64::from(r != 0));
    (magnitude & nonzero_mask(exponent(a))) | ((a ^ b) & SIGN)
}
