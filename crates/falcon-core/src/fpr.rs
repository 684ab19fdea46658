//! IEEE-754 binary64 on integers.
//!
//! Values are `f64` in memory on all engines. Engines differ in the instructions that compute them.
//! [`soft`] uses integer instructions only, for chips without a binary64 unit. It gives the same
//! bits as a unit that rounds to nearest, ties to even.

pub(crate) mod soft;
