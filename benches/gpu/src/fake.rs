//! A device for tests, whose memory is that of this process.

use falcon_gpu::device::{ALIGNMENT, Device, Grid};
use falcon_gpu::kernels::Batch;
use falcon_gpu::{GpuError, MemoryInfo};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

type Launch = dyn Fn(&str, Grid, &Batch) + Send + Sync;

/// A device whose kernels are a Rust function.
pub(crate) struct Fake {
    launch: Box<Launch>,
}

impl Fake {
    pub(crate) fn new(launch: impl Fn(&str, Grid, &Batch) + Send + Sync + 'static) -> Self {
        Self {
            launch: Box::new(launch),
        }
    }
}

// SAFETY: addresses are those of this process, and a call returns when its work is done.
unsafe impl Device for Fake {
    fn name(&self) -> String {
        "fake".to_owned()
    }
    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        Ok(MemoryInfo {
            free: 1 << 30,
            total: 1 << 30,
        })
    }
    fn streams(&self) -> usize {
        1
    }
    fn processors(&self) -> u32 {
        1
    }
    fn allocate(&self, len: usize) -> Result<u64, GpuError> {
        let layout = Layout::from_size_align(len, ALIGNMENT);
        let layout = layout.map_err(|_| GpuError::OutOfMemory { asked: len as u64 })?;
        // SAFETY: the caller guarantees that `len` is not zero.
        let memory = unsafe { alloc(layout) };
        // SAFETY: the memory has this length, and may hold any bytes.
        unsafe { memory.write_bytes(0xff, len) };
        Ok(memory as u64)
    }
    unsafe fn free(&self, address: u64, len: usize) {
        // SAFETY: the caller passes memory of `allocate`, which used this layout.
        unsafe {
            dealloc(
                address as *mut u8,
                Layout::from_size_align_unchecked(len, ALIGNMENT),
            )
        };
    }
    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError> {
        let address = self.allocate(len)? as *mut u8;
        NonNull::new(address).ok_or(GpuError::OutOfMemory { asked: len as u64 })
    }
    unsafe fn free_locked(&self, memory: NonNull<u8>, len: usize) {
        // SAFETY: the caller passes memory of `allocate_locked`, which calls `allocate`.
        unsafe { self.free(memory.as_ptr() as u64, len) };
    }
    unsafe fn zero(&self, _: usize, to: u64, len: usize) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees that `to` has `len` bytes.
        unsafe { (to as *mut u8).write_bytes(0, len) };
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
        // SAFETY: the caller guarantees that both have `len` bytes.
        unsafe { self.copy(stream, to as u64, from, len) }
    }
    unsafe fn copy(&self, _: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees that both have `len` bytes.
        unsafe { (from as *const u8).copy_to(to as *mut u8, len) };
        Ok(())
    }
    unsafe fn launch(
        &self,
        _: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError> {
        (self.launch)(kernel, grid, batch);
        Ok(())
    }
    fn wait(&self, _: usize) -> Result<(), GpuError> {
        Ok(())
    }
}
