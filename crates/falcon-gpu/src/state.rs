//! State of a context on its device: streams, their memory pool, and keys.

use crate::device::{ChunkStream, Device, MOST_STREAMS, Memory};
use crate::division::{Chunk, Limits};
use crate::error::GpuError;
use crate::kernels::logn_of;
use crate::keys::{self, FEW, KeyStore, ResidentKey};
use crate::options::Options;
use falcon_core::Parameters;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use std::sync::Arc;

/// Everything that a context has on its device. Fields are dropped in this order, so streams are
/// dropped, and wait, before the memory that they use.
pub(crate) struct State {
    pub(crate) streams: Vec<ChunkStream>,
    pool: Option<Memory>,
    /// Bytes of device memory that chunks may take, from the last call of `prepare`.
    budget: usize,
    stores: [Option<KeyStore>; 2],
}

impl State {
    /// Creates the state of a device that holds nothing yet.
    pub(crate) fn new(device: &Arc<dyn Device>, options: &Options) -> Self {
        let streams = options
            .streams
            .unwrap_or(DEFAULT_STREAMS)
            .clamp(1, MOST_STREAMS);
        let streams =
            (0..streams.min(device.streams())).map(|number| ChunkStream::new(device, number));
        Self {
            streams: streams.collect(),
            pool: None,
            budget: 0,
            stores: [None, None],
        }
    }

    /// Returns the store of keys of a degree. Creates the store if necessary.
    pub(crate) fn store<P: Parameters>(
        &mut self,
        device: &Arc<dyn Device>,
        options: &Options,
    ) -> Result<&mut KeyStore, GpuError> {
        let store = &mut self.stores[number_of::<P>()];
        match store {
            Some(store) => Ok(store),
            None => {
                // Keys may take a quarter of the memory.
                let mode = options.key_mode;
                let bytes = budget(device, options, 0)? / 4;
                let most = keys::fit(mode, P::LOGN, bytes);
                Ok(store.insert(KeyStore::new(mode, P::LOGN, most.min(1 << 20))))
            }
        }
    }

    /// Grows the capacity for keys of a degree to `keys`, or to the number that fits. Returns the
    /// capacity. All streams must be idle.
    pub(crate) fn reserve<P: Parameters>(
        &mut self,
        device: &Arc<dyn Device>,
        options: &Options,
        keys: usize,
    ) -> Result<usize, GpuError> {
        let mut most = self.store::<P>(device, options)?.most();
        loop {
            let store = self.store::<P>(device, options)?;
            match store.reserve(device, keys, most) {
                Ok(()) => return Ok(store.capacity()),
                // If memory is short, first frees the memory of the chunks, and then tries fewer
                // keys.
                Err(GpuError::OutOfMemory { .. }) if self.pool.is_some() => self.drop_pool(),
                Err(GpuError::OutOfMemory { .. }) if most > 1 => most = most.min(keys.max(FEW)) / 2,
                Err(error) => return Err(error),
            }
        }
    }

    /// Frees the memory of chunks.
    pub(crate) fn drop_pool(&mut self) {
        for stream in &mut self.streams {
            stream.detach();
        }
        self.pool = None;
    }

    /// Returns the addresses of the keys and of their hashes.
    pub(crate) fn addresses<P: Parameters>(&self) -> (u64, u64) {
        let store = self.stores[number_of::<P>()].as_ref();
        store.map_or((0, 0), KeyStore::addresses)
    }

    /// Brings these keys to the device unless they are there, and returns the place of each key.
    /// Returns `None` if there is no place for them. Stream `number` must be idle.
    pub(crate) fn bring<P: Parameters>(
        &mut self,
        number: usize,
        keys: &[ResidentKey<'_, P>],
    ) -> Result<Option<Vec<u32>>, GpuError> {
        match &mut self.stores[number_of::<P>()] {
            Some(store) => store.bring(&mut self.streams[number], keys),
            None => Ok(None),
        }
    }

    /// Brings a key to the device unless it is there.
    pub(crate) fn upload<P: Parameters>(
        &mut self,
        key: ResidentKey<'_, P>,
        device: &Arc<dyn Device>,
        options: &Options,
    ) -> Result<(), GpuError> {
        let store = self.store::<P>(device, options)?;
        if store.has(key) {
            return Ok(());
        }
        // The capacity grows as long as the device has free memory.
        let keys = store.len() + 1;
        self.reserve::<P>(device, options, keys)?;
        if self.bring(0, &[key])?.is_none() {
            self.replace_keys::<P>()?;
            self.bring(0, &[key])?;
        }
        Ok(())
    }

    /// Removes all keys from the device.
    pub(crate) fn forget_keys(&mut self) {
        for store in self.stores.iter_mut().flatten() {
            store.clear();
        }
    }

    /// Removes all keys of a degree from the device, to free their places. All streams must be
    /// idle.
    pub(crate) fn replace_keys<P: Parameters>(&mut self) -> Result<(), GpuError> {
        let store = self.stores[number_of::<P>()].as_mut();
        store.map_or(Ok(()), KeyStore::replace)
    }

    /// Divides a batch and reserves memory for its chunks. A chunk has at most `most_jobs` jobs,
    /// unless the options give another number. `divide` returns the chunks under given limits.
    /// `sizes` returns the sizes of the memory that a chunk needs: device memory, locked memory to
    /// copy from, and locked memory to copy to. Returns the chunks, and the number of streams that
    /// have memory.
    pub(crate) fn prepare(
        &mut self,
        device: &Arc<dyn Device>,
        options: &Options,
        most_jobs: usize,
        most_keys: usize,
        divide: impl Fn(Limits) -> Vec<Chunk>,
        sizes: impl Fn(&Chunk) -> (usize, usize, usize),
    ) -> Result<(Vec<Chunk>, usize), GpuError> {
        let jobs = options.chunk.unwrap_or(most_jobs);
        let mut limit = self.streams.len().max(1);
        // As long as the chunks fit into the pool, the device is not asked for its free memory.
        let (mut memory, mut asked) = match self.pool {
            Some(_) => (self.budget, false),
            None => (self.budget_of_chunks(device, options)?, true),
        };
        loop {
            let chunks = divide(Limits {
                jobs: jobs.clamp(1, MOST_JOBS),
                keys: most_keys,
                memory: memory / limit,
            });
            let most = chunks.iter().map(&sizes).fold((0, 0, 0), |most, size| {
                (most.0.max(size.0), most.1.max(size.1), most.2.max(size.2))
            });
            let streams = chunks.len().min(limit);
            let had = self.pool.as_ref().map_or(0, Memory::len);
            if !asked && most.0.saturating_mul(streams) > had {
                (memory, asked) = (self.budget_of_chunks(device, options)?, true);
                continue;
            }
            self.budget = memory;
            match self.equip(device, streams, most) {
                // If memory is short, the chunks become smaller, down to one job.
                Err(GpuError::OutOfMemory { .. })
                    if chunks.iter().any(|chunk| chunk.jobs.len() > 1) =>
                {
                    memory = (memory / 2).min(most.0.saturating_mul(streams) / 2);
                }
                // If even this does not fit, the chunks run one at a time.
                Err(GpuError::OutOfMemory { .. }) if streams > 1 => limit = 1,
                result => return result.map(|()| (chunks, streams)),
            }
        }
    }

    /// Returns the bytes of device memory that chunks may take, including those that they already
    /// hold.
    fn budget_of_chunks(
        &self,
        device: &Arc<dyn Device>,
        options: &Options,
    ) -> Result<usize, GpuError> {
        let had = self.pool.as_ref().map_or(0, Memory::len);
        let keys: usize = self.stores.iter().flatten().map(KeyStore::bytes).sum();
        Ok(budget(device, options, had + keys)?.saturating_sub(keys))
    }

    /// Gives each of the first `streams` streams memory of these lengths.
    fn equip(
        &mut self,
        device: &Arc<dyn Device>,
        streams: usize,
        (memory, upload, download): (usize, usize, usize),
    ) -> Result<(), GpuError> {
        let needed = memory.saturating_mul(streams);
        for stream in &mut self.streams {
            stream.detach();
        }
        if self.pool.as_ref().is_none_or(|pool| pool.len() < needed) {
            // The old pool is freed first, so that both are not needed at once.
            self.pool = None;
            self.pool = Some(Memory::new(device, needed)?);
        }
        let base = self.pool.as_ref().map_or(0, Memory::address);
        for (number, stream) in self.streams.iter_mut().enumerate().take(streams) {
            stream.equip(base + (number * memory) as u64, memory, upload, download)?;
        }
        Ok(())
    }

    /// Waits for all streams, and wipes their memory.
    pub(crate) fn settle(&mut self) -> Result<(), GpuError> {
        let mut settled = Ok(());
        for stream in &mut self.streams {
            settled = settled.and(stream.wipe_device());
        }
        // Wipes locked memory even if waiting for its stream fails.
        let hosts = self.streams.par_iter_mut().map(ChunkStream::wipe_host);
        let hosts: Vec<_> = hosts.collect();
        hosts.into_iter().fold(settled, Result::and)
    }
}

/// Default number of streams. On an H100, 65,536 jobs take a tenth longer with two or eight streams
/// than with four. With eight streams, 2^20 jobs take 2 % less time than with four.
const DEFAULT_STREAMS: usize = 4;

/// Upper bound on the number of jobs of a chunk. Kernels number the blocks of ChaCha20 with 32
/// bits, and a job has at most 2^13 blocks.
pub(crate) const MOST_JOBS: usize = 1 << 18;

/// Returns the bytes of device memory that a context may use if it already holds `had` bytes.
fn budget(device: &Arc<dyn Device>, options: &Options, had: usize) -> Result<usize, GpuError> {
    let free = device.memory()?.free + had as u64;
    let most = options.memory.unwrap_or(free / 4 * 3);
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}

/// Returns the index of the parameter set, 0 or 1.
fn number_of<P: Parameters>() -> usize {
    usize::from(logn_of::<P>() == 10)
}
