//! Constant-time binary64 on the bits of an `f64`. It uses no floating-point instruction, and no
//! branch, table or division depends on an operand.
//!
//! # Contract
//!
//! An operand is a zero of either sign or a normal number with `2^-960 <= |x| < 2^960`. An
//! operation returns the result of IEEE 754 for rounding to nearest, ties to even, if that result
//! is an exact zero or has a magnitude in `2^-1020 .. 2^1020`. The sign of a zero is right too.
//! Sums are always in this range, since a nonzero sum is a multiple of the last place `2^-1012` of
//! its operands. Falcon's products and quotients are also in this range. Signing stays within about
//! `2^-200 ..= 2^100`. Its smallest numbers are the squares of the imaginary parts of diagonals,
//! which are rounding noise: the smallest part of 118 keys was `2^-83`. The replayed reductions of
//! key generation stay within about `2^-620 ..= 2^620`: they use numbers of ten words of 31 bits,
//! their squares and their inverses.
//!
//! Infinities, NaNs, subnormal operands, a divisor of zero and the square root of a negative number
//! are not supported. For these, the functions return unspecified bits.
//!
//! # Notation
//!
//! `x = (-1)^s 2^(e - 1023) (m / 2^52)`, with `s` the sign bit, `e` the biased
//! exponent (0 for a zero, else `1 ..= 2046`) and `m` the significand with its
//! leading bit, `2^52 <= m < 2^53`. Inside the operations `z` is an unrounded
//! significand, normalised to `2^62 <= z < 2^63`, whose low bit is sticky: it
//! is set if the exact value is not `z`, so that rounding sees on which side
//! of a tie the exact value lies.

mod arith;
mod bits;
mod convert;
mod div;
mod sqrt;
#[cfg(test)]
mod tests;
mod word;

use bits::{SIGN, exponent, magnitude, with_sign};
use word::nonzero_bit;
pub(crate) use word::{Native, Word};
#[cfg(all(test, feature = "fndsa-provisional"))]
pub(crate) use word::{Word32, Word64};

/// `a + b`.
#[inline]
pub(crate) fn add(a: u64, b: u64) -> u64 {
    arith::add(Native::new(), a, b)
}

/// `a - b`.
#[inline]
pub(crate) fn sub(a: u64, b: u64) -> u64 {
    // By definition in IEEE 754, a - b = a + (-b), signed zeros included.
    arith::add(Native::new(), a, neg(b))
}

/// `(a + b, a - b)`.
#[inline]
pub(crate) fn add_sub(a: u64, b: u64) -> (u64, u64) {
    arith::add_sub(Native::new(), a, b)
}

/// `a * b`.
#[inline]
pub(crate) fn mul(a: u64, b: u64) -> u64 {
    arith::mul(Native::new(), a, b)
}

/// `a * b` for complex numbers, real part first.
#[inline]
pub(crate) fn complex_mul(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    arith::complex_mul(Native::new(), a, b)
}

/// `a / b`, for nonzero `b`.
#[inline]
pub(crate) fn div(a: u64, b: u64) -> u64 {
    div::div(Native::new(), a, b)
}

/// The square root of `a`, a zero of either sign or positive.
#[inline]
pub(crate) fn sqrt(a: u64) -> u64 {
    sqrt::sqrt(Native::new(), a)
}

/// `-a`.
#[inline]
pub(crate) fn neg(a: u64) -> u64 {
    a ^ SIGN
}

/// `a / 2`.
#[inline]
pub(crate) fn half(a: u64) -> u64 {
    // Lowers the exponent by one, or not at all for a zero.
    a.wrapping_sub(nonzero_bit(exponent(a)) << 52)
}

/// `x`, rounded to nearest, ties to even.
#[inline]
pub(crate) fn from_i64(x: i64) -> u64 {
    convert::from_i64(Native::new(), x)
}

/// The integer nearest to `a`, ties to even, for `|a| < 2^62`.
#[inline]
pub(crate) fn rint(a: u64) -> i64 {
    convert::rint(Native::new(), a)
}

/// The largest integer not above `a`, for `|a| < 2^62`.
#[inline]
pub(crate) fn floor(a: u64) -> i64 {
    convert::floor(Native::new(), a)
}

/// `a` rounded towards zero, for `|a| < 2^63`.
#[inline]
pub(crate) fn trunc(a: u64) -> i64 {
    convert::trunc(Native::new(), a)
}

/// All ones if `a < b`, else zero. The two zeros are equal.
#[inline]
pub(crate) fn lt_mask(a: u64, b: u64) -> u64 {
    // Converts sign and magnitude to two's complement integers, which are ordered like the numbers.
    // -0 becomes 0.
    let w = Native::new();
    let key = |x: u64| with_sign(w, magnitude(x), x);
    let (x, y) = (key(a), key(b));
    // The sign of x - y, corrected if the subtraction overflows.
    let d = x.wrapping_sub(y);
    w.mask(d ^ ((x ^ y) & (d ^ x)))
}
