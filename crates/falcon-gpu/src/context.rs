//! A device with what stays on it from batch to batch.

use crate::device::{Device, Lane, Memory, MemoryInfo};
use crate::error::GpuError;
use crate::kernels::{Grain, KeyMode};
use crate::keys::{FEW, KeyStore};
use crate::layout::{Chunk, Limits, Size};
use crate::sign::{self, Keys, Randomness, Way, Work};
use crate::verify::{self, Claims};
use falcon_core::batch::{BatchError, BatchSign, BatchVerify, SignJob, VerifyBytesJob, VerifyJob};
use falcon_core::hazmat::{Fit, RawJob};
use falcon_core::hedge::SEED_LEN;
use falcon_core::{ExpandedKey, Parameters, Signature, SignatureError, SigningKey};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a device is used. The bytes of signatures depend on none of this.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Keep only the basis of keys on the device and compute the tree for every
    /// signature: `32n` bytes a key instead of `8n (logn + 6)`.
    pub balanced: bool,
    /// How many threads work on one signature; by default that depends on the
    /// size of the batch.
    pub grain: Option<Grain>,
    /// Most bytes of the device's memory to use; by default three quarters of
    /// what is free.
    pub memory: Option<u64>,
    /// Most jobs at once on one stream; by default 512 for each processor of the
    /// device.
    pub chunk: Option<usize>,
    /// Rows of 512 bytes for the sampler that are computed ahead, from 2 to 1024;
    /// by default 44 or 86.
    pub prng_rows: Option<u32>,
}

/// A message to sign with a key that is brought to the device for this batch, and
/// expanded there.
#[derive(Clone, Copy, Debug)]
pub struct RawKeyJob<'a, P: Parameters> {
    /// The key. Jobs with the same key should stand together.
    pub key: &'a SigningKey<P>,
    /// The message.
    pub message: &'a [u8],
}

/// A device that signs and verifies batches, with the bytes of every other
/// engine. One batch is done at a time.
///
/// Keys of [`BatchSign`] stay on the device until it is dropped or
/// [`forget_keys`](Self::forget_keys) is called; everything else that a batch has
/// brought there is wiped when it is done.
pub struct GpuContext {
    device: Arc<dyn Device>,
    options: Options,
    state: Mutex<State>,
}

impl fmt::Debug for GpuContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuContext")
            .field("device", &self.device.name())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// What a context has on its device. In this order it is dropped: lanes, which
/// wait, before the memory that they use.
pub(crate) struct State {
    pub(crate) lanes: Vec<Lane>,
    pool: Option<Memory>,
    stores: [Option<KeyStore>; 2],
}

impl GpuContext {
    /// The CUDA device of this number, with the defaults.
    ///
    /// # Errors
    /// [`GpuError::NoDriver`], [`GpuError::OldDriver`], [`GpuError::NoDevice`],
    /// [`GpuError::OldDevice`] and what else the driver may say.
    #[cfg(feature = "cuda")]
    pub fn new(device: u32) -> Result<Self, GpuError> {
        Self::with_options(device, Options::default())
    }

    /// The CUDA device of this number.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    #[cfg(feature = "cuda")]
    pub fn with_options(device: u32, options: Options) -> Result<Self, GpuError> {
        Self::with_ptx(device, options, &crate::PTX)
    }

    /// The CUDA device of this number, with other kernels than [`PTX`](crate::PTX):
    /// what a variant of `kernels/kernels.cu` was compiled to. They are believed to
    /// do what `kernels/batch.h` says.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    #[cfg(feature = "cuda")]
    pub fn with_ptx(device: u32, options: Options, ptx: &[&str]) -> Result<Self, GpuError> {
        let device = crate::device::open_cuda(device, ptx)?;
        Ok(Self::on(device, options))
    }

    /// Some device.
    pub fn on(device: Arc<dyn Device>, options: Options) -> Self {
        let streams = device.streams();
        let lanes = (0..streams).map(|stream| Lane::new(&device, stream));
        let state = State {
            lanes: lanes.collect(),
            pool: None,
            stores: [None, None],
        };
        Self {
            device,
            options,
            state: Mutex::new(state),
        }
    }

    /// What the device is called.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// The memory of the device.
    ///
    /// # Errors
    /// If the device does not answer.
    pub fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.device.memory()
    }

    /// Bytes of the device that a batch of so many jobs takes if it is not
    /// divided, besides what its keys take: those of
    /// [`sign_batch_raw_keys`](Self::sign_batch_raw_keys) if `raw_keys`, of which
    /// there are so many.
    pub fn memory_to_sign<P: Parameters>(
        &self,
        jobs: usize,
        message_bytes: usize,
        raw_keys: Option<usize>,
    ) -> u64 {
        let mode = match raw_keys {
            Some(_) => KeyMode::Raw,
            None => self.mode(),
        };
        let size = Size {
            jobs,
            keys: raw_keys.unwrap_or(0),
            bytes: message_bytes,
        };
        self.way::<P>(mode, Fit::Padded).need(size) as u64
    }

    /// Bytes of the device that so many keys of [`BatchSign`] take.
    pub fn memory_of_keys<P: Parameters>(&self, keys: usize) -> u64 {
        let key = 8 * crate::keys::reals(self.mode(), P::LOGN) + crate::keys::HASH_LEN;
        (key as u64).saturating_mul(keys as u64)
    }

    /// Bytes of the device that verifying so many signatures takes if the batch
    /// is not divided.
    pub fn memory_to_verify<P: Parameters>(
        &self,
        jobs: usize,
        message_bytes: usize,
        keys: usize,
    ) -> u64 {
        let size = Size {
            jobs,
            keys,
            bytes: message_bytes,
        };
        verify::need::<P>(size) as u64
    }

    /// Brings a key to the device, where [`BatchSign`] would bring it with the
    /// first batch.
    ///
    /// # Errors
    /// As for a batch.
    pub fn upload_key<P: Parameters>(&self, key: &ExpandedKey<P>) -> Result<(), GpuError> {
        let mut state = self.state();
        let (state, mode) = (&mut *state, self.mode());
        let store = state.store::<P>(mode, &self.device, &self.options)?;
        if store.place(key).is_some() {
            return Ok(());
        }
        // More room is made while there is any.
        let keys = store.len() + 1;
        state.reserve::<P>(mode, &self.device, &self.options, keys)?;
        if state.bring(0, &[key])?.is_none() {
            state.replace_keys::<P>();
            state.bring(0, &[key])?;
        }
        Ok(())
    }

    /// Takes all keys off the device.
    pub fn forget_keys(&self) {
        for store in self.state().stores.iter_mut().flatten() {
            store.clear();
        }
    }

    /// Signs every job, whose keys come with the batch: what
    /// [`BatchSign::sign_batch`] gives for the same keys, expanded.
    ///
    /// # Errors
    /// [`GpuError`]; `out` is then unchanged.
    pub fn sign_batch_raw_keys<P: Parameters>(
        &self,
        seed: &[u8; SEED_LEN],
        jobs: &[RawKeyJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), GpuError> {
        let work = Work {
            messages: jobs.iter().map(|job| job.message).collect(),
            keys: Keys::Own(jobs.iter().map(|job| job.key).collect()),
            randomness: Randomness::Hedged(seed, 0),
        };
        self.sign(self.way::<P>(KeyMode::Raw, Fit::Padded), &work, out)
    }

    /// Signs every job with its own nonce and sampler seed: see
    /// [`hazmat`](falcon_core::hazmat) for the danger.
    ///
    /// # Errors
    /// [`GpuError`]; `out` is then unchanged.
    pub fn sign_batch_raw<P: Parameters>(
        &self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), GpuError> {
        let given = jobs.iter().map(|job| job.randomness).collect();
        let work = Work {
            messages: jobs.iter().map(|job| job.message).collect(),
            keys: Keys::Stored(jobs.iter().map(|job| job.key).collect()),
            randomness: Randomness::Given(given),
        };
        self.sign(self.way::<P>(self.mode(), fit), &work, out)
    }

    fn mode(&self) -> KeyMode {
        if self.options.balanced {
            KeyMode::Balanced
        } else {
            KeyMode::Expanded
        }
    }

    fn way<P: Parameters>(&self, mode: KeyMode, fit: Fit) -> Way {
        Way::new::<P>(mode, fit, &self.options, self.device.processors())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a panic leaves is waited for and written anew by the next batch.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `what` with everything that is on the device, then wipes what is no
    /// key. What it gives is given only if all of that went well.
    fn with_state<T>(
        &self,
        what: impl FnOnce(&mut State) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let mut state = self.state();
        let done = what(&mut state);
        let wiped = state.settle();
        if done.is_err() {
            // Whatever is wrong with the device, nothing of ours stays there.
            state.drop_pool();
        }
        let done = done?;
        wiped?;
        Ok(done)
    }

    fn sign<P: Parameters>(
        &self,
        way: Way,
        work: &Work<'_, P>,
        out: &mut [Signature<P>],
    ) -> Result<(), GpuError> {
        check_lengths(work.messages.len(), out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let signatures =
            self.with_state(|state| sign::sign(&self.device, state, &self.options, way, work))?;
        out.copy_from_slice(&signatures);
        Ok(())
    }

    fn verify<P: Parameters>(
        &self,
        claims: &Claims<'_, P>,
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), GpuError> {
        check_lengths(claims.len(), out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let verdicts =
            self.with_state(|state| verify::verify(&self.device, state, &self.options, claims))?;
        out.copy_from_slice(&verdicts);
        Ok(())
    }
}

fn check_lengths(jobs: usize, output: usize) -> Result<(), GpuError> {
    if jobs == output {
        Ok(())
    } else {
        Err(GpuError::OutputLength { jobs, output })
    }
}

impl State {
    /// The store of keys of a degree, made if there is none.
    pub(crate) fn store<P: Parameters>(
        &mut self,
        mode: KeyMode,
        device: &Arc<dyn Device>,
        options: &Options,
    ) -> Result<&mut KeyStore, GpuError> {
        let store = &mut self.stores[number_of::<P>()];
        match store {
            Some(store) => Ok(store),
            None => {
                // A quarter is for keys.
                let bytes = budget(device, options, 0)? / 4;
                let most = bytes / (8 * crate::keys::reals(mode, P::LOGN)).max(1);
                Ok(store.insert(KeyStore::new(mode, P::LOGN, most.min(1 << 20))))
            }
        }
    }

    /// Makes room for so many keys of a degree, or for as many as can be, and says
    /// for how many. No lane is at work.
    pub(crate) fn reserve<P: Parameters>(
        &mut self,
        mode: KeyMode,
        device: &Arc<dyn Device>,
        options: &Options,
        keys: usize,
    ) -> Result<usize, GpuError> {
        let mut most = self.store::<P>(mode, device, options)?.most();
        loop {
            let store = self.store::<P>(mode, device, options)?;
            match store.reserve(device, keys, most) {
                Ok(()) => return Ok(store.capacity()),
                // First without what chunks had, then with fewer keys.
                Err(GpuError::OutOfMemory { .. }) if self.pool.is_some() => self.drop_pool(),
                Err(GpuError::OutOfMemory { .. }) if most > 1 => most = most.min(keys.max(FEW)) / 2,
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives the memory of chunks back.
    fn drop_pool(&mut self) {
        for lane in &mut self.lanes {
            lane.detach();
        }
        self.pool = None;
    }

    /// Where keys and their hashes are.
    pub(crate) fn addresses<P: Parameters>(&self) -> (u64, u64) {
        let store = self.stores[number_of::<P>()].as_ref();
        store.map_or((0, 0), KeyStore::addresses)
    }

    /// Brings the keys of these jobs to the device, if they are not there, and
    /// says where each is; or nothing, if others are in the way. Lane `number` is
    /// not at work.
    pub(crate) fn bring<P: Parameters>(
        &mut self,
        number: usize,
        keys: &[&ExpandedKey<P>],
    ) -> Result<Option<Vec<u32>>, GpuError> {
        let Some(store) = &mut self.stores[number_of::<P>()] else {
            return Ok(None);
        };
        let groups = || keys.chunk_by(|a, b| std::ptr::eq(*a, *b));
        let missing = groups().filter(|group| store.place(group[0]).is_none());
        if !store.has_room(missing.count()) {
            return Ok(None);
        }
        let lane = &mut self.lanes[number];
        let mut places = Vec::with_capacity(keys.len());
        for group in groups() {
            let place = store.add(lane, group[0])?;
            places.resize(places.len() + group.len(), place);
        }
        Ok(Some(places))
    }

    /// Lets other keys take the place of all that are there. No lane is at work.
    pub(crate) fn replace_keys<P: Parameters>(&mut self) {
        if let Some(store) = &mut self.stores[number_of::<P>()] {
            store.replace();
        }
    }

    /// Divides a batch and makes room for its chunks: `divide` says into which
    /// chunks under some limits, `sizes` what one of them takes of the device, of
    /// locked memory to copy from, and to copy to. Says, too, on how many lanes
    /// there is room.
    pub(crate) fn prepare(
        &mut self,
        device: &Arc<dyn Device>,
        options: &Options,
        most_keys: usize,
        divide: impl Fn(Limits) -> Vec<Chunk>,
        sizes: impl Fn(&Chunk) -> (usize, usize, usize),
    ) -> Result<(Vec<Chunk>, usize), GpuError> {
        let had = self.pool.as_ref().map_or(0, Memory::len);
        let keys: usize = self.stores.iter().flatten().map(KeyStore::bytes).sum();
        let mut memory = budget(device, options, had + keys)?.saturating_sub(keys);
        // Threads that a processor holds at once.
        let jobs = options.chunk.unwrap_or(512 * device.processors() as usize);
        let mut streams = self.lanes.len().max(1);
        loop {
            let chunks = divide(Limits {
                jobs: jobs.clamp(1, MOST_JOBS),
                keys: most_keys,
                memory: memory / streams,
            });
            let most = chunks.iter().map(&sizes).fold((0, 0, 0), |most, size| {
                (most.0.max(size.0), most.1.max(size.1), most.2.max(size.2))
            });
            let lanes = chunks.len().min(streams);
            match self.equip(device, lanes, most) {
                // With less memory the chunks are smaller, until they are one job.
                Err(GpuError::OutOfMemory { .. })
                    if chunks.iter().any(|chunk| chunk.jobs.len() > 1) =>
                {
                    memory = (memory / 2).min(most.0.saturating_mul(lanes) / 2);
                }
                // And then one at a time.
                Err(GpuError::OutOfMemory { .. }) if lanes > 1 => streams = 1,
                result => return result.map(|()| (chunks, lanes)),
            }
        }
    }

    /// Gives each of so many lanes so much memory.
    fn equip(
        &mut self,
        device: &Arc<dyn Device>,
        lanes: usize,
        (memory, upload, download): (usize, usize, usize),
    ) -> Result<(), GpuError> {
        let needed = memory.saturating_mul(lanes);
        for lane in &mut self.lanes {
            lane.detach();
        }
        if self.pool.as_ref().is_none_or(|pool| pool.len() < needed) {
            // The old one goes first, so that there is room.
            self.pool = None;
            self.pool = Some(Memory::new(device, needed)?);
        }
        let base = self.pool.as_ref().map_or(0, Memory::address);
        for (number, lane) in self.lanes.iter_mut().enumerate().take(lanes) {
            lane.equip(base + (number * memory) as u64, memory, upload, download)?;
        }
        Ok(())
    }

    /// Waits for all lanes, and wipes what they had.
    fn settle(&mut self) -> Result<(), GpuError> {
        let mut settled = Ok(());
        for lane in &mut self.lanes {
            settled = settled.and(lane.wipe());
        }
        settled
    }
}

/// Most jobs of a chunk: kernels number the reals of their working memory, `8n` a
/// job, and the blocks of ChaCha20 with 32 bits.
const MOST_JOBS: usize = 1 << 18;

/// Bytes of the device that may be used by somebody who has so many already.
fn budget(device: &Arc<dyn Device>, options: &Options, had: usize) -> Result<usize, GpuError> {
    let free = device.memory()?.free + had as u64;
    let most = options.memory.unwrap_or(free / 4 * 3);
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}

/// Which of two.
fn number_of<P: Parameters>() -> usize {
    usize::from(P::LOGN == 10)
}

impl<P: Parameters> BatchSign<P> for GpuContext {
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        let work = Work {
            messages: jobs.iter().map(|job| job.message).collect(),
            keys: Keys::Stored(jobs.iter().map(|job| job.key).collect()),
            randomness: Randomness::Hedged(seed, first),
        };
        let way = self.way::<P>(self.mode(), Fit::Padded);
        Ok(self.sign(way, &work, out)?)
    }
}

impl<P: Parameters> BatchVerify<P> for GpuContext {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        Ok(self.verify(&Claims::Decoded(jobs), out)?)
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        Ok(self.verify(&Claims::Encoded(jobs), out)?)
    }
}
