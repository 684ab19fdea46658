//! Devices that run kernels, in three layers. The `unsafe` trait [`Device`] works with addresses
//! and streams, like a driver. `Memory` and `Locked` own memory. `ChunkStream` is a stream with its
//! memory, and denies access to memory that is in use.

mod chunk_stream;
#[cfg(feature = "cuda")]
pub(crate) mod cuda;
#[cfg(feature = "cuda")]
mod driver;
#[cfg(feature = "cuda")]
mod image;
mod loaded;

#[cfg(feature = "cuda")]
pub use cuda::open_cuda;
pub use loaded::{ImageForm, LoadedImage};

pub(crate) use chunk_stream::ChunkStream;

use crate::error::GpuError;
use crate::kernels::Batch;
use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSliceMut;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Instant;
use zeroize::optimization_barrier;

/// Upper bound on the number of streams of a device.
pub(crate) const MOST_STREAMS: usize = 16;

/// Memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Number of free bytes.
    pub free: u64,
    /// Total number of bytes.
    pub total: u64,
}

/// Numbers of blocks and threads with which a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of blocks.
    pub blocks: u32,
    /// Number of threads of a block.
    pub threads: u32,
    /// Number of bytes of shared memory of a block.
    pub shared: u32,
}

/// Alignment of all memory of a device in bytes: the length of a cache line.
pub const ALIGNMENT: usize = 128;

/// A device with streams. A stream executes operations in the order of the calls. A call may return
/// before its operation is done, so an error may appear at a later call.
///
/// # Safety
/// Allocated memory is valid for reads and writes, by the device or by the host, until it is freed.
/// [`wait`](Self::wait) returns `Ok` only when all operations of the stream are done.
pub unsafe trait Device: Send + Sync {
    /// Name of the device.
    fn name(&self) -> String;

    /// The kernel images that the device has tried so far, in the order of the attempts. Each entry
    /// says whether the image was loaded or refused, and the time that this took. Empty by default.
    fn loaded(&self) -> Vec<LoadedImage> {
        Vec::new()
    }

    /// Memory of the device.
    ///
    /// # Errors
    /// If the device does not answer.
    fn memory(&self) -> Result<MemoryInfo, GpuError>;

    /// Number of streams that can be used at once. They are numbered from zero. A stream that is
    /// not used costs nothing.
    fn streams(&self) -> usize;

    /// Number of processors of the device. Each of them runs many threads.
    fn processors(&self) -> u32;

    /// Allocates memory of the device, aligned to [`ALIGNMENT`]. `len` is not zero.
    ///
    /// # Errors
    /// Usually [`GpuError::OutOfMemory`].
    fn allocate(&self, len: usize) -> Result<u64, GpuError>;

    /// Frees memory of the device.
    ///
    /// # Safety
    /// `address` and `len` are those of a call of [`allocate`](Self::allocate), and nothing uses
    /// the memory.
    unsafe fn free(&self, address: u64, len: usize);

    /// Allocates memory of the host that is locked for copies. `len` is not zero. The contents are
    /// undefined at first.
    ///
    /// # Errors
    /// Usually [`GpuError::OutOfMemory`].
    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError>;

    /// Frees locked memory of the host.
    ///
    /// # Safety
    /// `memory` and `len` are those of a call of [`allocate_locked`](Self::allocate_locked), and
    /// nothing uses the memory.
    unsafe fn free_locked(&self, memory: NonNull<u8>, len: usize);

    /// Zeroes memory of the device.
    ///
    /// # Errors
    /// If the device refuses.
    ///
    /// # Safety
    /// Until the stream has been waited for, the memory is valid, and nothing outside the stream
    /// uses it.
    unsafe fn zero(&self, stream: usize, to: u64, len: usize) -> Result<(), GpuError>;

    /// Copies to the device.
    ///
    /// # Errors
    /// If the device refuses.
    ///
    /// # Safety
    /// Until the stream has been waited for, `from` and `to` are valid, nothing writes to `from`,
    /// and nothing outside the stream uses `to`.
    unsafe fn upload(
        &self,
        stream: usize,
        to: u64,
        from: *const u8,
        len: usize,
    ) -> Result<(), GpuError>;

    /// Copies from the device.
    ///
    /// # Errors
    /// If the device refuses.
    ///
    /// # Safety
    /// Until the stream has been waited for, `from` and `to` are valid, nothing uses `to`, and
    /// nothing outside the stream writes to `from`.
    unsafe fn download(
        &self,
        stream: usize,
        to: *mut u8,
        from: u64,
        len: usize,
    ) -> Result<(), GpuError>;

    /// Copies within the memory of the device.
    ///
    /// # Errors
    /// If the device refuses.
    ///
    /// # Safety
    /// Until the stream has been waited for, `from` and `to` are valid and do not overlap, and
    /// nothing outside the stream uses `to` or writes to `from`.
    unsafe fn copy(&self, stream: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError>;

    /// Starts a kernel.
    ///
    /// # Errors
    /// [`GpuError::Launch`].
    ///
    /// # Safety
    /// `kernels/batch.h` says which memory the kernel reads and writes. Until the stream has been
    /// waited for, this memory is valid memory of this device. During this time, nothing outside
    /// the stream writes to memory that the kernel reads, or uses memory that the kernel writes.
    unsafe fn launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError>;

    /// Launches a kernel as [`launch`](Self::launch) does, and waits. Returns the time that the
    /// kernel took, in milliseconds.
    ///
    /// # Errors
    /// As for `launch` and [`wait`](Self::wait).
    ///
    /// # Safety
    /// As for `launch`.
    unsafe fn timed_launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<f64, GpuError> {
        self.wait(stream)?;
        let start = Instant::now();
        // SAFETY: the caller keeps the contract of this function.
        unsafe { self.launch(stream, kernel, grid, batch) }?;
        self.wait(stream)?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }

    /// Waits until all work of a stream is done.
    ///
    /// # Errors
    /// If an operation that was started on the stream has failed.
    fn wait(&self, stream: usize) -> Result<(), GpuError>;
}

/// A block of memory of a device. It is wiped when dropped.
pub(crate) struct Memory {
    device: Arc<dyn Device>,
    address: u64,
    len: usize,
}

impl Memory {
    /// Allocates at least `len` bytes.
    pub(crate) fn new(device: &Arc<dyn Device>, len: usize) -> Result<Self, GpuError> {
        let len = len.max(1).next_multiple_of(ALIGNMENT);
        let address = device.allocate(len)?;
        Ok(Self {
            device: device.clone(),
            address,
            len,
        })
    }

    /// Address of the first byte.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Wipes the bytes in `range`, and waits. No work on the device may use these bytes.
    pub(crate) fn wipe(&mut self, range: Range<usize>) -> Result<(), GpuError> {
        let range = range.start.min(self.len)..range.end.min(self.len);
        if range.is_empty() {
            return Ok(());
        }
        let from = self.address + range.start as u64;
        // SAFETY: `self` owns the memory, and `wait` returns after the operation.
        unsafe { self.device.zero(0, from, range.len()) }.and(self.device.wait(0))
    }

    /// Copies as much of `other` as fits to the beginning of this memory, and waits. No work on the
    /// device may use either of the two memories.
    pub(crate) fn copy_from(&mut self, other: &Self) -> Result<(), GpuError> {
        let len = self.len.min(other.len);
        // SAFETY: `self` and `other` are memory of this device, and have at least `len` bytes.
        unsafe { self.device.copy(0, self.address, other.address, len) }.and(self.device.wait(0))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // All users of the memory have been waited for. If wiping fails, the device and its memory
        // are lost.
        let _ = self.wipe(0..self.len);
        // SAFETY: `self` owns the memory.
        unsafe { self.device.free(self.address, self.len) };
    }
}

/// Memory of the host that is locked for copies. It is wiped when dropped.
pub(crate) struct Locked {
    device: Arc<dyn Device>,
    memory: NonNull<u8>,
    len: usize,
    /// Number of bytes, from the beginning, that may have been written to since the last wipe. The
    /// later bytes are zero.
    used: usize,
}

// SAFETY: a `Locked` owns its memory, which is only written to through `&mut`.
unsafe impl Send for Locked {}

impl Locked {
    /// Allocates at least `len` bytes, all zero.
    pub(crate) fn new(device: &Arc<dyn Device>, len: usize) -> Result<Self, GpuError> {
        let len = len.max(1);
        let memory = device.allocate_locked(len)?;
        let uninit = memory.as_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: the memory was just allocated and has `len` bytes.
        let uninit = unsafe { std::slice::from_raw_parts_mut(uninit, len) };
        fill(uninit, MaybeUninit::new(0));
        Ok(Self {
            device: device.clone(),
            memory,
            len,
            used: 0,
        })
    }

    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the address of the first byte, to copy from. During the copy, nothing may be written
    /// through slices.
    fn as_ptr(&self) -> *const u8 {
        self.memory.as_ptr()
    }

    /// Returns the address of `range`, to copy to. The range must lie within the memory. During the
    /// copy, nothing may be read or written through slices.
    fn copied_to(&mut self, range: Range<usize>) -> *mut u8 {
        self.used = self.used.max(range.end);
        // SAFETY: the range lies within the memory, so its beginning does.
        unsafe { self.memory.as_ptr().add(range.start) }
    }

    /// Returns the contents of the memory. No copy may be in progress.
    fn bytes(&self) -> &[u8] {
        // SAFETY: `self` owns the memory, which has `len` initialised bytes.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.len) }
    }

    /// Returns the first `len` bytes, or all bytes if there are fewer, to be written. No copy may
    /// be in progress.
    fn bytes_mut(&mut self, len: usize) -> &mut [u8] {
        let len = len.min(self.len);
        self.used = self.used.max(len);
        // SAFETY: `self` owns the memory, which has `len` initialised bytes. `&mut self` excludes
        // other references.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr(), len) }
    }

    /// Wipes the used bytes, on all threads. No copy may be in progress. The stores have the width
    /// of registers, while `zeroize` would make a volatile store for each byte. The barrier
    /// prevents the compiler from removing the stores.
    fn wipe(&mut self) {
        let used = self.bytes_mut(self.used);
        fill(used, 0);
        optimization_barrier(used);
        self.used = 0;
    }
}

/// Number of bytes that one thread fills at a time. This is enough work to be worth waking a
/// thread.
const FILLED_AT_ONCE: usize = 256 << 10;

/// Fills `bytes` on all threads of the pool that the caller is in. A short slice is filled by the
/// calling thread alone, since it may hold a lock that other threads wait for.
fn fill<T: Copy + Send + Sync>(bytes: &mut [T], value: T) {
    if bytes.len() <= FILLED_AT_ONCE {
        bytes.fill(value);
    } else {
        let pieces = bytes.par_chunks_mut(FILLED_AT_ONCE);
        pieces.for_each(|piece| piece.fill(value));
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        self.wipe();
        // SAFETY: `self` owns the memory.
        unsafe { self.device.free_locked(self.memory, self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_filled() {
        for len in [
            0,
            1,
            FILLED_AT_ONCE,
            FILLED_AT_ONCE + 1,
            5 * FILLED_AT_ONCE - 3,
        ] {
            let mut bytes = vec![1u8; len + 1];
            fill(&mut bytes[..len], 0);
            assert!(bytes[..len].iter().all(|&byte| byte == 0));
            assert_eq!(bytes[len], 1);
        }
    }
}
