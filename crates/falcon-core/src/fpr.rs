//! IEEE-754 binary64 on integers.
//!
//! Values are `f64` in memory everywhere in this crate; what changes between
//! engines is who computes. [`soft`] computes with integer instructions alone,
//! for chips without a binary64 unit, and gives the same bits as a unit that
//! rounds to nearest, ties to even.

pub(crate) mod soft;
