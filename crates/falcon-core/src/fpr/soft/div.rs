//! Division: a reciprocal by Newton's iteration, then the exact remainder.

use super::bits::{SIGN, exponent, round_either, significand};
use super::word::{Word, nonzero_bit};

/// `48/17` and `32/17` in units of `2^-62`.
const START: [u64; 2] = [((48 << 62) / 17u128) as u64, ((32 << 62) / 17u128) as u64];

/// A lower bound of `1/d` in units of `2^-63`, for `d = D / 2^64` in
/// `1/2 .. 1`, with a relative error below `2^-60`.
///
/// The line `48/17 - 32/17 d` has the least error over the interval, `|1 - d p| <= 1/17`. A Newton
/// step `p (2 - d p)` turns the error `e` into `e^2`. Here the step is computed from below: `2 - d
/// p` is at most one unit too small, and the truncated product at most two, so `e` becomes at most
/// `e^2 + 2^-61` and stays positive. Hence `p < 1/d <= 2` fits one word. The errors are below 2^-4,
/// 2^-8.1, 2^-16.2, 2^-32.4 and at last 2^-60.
#[inline(always)]
pub(super) fn reciprocal<W: Word>(w: W, d: u64) -> u64 {
    let mut p = (START[0] - w.mul_hi(d, START[1])) << 1;
    for _ in 0..4 {
        let correction = !w.mul_hi(d, p);
        p = w.mul_hi(p, correction) << 1;
    }
    p
}

/// `a / b`, for nonzero `b`.
///
/// With significands `x` and `y`, the reciprocal gives `q`, a lower bound of `2^55 x / y`. This
/// bound is below `2^56`, and its error is below `2^56 2^-60` plus the truncations. So `q` is the
/// quotient rounded down, or one less. The exact remainder decides between the two, and gives the
/// sticky bit.
#[inline(always)]
pub(super) fn div<W: Word>(w: W, a: u64, b: u64) -> u64 {
    let (x, y) = (significand(a), significand(b));
    let q = w.mul_hi(x << 11, reciprocal(w, y << 11)) >> 8;
    // 0 <= r < 2 y < 2^54, so the low word has the whole remainder.
    let r = (x << 55).wrapping_sub(q.wrapping_mul(y));
    let below = r.wrapping_sub(y);
    let q = q + 1 - (below >> 63);
    let r = below.wrapping_add(y & w.mask(below));

    // 2^54 < q < 2^56.
    let (ea, eb) = (exponent(a), exponent(b));
    let e = (ea + 1022).wrapping_sub(eb);
    let rounded = round_either(w, e, (q << 7) | nonzero_bit(r));
    (rounded & w.mask(ea.wrapping_neg())) | ((a ^ b) & SIGN)
}
