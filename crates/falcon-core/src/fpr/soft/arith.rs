//! Addition and multiplication, in which a signer spends most of its time.

use super::bits::{SIGN, exponent, magnitude, round, round_either, top_significand};
use super::word::Word;

/// Bit 63 is set iff `|a| > |b|`, or `|a| = |b|` and `a` is positive.
#[inline(always)]
fn order(a: u64, b: u64) -> u64 {
    (a | SIGN) - magnitude(b) - (a >> 63)
}

/// The significands of `x` and of `y`, on the scale of `x`, for `|x| >= |y|`.
///
/// The significand of `x` is in `2^61 .. 2^62`, so nine bits below the last place take part. The
/// significand of `y` is shifted down to the same scale, with a sticky bit.
///
/// *The sticky bit decides correctly.* If `y` is shifted by at most nine places, sum and difference
/// are exact. Otherwise they are at least `2^60`, and normalising shifts them up by at most two
/// places. So they keep at least seven bits below the last place. The sticky bit is the lowest of
/// these bits.
///
/// If `y` would have to be shifted by 62 places or more, it is replaced by
/// zero: `|y| < 2^-61 |x|` is less than a quarter of a last place below `x`,
/// and sum and difference round to `x` anyway. A zero `y` falls under this if
/// `x` is not zero, since the exponent field of `x` then is at least 63.
#[inline(always)]
fn align<W: Word>(w: W, x: u64, y: u64) -> (u64, u64) {
    // The step from 2^63 .. 2^64 to the scale of x takes two places more.
    let down = ((x >> 52).wrapping_sub(y >> 52) & 0x7FF) + 2;
    let near = w.mask(down.wrapping_sub(64));
    let aligned = w.shr_sticky(top_significand(y), down) & near;
    (top_significand(x) >> 2, aligned)
}

/// Rounds as [`round`] does, for a sum `0 <= z < 2^63`. `e` is the exponent for `2^62 .. 2^63`.
/// Returns unspecified bits for `z = 0`.
///
/// A sum below `2^32` is exact: `x` and `y` differ by a factor of at most 4, so `y` was shifted
/// down by three places at most. So its eight low bits are zero, as [`Word::normalise`] needs.
#[inline(always)]
fn round_any<W: Word>(w: W, e: u64, z: u64) -> u64 {
    let (z, up) = w.normalise(z);
    round(e.wrapping_sub(up), z)
}

/// `a + b`.
///
/// Let `x` be the operand of larger magnitude and `y` the other one. The
/// result has the sign of `x`, except that an exact cancellation gives +0. So
/// on equal magnitudes `x` is chosen as the positive operand if there is one;
/// then `x - x = +0`, `0 + -0 = +0` and `-0 + -0 = -0` need no special case.
#[inline(always)]
pub(super) fn add<W: Word>(w: W, a: u64, b: u64) -> u64 {
    let keep = (a ^ b) & w.mask(order(a, b));
    let (x, y) = (b ^ keep, a ^ keep);

    let (larger, smaller) = align(w, x, y);
    let negate = w.mask(x ^ y);
    // The low bits of `larger` are zero. Setting bit 0 adds the one that turns the complement into
    // the negation.
    let sum = (larger | (x ^ y) >> 63).wrapping_add(smaller ^ negate);
    let e = exponent(x);
    let rounded = round_any(w, e, sum);
    // The result is zero after an exact cancellation (`sum` is 0), or for two zeros (`e` is 0).
    let nonzero = w.mask(sum.wrapping_neg() & e.wrapping_neg());
    (rounded & nonzero) | (x & SIGN)
}

/// `(a + b, a - b)`, in less time than both operations alone.
///
/// One of them has the magnitude `|x| + |y|`, the other `|x| - |y|`, where `x` is the operand of
/// larger magnitude. If `x` is `b`, the difference `a - b` has the sign of `-x`. If both operands
/// are zero, the zero `|x| + |y|` has this sign too. A zero `|x| - |y|` is always +0.
#[inline(always)]
pub(super) fn add_sub<W: Word>(w: W, a: u64, b: u64) -> (u64, u64) {
    let a_is_x = w.mask(order(a, b));
    let keep = (a ^ b) & a_is_x;
    let (x, y) = (b ^ keep, a ^ keep);

    let (larger, smaller) = align(w, x, y);
    let (outer, inner) = (larger + smaller, larger.wrapping_sub(smaller));
    let e = exponent(x);
    let outer_bits = round_either(w, e, outer) & w.mask(e.wrapping_neg());
    let inner_bits = round_any(w, e, inner);

    // The sum is the outer value `|x| + |y|` iff the signs are equal.
    let differ = w.mask(x ^ y);
    let turned = SIGN & !a_is_x;
    let outer_sign = (x & SIGN) ^ (turned & differ);
    let inner_sign = outer_sign ^ turned;
    let outer = outer_bits | outer_sign;
    let inner = (inner_bits | inner_sign) & w.mask(inner.wrapping_neg());
    let swap = (outer ^ inner) & differ;
    (outer ^ swap, inner ^ swap)
}

/// `a * b`.
///
/// The significands are scaled so that the high word of their product is in `2^61 .. 2^63`. The low
/// word, whose 21 low bits are zero, only sets the sticky bit. A product with a zero is a zero, and
/// the sign is always the product of the signs.
#[inline(always)]
pub(super) fn mul<W: Word>(w: W, a: u64, b: u64) -> u64 {
    let (hi, lo) = w.mul_wide(top_significand(a), top_significand(b) >> 1);
    let (ea, eb) = (exponent(a), exponent(b));
    let e = (ea + eb).wrapping_sub(1023);
    let rounded = round_either(w, e, hi | w.sticky(lo));
    let nonzero = w.mask(ea.wrapping_neg() & eb.wrapping_neg());
    (rounded & nonzero) | ((a ^ b) & SIGN)
}

/// `a * b` for complex numbers, real part first: four products, then one
/// difference and one sum, each rounded.
#[inline(always)]
pub(super) fn complex_mul<W: Word>(w: W, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    let product = |i: usize, j: usize| mul(w, a[i], b[j]);
    [
        add(w, product(0, 0), product(1, 1) ^ SIGN),
        add(w, product(0, 1), product(1, 0)),
    ]
}
