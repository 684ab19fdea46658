//! AES-256-CTR DRBG as in NIST's test driver: no personalisation, no derivation function, no
//! reseeding, no prediction resistance.
//!
//! State: `key` (32 bytes) and `v` (16 bytes, a big-endian counter). `update(data)` replaces both
//! by the next 48 bytes of key stream, XOR `data`. Every `fill` ends with one `update` and drops
//! the rest of its last block. So the output depends on the lengths of the calls.
//!
//! Source: NIST SP 800-90A Rev. 1, section 10.2.1. The calls follow `PQCgenKAT_sign` of the
//! post-quantum submissions.

use aes::{
    Aes256,
    cipher::{BlockCipherEncrypt, KeyInit},
};
use core::convert::Infallible;
use rand_core::{TryCryptoRng, TryRng};

/// Length of the entropy and of the state in bytes: 32 for the key and 16 for the counter.
pub(crate) const SEED_LEN: usize = 48;

/// The deterministic generator of NIST's known-answer files.
///
/// ```
/// let mut outer = falcon_kat::Drbg::nist();
/// assert_eq!(outer.bytes::<48>()[..4], [0x06, 0x15, 0x50, 0x23]);
/// ```
#[derive(Clone)]
pub struct Drbg {
    key: [u8; 32],
    v: u128,
}

impl Drbg {
    /// Creates the generator from 48 bytes of entropy.
    pub fn new(entropy: &[u8; SEED_LEN]) -> Self {
        let mut drbg = Self { key: [0; 32], v: 0 };
        drbg.update(Some(entropy));
        drbg
    }

    /// Creates the generator for the seeds and messages of a NIST file. Its entropy is the bytes 0,
    /// 1, .. 47.
    pub fn nist() -> Self {
        Self::new(&core::array::from_fn(|i| i as u8))
    }

    /// Makes one call of the driver's `randombytes`.
    pub fn fill(&mut self, out: &mut [u8]) {
        let cipher = Aes256::new(&self.key.into());
        for chunk in out.chunks_mut(16) {
            chunk.copy_from_slice(&self.next_block(&cipher)[..chunk.len()]);
        }
        self.update(None);
    }

    /// Makes one call of the driver's `randombytes`, for `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.fill(&mut out);
        out
    }

    fn next_block(&mut self, cipher: &Aes256) -> [u8; 16] {
        self.v = self.v.wrapping_add(1);
        let mut block = self.v.to_be_bytes().into();
        cipher.encrypt_block(&mut block);
        block.into()
    }

    fn update(&mut self, data: Option<&[u8; SEED_LEN]>) {
        let cipher = Aes256::new(&self.key.into());
        let mut state = [0; SEED_LEN];
        for chunk in state.chunks_exact_mut(16) {
            chunk.copy_from_slice(&self.next_block(&cipher));
        }
        if let Some(data) = data {
            for (byte, mask) in state.iter_mut().zip(data) {
                *byte ^= mask;
            }
        }
        let (key, v) = state.split_at(32);
        self.key.copy_from_slice(key);
        self.v = v.iter().fold(0, |v, &byte| v << 8 | u128::from(byte));
    }
}

/// Every call is one call of the driver's `randombytes`.
impl TryRng for Drbg {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        self.fill(out);
        Ok(())
    }
}

/// Predictable on purpose: the trait exists for functions that require it.
impl TryCryptoRng for Drbg {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_calls_are_cut_decides_the_output() {
        let mut whole = Drbg::nist();
        let mut cut = Drbg::nist();
        let together: [u8; 32] = whole.bytes();
        let (first, second): ([u8; 16], [u8; 16]) = (cut.bytes(), cut.bytes());
        assert_eq!(together[..16], first);
        assert_ne!(together[16..], second);
    }

    #[test]
    fn a_short_call_is_a_prefix_of_a_long_one() {
        let long: [u8; 100] = Drbg::nist().bytes();
        let short: [u8; 37] = Drbg::nist().bytes();
        assert_eq!(long[..37], short);
    }

    #[test]
    fn an_empty_call_still_updates_the_state() {
        let mut drbg = Drbg::nist();
        drbg.fill(&mut []);
        assert_ne!(drbg.bytes::<16>(), Drbg::nist().bytes::<16>());
    }
}
