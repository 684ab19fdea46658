#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(feature = "alloc")]
pub mod batch;
mod codec;
mod error;
mod expand;
pub mod ffsampling;
pub mod fft;
mod fpr;
pub mod hash;
pub mod hazmat;
pub mod hedge;
#[cfg(test)]
mod kernel_tables;
mod keys;
pub mod lanes;
mod modq;
mod norm;
mod ntru;
pub mod ntt;
pub mod params;
#[cfg(feature = "pkcs8")]
pub mod pkcs8;
pub mod prng;
mod ring;
pub mod sampler;
#[cfg(feature = "serde")]
mod serde;
mod sign;
mod signature;
mod signing;
pub mod tree;
mod verify;

pub use error::{DecodeError, EncodeError, ScratchTooSmall, SignatureError};
pub use expand::{DefaultStorage, ExpandedKey, Storage};
pub use keys::{KeygenScratch, SigningKey};
pub use params::{Falcon512, Falcon1024, Parameters};
pub use sign::{Scratch, SignStream};
pub use signature::{Format, Signature, SignatureBytes};
pub use verify::{MessageHasher, VerifyingKey};
