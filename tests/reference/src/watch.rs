//! An engine that lets an observer see the sampler's centres.
//!
//! For the two centres of each leaf, in the order of the walk, the sampler calls `Fft::floors` to
//! get the integers below them. So an [`Fft`] that forwards every operation to another one sees all
//! centres in `floors`.

use falcon_core::seams::fft::{BasisRef, Fft};
use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Forwards to the operations of `F` and observes them. Only one thread may use it.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a, F> {
    fft: F,
    observer: &'a Observer,
}

impl<'a, F: Fft> Watch<'a, F> {
    /// Makes the observed form of `fft`.
    pub fn new(fft: F, observer: &'a Observer) -> Self {
        Self { fft, observer }
    }
}

impl<F: Fft> Fft for Watch<'_, F> {
    type Real = F::Real;
    const LANES: usize = F::LANES;

    #[inline(always)]
    fn vectorize<R>(&self, kernel: impl FnOnce() -> R) -> R {
        self.fft.vectorize(kernel)
    }
    #[inline(always)]
    fn values<'x>(&self, x: &'x F::Real) -> &'x [f64] {
        self.fft.values(x)
    }
    #[inline(always)]
    fn values_mut<'x>(&self, x: &'x mut F::Real) -> &'x mut [f64] {
        self.fft.values_mut(x)
    }
    #[inline(always)]
    fn add(&self, a: F::Real, b: F::Real) -> F::Real {
        self.fft.add(a, b)
    }
    #[inline(always)]
    fn sub(&self, a: F::Real, b: F::Real) -> F::Real {
        self.fft.sub(a, b)
    }
    #[inline(always)]
    fn floors(&self, a: [F::Real; 2]) -> [F::Real; 2] {
        let floors = self.fft.floors(a);
        self.observer.leaf(self.fft, &a, &floors);
        floors
    }
    fn fft(&self, logn: u32, f: &mut [F::Real]) {
        self.fft.fft(logn, f);
    }
    fn ifft(&self, logn: u32, f: &mut [F::Real]) {
        self.fft.ifft(logn, f);
    }
    #[inline(always)]
    fn split(&self, logn: u32, f0: &mut [F::Real], f1: &mut [F::Real], f: &[F::Real]) {
        self.fft.split(logn, f0, f1, f);
    }
    #[inline(always)]
    fn merge(&self, logn: u32, f: &mut [F::Real], f0: &[F::Real], f1: &[F::Real]) {
        self.fft.merge(logn, f, f0, f1);
    }
    #[inline(always)]
    fn nearest_plane(&self, t: [F::Real; 2], d: [F::Real; 2], l: [f64; 2]) -> [F::Real; 2] {
        self.fft.nearest_plane(t, d, l)
    }
    #[inline(always)]
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &[F::Real],
        t1: &mut [F::Real],
        u: [&mut [F::Real]; 2],
        l10: &[f64],
    ) {
        self.fft.nearest_plane_step(logn, t0, t1, u, l10);
    }
    fn target(&self, logn: u32, t0: &mut [F::Real], t1: &mut [F::Real], b01: &[f64], b11: &[f64]) {
        self.observer.begin();
        self.fft.target(logn, t0, t1, b01, b11);
    }
    fn times_basis(&self, logn: u32, z0: &mut [F::Real], z1: &mut [F::Real], basis: BasisRef<'_>) {
        self.fft.times_basis(logn, z0, z1, basis);
    }
}

/// A centre that is near an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Number of the attempt, from 0.
    pub attempt: u32,
    /// Lane that computed the centre.
    pub lane: usize,
    /// Number of the sampler's call in the attempt, from 0.
    pub call: u32,
    /// Distance to the integer.
    pub distance: f64,
}

/// Keeps all centres, or only those near an integer. A single type serves both, so that the engines
/// are compiled once.
#[derive(Debug)]
pub struct Observer {
    /// Distances below this threshold are near. `None` keeps all centres.
    threshold: Option<f64>,
    /// Number of attempts so far.
    attempts: AtomicU32,
    /// Number of leaves of this attempt so far.
    leaves: AtomicU32,
    near: Mutex<Vec<Near>>,
    /// The two centres of each leaf: first the first centre of every lane, then the second centre
    /// of every lane.
    all: Mutex<Vec<[Vec<f64>; 2]>>,
}

impl Observer {
    fn new(threshold: Option<f64>) -> Self {
        Self {
            threshold,
            attempts: AtomicU32::new(0),
            leaves: AtomicU32::new(0),
            near: Mutex::default(),
            all: Mutex::default(),
        }
    }

    /// Makes an observer that notes distances below `threshold`.
    pub fn of_near(threshold: f64) -> Self {
        Self::new(Some(threshold))
    }

    /// Makes an observer that keeps all centres.
    pub fn of_all() -> Self {
        Self::new(None)
    }

    /// Returns the number of attempts and the near centres since the last call.
    pub fn take_near(&self) -> (u32, Vec<Near>) {
        let near = std::mem::take(&mut *self.near.lock().expect("no panic"));
        (self.attempts.swap(0, Ordering::Relaxed), near)
    }

    /// Returns the centres of every lane since the last call, in order.
    pub fn take_all(&self, lanes: usize) -> Vec<Vec<f64>> {
        let leaves = std::mem::take(&mut *self.all.lock().expect("no panic"));
        (0..lanes)
            .map(|lane| {
                let of_lane = leaves.iter().flat_map(|[a, b]| [a[lane], b[lane]]);
                of_lane.collect()
            })
            .collect()
    }

    /// Begins an attempt on all lanes.
    fn begin(&self) {
        self.attempts.fetch_add(1, Ordering::Relaxed);
        self.leaves.store(0, Ordering::Relaxed);
    }

    /// Records the centres of a leaf, and the integers below them.
    #[inline(always)]
    fn leaf<F: Fft>(&self, fft: F, centres: &[F::Real; 2], floors: &[F::Real; 2]) {
        let leaf = self.leaves.load(Ordering::Relaxed);
        self.leaves.store(leaf + 1, Ordering::Relaxed);
        // All distances are below 1.
        let threshold = self.threshold.unwrap_or(1.0);
        let (low, high) = (threshold, 1.0 - threshold);
        let mut hit = 0u64;
        for (centre, floor) in centres.iter().zip(floors) {
            for (centre, floor) in fft.values(centre).iter().zip(fft.values(floor)) {
                let rest = centre - floor;
                hit |= u64::from((rest < low) | (rest > high));
            }
        }
        if hit != 0 {
            self.note(leaf, centres.each_ref().map(|real| fft.values(real)));
        }
    }

    #[cold]
    #[inline(never)]
    fn note(&self, leaf: u32, centres: [&[f64]; 2]) {
        let Some(threshold) = self.threshold else {
            let mut all = self.all.lock().expect("no panic");
            all.push(centres.map(<[f64]>::to_vec));
            return;
        };
        let mut near = self.near.lock().expect("no panic");
        for (which, centres) in (0..).zip(centres) {
            for (lane, centre) in centres.iter().enumerate() {
                let distance = (centre - centre.round_ties_even()).abs();
                if distance < threshold {
                    near.push(Near {
                        attempt: self.attempts.load(Ordering::Relaxed) - 1,
                        lane,
                        call: 2 * leaf + which,
                        distance,
                    });
                }
            }
        }
    }
}
