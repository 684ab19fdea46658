//! The adder, with one aligning shifter, one sum, and one normalising shifter.

use super::format::{Operand, round_and_pack, shift_right_sticky, special};
use super::{Subnormals, negate};

/// Returns `a + b`.
#[inline]
pub fn add(s: Subnormals, a: u64, b: u64) -> u64 {
    let (a, b) = (Operand::unpack(s, a), Operand::unpack(s, b));
    if a.is_special() || b.is_special() {
        return add_special(&a, &b);
    }
    let (x, y) = if a.magnitude >= b.magnitude {
        (a, b)
    } else {
        (b, a)
    };
    let opposite = x.sign != y.sign;
    let sum = sum(&x, &y, opposite);
    if sum == 0 {
        // The operands are zeros, or their exact difference is +0.
        return if opposite { 0 } else { x.sign };
    }
    let (e, z) = normalise(x.exponent, sum);
    round_and_pack(s, x.sign, e, z)
}

/// Returns `a - b`: by definition `a + (-b)`, including the signs of zeros.
#[inline]
pub fn subtract(s: Subnormals, a: u64, b: u64) -> u64 {
    add(s, a, negate(b))
}

/// Returns `a + b`, if at least one operand is infinite or NaN.
#[inline(always)]
fn add_special(a: &Operand, b: &Operand) -> u64 {
    let conflict = a.is_special() && b.is_special() && a.sign != b.sign;
    if a.is_nan() || b.is_nan() || conflict {
        return special(None);
    }
    special(Some(if a.is_special() { a.sign } else { b.sign }))
}

/// Returns `|x| + |y|`, or `|x| - |y|` if the signs are `opposite`, for `|x| >= |y|`. The result is
/// below `2^57`, in units of an eighth of the last place of `x`.
///
/// *Three bits are enough.* If `y` is shifted by at most three places, nothing is lost. Otherwise
/// `|y|` is below an eighth of `|x|`. If `x` is normal, the sum is then at least
/// `2^55 - 2^52 > 2^54`. The lowest of its bits below the last place of the result is the sticky
/// bit. Whenever a bit was lost, there are at least two bits below that place: at `2^54` the last
/// place of the result is bit 2, and the guard bit and the sticky bit are below it. A subnormal `x`
/// has the exponent of `y`, and nothing is shifted.
#[inline(always)]
fn sum(x: &Operand, y: &Operand, opposite: bool) -> u64 {
    let places = (x.exponent - y.exponent) as u32; // 0 ..= 2045
    let aligned = shift_right_sticky(y.significand << 3, places);
    let larger = x.significand << 3;
    if opposite {
        larger - aligned
    } else {
        larger + aligned
    }
}

/// Returns the exponent and the significand that [`round_and_pack`] takes for the value
/// `2^(e - 1023) sum / 2^55`, where `0 < sum < 2^57`.
///
/// A shift by `up`, in `0 ..= 56`, moves the leading bit to bit 56. `up` is 0 if the sum carried,
/// and 1 if the exponent stays.
#[inline(always)]
fn normalise(e: i32, sum: u64) -> (i32, u64) {
    let up = sum.leading_zeros() as i32 - 7;
    (e + 1 - up, shift_right_sticky(sum << up, 2))
}
