//! Keccak-f[1600] and SHAKE256, of one message or of many side by side.
//!
//! The permutation is written once, over the words of an
//! [instruction set](falcon_lanes::Isa): single words, or as many states as a
//! register has lanes.
//!
//! ```
//! use falcon_keccak::Shake256;
//!
//! let mut hash = Shake256::new();
//! hash.update(b"order ").update(b"#42");
//! let mut digest = [0; 32];
//! hash.finalize().read(&mut digest);
//! assert_eq!(digest, Shake256::reader(b"order #42").read_array());
//! ```
//!
//! Source: FIPS 202.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod keccak;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", test))]
mod lazy;
mod shake;
mod side_by_side;

pub use shake::{Blocks, RATE, RATE_WORDS, Shake256, Shake256Reader};
pub use side_by_side::{Message, hash_side_by_side};
