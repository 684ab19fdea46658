//! Compares keys, signatures and centres of the sampler with the reference's C code.
//!
//! If a centre is an integer in exact arithmetic, its last bit decides which integer is below it.
//! So [`signatures`] signs in batches and observes the distance of every centre to an integer. It
//! signs a message again with the C code only if a centre is near an integer, since the C code
//! takes a hundred times longer. [`centres`] compares the bits of all centres of fewer signatures,
//! so it also finds differences that change no signature. [`keys`] compares keys, and [`fn_dsa`]
//! signatures of FN-DSA.

// Comes before the modules that use its macro.
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
