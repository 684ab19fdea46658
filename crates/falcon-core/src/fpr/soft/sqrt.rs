//! Square root.

use super::word::Word;
use super::{LEADING, SIGN, exponent, nonzero_mask, round, sign_mask, significand};

/// The square root of `a`, zero or positive.
///
/// With `a = 4^k M` and `1 <= M < 4`, let `Q` be the root of `M` rounded down
/// to `i` places below the point, and `R = 2^i (M - Q^2)`. The next bit is one
/// iff `(Q + 2^-(i+1))^2 <= M`, that is `2 Q + 2^-(i+1) <= 2 R`. All values are
/// kept with 54 places, where they are integers; `R < 2 Q + 1 < 8`.
#[inline(always)]
pub(super) fn sqrt<W: Word>(a: u64) -> u64 {
    let e = exponent(a);
    // The unbiased exponent e - 1023 is odd iff e is even.
    let odd = (e & 1) ^ 1;
    let m = (significand(a) << 2) << odd;
    let one = LEADING << 2;
    let (mut q, mut r, mut bit) = (one, m - one, one >> 1);
    for _ in 0..54 {
        r <<= 1;
        let t = (q << 1) + bit;
        let fits = sign_mask(r.wrapping_sub(t)) ^ u64::MAX;
        r -= t & fits;
        q += bit & fits;
        bit >>= 1;
    }
    let magnitude = round((e + 1023 - odd) / 2 - 1, (q << 8) | u64::from(r != 0));
    (magnitude & nonzero_mask(e)) | (a & SIGN)
}
