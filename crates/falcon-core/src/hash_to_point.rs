//! Hashes a nonce and a message to a polynomial modulo `q`.
//!
//! Source: Falcon specification v1.2, algorithm 3 (HashToPoint).

use crate::engine::Best;
use crate::hash::{self, Customization, Shake256};
use crate::operations::Operations;
use crate::params::{NONCE_LEN, Q};

/// A hash from `(nonce, message)` to `(Z/qZ)^n`.
///
/// [`Shake256HashToPoint`] is the hash of the scheme. A system that computes points elsewhere, in a
/// circuit or a contract, can implement another. Signer and verifier must agree on it. The security
/// proof needs a random oracle.
///
/// Hedged signing also needs this property of the hash: nobody can find two messages whose points
/// differ and have the same first 40 coefficients. If the seed of the signer repeats, only these
/// coefficients tell two points apart. Points that begin with zeros, a tag or a counter fail this.
/// So do two hashes whose points differ in later coefficients only, used with one seed.
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
    /// State of the hash while a message is absorbed.
    type Hasher: PointHasher;

    /// Starts to hash a message with `nonce`.
    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> Self::Hasher;

    /// Hashes a whole message.
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

    /// Fills `point` with coefficients in `[0, q)`. The length of `point` is the degree. A larger
    /// coefficient is an error when the point is signed or verified.
    fn finish(self, point: &mut [u16]);
}

/// The hash of the scheme: SHAKE256 of nonce and message, read as 16-bit big-endian words. Words
/// below `5q` are reduced modulo `q`; the others are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shake256HashToPoint;

/// The scheme's hash with this nonce, of any length, in place of the signature's. It verifies
/// signatures of other systems, whose nonces do not have 40 bytes.
///
/// **Never sign one message twice with it**, not even with fresh seeds: the point would be the
/// same, and two signatures of one point reveal the key.
///
/// **Nonce and message are hashed one after the other, with nothing between.** So a signature for
/// the nonce `ab` and the message `c` is also valid for the nonce `a` and the message `bc`. The
/// verifier must know the length of the nonce and must not take it from the message. If the nonce
/// does not have 40 bytes, the signature is also a plain signature of a message with some bytes
/// more or fewer at its beginning. Do not sign other people's messages with it.
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::{OtherNonce, sign_with_hash, verify_with_hash};
/// use falcon_core::{Falcon512, Format, Scratch, Signature, SigningKey};
///
/// # let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// # let mut scratch = Scratch::new(&mut reals)?;
/// # let hash = OtherNonce(b"a nonce of 24 bytes ....");
/// # let signature = sign_with_hash(&key, &[1; 32], &hash, b"order #42", &mut scratch)?;
/// # let bytes = signature.to_vec(Format::Compressed)?;
/// # let code = &bytes[41..]; // after the header and the nonce
/// let nonce = b"a nonce of 24 bytes ....";
/// // `code` is `s2` in Golomb-Rice code, without header and nonce.
/// let encoded = [&[0x39][..], &[0; 40], code].concat();
/// let signature = Signature::<Falcon512>::from_bytes(Format::Compressed, &encoded)?;
/// verify_with_hash(key.verifying_key(), &OtherNonce(nonce), b"order #42", &signature)?;
/// # let other = OtherNonce(b"a nonce");
/// # assert!(verify_with_hash(key.verifying_key(), &other, b"order #42", &signature).is_err());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherNonce<'a>(pub &'a [u8]);

impl HashToPoint for OtherNonce<'_> {
    type Hasher = Shake256PointHasher;

    fn hasher(&self, _: &[u8; NONCE_LEN]) -> Shake256PointHasher {
        let mut hash = hash::shake256();
        hash.update(self.0);
        Shake256PointHasher(hash)
    }
}

/// The scheme's hash with cSHAKE256 (NIST SP 800-185) in place of SHAKE256. It makes a separate
/// kind of signatures under the same key.
///
/// The customization names the kind. A signature of one kind is not valid for another kind, or for
/// a plain message, whatever the messages are: cSHAKE256 pads differently, so the two hashes never
/// absorb the same bits. Give each format a customization of its own, ending in a version. Do not
/// use `falcon-envelope v1`. Batches take it too: see
/// [`Engine::sign_batch_with_hash`](crate::Engine::sign_batch_with_hash).
///
/// ```
/// # #[cfg(feature = "alloc")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use falcon_core::hazmat::{Cshake256HashToPoint, sign_with_hash, verify_with_hash};
/// use falcon_core::{Falcon512, Scratch, SigningKey};
///
/// const INVOICE: Cshake256HashToPoint =
///     Cshake256HashToPoint::new(b"example.org/invoice v1").unwrap();
/// # let key = SigningKey::<Falcon512>::from_seed(&[7; 32])?;
/// # let mut reals = [0.0; Scratch::<Falcon512>::LEN];
/// # let mut scratch = Scratch::new(&mut reals)?;
/// # let fresh_seed = [1; 32];
/// let signature = sign_with_hash(&key, &fresh_seed, &INVOICE, b"42.00 EUR", &mut scratch)?;
/// let public = key.verifying_key();
/// verify_with_hash(public, &INVOICE, b"42.00 EUR", &signature)?;
/// assert!(public.verify(b"42.00 EUR", &signature).is_err());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "alloc"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cshake256HashToPoint(pub(crate) Customization);

impl Cshake256HashToPoint {
    /// Makes the hash of a customization of 1 to 128 bytes. Returns `None` for another length:
    /// without a customization, cSHAKE256 is SHAKE256.
    pub const fn new(customization: &[u8]) -> Option<Self> {
        match Customization::new(customization) {
            Some(customization) => Some(Self(customization)),
            None => None,
        }
    }
}

impl HashToPoint for Cshake256HashToPoint {
    type Hasher = Shake256PointHasher;

    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> Shake256PointHasher {
        let mut hash = hash::cshake256(&self.0);
        hash.update(nonce);
        Shake256PointHasher(hash)
    }
}

/// The state of SHAKE256 or cSHAKE256 while a message is hashed to a point.
#[derive(Clone)]
pub struct Shake256PointHasher(Shake256);

impl HashToPoint for Shake256HashToPoint {
    type Hasher = Shake256PointHasher;

    fn hasher(&self, nonce: &[u8; NONCE_LEN]) -> Shake256PointHasher {
        let mut hash = hash::shake256();
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
    /// Finishes as [`finish`](PointHasher::finish) does, on the engine `on`.
    pub(crate) fn finish_on(mut self, on: impl Operations, point: &mut [u16]) {
        on.fill_point(&mut self.0, point);
    }
}

/// Returns true if all coefficients are below `q`.
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
