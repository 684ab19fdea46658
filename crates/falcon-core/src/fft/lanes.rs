//! Implements [`Fft`] for all [`Lanes`]. This is the only implementation of the polynomial
//! arithmetic.
//!
//! Each function here, in `transform.rs` and in `nodes.rs` works on runs of `len::<L, R>()`
//! neighbours. It is compiled for several lengths, and `in_runs!` chooses the longest run that fits
//! the polynomial: up to eight for the large polynomials of a single signature, one if each lane is
//! a signature.

use super::nodes::{merge, nearest_plane_step, split};
use super::runs::{halves, halves_mut, in_runs, len, load, runs_mut, shared, store};
use super::transform::{fft, ifft};
use super::{BasisRef, Fft};
use crate::lanes::{F64s, Isa, Lanes};
use crate::params::INV_Q;

#[inline(always)]
fn scaled_product<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    m: usize,
    t: &mut [L::Real],
    b: &[f64],
    factor: f64,
) {
    let [t_re, t_im] = halves_mut::<L, R, _>(m, &mut *t);
    let [b_re, b_im] = halves::<L, R, _>(m, b);
    for u in 0..m / len::<L, R>() {
        let t: [R; 2] = load(l, &t_re[u], &t_im[u]);
        let p = R::complex_mul(t, shared(l, &b_re[u], &b_im[u]));
        store::<L, R>(p, &mut t_re[u], &mut t_im[u]);
    }
    // A separate loop multiplies by the factor, so that this product is compiled once instead of
    // once for each part. Without a floating-point unit, a product is a hundred instructions.
    let factor: R = l.cycle(&[factor]);
    for t in runs_mut::<L, R, _>(2 * m, t) {
        L::store(l.load(t) * factor, t);
    }
}

/// Computes `t <- (t b) factor` in a call, so that both halves of the target share one copy of the
/// code.
#[inline(never)]
fn scale_product<L: Lanes>(l: L, logn: u32, t: &mut [L::Real], b: &[f64], factor: f64) {
    let m = (1usize << logn) / 2;
    l.isa().vectorize(
        #[inline(always)]
        || in_runs!(m, scaled_product(l, m, t, b, factor)),
    );
}

#[inline(always)]
fn times_basis<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    m: usize,
    z0: &mut [L::Real],
    z1: &mut [L::Real],
    basis: BasisRef<'_>,
) {
    let [z0_re, z0_im] = halves_mut::<L, R, _>(m, z0);
    let [z1_re, z1_im] = halves_mut::<L, R, _>(m, z1);
    let [b00, b01, b10, b11] = [
        halves::<L, R, _>(m, basis.b00),
        halves::<L, R, _>(m, basis.b01),
        halves::<L, R, _>(m, basis.b10),
        halves::<L, R, _>(m, basis.b11),
    ];
    for u in 0..m / len::<L, R>() {
        let z0: [R; 2] = load(l, &z0_re[u], &z0_im[u]);
        let z1: [R; 2] = load(l, &z1_re[u], &z1_im[u]);
        let p = R::complex_mul(z0, shared(l, &b00[0][u], &b00[1][u]));
        let r = R::complex_mul(z1, shared(l, &b10[0][u], &b10[1][u]));
        let v0 = [p[0] + r[0], p[1] + r[1]];
        store::<L, R>(v0, &mut z0_re[u], &mut z0_im[u]);
        let p = R::complex_mul(z0, shared(l, &b01[0][u], &b01[1][u]));
        let r = R::complex_mul(z1, shared(l, &b11[0][u], &b11[1][u]));
        let v1 = [p[0] + r[0], p[1] + r[1]];
        store::<L, R>(v1, &mut z1_re[u], &mut z1_im[u]);
    }
}

/// Loads one coefficient of every polynomial into a register.
#[inline(always)]
fn loaded<L: Lanes>(l: L, x: L::Real) -> L::X1 {
    l.load(&L::runs::<L::X1, L::Real>(&[x])[0])
}

/// Stores a register of [`loaded`] to memory.
#[inline(always)]
fn stored<L: Lanes>(x: L::X1) -> L::Real {
    let mut out = [L::Real::default()];
    L::store(x, &mut L::runs_mut::<L::X1, L::Real>(&mut out)[0]);
    out[0]
}

impl<L: Lanes> Fft for L {
    type Real = L::Real;
    const LANES: usize = L::LANES;

    #[inline(always)]
    fn vectorize<R>(&self, kernel: impl FnOnce() -> R) -> R {
        self.isa().vectorize(kernel)
    }
    #[inline(always)]
    fn values<'a>(&self, x: &'a L::Real) -> &'a [f64] {
        L::values(x)
    }
    #[inline(always)]
    fn values_mut<'a>(&self, x: &'a mut L::Real) -> &'a mut [f64] {
        L::values_mut(x)
    }
    #[inline(always)]
    fn add(&self, a: L::Real, b: L::Real) -> L::Real {
        stored::<L>(loaded(*self, a) + loaded(*self, b))
    }
    #[inline(always)]
    fn sub(&self, a: L::Real, b: L::Real) -> L::Real {
        stored::<L>(loaded(*self, a) - loaded(*self, b))
    }
    #[inline(always)]
    fn floors(&self, a: [L::Real; 2]) -> [L::Real; 2] {
        let [x, y] = a;
        if L::RUN < 2 {
            return [
                stored::<L>(loaded(*self, x).floor()),
                stored::<L>(loaded(*self, y).floor()),
            ];
        }
        // Both numbers go into one register, since this crate cannot use the instruction for a
        // single double.
        let mut out = a;
        let floors = self.load(&L::runs::<L::X2, _>(&a)[0]).floor();
        L::store::<L::X2>(floors, &mut L::runs_mut::<L::X2, _>(&mut out)[0]);
        out
    }

    fn fft(&self, logn: u32, f: &mut [L::Real]) {
        // Each stage joins at least two runs.
        self.isa().vectorize(
            #[inline(always)]
            || in_runs!((1usize << logn) / 4, fft(*self, logn, f)),
        );
    }
    fn ifft(&self, logn: u32, f: &mut [L::Real]) {
        self.isa().vectorize(
            #[inline(always)]
            || in_runs!((1usize << logn) / 4, ifft(*self, logn, f)),
        );
    }
    #[inline(always)]
    fn split(&self, logn: u32, f0: &mut [L::Real], f1: &mut [L::Real], f: &[L::Real]) {
        in_runs!((1usize << logn) / 4, split(*self, logn, f0, f1, f));
    }
    #[inline(always)]
    fn merge(&self, logn: u32, f: &mut [L::Real], f0: &[L::Real], f1: &[L::Real]) {
        in_runs!((1usize << logn) / 4, merge(*self, logn, f, f0, f1));
    }

    #[inline(always)]
    fn nearest_plane(&self, t: [L::Real; 2], d: [L::Real; 2], factor: [f64; 2]) -> [L::Real; 2] {
        let l = *self;
        let [t0, t1] = t;
        let factor = [l.cycle(&[factor[0]]), l.cycle(&[factor[1]])];
        let [re, im] = L::X1::complex_mul([loaded(l, d[0]), loaded(l, d[1])], factor);
        [
            stored::<L>(loaded(l, t0) + re),
            stored::<L>(loaded(l, t1) + im),
        ]
    }
    #[inline(always)]
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &[L::Real],
        t1: &mut [L::Real],
        u: [&mut [L::Real]; 2],
        l10: &[f64],
    ) {
        in_runs!(
            (1usize << logn) / 4,
            nearest_plane_step(*self, logn, t0, t1, u, l10)
        );
    }

    fn target(&self, logn: u32, t0: &mut [L::Real], t1: &mut [L::Real], b01: &[f64], b11: &[f64]) {
        t1.copy_from_slice(t0);
        scale_product(*self, logn, t1, b01, -INV_Q);
        scale_product(*self, logn, t0, b11, INV_Q);
    }

    fn times_basis(&self, logn: u32, z0: &mut [L::Real], z1: &mut [L::Real], basis: BasisRef<'_>) {
        let m = (1usize << logn) / 2;
        self.isa().vectorize(
            #[inline(always)]
            || in_runs!(m, times_basis(*self, m, z0, z1, basis)),
        );
    }
}
