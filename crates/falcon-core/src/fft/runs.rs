//! What the kernels over runs share: cutting polynomials into runs, moving runs
//! of complex numbers, the butterfly.

use super::{TWIDDLE_IM, TWIDDLE_RE};
use crate::lanes::{Lanes, Run, Runs};

pub(super) type X2<L> = <<L as Lanes>::Runs as Runs<L>>::X2;
pub(super) type X4<L> = <<L as Lanes>::Runs as Runs<L>>::X4;
pub(super) type X8<L> = <<L as Lanes>::Runs as Runs<L>>::X8;

/// Calls `kernel::<L, R>` with the longest run `R` of at most `m` reals.
macro_rules! in_runs {
    ($m:expr, $kernel:ident($($argument:expr),*)) => {
        // The lengths are constants: a token without long runs has one kernel.
        match $m {
            m if m >= 8 && X8::<L>::LEN > 1 => $kernel::<L, X8<L>>($($argument),*),
            m if m >= 4 && X4::<L>::LEN > 1 => $kernel::<L, X4<L>>($($argument),*),
            m if m >= 2 && X2::<L>::LEN > 1 => $kernel::<L, X2<L>>($($argument),*),
            _ => $kernel::<L, $crate::lanes::One<L>>($($argument),*),
        }
    };
}

/// The `m` twiddles of the stage of `m` blocks.
#[inline(always)]
pub(super) fn twiddles(m: usize) -> (&'static [f64], &'static [f64]) {
    (&TWIDDLE_RE[m..2 * m], &TWIDDLE_IM[m..2 * m])
}

/// `m` reals as runs. All lengths below are cut to the same one, so that the
/// loops need no checks.
#[inline(always)]
pub(super) fn runs<L: Lanes, R: Run<L>, T: 'static>(m: usize, x: &[T]) -> &[R::Of<T>] {
    &R::chunks(x)[..m / R::LEN]
}

#[inline(always)]
pub(super) fn runs_mut<L: Lanes, R: Run<L>, T: 'static>(m: usize, x: &mut [T]) -> &mut [R::Of<T>] {
    &mut R::chunks_mut(x)[..m / R::LEN]
}

/// Real and imaginary parts of `m` complex numbers, as runs.
#[inline(always)]
pub(super) fn parts<L: Lanes, R: Run<L>, T: 'static>(m: usize, f: &[T]) -> [&[R::Of<T>]; 2] {
    let (re, im) = f.split_at(m);
    [runs::<L, R, T>(m, re), runs::<L, R, T>(m, im)]
}

#[inline(always)]
pub(super) fn parts_mut<L: Lanes, R: Run<L>, T: 'static>(
    m: usize,
    f: &mut [T],
) -> [&mut [R::Of<T>]; 2] {
    let (re, im) = f.split_at_mut(m);
    [runs_mut::<L, R, T>(m, re), runs_mut::<L, R, T>(m, im)]
}

/// A run of complex numbers.
#[inline(always)]
pub(super) fn load<L: Lanes, R: Run<L>>(l: L, re: &R::Of<L::F>, im: &R::Of<L::F>) -> [R; 2] {
    [R::load(l, re), R::load(l, im)]
}

#[inline(always)]
pub(super) fn store<L: Lanes, R: Run<L>>(
    l: L,
    x: [R; 2],
    re: &mut R::Of<L::F>,
    im: &mut R::Of<L::F>,
) {
    x[0].store(l, re);
    x[1].store(l, im);
}

/// [`load`] of what was stored in shorter runs just now.
#[inline(always)]
pub(super) fn load_halves<L: Lanes, R: Run<L>>(l: L, re: &R::Of<L::F>, im: &R::Of<L::F>) -> [R; 2] {
    [R::load_halves(l, re), R::load_halves(l, im)]
}

/// The `m` twiddles of the stage of `m` blocks, as runs.
#[inline(always)]
pub(super) fn twiddle_runs<L: Lanes, R: Run<L>>(m: usize) -> [&'static [R::Of<f64>]; 2] {
    let (re, im) = twiddles(m);
    [runs::<L, R, _>(m, re), runs::<L, R, _>(m, im)]
}

/// A run of complex numbers that all lanes share.
#[inline(always)]
pub(super) fn shared<L: Lanes, R: Run<L>>(l: L, re: &R::Of<f64>, im: &R::Of<f64>) -> [R; 2] {
    [R::shared(l, re), R::shared(l, im)]
}

/// Two runs of neighbours: `u` and `u + 1` of every couple.
#[inline(always)]
pub(super) fn unzip<L: Lanes, R: Run<L>>(l: L, x: [R; 2], y: [R; 2]) -> [[R; 2]; 2] {
    let [x_re, y_re] = R::unzip(l, x[0], y[0]);
    let [x_im, y_im] = R::unzip(l, x[1], y[1]);
    [[x_re, x_im], [y_re, y_im]]
}

#[inline(always)]
pub(super) fn zip<L: Lanes, R: Run<L>>(l: L, x: [R; 2], y: [R; 2]) -> [[R; 2]; 2] {
    let [x_re, y_re] = R::zip(l, x[0], y[0]);
    let [x_im, y_im] = R::zip(l, x[1], y[1]);
    [[x_re, x_im], [y_re, y_im]]
}

/// The butterfly from `(x, y)` to `(x + w y, x - w y)`; the inverse one goes to
/// `(x + y, (x - y) conj(w))`.
#[inline(always)]
pub(super) fn butterfly<L: Lanes, R: Run<L>, const INVERSE: bool>(
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

pub(super) use in_runs;
