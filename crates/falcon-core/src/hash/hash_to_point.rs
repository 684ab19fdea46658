//! From a nonce and a message to a polynomial modulo `q`.
//!
//! The value is public once the signature is, so the rejection loop may take
//! variable time.
//!
//! Source: Falcon specification v1.2, algorithm 3 (HashToPoint).

use crate::engine::{Best, Operations};
use crate::lanes::Isa;
use crate::params::{NONCE_LEN, Q};
use falcon_keccak::{Blocks, RATE_WORDS, Shake256};

/// A hash from `(nonce, message)` to `(Z/qZ)^n`.
///
/// The scheme's own is [`Shake256HashToPoint`]. A system that must compute the
/// point elsewhere (in a circuit, in a contract) brings another; signer and
/// verifier must agree on it, and it must be a random oracle for the security
/// proof to hold.
///
/// ```
/// use falcon_core::hazmat::{HashToPoint, PointHasher, Shake256HashToPoint};
///
/// let nonce = [7; 40];
/// let mut whole = [0; 512];
/// Shake256HashToPoint.hash_to_point(&nonce, b"order #42", &mut whole);
///
/// let mut hasher = Shake256HashToPoint.hasher(&nonce);
/// hasher.update(b"order ");
/// hasher.update(b"#42");
/// let mut pieces = [0; 512];
/// hasher.finish(&mut pieces);
/// assert_eq!(whole, pieces);
/// ```
pub trait HashToPoint {
    /// The state between the first byte and the last.
    type Hasher: PointHasher;

    /// Starts to hash a message under `nonce`.
    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> Self::Hasher;

    /// Hashes a message that is at hand.
    fn hash_to_point(&self, nonce: &[u8; NONCE_LEN], message: &[u8], point: &mut [u16]) {
        let mut hasher = self.hasher(nonce);
        hasher.update(message);
        hasher.finish(point);
    }
}

/// A [`HashToPoint`] that takes its message in pieces.
pub trait PointHasher {
    /// Absorbs the next piece of the message.
    fn update(&mut self, chunk: &[u8]);

    /// Fills `point`, whose length is the degree, with coefficients in `[0, q)`.
    fn finish(self, point: &mut [u16]);
}

/// SHAKE256 of nonce and message, read as 16-bit big-endian words, those below
/// `5q` taken modulo `q`, the others skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shake256HashToPoint;

/// The state of [`Shake256HashToPoint`].
#[derive(Clone)]
pub struct Shake256PointHasher(Shake256);

impl HashToPoint for Shake256HashToPoint {
    type Hasher = Shake256PointHasher;

    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> Shake256PointHasher {
        let mut hash = Shake256::new();
        hash.update(nonce);
        Shake256PointHasher(hash)
    }
}

impl PointHasher for Shake256PointHasher {
    fn update(&mut self, chunk: &[u8]) {
        self.0.update(chunk);
    }

    fn finish(self, point: &mut [u16]) {
        self.finish_on(Best::find(), point);
    }
}

impl Shake256PointHasher {
    /// [`finish`](PointHasher::finish) on `on`.
    pub(crate) fn finish_on(mut self, on: impl Operations, point: &mut [u16]) {
        on.fill_point(&mut self.0, point);
    }
}

/// Words in a block.
const WORDS: usize = 4 * RATE_WORDS;

/// Words in a block, and refused ones up to a multiple of those that [`Isa::keep_below`] takes.
const PADDED_WORDS: usize = WORDS.next_multiple_of(16);

/// The least multiple of `q` that is not used, `5q`.
const LIMIT: u16 = (5 * Q) as u16;

/// Fills `point` from the blocks of `reader`.
pub(crate) fn fill_point(isa: impl Isa, mut reader: Blocks<'_>, point: &mut [u16]) {
    let mut filler = PointFiller::new(point);
    while filler.take(isa, reader.next_block(isa)) {}
}

/// A point that is filled block by block.
pub(crate) struct PointFiller<'a> {
    rest: &'a mut [u16],
}

impl<'a> PointFiller<'a> {
    pub(crate) fn new(point: &'a mut [u16]) -> Self {
        Self { rest: point }
    }

    /// Takes what the next block of the stream gives; true if more is needed.
    ///
    /// All words are reduced (vector code), then those to be kept are moved
    /// together without a branch, since one word in sixteen is skipped and no
    /// predictor can tell which.
    #[inline(always)]
    pub(crate) fn take(&mut self, isa: impl Isa, block: &[u64; RATE_WORDS]) -> bool {
        isa.vectorize(
            #[inline(always)]
            || self.take_words(isa, block),
        );
        !self.rest.is_empty()
    }

    #[inline(always)]
    fn take_words(&mut self, isa: impl Isa, block: &[u64; RATE_WORDS]) {
        let mut words = [u16::MAX; PADDED_WORDS];
        for (four, word) in words.as_chunks_mut::<4>().0.iter_mut().zip(block) {
            *four = [0, 16, 32, 48].map(|shift| (word >> shift) as u16);
        }
        let mut residues = [0; PADDED_WORDS];
        for (r, w) in residues.iter_mut().zip(&mut words) {
            // From here on the other byte order is the stream's.
            *w = w.swap_bytes();
            *r = reduce(*w);
        }
        let (words, residues) = (words.as_chunks().0, residues.as_chunks().0);
        let mut rest = core::mem::take(&mut self.rest);
        for (words, residues) in words.iter().zip(residues) {
            let count = if let Some(out) = rest.first_chunk_mut() {
                isa.keep_below(LIMIT, words, residues, out)
            } else {
                let mut kept = [0; 16];
                let count = isa.keep_below(LIMIT, words, residues, &mut kept);
                for (out, &kept) in rest.iter_mut().zip(kept.iter().take(count)) {
                    *out = kept;
                }
                count
            };
            let len = rest.len();
            rest = rest.split_at_mut(count.min(len)).1;
        }
        self.rest = rest;
    }
}

/// `w mod q` for `w < 5q`: the smaller of `x` and `x - m` modulo `2^16` is
/// `x - m` exactly if `x >= m`.
#[inline(always)]
const fn reduce(w: u16) -> u16 {
    const fn step(x: u16, m: u16) -> u16 {
        let y = x.wrapping_sub(m);
        if y < x { y } else { x }
    }
    let q = Q as u16;
    step(step(step(w, 4 * q), 2 * q), q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn reduction_is_exact_below_the_limit() {
        for w in 0..LIMIT {
            assert_eq!(u32::from(reduce(w)), u32::from(w) % Q);
        }
    }

    #[test]
    fn points_of_the_nist_records_are_reproduced() {
        let text = include_str!("../../../../kat/falcon-round3/hash_to_point.json");
        let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
        let bytes = |value: &serde_json::Value| {
            base16ct::mixed::decode_vec(value.as_str().unwrap()).unwrap()
        };
        let vectors = vectors.as_array().unwrap();
        assert_eq!(vectors.len(), 6);
        for vector in vectors {
            let nonce = bytes(&vector["nonce"]).try_into().unwrap();
            let mut point = vec![0; vector["n"].as_u64().unwrap() as usize];
            Shake256HashToPoint.hash_to_point(&nonce, &bytes(&vector["msg"]), &mut point);
            assert_eq!(serde_json::json!(point), vector["c"]);
        }
    }

    #[test]
    fn points_equal_the_definition_word_by_word() {
        for seed in 0..100u8 {
            let nonce = [seed; NONCE_LEN];
            let mut point = vec![0; 1 << (1 + seed % 10)];
            Shake256HashToPoint.hash_to_point(&nonce, &[seed], &mut point);

            let mut stream = Shake256::new();
            stream.update(&nonce).update(&[seed]);
            let mut stream = stream.finalize();
            for &x in &point {
                let w = loop {
                    let w = u16::from_be_bytes(stream.read_array());
                    if w < LIMIT {
                        break w;
                    }
                };
                assert_eq!(u32::from(x), u32::from(w) % Q);
            }
        }
    }
}
