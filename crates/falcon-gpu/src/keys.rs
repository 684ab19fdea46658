//! Keys that stay on the device between batches. They are uploaded as small integers and expanded
//! on the device.

use crate::chain;
use crate::device::{ALIGNMENT, ChunkStream, Device, Memory};
use crate::error::GpuError;
use crate::kernels::{Batch, Kernel, KeyMode, Operation, status};
use falcon_core::batch::JobKey;
use falcon_core::seams::fft::Fft;
use falcon_core::seams::lanes::Baseline;
use falcon_core::{Parameters, hazmat};
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Length of the hash of a secret key in bytes.
pub(crate) const HASH_LEN: usize = 32;

/// Smallest capacity of a store, in keys.
pub(crate) const FEW: usize = 16;

/// Number of keys that are expanded at once. A warp expands one key.
const AT_ONCE: usize = 256;

/// Returns the number of reals of a key on the device.
pub(crate) const fn reals(mode: KeyMode, logn: u32) -> usize {
    match mode {
        KeyMode::Transient => 0,
        KeyMode::Balanced => 4 << logn,
        KeyMode::Expanded => (logn as usize + 6) << logn,
    }
}

/// Returns the number of bytes of `f`, `g`, `F` and `G`.
const fn small_len(logn: u32) -> usize {
    4 << logn
}

/// Key of a job, in the caller's form. It provides the two values that are uploaded: the hash of
/// the secret and the small integers.
#[derive(Clone, Copy)]
pub(crate) struct ResidentKey<'a, P: Parameters>(pub(crate) JobKey<'a, P>);

impl<'a, P: Parameters> ResidentKey<'a, P> {
    /// Returns true if both keys are the same object in memory.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0.is_same(other.0)
    }

    /// Returns the hash of the secret, which identifies the key.
    pub(crate) fn hash(&self) -> &'a [u8; HASH_LEN] {
        match self.0 {
            JobKey::Signing(key) => hazmat::secret_hash(key),
            JobKey::Expanded(key) => hazmat::secret_hash(key),
        }
    }

    /// Writes `f`, `g`, `F`, `G` as bytes.
    pub(crate) fn write_small(&self, out: &mut [u8]) {
        let out = out.chunks_exact_mut(P::N);
        match self.0 {
            JobKey::Signing(key) => {
                for (out, small) in out.zip(hazmat::secret_basis(key)) {
                    for (out, &small) in out.iter_mut().zip(small) {
                        *out = small as u8;
                    }
                }
            }
            JobKey::Expanded(key) => {
                // g, -f, G, -F in the FFT domain. The inverse FFT gives integers of absolute value
                // at most 127, with errors below 2^-30.
                let mut reals = Zeroizing::new(hazmat::expanded_reals(key)[..4 * P::N].to_vec());
                for row in reals.chunks_exact_mut(P::N) {
                    Baseline.ifft(P::LOGN, row);
                }
                for (number, out) in out.enumerate() {
                    let row = number ^ 1;
                    let sign = if row % 2 == 1 { -1.0 } else { 1.0 };
                    for (out, real) in out.iter_mut().zip(&reals[row * P::N..]) {
                        *out = (sign * real).round() as i8 as u8;
                    }
                }
            }
        }
    }
}

/// The keys of one degree that are on the device.
pub(crate) struct KeyStore {
    mode: KeyMode,
    logn: u32,
    most: usize,
    arrays: Option<Arrays>,
    /// Place of each key, by the 64-bit hash of its secret hash.
    places: HashMap<u64, u32>,
}

/// Memory of the device for keys.
struct Arrays {
    keys: Memory,
    hashes: Memory,
    /// The small integers of keys that are being expanded, followed by a status for each key.
    small: Memory,
    capacity: usize,
    /// Hashes of the secrets, which identify the keys, in the order of the keys' places. The
    /// capacity suffices for all hashes, so that they are never moved.
    present: Zeroizing<Vec<[u8; HASH_LEN]>>,
}

/// Returns the length of each array in bytes, for `keys` keys.
fn lengths(mode: KeyMode, logn: u32, keys: usize) -> [usize; 3] {
    [
        keys.saturating_mul(8 * reals(mode, logn)),
        keys.saturating_mul(HASH_LEN),
        keys.min(AT_ONCE) * (small_len(logn) + 1),
    ]
}

/// Counts the different keys among `keys`.
pub(crate) fn different<P: Parameters>(keys: &[ResidentKey<'_, P>]) -> usize {
    let groups = keys.chunk_by(|a, b| a.is(b));
    let hashes: HashSet<_> = groups.map(|group| group[0].hash()).collect();
    hashes.len()
}

/// Returns the capacity of a store for `keys` keys: the next power of two, at least [`FEW`].
fn capacity(keys: usize) -> usize {
    keys.checked_next_power_of_two().unwrap_or(keys).max(FEW)
}

/// Returns the bytes of device memory that a store of `keys` keys holds.
pub(crate) fn need(mode: KeyMode, logn: u32, keys: usize) -> usize {
    if !mode.keeps_keys() {
        return 0;
    }
    let lengths = lengths(mode, logn, capacity(keys)).into_iter();
    lengths.fold(0, |sum, len| {
        sum.saturating_add(len.saturating_add(ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)
    })
}

/// Returns a lower bound on the number of keys that fit into `bytes` bytes of device memory.
pub(crate) fn fit(mode: KeyMode, logn: u32, bytes: usize) -> usize {
    bytes / lengths(mode, logn, 1).iter().sum::<usize>()
}

impl Arrays {
    fn new(
        device: &Arc<dyn Device>,
        mode: KeyMode,
        logn: u32,
        capacity: usize,
    ) -> Result<Self, GpuError> {
        let [keys, hashes, small] = lengths(mode, logn, capacity);
        Ok(Self {
            keys: Memory::new(device, keys)?,
            hashes: Memory::new(device, hashes)?,
            small: Memory::new(device, small)?,
            capacity,
            present: Zeroizing::new(Vec::with_capacity(capacity)),
        })
    }
}

impl KeyStore {
    /// Creates an empty store for at most `most` keys at once.
    pub(crate) fn new(mode: KeyMode, logn: u32, most: usize) -> Self {
        Self {
            mode,
            logn,
            most: most.max(1),
            arrays: None,
            places: HashMap::new(),
        }
    }

    /// Number of keys.
    pub(crate) fn len(&self) -> usize {
        let arrays = self.arrays.as_ref();
        arrays.map_or(0, |arrays| arrays.present.len())
    }

    /// Bytes of device memory that the store holds.
    pub(crate) fn bytes(&self) -> usize {
        let arrays = self.arrays.as_ref();
        arrays.map_or(0, |arrays| {
            arrays.keys.len() + arrays.hashes.len() + arrays.small.len()
        })
    }

    /// Returns the place of the key with this hash.
    fn place(&self, hash: &[u8; HASH_LEN]) -> Option<u32> {
        let place = *self.places.get(&self.places.hasher().hash_one(hash))?;
        let present = &self.arrays.as_ref()?.present;
        (present.get(place as usize) == Some(hash)).then_some(place)
    }

    /// Returns true if the key is on the device.
    pub(crate) fn has<P: Parameters>(&self, key: ResidentKey<'_, P>) -> bool {
        self.place(key.hash()).is_some()
    }

    /// Returns the addresses of the keys and of the hashes of their secrets.
    pub(crate) fn addresses(&self) -> (u64, u64) {
        let arrays = self.arrays.as_ref();
        arrays.map_or((0, 0), |arrays| {
            (arrays.keys.address(), arrays.hashes.address())
        })
    }

    /// Number of keys for which there is memory.
    pub(crate) fn capacity(&self) -> usize {
        let arrays = self.arrays.as_ref();
        arrays.map_or(0, |arrays| arrays.capacity)
    }

    /// Grows the capacity to at least `keys` keys, but not beyond `most`. The stored keys move. If
    /// the function fails, they stay at their old places. No work on the device may use the stored
    /// keys.
    pub(crate) fn reserve(
        &mut self,
        device: &Arc<dyn Device>,
        keys: usize,
        most: usize,
    ) -> Result<(), GpuError> {
        if keys.min(most) <= self.capacity() {
            return Ok(());
        }
        let mut arrays = Arrays::new(device, self.mode, self.logn, capacity(keys).min(most))?;
        if let Some(old) = &self.arrays {
            arrays.keys.copy_from(&old.keys)?;
            arrays.hashes.copy_from(&old.hashes)?;
            arrays.present.extend_from_slice(&old.present);
        }
        self.arrays = Some(arrays);
        Ok(())
    }

    /// Returns the largest number of keys that the store may hold.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Removes all keys from the device, to free their places. No work on the device may use these
    /// keys.
    pub(crate) fn replace(&mut self) -> Result<(), GpuError> {
        self.places.clear();
        let Some(arrays) = &mut self.arrays else {
            return Ok(());
        };
        let count = arrays.present.len();
        arrays.present.iter_mut().zeroize();
        arrays.present.clear();
        let keys = arrays.keys.wipe(0..8 * reals(self.mode, self.logn) * count);
        let wiped = keys.and(arrays.hashes.wipe(0..HASH_LEN * count));
        if wiped.is_err() {
            // Frees the memory, so that no other key gets a place that was not wiped.
            self.clear();
        }
        wiped
    }

    /// Removes all keys from the device and frees their memory. No work on the device may use them.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.arrays = None;
    }

    /// Uploads and expands the `keys` that are not on the device yet, and returns the place of each
    /// key. Returns `None` if they do not fit. After an error, the stored keys are unchanged.
    /// `stream` must be idle.
    pub(crate) fn bring<P: Parameters>(
        &mut self,
        stream: &mut ChunkStream,
        keys: &[ResidentKey<'_, P>],
    ) -> Result<Option<Vec<u32>>, GpuError> {
        let groups = || keys.chunk_by(|a, b| a.is(b));
        let mut seen = HashSet::new();
        let missing: Vec<_> = groups()
            .map(|group| group[0])
            .filter(|key| !self.has(*key) && seen.insert(key.hash()))
            .collect();
        if self.len() + missing.len() > self.capacity() {
            return Ok(None);
        }
        for group in missing.chunks(AT_ONCE) {
            self.expand(stream, group)?;
        }
        let mut places = Vec::with_capacity(keys.len());
        for group in groups() {
            let place = self.place(group[0].hash());
            places.extend(place.iter().cycle().take(group.len()));
        }
        Ok((places.len() == keys.len()).then_some(places))
    }

    /// Expands keys on the device, at the places after the stored keys. The places must exist.
    fn expand<P: Parameters>(
        &mut self,
        stream: &mut ChunkStream,
        group: &[ResidentKey<'_, P>],
    ) -> Result<(), GpuError> {
        let operation = match self.mode {
            KeyMode::Expanded => Operation::Expand,
            KeyMode::Balanced => Operation::Basis,
            // In this mode the array of keys has no bytes, so a kernel would write beyond it.
            KeyMode::Transient => return Ok(()),
        };
        let (first, stride) = (self.len(), reals(self.mode, self.logn));
        let Some(arrays) = &mut self.arrays else {
            return Ok(());
        };
        let statuses = group.len() * small_len(self.logn);
        // After the small integers comes the status `NONE` of each key.
        let mut small = Zeroizing::new(vec![status::NONE; statuses + group.len()]);
        for (key, out) in group.iter().zip(small.chunks_exact_mut(4 * P::N)) {
            key.write_small(out);
        }
        let hashes: Vec<_> = group.iter().map(|key| *key.hash()).collect();
        let hashes = Zeroizing::new(hashes);
        let kernel = Kernel {
            operation,
            logn: self.logn,
        };
        let batch = Batch {
            bases: arrays.small.address(),
            status: arrays.small.address() + statuses as u64,
            keys: arrays.keys.address() + (8 * stride * first) as u64,
            key_stride: stride as u64,
            count: group.len() as u32,
            ..Batch::default()
        };
        // SAFETY: the arrays have places for these keys. No other kernel uses these places yet.
        let expanded = unsafe {
            stream
                .send_secret(batch.bases, &small)
                .and_then(|()| {
                    let to = arrays.hashes.address() + (HASH_LEN * first) as u64;
                    stream.send_secret(to, hashes.as_flattened())
                })
                .and_then(|()| stream.launch(kernel, &batch))
                .and_then(|()| stream.receive(batch.status, group.len()))
                .and_then(|told| match told.iter().all(|&told| told == status::DONE) {
                    true => Ok(()),
                    false => Err(chain::undone(kernel)),
                })
        };
        let expanded = expanded.and(stream.wait());
        let wiped = arrays.small.wipe(0..small.len());
        if let Err(error) = expanded.and(wiped) {
            // Wipes the places of these keys. None of the keys has been entered as present.
            let all = |each: usize| each * first..each * (first + group.len());
            let _ = arrays.small.wipe(0..small.len());
            let _ = arrays.keys.wipe(all(8 * stride));
            let _ = arrays.hashes.wipe(all(HASH_LEN));
            return Err(error);
        }
        for (hash, place) in hashes.iter().zip(first as u32..) {
            arrays.present.push(*hash);
            let short = self.places.hasher().hash_one(hash);
            self.places.insert(short, place);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_core::{Falcon512, Falcon1024, SigningKey};

    fn the_small_integers_come_back<P: Parameters>(keys: u8) {
        let (mut found, mut expected) = (vec![1; 4 * P::N], vec![2; 4 * P::N]);
        for seed in 0..keys {
            let key = SigningKey::<P>::from_seed(&[seed; 32]).expect("no fault");
            ResidentKey(JobKey::from(&key)).write_small(&mut expected);
            let basis = hazmat::secret_basis(&key).concat();
            assert!(basis.iter().map(|&x| x as u8).eq(expected.iter().copied()));
            ResidentKey(JobKey::from(&key.expand())).write_small(&mut found);
            assert!(found == expected, "{}, seed {seed}", P::NAME);
        }
    }

    #[test]
    fn the_small_integers_of_an_expanded_key_come_back() {
        the_small_integers_come_back::<Falcon512>(20);
        the_small_integers_come_back::<Falcon1024>(8);
    }

    #[test]
    fn capacity_grows_by_doubling() {
        let capacities = [0, 1, 16, 17, 32, 1000].map(capacity);
        assert_eq!(capacities, [16, 16, 16, 32, 32, 1024]);
        for mode in [KeyMode::Balanced, KeyMode::Expanded] {
            for keys in [16, 1024, 4096] {
                // `fit` counts the small integers of every key, although a store has memory for
                // those of 256 keys only. So it returns up to a ninth fewer keys.
                let fit = fit(mode, 9, need(mode, 9, keys));
                assert!((keys * 8 / 9 - 1..=keys).contains(&fit), "{fit} of {keys}");
            }
        }
    }
}
