// The examples of the README need this feature.
#![cfg_attr(feature = "alloc", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(feature = "alloc"),
    doc = "Classic McEliece, a code-based KEM whose security is in question. Build the documentation with all features to see the whole page."
)]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

// Comes before the modules that use its macros.
#[macro_use]
mod engine;
#[macro_use]
mod params;

mod align;
mod berlekamp_massey;
mod bits;
mod ciphertexts;
mod code;
mod decapsulate;
mod decode;
mod encapsulate;
mod encode;
mod error;
mod fft;
mod field;
mod hash;
#[cfg(feature = "kem")]
pub mod kem;
mod keygen;
mod keys;
mod layout;
mod mask;
mod matrix;
mod minimal;
mod operations;
mod permutation;
mod reveal;
mod ring;
mod scratch;
mod sort;
mod stack;
mod stream;
mod support;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod weight;

pub use ciphertexts::{Ciphertext, SHARED_SECRET_LEN, SharedSecret};
pub use error::{DecodeError, MemoryError};
#[cfg(feature = "alloc")]
pub use keys::KeyPair;
pub use keys::{PublicBytes, PublicKey, SecretBytes, SecretKey};
pub use params::{
    ByteArray, Mceliece348864, Mceliece348864f, Mceliece460896, Mceliece460896f, Mceliece460896pc,
    Mceliece460896pcf, Mceliece6688128, Mceliece6688128f, Mceliece6688128pc, Mceliece6688128pcf,
    Mceliece6960119, Mceliece6960119f, Mceliece6960119pc, Mceliece6960119pcf, Mceliece8192128,
    Mceliece8192128f, Mceliece8192128pc, Mceliece8192128pcf, Parameters,
};
/// The crate `rand_core`, whose traits the random generators implement.
pub use rand_core;
pub use scratch::KeygenScratch;
pub use stream::EncapsulateStream;

/// Choice of the engine, for programs that measure or compare engines. Semantic versioning does not
/// cover this module.
#[doc(hidden)]
pub mod engines {
    pub use crate::engine::{choose, names};
}

/// Interface of the constant-time check.
#[cfg(all(falcon_ct, not(target_os = "none")))]
#[doc(hidden)]
pub mod seams {
    pub use crate::reveal::on_reveal;
}
