//! Addition and multiplication: where a signer spends its time.

use super::word::Word;
use super::{SIGN, both_nonzero_mask, exponent, round, round_either, sign_mask, significand};

/// `a + b`.
///
/// Let `x` be the operand of larger magnitude and `y` the other one. Their
/// significands are put at `2^61 ..= 2^62`, so that nine bits below the last
/// place take part, `y` is shifted to the scale of `x` with a sticky bit, and
/// the sum, below `2^63`, is normalised and rounded once.
///
/// *The sticky bit decides correctly.* If `y` is shifted by at most nine
/// places, the sum is exact. Otherwise the sum is at least `2^60`, is
/// normalised by at most two places up, and keeps at least seven bits below
/// the last place, where the sticky bit is the lowest. If `y` is shifted by 64
/// or more, it is replaced by zero: `|y| < 2^-63 |x|` is less than a quarter
/// of a last place below `x` and the sum rounds to `x` anyway. A zero `y`
/// falls under this, as its exponent field is 0 and that of a nonzero `x` at
/// least 523.
///
/// *The sign.* The result has the sign of `x`, except that an exact
/// cancellation gives +0. So on equal magnitudes `x` is chosen as the positive
/// operand if there is one; then `x - x = +0`, `0 + -0 = +0` and `-0 + -0 = -0`
/// come out by themselves.
#[inline(always)]
pub(super) fn add<W: Word>(a: u64, b: u64) -> u64 {
    // Negative iff |a| < |b|, or |a| = |b| and a is negative. Magnitudes are
    // below 2^63, so that nothing overflows.
    let order = (a & !SIGN).wrapping_sub(b & !SIGN).wrapping_sub(a >> 63);
    let swap = (a ^ b) & sign_mask(order);
    let (x, y) = (a ^ swap, b ^ swap);

    let e = exponent(x);
    let distance = e - exponent(y);
    let near = sign_mask(distance.wrapping_sub(64));
    let aligned = W::shr_sticky(significand(y) << 9, distance) & near;
    let negate = sign_mask(x ^ y);
    let sum = (significand(x) << 9).wrapping_add((aligned ^ negate).wrapping_sub(negate));

    // 0 <= sum < 2^63.
    let up = W::leading_zeros(sum).wrapping_sub(1);
    let magnitude = round(e.wrapping_sub(up), W::shl(sum, up));
    // Zero: an exact cancellation, or two zeros.
    let nonzero = both_nonzero_mask(sum, e);
    (magnitude & nonzero) | (x & SIGN)
}

/// `a * b`.
///
/// The significands are scaled so that the high word of their product is in
/// `2^61 .. 2^63`; the low word only matters for being zero or not. A product
/// with a zero is a zero, and the sign is always the product of the signs.
#[inline(always)]
pub(super) fn mul<W: Word>(a: u64, b: u64) -> u64 {
    let (hi, lo) = W::mul_wide(significand(a) << 11, significand(b) << 10);
    let (ea, eb) = (exponent(a), exponent(b));
    let e = (ea + eb).wrapping_sub(1023);
    let magnitude = round_either(e, hi | u64::from(lo != 0));
    let nonzero = both_nonzero_mask(ea, eb);
    (magnitude & nonzero) | ((a ^ b) & SIGN)
}
