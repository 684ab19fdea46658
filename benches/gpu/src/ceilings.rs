//! Limits of the device: copies, and the arithmetic in the kernels.

use crate::bench::{Bench, Outcome};
use crate::jobs::{Result, median};
use crate::results::{Line, Results};
use falcon_gpu::GpuError;
use falcon_gpu::device::{Device, Grid, open_cuda};
use falcon_gpu::kernels::Batch;
use std::time::Instant;

/// `ceilings.cu`, compiled by `ceilings.sh`.
const PTX: &str = include_str!("../ceilings.ptx");

/// Largest number of seconds that all measurements together take on a GPU.
const TAKES: f64 = 3.0;
/// Number of bytes of a copy.
const COPY: usize = 256 << 20;
/// Number of rounds of a thread.
const ROUNDS: u32 = 1000;
const RUNS: usize = 5;
/// Length of a real in bytes. A thread writes one real, or two in each round of a copy.
const REAL: usize = size_of::<f64>();

/// Measures all limits and writes them.
pub(crate) fn tell(bench: &Bench<'_>, results: &mut Results) -> Result<Outcome<()>> {
    if TAKES > bench.budget.left() {
        return Ok(Outcome::NoTime(TAKES));
    }
    let device = &*open_cuda(bench.arguments.device, &[PTX])?;
    let mut tell = |what, unit, per_s: Result<f64, GpuError>| {
        let line = Line::Ceiling {
            what,
            unit,
            error: per_s.as_ref().err().map(ToString::to_string),
            per_s: per_s.ok(),
        };
        results.tell(&line, bench.budget.spent())
    };
    tell("to the device", "B/s", copy(device, true))?;
    tell("from the device", "B/s", copy(device, false))?;
    let kernels = [
        ("read and written on the device", "B/s", "copy", 64, 32.0),
        ("binary64 products and sums", "op/s", "f64", ROUNDS, 16.0),
        ("32-bit products with a sum", "op/s", "imad", ROUNDS, 8.0),
        ("Keccak-f", "op/s", "keccak", ROUNDS / 10, 1.0),
        ("ChaCha20 blocks", "op/s", "chacha", ROUNDS / 10, 1.0),
    ];
    for (what, unit, name, rounds, each) in kernels {
        tell(what, unit, kernel(device, name, rounds, each))?;
    }
    Ok(Outcome::Done(()))
}

/// Memory of a device, freed when the measurement ends.
struct Memory<'d> {
    device: &'d dyn Device,
    address: u64,
    len: usize,
}

impl<'d> Memory<'d> {
    fn new(device: &'d dyn Device, len: usize) -> Result<Self, GpuError> {
        let address = device.allocate(len)?;
        let memory = Self {
            device,
            address,
            len,
        };
        memory.zero()?;
        Ok(memory)
    }

    fn zero(&self) -> Result<(), GpuError> {
        // SAFETY: this object owns the memory of this length, and waits for the call.
        unsafe { self.device.zero(0, self.address, self.len) }.and(self.device.wait(0))
    }

    /// Writes a real.
    fn write(&self, place: usize, real: f64) -> Result<(), GpuError> {
        assert!(place < self.len / REAL);
        let to = self.address + (place * REAL) as u64;
        // SAFETY: the place is within the memory. Both memories stay valid until the stream has
        // been waited for.
        unsafe { self.device.upload(0, to, (&raw const real).cast(), REAL) }
            .and(self.device.wait(0))
    }

    /// Reads reals.
    fn read(&self, place: usize, count: usize) -> Result<Vec<f64>, GpuError> {
        assert!(place + count <= self.len / REAL);
        let mut reals = vec![0.0; count];
        let (from, to) = (self.address + (place * REAL) as u64, reals.as_mut_ptr());
        // SAFETY: the place is within the memory. Both memories stay valid until the stream has
        // been waited for.
        unsafe { self.device.download(0, to.cast(), from, REAL * count) }
            .and(self.device.wait(0))?;
        Ok(reals)
    }
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        let _ = self.zero();
        // SAFETY: this object owns the memory of this length, and no call uses it any more.
        unsafe { self.device.free(self.address, self.len) };
    }
}

/// Measures a copy between locked memory and the device, in bytes a second.
fn copy(device: &dyn Device, up: bool) -> Result<f64, GpuError> {
    let memory = Memory::new(device, COPY)?;
    let locked = device.allocate_locked(COPY)?;
    // SAFETY: the locked memory has this length. The driver reads the written bytes.
    unsafe { locked.write_bytes(1, COPY) };
    let mut times = Vec::new();
    let mut result = Ok(());
    for _ in 0..RUNS {
        let start = Instant::now();
        // SAFETY: this function owns both memories of this length, and waits for the copy.
        let asked = unsafe {
            match up {
                true => device.upload(0, memory.address, locked.as_ptr(), COPY),
                false => device.download(0, locked.as_ptr(), memory.address, COPY),
            }
        };
        result = result.and(asked).and(device.wait(0));
        times.push(start.elapsed().as_secs_f64());
    }
    // SAFETY: no call uses the locked memory any more.
    unsafe {
        locked.write_bytes(0, COPY);
        device.free_locked(locked, COPY);
    }
    result.map(|()| COPY as f64 / median(&mut times))
}

/// Measures a kernel whose threads do `each` operations in a round, in operations a second. Returns
/// an error if the threads have not written their results.
fn kernel(device: &dyn Device, name: &str, rounds: u32, each: f64) -> Result<f64, GpuError> {
    let kernel = &*format!("ceiling_{name}");
    let threads = 2048 * device.processors();
    let count = threads as usize;
    // Number of reals that the copying kernel reads. It writes the same number of reals after them.
    let half = match name {
        "copy" => 2 * count * rounds as usize,
        _ => 0,
    };
    let memory = Memory::new(device, (2 * half).max(count) * REAL)?;
    if half > 0 {
        memory.write(half - 1, 1.0)?;
    }
    let batch = Batch {
        scratch: memory.address,
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
        // SAFETY: each thread of the kernel writes a real, or the kernel copies half of the memory
        // to the other half. The call waits for the kernel.
        unsafe { device.timed_launch(0, kernel, grid, &batch) }
    };
    let mut times = (0..RUNS + 1).map(run).collect::<Result<Vec<_>, _>>()?;
    // Only few results are zero by chance. After a copy, only the last thread's result is checked.
    let written = match half {
        0 => memory.read(0, count)?,
        _ => memory.read(2 * half - 1, 1)?,
    };
    let zeros = written.iter().filter(|&&real| real == 0.0).count();
    if zeros > written.len() / 1000 || written.last() == Some(&0.0) {
        return Err(GpuError::Launch {
            kernel: kernel.to_owned(),
            cause: format!("{zeros} of {} results were not written", written.len()),
        });
    }
    // The first run warms up.
    let milliseconds = median(&mut times[1..]);
    Ok(f64::from(threads) * f64::from(rounds) * each / milliseconds * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use base16ct::lower::encode_string;
    use sha2::{Digest, Sha256};
    use std::fs;
    use std::path::Path;

    /// Makes kernels in which every thread writes one result, except the last `missing` threads.
    fn writing(missing: usize) -> Fake {
        Fake::new(move |kernel, _, batch| {
            let scratch = batch.scratch as *mut f64;
            if kernel == "ceiling_copy" {
                let half = 2 * (batch.count * batch.attempt) as usize;
                // SAFETY: the caller owns both halves.
                unsafe { scratch.copy_to(scratch.add(half), half - missing) };
            } else {
                for thread in 0..batch.count as usize - missing {
                    // SAFETY: each thread has a real in `scratch`.
                    unsafe { scratch.add(thread).write(1.0) };
                }
            }
        })
    }

    #[test]
    fn a_kernel_that_does_not_write_its_results_has_no_rate() {
        for name in ["copy", "f64", "imad", "keccak", "chacha"] {
            assert!(kernel(&writing(0), name, 4, 1.0).is_ok());
            for missing in [1, 2048] {
                let rate = kernel(&writing(missing), name, 4, 1.0);
                assert!(matches!(rate, Err(GpuError::Launch { .. })), "{name}");
            }
        }
    }

    /// Checks that the kernels were compiled for a parameter of the size of [`Batch`].
    #[test]
    fn the_kernels_take_the_parameter_that_they_get() {
        let bytes = format!("_param_0[{}]", size_of::<Batch>());
        assert_eq!(PTX.matches(&bytes).count(), 5);
        assert_eq!(PTX.matches(".entry ").count(), 5);
    }

    #[test]
    fn the_kernels_were_compiled_from_the_sources_that_are_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let list = include_str!("../ceilings.sha256");
        let mut known = Vec::new();
        for line in list.lines() {
            let (hash, path) = line.split_once("  ").expect("a hash and a path");
            let bytes = fs::read(folder.join(path)).expect("a file");
            let now = encode_string(&Sha256::digest(&bytes));
            assert_eq!(now, hash, "{path} has changed: run benches/gpu/ceilings.sh");
            known.push((path, String::from_utf8(bytes).expect("text")));
        }
        // Checks that every included file is in the list, and the PTX text, too.
        assert!(known.iter().any(|(path, _)| *path == "ceilings.ptx"));
        for (path, text) in &known {
            let included = text
                .lines()
                .filter_map(|line| line.strip_prefix("#include \""));
            for name in included.filter_map(|name| name.strip_suffix('"')) {
                // These files are for tests only.
                let of_tests = ["emulate.h", "secrets.h"].contains(&name);
                let of_known = |(path, _): &(&str, String)| path.ends_with(&format!("/{name}"));
                assert!(
                    of_tests || known.iter().any(of_known),
                    "{path} includes {name}"
                );
            }
        }
    }
}
