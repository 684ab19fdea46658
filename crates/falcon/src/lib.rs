//! Falcon signatures on the best engine that this machine has.
//!
//! Everything of [`falcon_core`] is here under the same names; [`Engine`] adds
//! the choice of the arithmetic. The choice changes speed and nothing else:
//! every engine gives the same bytes.
//!
//! ```
//! use falcon::{Falcon512, Signature, SigningKey, VerifyingKey};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//! let key = SigningKey::<Falcon512>::generate(&mut rng);
//! let public_key_bytes = key.verifying_key().to_bytes();
//! let signature = key.sign_with_rng(&mut rng, b"order #42").to_bytes();
//!
//! let public = VerifyingKey::<Falcon512>::try_from(&public_key_bytes[..])?;
//! public.verify(b"order #42", &Signature::try_from(&signature[..])?)?;
//! # Ok(())
//! # }
//! ```
//!
//! Many signatures with one call, on the engine of choice:
//!
//! ```
//! use falcon::batch::{BatchSign, SignJob};
//! use falcon::{Engine, Falcon512, Signature, SigningKey};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let fresh_seed = [1; 32];
//! let engine = Engine::choose()?;
//! let key = engine.expand(&SigningKey::<Falcon512>::from_seed(&[7; 32]));
//! let jobs = [b"one", b"two"].map(|message| SignJob { key: &key, message });
//! let mut out = [Signature::EMPTY; 2];
//! engine.sign_batch(&fresh_seed, &jobs, &mut out)?;
//! key.verifying_key().verify(b"two", &out[1])?;
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `threads`, `Threads` shares a batch among cores: the same
//! bytes again.
#![forbid(unsafe_code)]

mod engine;
#[cfg(feature = "threads")]
mod threads;

pub use engine::{ENGINE_VARIABLE, Engine, TokenVisitor, UnknownEngine};
pub use falcon_core::*;
#[cfg(feature = "threads")]
pub use threads::{OnThreads, Threads};
