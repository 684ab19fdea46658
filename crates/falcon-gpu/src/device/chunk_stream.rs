//! A CUDA stream with its slice of the memory pool and its locked memory.

use super::{Device, Grid, Locked};
use crate::error::GpuError;
use crate::kernels::{Batch, Kernel};
use std::ops::Range;
use std::sync::Arc;

/// Number of threads of a block, unless the block has one warp only.
const BLOCK: u32 = 128;
/// Number of bytes of locked memory for copying secrets that do not belong to a batch.
const PIECE: usize = 64 << 10;
/// If a warp needs more than this number of bytes of shared memory, it is a block of its own.
const MUCH: u32 = 4 << 10;

/// A stream, with the memory of the device and the locked memory that its copies use. Methods that
/// give access to the locked memory first wait for the stream.
pub(crate) struct ChunkStream {
    device: Arc<dyn Device>,
    stream: usize,
    /// Beginning of the stream's slice of the pool.
    base: u64,
    len: usize,
    upload: Option<Locked>,
    download: Option<Locked>,
    busy: bool,
    /// True if the memory of the device may have been written to since it was wiped.
    dirty: bool,
}

impl ChunkStream {
    /// Creates the stream with this number.
    pub(crate) fn new(device: &Arc<dyn Device>, stream: usize) -> Self {
        Self {
            device: device.clone(),
            stream,
            base: 0,
            len: 0,
            upload: None,
            download: None,
            busy: false,
            dirty: false,
        }
    }

    /// Gives memory to the stream: `len` bytes of the device from `base` on, which nothing may use,
    /// and locked memory of `upload` and `download` bytes for copies.
    pub(crate) fn equip(
        &mut self,
        base: u64,
        len: usize,
        upload: usize,
        download: usize,
    ) -> Result<(), GpuError> {
        self.wait()?;
        (self.base, self.len) = (base, len);
        // The slice may hold data that other streams have left there.
        self.dirty = true;
        at_least(&self.device, &mut self.upload, upload)?;
        at_least(&self.device, &mut self.download, download)?;
        Ok(())
    }

    /// Waits, and takes the stream's device memory away.
    pub(crate) fn detach(&mut self) {
        // If this wait fails, the device is lost and does not use the memory any more.
        let _ = self.wait();
        (self.base, self.len) = (0, 0);
    }

    /// Returns the address at `offset` of the stream's device memory.
    pub(crate) fn address(&self, offset: usize) -> u64 {
        self.base + offset as u64
    }

    /// Waits, and returns the first `len` bytes of the memory that is copied to the device next.
    /// The memory must have at least `len` bytes.
    pub(crate) fn outgoing(&mut self, len: usize) -> Result<&mut [u8], GpuError> {
        self.wait()?;
        let Some(upload) = &mut self.upload else {
            return Self::check(&(0..len), 0).map(|()| &mut [][..]);
        };
        Self::check(&(0..len), upload.len())?;
        Ok(upload.bytes_mut(len))
    }

    /// Waits, and returns the memory that was copied from the device.
    pub(crate) fn incoming(&mut self) -> Result<&[u8], GpuError> {
        self.wait()?;
        Ok(self.download.as_ref().map_or(&[], Locked::bytes))
    }

    /// Returns an error unless `range` lies within `len` bytes.
    fn check(range: &Range<usize>, len: usize) -> Result<(), GpuError> {
        if range.start <= range.end && range.end <= len {
            Ok(())
        } else {
            Err(GpuError::Driver {
                doing: "copy",
                cause: "there is less memory than the copy is long".to_owned(),
            })
        }
    }

    /// Copies `range` of the outgoing memory to the same place of the stream's device memory.
    pub(crate) fn send(&mut self, range: Range<usize>) -> Result<(), GpuError> {
        let Some(upload) = &self.upload else {
            return Self::check(&range, 0);
        };
        Self::check(&range, upload.len().min(self.len))?;
        if range.is_empty() {
            return Ok(());
        }
        (self.busy, self.dirty) = (true, true);
        // SAFETY: both ranges lie in memory of this stream. This memory is accessed, freed or
        // replaced only after the stream has been waited for.
        unsafe {
            let from = upload.as_ptr().add(range.start);
            let to = self.base + range.start as u64;
            self.device.upload(self.stream, to, from, range.len())
        }
    }

    /// Copies `range` of the stream's device memory to the incoming memory, at `to`.
    pub(crate) fn fetch(&mut self, range: Range<usize>, to: usize) -> Result<(), GpuError> {
        let Some(download) = &mut self.download else {
            return Self::check(&range, 0);
        };
        Self::check(&range, self.len)?;
        let to = to..to.saturating_add(range.len());
        Self::check(&to, download.len())?;
        if range.is_empty() {
            return Ok(());
        }
        self.busy = true;
        // SAFETY: both ranges are in memory of this stream, as in `send`.
        unsafe {
            let to = download.copied_to(to);
            let from = self.base + range.start as u64;
            self.device.download(self.stream, to, from, range.len())
        }
    }

    /// Zeroes `range` of the stream's device memory.
    pub(crate) fn zero(&mut self, range: Range<usize>) -> Result<(), GpuError> {
        Self::check(&range, self.len)?;
        if range.is_empty() {
            return Ok(());
        }
        self.busy = true;
        let to = self.base + range.start as u64;
        // SAFETY: the range lies in memory of this stream.
        unsafe { self.device.zero(self.stream, to, range.len()) }
    }

    /// Copies secret bytes to the device, piece by piece through the stream's locked memory, and
    /// waits. Wipes the locked memory afterwards. If the bytes were copied from other memory, the
    /// driver would first copy them to its own buffers, which nobody wipes.
    ///
    /// # Safety
    /// `to` is memory of the device that has `bytes.len()` bytes and that nobody else uses.
    pub(crate) unsafe fn send_secret(&mut self, to: u64, bytes: &[u8]) -> Result<(), GpuError> {
        self.wait()?;
        let upload = at_least(&self.device, &mut self.upload, bytes.len().min(PIECE))?;
        let len = upload.len();
        let mut sent = Ok(());
        for (piece, to) in bytes.chunks(len).zip((to..).step_by(len)) {
            upload.bytes_mut(piece.len()).copy_from_slice(piece);
            let from = upload.as_ptr();
            // SAFETY: the caller keeps the contract of this function. `upload` is borrowed until
            // the copy is done.
            sent = unsafe { self.device.upload(self.stream, to, from, piece.len()) }
                .and(self.device.wait(self.stream));
            if sent.is_err() {
                break;
            }
        }
        upload.wipe();
        sent
    }

    /// Waits for the stream, then copies `len` bytes from the device through its locked memory.
    /// Wipes the locked memory afterwards.
    ///
    /// # Safety
    /// `from` is memory of the device that has `len` bytes and that nobody else writes to.
    pub(crate) unsafe fn receive(&mut self, from: u64, len: usize) -> Result<Vec<u8>, GpuError> {
        self.wait()?;
        let download = at_least(&self.device, &mut self.download, len)?;
        let to = download.copied_to(0..len);
        // SAFETY: the caller keeps the contract of this function. `download` is borrowed until the
        // copy is done.
        let received = unsafe { self.device.download(self.stream, to, from, len) }
            .and(self.device.wait(self.stream));
        let bytes = download.bytes().get(..len).unwrap_or_default().to_vec();
        download.wipe();
        received.map(|()| bytes)
    }

    /// Starts a kernel on `batch.count` slots.
    ///
    /// # Safety
    /// As for [`Device::launch`].
    pub(crate) unsafe fn launch(&mut self, kernel: Kernel, batch: &Batch) -> Result<(), GpuError> {
        if batch.count == 0 {
            return Ok(());
        }
        (self.busy, self.dirty) = (true, true);
        let (name, grid) = (kernel.name(), grid(kernel, batch));
        // SAFETY: the caller keeps the contract of this function.
        unsafe { self.device.launch(self.stream, &name, grid, batch) }
    }

    /// Waits until all work of the stream is done.
    pub(crate) fn wait(&mut self) -> Result<(), GpuError> {
        if self.busy {
            // If waiting fails, the device is lost and does nothing any more.
            self.busy = false;
            self.device.wait(self.stream)?;
        }
        Ok(())
    }

    /// Begins to wipe the stream's device memory, unless it is wiped already.
    pub(crate) fn wipe_device(&mut self) -> Result<(), GpuError> {
        if !self.dirty {
            return Ok(());
        }
        self.zero(0..self.len)?;
        self.dirty = false;
        Ok(())
    }

    /// Waits, and wipes the stream's locked memory.
    pub(crate) fn wipe_host(&mut self) -> Result<(), GpuError> {
        let waited = self.wait();
        self.wipe_locked();
        waited
    }

    /// Wipes all memory of the stream after its last chunk of a batch was read, while other streams
    /// still work. The device may still be wiping when this function returns.
    pub(crate) fn retire(&mut self) -> Result<(), GpuError> {
        self.wait()?;
        self.wipe_device()?;
        // The stream only writes to device memory now.
        self.wipe_locked();
        Ok(())
    }

    /// Wipes the stream's locked memory. No copy may be in progress.
    fn wipe_locked(&mut self) {
        for locked in [&mut self.upload, &mut self.download].into_iter().flatten() {
            locked.wipe();
        }
    }
}

impl Drop for ChunkStream {
    fn drop(&mut self) {
        let _ = self.wait();
    }
}

/// Returns `locked`, after replacing it by new memory if it has fewer than `len` bytes. Nothing may
/// use the old memory.
fn at_least<'l>(
    device: &Arc<dyn Device>,
    locked: &'l mut Option<Locked>,
    len: usize,
) -> Result<&'l mut Locked, GpuError> {
    let enough = locked.take().filter(|locked| locked.len() >= len);
    // The old memory is freed first, so that both are not needed at once.
    let new = match enough {
        Some(locked) => locked,
        None => Locked::new(device, len)?,
    };
    Ok(locked.insert(new))
}

/// Returns the number of warps of a block, and the bytes of its shared memory. A warp that needs
/// much shared memory is a block of its own, so that each processor holds as many warps as fit.
fn block(kernel: Kernel) -> (u32, u32) {
    let bytes = 8 * kernel.shared_reals() as u32;
    let warps = if bytes > MUCH { 1 } else { BLOCK / 32 };
    (warps, warps * bytes)
}

/// Returns the blocks and threads with which a kernel is launched.
fn grid(kernel: Kernel, batch: &Batch) -> Grid {
    let slot = kernel.threads(batch.prng_rows).max(1);
    let (warps, shared) = block(kernel);
    let threads = 32 * warps;
    let all = u64::from(batch.count) * u64::from(slot);
    Grid {
        blocks: u32::try_from(all.div_ceil(u64::from(threads))).unwrap_or(u32::MAX),
        threads,
        shared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{KeyMode, Operation};

    #[test]
    fn grids_cover_all_slots_within_the_shared_memory() {
        let grid_of = |operation, logn, count| {
            let kernel = Kernel { operation, logn };
            let batch = Batch {
                count,
                prng_rows: 44,
                ..Batch::default()
            };
            let grid = grid(kernel, &batch);
            (grid.blocks, grid.threads, grid.shared)
        };
        assert_eq!(grid_of(Operation::Hash, 9, 129), (2, 128, 0));
        assert_eq!(grid_of(Operation::Prng, 9, 3), (9, 128, 8 << 10));
        // A warp signs four signatures.
        let sign = Operation::Sign(KeyMode::Expanded);
        assert_eq!(grid_of(sign, 9, 5), (2, 32, 16 << 10));
        let sign = Operation::Sign(KeyMode::Transient);
        assert_eq!(grid_of(sign, 10, 1000), (250, 32, 17 << 10));
        assert_eq!(grid_of(Operation::Expand, 10, 5), (5, 32, 36 << 10));
        assert_eq!(grid_of(Operation::Verify, 9, 5), (2, 128, 4 << 10));
    }
}
