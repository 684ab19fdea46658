//! Falcon signatures (round 3, v1.2), exact and portable.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

#[doc(hidden)]
pub mod codec;
mod error;
pub mod ffsampling;
pub mod fft;
pub mod hash;
pub mod lanes;
mod modq;
pub mod ntt;
pub mod params;
pub mod prng;
#[doc(hidden)]
pub mod ring;
pub mod sampler;
mod signing;
pub mod tree;

pub use error::DecodeError;
pub use params::{Falcon512, Falcon1024, Parameters};
