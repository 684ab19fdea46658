//! Operations at a node of ffSampling and of the LDL tree: splitting, merging, the nearest-plane
//! step, the factors of a Gram matrix.

use super::runs::*;
use crate::lanes::{F64s, Lanes};

/// `m` complex numbers by couples of neighbours: `m / 2` each.
type Couples<'a, T> = [&'a [[T; 2]]; 2];
type CouplesMut<'a, T> = [&'a mut [[T; 2]]; 2];

#[inline(always)]
fn couples<L: Lanes, R: F64s<L::Isa>, T: 'static>(m: usize, f: &[T]) -> Couples<'_, L::Of<R, T>> {
    let [re, im] = halves::<L, R, T>(m, f);
    let len = m / 2 / len::<L, R>();
    [&re.as_chunks().0[..len], &im.as_chunks().0[..len]]
}

#[inline(always)]
fn couples_mut<L: Lanes, R: F64s<L::Isa>, T: 'static>(
    m: usize,
    f: &mut [T],
) -> CouplesMut<'_, L::Of<R, T>> {
    let [re, im] = halves_mut::<L, R, T>(m, f);
    let len = m / 2 / len::<L, R>();
    [
        &mut re.as_chunks_mut().0[..len],
        &mut im.as_chunks_mut().0[..len],
    ]
}

/// Splits a run of couples of neighbours: `x` has the first of each couple, `y` the second.
///
/// The twiddle is halved, not the difference: nothing waits for the twiddle, so the halving is off
/// the chain from `a` and `b` to the result. The bits are the same. Halving commutes with the
/// rounding of products and sums as long as no operand, product or sum is subnormal, before or
/// after the halving. None is: a nonzero number of signing is about `2^-200` or larger
/// (`fpr/soft/mod.rs`), and twiddles are above `2^-9`.
#[inline(always)]
fn split_run<L: Lanes, R: F64s<L::Isa>>([x, y]: [[R; 2]; 2], w: [R; 2]) -> [[R; 2]; 2] {
    let ([s_re, d_re], [s_im, d_im]) = (x[0].add_sub(y[0]), x[1].add_sub(y[1]));
    [
        [s_re.half(), s_im.half()],
        R::complex_mul_conj([d_re, d_im], [w[0].half(), w[1].half()]),
    ]
}

/// `t + d * factor`.
#[inline(always)]
fn nearest_plane<L: Lanes, R: F64s<L::Isa>>(t: [R; 2], d: [R; 2], factor: [R; 2]) -> [R; 2] {
    let p = R::complex_mul(d, factor);
    [t[0] + p[0], t[1] + p[1]]
}

/// Splits `f(x) = f0(x^2) + x f1(x^2)` in the FFT domain.
///
/// Source: Falcon specification v1.2, algorithm 1 (splitfft).
#[inline(always)]
pub(super) fn split<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    logn: u32,
    f0: &mut [L::Real],
    f1: &mut [L::Real],
    f: &[L::Real],
) {
    let m = 1 << (logn - 2);
    let [re, im] = couples::<L, R, _>(2 * m, f);
    let [f0_re, f0_im] = halves_mut::<L, R, _>(m, f0);
    let [f1_re, f1_im] = halves_mut::<L, R, _>(m, f1);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / len::<L, R>() {
        let f = load_unzipped(l, &re[u], &im[u]);
        let [f0, f1] = split_run::<L, R>(f, shared(l, &w_re[u], &w_im[u]));
        store::<L, R>(f0, &mut f0_re[u], &mut f0_im[u]);
        store::<L, R>(f1, &mut f1_re[u], &mut f1_im[u]);
    }
}

/// Merges `f0` and `f1` to `f(x) = f0(x^2) + x f1(x^2)` in the FFT domain.
///
/// Source: Falcon specification v1.2, algorithm 2 (mergefft).
#[inline(always)]
pub(super) fn merge<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    logn: u32,
    f: &mut [L::Real],
    f0: &[L::Real],
    f1: &[L::Real],
) {
    let m = 1 << (logn - 2);
    let [re, im] = couples_mut::<L, R, _>(2 * m, f);
    let [f0_re, f0_im] = halves::<L, R, _>(m, f0);
    let [f1_re, f1_im] = halves::<L, R, _>(m, f1);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / len::<L, R>() {
        let f0: [R; 2] = load_halves(l, &f0_re[u], &f0_im[u]);
        let f1: [R; 2] = load_halves(l, &f1_re[u], &f1_im[u]);
        let f = butterfly::<L, R, false>(f0, f1, shared(l, &w_re[u], &w_im[u]));
        store_zipped::<L, R>(f, &mut re[u], &mut im[u]);
    }
}

#[inline(always)]
pub(super) fn nearest_plane_step<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    logn: u32,
    t0: &[L::Real],
    t1: &mut [L::Real],
    [u0, u1]: [&mut [L::Real]; 2],
    l10: &[f64],
) {
    let m = 1 << (logn - 2);
    let [u0_re, u0_im] = halves_mut::<L, R, _>(m, u0);
    let [u1_re, u1_im] = halves_mut::<L, R, _>(m, u1);
    let [t0_re, t0_im] = couples::<L, R, _>(2 * m, t0);
    let [t1_re, t1_im] = couples_mut::<L, R, _>(2 * m, t1);
    let [l_re, l_im] = couples::<L, R, _>(2 * m, l10);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / len::<L, R>() {
        let w: [R; 2] = shared(l, &w_re[u], &w_im[u]);
        let z0: [R; 2] = load_halves(l, &u0_re[u], &u0_im[u]);
        let z1: [R; 2] = load_halves(l, &u1_re[u], &u1_im[u]);
        let [x, y] = butterfly::<L, R, false>(z0, z1, w);
        let z = zip::<L, R>(x, y);
        let mut t = z;
        for k in 0..2 {
            let (re, im) = (&mut t1_re[u][k], &mut t1_im[u][k]);
            let t1: [R; 2] = load(l, re, im);
            let d = [t1[0] - z[k][0], t1[1] - z[k][1]];
            let t0 = load(l, &t0_re[u][k], &t0_im[u][k]);
            t[k] = nearest_plane::<L, R>(t0, d, shared(l, &l_re[u][k], &l_im[u][k]));
            store::<L, R>(z[k], re, im);
        }
        let [x, y] = split_run::<L, R>(unzip::<L, R>(t[0], t[1]), w);
        store::<L, R>(x, &mut u0_re[u], &mut u0_im[u]);
        store::<L, R>(y, &mut u1_re[u], &mut u1_im[u]);
    }
}

/// Order of the operations of LDL's quotient `x / d`. The two orders round differently, in about
/// every second quotient.
#[derive(Clone, Copy, Debug)]
pub enum Quotient {
    /// `x (d (1 / (d d)))`, as the C reference of round 3 computes it.
    BySquare,
    /// `x (1 / d)`, as the crate `fn-dsa` computes it.
    #[cfg(feature = "fndsa-provisional")]
    Direct,
}

impl Quotient {
    /// The factor by which a quotient by `d` multiplies.
    #[inline(always)]
    fn factor<I: Copy, R: F64s<I>>(self, d: R) -> R {
        match self {
            Self::BySquare => d * (d * d).inverse(),
            #[cfg(feature = "fndsa-provisional")]
            Self::Direct => d.inverse(),
        }
    }
}

/// The factors of a run of a Gram matrix: see [`ldl`].
#[inline(always)]
fn factor_run<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    quotient: Quotient,
    g00: R,
    g01: [R; 2],
    g11: R,
) -> ([R; 2], R) {
    let inverse = quotient.factor(g00);
    let l10 = [g01[0] * inverse, g01[1] * inverse];
    let norm = l10[0] * g01[0] + l10[1] * g01[1];
    ([l10[0], -l10[1]], g11 - norm)
}

#[inline(always)]
fn factor<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    quotient: Quotient,
    g00: &[f64],
    g01: &mut [f64],
    g11: &mut [f64],
) {
    let m = g00.len();
    let [re, im] = halves_mut::<L, R, _>(m, g01);
    let (g00, g11) = (runs::<L, R, _>(m, g00), runs_mut::<L, R, _>(m, g11));
    for u in 0..m / len::<L, R>() {
        let g01 = load(l, &re[u], &im[u]);
        let (l10, d11) = factor_run::<L, R>(quotient, l.load(&g00[u]), g01, l.load(&g11[u]));
        L::store(d11, &mut g11[u]);
        store::<L, R>(l10, &mut re[u], &mut im[u]);
    }
}

/// The factors of a Gram matrix whose diagonal is self-adjoint (half the
/// reals): `g01` becomes `l10 = conj(g01) / g00`, `g11` becomes
/// `d11 = g11 - Re(l10 g01)`; `d00 = g00`.
#[inline(always)]
pub(crate) fn ldl<L: Lanes<Real = f64>>(
    l: L,
    quotient: Quotient,
    g00: &[f64],
    g01: &mut [f64],
    g11: &mut [f64],
) {
    in_runs!(g00.len(), factor(l, quotient, g00, g01, g11));
}

/// A run of the nodes below diagonal entries: `d00`, `l10` and `d11`. `x` has the first of each
/// couple of neighbours, `y` the second.
#[inline(always)]
fn split_and_factor<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    quotient: Quotient,
    [x, y]: [R; 2],
    w: [R; 2],
) -> (R, [R; 2], R) {
    let [sum, difference] = x.add_sub(y);
    let (e0, half) = (sum.half(), difference.half());
    let e1 = [half * w[0], -(half * w[1])];
    let (l10, d11) = factor_run::<L, R>(quotient, e0, e1, e0);
    (e0, l10, d11)
}

#[inline(always)]
fn split_ldl_runs<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    quotient: Quotient,
    d: &[f64],
    d00: &mut [f64],
    l10: &mut [f64],
    d11: &mut [f64],
) {
    let m = d00.len();
    let d = &runs::<L, R, _>(2 * m, d).as_chunks::<2>().0[..m / len::<L, R>()];
    let (d00, d11) = (runs_mut::<L, R, _>(m, d00), runs_mut::<L, R, _>(m, d11));
    let [l_re, l_im] = halves_mut::<L, R, _>(m, l10);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / len::<L, R>() {
        let couples: [R; 2] = l.load_unzipped(&d[u]);
        let w = shared(l, &w_re[u], &w_im[u]);
        let (d0, l10, d1) = split_and_factor::<L, R>(quotient, couples, w);
        L::store(d0, &mut d00[u]);
        L::store(d1, &mut d11[u]);
        store::<L, R>(l10, &mut l_re[u], &mut l_im[u]);
    }
}

/// Computes the node below a diagonal entry `d`, a self-adjoint polynomial of degree `n` (`n/2`
/// reals). It splits into `e0`, which is self-adjoint too, and `e1`. The node holds the factors of
/// the Gram matrix `[[e0, e1], [conj(e1), e0]]`, as [`ldl`] finds them. `d00` and `d11` get `n/4`
/// reals, `l10` `n/2`.
#[inline(always)]
pub(crate) fn split_ldl<L: Lanes<Real = f64>>(
    l: L,
    quotient: Quotient,
    d: &[f64],
    d00: &mut [f64],
    l10: &mut [f64],
    d11: &mut [f64],
) {
    in_runs!(d00.len(), split_ldl_runs(l, quotient, d, d00, l10, d11));
}

#[inline(always)]
fn split_ldl_level_runs<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    quotient: Quotient,
    m: usize,
    d: &[f64],
    d00: &mut [f64],
    [l_re, l_im]: [&mut [f64]; 2],
    d11: &mut [f64],
) {
    let len = d00.len();
    let d = &runs::<L, R, _>(2 * len, d).as_chunks::<2>().0[..len / R::LEN];
    let (d00, d11) = (runs_mut::<L, R, _>(len, d00), runs_mut::<L, R, _>(len, d11));
    let (l_re, l_im) = (
        runs_mut::<L, R, _>(len, l_re),
        runs_mut::<L, R, _>(len, l_im),
    );
    let (w_re, w_im) = twiddles(m);
    for u in 0..len / R::LEN {
        let couples: [R; 2] = l.load_unzipped(&d[u]);
        let first = u * R::LEN % m;
        let of_entry = first..first + R::LEN.min(m);
        let w = [l.cycle(&w_re[of_entry.clone()]), l.cycle(&w_im[of_entry])];
        let (d0, l10, d1) = split_and_factor::<L, R>(quotient, couples, w);
        L::store(d0, &mut d00[u]);
        L::store(d1, &mut d11[u]);
        store::<L, R>(l10, &mut l_re[u], &mut l_im[u]);
    }
}

/// [`split_ldl`] of entries of `2m` reals that follow one another in `d`, side by side. `d00`,
/// `d11` and both parts of `l10` get `m` reals for each entry.
#[inline(always)]
pub(crate) fn split_ldl_level<L: Lanes<Real = f64>>(
    l: L,
    quotient: Quotient,
    m: usize,
    d: &[f64],
    d00: &mut [f64],
    l10: [&mut [f64]; 2],
    d11: &mut [f64],
) {
    in_runs!(
        d00.len(),
        split_ldl_level_runs(l, quotient, m, d, d00, l10, d11)
    );
}

#[inline(always)]
fn norm<I: Copy, R: F64s<I>>(a: [R; 2]) -> R {
    a[0] * a[0] + a[1] * a[1]
}

#[inline(always)]
fn gram_runs<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    b00: &mut [f64],
    b01: &mut [f64],
    b10: &[f64],
    b11: &[f64],
) {
    let m = b00.len() / 2;
    let ([x_re, x_im], [y_re, y_im]) =
        (halves_mut::<L, R, _>(m, b00), halves_mut::<L, R, _>(m, b01));
    let ([v_re, v_im], [w_re, w_im]) = (halves::<L, R, _>(m, b10), halves::<L, R, _>(m, b11));
    for u in 0..m / len::<L, R>() {
        let x: [R; 2] = load(l, &x_re[u], &x_im[u]);
        let y: [R; 2] = load(l, &y_re[u], &y_im[u]);
        let v: [R; 2] = load(l, &v_re[u], &v_im[u]);
        let w: [R; 2] = load(l, &w_re[u], &w_im[u]);
        let (xv, yw) = (R::complex_mul_conj(x, v), R::complex_mul_conj(y, w));
        L::store(norm(x) + norm(y), &mut x_re[u]);
        L::store(norm(v) + norm(w), &mut x_im[u]);
        L::store(xv[0] + yw[0], &mut y_re[u]);
        L::store(xv[1] + yw[1], &mut y_im[u]);
    }
}

/// The Gram matrix of a basis, written over its first row: see
/// [`gram_in_place`](crate::tree::gram_in_place).
#[inline(always)]
pub(crate) fn gram<L: Lanes<Real = f64>>(
    l: L,
    b00: &mut [f64],
    b01: &mut [f64],
    b10: &[f64],
    b11: &[f64],
) {
    in_runs!(b00.len() / 2, gram_runs(l, b00, b01, b10, b11));
}
