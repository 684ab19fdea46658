//! What a node of ffSampling and of the LDL tree computes: splitting, merging,
//! the nearest-plane step, the factors of a Gram matrix.

use super::runs::*;
use crate::lanes::{Lanes, Run};

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
pub(super) fn split<L: Lanes, R: Run<L>>(
    l: L,
    logn: u32,
    f0: &mut [L::F],
    f1: &mut [L::F],
    f: &[L::F],
) {
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
pub(super) fn merge<L: Lanes, R: Run<L>>(
    l: L,
    logn: u32,
    f: &mut [L::F],
    f0: &[L::F],
    f1: &[L::F],
) {
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
pub(super) fn nearest_plane_step<L: Lanes, R: Run<L>>(
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

/// The factors of a run of a Gram matrix: see [`ldl`].
#[inline(always)]
fn factor_run<L: Lanes<F = f64>, R: Run<L>>(l: L, g00: R, g01: [R; 2], g11: R) -> ([R; 2], R) {
    let inverse = g00.inverse(l);
    let l10 = [g01[0].mul(l, inverse), g01[1].mul(l, inverse)];
    let norm = l10[0].mul(l, g01[0]).add(l, l10[1].mul(l, g01[1]));
    ([l10[0], l10[1].neg(l)], g11.sub(l, norm))
}

#[inline(always)]
fn factor<L: Lanes<F = f64>, R: Run<L>>(l: L, g00: &[f64], g01: &mut [f64], g11: &mut [f64]) {
    let m = g00.len();
    let [re, im] = parts_mut::<L, R, _>(m, g01);
    let (g00, g11) = (runs::<L, R, _>(m, g00), runs_mut::<L, R, _>(m, g11));
    for u in 0..m / R::LEN {
        let g01 = load(l, &re[u], &im[u]);
        let (l10, d11) = factor_run(l, R::load(l, &g00[u]), g01, R::load(l, &g11[u]));
        d11.store(l, &mut g11[u]);
        store(l, l10, &mut re[u], &mut im[u]);
    }
}

/// The factors of a Gram matrix whose diagonal is self-adjoint (half the
/// reals): `g01` becomes `l10 = conj(g01) / g00`, `g11` becomes
/// `d11 = g11 - Re(l10 g01)`; `d00 = g00`.
#[inline(always)]
pub(crate) fn ldl<L: Lanes<F = f64>>(l: L, g00: &[f64], g01: &mut [f64], g11: &mut [f64]) {
    in_runs!(g00.len(), factor(l, g00, g01, g11));
}

#[inline(always)]
fn split_and_factor<L: Lanes<F = f64>, R: Run<L>>(
    l: L,
    d: &[f64],
    d00: &mut [f64],
    l10: &mut [f64],
    d11: &mut [f64],
) {
    let m = d00.len();
    let d = &runs::<L, R, _>(2 * m, d).as_chunks::<2>().0[..m / R::LEN];
    let (d00, d11) = (runs_mut::<L, R, _>(m, d00), runs_mut::<L, R, _>(m, d11));
    let [l_re, l_im] = parts_mut::<L, R, _>(m, l10);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / R::LEN {
        let [x, y] = R::unzip(l, R::load(l, &d[u][0]), R::load(l, &d[u][1]));
        let [sum, difference] = R::add_sub(l, x, y);
        let (e0, half) = (sum.half(l), difference.half(l));
        let w: [R; 2] = shared(l, &w_re[u], &w_im[u]);
        let e1 = [half.mul(l, w[0]), half.mul(l, w[1]).neg(l)];
        let (l10, d) = factor_run(l, e0, e1, e0);
        e0.store(l, &mut d00[u]);
        d.store(l, &mut d11[u]);
        store(l, l10, &mut l_re[u], &mut l_im[u]);
    }
}

/// The node below a diagonal entry `d`, a self-adjoint polynomial of degree `n`
/// (`n/2` reals) that splits into `e0`, self-adjoint as well, and `e1`: the
/// factors of the Gram matrix `[[e0, e1], [conj(e1), e0]]`, as [`ldl`] finds them.
/// `d00` and `d11` get `n/4` reals, `l10` `n/2`.
#[inline(always)]
pub(crate) fn split_ldl<L: Lanes<F = f64>>(
    l: L,
    d: &[f64],
    d00: &mut [f64],
    l10: &mut [f64],
    d11: &mut [f64],
) {
    in_runs!(d00.len(), split_and_factor(l, d, d00, l10, d11));
}
