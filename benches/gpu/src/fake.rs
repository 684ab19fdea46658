//! A device without a GPU. Either its memory is that of this process, or it does nothing.

use falcon_gpu::device::{ALIGNMENT, Device, Grid};
use falcon_gpu::kernels::{Batch, status};
use falcon_gpu::{GpuError, MemoryInfo};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

type Launch = dyn Fn(&str, Grid, &Batch) + Send + Sync;

const STREAMS: usize = 16;
/// Number of processors of an H200.
const PROCESSORS: u32 = 132;

/// A device whose kernels are a Rust function, or one that does no work and takes no time.
pub(crate) struct Fake {
    /// `None` if the device does no work. Then addresses have no memory behind them, and downloads
    /// return the reports of kernels that have done all jobs.
    launch: Option<Box<Launch>>,
    /// Next address of a device that does no work.
    next: AtomicU64,
    /// Last launch of each stream.
    last: Mutex<[Batch; STREAMS]>,
}

impl Fake {
    #[cfg(test)]
    pub(crate) fn new(launch: impl Fn(&str, Grid, &Batch) + Send + Sync + 'static) -> Self {
        Self {
            launch: Some(Box::new(launch)),
            ..Self::idle()
        }
    }

    /// Makes a device that does no work.
    pub(crate) fn idle() -> Self {
        Self {
            launch: None,
            next: AtomicU64::new(1 << 20),
            last: Mutex::default(),
        }
    }
}

// SAFETY: addresses are those of this process, or nobody reads or writes them. A call returns when
// its work is done.
unsafe impl Device for Fake {
    fn name(&self) -> String {
        "fake".to_owned()
    }
    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        Ok(MemoryInfo {
            free: 128 << 30,
            total: 128 << 30,
        })
    }
    fn streams(&self) -> usize {
        STREAMS
    }
    fn processors(&self) -> u32 {
        PROCESSORS
    }
    fn allocate(&self, len: usize) -> Result<u64, GpuError> {
        if self.launch.is_none() {
            let len = len.next_multiple_of(ALIGNMENT) as u64;
            return Ok(self.next.fetch_add(len, Ordering::Relaxed));
        }
        Ok(self.allocate_locked(len)?.as_ptr() as u64)
    }
    unsafe fn free(&self, address: u64, len: usize) {
        if let (Some(_), Some(memory)) = (&self.launch, NonNull::new(address as *mut u8)) {
            // SAFETY: the caller passes memory of `allocate`, which calls `allocate_locked`.
            unsafe { self.free_locked(memory, len) };
        }
    }
    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError> {
        let layout = Layout::from_size_align(len, ALIGNMENT);
        let layout = layout.map_err(|_| GpuError::OutOfMemory { asked: len as u64 })?;
        // SAFETY: the caller guarantees that `len` is not zero.
        let memory = NonNull::new(unsafe { alloc(layout) })
            .ok_or(GpuError::OutOfMemory { asked: len as u64 })?;
        // SAFETY: the memory has this length, and may hold any bytes.
        unsafe { memory.write_bytes(0xff, len) };
        Ok(memory)
    }
    unsafe fn free_locked(&self, memory: NonNull<u8>, len: usize) {
        // SAFETY: the caller passes memory of `allocate_locked`, which used this layout.
        unsafe {
            dealloc(
                memory.as_ptr(),
                Layout::from_size_align_unchecked(len, ALIGNMENT),
            )
        };
    }
    unsafe fn zero(&self, _: usize, to: u64, len: usize) -> Result<(), GpuError> {
        if self.launch.is_some() {
            // SAFETY: the caller guarantees that `to` has `len` bytes.
            unsafe { (to as *mut u8).write_bytes(0, len) };
        }
        Ok(())
    }
    unsafe fn upload(
        &self,
        stream: usize,
        to: u64,
        from: *const u8,
        len: usize,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees that both have `len` bytes.
        unsafe { self.copy(stream, to, from as u64, len) }
    }
    unsafe fn download(
        &self,
        stream: usize,
        to: *mut u8,
        from: u64,
        len: usize,
    ) -> Result<(), GpuError> {
        if self.launch.is_none() {
            let batch = self.last.lock().unwrap_or_else(PoisonError::into_inner)[stream];
            let counts = (u64::from(batch.count) << 32).to_le_bytes();
            // SAFETY: the caller guarantees that `to` has `len` bytes.
            unsafe {
                if from == batch.status {
                    to.write_bytes(status::DONE, len);
                } else if from == batch.counts {
                    to.copy_from_nonoverlapping(counts.as_ptr(), len.min(counts.len()));
                }
            }
        }
        // SAFETY: the caller guarantees that both have `len` bytes.
        unsafe { self.copy(stream, to as u64, from, len) }
    }
    unsafe fn copy(&self, _: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError> {
        if self.launch.is_some() {
            // SAFETY: the caller guarantees that both have `len` bytes.
            unsafe { (from as *const u8).copy_to(to as *mut u8, len) };
        }
        Ok(())
    }
    unsafe fn launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError> {
        match &self.launch {
            Some(launch) => launch(kernel, grid, batch),
            None => self.last.lock().unwrap_or_else(PoisonError::into_inner)[stream] = *batch,
        }
        Ok(())
    }
    fn wait(&self, _: usize) -> Result<(), GpuError> {
        Ok(())
    }
}
