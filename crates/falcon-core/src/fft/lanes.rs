//! [`Fft`] for every register token: the one implementation of the
//! polynomial arithmetic on lanes.

use super::{BasisRef, Fft, TWIDDLE_IM, TWIDDLE_RE};
use crate::lanes::Lanes;

/// A complex number in every lane.
type Complex<L> = (<L as Lanes>::F, <L as Lanes>::F);

/// `a * b`: four products, then one difference and one sum.
#[inline(always)]
pub(crate) fn complex_mul<L: Lanes>(l: L, a: Complex<L>, b: Complex<L>) -> Complex<L> {
    (
        l.sub(l.mul(a.0, b.0), l.mul(a.1, b.1)),
        l.add(l.mul(a.0, b.1), l.mul(a.1, b.0)),
    )
}

/// `a * conj(b)`.
#[inline(always)]
fn complex_mul_conj<L: Lanes>(l: L, a: Complex<L>, b: Complex<L>) -> Complex<L> {
    (
        l.add(l.mul(a.0, b.0), l.mul(a.1, b.1)),
        l.sub(l.mul(a.1, b.0), l.mul(a.0, b.1)),
    )
}

/// Twiddle `k` in every lane.
#[inline(always)]
fn twiddle<L: Lanes>(l: L, k: usize) -> Complex<L> {
    (l.splat(TWIDDLE_RE[k & 511]), l.splat(TWIDDLE_IM[k & 511]))
}

/// Real parts and imaginary parts.
#[inline(always)]
fn halves<T>(n: usize, f: &[T]) -> (&[T], &[T]) {
    let (re, im) = f[..n].split_at(n / 2);
    (re, im)
}

#[inline(always)]
fn halves_mut<T>(n: usize, f: &mut [T]) -> (&mut [T], &mut [T]) {
    f[..n].split_at_mut(n / 2)
}

#[inline(always)]
fn fft<L: Lanes>(l: L, logn: u32, f: &mut [L::F]) {
    let (re, im) = halves_mut(1 << logn, f);
    // Reading f[u] + i f[u + n/2] already is the reduction modulo x^(n/2) - i.
    // Stage by stage, block i holds f mod x^(2t) - w^2 and becomes f mod
    // x^t - w and f mod x^t + w.
    let mut t = re.len() / 2;
    while t >= 1 {
        let blocks = re.len() / (2 * t);
        let pairs = re.chunks_exact_mut(2 * t).zip(im.chunks_exact_mut(2 * t));
        for (i, (re, im)) in pairs.enumerate() {
            let w = twiddle(l, blocks + i);
            let (re0, re1) = re.split_at_mut(t);
            let (im0, im1) = im.split_at_mut(t);
            for (((x_re, x_im), y_re), y_im) in re0.iter_mut().zip(im0).zip(re1).zip(im1) {
                let y = complex_mul(l, (*y_re, *y_im), w);
                *y_re = l.sub(*x_re, y.0);
                *y_im = l.sub(*x_im, y.1);
                *x_re = l.add(*x_re, y.0);
                *x_im = l.add(*x_im, y.1);
            }
        }
        t /= 2;
    }
}

#[inline(always)]
fn ifft<L: Lanes>(l: L, logn: u32, f: &mut [L::F]) {
    let (re, im) = halves_mut(1 << logn, f);
    let mut t = 1;
    while t < re.len() {
        let blocks = re.len() / (2 * t);
        let pairs = re.chunks_exact_mut(2 * t).zip(im.chunks_exact_mut(2 * t));
        for (i, (re, im)) in pairs.enumerate() {
            let w = twiddle(l, blocks + i);
            let (re0, re1) = re.split_at_mut(t);
            let (im0, im1) = im.split_at_mut(t);
            for (((x_re, x_im), y_re), y_im) in re0.iter_mut().zip(im0).zip(re1).zip(im1) {
                let d = (l.sub(*x_re, *y_re), l.sub(*x_im, *y_im));
                *x_re = l.add(*x_re, *y_re);
                *x_im = l.add(*x_im, *y_im);
                (*y_re, *y_im) = complex_mul_conj(l, d, w);
            }
        }
        t *= 2;
    }
    // Every stage doubled the values; n/2 is a power of two, so this is exact.
    // 2^(1 - logn), built from its bits.
    let scale = l.splat(f64::from_bits((1024 - u64::from(logn)) << 52));
    for x in re.iter_mut().chain(im) {
        *x = l.mul(*x, scale);
    }
}

#[inline(always)]
fn split<L: Lanes>(l: L, logn: u32, f0: &mut [L::F], f1: &mut [L::F], f: &[L::F]) {
    let n = 1 << logn;
    let (re, im) = halves(n, f);
    let (f0_re, f0_im) = halves_mut(n / 2, f0);
    let (f1_re, f1_im) = halves_mut(n / 2, f1);
    let input = re.chunks_exact(2).zip(im.chunks_exact(2));
    let output = f0_re.iter_mut().zip(f0_im).zip(f1_re).zip(f1_im);
    for (u, ((re, im), (((f0_re, f0_im), f1_re), f1_im))) in input.zip(output).enumerate() {
        *f0_re = l.half(l.add(re[0], re[1]));
        *f0_im = l.half(l.add(im[0], im[1]));
        let d = (l.half(l.sub(re[0], re[1])), l.half(l.sub(im[0], im[1])));
        (*f1_re, *f1_im) = complex_mul_conj(l, d, twiddle(l, n / 4 + u));
    }
}

#[inline(always)]
fn merge<L: Lanes>(l: L, logn: u32, f: &mut [L::F], f0: &[L::F], f1: &[L::F]) {
    let n = 1 << logn;
    let (re, im) = halves_mut(n, f);
    let (f0_re, f0_im) = halves(n / 2, f0);
    let (f1_re, f1_im) = halves(n / 2, f1);
    let output = re.chunks_exact_mut(2).zip(im.chunks_exact_mut(2));
    let input = f0_re.iter().zip(f0_im).zip(f1_re).zip(f1_im);
    for (u, ((re, im), (((f0_re, f0_im), f1_re), f1_im))) in output.zip(input).enumerate() {
        let y = complex_mul(l, (*f1_re, *f1_im), twiddle(l, n / 4 + u));
        re[0] = l.add(*f0_re, y.0);
        im[0] = l.add(*f0_im, y.1);
        re[1] = l.sub(*f0_re, y.0);
        im[1] = l.sub(*f0_im, y.1);
    }
}

impl<L: Lanes> Fft for L {
    type Real = L::F;
    const LANES: usize = L::N;

    #[inline(always)]
    fn get(&self, x: &L::F, lane: usize) -> f64 {
        Lanes::get(*self, x, lane)
    }
    #[inline(always)]
    fn set(&self, x: &mut L::F, lane: usize, value: f64) {
        Lanes::set(*self, x, lane, value);
    }

    fn fft(&self, logn: u32, f: &mut [L::F]) {
        self.vectorize(
            #[inline(always)]
            || fft(*self, logn, f),
        );
    }
    fn ifft(&self, logn: u32, f: &mut [L::F]) {
        self.vectorize(
            #[inline(always)]
            || ifft(*self, logn, f),
        );
    }
    fn split(&self, logn: u32, f0: &mut [L::F], f1: &mut [L::F], f: &[L::F]) {
        self.vectorize(
            #[inline(always)]
            || split(*self, logn, f0, f1, f),
        );
    }
    fn merge(&self, logn: u32, f: &mut [L::F], f0: &[L::F], f1: &[L::F]) {
        self.vectorize(
            #[inline(always)]
            || merge(*self, logn, f, f0, f1),
        );
    }

    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &mut [L::F],
        t1: &mut [L::F],
        z1: &[L::F],
        l10: &[f64],
    ) {
        let l = *self;
        let n = 1 << logn;
        l.vectorize(
            #[inline(always)]
            || {
                let (t0_re, t0_im) = halves_mut(n, t0);
                let (t1_re, t1_im) = halves_mut(n, t1);
                let (z1_re, z1_im) = halves(n, z1);
                let (l10_re, l10_im) = halves(n, l10);
                let t = t0_re.iter_mut().zip(t0_im).zip(t1_re).zip(t1_im);
                let z = z1_re.iter().zip(z1_im).zip(l10_re).zip(l10_im);
                for ((((t0_re, t0_im), t1_re), t1_im), (((z1_re, z1_im), l10_re), l10_im)) in
                    t.zip(z)
                {
                    let d = (l.sub(*t1_re, *z1_re), l.sub(*t1_im, *z1_im));
                    let p = complex_mul(l, d, (l.splat(*l10_re), l.splat(*l10_im)));
                    *t0_re = l.add(*t0_re, p.0);
                    *t0_im = l.add(*t0_im, p.1);
                    *t1_re = *z1_re;
                    *t1_im = *z1_im;
                }
            },
        );
    }

    fn target(&self, logn: u32, t0: &mut [L::F], t1: &mut [L::F], b01: &[f64], b11: &[f64]) {
        let l = *self;
        let n = 1 << logn;
        l.vectorize(
            #[inline(always)]
            || {
                let (t0_re, t0_im) = halves_mut(n, t0);
                let (t1_re, t1_im) = halves_mut(n, t1);
                let (b01_re, b01_im) = halves(n, b01);
                let (b11_re, b11_im) = halves(n, b11);
                let t = t0_re.iter_mut().zip(t0_im).zip(t1_re).zip(t1_im);
                let b = b01_re.iter().zip(b01_im).zip(b11_re).zip(b11_im);
                for ((((t0_re, t0_im), t1_re), t1_im), (((b01_re, b01_im), b11_re), b11_im)) in
                    t.zip(b)
                {
                    let c = (*t0_re, *t0_im);
                    let p = complex_mul(l, c, (l.splat(*b01_re), l.splat(*b01_im)));
                    (*t1_re, *t1_im) = (l.neg(p.0), l.neg(p.1));
                    (*t0_re, *t0_im) = complex_mul(l, c, (l.splat(*b11_re), l.splat(*b11_im)));
                }
            },
        );
    }

    fn times_basis(&self, logn: u32, z0: &mut [L::F], z1: &mut [L::F], basis: BasisRef<'_>) {
        let l = *self;
        let n = 1 << logn;
        l.vectorize(
            #[inline(always)]
            || {
                let (z0_re, z0_im) = halves_mut(n, z0);
                let (z1_re, z1_im) = halves_mut(n, z1);
                let [b00, b01, b10, b11] =
                    [basis.b00, basis.b01, basis.b10, basis.b11].map(|b| halves(n, b));
                let at = |b: (&[f64], &[f64]), u: usize| (l.splat(b.0[u]), l.splat(b.1[u]));
                for u in 0..n / 2 {
                    let (z0, z1) = ((z0_re[u], z0_im[u]), (z1_re[u], z1_im[u]));
                    let (p, r) = (
                        complex_mul(l, z0, at(b00, u)),
                        complex_mul(l, z1, at(b10, u)),
                    );
                    (z0_re[u], z0_im[u]) = (l.add(p.0, r.0), l.add(p.1, r.1));
                    let (p, r) = (
                        complex_mul(l, z0, at(b01, u)),
                        complex_mul(l, z1, at(b11, u)),
                    );
                    (z1_re[u], z1_im[u]) = (l.add(p.0, r.0), l.add(p.1, r.1));
                }
            },
        );
    }
}
