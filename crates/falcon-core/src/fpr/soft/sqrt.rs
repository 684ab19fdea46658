//! Square root: its reciprocal by Newton's iteration, then the exact remainder.

use super::bits::{SIGN, exponent, round, significand};
use super::word::{Word, nonzero_bit};

/// `u - v M` approximates `1 / sqrt(M)`: `u` in units of `2^-63` and `v` in
/// units of `2^-65`, for `M` in `1 .. 2` and in `2 .. 4`.
const START: [[u64; 2]; 2] = [
    // 81/64 - 147/512 M
    [81 << 57, 147 << 56],
    // 229/256 - 26/256 M
    [229 << 55, 26 << 57],
];

/// A lower bound of `1 / sqrt(M)` in units of `2^-64`, for `m = 2^62 M`,
/// `1 <= M < 4`; `odd` tells whether `M >= 2`. With `r` the bound, the error
/// `e = 1 - M r^2` is below `2^-58`.
///
/// The line has `|e| < 1/21` on either interval. A Newton step `r (3 - M r^2) / 2` turns `e` into
/// `e^2 (3 + e) / 4`. Here the step is computed from below: `M r^2` is truncated twice and thus at
/// most two units of `2^-62` too small, which are subtracted; with the truncation of the last
/// product `r` loses at most `1.5 * 2^-62`, and `e` gains at most `2 sqrt(M)` times that, less than
/// `2^-59`. So `e` stays positive, and `r < 1` fits one word. The errors are below 2^-4.3, 2^-9.1,
/// 2^-18.6, 2^-37.6 and at last 2^-58.
#[inline(always)]
pub(super) fn reciprocal<W: Word>(w: W, m: u64, odd: u64) -> u64 {
    let odd = w.mask(odd << 63);
    let [u, v] = [0, 1].map(|i| START[0][i] ^ ((START[0][i] ^ START[1][i]) & odd));
    let mut r = (u - w.mul_hi(m, v)) << 1;
    for _ in 0..4 {
        let product = w.mul_hi(m, w.mul_hi(r, r));
        let correction = ((3 << 62) - 2) - product;
        r = w.mul_hi(r, correction) << 1;
    }
    r
}

/// The square root of `a`, zero or positive.
///
/// Let `a = 4^k M` with `1 <= M < 4`. Then `M r` is a lower bound of `sqrt(M) < 2` with an error
/// below `2 * 2^-58`, so in units of `2^-54`, rounded down, this bound is the rounded-down root or
/// one less. The exact remainder decides between the two, and gives the sticky bit.
#[inline(always)]
pub(super) fn sqrt<W: Word>(w: W, a: u64) -> u64 {
    let e = exponent(a);
    // The unbiased exponent e - 1023 is odd iff e is even.
    let odd = (e & 1) ^ 1;
    let m = w.shl_bit(significand(a), odd);
    let q = w.mul_hi(m << 10, reciprocal(w, m << 10, odd)) >> 8;
    // M - q^2 in units of 2^-108. It is in 0 ..= 4 q + 3 < 2^58, so the low word has all of it.
    let r = (m << 56).wrapping_sub(q.wrapping_mul(q));
    let step = (q << 1) + 1;
    let below = r.wrapping_sub(step);
    let q = q + 1 - (below >> 63);
    let r = below.wrapping_add(step & w.mask(below));

    // 2^54 <= q < 2^55.
    let rounded = round((e + 1023 - odd) / 2 - 1, (q << 8) | nonzero_bit(r));
    (rounded & w.mask(e.wrapping_neg())) | (a & SIGN)
}
