//! IEEE-754 binary64 on integers.
//!
//! All engines store values as `f64`. They differ in the instructions that compute with these
//! values. [`soft`] uses integer instructions only, for chips without a binary64 unit. It gives the
//! same bits as a unit that rounds to nearest, ties to even.

pub(crate) mod soft;
