//! Other implementations, called the way that serves them best.

pub mod fn_dsa;
pub mod pqclean;
