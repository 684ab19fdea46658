//! Binary64 as the floating-point cores of an FPGA compute it.
//!
//! A number is given by its 64 bits, and all arithmetic is on integers. So the results do not
//! depend on the processor that runs the simulation. Every unit rounds to nearest, ties to even. It
//! has the stages of the circuits in `rtl/`: unpack, compute, normalise, round, pack.
//!
//! ```
//! use falcon_hls_sim::fp::{self, Subnormals};
//!
//! let (x, y) = (1.5f64, -0.1f64);
//! let product = fp::multiply(Subnormals::Flush, x.to_bits(), y.to_bits());
//! assert_eq!(f64::from_bits(product), x * y);
//!
//! let tiny = 1u64; // 2^-1074
//! let one = 1f64.to_bits();
//! assert_eq!(fp::multiply(Subnormals::Flush, tiny, one), 0);
//! assert_eq!(fp::multiply(Subnormals::Keep, tiny, one), tiny);
//! ```
//!
//! # Numbers that are not normal
//!
//! | | [`Subnormals::Flush`] | [`Subnormals::Keep`] |
//! |---|---|---|
//! | subnormal operand | zero of its sign | its value |
//! | result below `2^-1022` | zero of its sign | rounded to a multiple of `2^-1074` |
//! | result from `2^1024` on | infinity | infinity |
//! | infinities, signs of zeros | IEEE 754 | IEEE 754 |
//! | NaN operand, invalid operation | [`NAN`] | [`NAN`] |
//!
//! The bounds `2^-1022` and `2^1024` are compared *after rounding* to 53 bits as if the exponent
//! had no bounds: a product `2^-1022 (1 - 2^-54)` gives `2^-1022`, not zero. There are no flags and
//! no traps.
//!
//! Falcon's numbers never come near these bounds, so both modes give the bits of any other binary64
//! unit.

mod add;
mod format;
mod multiply;
mod scale;

pub use add::{add, subtract};
pub use format::{NAN, Subnormals};
pub use multiply::multiply;
pub use scale::scale;

/// Returns `-a`. Only the sign bit changes, even if `a` is a NaN.
#[inline]
pub fn negate(a: u64) -> u64 {
    a ^ format::SIGN
}
