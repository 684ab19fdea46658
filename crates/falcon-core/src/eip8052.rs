//! Hashing to points with Keccak-256, as in EIP-8052, a draft for Ethereum: **this module changes
//! with the draft.** It is not covered by semantic versioning.
//!
//! [`Keccak256HashToPoint`] replaces the hash of the scheme. Keys, signatures and the rest of
//! signing and verification stay those of Falcon, round 3. The draft is about Falcon-512 alone, and
//! its messages are hashes of 32 bytes. Here a message has any length.
//!
//! ```
//! # #[cfg(feature = "alloc")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use falcon_core::eip8052::Keccak256HashToPoint;
//! use falcon_core::hazmat::{HashToPoint, sign_with_hash, verify_point, verify_with_hash};
//! use falcon_core::{Falcon512, Scratch, SigningKey};
//!
//! # let fresh = [1; 32];
//! let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
//! let message = [0x42; 32]; // a hash
//! let mut reals = [0.0; Scratch::<Falcon512>::LEN];
//! let mut scratch = Scratch::new(&mut reals)?;
//! // `fresh` is 32 random bytes, never used for another signature.
//! let signature = sign_with_hash(&key, &fresh, &Keccak256HashToPoint, &message, &mut scratch)?;
//! let public_key = key.verifying_key();
//! verify_with_hash(public_key, &Keccak256HashToPoint, &message, &signature)?;
//!
//! // The same in the two steps of the draft: the challenge, then the core algorithm.
//! let mut challenge = [0; 512];
//! Keccak256HashToPoint.hash_to_point(signature.nonce(), &message, &mut challenge);
//! verify_point(public_key, &challenge, &signature)?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "alloc"))]
//! # fn main() {}
//! ```
//!
//! # The hash
//!
//! 1. `state` is Keccak-256 of nonce and message: 32 bytes.
//! 2. The stream is Keccak-256 of `state` and 0, then of `state` and 1, and so on. The counter is
//!    written as 8 bytes, big-endian.
//! 3. The stream is read as 16-bit big-endian words. Words below `5q` are reduced modulo `q`; the
//!    others are skipped.
//!
//! The draft leaves the width and the byte order of the counter open. Its pseudocode starts the
//! counter anew whenever a word is read, so it would read the same word for ever. This module takes
//! both from the draft's reference, which reads one continuous stream.
//!
//! The point depends on 256 bits of state. A forger who has `2^k` signatures finds another message
//! with the point of one of them in about `2^(256 - k)` tries. The hash of the scheme has a larger
//! state.
//!
//! # Differences from the draft
//!
//! - The draft refuses a signature whose squared norm is 34,034,726. The Falcon specification
//!   (algorithm 16) accepts it, and so does this crate. About one signature in `10^11` has this
//!   norm. An owner of a key can make one on purpose. The draft's contract refuses it too
//!   (src/ZKNOX_falcon_core.sol in ZKNoxHQ/ETHFALCON at 1472748e). Nodes that must agree need one
//!   rule. This crate has only the rule of the specification and claims no conformance with the
//!   draft.
//! - The draft passes the key in the NTT domain and the challenge as 14-bit fields. This crate
//!   reads keys in the encoding of the specification. Challenges are slices of `u16`.
//! - Signatures are those of the specification, with a header byte. The draft names nonce and `s2`
//!   alone as the content of its 666 bytes.
//!
//! Sources: EIPS/eip-8052.md in ethereum/EIPs at 03b6beb9; pythonref/keccak_prng.py in
//! ZKNoxHQ/ETHFALCON at 03ed0d60.

use crate::hash::{self, Keccak256, LIMIT};
use crate::hash_to_point::{HashToPoint, PointHasher};
use crate::params::{NONCE_LEN, Q};

/// The hash with Keccak-256: see the [module](self).
///
/// Sign and verify with it through [`sign_with_hash`](crate::hazmat::sign_with_hash) and
/// [`verify_with_hash`](crate::hazmat::verify_with_hash).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keccak256HashToPoint;

/// The state of [`Keccak256HashToPoint`].
#[derive(Clone)]
pub struct Keccak256PointHasher(Keccak256);

impl HashToPoint for Keccak256HashToPoint {
    type Hasher = Keccak256PointHasher;

    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> Keccak256PointHasher {
        let mut hash = hash::keccak256();
        hash.update(nonce);
        Keccak256PointHasher(hash)
    }
}

impl PointHasher for Keccak256PointHasher {
    fn update(&mut self, chunk: &[u8]) {
        self.0.update(chunk);
    }

    /// Fills `point`. The point is as public as the signature, so the time may depend on it.
    fn finish(self, point: &mut [u16]) {
        let mut state = hash::keccak256();
        state.update(&self.0.finalize());
        let blocks = (0..).map(|counter: u64| {
            let mut block = state.clone();
            block.update(&counter.to_be_bytes());
            block.finalize()
        });
        let words = blocks.flat_map(|block| {
            let mut words = [0; 16];
            for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
                *word = u16::from_be_bytes(*bytes);
            }
            words
        });
        for (out, word) in point.iter_mut().zip(words.filter(|&word| word < LIMIT)) {
            *out = word % Q as u16;
        }
    }
}
