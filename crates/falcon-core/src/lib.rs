//! Falcon signatures (round 3, v1.2), exact and portable.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod error;
pub mod hash;
pub mod params;

pub use error::DecodeError;
pub use params::{Falcon512, Falcon1024, Parameters};
