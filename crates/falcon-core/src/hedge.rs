//! Randomness of a signer: hedged, or given by the caller.
//!
//! Two signatures of one hashed point from different sampler randomness leak
//! the key; so does the same sampler randomness for two points. Hedging binds
//! both to everything they must depend on: the nonce of job `i` is
//! `SHAKE256("falcon nonce" || seed || i || secret)` and its sampler reads
//! `SHAKE256("falcon sampler" || seed || i || secret || c)`, where `secret` is
//! a hash of the secret key and `c` the hashed point. Fresh seeds give fresh
//! nonces; a seed that repeats gives, for the same message, the same signature
//! and, for another message, unrelated sampler randomness, because the point
//! differs. The message itself is read only once.

use crate::hash::{Shake256, Shake256Reader};
use crate::params::NONCE_LEN;
use core::fmt;

/// Bytes of the seed of a batch or of a signature.
pub const SEED_LEN: usize = 32;

/// Length of the hash of the secret key in bytes.
pub(crate) const SECRET_HASH_LEN: usize = 32;

/// Number of pieces in a hash input.
pub(crate) const PIECES: usize = 4;

/// Source of the randomness of one signature.
#[derive(Clone, Copy)]
pub(crate) enum Randomness<'a> {
    /// A fresh seed, bound to the secret key and to the hashed point.
    Hedged {
        /// The seed of the batch.
        seed: &'a [u8; SEED_LEN],
        /// Number of the job in the batch, little-endian.
        index: [u8; 8],
        /// Hash of the secret key.
        secret_hash: &'a [u8; SECRET_HASH_LEN],
    },
    /// The caller's bytes, as the reference's test driver gives them.
    Given {
        /// The nonce.
        nonce: &'a [u8; NONCE_LEN],
        /// The seed of the stream of sampler seeds.
        seed: &'a [u8],
    },
}

/// The source of a nonce.
pub(crate) enum NonceSource<'a> {
    /// The caller's nonce.
    Given(&'a [u8; NONCE_LEN]),
    /// The nonce is the first bytes of the hash of these pieces.
    Hash([&'a [u8]; PIECES]),
}

impl<'a> Randomness<'a> {
    /// Hedged randomness of job `index` of the batch of `seed`.
    pub(crate) fn hedged(
        seed: &'a [u8; SEED_LEN],
        index: u64,
        secret_hash: &'a [u8; SECRET_HASH_LEN],
    ) -> Self {
        Self::Hedged {
            seed,
            index: index.to_le_bytes(),
            secret_hash,
        }
    }

    /// Returns the source of the nonce that is hashed before the message.
    pub(crate) fn nonce_source(&self) -> NonceSource<'_> {
        match self {
            Self::Hedged {
                seed,
                index,
                secret_hash,
            } => NonceSource::Hash([b"falcon nonce", *seed, index, *secret_hash]),
            Self::Given { nonce, .. } => NonceSource::Given(nonce),
        }
    }

    /// Returns the pieces that start the stream of sampler seeds. If
    /// [`binds_point`](Self::binds_point), the point is hashed after them.
    pub(crate) fn stream_pieces(&self) -> [&[u8]; PIECES] {
        match self {
            Self::Hedged {
                seed,
                index,
                secret_hash,
            } => [b"falcon sampler", *seed, index, *secret_hash],
            Self::Given { seed, .. } => [*seed, &[], &[], &[]],
        }
    }

    /// True if the stream depends on the point.
    pub(crate) fn binds_point(&self) -> bool {
        matches!(self, Self::Hedged { .. })
    }

    /// Computes the nonce.
    pub(crate) fn nonce(&self) -> [u8; NONCE_LEN] {
        match self.nonce_source() {
            NonceSource::Given(nonce) => *nonce,
            NonceSource::Hash(pieces) => {
                let mut stream = Shake256Reader::empty();
                stream.start(|h| absorb(h, pieces));
                stream.read_array()
            }
        }
    }

    /// Restarts `stream` as the stream of sampler seeds for the point `c`.
    pub(crate) fn start_sampler_stream(&self, c: &[u16], stream: &mut Shake256Reader) {
        stream.start(|h| {
            absorb(h, self.stream_pieces());
            if self.binds_point() {
                for chunk in c.chunks(64) {
                    let mut bytes = [0; 128];
                    point_bytes(chunk, &mut bytes);
                    h.update(&bytes[..2 * chunk.len()]);
                }
            }
        });
    }
}

fn absorb(h: &mut Shake256, pieces: [&[u8]; PIECES]) {
    for piece in pieces {
        h.update(piece);
    }
}

/// The coefficients of a point as they are hashed: two bytes each,
/// little-endian.
pub(crate) fn point_bytes(c: &[u16], out: &mut [u8]) {
    for (bytes, c) in out.as_chunks_mut().0.iter_mut().zip(c) {
        *bytes = c.to_le_bytes();
    }
}

/// The caller's randomness for one signature. [`Fit`](crate::hazmat::Fit) shows it in
/// use.
#[derive(Clone, Copy)]
pub struct RawRandomness<'a> {
    /// The nonce.
    pub nonce: &'a [u8; NONCE_LEN],
    /// Seed of the stream of sampler seeds, of any length. The sampler seed of
    /// attempt `k` is the bytes `56k .. 56k + 56` of `SHAKE256(seed)`.
    pub seed: &'a [u8],
}

impl<'a> From<RawRandomness<'a>> for Randomness<'a> {
    fn from(RawRandomness { nonce, seed }: RawRandomness<'a>) -> Self {
        Self::Given { nonce, seed }
    }
}

/// Prints no seed.
impl fmt::Debug for RawRandomness<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawRandomness").finish_non_exhaustive()
    }
}
