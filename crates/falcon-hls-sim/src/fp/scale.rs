//! The scaler: an adder of exponents.

use super::Subnormals;
use super::format::{Operand, round_and_pack, special};

/// Returns `a * 2^by`, without a multiplier. The result is exact if it is a normal number.
#[inline]
pub fn scale(s: Subnormals, a: u64, by: i32) -> u64 {
    let a = Operand::unpack(s, a);
    if a.is_special() {
        return special((!a.is_nan()).then_some(a.sign));
    }
    if a.is_zero() {
        return a.sign;
    }
    let (e, m) = a.normalised();
    // A scale beyond ±2200 always gives zero or infinity.
    round_and_pack(s, a.sign, e + by.clamp(-2200, 2200), m << 2)
}
