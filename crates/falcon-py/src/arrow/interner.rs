//! Values by byte strings, such as the keys of a column by their encodings.

use super::fold::Fold;
use std::collections::{HashMap, hash_map::Entry};

/// Values by byte strings, found by eight of their bytes.
///
/// Whole keys are compared, but not hashed: hashing 897 bytes takes half as long as a verification.
/// Two keys share the eight bytes only if somebody chose them so. The second one is hashed as a
/// whole, so a lookup never takes longer than one hash of the key.
pub struct Interner<'a, T> {
    samples: HashMap<u64, (&'a [u8], T), Fold>,
    whole: HashMap<&'a [u8], T>,
}

impl<'a, T: Clone> Interner<'a, T> {
    pub fn new() -> Self {
        Self {
            samples: HashMap::with_hasher(Fold::new()),
            whole: HashMap::new(),
        }
    }

    pub fn get_or_insert_with(&mut self, bytes: &'a [u8], make: impl FnOnce() -> T) -> T {
        // The bytes after the header. They lie next to the row before, so the processor has often
        // read them ahead. Bytes in the middle of the key would be waited for.
        let Some(Ok(sample)) = bytes.get(1..9).map(<[u8; 8]>::try_from) else {
            return self.whole.entry(bytes).or_insert_with(make).clone();
        };
        match self.samples.entry(u64::from_ne_bytes(sample)) {
            Entry::Occupied(known) if known.get().0 == bytes => known.get().1.clone(),
            Entry::Occupied(_) => self.whole.entry(bytes).or_insert_with(make).clone(),
            Entry::Vacant(place) => place.insert((bytes, make())).1.clone(),
        }
    }
}
