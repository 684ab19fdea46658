//! Tools for kernels over runs: cutting polynomials into runs, moving runs of complex numbers, the
//! butterfly.

use super::{TWIDDLE_IM, TWIDDLE_RE};
use crate::lanes::{F64s, Lanes};

/// Calls `kernel::<L, R>` with the longest run of at most `m` coefficients.
macro_rules! in_runs {
    ($m:expr, $kernel:ident($($argument:expr),*)) => {
        // `L::RUN` is a constant. If it is 1, only one kernel is compiled.
        match $m {
            m if m >= 8 && L::RUN >= 8 => $kernel::<L, L::X8>($($argument),*),
            m if m >= 4 && L::RUN >= 4 => $kernel::<L, L::X4>($($argument),*),
            m if m >= 2 && L::RUN >= 2 => $kernel::<L, L::X2>($($argument),*),
            _ => $kernel::<L, L::X1>($($argument),*),
        }
    };
}

/// Calls `kernel::<L, R>` as [`in_runs`] does, with runs of the longest register or of one
/// coefficient only. That is less code for kernels that rarely have few coefficients.
macro_rules! in_longest_runs {
    ($m:expr, $kernel:ident($($argument:expr),*)) => {
        match $m {
            m if m >= 8 && L::RUN >= 8 => $kernel::<L, L::X8>($($argument),*),
            m if m >= 4 && L::RUN == 4 => $kernel::<L, L::X4>($($argument),*),
            m if m >= 2 && L::RUN == 2 => $kernel::<L, L::X2>($($argument),*),
            _ => $kernel::<L, L::X1>($($argument),*),
        }
    };
}

/// Number of coefficients of a run of `R`.
pub(super) const fn len<L: Lanes, R: F64s<L::Isa>>() -> usize {
    R::LEN / L::LANES
}

/// Returns the `m` twiddles of the stage that has `m` blocks.
#[inline(always)]
pub(super) fn twiddles(m: usize) -> (&'static [f64], &'static [f64]) {
    (&TWIDDLE_RE[m..2 * m], &TWIDDLE_IM[m..2 * m])
}

/// Returns `m` reals as runs. All slices below are cut to the same length, so the loops need no
/// checks.
#[inline(always)]
pub(super) fn runs<L: Lanes, R: F64s<L::Isa>, T: 'static>(m: usize, x: &[T]) -> &[L::Of<R, T>] {
    &L::runs::<R, T>(x)[..m / len::<L, R>()]
}

#[inline(always)]
pub(super) fn runs_mut<L: Lanes, R: F64s<L::Isa>, T: 'static>(
    m: usize,
    x: &mut [T],
) -> &mut [L::Of<R, T>] {
    &mut L::runs_mut::<R, T>(x)[..m / len::<L, R>()]
}

/// Returns the real and the imaginary parts of `m` complex numbers, as runs.
#[inline(always)]
pub(super) fn halves<L: Lanes, R: F64s<L::Isa>, T: 'static>(
    m: usize,
    f: &[T],
) -> [&[L::Of<R, T>]; 2] {
    let (re, im) = f.split_at(m);
    [runs::<L, R, T>(m, re), runs::<L, R, T>(m, im)]
}

#[inline(always)]
pub(super) fn halves_mut<L: Lanes, R: F64s<L::Isa>, T: 'static>(
    m: usize,
    f: &mut [T],
) -> [&mut [L::Of<R, T>]; 2] {
    let (re, im) = f.split_at_mut(m);
    [runs_mut::<L, R, T>(m, re), runs_mut::<L, R, T>(m, im)]
}

/// Loads a run of complex numbers.
#[inline(always)]
pub(super) fn load<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    re: &L::Of<R, L::Real>,
    im: &L::Of<R, L::Real>,
) -> [R; 2] {
    [l.load(re), l.load(im)]
}

#[inline(always)]
pub(super) fn store<L: Lanes, R: F64s<L::Isa>>(
    x: [R; 2],
    re: &mut L::Of<R, L::Real>,
    im: &mut L::Of<R, L::Real>,
) {
    L::store(x[0], re);
    L::store(x[1], im);
}

/// Loads two runs of complex numbers. Returns the even-indexed numbers, then the odd-indexed ones.
#[inline(always)]
pub(super) fn load_unzipped<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    re: &[L::Of<R, L::Real>; 2],
    im: &[L::Of<R, L::Real>; 2],
) -> [[R; 2]; 2] {
    let ([x_re, y_re], [x_im, y_im]) = (l.load_unzipped(re), l.load_unzipped(im));
    [[x_re, x_im], [y_re, y_im]]
}

/// Stores two runs: the inverse of [`load_unzipped`].
#[inline(always)]
pub(super) fn store_zipped<L: Lanes, R: F64s<L::Isa>>(
    [x, y]: [[R; 2]; 2],
    re: &mut [L::Of<R, L::Real>; 2],
    im: &mut [L::Of<R, L::Real>; 2],
) {
    L::store_zipped([x[0], y[0]], re);
    L::store_zipped([x[1], y[1]], im);
}

/// Loads as [`load`] does, from memory that was just written in shorter runs.
#[inline(always)]
pub(super) fn load_halves<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    re: &L::Of<R, L::Real>,
    im: &L::Of<R, L::Real>,
) -> [R; 2] {
    [l.load_halves(re), l.load_halves(im)]
}

/// Returns the `m` twiddles of the stage of `m` blocks, as runs.
#[inline(always)]
pub(super) fn twiddle_runs<L: Lanes, R: F64s<L::Isa>>(m: usize) -> [&'static [L::Of<R, f64>]; 2] {
    let (re, im) = twiddles(m);
    [runs::<L, R, _>(m, re), runs::<L, R, _>(m, im)]
}

/// Loads a run of complex numbers that all lanes share.
#[inline(always)]
pub(super) fn shared<L: Lanes, R: F64s<L::Isa>>(
    l: L,
    re: &L::Of<R, f64>,
    im: &L::Of<R, f64>,
) -> [R; 2] {
    [l.shared(re), l.shared(im)]
}

/// Separates neighbours in two runs: returns the even-indexed numbers, then the odd-indexed ones.
#[inline(always)]
pub(super) fn unzip<L: Lanes, R: F64s<L::Isa>>(x: [R; 2], y: [R; 2]) -> [[R; 2]; 2] {
    if len::<L, R>() == 1 {
        return [x, y];
    }
    let [x_re, y_re] = x[0].unzip(y[0]);
    let [x_im, y_im] = x[1].unzip(y[1]);
    [[x_re, x_im], [y_re, y_im]]
}

#[inline(always)]
pub(super) fn zip<L: Lanes, R: F64s<L::Isa>>(x: [R; 2], y: [R; 2]) -> [[R; 2]; 2] {
    if len::<L, R>() == 1 {
        return [x, y];
    }
    let [x_re, y_re] = x[0].zip(y[0]);
    let [x_im, y_im] = x[1].zip(y[1]);
    [[x_re, x_im], [y_re, y_im]]
}

/// Applies [`F64s::cut_blocks`] to complex numbers.
#[inline(always)]
pub(super) fn cut_blocks<I: Copy, R: F64s<I>>(x: [R; 2], y: [R; 2], blocks: usize) -> [[R; 2]; 2] {
    let [x_re, y_re] = x[0].cut_blocks(y[0], blocks);
    let [x_im, y_im] = x[1].cut_blocks(y[1], blocks);
    [[x_re, x_im], [y_re, y_im]]
}

/// Applies [`F64s::join_blocks`] to complex numbers.
#[inline(always)]
pub(super) fn join_blocks<I: Copy, R: F64s<I>>(x: [R; 2], y: [R; 2], blocks: usize) -> [[R; 2]; 2] {
    let [x_re, y_re] = x[0].join_blocks(y[0], blocks);
    let [x_im, y_im] = x[1].join_blocks(y[1], blocks);
    [[x_re, x_im], [y_re, y_im]]
}

/// Computes the butterfly from `(x, y)` to `(x + w y, x - w y)`, or the inverse one to
/// `(x + y, (x - y) conj(w))`.
#[inline(always)]
pub(super) fn butterfly<L: Lanes, R: F64s<L::Isa>, const INVERSE: bool>(
    x: [R; 2],
    mut y: [R; 2],
    w: [R; 2],
) -> [[R; 2]; 2] {
    if !INVERSE {
        y = R::complex_mul(y, w);
    }
    let ([sum_re, difference_re], [sum_im, difference_im]) =
        (x[0].add_sub(y[0]), x[1].add_sub(y[1]));
    let mut difference = [difference_re, difference_im];
    if INVERSE {
        difference = R::complex_mul_conj(difference, w);
    }
    [[sum_re, sum_im], difference]
}

pub(super) use {in_longest_runs, in_runs};
