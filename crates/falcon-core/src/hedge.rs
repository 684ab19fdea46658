//! Randomness of a signer: hedged, or given by the caller.
//!
//! Two signatures of one hashed point from different sampler randomness leak the key. So does the
//! same sampler randomness for two points. Hedging makes nonce and sampler randomness depend on all
//! inputs that matter: the nonce of job `i` is `SHAKE256("falcon nonce 2" || seed || i || secret)`
//! and its sampler reads `SHAKE256("falcon sampler" || seed || i || secret || digest)`, where
//! `secret` is a hash of the secret key and `digest` the first 40 coefficients of the hashed point
//! `c`. Fresh seeds give fresh nonces. A seed that repeats gives, for the same message, the same
//! signature and, for another message, unrelated sampler randomness, because the digests differ.
//! The message itself is read only once.
//!
//! # Why the digest needs only 40 coefficients
//!
//! [`Shake256HashToPoint`](crate::hazmat::Shake256HashToPoint) and
//! [`OtherNonce`](crate::hazmat::OtherNonce) reduce the first words below `5q` of
//! `SHAKE256(nonce || message)` modulo `q`. So the digest is a hash of `40 log2 q = 543` bits, and
//! to find two messages with one digest takes more than 2^256 hashes, as it does for SHAKE256
//! itself. They would leak the key only if the signer's seed also repeated. A point of 40
//! coefficients or fewer is its own digest. Other hashes to points must meet the condition of
//! [`HashToPoint`](crate::hazmat::HashToPoint).
//!
//! The five pieces have 166 bytes, which are two blocks of SHAKE256. With all coefficients, the
//! hash input would have 9 blocks for Falcon-512 and 16 for Falcon-1024.
//!
//! A fault that changes other coefficients of the point leaves the sampler's seed as it is.
//! SECURITY.md describes the consequences.
//!
//! # Changes
//!
//! A change of the sampler's randomness must change the label of the nonce, too. Otherwise a seed
//! that repeats in two versions gives two signatures of one point. The label ends in the number of
//! the version.

use crate::hash::{self, Shake256, Shake256Reader};
use crate::params::NONCE_LEN;
use crate::prng;
use crate::reveal::reveal;
use core::fmt;
use zeroize::Zeroizing;

/// Length in bytes of the seed of a batch or of a signature.
pub const SEED_LEN: usize = 32;

/// Length of the hash of the secret key in bytes.
pub(crate) const SECRET_HASH_LEN: usize = 32;

/// Number of pieces in the hash input of a nonce.
pub(crate) const NONCE_PIECES: usize = 4;

/// Number of pieces in the hash input of a stream of sampler seeds.
const STREAM_PIECES: usize = 5;

/// Number of coefficients of a point in its digest.
const DIGEST_COEFFICIENTS: usize = 40;

/// The first [`DIGEST_COEFFICIENTS`] coefficients of a point, two bytes each, little-endian. If the
/// point has fewer coefficients, zeros follow.
pub(crate) type PointDigest = [u8; 2 * DIGEST_COEFFICIENTS];

/// Returns the digest of the point `c`.
pub(crate) fn point_digest(c: &[u16]) -> PointDigest {
    let mut digest = [0; 2 * DIGEST_COEFFICIENTS];
    for (bytes, c) in digest.as_chunks_mut().0.iter_mut().zip(c) {
        *bytes = c.to_le_bytes();
    }
    digest
}

/// Source of the randomness of one signature.
#[derive(Clone, Copy)]
pub(crate) enum Randomness<'a> {
    /// A fresh seed, bound to the secret key and to the digest of the hashed point.
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
        /// Nonce of the signature.
        nonce: &'a [u8; NONCE_LEN],
        /// The seed of the stream of sampler seeds.
        seed: &'a [u8],
    },
}

/// Source of a nonce.
pub(crate) enum NonceSource<'a> {
    /// The caller's nonce.
    Given(&'a [u8; NONCE_LEN]),
    /// The nonce is the first bytes of the hash of these pieces.
    Hash([&'a [u8]; NONCE_PIECES]),
}

impl<'a> Randomness<'a> {
    /// Makes the hedged randomness of job `index` in the batch with the seed `seed`.
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
            } => NonceSource::Hash([b"falcon nonce 2", *seed, index, *secret_hash]),
            Self::Given { nonce, .. } => NonceSource::Given(nonce),
        }
    }

    /// Returns the pieces whose hash is the stream of sampler seeds for a point.
    pub(crate) fn stream_pieces<'s>(&'s self, point: &'s PointDigest) -> [&'s [u8]; STREAM_PIECES] {
        match self {
            Self::Hedged {
                seed,
                index,
                secret_hash,
            } => [b"falcon sampler", *seed, index, *secret_hash, point],
            Self::Given { seed, .. } => [*seed, &[], &[], &[], &[]],
        }
    }

    /// Computes the nonce.
    pub(crate) fn nonce(&self) -> [u8; NONCE_LEN] {
        match self.nonce_source() {
            NonceSource::Given(nonce) => *nonce,
            NonceSource::Hash(pieces) => {
                // The nonce is published with the signature.
                hash::with_stream(&pieces, |stream| reveal(stream.read_array()))
            }
        }
    }
}

/// Source of the sampler seeds of one signature: hedged seeds, or the caller's.
pub(crate) trait SamplerSeeds {
    /// Prepares the seeds for a signature of the point `c`. `stream` is working memory.
    fn begin(&mut self, c: &[u16], stream: &mut Shake256Reader);

    /// Writes the seed of the next attempt. Returns `None` if there is no further seed.
    fn next(&mut self, stream: &mut Shake256Reader, seed: &mut SamplerSeed) -> Option<()>;
}

/// The seed of one attempt, wiped when dropped.
pub(crate) type SamplerSeed = Zeroizing<[u8; prng::SAMPLER_SEED_LEN]>;

impl SamplerSeeds for Randomness<'_> {
    fn begin(&mut self, c: &[u16], stream: &mut Shake256Reader) {
        let digest = point_digest(c);
        stream.start(|h| absorb(h, self.stream_pieces(&digest)));
    }

    fn next(&mut self, stream: &mut Shake256Reader, seed: &mut SamplerSeed) -> Option<()> {
        stream.read(&mut **seed);
        Some(())
    }
}

/// The caller's seeds, which do not depend on the point.
pub(crate) struct GivenSeeds<F>(pub(crate) F);

impl<F: FnMut(&mut SamplerSeed) -> Option<()>> SamplerSeeds for GivenSeeds<F> {
    fn begin(&mut self, _: &[u16], _: &mut Shake256Reader) {}

    fn next(&mut self, _: &mut Shake256Reader, seed: &mut SamplerSeed) -> Option<()> {
        self.0(seed)
    }
}

fn absorb<const N: usize>(h: &mut Shake256, pieces: [&[u8]; N]) {
    for piece in pieces {
        h.update(piece);
    }
}

/// The caller's randomness for one signature. [`Fit`](crate::hazmat::Fit) has an example.
///
/// **Use it for one message and one [`Fit`](crate::hazmat::Fit) only**: see
/// [`sign_raw`](crate::hazmat::sign_raw).
#[derive(Clone, Copy)]
pub struct RawRandomness<'a> {
    /// Nonce of the signature: its first 40 bytes after the header.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(randomness: &mut Randomness<'_>, point: &[u16]) -> [u8; 56] {
        let mut stream = hash::empty_reader();
        randomness.begin(point, &mut stream);
        let mut seed = SamplerSeed::new([0; 56]);
        randomness.next(&mut stream, &mut seed).expect("no end");
        *seed
    }

    /// Changes each coefficient of the digest and every other input. Each change must change the
    /// seeds.
    #[test]
    fn a_repeated_seed_gives_other_sampler_seeds_for_another_point() {
        let (seed, secret_hash) = ([1; SEED_LEN], [2; SECRET_HASH_LEN]);
        let mut hedged = Randomness::hedged(&seed, 3, &secret_hash);
        let point = [7; 512];
        let expected = stream(&mut hedged, &point);
        assert_eq!(stream(&mut hedged, &point), expected);
        for i in 0..DIGEST_COEFFICIENTS {
            for difference in [1, 1 << 13] {
                let mut other = point;
                other[i] ^= difference;
                assert_ne!(stream(&mut hedged, &other), expected, "{i}");
            }
        }
        let mut other = Randomness::hedged(&[9; SEED_LEN], 3, &secret_hash);
        assert_ne!(stream(&mut other, &point), expected);
        let mut other = Randomness::hedged(&seed, 4, &secret_hash);
        assert_ne!(stream(&mut other, &point), expected);
        let mut other = Randomness::hedged(&seed, 3, &[9; SECRET_HASH_LEN]);
        assert_ne!(stream(&mut other, &point), expected);
    }

    /// Checks that two blocks of SHAKE256 hold the pieces and at least one byte of padding.
    #[test]
    fn the_pieces_of_a_stream_are_two_blocks() {
        let (seed, secret_hash) = ([1; SEED_LEN], [2; SECRET_HASH_LEN]);
        let hedged = Randomness::hedged(&seed, 3, &secret_hash);
        let digest = point_digest(&[7; 512]);
        let bytes: usize = hedged.stream_pieces(&digest).iter().map(|p| p.len()).sum();
        assert_eq!(bytes, 166);
        assert!(bytes < 2 * 8 * falcon_keccak::RATE_WORDS);
    }

    /// Checks degrees below 40, where zeros follow the coefficients.
    #[test]
    fn digests_of_small_points_are_padded() {
        assert_eq!(point_digest(&[0x0102; 2])[..6], [2, 1, 2, 1, 0, 0]);
    }
}
