// The examples on the front page need these features when they are tested.
#![cfg_attr(
    any(
        not(doctest),
        all(feature = "fndsa-provisional", feature = "pem", feature = "threads")
    ),
    doc = include_str!("../README.md")
)]
#![cfg_attr(
    all(
        doctest,
        not(all(feature = "fndsa-provisional", feature = "pem", feature = "threads"))
    ),
    doc = "Falcon (round 3) post-quantum signatures. The README is tested with all features."
)]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(test, feature = "threads"))]
extern crate std;

// This module must come before the modules that use its macros.
#[macro_use]
mod engine;

#[cfg(feature = "alloc")]
mod any;
#[cfg(feature = "alloc")]
pub mod batch;
#[cfg(feature = "alloc")]
mod by_name;
mod codec;
pub mod det1024;
#[cfg(feature = "eip8052")]
pub mod eip8052;
mod error;
mod expand;
mod ffsampling;
mod fft;
#[cfg(feature = "fndsa-provisional")]
pub mod fndsa_provisional;
mod fpr;
mod hash;
mod hash_to_point;
pub mod hazmat;
mod hedge;
#[cfg(test)]
mod kernel_tables;
mod keys;
mod lanes;
mod modq;
mod norm;
mod ntru;
mod ntt;
mod operations;
mod params;
#[cfg(feature = "pkcs8")]
pub mod pkcs8;
mod prng;
pub mod recovery;
mod reveal;
mod ring;
#[cfg(feature = "alloc")]
pub mod rows;
mod sampler;
mod scratch;
mod secret;
#[cfg(feature = "serde")]
mod serde;
mod sign;
mod signatures;
mod signing;
#[cfg(feature = "getrandom")]
mod system;
#[cfg(all(test, feature = "alloc"))]
mod tests;
mod tree;
mod twice;
mod verify;

#[cfg(feature = "alloc")]
pub use any::{
    AnySignStream, AnySignature, AnySigningKey, AnyVerifyingKey, ParameterSet, UnknownParameterSet,
};
#[cfg(feature = "threads")]
pub use batch::threads::{OnThreads, Threads};
#[cfg(feature = "alloc")]
pub use engine::{Engine, UnknownEngine};
pub use error::{DecodeError, EncodeError, FaultError, ScratchTooSmall, SignatureError};
pub use expand::{DefaultStorage, ExpandedKey, Storage};
pub use hedge::SEED_LEN;
pub use keys::{KeygenScratch, SigningKey};
pub use params::{Array, ByteArray, Falcon512, Falcon1024, NONCE_LEN, Parameters};
/// The crate `rand_core`, whose traits the random generators implement.
pub use rand_core;
pub use scratch::Scratch;
pub use sign::SignStream;
/// The crate `signature`, with traits such as `Verifier` and `RandomizedSigner`.
pub use signature;
pub use signatures::{Format, Signature, SignatureBytes};
#[cfg(feature = "getrandom")]
pub use system::SystemError;
pub use verify::{MessageHasher, VerifyingKey};

/// Building blocks of engines, circuits, benchmarks and tests. **Not covered by semantic
/// versioning**: they may change in every release.
#[doc(hidden)]
pub mod seams {
    macro_rules! seams {
        ($($(#[$doc:meta])* $module:ident,)*) => {
            $(
                $(#[$doc])*
                pub mod $module {
                    pub use crate::$module::*;
                }
            )*
        };
    }
    seams! {
        /// Fast Fourier sampling over the LDL tree.
        ffsampling,
        /// Polynomials over the complex numbers.
        fft,
        /// SHAKE256.
        hash,
        /// Hash of nonce and message to a point.
        hash_to_point,
        /// Arithmetic of one signature, and of many in the lanes of registers.
        lanes,
        /// Polynomials modulo `q`.
        ntt,
        /// Constants of the scheme.
        params,
        /// Random bytes for the sampler.
        prng,
        /// The sampler of integers at the leaves of the tree.
        sampler,
        /// The LDL tree.
        tree,
    }
    #[cfg(feature = "alloc")]
    pub use crate::batch::lanes::LaneEngine;
    #[cfg(feature = "alloc")]
    pub use crate::by_name::{
        TokenVisitor, decode_boxed_on, decode_verifying_key_on, expand_on, finish_on, visit,
    };
    #[cfg(all(falcon_ct, not(target_os = "none")))]
    pub use crate::reveal::{on_expect_secret, on_reveal};
}
