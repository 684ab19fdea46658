//! Operations at a node of ffSampling and of the LDL tree: splitting, merging, the nearest-plane
//! step, the factors of a Gram matrix.

use super::runs::*;
use crate::lanes::{F64s, Lanes};

/// True if small subtrees are computed level by level. On AArch64 a signature would take 0.5 % more
/// instructions; without vectors it would be no faster.
pub(crate) const HAS_SUBTREES: bool = cfg!(target_arch = "x86_64");

/// The real and the imaginary parts of `m` complex numbers, in `m / 2` couples of neighbours.
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
/// The twiddle is halved, not the difference. The twiddle is known early, so halving it does not
/// lengthen the chain from `x` and `y` to the result. The bits are the same. Halving commutes with
/// the rounding of products and sums as long as no operand, product or sum is subnormal, before or
/// after the halving. No such number is subnormal: nonzero numbers in signing are about `2^-200` or
/// larger (`fpr/soft.rs`), and twiddles are above `2^-9`.
#[inline(always)]
fn split_run<L: Lanes, R: F64s<L::Isa>>([x, y]: [[R; 2]; 2], w: [R; 2]) -> [[R; 2]; 2] {
    let ([s_re, d_re], [s_im, d_im]) = (x[0].add_sub(y[0]), x[1].add_sub(y[1]));
    [
        [s_re.half(), s_im.half()],
        R::complex_mul_conj([d_re, d_im], [w[0].half(), w[1].half()]),
    ]
}

/// Returns `t + d * factor`.
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

/// Arithmetic of the LDL decomposition. In exact arithmetic the diagonal is real.
#[derive(Clone, Copy, Debug)]
pub enum Ldl {
    /// Complex arithmetic, as in the C reference of round 3: the diagonal keeps an imaginary part,
    /// which is rounding noise. A quotient `x / d` is `x (conj(d) (1 / |d|^2))`.
    Complex,
    /// Real diagonals, as in the crate `fn-dsa`. A quotient `x / d` is `x (1 / d)`.
    #[cfg(feature = "fndsa-provisional")]
    Real,
}

#[inline(always)]
fn norm<I: Copy, R: F64s<I>>(a: [R; 2]) -> R {
    a[0] * a[0] + a[1] * a[1]
}

/// A run of entries of a diagonal.
#[derive(Clone, Copy)]
enum Entry<R> {
    /// A diagonal whose imaginary part is zero: at the root, and in [`Ldl::Real`].
    Real(R),
    Complex([R; 2]),
}

impl<R> Entry<R> {
    /// The real and the imaginary part.
    #[inline(always)]
    fn parts<L: Lanes>(self, l: L) -> [R; 2]
    where
        R: F64s<L::Isa>,
    {
        match self {
            Self::Real(re) => [re, R::splat(l.isa(), 0.0)],
            Self::Complex(parts) => parts,
        }
    }
}

/// Returns `l10 = conj(g01 / g00)` and `d11 = g11 - (g01 / g00) conj(g01)`. With `d00 = g00`, they
/// are the factors of a run of a Gram matrix `[[g00, g01], [conj(g01), g11]]`.
#[inline(always)]
fn factor<I: Copy, R: F64s<I>>(
    ldl: Ldl,
    g00: Entry<R>,
    g01: [R; 2],
    g11: Entry<R>,
) -> ([R; 2], Entry<R>) {
    let times = |x: R| [g01[0] * x, g01[1] * x];
    let quotient = match (ldl, g00) {
        (_, Entry::Complex(d)) => {
            let inverse = norm(d).inverse();
            R::complex_mul_conj(g01, [d[0] * inverse, d[1] * inverse])
        }
        (Ldl::Complex, Entry::Real(d)) => times(d * (d * d).inverse()),
        #[cfg(feature = "fndsa-provisional")]
        (Ldl::Real, Entry::Real(d)) => times(d.inverse()),
    };
    let d11 = match ldl {
        Ldl::Complex => {
            let product = R::complex_mul_conj(quotient, g01);
            Entry::Complex(match g11 {
                Entry::Real(d) => [d - product[0], -product[1]],
                Entry::Complex(d) => [d[0] - product[0], d[1] - product[1]],
            })
        }
        #[cfg(feature = "fndsa-provisional")]
        Ldl::Real => {
            let (Entry::Real(d) | Entry::Complex([d, _])) = g11;
            Entry::Real(d - (quotient[0] * g01[0] + quotient[1] * g01[1]))
        }
    };
    ([quotient[0], -quotient[1]], d11)
}

#[inline(always)]
fn ldl_runs<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    ldl: Ldl,
    b00: &mut [f64],
    b01: &mut [f64],
    b10: &[f64],
    b11: &mut [f64],
) {
    let m = b00.len() / 2;
    let [x_re, x_im] = halves_mut::<L, R, _>(m, b00);
    let [y_re, y_im] = halves_mut::<L, R, _>(m, b01);
    let [v_re, v_im] = halves::<L, R, _>(m, b10);
    let [w_re, w_im] = halves_mut::<L, R, _>(m, b11);
    for u in 0..m / len::<L, R>() {
        let x: [R; 2] = load(l, &x_re[u], &x_im[u]);
        let y: [R; 2] = load(l, &y_re[u], &y_im[u]);
        let v: [R; 2] = load(l, &v_re[u], &v_im[u]);
        let w: [R; 2] = load(l, &w_re[u], &w_im[u]);
        let (xv, yw) = (R::complex_mul_conj(x, v), R::complex_mul_conj(y, w));
        let g01 = [xv[0] + yw[0], xv[1] + yw[1]];
        let (g00, g11) = (norm(x) + norm(y), norm(v) + norm(w));
        let (l10, d11) = factor(ldl, Entry::Real(g00), g01, Entry::Real(g11));
        store::<L, R>(l10, &mut x_re[u], &mut x_im[u]);
        L::store(g00, &mut y_re[u]);
        store::<L, R>(d11.parts(l), &mut w_re[u], &mut w_im[u]);
    }
}

/// Factors the Gram matrix of a basis: `g00 = |b00|^2 + |b01|^2`,
/// `g01 = b00 conj(b10) + b01 conj(b11)`, `g11 = |b10|^2 + |b11|^2`. Writes `l10` over `b00`, the
/// real parts of `d00` over those of `b01`, and `d11` over `b11`. The imaginary part of `d00` is
/// zero.
#[inline(always)]
pub(crate) fn ldl<L: Lanes<Real = f64>>(
    l: L,
    ldl: Ldl,
    b00: &mut [f64],
    b01: &mut [f64],
    b10: &[f64],
    b11: &mut [f64],
) {
    in_longest_runs!(b00.len() / 2, ldl_runs(l, ldl, b00, b01, b10, b11));
}

/// Returns a run of the nodes below diagonal entries: `l10`, `d00` and `d11`. `x` has the first of
/// each couple of neighbours, `y` the second.
#[inline(always)]
fn split_and_factor<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    ldl: Ldl,
    [x, y]: [[R; 2]; 2],
    w: [R; 2],
) -> [[R; 2]; 3] {
    let (e0, e1) = match ldl {
        Ldl::Complex => {
            let [e0, e1] = split_run::<L, R>([x, y], w);
            (Entry::Complex(e0), e1)
        }
        #[cfg(feature = "fndsa-provisional")]
        Ldl::Real => {
            let [sum, difference] = x[0].add_sub(y[0]);
            let half = difference.half();
            (Entry::Real(sum.half()), [half * w[0], -(half * w[1])])
        }
    };
    let (l10, d11) = factor(ldl, e0, e1, e0);
    [l10, e0.parts(l), d11.parts(l)]
}

#[inline(always)]
fn split_ldl_runs<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    ldl: Ldl,
    d: &[f64],
    d00: &mut [f64],
    l10: &mut [f64],
    d11: &mut [f64],
) {
    let m = d00.len() / 2;
    let couples = |d| &runs::<L, R, _>(2 * m, d).as_chunks::<2>().0[..m / len::<L, R>()];
    let (d_re, d_im) = d.split_at(2 * m);
    let d_re = couples(d_re);
    let d_im = (!d_im.is_empty()).then(|| couples(d_im));
    let [d00_re, d00_im] = halves_mut::<L, R, _>(m, d00);
    let [d11_re, d11_im] = halves_mut::<L, R, _>(m, d11);
    let [l_re, l_im] = halves_mut::<L, R, _>(m, l10);
    let [w_re, w_im] = twiddle_runs::<L, R>(m);
    for u in 0..m / len::<L, R>() {
        // Multiplying by zeros costs less time than a second copy of the code would.
        let couples = match d_im {
            Some(d_im) => load_unzipped(l, &d_re[u], &d_im[u]),
            None => {
                let re: [R; 2] = l.load_unzipped(&d_re[u]);
                re.map(|re| Entry::Real(re).parts(l))
            }
        };
        let w = shared(l, &w_re[u], &w_im[u]);
        let [l10, d0, d1] = split_and_factor::<L, R>(l, ldl, couples, w);
        store::<L, R>(d0, &mut d00_re[u], &mut d00_im[u]);
        store::<L, R>(d1, &mut d11_re[u], &mut d11_im[u]);
        store::<L, R>(l10, &mut l_re[u], &mut l_im[u]);
    }
}

/// Computes the node below a diagonal entry `d`, a polynomial of degree `n` that is self-adjoint
/// except for rounding. `d` has `n` reals, or only the `n/2` real parts if the imaginary parts are
/// zero. `d` splits into `e0` and `e1`. The node holds the factors of the Gram matrix `[[e0, e1],
/// [conj(e1), e0]]`: `d00`, `l10` and `d11` get `n/2` reals each.
#[inline(always)]
pub(crate) fn split_ldl<L: Lanes<Real = f64>>(
    l: L,
    ldl: Ldl,
    d: &[f64],
    d00: &mut [f64],
    l10: &mut [f64],
    d11: &mut [f64],
) {
    if HAS_SUBTREES {
        in_longest_runs!(d00.len() / 2, split_ldl_runs(l, ldl, d, d00, l10, d11));
    } else {
        in_runs!(d00.len() / 2, split_ldl_runs(l, ldl, d, d00, l10, d11));
    }
}

/// Real and imaginary parts of the entries of a level of the tree.
type Parts<'a> = [&'a [f64]; 2];
type PartsMut<'a> = [&'a mut [f64]; 2];

#[inline(always)]
fn split_ldl_level_runs<L: Lanes<Real = f64>, R: F64s<L::Isa>>(
    l: L,
    ldl: Ldl,
    m: usize,
    d: Parts<'_>,
    d00: PartsMut<'_>,
    l10: PartsMut<'_>,
    d11: PartsMut<'_>,
) {
    let len = d00[0].len();
    let [d_re, d_im] = d.map(|d| &runs::<L, R, _>(2 * len, d).as_chunks::<2>().0[..len / R::LEN]);
    let [[d00_re, d00_im], [d11_re, d11_im], [l_re, l_im]] =
        [d00, d11, l10].map(|parts| parts.map(|part| runs_mut::<L, R, _>(len, part)));
    let (w_re, w_im) = twiddles(m);
    for u in 0..len / R::LEN {
        let couples: [[R; 2]; 2] = load_unzipped(l, &d_re[u], &d_im[u]);
        let first = u * R::LEN % m;
        let of_entry = first..first + R::LEN.min(m);
        let w = [l.cycle(&w_re[of_entry.clone()]), l.cycle(&w_im[of_entry])];
        let [l10, d0, d1] = split_and_factor::<L, R>(l, ldl, couples, w);
        store::<L, R>(d0, &mut d00_re[u], &mut d00_im[u]);
        store::<L, R>(d1, &mut d11_re[u], &mut d11_im[u]);
        store::<L, R>(l10, &mut l_re[u], &mut l_im[u]);
    }
}

/// Computes [`split_ldl`] of several entries side by side. The entries, of `2m` complex numbers
/// each, follow one another in `d`. `d00`, `l10` and `d11` get `m` complex numbers for each entry.
#[inline(always)]
pub(crate) fn split_ldl_level<L: Lanes<Real = f64>>(
    l: L,
    ldl: Ldl,
    m: usize,
    d: Parts<'_>,
    d00: PartsMut<'_>,
    l10: PartsMut<'_>,
    d11: PartsMut<'_>,
) {
    in_runs!(
        d00[0].len(),
        split_ldl_level_runs(l, ldl, m, d, d00, l10, d11)
    );
}
