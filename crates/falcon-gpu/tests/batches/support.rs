//! A device that the host emulates: it runs the GPU's kernels compiled for the CPU. It counts the
//! calls, fails on request, refuses memory beyond its size, and checks that freed memory is zero.

use falcon_gpu::device::{ALIGNMENT, Device, Grid, MemoryInfo};
use falcon_gpu::kernels::{Batch, status};
use falcon_gpu::{GpuContext, GpuError, Options};
use std::alloc::{Layout, alloc, dealloc};
use std::collections::{BTreeMap, BTreeSet};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

/// Number of bytes that are enough for every test.
pub const PLENTY: usize = 1 << 30;

/// Returns a context on a new device, or `None` if there is no compiler for the kernels.
pub fn context(total: usize, options: Options) -> Option<(Arc<HostDevice>, GpuContext)> {
    if !falcon_gpu_host::AVAILABLE {
        eprintln!("no C++ compiler: not tested");
        return None;
    }
    let device = HostDevice::new(total);
    Some((device.clone(), GpuContext::on(device, options)))
}

/// Number of streams of the device.
const STREAMS: usize = 3;

pub struct HostDevice {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    total: usize,
    used: usize,
    blocks: BTreeMap<u64, usize>,
    locked: BTreeMap<usize, usize>,
    calls: usize,
    /// The number of the call that fails, and whether all later calls fail, too.
    fails: Option<(usize, bool)>,
    failed: bool,
    dirty: bool,
    launched: Vec<(String, u32)>,
    streams_used: [bool; STREAMS],
    memory_asked: usize,
    callers: BTreeSet<String>,
    /// The last launch that expanded keys, and the number of small integers of each key.
    expanded: Option<(Batch, usize)>,
    /// Limit on the bytes of a signature, in place of the one in the batch.
    limit: Option<u32>,
    refused: Option<Refused>,
    spoilt: Option<Spoilt>,
    /// Makes zeroing of a certain length stop working: the length in bytes, and the number of calls
    /// that still work.
    unzeroed: Option<(usize, usize)>,
    /// Byte that fills new memory. The default is the status "done".
    filled: Option<u8>,
}

/// Kernels whose names begin with `kernels` and that fail after `first` launches.
#[derive(Clone, Copy)]
struct Spoilt {
    kernels: &'static str,
    fault: Fault,
    first: usize,
}

/// Decides whether a vector counts as too long. Arguments: the job's number in the whole batch, and
/// the attempt, from 0.
pub type Refused = fn(u64, u32) -> bool;

/// Fault of a launch. It is not reported as an error of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The kernels do nothing.
    Nothing,
    /// The launch panics.
    Panic,
    /// The kernels do not write the statuses of the jobs.
    NoStatus,
    /// The last block does nothing.
    LessBlock,
    /// The list of jobs for another attempt begins with an invalid job number.
    ForgedList,
    /// One coefficient of the first job's signature is wrong.
    WrongSignature,
}

impl HostDevice {
    /// Creates a device with `total` bytes of memory.
    pub fn new(total: usize) -> Arc<Self> {
        let state = State {
            total,
            ..State::default()
        };
        Arc::new(Self {
            state: Mutex::new(state),
        })
    }

    /// Makes call number `call`, counted from now, fail. If `lost` is true, all later calls fail,
    /// too.
    pub fn fail_at(&self, call: usize, lost: bool) {
        let mut state = self.state.lock().unwrap();
        state.fails = Some((state.calls + call, lost));
        state.failed = false;
    }

    /// Makes all calls work again. Returns true if a call has failed.
    pub fn recover(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        state.fails = None;
        std::mem::take(&mut state.failed)
    }

    /// Refuses signatures that are longer than `limit` bytes.
    pub fn refuse_longer_than(&self, limit: u32) {
        self.state.lock().unwrap().limit = Some(limit);
    }

    /// Refuses vectors as if their norm were too large.
    pub fn refuse(&self, refused: Refused) {
        self.state.lock().unwrap().refused = Some(refused);
    }

    /// Causes `fault` in the kernels whose names begin with `kernels`, after `first` launches.
    pub fn spoil(&self, kernels: &'static str, fault: Fault, first: usize) {
        self.state.lock().unwrap().spoilt = Some(Spoilt {
            kernels,
            fault,
            first,
        });
    }

    /// Makes zeroing of `len` bytes silently do nothing after `first` calls.
    pub fn forget_to_zero(&self, len: usize, first: usize) {
        self.state.lock().unwrap().unzeroed = Some((len, first));
    }

    /// Removes the faults of kernels and of zeroing.
    pub fn mend(&self) {
        let mut state = self.state.lock().unwrap();
        (state.spoilt, state.unzeroed) = (None, None);
    }

    /// Fills newly allocated memory with this byte.
    pub fn fill(&self, byte: u8) {
        self.state.lock().unwrap().filled = Some(byte);
    }

    /// Returns the number of calls so far.
    pub fn calls(&self) -> usize {
        self.state.lock().unwrap().calls
    }

    /// Returns the kernels launched since the last call, each with its number of slots.
    pub fn launched(&self) -> Vec<(String, u32)> {
        std::mem::take(&mut self.state.lock().unwrap().launched)
    }

    /// Returns the reals and the small integers of the keys that were expanded last, or `None` if
    /// no key was expanded since the previous call. They are read from the current contents of the
    /// memory, which must not have been freed.
    pub fn expanded(&self) -> Option<(Vec<f64>, Vec<u8>)> {
        let mut state = self.state.lock().unwrap();
        let (batch, small) = state.expanded.take()?;
        let count = batch.count as usize;
        drop(state);
        let (reals, small) = (batch.key_stride as usize * count, small * count);
        self.check(batch.keys, 8 * reals);
        self.check(batch.bases, small);
        // SAFETY: the memory is allocated and has this length. All bit patterns are valid reals.
        Some(unsafe {
            (
                std::slice::from_raw_parts(batch.keys as *const f64, reals).to_vec(),
                std::slice::from_raw_parts(batch.bases as *const u8, small).to_vec(),
            )
        })
    }

    /// Returns the number of streams that were used since the last call.
    pub fn streams_used(&self) -> usize {
        let used = std::mem::take(&mut self.state.lock().unwrap().streams_used);
        used.iter().filter(|&&used| used).count()
    }

    /// Returns how many times the device was asked for its memory since the last call.
    pub fn memory_asked(&self) -> usize {
        std::mem::take(&mut self.state.lock().unwrap().memory_asked)
    }

    /// Returns the names of the threads that have called the device.
    pub fn callers(&self) -> BTreeSet<String> {
        self.state.lock().unwrap().callers.clone()
    }

    /// Returns the number of allocated bytes.
    pub fn used(&self) -> usize {
        self.state.lock().unwrap().used
    }

    /// Returns true if all memory of the device and all memory locked for it is zero.
    pub fn is_wiped(&self) -> bool {
        let state = self.state.lock().unwrap();
        let mut blocks = state.blocks.iter();
        // SAFETY: the blocks are allocated and have these lengths.
        let wiped = blocks.all(|(&address, &len)| unsafe { is_zero(address as *const u8, len) });
        drop(state);
        wiped && self.locked_is_wiped()
    }

    /// True if all memory of the host that is locked for copies is zero.
    pub fn locked_is_wiped(&self) -> bool {
        let state = self.state.lock().unwrap();
        let mut locked = state.locked.iter();
        // SAFETY: the blocks are allocated, were initialised by their owners, and have these
        // lengths.
        locked.all(|(&address, &len)| unsafe { is_zero(address as *const u8, len) })
    }

    /// Returns true if these bytes are in the memory of the device, at a multiple of 8.
    pub fn holds(&self, bytes: &[u8]) -> bool {
        let state = self.state.lock().unwrap();
        state.blocks.iter().any(|(&address, &len)| {
            // SAFETY: the block is allocated and has this length.
            let block = unsafe { std::slice::from_raw_parts(address as *const u8, len) };
            let mut places = block.windows(bytes.len()).step_by(8);
            places.any(|place| place == bytes)
        })
    }

    /// True if all freed memory was zero. Device memory that is freed between a failed call and
    /// [`recover`](Self::recover) does not count.
    pub fn was_wiped(&self) -> bool {
        !self.state.lock().unwrap().dirty
    }

    /// Counts a call.
    fn call(&self, stream: usize, fail: impl FnOnce() -> GpuError) -> Result<(), GpuError> {
        let mut state = self.state.lock().unwrap();
        let number = state.calls;
        state.calls += 1;
        let caller = std::thread::current().name().unwrap_or_default().to_owned();
        state.callers.insert(caller);
        if let Some(used) = state.streams_used.get_mut(stream) {
            *used = true;
        }
        match state.fails {
            Some((call, lost)) if number == call || (lost && number > call) => {
                state.failed = true;
                Err(fail())
            }
            _ => Ok(()),
        }
    }

    /// Panics unless the range lies in memory of the device.
    fn check(&self, address: u64, len: usize) {
        let state = self.state.lock().unwrap();
        let block = state.blocks.range(..=address).next_back();
        let (&start, &block) = block.expect("memory of the device");
        assert!(address + len as u64 <= start + block as u64);
    }
}

impl Drop for HostDevice {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap();
        assert!(state.blocks.is_empty() && state.locked.is_empty());
    }
}

fn refused(doing: &'static str) -> GpuError {
    GpuError::Driver {
        doing,
        cause: "the test wants it so".to_owned(),
    }
}

/// True if memory is zero.
///
/// # Safety
/// The memory is valid for reads, initialised, and has `len` bytes.
unsafe fn is_zero(memory: *const u8, len: usize) -> bool {
    // SAFETY: the caller keeps the contract of this function.
    let bytes = unsafe { std::slice::from_raw_parts(memory, len) };
    bytes.iter().all(|&byte| byte == 0)
}

/// For each job of a launch, returns the place of its status in `batch.status` and its number in
/// the whole batch.
///
/// # Safety
/// The batch is valid as an argument of kernels.
unsafe fn jobs_of(batch: &Batch) -> Vec<(*mut u8, u64)> {
    let job = |slot: u32| {
        let job = match batch.list {
            0 => slot,
            // SAFETY: there is a job for each slot.
            list => unsafe { *(list as *const u32).add(slot as usize) },
        };
        // SAFETY: there is a status for each job.
        let place = unsafe { (batch.status as *mut u8).add(job as usize) };
        (place, batch.first + u64::from(job))
    };
    (0..batch.count).map(job).collect()
}

fn layout(len: usize) -> Layout {
    Layout::from_size_align(len, ALIGNMENT).unwrap()
}

// SAFETY: memory comes from the allocator, and every operation is done when its call returns.
unsafe impl Device for HostDevice {
    fn name(&self) -> String {
        "the host".to_owned()
    }

    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        let mut state = self.state.lock().unwrap();
        state.memory_asked += 1;
        Ok(MemoryInfo {
            free: (state.total - state.used) as u64,
            total: state.total as u64,
        })
    }

    fn streams(&self) -> usize {
        STREAMS
    }

    fn processors(&self) -> u32 {
        2
    }

    fn allocate(&self, len: usize) -> Result<u64, GpuError> {
        let refused = || GpuError::OutOfMemory { asked: len as u64 };
        self.call(STREAMS, refused)?;
        let mut state = self.state.lock().unwrap();
        if state.total - state.used < len {
            return Err(refused());
        }
        state.used += len;
        // SAFETY: the length is not zero.
        let address = unsafe { alloc(layout(len)) };
        assert!(!address.is_null());
        // Fresh memory may have any contents, for example statuses of jobs that are done.
        // SAFETY: the memory belongs to this device and has `len` bytes.
        unsafe { address.write_bytes(state.filled.unwrap_or(status::DONE), len) };
        state.blocks.insert(address as u64, len);
        Ok(address as u64)
    }

    unsafe fn free(&self, address: u64, len: usize) {
        let mut state = self.state.lock().unwrap();
        assert_eq!(state.blocks.remove(&address), Some(len));
        state.used -= len;
        let address = address as *mut u8;
        // SAFETY: the memory is allocated and has this length.
        let bytes = unsafe { std::slice::from_raw_parts(address, len) };
        state.dirty |= !state.failed && bytes.iter().any(|&byte| byte != 0);
        // SAFETY: the memory is from `alloc`, with this layout.
        unsafe { dealloc(address, layout(len)) };
    }

    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError> {
        self.call(STREAMS, || GpuError::OutOfMemory { asked: len as u64 })?;
        let mut state = self.state.lock().unwrap();
        // SAFETY: the length is not zero.
        let memory = NonNull::new(unsafe { alloc(layout(len)) }).unwrap();
        state.locked.insert(memory.as_ptr() as usize, len);
        Ok(memory)
    }

    unsafe fn free_locked(&self, memory: NonNull<u8>, len: usize) {
        let mut state = self.state.lock().unwrap();
        let address = memory.as_ptr();
        assert_eq!(state.locked.remove(&(address as usize)), Some(len));
        // SAFETY: the memory is allocated, was initialised by its owner, and has this length.
        let bytes = unsafe { std::slice::from_raw_parts(address, len) };
        state.dirty |= bytes.iter().any(|&byte| byte != 0);
        // SAFETY: the memory is from `alloc`, with this layout.
        unsafe { dealloc(address, layout(len)) };
    }

    unsafe fn zero(&self, stream: usize, to: u64, len: usize) -> Result<(), GpuError> {
        self.call(stream, || refused("wipe"))?;
        self.check(to, len);
        if let Some((unzeroed, first)) = &mut self.state.lock().unwrap().unzeroed
            && *unzeroed == len
        {
            match first.checked_sub(1) {
                Some(fewer) => *first = fewer,
                None => return Ok(()),
            }
        }
        // SAFETY: the caller keeps the contract of this function. The range was checked.
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
        self.call(stream, || refused("upload"))?;
        self.check(to, len);
        // If the memory is not locked, a driver copies it to buffers that nobody wipes.
        let state = self.state.lock().unwrap();
        let block = state.locked.range(..=from as usize).next_back();
        let locked = block.is_some_and(|(start, block)| from as usize + len <= start + block);
        drop(state);
        assert!(locked, "copied from memory that is not locked");
        // SAFETY: the caller keeps the contract of this function. The range was checked.
        unsafe { from.copy_to_nonoverlapping(to as *mut u8, len) };
        Ok(())
    }

    unsafe fn download(
        &self,
        stream: usize,
        to: *mut u8,
        from: u64,
        len: usize,
    ) -> Result<(), GpuError> {
        self.call(stream, || refused("download"))?;
        self.check(from, len);
        // SAFETY: the caller keeps the contract of this function. The range was checked.
        unsafe { to.copy_from_nonoverlapping(from as *const u8, len) };
        Ok(())
    }

    unsafe fn copy(&self, stream: usize, to: u64, from: u64, len: usize) -> Result<(), GpuError> {
        self.call(stream, || refused("copy"))?;
        self.check(to, len);
        self.check(from, len);
        // SAFETY: the caller keeps the contract of this function. The range was checked.
        unsafe { (from as *const u8).copy_to_nonoverlapping(to as *mut u8, len) };
        Ok(())
    }

    unsafe fn launch(
        &self,
        stream: usize,
        kernel: &str,
        grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError> {
        let failed = |cause: String| GpuError::Launch {
            kernel: kernel.to_owned(),
            cause,
        };
        if kernel.starts_with("expand") || kernel.starts_with("basis") {
            let n = if kernel.ends_with("_10") { 1024 } else { 512 };
            self.state.lock().unwrap().expanded = Some((*batch, 4 * n));
        }
        self.call(stream, || failed("the test wants it so".to_owned()))?;
        let launch = (kernel.to_owned(), batch.count);
        let mut state = self.state.lock().unwrap();
        state.launched.push(launch);
        let mut batch = *batch;
        if let Some(limit) = state.limit {
            batch.signature_limit = limit;
        }
        let mut fault = None;
        if let Some(spoilt) = &mut state.spoilt
            && kernel.starts_with(spoilt.kernels)
        {
            match spoilt.first.checked_sub(1) {
                Some(first) => spoilt.first = first,
                None => fault = Some(spoilt.fault),
            }
        }
        let refused = state.refused.filter(|_| kernel.starts_with("accept"));
        drop(state);
        assert_ne!(fault, Some(Fault::Panic), "the test wants it so");
        if fault == Some(Fault::Nothing) {
            return Ok(());
        }
        if let Some(refused) = refused {
            // SAFETY: the kernel reads the batch, and no other operation is running.
            for (place, job) in unsafe { jobs_of(&batch) } {
                if refused(job, batch.attempt) {
                    // SAFETY: the kernel reads the batch, and no other operation is running.
                    unsafe { *place = status::LONG };
                }
            }
        }
        let mut before = Vec::new();
        if fault == Some(Fault::NoStatus) {
            // SAFETY: the kernel writes the statuses, and no other operation is running.
            let jobs = unsafe { jobs_of(&batch) }.into_iter();
            // SAFETY: the kernel writes the statuses, and no other operation is running.
            before = jobs.map(|(place, _)| (place, unsafe { *place })).collect();
        }
        let blocks = grid.blocks - u32::from(fault == Some(Fault::LessBlock));
        // SAFETY: the caller keeps the contract of this function.
        let launched =
            unsafe { falcon_gpu_host::launch(kernel, &batch, blocks, grid.threads, grid.shared) };
        for (place, status) in before {
            // SAFETY: the kernel writes the statuses, and no other operation is running.
            unsafe { *place = status };
        }
        if fault == Some(Fault::ForgedList) {
            // SAFETY: the kernel has written the list, and no other operation is running.
            unsafe { *(batch.redo as *mut u32) = batch.count };
        }
        if fault == Some(Fault::WrongSignature) {
            // SAFETY: the kernel has read `s2`, and no other operation is running.
            unsafe { *(batch.s2 as *mut i16) ^= 1 };
        }
        launched.map_err(|error| failed(error.to_string()))
    }

    fn wait(&self, stream: usize) -> Result<(), GpuError> {
        self.call(stream, || refused("wait"))
    }
}
