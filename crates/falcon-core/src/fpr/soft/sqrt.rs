//! Square root: its reciprocal by Newton's iteration, then the exact remainder.

use super::word::Word;
use super::{SIGN, exponent, nonzero_mask, round, sign_mask, significand};

/// `u - v M` approximates `1 / sqrt(M)`: `u` in units of `2^-63` and `v` in
/// units of `2^-65`, for `M` in `1 .. 2` and in `2 .. 4`.
const START: [[u64; 2]; 2] = [
    // 81/64 - 147/512 M
    [81 << 57, 147 << 56],
    // 229/256 - 26/256 M
    [229 << 55, 26 << 57],
];

/// A lower bound of `1 / sqrt(M)` in units of `2^-64`, for `m = 2^62 M`,
/// `1 <= M < 4`; `odd` tells whether `M >= 2`. With `w` the bound, the error
/// `e = 1 - M w^2` is below `2^-58`.
///
/// The line has `|e| < 1/21` on either interval. A Newton step `w (3 - M w^2)
/// / 2` turns `e` into `e^2 (3 + e) / 4`. Here it is computed from below:
/// `M w^2` is truncated twice and thus at most two units of `2^-62` too small,
/// which are subtracted; with the truncation of the last product `w` loses at
/// most `1.5 * 2^-62`, and `e` gains at most `2 sqrt(M)` times that, less than
/// `2^-59`. So `e` stays positive, which keeps `w < 1`, one word. The errors
/// are below 2^-4.3, 2^-9.1, 2^-18.6, 2^-37.6 and at last 2^-58.
#[inline(always)]
fn reciprocal<W: Word>(m: u64, odd: u64) -> u64 {
    let odd = odd.wrapping_neg();
    let [u, v] = [0, 1].map(|i| START[0][i] ^ ((START[0][i] ^ START[1][i]) & odd));
    let mut w = (u - W::mul_wide(m, v).0) << 1;
    for _ in 0..4 {
        let product = W::mul_wide(m, W::mul_wide(w, w).0).0;
        let correction = ((3 << 62) - 2) - product;
        w = W::mul_wide(w, correction).0 << 1;
    }
    w
}

/// The square root of `a`, zero or positive.
///
/// Let `a = 4^k M` with `1 <= M < 4`. Then `M w` is a lower bound of
/// `sqrt(M) < 2` with an error below `2 * 2^-58`, so that in units of `2^-54`,
/// rounded down, it is the rounded-down root or one less. The exact remainder
/// tells which, and is the sticky bit.
#[inline(always)]
pub(super) fn sqrt<W: Word>(a: u64) -> u64 {
    let e = exponent(a);
    // The unbiased exponent e - 1023 is odd iff e is even.
    let odd = (e & 1) ^ 1;
    let m = significand(a);
    let m = m + (m & odd.wrapping_neg());
    let q = W::mul_wide(m << 10, reciprocal::<W>(m << 10, odd)).0 >> 8;
    // M - q^2 in units of 2^-108. It is in 0 ..= 4 q + 3 < 2^58, so that the low
    // word is all of it.
    let r = (m << 56).wrapping_sub(q.wrapping_mul(q));
    let step = (q << 1) + 1;
    let fits = !sign_mask(r.wrapping_sub(step));
    let q = q + (fits & 1);
    let r = r.wrapping_sub(step & fits);

    // 2^54 <= q < 2^55.
    let magnitude = round((e + 1023 - odd) / 2 - 1, (q << 8) | u64::from(r != 0));
    (magnitude & nonzero_mask(e)) | (a & SIGN)
}
