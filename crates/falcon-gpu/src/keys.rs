//! Keys that stay on the device from batch to batch.

use crate::device::{Device, Lane, Memory};
use crate::error::GpuError;
use crate::kernels::KeyMode;
use falcon_core::{ExpandedKey, Parameters, hazmat};
use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Bytes of the hash of a secret key.
pub(crate) const HASH_LEN: usize = 32;

/// Keys for which there is room at first.
pub(crate) const FEW: usize = 16;

/// Reals of a key on the device.
pub(crate) const fn reals(mode: KeyMode, logn: u32) -> usize {
    match mode {
        KeyMode::Raw => 0,
        KeyMode::Balanced => 4 << logn,
        KeyMode::Expanded => (logn as usize + 6) << logn,
    }
}

/// The keys of one degree that are on the device.
pub(crate) struct KeyStore {
    mode: KeyMode,
    logn: u32,
    most: usize,
    arrays: Option<Arrays>,
    /// The places of keys, by a hash of what tells them apart.
    places: HashMap<u64, u32>,
}

/// Room for keys.
struct Arrays {
    keys: Memory,
    hashes: Memory,
    capacity: usize,
    /// What tells keys apart, in the order of their places: the hash of the
    /// secret. There is room for all of them, so that none is moved.
    present: Zeroizing<Vec<[u8; HASH_LEN]>>,
}

impl KeyStore {
    /// For at most so many keys at once.
    pub(crate) fn new(mode: KeyMode, logn: u32, most: usize) -> Self {
        Self {
            mode,
            logn,
            most: most.max(1),
            arrays: None,
            places: HashMap::new(),
        }
    }

    /// Bytes of a key on the device.
    fn key_len(&self) -> usize {
        8 * reals(self.mode, self.logn)
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        let arrays = self.arrays.as_ref();
        arrays.map_or(0, |arrays| arrays.present.len())
    }

    /// Bytes of the device that it holds.
    pub(crate) fn bytes(&self) -> usize {
        let arrays = self.arrays.as_ref();
        arrays.map_or(0, |arrays| arrays.keys.len() + arrays.hashes.len())
    }

    /// Where a key is.
    pub(crate) fn place<P: Parameters>(&self, key: &ExpandedKey<P>) -> Option<u32> {
        let hash = hazmat::secret_hash(key);
        let place = *self.places.get(&self.places.hasher().hash_one(hash))?;
        let present = &self.arrays.as_ref()?.present;
        (present.get(place as usize) == Some(hash)).then_some(place)
    }

    /// The addresses of the keys and of their hashes.
    pub(crate) fn addresses(&self) -> (u64, u64) {
        let arrays = self.arrays.as_ref();
        arrays.map_or((0, 0), |arrays| {
            (arrays.keys.address(), arrays.hashes.address())
        })
    }

    /// How many keys there is room for.
    pub(crate) fn capacity(&self) -> usize {
        let arrays = self.arrays.as_ref();
        arrays.map_or(0, |arrays| arrays.capacity)
    }

    /// Makes room for `keys` keys, or for `most`; those that were there are gone if
    /// there was not enough. Nothing may be using them.
    pub(crate) fn reserve(
        &mut self,
        device: &Arc<dyn Device>,
        keys: usize,
        most: usize,
    ) -> Result<(), GpuError> {
        if keys.min(most) <= self.capacity() {
            return Ok(());
        }
        let capacity = keys.max(2 * self.capacity()).max(FEW).min(most);
        self.clear();
        let arrays = || {
            Ok(Arrays {
                keys: Memory::new(device, capacity.saturating_mul(self.key_len()))?,
                hashes: Memory::new(device, capacity.saturating_mul(HASH_LEN))?,
                capacity,
                present: Zeroizing::new(Vec::with_capacity(capacity)),
            })
        };
        self.arrays = Some(arrays()?);
        Ok(())
    }

    /// Most keys at once.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Whether there is room for `more` keys beside those that are there.
    pub(crate) fn has_room(&self, more: usize) -> bool {
        self.len() + more <= self.capacity()
    }

    /// Makes room by letting others take the place of all keys. Nothing may be
    /// using them.
    pub(crate) fn replace(&mut self) {
        self.places.clear();
        if let Some(arrays) = &mut self.arrays {
            arrays.present.iter_mut().zeroize();
            arrays.present.clear();
        }
    }

    /// Takes all keys off the device and gives their memory back. Nothing may be
    /// using them.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.arrays = None;
    }

    /// Brings a key to the device, unless it is there; there must be room.
    pub(crate) fn add<P: Parameters>(
        &mut self,
        lane: &mut Lane,
        key: &ExpandedKey<P>,
    ) -> Result<u32, GpuError> {
        if let Some(place) = self.place(key) {
            return Ok(place);
        }
        let place = self.len();
        let (hash, len) = (hazmat::secret_hash(key), self.key_len());
        let arrays = self.arrays.as_mut();
        let Some(arrays) = arrays.filter(|arrays| place < arrays.capacity) else {
            return Err(GpuError::OutOfMemory { asked: len as u64 });
        };
        let reals = &hazmat::expanded_reals(key)[..len / 8];
        // SAFETY: binary64 is eight bytes, all of which are initialised.
        let bytes = unsafe { std::slice::from_raw_parts(reals.as_ptr().cast::<u8>(), len) };
        // SAFETY: that is the place of this key in the arrays, and no kernel has
        // been told of it yet.
        unsafe {
            lane.send_now(arrays.keys.address() + (place * len) as u64, bytes)?;
            lane.send_now(arrays.hashes.address() + (place * HASH_LEN) as u64, hash)?;
        }
        arrays.present.push(*hash);
        let place = place as u32;
        let short = self.places.hasher().hash_one(hash);
        self.places.insert(short, place);
        Ok(place)
    }
}
