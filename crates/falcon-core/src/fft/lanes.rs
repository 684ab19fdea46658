//! [`Fft`] for every register token: the one implementation of the
//! polynomial arithmetic on lanes.

use super::{BasisRef, Fft, TWIDDLE_IM, TWIDDLE_RE};
use crate::lanes::Lanes;

/// A complex number in every lane.
type Complex<L> = (<L as Lanes>::F, <L as Lanes>::F);

/// The `m` twiddles of the stage of `m` blocks.
#[inline(always)]
fn twiddles(m: usize) -> (&'static [f64], &'static [f64]) {
    (&TWIDDLE_RE[m..2 * m], &TWIDDLE_IM[m..2 * m])
}

/// Real and imaginary parts of `m` complex numbers. All lengths below are cut
/// to the same `m`, so that the loops need no checks and become vector code.
#[inline(always)]
fn parts<T>(m: usize, f: &[T]) -> (&[T], &[T]) {
    (&f[..m], &f[m..2 * m])
}

#[inline(always)]
fn parts_mut<T>(m: usize, f: &mut [T]) -> (&mut [T], &mut [T]) {
    let (re, im) = f.split_at_mut(m);
    (re, &mut im[..m])
}

/// `m` couples of neighbours.
#[inline(always)]
fn couples<T>(m: usize, f: &[T]) -> &[[T; 2]] {
    &f.as_chunks().0[..m]
}

#[inline(always)]
fn couples_mut<T>(m: usize, f: &mut [T]) -> &mut [[T; 2]] {
    &mut f.as_chunks_mut().0[..m]
}

/// The butterfly from `(x, y)` to `(x + w y, x - w y)`; the inverse one goes to
/// `(x + y, (x - y) conj(w))`.
#[inline(always)]
fn butterfly<L: Lanes, const INVERSE: bool>(
    l: L,
    x: Complex<L>,
    mut y: Complex<L>,
    w: Complex<L>,
) -> [Complex<L>; 2] {
    if !INVERSE {
        y = l.complex_mul(y, w);
    }
    let (re, im) = (l.add_sub(x.0, y.0), l.add_sub(x.1, y.1));
    let (sum, mut difference) = ((re.0, im.0), (re.1, im.1));
    if INVERSE {
        difference = l.complex_mul_conj(difference, w);
    }
    [sum, difference]
}

/// A stage whose butterflies join values `t` apart: block `i` has `2t` values
/// and one twiddle.
#[inline(always)]
fn stage<L: Lanes, const INVERSE: bool>(l: L, t: usize, re: &mut [L::F], im: &mut [L::F]) {
    let (w_re, w_im) = twiddles(re.len() / (2 * t));
    let blocks = re.chunks_exact_mut(2 * t).zip(im.chunks_exact_mut(2 * t));
    for ((re, im), (w_re, w_im)) in blocks.zip(w_re.iter().zip(w_im)) {
        let w = (l.splat(*w_re), l.splat(*w_im));
        let ((x_re, y_re), (x_im, y_im)) = (parts_mut(t, re), parts_mut(t, im));
        for u in 0..t {
            let (x, y) = ((x_re[u], x_im[u]), (y_re[u], y_im[u]));
            let [x, y] = butterfly::<L, INVERSE>(l, x, y, w);
            (x_re[u], x_im[u]) = x;
            (y_re[u], y_im[u]) = y;
        }
    }
}

/// The stage whose butterflies join neighbours.
#[inline(always)]
fn stage_of_neighbours<L: Lanes, const INVERSE: bool>(l: L, re: &mut [L::F], im: &mut [L::F]) {
    let m = re.len() / 2;
    let (re, im) = (couples_mut(m, re), couples_mut(m, im));
    let (w_re, w_im) = twiddles(m);
    for u in 0..m {
        let ([x_re, y_re], [x_im, y_im]) = (re[u], im[u]);
        let w = (l.splat(w_re[u]), l.splat(w_im[u]));
        let [x, y] = butterfly::<L, INVERSE>(l, (x_re, x_im), (y_re, y_im), w);
        (re[u], im[u]) = ([x.0, y.0], [x.1, y.1]);
    }
}

#[inline(always)]
fn fft<L: Lanes>(l: L, logn: u32, f: &mut [L::F]) {
    // Reading f[u] + i f[u + n/2] already is the reduction modulo x^(n/2) - i.
    // Stage by stage, block i holds f mod x^(2t) - w^2 and becomes f mod
    // x^t - w and f mod x^t + w.
    let m = 1 << (logn - 1);
    let (re, im) = parts_mut(m, f);
    let mut t = m / 2;
    while t > 2 {
        stage::<L, false>(l, t, re, im);
        t /= 2;
    }
    if m >= 4 {
        stage::<L, false>(l, 2, re, im);
    }
    if m >= 2 {
        stage_of_neighbours::<L, false>(l, re, im);
    }
}

#[inline(always)]
fn ifft<L: Lanes>(l: L, logn: u32, f: &mut [L::F]) {
    let m = 1 << (logn - 1);
    let (re, im) = parts_mut(m, f);
    if m >= 2 {
        stage_of_neighbours::<L, true>(l, re, im);
    }
    if m >= 4 {
        stage::<L, true>(l, 2, re, im);
    }
    let mut t = 4;
    while t < m {
        stage::<L, true>(l, t, re, im);
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
    let m = 1 << (logn - 2);
    let (re, im) = parts(2 * m, f);
    let (re, im) = (couples(m, re), couples(m, im));
    let (f0_re, f0_im) = parts_mut(m, f0);
    let (f1_re, f1_im) = parts_mut(m, f1);
    let (w_re, w_im) = twiddles(m);
    for u in 0..m {
        let ([x_re, y_re], [x_im, y_im]) = (re[u], im[u]);
        let (re, im) = (l.add_sub(x_re, y_re), l.add_sub(x_im, y_im));
        (f0_re[u], f0_im[u]) = (l.half(re.0), l.half(im.0));
        let d = (l.half(re.1), l.half(im.1));
        let w = (l.splat(w_re[u]), l.splat(w_im[u]));
        (f1_re[u], f1_im[u]) = l.complex_mul_conj(d, w);
    }
}

#[inline(always)]
fn merge<L: Lanes>(l: L, logn: u32, f: &mut [L::F], f0: &[L::F], f1: &[L::F]) {
    let m = 1 << (logn - 2);
    let (re, im) = parts_mut(2 * m, f);
    let (re, im) = (couples_mut(m, re), couples_mut(m, im));
    let (f0_re, f0_im) = parts(m, f0);
    let (f1_re, f1_im) = parts(m, f1);
    let (w_re, w_im) = twiddles(m);
    for u in 0..m {
        let w = (l.splat(w_re[u]), l.splat(w_im[u]));
        let (x, y) = ((f0_re[u], f0_im[u]), (f1_re[u], f1_im[u]));
        let [x, y] = butterfly::<L, false>(l, x, y, w);
        (re[u], im[u]) = ([x.0, y.0], [x.1, y.1]);
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
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || fft(*self, logn, f),
        );
    }
    fn ifft(&self, logn: u32, f: &mut [L::F]) {
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || ifft(*self, logn, f),
        );
    }
    #[inline(always)]
    fn split(&self, logn: u32, f0: &mut [L::F], f1: &mut [L::F], f: &[L::F]) {
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || split(*self, logn, f0, f1, f),
        );
    }
    #[inline(always)]
    fn merge(&self, logn: u32, f: &mut [L::F], f0: &[L::F], f1: &[L::F]) {
        Lanes::vectorize(
            *self,
            #[inline(always)]
            || merge(*self, logn, f, f0, f1),
        );
    }

    #[inline(always)]
    fn nearest_plane_step(
        &self,
        logn: u32,
        t0: &mut [L::F],
        t1: &mut [L::F],
        z1: &[L::F],
        l10: &[f64],
    ) {
        let l = *self;
        let m = 1 << (logn - 1);
        Lanes::vectorize(
            l,
            #[inline(always)]
            || {
                let (t0_re, t0_im) = parts_mut(m, t0);
                let (t1_re, t1_im) = parts_mut(m, t1);
                let (z1_re, z1_im) = parts(m, z1);
                let (l10_re, l10_im) = parts(m, l10);
                for u in 0..m {
                    let d = (l.sub(t1_re[u], z1_re[u]), l.sub(t1_im[u], z1_im[u]));
                    let p = l.complex_mul(d, (l.splat(l10_re[u]), l.splat(l10_im[u])));
                    (t0_re[u], t0_im[u]) = (l.add(t0_re[u], p.0), l.add(t0_im[u], p.1));
                    (t1_re[u], t1_im[u]) = (z1_re[u], z1_im[u]);
                }
            },
        );
    }

    fn target(&self, logn: u32, t0: &mut [L::F], t1: &mut [L::F], b01: &[f64], b11: &[f64]) {
        let l = *self;
        let m = 1 << (logn - 1);
        Lanes::vectorize(
            l,
            #[inline(always)]
            || {
                let (t0_re, t0_im) = parts_mut(m, t0);
                let (t1_re, t1_im) = parts_mut(m, t1);
                let (b01_re, b01_im) = parts(m, b01);
                let (b11_re, b11_im) = parts(m, b11);
                for u in 0..m {
                    let c = (t0_re[u], t0_im[u]);
                    let p = l.complex_mul(c, (l.splat(b01_re[u]), l.splat(b01_im[u])));
                    (t1_re[u], t1_im[u]) = (l.neg(p.0), l.neg(p.1));
                    let b11 = (l.splat(b11_re[u]), l.splat(b11_im[u]));
                    (t0_re[u], t0_im[u]) = l.complex_mul(c, b11);
                }
            },
        );
    }

    fn times_basis(&self, logn: u32, z0: &mut [L::F], z1: &mut [L::F], basis: BasisRef<'_>) {
        let l = *self;
        let m = 1 << (logn - 1);
        Lanes::vectorize(
            l,
            #[inline(always)]
            || {
                let (z0_re, z0_im) = parts_mut(m, z0);
                let (z1_re, z1_im) = parts_mut(m, z1);
                let [b00, b01, b10, b11] =
                    [basis.b00, basis.b01, basis.b10, basis.b11].map(|b| parts(m, b));
                let at = |b: (&[f64], &[f64]), u: usize| (l.splat(b.0[u]), l.splat(b.1[u]));
                for u in 0..m {
                    let (z0, z1) = ((z0_re[u], z0_im[u]), (z1_re[u], z1_im[u]));
                    let (p, r) = (l.complex_mul(z0, at(b00, u)), l.complex_mul(z1, at(b10, u)));
                    (z0_re[u], z0_im[u]) = (l.add(p.0, r.0), l.add(p.1, r.1));
                    let (p, r) = (l.complex_mul(z0, at(b01, u)), l.complex_mul(z1, at(b11, u)));
                    (z1_re[u], z1_im[u]) = (l.add(p.0, r.0), l.add(p.1, r.1));
                }
            },
        );
    }
}
