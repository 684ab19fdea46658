//! Known-answer tests of Falcon round 3: computes the output of the two published test drivers for
//! a given implementation, and finds the first difference between a file and an implementation.
//!
//! - [`Drbg`]: the AES-256-CTR generator of NIST's test driver.
//! - [`Surf`]: the toy generator of PQClean's `testvectors` driver.
//! - [`Again`]: a generator that repeats itself.
//! - [`rsp`]: NIST `.rsp` files, read and written as streams.
//! - [`replay`]: regenerates records from their seeds and compares them.
//! - [`testvectors`]: the output of PQClean's `testvectors` driver.
//! - [`last_bit`]: signatures of the reference that depend on a last bit of the LDL tree.
//!
//! The implementation under test is a [`Subject`]: `EngineSubject` for the
//! engines of `falcon_core` (feature `falcon`), or any other.
//!
//! ```
//! use falcon_kat::{replay::nist_inputs, rsp::hex_upper};
//!
//! let first = nist_inputs().next().unwrap();
//! assert_eq!(first.message.len(), 33);
//! assert_eq!(hex_upper(&first.seed[..4]), "06155023");
//! ```
//!
//! Nothing here is for production: the generators are predictable on purpose, and secret keys are
//! test data that is printed.
#![forbid(unsafe_code)]

mod again;
mod algorithm;
mod drbg;
#[cfg(feature = "falcon")]
mod engine;
pub mod last_bit;
pub mod replay;
pub mod rsp;
mod subject;
mod surf;
pub mod testvectors;

pub use again::Again;
pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use drbg::Drbg;
#[cfg(feature = "falcon")]
pub use engine::{EngineSubject, KeyForm, RawSigner};
pub use subject::{KeyPair, Subject, SubjectError};
pub use surf::Surf;
