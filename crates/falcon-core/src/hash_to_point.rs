//! From a nonce and a message to a polynomial modulo `q`.
//!
//! Source: Falcon specification v1.2, algorithm 3 (HashToPoint).

use crate::engine::{Best, Operations};
use crate::hash::Shake256;
use crate::params::{NONCE_LEN, Q};

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

    /// Fills `point`, whose length is the degree, with coefficients in `[0, q)`. A
    /// larger one is an error where the point is signed or verified.
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

/// Whether all coefficients are below `q`.
pub(crate) fn is_point(c: &[u16]) -> bool {
    c.iter().all(|&c| u32::from(c) < Q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::LIMIT;
    use std::vec;

    #[test]
    fn points_of_the_nist_records_are_reproduced() {
        let text = include_str!("../../../kat/falcon-round3/hash_to_point.json");
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
