//! The multiplier: one product of 53-bit significands, one sum of exponents.

use super::Subnormals;
use super::format::{Operand, round_and_pack, special};

/// Returns `a * b`.
#[inline]
pub fn multiply(s: Subnormals, a: u64, b: u64) -> u64 {
    let (a, b) = (Operand::unpack(s, a), Operand::unpack(s, b));
    let sign = a.sign ^ b.sign;
    if a.is_special() || b.is_special() {
        let defined = !(a.is_nan() || b.is_nan() || a.is_zero() || b.is_zero());
        return special(defined.then_some(sign));
    }
    if a.is_zero() || b.is_zero() {
        return sign;
    }
    let (ea, ma) = a.normalised();
    let (eb, mb) = b.normalised();
    let (e, z) = normalise(ea + eb - 1023, u128::from(ma) * u128::from(mb));
    round_and_pack(s, sign, e, z)
}

/// Returns exponent and significand, for [`round_and_pack`], of `2^(e - 1023) product / 2^104`,
/// where `2^104 <= product < 2^106`.
///
/// The lowest 51 or 52 bits of the product become the sticky bit.
#[inline(always)]
fn normalise(e: i32, product: u128) -> (i32, u64) {
    let from_two = (product >> 105) as u32; // 1 if it is 2^105 or more
    let drop = 50 + from_two;
    let lost = product & ((1 << drop) - 1);
    let z = (product >> drop) as u64 | u64::from(lost != 0);
    (e + from_two as i32, z)
}
