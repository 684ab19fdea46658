//! A map from byte strings to values, for example from encodings to keys.

use super::fold::Fold;
use core::borrow::Borrow;
use core::hash::Hash;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A map from byte strings to values. A lookup hashes only eight bytes of the string.
///
/// A lookup compares the whole key, but does not hash it: hashing 897 bytes takes half as long as a
/// verification. Keys have the same eight bytes only if somebody chose them on purpose. Then the
/// second key is hashed as a whole, so a lookup never takes longer than one hash of the key.
pub struct Interner<B, T> {
    samples: HashMap<u64, (B, T), Fold>,
    whole: HashMap<B, T>,
}

impl<B, T> Default for Interner<B, T> {
    fn default() -> Self {
        Self {
            samples: HashMap::with_hasher(Fold::default()),
            whole: HashMap::new(),
        }
    }
}

impl<B: Borrow<[u8]> + Eq + Hash, T> Interner<B, T> {
    /// Returns the value of `bytes`, if there is one.
    pub fn get(&self, bytes: &[u8]) -> Option<&T> {
        match sample(bytes).and_then(|sample| self.samples.get(&sample)) {
            Some((known, value)) if known.borrow() == bytes => Some(value),
            _ => self.whole.get(bytes),
        }
    }

    /// Adds a value for `bytes`, which must have none yet.
    pub fn insert(&mut self, bytes: B, value: T) {
        match sample(bytes.borrow()).map(|sample| self.samples.entry(sample)) {
            Some(Entry::Vacant(place)) => drop(place.insert((bytes, value))),
            _ => drop(self.whole.insert(bytes, value)),
        }
    }

    /// Removes the value of `bytes`.
    pub fn remove(&mut self, bytes: &[u8]) {
        match sample(bytes).map(|sample| self.samples.entry(sample)) {
            Some(Entry::Occupied(known)) if known.get().0.borrow() == bytes => drop(known.remove()),
            _ => drop(self.whole.remove(bytes)),
        }
    }
}

/// Returns the eight bytes after the header byte, or `None` if there are fewer. They lie next to
/// the previous row, so the processor has often prefetched them. Bytes in the middle of the key
/// would often have to be fetched first.
fn sample(bytes: &[u8]) -> Option<u64> {
    let sample = bytes.get(1..9)?.try_into();
    sample.ok().map(u64::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn each_string_has_its_own_value() {
        // Short strings, and many strings that share the bytes by which they are found.
        let short = (0..9).map(|len| vec![7; len]);
        let alike = (0..5).map(|last| [vec![7; 20], vec![last]].concat());
        let other = [vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10]];
        let all: Vec<Vec<u8>> = short.chain(alike).chain(other).collect();
        let mut interner = Interner::default();
        for first in 0..all.len() {
            let order = || all.iter().cycle().skip(first).take(all.len());
            for (number, bytes) in order().enumerate() {
                assert_eq!(interner.get(bytes), None);
                interner.insert(&bytes[..], number);
            }
            for (number, bytes) in order().enumerate() {
                assert_eq!(interner.get(bytes), Some(&number));
            }
            for (number, bytes) in order().enumerate() {
                interner.remove(bytes);
                assert_eq!(interner.get(bytes), None);
                for (later, bytes) in order().enumerate().skip(number + 1) {
                    assert_eq!(interner.get(bytes), Some(&later));
                }
            }
            assert!(interner.samples.is_empty() && interner.whole.is_empty());
        }
    }
}
