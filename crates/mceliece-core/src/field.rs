//! The field `GF(2^m)` for `m` = 12 and 13.
//!
//! `GF(2^12) = GF(2)[z]/(z^12 + z^3 + 1)` and `GF(2^13) = GF(2)[z]/(z^13 + z^4 + z^3 + z + 1)`. Bit
//! `i` of an element is the coefficient of `z^i`. The degree is a constant of the functions, `M`.
//!
//! Source: Classic McEliece submission of 2022-10-23, section 2 and parameter sets.

pub(crate) mod element;
pub(crate) mod planes;
