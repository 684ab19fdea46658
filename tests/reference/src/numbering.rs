//! Assigns a key, a nonce and a sampler seed to each number. A search over these numbers found some
//! records of `kat/reference-long`, which have the same numbering.

use falcon_core::hazmat::RawRandomness;
use falcon_core::{NONCE_LEN, Parameters, SigningKey};

/// Number of consecutive numbers that share one key.
pub const NUMBERS_OF_A_KEY: u64 = 1 << 16;

/// Returns the seed of key `k`: 48 bytes `k`.
pub fn key_seed(k: u8) -> [u8; 48] {
    [k; 48]
}

/// Returns the key `k`.
pub fn key<P: Parameters>(k: u8) -> SigningKey<P> {
    SigningKey::from_reference_seed(&key_seed(k)).expect("no fault")
}

/// The keys of a run: `count` keys from key `first` on, which take turns.
#[derive(Clone, Copy, Debug)]
pub struct Keys {
    /// The first key.
    pub first: u8,
    /// Number of keys.
    pub count: u8,
}

impl Keys {
    /// Returns the index of the key of number `i`.
    pub fn index(self, i: u64) -> usize {
        (i / NUMBERS_OF_A_KEY % u64::from(self.count)) as usize
    }
}

/// The randomness of a number: the nonce, and the seed of the stream of sampler seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Randomness {
    /// The number as 8 bytes, little-endian, then zeros.
    pub nonce: [u8; NONCE_LEN],
    /// The number as 8 bytes, little-endian, then bytes `a5`.
    pub seed: [u8; 48],
}

impl Randomness {
    /// Returns the randomness of number `i`.
    pub fn new(i: u64) -> Self {
        let (mut nonce, mut seed) = ([0; NONCE_LEN], [0xa5; 48]);
        nonce[..8].copy_from_slice(&i.to_le_bytes());
        seed[..8].copy_from_slice(&i.to_le_bytes());
        Self { nonce, seed }
    }

    /// Returns the randomness in the form that jobs use.
    pub fn raw(&self) -> RawRandomness<'_> {
        RawRandomness {
            nonce: &self.nonce,
            seed: &self.seed,
        }
    }
}
