//! [`Fft`] for every register token: the one implementation of the
//! polynomial arithmetic on lanes.
//!
//! Each kernel below is written over runs of `R::LEN` neighbours and compiled
//! for the longest run that a polynomial holds: eight for the large ones of a
//! signature alone, one if the lanes are signatures.

use super::{BasisRef, Fft, TWIDDLE_IM, TWIDDLE_RE};
use crate::lanes::{Lanes, One, Run, Runs};

type X2<L> = <<L as Lanes>::Runs as Runs<L>>::X2;
type X4<L> = <<L as Lanes>::Runs as Runs<L>>::X4;
type X8<L> = <<L as Lanes>::Runs as Runs<L>>::X8;

/// Calls `kernel::<L, R>` with the longest run `R` of at most `m` reals.
macro_rules! in_runs {
    ($m:expr, $kernel:ident($($argument:expr),*)) => {
        // The lengths are constants: a token without long runs has one kernel.
        match $m {
            m if m >= 8 && X8::<L>::LEN > 1 => $kernel::<L, X8<L>>($($argument),*),
            m if m >= 4 && X4::<L>::LEN > 1 => $kernel::<L, X4<L>>($($argument),*),
            m if m >= 2 && X2::<L>::LEN > 1 => $kernel::<L, X2<L>>($($argument),*),
            _ => $kernel::<L, One<L>>($($argument),*),
        }
    };
}

/// The `m` twiddles of the stage of `m` blocks.
#[inline(always)]
fn twiddles(m: usize) -> (&'static [f64], &'static [f64]) {
    (&TWIDDLE_RE[m..2 * m], &TWIDDLE_IM[m..2 * m])
}

/// `m` reals as runs. All lengths below are cut to the same one, so that the
/// loops need no checks.
#[inline(always)]
fn runs<L: Lanes, R: Run<L>, T: 'static>(m: usize, x: &[T]) -> &[R::Of<T>] {
    &R::chunks(x)[..m / R::LEN]
}

#[inline(always)]
fn runs_mut<L: Lanes, R: Run<L>, T: 'static>(m: usize, x: &mut [T]) -> &mut [R::Of<T>] {
    &mut R::chunks_mut(x)[..m / R::LEN]
}

/// Real and imaginary parts of `m` complex numbers, as runs.
#[inline(always)]
fn parts<L: Lanes, R: Run<L>, T: 'static>(m: usize, f: &[T]) -> [&[R::Of<T>]; 2] {
    let (re, im) = f.split_at(m);
    [runs::<L, R, T>(m, re), runs::<L, R, T>(m, im)]
}

#[inline(always)]
fn parts_mut<L: Lanes, R: Run<L>, T: 'static>(m: usize, f: &mut [T]) -> [&mut [R::Of<T>]; 2] {
    let (re, im) = f.split_at_mut(m);
    [runs_mut::<L, R, T>(m, re), runs_mut::<L, R, T>(m, im)]
}

/// A run of complex numbers.
#[inline(always)]
fn load<L: Lanes, R: Run<L>>(l: L, re: &R::Of<L::F>, im: &R::Of<L::F>) -> [R; 2] {
    [R::load(l, re), R::load(l, im)]
}

#[inline(always)]
fn store<L: Lanes, R: Run<L>>(l: L, x: [R; 2], re: &mut R::Of<L::F>, im: &mut R::Of<L::F>) {
    x[0].store(l, re);
    x[1].store(l, im);
}

/// [`load`] of what was stored in shorter runs just now.
#[inline(always)]
fn load_halves<L: Lanes, R: Run<L>>(l: L, re: &R::Of<L::F>, im: &R::Of<L::F>) -> [R; 2] {
    [R::load_halves(l, re), R::load_halves(l, im)]
}

/// The `m` twiddles of the stage of `m` blocks, as runs.
#[inline(always)]
fn twiddle_runs<L: Lanes, R: Run<L>>(m: usize) -> [&'static [R::Of<f64>]; 2] {
    let (re, im) = twiddles(m);
    [runs::<L, R, _>(m, re), runs::<L, R, _>(m, im)]
}

/// A run of complex numbers that all lanes share.
#[inline(always)]
fn shared<L: Lanes, R: Run<L>>(l: L, re: &R::Of<f64>, im: &R::Of<f64>) -> [R; 2] {
    [R::shared(l, re), R::shared(l, im)]
}

/// Two runs of neighbours: `u` and `u + 1` of every couple.
#[inline(always)]
fn unzip<L: Lanes, R: Run<L>>(l: L, x: [R; 2], y: [R; 2]) -> [[R; 2]; 2] {
    let [x_re, y_re] = R::unzip(l, x[0], y[0]);
    let [x_im, y_im] = R::unzip(l, x[1], y[1]);
    [[x_re, x_im], [y_re, y_im]]
}

#[inline(always)]
fn zip<L: Lanes, R: Run<L>>(l: L, x: [R; 2], y: [R; 2]) -> [[R; 2]; 2] {
    let [x_re, y_re] = R::zip(l, x[0], y[0]);
    let [x_im, y_im] = R::zip(l, x[1], y[1]);
    [[x_re, x_im], [y_re, y_im]]
}

/// The butterfly from `(x, y)` to `(x + w y, x - w y)`; the inverse one goes to
/// `(x + y, (x - y) conj(w))`.
#[inline(always)]
fn butterfly<L: Lanes, R: Run<L>, const INVERSE: bool>(
    l: L,
    x: [R; 2],
    mut y: [R; 2],
    w: [R; 2],
) -> [[R; 2]; 2] {
    if !INVERSE {
        y = R::complex_mul(l, y, w);
    }
    let ([sum_re, difference_re], [sum_im, difference_im]) =
        (R::add_sub(l, x[0], y[0]), R::add_sub(l, x[1], y[1]));
    let mut difference = [difference_re, difference_im];
    if INVERSE {
        difference = R::complex_mul_conj(l, difference, w);
    }
    [[sum_re, sum_im], difference]
}

/// The twiddle of block `i` of the stage of `m` blocks.
#[inline(always)]
fn twiddle<L: Lanes, R: Run<L>>(l: L, m: usize, i: usize, len: usize) -> [R; 2] {
    let (re, im) = twiddles(m);
    [R::cycle(l, &re[i..i + len]), R::cycle(l, &im[i..i + len])]
}

/// A stage whose butterflies join values `t` apart, `t` a multiple of the run:
/// block `i` has `2t` values and one twiddle.
#[inline(always)]
fn stage<L: Lanes, R: Run<L>, const INVERSE: bool>(
    l: L,
    t: usize,
    re: &mut [L::F],
    im: &mut [L::F],
) {
    let m = re.len() / (2 * t);
    let blocks = re.chunks_exact_mut(2 * t).zip(im.chunks_exact_mut(2 * t));
    for (i, (re, im)) in blocks.enumerate() {
        let w = twiddle(l, m, i, 1);
        let [x_re, y_re] = parts_mut::<L, R, _>(t, re);
        let [x_im, y_im] = parts_mut::<L, R, _>(t, im);
        for u in 0..t / R::LEN {
            let x = load(l, &x_re[u], &x_im[u]);
            let y = load(l, &y_re[u], &y_im[u]);
            let [x, y] = butterfly::<L, R, INVERSE>(l, x, y, w);
            store(l, x, &mut x_re[u], &mut x_im[u]);
            store(l, y, &mut y_re[u], &mut y_im[u]);
        }
    }
}

/// Two stages in one pass over memory: those of values `2t` apart and `t`
/// apart, `t` a multiple of the run.
#[inline(always)]
fn two_stages<L: Lanes, R: Run<L>, const INVERSE: bool>(
    l: L,
    t: usize,
    re: &mut [L::F],
    im: &mut [L::F],
) {
    let m = re.len() / (4 * t);
    let blocks = re.chunks_exact_mut(4 * t).zip(im.chunks_exact_mut(4 * t));
    for (i, (re, im)) in blocks.enumerate() {
        let w: [R; 2] = twiddle(l, m, i, 1);
        let v = [twiddle(l, 2 * m, 2 * i, 1), twiddle(l, 2 * m, 2 * i + 1, 1)];
        let (re, im) = (re.split_at_mut(2 * t), im.split_at_mut(2 * t));
        let [a_re, b_re] = parts_mut::<L, R, _>(t, re.0);
        let [c_re, d_re] = parts_mut::<L, R, _>(t, re.1);
        let [a_im, b_im] = parts_mut::<L, R, _>(t, im.0);
        let [c_im, d_im] = parts_mut::<L, R, _>(t, im.1);
        for u in 0..t / R::LEN {
            let mut a = load(l, &a_re[u], &a_im[u]);
            let mut b = load(l, &b_re[u], &b_im[u]);
            let mut c = load(l, &c_re[u], &c_im[u]);
            let mut d = load(l, &d_re[u], &d_im[u]);
            if !INVERSE {
                [a, c] = butterfly::<L, R, INVERSE>(l, a, c, w);
                [b, d] = butterfly::<L, R, INVERSE>(l, b, d, w);
            }
            [a, b] = butterfly::<L, R, INVERSE>(l, a, b, v[0]);
            [c, d] = butterfly::<L, R, INVERSE>(l, c, d, v[1]);
            if INVERSE {
                [a, c] = butterfly::<L, R, INVERSE>(l, a, c, w);
                [b, d] = butterfly::<L, R, INVERSE>(l, b, d, w);
            }
            store(l, a, &mut a_re[u], &mut a_im[u]);
            store(l, b, &mut b_re[u], &mut b_im[u]);
            store(l, c, &mut c_re[u], &mut c_im[u]);
            store(l, d, &mut d_re[u], &mut d_im[u]);
        }
    }
}

/// The stages of values `LEN`, `LEN / 2`, ... `1` apart, on two runs at a time:
/// [`Run::zip`] brings values half as far apart side by side, and after the
/// last stage every value to its place. The inverse stages go the other way,
/// and begin with the multiplication by `scale`.
#[inline(always)]
fn inner_stages<L: Lanes, R: Run<L>, const INVERSE: bool>(
    l: L,
    scale: f64,
    re: &mut [L::F],
    im: &mut [L::F],
) {
    let m = re.len();
    let (re, _) = R::chunks_mut(re).as_chunks_mut::<2>();
    let (im, _) = R::chunks_mut(im).as_chunks_mut::<2>();
    let scale = R::cycle(l, &[scale]);
    for (i, ([x_re, y_re], [x_im, y_im])) in re.iter_mut().zip(im).enumerate() {
        let (mut x, mut y): ([R; 2], [R; 2]) = (load(l, x_re, x_im), load(l, y_re, y_im));
        let mut k = if INVERSE { R::LEN } else { 1 };
        if INVERSE {
            x = [x[0].mul(l, scale), x[1].mul(l, scale)];
            y = [y[0].mul(l, scale), y[1].mul(l, scale)];
        }
        // Values LEN / k apart; k twiddles belong to these runs.
        while 1 <= k && k <= R::LEN {
            let blocks = m * k / (2 * R::LEN);
            if INVERSE {
                [x, y] = unzip(l, x, y);
            }
            [x, y] = butterfly::<L, R, INVERSE>(l, x, y, twiddle(l, blocks, i * k, k));
            if INVERSE {
                k /= 2;
            } else {
                [x, y] = zip(l, x, y);
                k *= 2;
            }
        }
        store(l, x, x_re, x_im);
        store(l, y, y_re, y_im);
    }
}

/// Reading `f[u] + i f[u + n/2]` already is the reduction modulo `x^(n/2) - i`.
/// Stage by stage, block `i` holds `f mod x^(2t) - w^2` and becomes `f mod
/// x^t - w` and `f mod x^t + w`.
#[inline(always)]
fn fft<L: Lanes, R: Run<L>>(l: L, logn: u32, f: &mut [L::F]) {
    let m = 1 << (logn - 1);
    let (re, im) = f.split_at_mut(m);
    let im = &mut im[..m];
    // Stages outside the runs: those of values m/2 ... 2 LEN apart.
    let mut t = m / 2;
    if (t / R::LEN).trailing_zeros() % 2 == 1 {
        stage::<L, R, false>(l, t, re, im);
        t /= 2;
    }
    while t > R::LEN {
        two_stages::<L, R, false>(l, t / 2, re, im);
        t /= 4;
    }
    inner_stages::<L, R, false>(l, 1.0, re, im);
}

#[inline(always)]
fn ifft<L: Lanes, R: Run<L>>(l: L, logn: u32, f: &mut [L::F]) {
    let m = 1 << (logn - 1);
    let (re, im) = f.split_at_mut(m);
    let im = &mut im[..m];
    // Every stage doubles the values; n/2 is a power of two, so this is exact.
    // 2^(1 - logn), built from its bits.
    let scale = f64::from_bits((1024 - u64::from(logn)) << 52);
    inner_stages::<L, R, true>(l, scale, re, im);
    let mut t = 2 * R::LEN;
    while 2 * t < m {
        two_stages::<L, R, true>(l, t, re, im);
        t *= 4;
    }
    if t < m {
        stage::<L, R, true>(l, t, re, im);
    }
}

/// `m` complex numbers by couples of neighbours: `m / 2` each.
type Couples<'a, T> = [&'a [[T; 2]]; 2];
type CouplesMut<'a, T> = [&'a mut [[T; 2]]; 2];

#[inline(always)]
fn couples<L: Lanes, R: Run<L>, T: 'static>(m: usize, f: &[T]) -> Couples<'_, R::Of<T>> {
    let [re, im] = parts::<L, R, T>(m, f);
    let len = m / 2 / R::LEN;
    [&re.as_chunks().0[..len], &im.as_chunks().0[..len]]
}

#[inline(always)]
fn couples_mut<L: Lanes, R: Run<L>, T: 'static>(m: usize, f: &mut [T]) -> CouplesMut<'_, R::Of<T>> {
    let [re, im] = parts_mut::<L, R, T>(m, f);
    let len = m / 2 / R::LEN;
    [
        &mut re.as_chunks_mut().0[..len],
        &mut im.as_chunks_mut().0[..len],
    ]
}

/// What the run `[a, b]` of neighbours splits into.
#[inline(always)]
fn split_run<L: Lanes, R: Run<L>>(l: L, [a, b]: [[R; 2]; 2], w: [R; 2]) -> [[R; 2]; 2] {
    let [x, y] = unzip(l, a, b);
    let ([s_re, d_re], [s_im, d_im]) = (R::add_sub(l, x[0], y[0]), R::add_sub(l, x[1], y[1]));
    [
        [s_re.half(l), s_im.half(l)],
        R::complex_mul_conj(l, [d_re.half(l), d_im.half(l)], w),
    ]
}

/// The inverse of [`split_run`].
#[inline(always)]
fn merge_run<L: Lanes, R: Run<L>>(l: L, [x, y]: [[R; 2]; 2], w: [R; 2]) -> [[R; 2]; 2] {
    let [x, y] = butterfly::<L, R, false>(l, x, y, w);
    zip(l, x, y)
}

/// `t + d * factor`.
#[inline(always)]
fn nearest_plane<L: Lanes, R: Run<L>>(l: L, t: [R; 2], d: [R; 2], factor: [R; 2]) -> [R; 2] {
    let p = R::complex_mul(l, d, factor);
    [t[0].add(l, p[0]), t[1].add(l, p[1])]
}

#[inline(always)]
fn split<L: Lanes, R: Run<L>>(l: L, logn: u32, f0: &mut [L::F], f1: &mut [L::F], f: &[L::F]) {
    let m = 1 << (logn - 2);
    let [re, im] = couples::<L, R, _>(2 * m, f);
    let [f0_re, f0_im] = parts_mut::<L, R, _>(m, f0);
    let [f1_re, f1_im] = parts_mut::<L, R, _>(m, f1);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / R::LEN {
        let f = [load(l, &re[u][0], &im[u][0]), load(l, &re[u][1], &im[u][1])];
        let [f0, f1] = split_run::<L, R>(l, f, shared(l, &w_re[u], &w_im[u]));
        store(l, f0, &mut f0_re[u], &mut f0_im[u]);
        store(l, f1, &mut f1_re[u], &mut f1_im[u]);
    }
}

#[inline(always)]
fn merge<L: Lanes, R: Run<L>>(l: L, logn: u32, f: &mut [L::F], f0: &[L::F], f1: &[L::F]) {
    let m = 1 << (logn - 2);
    let [re, im] = couples_mut::<L, R, _>(2 * m, f);
    let [f0_re, f0_im] = parts::<L, R, _>(m, f0);
    let [f1_re, f1_im] = parts::<L, R, _>(m, f1);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / R::LEN {
        let f = [
            load_halves(l, &f0_re[u], &f0_im[u]),
            load_halves(l, &f1_re[u], &f1_im[u]),
        ];
        let [a, b] = merge_run::<L, R>(l, f, shared(l, &w_re[u], &w_im[u]));
        store(l, a, &mut re[u][0], &mut im[u][0]);
        store(l, b, &mut re[u][1], &mut im[u][1]);
    }
}

#[inline(always)]
fn nearest_plane_step<L: Lanes, R: Run<L>>(
    l: L,
    logn: u32,
    t0: &[L::F],
    t1: &mut [L::F],
    [u0, u1]: [&mut [L::F]; 2],
    l10: &[f64],
) {
    let m = 1 << (logn - 2);
    let [u0_re, u0_im] = parts_mut::<L, R, _>(m, u0);
    let [u1_re, u1_im] = parts_mut::<L, R, _>(m, u1);
    let [t0_re, t0_im] = couples::<L, R, _>(2 * m, t0);
    let [t1_re, t1_im] = couples_mut::<L, R, _>(2 * m, t1);
    let [l_re, l_im] = couples::<L, R, _>(2 * m, l10);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / R::LEN {
        let w: [R; 2] = shared(l, &w_re[u], &w_im[u]);
        let z = [
            load_halves(l, &u0_re[u], &u0_im[u]),
            load_halves(l, &u1_re[u], &u1_im[u]),
        ];
        let z = merge_run::<L, R>(l, z, w);
        let mut t = z;
        for k in 0..2 {
            let (re, im) = (&mut t1_re[u][k], &mut t1_im[u][k]);
            let t1: [R; 2] = load(l, re, im);
            let d = [t1[0].sub(l, z[k][0]), t1[1].sub(l, z[k][1])];
            let t0 = load(l, &t0_re[u][k], &t0_im[u][k]);
            t[k] = nearest_plane(l, t0, d, shared(l, &l_re[u][k], &l_im[u][k]));
            store(l, z[k], re, im);
        }
        let [x, y] = split_run::<L, R>(l, t, w);
        store(l, x, &mut u0_re[u], &mut u0_im[u]);
        store(l, y, &mut u1_re[u], &mut u1_im[u]);
    }
}

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

#[inline(always)]
fn split_real<L: Lanes<F = f64>, R: Run<L>>(l: L, d: &[f64], e0: &mut [f64], e1: &mut [f64]) {
    let m = e0.len();
    let d = &runs::<L, R, _>(2 * m, d).as_chunks::<2>().0[..m / R::LEN];
    let e0 = runs_mut::<L, R, _>(m, e0);
    let [e1_re, e1_im] = parts_mut::<L, R, _>(m, e1);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / R::LEN {
        let [x, y] = R::unzip(l, R::load(l, &d[u][0]), R::load(l, &d[u][1]));
        let [sum, difference] = R::add_sub(l, x, y);
        sum.half(l).store(l, &mut e0[u]);
        let (difference, w) = (difference.half(l), shared(l, &w_re[u], &w_im[u]));
        let product = [difference.mul(l, w[0]), difference.mul(l, w[1]).neg(l)];
        store(l, product, &mut e1_re[u], &mut e1_im[u]);
    }
}

/// Splits a self-adjoint polynomial of degree `n`: `d` has `n/2` reals, `e0`
/// gets `n/4` (self-adjoint as well), `e1` `n/2` (complex numbers).
#[inline(always)]
pub(crate) fn split_self_adjoint<L: Lanes<F = f64>>(
    l: L,
    d: &[f64],
    e0: &mut [f64],
    e1: &mut [f64],
) {
    in_runs!(e0.len(), split_real(l, d, e0, e1));
}

#[inline(always)]
fn factor<L: Lanes<F = f64>, R: Run<L>>(l: L, g00: &[f64], g01: &mut [f64], g11: &mut [f64]) {
    let m = g00.len();
    let [re, im] = parts_mut::<L, R, _>(m, g01);
    let (g00, g11) = (runs::<L, R, _>(m, g00), runs_mut::<L, R, _>(m, g11));
    for u in 0..m / R::LEN {
        let inverse = R::load(l, &g00[u]).inverse(l);
        let g01: [R; 2] = load(l, &re[u], &im[u]);
        let l10 = [g01[0].mul(l, inverse), g01[1].mul(l, inverse)];
        let norm = l10[0].mul(l, g01[0]).add(l, l10[1].mul(l, g01[1]));
        R::load(l, &g11[u]).sub(l, norm).store(l, &mut g11[u]);
        store(l, [l10[0], l10[1].neg(l)], &mut re[u], &mut im[u]);
    }
}

/// The factors of a Gram matrix whose diagonal is self-adjoint (half the
/// reals): `g01` becomes `l10 = conj(g01) / g00`, `g11` becomes
/// `d11 = g11 - Re(l10 g01)`; `d00 = g00`.
#[inline(always)]
pub(crate) fn ldl<L: Lanes<F = f64>>(l: L, g00: &[f64], g01: &mut [f64], g11: &mut [f64]) {
    in_runs!(g00.len(), factor(l, g00, g01, g11));
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
