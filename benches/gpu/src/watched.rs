//! A device with fewer streams, or one that times its kernels: each is waited for.

use falcon_gpu::device::{Device, Grid};
use falcon_gpu::kernels::Batch;
use falcon_gpu::{GpuError, MemoryInfo};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct Watched {
    device: Arc<dyn Device>,
    streams: usize,
    /// Of each kernel, if they are timed.
    milliseconds: Option<Mutex<BTreeMap<String, f64>>>,
}

impl Watched {
    /// The device with so many of its streams: one at least, and no more than it has.
    pub(crate) fn with_streams(device: Arc<dyn Device>, streams: usize) -> Arc<Self> {
        Arc::new(Self {
            streams: streams.clamp(1, device.streams().max(1)),
            device,
            milliseconds: None,
        })
    }

    /// The device, whose kernels are timed.
    pub(crate) fn timed(device: Arc<dyn Device>) -> Arc<Self> {
        Arc::new(Self {
            streams: device.streams(),
            device,
            milliseconds: Some(Mutex::default()),
        })
    }

    /// Milliseconds of each kernel since the last time.
    pub(crate) fn take(&self) -> BTreeMap<String, f64> {
        self.milliseconds
            .as_ref()
            .map_or_else(BTreeMap::new, |times| {
                std::mem::take(&mut *times.lock().unwrap_or_else(PoisonError::into_inner))
            })
    }
}

// SAFETY: the device that it passes on to keeps the contract.
unsafe impl Device for Watched {
    fn name(&self) -> String {
        self.device.name()
    }
    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.device.memory()
    }
    fn streams(&self) -> usize {
        self.streams
    }
    fn processors(&self) -> u32 {
        self.device.processors()
    }
    fn shared_memory(&self) -> u32 {
        self.device.shared_memory()
    }
    fn allocate(&self, len: usize) -> Result<u64, GpuError> {
        self.device.allocate(len)
    }
    unsafe fn free(&self, address: u64, len: usize) {
        // SAFETY: as the caller promises, here and below.
        unsafe { self.device.free(address, len) }
    }
    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError> {
        self.device.allocate_locked(len)
    }
    unsafe fn free_locked(&self, memory: NonNull<u8>, len: usize) {
        // SAFETY: as the caller promises.
        unsafe { self.device.free_locked(memory, len) }
    }
    unsafe fn zero(&self, stream: usize, to: u64, len: usize) -> Result<(), GpuError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.zero(stream, to, len) }
    }
    unsafe fn upload(
        &self,
        stream: usize,
        to: u64,
        from: *const u8,
        len: usize,
    ) -> Result<(), GpuError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.upload(stream, to, from, len) }
    }
    unsafe fn download(
        &self,
        stream: usize,
        to: *mut u8,
        from: u64,
        len: usize,
    ) -> Result<(), GpuError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.download(stream, to, from, len) }
    }
    unsafe fn copy(&self, stream: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.copy(stream, to, from, len) }
    }
    unsafe fn launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError> {
        let Some(times) = &self.milliseconds else {
            // SAFETY: as the caller promises, here and below.
            return unsafe { self.device.launch(stream, kernel, grid, batch) };
        };
        // SAFETY: as above.
        let took = unsafe { self.device.timed_launch(stream, kernel, grid, batch) }?;
        let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
        *times.entry(kernel.to_owned()).or_default() += took;
        Ok(())
    }
    // By the events of the device, where it has some.
    unsafe fn timed_launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<f64, GpuError> {
        // SAFETY: as the caller promises.
        unsafe { self.device.timed_launch(stream, kernel, grid, batch) }
    }
    fn wait(&self, stream: usize) -> Result<(), GpuError> {
        self.device.wait(stream)
    }
}
