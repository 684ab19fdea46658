//! Measures how many signatures a second the host can stage and deliver, on a device whose copies
//! and kernels do nothing and take no time. Signing on a GPU cannot be faster.
//!
//! ```sh
//! RAYON_NUM_THREADS=2 cargo run --release -p falcon-gpu --example host_rates -- 1048576
//! ```
//!
//! Two more arguments set `Options::streams` and `Options::chunk`.

use falcon_core::batch::{BatchSign, BatchVerify, SignJob, Verdict, VerifyBytesJob};
use falcon_core::{Falcon512, Falcon1024, Parameters, Signature, SigningKey};
use falcon_gpu::device::{ALIGNMENT, Device, Grid, MemoryInfo};
use falcon_gpu::kernels::{Batch, status};
use falcon_gpu::{GpuContext, GpuError, KeyMode, Options};
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Number of processors of an H200.
const PROCESSORS: u32 = 132;
const STREAMS: usize = 16;
const MEMORY: u64 = 128 << 30;

/// Number of keys if neighbouring jobs have different keys. The keys do not fit into the caches.
const KEYS: usize = 1 << 14;
/// Number of runs of each batch.
const ROUNDS: usize = 7;

/// A device that does no work and takes no time. It has addresses, but no memory behind them.
/// Downloads return the reports of kernels that have done all jobs.
struct Instantly {
    next: AtomicU64,
    last: Mutex<[Batch; STREAMS]>,
}

impl Instantly {
    fn last(&self, stream: usize) -> Batch {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)[stream]
    }
}

fn layout(len: usize) -> Layout {
    Layout::from_size_align(len, ALIGNMENT).expect("a length that was asked for")
}

// SAFETY: nobody reads or writes the memory of the device. The memory of the host comes from the
// allocator. Every operation is done when its call returns.
unsafe impl Device for Instantly {
    fn name(&self) -> String {
        "no device at all".to_owned()
    }

    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        Ok(MemoryInfo {
            free: MEMORY,
            total: MEMORY,
        })
    }

    fn streams(&self) -> usize {
        STREAMS
    }

    fn processors(&self) -> u32 {
        PROCESSORS
    }

    fn allocate(&self, len: usize) -> Result<u64, GpuError> {
        let len = len.next_multiple_of(ALIGNMENT) as u64;
        Ok(self.next.fetch_add(len, Ordering::Relaxed))
    }

    unsafe fn free(&self, _address: u64, _len: usize) {}

    fn allocate_locked(&self, len: usize) -> Result<NonNull<u8>, GpuError> {
        // SAFETY: the length is not zero.
        NonNull::new(unsafe { alloc(layout(len)) })
            .ok_or(GpuError::OutOfMemory { asked: len as u64 })
    }

    unsafe fn free_locked(&self, memory: NonNull<u8>, len: usize) {
        // SAFETY: the memory is from `alloc`, with this layout.
        unsafe { dealloc(memory.as_ptr(), layout(len)) };
    }

    unsafe fn zero(&self, _stream: usize, _to: u64, _len: usize) -> Result<(), GpuError> {
        Ok(())
    }

    unsafe fn upload(
        &self,
        _stream: usize,
        _to: u64,
        _from: *const u8,
        _len: usize,
    ) -> Result<(), GpuError> {
        Ok(())
    }

    /// Reports every job as done. The vectors are zero, like all memory that was never written.
    unsafe fn download(
        &self,
        stream: usize,
        to: *mut u8,
        from: u64,
        len: usize,
    ) -> Result<(), GpuError> {
        let batch = self.last(stream);
        if from == batch.status {
            // SAFETY: the caller keeps the contract of this function.
            unsafe { to.write_bytes(status::DONE, len) };
        } else if from == batch.counts {
            let told = u64::from(batch.count) << 32;
            // SAFETY: the caller keeps the contract of this function. `told` has 8 bytes, for two
            // counts.
            unsafe { to.copy_from_nonoverlapping(told.to_le_bytes().as_ptr(), len.min(8)) };
        }
        Ok(())
    }

    unsafe fn copy(
        &self,
        _stream: usize,
        _to: u64,
        _from: u64,
        _len: usize,
    ) -> Result<(), GpuError> {
        Ok(())
    }

    unsafe fn launch(
        &self,
        stream: usize,
        _kernel: &str,
        _grid: Grid,
        batch: &Batch,
    ) -> Result<(), GpuError> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)[stream] = *batch;
        Ok(())
    }

    fn wait(&self, _stream: usize) -> Result<(), GpuError> {
        Ok(())
    }
}

/// Prints the rate in millions of jobs a second, as the median of `ROUNDS` runs. A run before these
/// allocates the memory.
fn measure(what: &str, jobs: usize, mut batch: impl FnMut()) {
    batch();
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            batch();
            jobs as f64 / start.elapsed().as_secs_f64() / 1e6
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!("{what:<30} {:6.2} M/s", rates[ROUNDS / 2]);
}

fn rates<P: Parameters>(all: usize, options: &Options) {
    let device = Arc::new(Instantly {
        next: AtomicU64::new(1 << 20),
        last: Mutex::default(),
    });
    let context = GpuContext::on(device.clone(), options.clone());
    // Each key has its own memory. All keys are copies of eight keys, since generating so many
    // takes long.
    let made: Vec<_> = (0..8)
        .map(|seed| SigningKey::<P>::from_seed(&[seed; 32]).expect("no fault"))
        .collect();
    let again = |key: &SigningKey<P>| {
        SigningKey::<P>::try_from(key.to_bytes().as_ref()).expect("the bytes of a key")
    };
    let keys: Vec<_> = made.iter().cycle().take(all.min(KEYS)).map(again).collect();
    let public: Vec<_> = keys.iter().map(|key| key.verifying_key().clone()).collect();
    let expanded = keys[0].expand();
    let messages: Vec<_> = (0..all as u64).map(u64::to_le_bytes).collect();
    let seed = [1; 32];

    let mut out = vec![Signature::EMPTY; all];
    let jobs: Vec<_> = messages
        .iter()
        .map(|message| SignJob::new(&expanded, message))
        .collect();
    measure(&format!("{} sign, shared key", P::NAME), all, || {
        context
            .sign_batch(&seed, &jobs, &mut out)
            .expect("a device that does not fail");
    });
    let jobs: Vec<_> = messages
        .iter()
        .enumerate()
        .map(|(i, message)| SignJob::new(&keys[i % keys.len()], message))
        .collect();
    let mut transient = options.clone();
    transient.key_mode = KeyMode::Transient;
    let transient = GpuContext::on(device, transient);
    measure(&format!("{} sign, raw keys", P::NAME), all, || {
        transient
            .sign_batch(&seed, &jobs, &mut out)
            .expect("a device that does not fail");
    });
    drop((out, transient));

    let mut out = vec![Verdict::Invalid; all];
    let signature = vec![0x30 + P::LOGN as u8; all * P::PADDED_LEN];
    let signatures = signature.chunks_exact(P::PADDED_LEN);
    for (what, keys) in [("shared key", 1), ("own keys", public.len())] {
        let jobs: Vec<_> = messages
            .iter()
            .zip(signatures.clone())
            .enumerate()
            .map(|(i, (message, signature))| VerifyBytesJob {
                key: &public[i % keys],
                message,
                signature,
            })
            .collect();
        measure(&format!("{} verify, {what}", P::NAME), all, || {
            context
                .verify_bytes_batch(&jobs, &mut out)
                .expect("a device that does not fail");
        });
    }
}

fn main() {
    let argument = |number| {
        let argument = std::env::args().nth(number)?;
        Some(argument.parse().expect("a number"))
    };
    let all = argument(1).unwrap_or(1 << 20);
    let mut options = Options::default();
    (options.streams, options.chunk) = (argument(2), argument(3));
    let threads = rayon::current_num_threads();
    println!("batches of {all}, {threads} threads, medians of {ROUNDS}");
    rates::<Falcon512>(all, &options);
    rates::<Falcon1024>(all, &options);
}
