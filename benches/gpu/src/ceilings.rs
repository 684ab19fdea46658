//! What the device can do at most: copies, and the arithmetic that the kernels
//! are made of.

use crate::median;
use falcon_gpu::GpuError;
use falcon_gpu::device::{Device, Grid};
use falcon_gpu::kernels::Batch;
use std::time::Instant;

/// `ceilings.cu`, compiled by `ptx.sh --file`.
pub(crate) const PTX: &str = include_str!("../ceilings.ptx");

/// A ceiling: its name, its unit, and how much of that is done in a second.
pub(crate) type Ceiling = (&'static str, &'static str, Result<f64, GpuError>);

/// Bytes of a copy.
const COPY: usize = 256 << 20;
/// Rounds of a thread.
const ROUNDS: u32 = 1000;
const RUNS: usize = 5;

/// All of them.
pub(crate) fn measure(device: &dyn Device) -> Vec<Ceiling> {
    let kernel = |name, rounds, each| kernel(device, name, rounds, each);
    vec![
        ("to the device", "B/s", copy(device, true)),
        ("from the device", "B/s", copy(device, false)),
        (
            "on the device, read and written",
            "B/s",
            kernel("ceiling_copy", 64, 32.0),
        ),
        (
            "binary64 products and sums",
            "op/s",
            kernel("ceiling_f64", ROUNDS, 16.0),
        ),
        (
            "32-bit products with a sum",
            "op/s",
            kernel("ceiling_imad", ROUNDS, 8.0),
        ),
        (
            "Keccak-f",
            "op/s",
            kernel("ceiling_keccak", ROUNDS / 10, 1.0),
        ),
        (
            "ChaCha20 blocks",
            "op/s",
            kernel("ceiling_chacha", ROUNDS / 10, 1.0),
        ),
    ]
}

/// Bytes a second between locked memory and the device.
fn copy(device: &dyn Device, up: bool) -> Result<f64, GpuError> {
    let memory = device.allocate(COPY)?;
    let copied = device.allocate_locked(COPY).and_then(|locked| {
        // SAFETY: it is that long; the driver reads what was written.
        unsafe { locked.write_bytes(1, COPY) };
        let mut times = Vec::new();
        let mut result = Ok(());
        for _ in 0..RUNS {
            let start = Instant::now();
            // SAFETY: both are that long and ours, and are waited for.
            let asked = unsafe {
                match up {
                    true => device.upload(0, memory, locked.as_ptr(), COPY),
                    false => device.download(0, locked.as_ptr(), memory, COPY),
                }
            };
            result = result.and(asked).and(device.wait(0));
            times.push(start.elapsed().as_secs_f64());
        }
        // SAFETY: nothing uses it any more.
        unsafe {
            locked.write_bytes(0, COPY);
            device.free_locked(locked, COPY);
        }
        result.map(|()| COPY as f64 / median(&mut times))
    });
    give_back(device, memory, COPY);
    copied
}

/// What a kernel does in a second, a round of a thread being `each`.
fn kernel(device: &dyn Device, name: &str, rounds: u32, each: f64) -> Result<f64, GpuError> {
    let threads = 2048 * device.processors();
    // Reals of all threads, or what is read and written.
    let len = 32
        * threads as usize
        * if name == "ceiling_copy" {
            rounds as usize
        } else {
            1
        };
    let memory = device.allocate(len)?;
    let batch = Batch {
        scratch: memory,
        count: threads,
        attempt: rounds,
        ..Batch::default()
    };
    let grid = Grid {
        blocks: threads / 256,
        threads: 256,
        shared: 0,
    };
    let run = |_| {
        // SAFETY: the kernel writes a real a thread, or copies half of the memory to
        // the other half; it is waited for.
        unsafe { device.timed_launch(0, name, grid, &batch) }
    };
    let times: Result<Vec<_>, _> = (0..RUNS + 1).map(run).collect();
    give_back(device, memory, len);
    let mut times = times?;
    // The first warms up.
    let milliseconds = median(&mut times[1..]);
    Ok(f64::from(threads) * f64::from(rounds) * each / milliseconds * 1e3)
}

fn give_back(device: &dyn Device, memory: u64, len: usize) {
    // SAFETY: it is ours, that long, and nothing uses it any more.
    unsafe {
        let _ = device.zero(0, memory, len);
        let _ = device.wait(0);
        device.free(memory, len);
    }
}
