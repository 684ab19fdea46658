//! Other implementations, each called in its fastest way.

pub mod fn_dsa;
pub mod pqclean;
