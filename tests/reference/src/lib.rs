//! Keys, signatures and centres of the sampler, compared with the reference's C code.
//!
//! If a centre is an integer but for rounding, a last bit decides which integer is below it. So
//! [`signatures`] signs in batches and observes how near to an integer every centre is. It hands a
//! signature to the C code, which takes a hundred times as long, only if a centre is near.
//! [`centres`] compares the bits of all centres of fewer signatures, so it finds differences that
//! change no signature. [`keys`] compares keys, and [`fn_dsa`] signatures of FN-DSA.

// Before the modules that use its macro.
#[macro_use]
mod degree;

pub mod c;
pub mod centres;
pub mod fn_dsa;
pub mod keys;
pub mod numbering;
pub mod progress;
pub mod signatures;
pub mod walk;
pub mod watch;

pub use degree::Degree;
