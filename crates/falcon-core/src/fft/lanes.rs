//! [`Fft`] for every register token: the one implementation of the
//! polynomial arithmetic on lanes.
//!
//! Each kernel, here, in `transform.rs` and in `nodes.rs`, is written over runs
//! of `R::LEN` neighbours and compiled for the longest run that a polynomial
//! holds: eight for the large ones of a signature alone, one if the lanes are
//! signatures.

use super::nodes::{merge, nearest_plane_step, split};
use super::runs::{X2, X4, X8, in_runs, load, parts, parts_mut, shared, store};
use super::transform::{fft, ifft};
use super::{BasisRef, Fft};
use crate::lanes::{Lanes, Run};

#[inline(always)]
fn target<L: Lanes, R: Run<L>>(
    l: L,
    m: usize,
    t0: &mut [L::F],
    t1: &mut [L::F],
    b01: &[f64],
    b11: &[f64],
) {
    let [t0_re, t0_im] = parts_mut::<L, R, _>(m, t0);
    let [t1_re, t1_im] = parts_mut::<L, R, _>(m, t1);
    let [b01_re, b01_im] = parts::<L, R, _>(m, b01);
    let [b11_re, b11_im] = parts::<L, R, _>(m, b11);
    for u in 0..m / R::LEN {
        let c: [R; 2] = load(l, &t0_re[u], &t0_im[u]);
        let p = R::complex_mul(l, c, shared(l, &b01_re[u], &b01_im[u]));
        store(l, [p[0].neg(l), p[1].neg(l)], &mut t1_re[u], &mut t1_im[u]);
        let p = R::complex_mul(l, c, shared(l, &b11_re[u], &b11_im[u]));
        store(l, p, &mut t0_re[u], &mut t0_im[u]);
    }
}

#[inline(always)]
fn times_basis<L: Lanes, R: Run<L>>(
    l: L,
    m: usize,
    z0: &mut [L::F],
    z1: &mut [L::F],
    basis: BasisRef<'_>,
) {
    let [z0_re, z0_im] = parts_mut::<L, R, _>(m, z0);
    let [z1_re, z1_im] = parts_mut::<L, R, _>(m, z1);
    let [b00, b01, b10, b11] = [
        parts::<L, R, _>(m, basis.b00),
        parts::<L, R, _>(m, basis.b01),
        parts::<L, R, _>(m, basis.b10),
        parts::<L, R, _>(m, basis.b11),
    ];
    for u in 0..m / R::LEN {
        let z0: [R; 2] = load(l, &z0_re[u], &z0_im[u]);
        let z1: [R; 2] = load(l, &z1_re[u], &z1_im[u]);
        let p = R::complex_mul(l, z0, shared(l, &b00[0][u], &b00[1][u]));
        let r = R::complex_mul(l, z1, shared(l, &b10[0][u], &b10[1][u]));
        let v0 = [p[0].add(l, r[0]), p[1].add(l, r[1])];
        store(l, v0, &mut z0_re[u], &mut z0_im[u]);
        let p = R::complex_mul(l, z0, shared(l, &b01[0][u], &b01[1][u]));
        let r = R::complex_mul(l, z1, shared(l, &b11[0][u], &b11[1][u]));
        let v1 = [p[0].add(l, r[0]), p[1].add(l, r[1])];
        store(l, v1, &mut z1_re[u], &mut z1_im[u]);
    }
}

impl<L: Lanes> Fft for L {
    type Real = L::F;
    const LANES: usize = L::N;

    #[inline(always)]
    fn vectorize<R>(&self, kernel: impl FnOnce() -> R) -> R {
        Lanes::vectorize(*self, kernel)
    }
    #[inline(always)]
    fn get(&self, x: &L::F, lane: usize) -> f64 {
        Lanes::get(*self, x, lane)
    }
    #[inline(always)]
    fn set(&self, x: &mut L::F, lane: usize, value: f64) {
        Lanes::set(*self, x, lane, value);
    }
    #[inline(always)]
    fn add(&self, a: L::F, b: L::F) -> L::F {
        Lanes::add(*self, a, b)
    }
    #[inline(always)]
    fn sub(&self, a: L::F, b: L::F) -> L::F {
        Lanes::sub(*self, a, b)
    }
    #[inline(always)]
    fn floor(&self, a: L::F) -> L::F {
        Lanes::floor(*self, a)
    }

    fn fft(&self, logn: u32, f: &mut [L::F]) {
        // Stages join two runs at least.
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || in_runs!((1usize << logn) / 4, fft(*self, logn, f)),
        );
    }
    fn ifft(&self, logn: u32, f: &mut [L::F]) {
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || in_runs!((1usize << logn) / 4, ifft(*self, logn, f)),
        );
    }
    #[inline(always)]
    fn split(&self, logn: u32, f0: &mut [L::F], f1: &mut [L::F], f: &[L::F]) {
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || in_runs!((1usize << logn) / 4, split(*self, logn, f0, f1, f)),
        );
    }
    #[inline(always)]
    fn merge(&self, logn: u32, f: &mut [L::F], f0: &[L::F], f1: &[L::F]) {
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || in_runs!((1usize << logn) / 4, merge(*self, logn, f, f0, f1)),
        );
    }

    #[inline(always)]
    fn nearest_plane(&self, t: [L::F; 2], d: [L::F; 2], factor: [f64; 2]) -> [L::F; 2] {
        let l = *self;
        let (re, im) = l.complex_mul((d[0], d[1]), (l.splat(factor[0]), l.splat(factor[1])));
        [Lanes::add(l, t[0], re), Lanes::add(l, t[1], im)]
    }
    #[inline(always)]
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &[L::F],
        t1: &mut [L::F],
        u: [&mut [L::F]; 2],
        l10: &[f64],
    ) {
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || {
                in_runs!(
                    (1usize << logn) / 4,
                    nearest_plane_step(*self, logn, t0, t1, u, l10)
                )
            },
        );
    }

    fn target(&self, logn: u32, t0: &mut [L::F], t1: &mut [L::F], b01: &[f64], b11: &[f64]) {
        let m = (1usize << logn) / 2;
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || in_runs!(m, target(*self, m, t0, t1, b01, b11)),
        );
    }

    fn times_basis(&self, logn: u32, z0: &mut [L::F], z1: &mut [L::F], basis: BasisRef<'_>) {
        let m = (1usize << logn) / 2;
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || in_runs!(m, times_basis(*self, m, z0, z1, basis)),
        );
    }
}
