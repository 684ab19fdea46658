//! Instruments that count the butterflies of the core while it signs.
//!
//! There are two instruments, at two seams, so that their counts can be compared. [`CountingFft`]
//! wraps the polynomial operations of any engine and counts whole transforms. [`Counted`] is an
//! instruction set whose doubles count their own arithmetic. Only [`Counted`] counts signing from
//! the key, since that code calls the transforms through the token of the instruction set.

use super::Operation;
use super::workload::{Workload, WorkloadError};
use falcon_core::Parameters;
use falcon_core::seams::fft::{BasisRef, Fft};
use falcon_core::seams::lanes::{Baseline, Double, F64s, Isa, Register, Two, register_of};
use falcon_core::seams::params::MAX_LOGN;
use falcon_core::seams::sampler::SampledDouble;
use std::cell::Cell;
use std::ops::{Add, Mul, Neg, Sub};
use std::sync::atomic::{AtomicU64, Ordering};

/// Butterflies of a forward or inverse transform of degree `n = 2^logn`: `logn - 1` stages of `n/4`
/// butterflies. The first reduction, modulo `x^(n/2) - i`, needs no butterfly: it is the layout of
/// the complex numbers.
pub const fn transform_butterflies(logn: u32) -> u64 {
    logn.saturating_sub(1) as u64 * node_butterflies(logn)
}

/// Butterflies of a split or a merge of degree `n = 2^logn`: one stage of `n/4` butterflies.
pub const fn node_butterflies(logn: u32) -> u64 {
    (1 << logn) / 4
}

/// Number of calls of one operation, by `logn`.
#[derive(Debug, Default)]
struct Calls([AtomicU64; MAX_LOGN as usize + 1]);

impl Calls {
    fn add(&self, logn: u32) {
        if let Some(calls) = self.0.get(logn as usize) {
            calls.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn butterflies(&self, of_call: impl Fn(u32) -> u64) -> u64 {
        let calls = (0..).zip(&self.0);
        calls
            .map(|(logn, calls)| calls.load(Ordering::Relaxed) * of_call(logn))
            .sum()
    }
}

/// Counts of a [`CountingFft`].
#[derive(Debug, Default)]
pub struct Tally {
    fft: Calls,
    ifft: Calls,
    split: Calls,
    merge: Calls,
}

impl Tally {
    /// Returns the butterflies so far.
    pub fn butterflies(&self) -> Butterflies {
        Butterflies {
            fft: self.fft.butterflies(transform_butterflies),
            ifft: self.ifft.butterflies(transform_butterflies),
            split: self.split.butterflies(node_butterflies),
            merge: self.merge.butterflies(node_butterflies),
        }
    }
}

/// Numbers of butterflies by kind of transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Butterflies {
    /// Butterflies of forward transforms.
    pub fft: u64,
    /// Butterflies of inverse transforms.
    pub ifft: u64,
    /// Butterflies of splits, including those fused into nearest-plane steps.
    pub split: u64,
    /// Butterflies of merges, including fused ones.
    pub merge: u64,
}

impl Butterflies {
    /// Returns the butterflies of `attempts` signing attempts at degree `2^logn`. The target needs
    /// one transform, and the result needs two inverse ones. Signing from the key (`from_key`)
    /// needs four more transforms for the basis. ffSampling visits `n/m` nodes of every degree `m`
    /// from 4 to `n`, and splits and merges twice at each.
    pub const fn of_attempts(logn: u32, from_key: bool, attempts: u64) -> Self {
        let transform = attempts * transform_butterflies(logn);
        let walk = attempts * logn.saturating_sub(1) as u64 * (1 << logn) / 2;
        Self {
            fft: if from_key { 5 * transform } else { transform },
            ifft: 2 * transform,
            split: walk,
            merge: walk,
        }
    }

    /// Returns the sum of all kinds.
    pub const fn total(&self) -> u64 {
        self.fft + self.ifft + self.split + self.merge
    }
}

/// Passes all operations on to `inner`, and counts transforms, splits and merges.
#[derive(Clone, Copy, Debug)]
pub struct CountingFft<'a, F> {
    /// The FFT that does the work.
    pub inner: F,
    /// Counts so far.
    pub tally: &'a Tally,
}

impl<F: Fft> Fft for CountingFft<'_, F> {
    type Real = F::Real;
    const LANES: usize = F::LANES;

    fn values<'x>(&self, x: &'x F::Real) -> &'x [f64] {
        self.inner.values(x)
    }
    fn values_mut<'x>(&self, x: &'x mut F::Real) -> &'x mut [f64] {
        self.inner.values_mut(x)
    }
    fn add(&self, a: F::Real, b: F::Real) -> F::Real {
        self.inner.add(a, b)
    }
    fn sub(&self, a: F::Real, b: F::Real) -> F::Real {
        self.inner.sub(a, b)
    }
    fn floors(&self, a: [F::Real; 2]) -> [F::Real; 2] {
        self.inner.floors(a)
    }
    fn fft(&self, logn: u32, f: &mut [F::Real]) {
        self.tally.fft.add(logn);
        self.inner.fft(logn, f);
    }
    fn ifft(&self, logn: u32, f: &mut [F::Real]) {
        self.tally.ifft.add(logn);
        self.inner.ifft(logn, f);
    }
    fn split(&self, logn: u32, f0: &mut [F::Real], f1: &mut [F::Real], f: &[F::Real]) {
        self.tally.split.add(logn);
        self.inner.split(logn, f0, f1, f);
    }
    fn merge(&self, logn: u32, f: &mut [F::Real], f0: &[F::Real], f1: &[F::Real]) {
        self.tally.merge.add(logn);
        self.inner.merge(logn, f, f0, f1);
    }
    fn nearest_plane(&self, t: [F::Real; 2], d: [F::Real; 2], l: [f64; 2]) -> [F::Real; 2] {
        self.inner.nearest_plane(t, d, l)
    }
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &[F::Real],
        t1: &mut [F::Real],
        u: [&mut [F::Real]; 2],
        l10: &[f64],
    ) {
        self.tally.merge.add(logn);
        self.tally.split.add(logn);
        self.inner.nearest_plane_step(logn, t0, t1, u, l10);
    }
    fn target(&self, logn: u32, t0: &mut [F::Real], t1: &mut [F::Real], b01: &[f64], b11: &[f64]) {
        self.inner.target(logn, t0, t1, b01, b11);
    }
    fn times_basis(&self, logn: u32, z0: &mut [F::Real], z1: &mut [F::Real], basis: BasisRef<'_>) {
        self.inner.times_basis(logn, z0, z1, basis);
    }
}

thread_local! {
    static ARITHMETIC: Cell<Arithmetic> = const { Cell::new(Arithmetic::NONE) };
}

/// Operations that [`Counted`] has computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// Complex products.
    pub products: u64,
    /// Complex products with a conjugate.
    pub conjugate_products: u64,
    /// Pairs of a sum and a difference of the same operands: two for each butterfly, and two for
    /// each pair of complex numbers when a diagonal is split.
    pub add_subs: u64,
    /// Inverses.
    pub inverses: u64,
}

impl Arithmetic {
    const NONE: Self = Self {
        products: 0,
        conjugate_products: 0,
        add_subs: 0,
        inverses: 0,
    };

    /// Resets the counts of this thread.
    pub fn reset() {
        ARITHMETIC.set(Self::NONE);
    }

    /// Returns the operations of this thread since the last reset.
    pub fn read() -> Self {
        ARITHMETIC.get()
    }

    /// Number of LDL trees of degree `2^logn` among these operations. Each tree inverts `n/2` reals
    /// at every degree from 2 to `n`.
    pub const fn trees(&self, logn: u32) -> u64 {
        self.inverses / ((1 << logn) / 2 * logn as u64)
    }

    /// Number of butterflies of degree `2^logn` among these operations. Below the root of a tree,
    /// the nodes compute a sum and a difference twice for every real that they invert. The root
    /// inverts `n/2` reals and splits nothing.
    pub const fn butterflies(&self, logn: u32) -> u64 {
        let roots = self.trees(logn) * (1 << logn) / 2;
        self.add_subs / 2 - (self.inverses - roots)
    }
}

fn count(one: impl Fn(&mut Arithmetic)) {
    let mut arithmetic = ARITHMETIC.get();
    one(&mut arithmetic);
    ARITHMETIC.set(arithmetic);
}

/// [`Baseline`] with [`CountedDouble`]: gives the same results, and counts operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted;

impl Isa for Counted {
    type F64 = CountedDouble;
    type F64x2 = Two<CountedDouble>;
    type F64x4 = Two<Two<CountedDouble>>;
    type F64x8 = Two<Two<Two<CountedDouble>>>;
    const LONGEST_F64S: usize = 1;
    type F32x8 = <Baseline as Isa>::F32x8;
    type U64s = u64;
    type OneU64 = u64;
    type U32s = u32;
    type I16s = i16;
    type LookUps = Baseline;

    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
}

/// An `f64` that counts the operations in [`Arithmetic`], for each thread separately.
#[derive(Clone, Copy, Debug)]
pub struct CountedDouble(f64);

impl From<f64> for CountedDouble {
    fn from(x: f64) -> Self {
        Self(x)
    }
}

impl From<CountedDouble> for f64 {
    fn from(x: CountedDouble) -> f64 {
        x.0
    }
}

impl Add for CountedDouble {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0)
    }
}

impl Sub for CountedDouble {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self(self.0 - b.0)
    }
}

impl Mul for CountedDouble {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        Self(self.0 * b.0)
    }
}

impl Neg for CountedDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl<I: Isa> Register<I> for CountedDouble {
    type Value = f64;
    register_of!(1);

    fn load(_: I, &[x]: &[f64; 1]) -> Self {
        Self(x)
    }
    fn splat(_: I, x: f64) -> Self {
        Self(x)
    }
    fn store(self, out: &mut [f64; 1]) {
        *out = [self.0];
    }
}

impl<I: Isa> F64s<I> for CountedDouble {
    fn cycle(_: I, x: &[f64]) -> Self {
        Self(x[0])
    }
    fn half(self) -> Self {
        Self(F64s::<I>::half(self.0))
    }
    fn inverse(self) -> Self {
        count(|arithmetic| arithmetic.inverses += 1);
        Self(F64s::<I>::inverse(self.0))
    }
    fn floor(self) -> Self {
        Self(F64s::<I>::floor(self.0))
    }
    fn zip(self, y: Self) -> [Self; 2] {
        [self, y]
    }
    fn unzip(self, y: Self) -> [Self; 2] {
        [self, y]
    }
    fn add_sub(self, b: Self) -> [Self; 2] {
        count(|arithmetic| arithmetic.add_subs += 1);
        F64s::<I>::add_sub(self.0, b.0).map(Self)
    }
    fn complex_mul(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        count(|arithmetic| arithmetic.products += 1);
        <f64 as F64s<I>>::complex_mul(a.map(f64::from), b.map(f64::from)).map(Self)
    }
    fn complex_mul_conj(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        count(|arithmetic| arithmetic.conjugate_products += 1);
        <f64 as F64s<I>>::complex_mul_conj(a.map(f64::from), b.map(f64::from)).map(Self)
    }
}

impl SampledDouble for CountedDouble {
    type Sampling<I: Isa> = <f64 as SampledDouble>::Sampling<I>;

    fn sampling<I: Isa>(isa: I) -> Self::Sampling<I> {
        f64::sampling(isa)
    }
}

impl Double for CountedDouble {
    const HARDWARE: bool = f64::HARDWARE;
    fn from_i64(x: i64) -> Self {
        Self(f64::from_i64(x))
    }
    fn square_root(self) -> Self {
        Self(self.0.square_root())
    }
    fn rint(self) -> i64 {
        self.0.rint()
    }
    fn truncate(self) -> i64 {
        self.0.truncate()
    }
    fn below(self, b: Self) -> u64 {
        self.0.below(b.0)
    }
}

/// Returns the butterflies of `repeats` runs of `operation`. [`CountingFft`] counts those of
/// signatures with a tree. For signatures from the key, [`Counted`] counts the attempts, and the
/// butterflies follow from their number. For other operations, it counts the butterflies. Returns
/// `None` for key generation, because no seam reaches its transforms.
///
/// # Errors
/// If a run fails.
pub fn butterflies<P: Parameters>(
    operation: Operation,
    repeats: u64,
) -> Result<Option<Butterflies>, WorkloadError> {
    let from_key = match operation {
        Operation::Keygen => return Ok(None),
        Operation::SignExpanded => {
            let tally = Tally::default();
            let fft = CountingFft {
                inner: Baseline,
                tally: &tally,
            };
            Workload::<P, _>::new(Baseline, repeats)?.sign_through(fft)?;
            return Ok(Some(tally.butterflies()));
        }
        Operation::Sign | Operation::SignHedged => true,
        Operation::Expand | Operation::Verify | Operation::VerifyEncoded => false,
    };
    let mut workload = Workload::<P, _>::new(Counted, repeats)?;
    Arithmetic::reset();
    workload.run(operation)?;
    let arithmetic = Arithmetic::read();
    let attempts = arithmetic.trees(P::LOGN);
    Ok(Some(if from_key {
        Butterflies::of_attempts(P::LOGN, true, attempts)
    } else {
        // Expanding a key needs the four transforms of the basis. Verification needs none.
        Butterflies {
            fft: arithmetic.butterflies(P::LOGN),
            ..Butterflies::default()
        }
    }))
}
