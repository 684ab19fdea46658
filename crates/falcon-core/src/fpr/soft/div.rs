//! Division.

use super::word::Word;
use super::{SIGN, exponent, nonzero_mask, round_either, significand};

/// `a / b`, for nonzero `b`.
#[inline(always)]
pub(super) fn div<W: Word>(a: u64, b: u64) -> u64 {
    let (x, y) = (significand(a), significand(b));
    // Long division, one bit of floor(2^55 x / y) at a time, r < 2 y.
    let (mut q, mut r) = (0u64, x);
    for _ in 0..56 {
        let fits = super::sign_mask(r.wrapping_sub(y)) ^ u64::MAX;
        q = (q << 1) | (fits & 1);
        r = (r - (y & fits)) << 1;
    }
    // 2^54 < q < 2^56.
    let e = (exponent(a) + 1022).wrapping_sub(exponent(b));
    let magnitude = round_either(e, (q << 7) | u64::from(r != 0));
    (magnitude & nonzero_mask(exponent(a))) | ((a ^ b) & SIGN)
}
