//! A device that times its kernels, one at a time, and counts chunks.

use falcon_gpu::device::{Device, Grid};
use falcon_gpu::kernels::Batch;
use falcon_gpu::{GpuError, LoadedImage, MemoryInfo};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Watched {
    device: Arc<dyn Device>,
    seen: Mutex<Seen>,
}

/// Observations of launches.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    /// Milliseconds of each kernel.
    pub(crate) milliseconds: BTreeMap<String, f64>,
    /// Number of chunks into which batches were divided.
    pub(crate) chunks: usize,
    /// Number of jobs of the largest chunk.
    pub(crate) chunk_jobs: usize,
}

impl Watched {
    /// Wraps a device, to time its kernels.
    pub(crate) fn timed(device: Arc<dyn Device>) -> Arc<Self> {
        Arc::new(Self {
            device,
            seen: Mutex::default(),
        })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the observations since the last call.
    pub(crate) fn take(&self) -> Seen {
        std::mem::take(&mut *self.seen())
    }
}

// SAFETY: the wrapped device keeps the contract.
unsafe impl Device for Watched {
    fn name(&self) -> String {
        self.device.name()
    }
    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.device.memory()
    }
    fn loaded(&self) -> Vec<LoadedImage> {
        self.device.loaded()
    }
    fn streams(&self) -> usize {
        self.device.streams()
    }
    fn processors(&self) -> u32 {
        self.device.processors()
    }
    fn allocate(&self, len: usize) -> Result<u64, GpuError> {
        self.device.allocate(len)
    }
    unsafe fn free(&self, address: u64, len: usize) {
        // SAFETY: the caller keeps the contract of the wrapped device.
        unsafe { self.device.free(address, len) }
    }
    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError> {
        self.device.allocate_locked(len)
    }
    unsafe fn free_locked(&self, memory: NonNull<u8>, len: usize) {
        // SAFETY: the caller keeps the contract of the wrapped device.
        unsafe { self.device.free_locked(memory, len) }
    }
    unsafe fn zero(&self, stream: usize, to: u64, len: usize) -> Result<(), GpuError> {
        // SAFETY: the caller keeps the contract of the wrapped device.
        unsafe { self.device.zero(stream, to, len) }
    }
    unsafe fn upload(
        &self,
        stream: usize,
        to: u64,
        from: *const u8,
        len: usize,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller keeps the contract of the wrapped device.
        unsafe { self.device.upload(stream, to, from, len) }
    }
    unsafe fn download(
        &self,
        stream: usize,
        to: *mut u8,
        from: u64,
        len: usize,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller keeps the contract of the wrapped device.
        unsafe { self.device.download(stream, to, from, len) }
    }
    unsafe fn copy(&self, stream: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError> {
        // SAFETY: the caller keeps the contract of the wrapped device.
        unsafe { self.device.copy(stream, to, from, len) }
    }
    unsafe fn launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller keeps the contract of the wrapped device.
        let took = unsafe { self.device.timed_launch(stream, kernel, grid, batch) }?;
        let mut seen = self.seen();
        *seen.milliseconds.entry(kernel.to_owned()).or_default() += took;
        // Each chunk has one launch that hashes its messages.
        if kernel.starts_with("hash_") {
            seen.chunks += 1;
            seen.chunk_jobs = seen.chunk_jobs.max(batch.count as usize);
        }
        Ok(())
    }
    // Uses the timer of the wrapped device, if it has one.
    unsafe fn timed_launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<f64, GpuError> {
        // SAFETY: the caller keeps the contract of the wrapped device.
        unsafe { self.device.timed_launch(stream, kernel, grid, batch) }
    }
    fn wait(&self, stream: usize) -> Result<(), GpuError> {
        self.device.wait(stream)
    }
}
