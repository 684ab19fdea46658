//! Where a signer's randomness comes from.
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

/// Bytes of fresh randomness for one batch or one signature.
pub const SEED_LEN: usize = 32;

/// Bytes of the hash of the secret key.
pub(crate) const SECRET_HASH_LEN: usize = 32;

/// The randomness of one signature.
pub(crate) trait Randomness {
    /// The nonce to hash before the message.
    fn nonce(&self) -> [u8; NONCE_LEN];
    /// The stream that seeds each sampling attempt for the point `c`.
    fn sampler_stream(&self, c: &[u16]) -> Shake256Reader;
}

/// Hedged randomness of job `index`.
#[derive(Clone, Copy)]
pub(crate) struct Hedged<'a> {
    pub(crate) seed: &'a [u8; SEED_LEN],
    pub(crate) index: u64,
    pub(crate) secret_hash: &'a [u8; SECRET_HASH_LEN],
}

impl Hedged<'_> {
    fn begin(&self, label: &[u8]) -> Shake256 {
        let mut h = Shake256::new();
        h.update(label)
            .update(self.seed)
            .update(&self.index.to_le_bytes());
        h.update(self.secret_hash);
        h
    }
}

impl Randomness for Hedged<'_> {
    fn nonce(&self) -> [u8; NONCE_LEN] {
        self.begin(b"falcon nonce").finalize().read_array()
    }

    fn sampler_stream(&self, c: &[u16]) -> Shake256Reader {
        let mut h = self.begin(b"falcon sampler");
        for chunk in c.chunks(64) {
            let mut bytes = [0; 128];
            for (bytes, c) in bytes.chunks_exact_mut(2).zip(chunk) {
                bytes.copy_from_slice(&c.to_le_bytes());
            }
            h.update(&bytes[..2 * chunk.len()]);
        }
        h.finalize()
    }
}

/// Randomness given as bytes, the way the reference's test driver gives it.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a> {
    pub(crate) nonce: &'a [u8; NONCE_LEN],
    pub(crate) seed: &'a [u8],
}

impl Randomness for Raw<'_> {
    fn nonce(&self) -> [u8; NONCE_LEN] {
        *self.nonce
    }

    fn sampler_stream(&self, _: &[u16]) -> Shake256Reader {
        Shake256::reader(self.seed)
    }
}
