//! The accelerator as an engine of `falcon_core`. Transforms run on the circuit, and everything
//! else runs on the processor.

use crate::accelerator::{Accelerator, Error};
use crate::cycles::Run;
use crate::nest::Transform;
use falcon_core::seams::fft::{BasisRef, Fft};
use falcon_core::seams::lanes::Baseline;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

/// Work that the circuit has done so far.
#[derive(Debug, Default)]
pub struct Meter {
    cycles: AtomicU64,
    butterflies: AtomicU64,
    stalls: AtomicU64,
}

impl Meter {
    /// Returns the sum over all runs.
    pub fn total(&self) -> Run {
        Run {
            cycles: self.cycles.load(Ordering::Relaxed),
            iterations: self.butterflies.load(Ordering::Relaxed),
            stalls: self.stalls.load(Ordering::Relaxed),
        }
    }

    fn count(&self, run: Run) {
        self.cycles.fetch_add(run.cycles, Ordering::Relaxed);
        self.butterflies
            .fetch_add(run.iterations, Ordering::Relaxed);
        self.stalls.fetch_add(run.stalls, Ordering::Relaxed);
    }
}

/// [`Fft`] on an accelerator, one signature at a time.
#[derive(Clone, Copy, Debug)]
pub struct HlsFft<'a> {
    accelerator: &'a Accelerator,
    meter: &'a Meter,
}

impl<'a> HlsFft<'a> {
    /// Creates the engine. `meter` adds up its cycles.
    pub fn new(accelerator: &'a Accelerator, meter: &'a Meter) -> Self {
        Self { accelerator, meter }
    }

    /// Counts the run of a transform. The run cannot have failed: `Accelerator::new` has run every
    /// transform of every degree, and failures do not depend on the numbers.
    fn done(self, run: Result<Run, Error>) {
        match run {
            Ok(run) => self.meter.count(run),
            Err(error) => unreachable!("the lengths are the trait's: {error}"),
        }
    }
}

impl Fft for HlsFft<'_> {
    type Real = f64;
    const LANES: usize = 1;

    fn values<'x>(&self, x: &'x f64) -> &'x [f64] {
        slice::from_ref(x)
    }
    fn values_mut<'x>(&self, x: &'x mut f64) -> &'x mut [f64] {
        slice::from_mut(x)
    }
    fn add(&self, a: f64, b: f64) -> f64 {
        Fft::add(&Baseline, a, b)
    }
    fn sub(&self, a: f64, b: f64) -> f64 {
        Fft::sub(&Baseline, a, b)
    }
    fn floors(&self, a: [f64; 2]) -> [f64; 2] {
        Fft::floors(&Baseline, a)
    }

    fn fft(&self, logn: u32, f: &mut [f64]) {
        self.done(self.accelerator.transform(Transform::Fft, logn, f, &mut ()));
    }
    fn ifft(&self, logn: u32, f: &mut [f64]) {
        self.done(
            self.accelerator
                .transform(Transform::Ifft, logn, f, &mut ()),
        );
    }
    fn split(&self, logn: u32, f0: &mut [f64], f1: &mut [f64], f: &[f64]) {
        self.done(self.accelerator.split(logn, f0, f1, f));
    }
    fn merge(&self, logn: u32, f: &mut [f64], f0: &[f64], f1: &[f64]) {
        self.done(self.accelerator.merge(logn, f, f0, f1));
    }

    fn nearest_plane(&self, t: [f64; 2], d: [f64; 2], l: [f64; 2]) -> [f64; 2] {
        Baseline.nearest_plane(t, d, l)
    }
    fn target(&self, logn: u32, t0: &mut [f64], t1: &mut [f64], b01: &[f64], b11: &[f64]) {
        Baseline.target(logn, t0, t1, b01, b11);
    }
    fn times_basis(&self, logn: u32, z0: &mut [f64], z1: &mut [f64], basis: BasisRef<'_>) {
        Baseline.times_basis(logn, z0, z1, basis);
    }
}
