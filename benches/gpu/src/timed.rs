//! A device that times its kernels: each is waited for.

use falcon_gpu::device::{Device, Grid};
use falcon_gpu::kernels::Batch;
use falcon_gpu::{GpuError, MemoryInfo};
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct Timed {
    device: Arc<dyn Device>,
    milliseconds: Mutex<BTreeMap<String, f64>>,
}

impl Timed {
    pub(crate) fn new(device: Arc<dyn Device>) -> Arc<Self> {
        Arc::new(Self {
            device,
            milliseconds: Mutex::default(),
        })
    }

    /// Milliseconds of each kernel since the last time.
    pub(crate) fn take(&self) -> BTreeMap<String, f64> {
        let times = self.milliseconds.lock();
        std::mem::take(&mut *times.unwrap_or_else(PoisonError::into_inner))
    }
}

// SAFETY: the device that it passes on to keeps the contract.
unsafe impl Device for Timed {
    fn name(&self) -> String {
        self.device.name()
    }
    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.device.memory()
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
        // SAFETY: as the caller promises.
        let took = unsafe { self.device.timed_launch(stream, kernel, grid, batch) }?;
        let times = self.milliseconds.lock();
        let mut times = times.unwrap_or_else(PoisonError::into_inner);
        *times.entry(kernel.to_owned()).or_default() += took;
        Ok(())
    }
    fn wait(&self, stream: usize) -> Result<(), GpuError> {
        self.device.wait(stream)
    }
}
