//! A hash function for tables of integers and names.

use core::hash::{BuildHasher, Hasher};
use std::collections::hash_map::RandomState;

/// A hash of integers, 64 bits at a time: XORs them with the state, multiplies the result by the
/// factor, and XORs the two halves of the product. The first state and the factor are random.
///
/// The hash of the standard library has so many instructions that the processor cannot start to
/// read the next row while it compares this one.
#[derive(Clone)]
pub struct Fold {
    state: u64,
    factor: u64,
}

impl Default for Fold {
    fn default() -> Self {
        let random = RandomState::new();
        Self {
            state: random.hash_one(0),
            factor: random.hash_one(1) | 1,
        }
    }
}

impl BuildHasher for Fold {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        self.clone()
    }
}

impl Hasher for Fold {
    fn write_u64(&mut self, value: u64) {
        let product = u128::from(value ^ self.state) * u128::from(self.factor);
        self.state = (product >> 64) as u64 ^ product as u64;
    }

    fn write_i128(&mut self, value: i128) {
        self.write_u64(value as u64);
        self.write_u64((value >> 64) as u64);
    }

    /// Hashes a name. A table contains only names that the caller chose. Names in rows are only
    /// looked up.
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.write_u64(u64::from_le_bytes(word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
