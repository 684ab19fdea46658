//! Checks that a pair `(f, g)` is acceptable as a key.
//!
//! [`fixed::orthogonal_norm`] decides, for key generation and for keys that are read. A binary64
//! unit compares the norm first, in a quarter of the time, and does not answer if the norm is too
//! close to the bound. For a key that is read, the answer is final. For a candidate of key
//! generation, only a refusal is final: the other candidates are also judged with integers.
//!
//! # The margin
//!
//! `S = sum 1/B_i` over the `n/2` roots, `B_i = |f(z_i)|^2 + |g(z_i)|^2`, is compared with its
//! bound, `1.17^2 n / (2 q) < 0.058`. Let `u = 2^-53`. A butterfly of the transform multiplies by a
//! rounded root (`sqrt(5) u` for the product, `u` for the root) and adds (`u`), so the error of
//! nine layers is less than `39 u` times the vector's length. The length is `sqrt(n/2) ||f|| <=
//! 2935`, since `||(f, g)||^2 < 16823`. So every value is off by less than `2^-36`, and `B_i` by
//! less than `2 sqrt(2 B_i) 2^-36`. For `B_i >= 16` the relative error is at most `2^-36`, and so
//! are the sum's other roundings; a `B_i < 16` alone makes either sum too large. The integers are
//! right to `2^-42`. The margin is `2^-24` of the bound: one key in millions is that close. So an
//! answer is always that of the integers, on every platform.
//!
//! Source: Falcon specification v1.2, algorithm 5.

use super::fixed;
use crate::error::DecodeError;
use crate::fft::Fft;
use crate::lanes::{Binary64, Double, Isa, wipe};
use crate::params::{Array, FG_BITS, MAX_LOGN, Q};
use crate::reveal::reveal;

/// `||(f, g)||^2` must be below this: `1.17^2 q` rounded up.
pub(super) const KEY_NORM_BOUND: u32 = 16823;

/// Length of the working memory of [`check_norms`].
#[cfg(test)]
pub(crate) const fn norms_len(logn: u32) -> usize {
    (1 << logn) / 2 + (1 << logn)
}

/// Checks the norms of `(f, g)` and of its orthogonalised partner, as key generation does.
/// `clearly` calls [`compare_norm`], with the arithmetic of any engine. `W` holds `3n/2` words.
/// Constant time, except for the outcome and for whether the norm is close to the bound.
///
/// # Errors
/// [`DecodeError::KeyNorm`].
pub(crate) fn check_norms<W: Array<i64>>(
    logn: u32,
    f: &[i8],
    g: &[i8],
    clearly: impl FnOnce() -> Comparison,
) -> Result<(), DecodeError> {
    if !reveal(fits(logn, f, g)) {
        return Err(DecodeError::KeyNorm);
    }
    let Comparison { below, above } = clearly();
    if reveal(below) {
        return Ok(());
    }
    if reveal(above) {
        return Err(DecodeError::KeyNorm);
    }
    check_norms_exactly::<W>(logn, f, g)
}

/// Returns true if the coefficients fit the encoding and the norm is below the bound.
pub(super) fn fits(logn: u32, f: &[i8], g: &[i8]) -> bool {
    let bound = (1i32 << (FG_BITS[logn as usize] - 1)) - 1;
    let (mut outside, mut norm) = (0i32, 0u32);
    // Each row has its own loop. Compilers do not vectorise a loop over the chain of both rows.
    for row in [f, g] {
        for x in row {
            let x = i32::from(*x);
            outside |= (bound - x) | (bound + x);
            norm += (x * x) as u32; // at most 2 * 1024 * 128^2 = 2^25
        }
    }
    outside >= 0 && norm < KEY_NORM_BOUND
}

/// Judges the orthogonalised norm with integers. Not inlined, since its working memory is needed
/// only for one key in millions, or without a binary64 unit.
#[inline(never)]
fn check_norms_exactly<W: Array<i64>>(logn: u32, f: &[i8], g: &[i8]) -> Result<(), DecodeError> {
    let mut words = W::ZERO;
    let (inverse_gram, work) = words.as_mut().split_at_mut((1 << logn) / 2);
    let acceptable = fixed::orthogonal_norm(logn, f, g, inverse_gram, work);
    wipe(words.as_mut());
    if reveal(acceptable) {
        Ok(())
    } else {
        Err(DecodeError::KeyNorm)
    }
}

/// Result of comparing the orthogonalised norm with its bound. Both fields are false if the norm is
/// too close to the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) below: bool,
    pub(crate) above: bool,
}

impl Comparison {
    /// The result if nothing was compared.
    const OPEN: Self = Self {
        below: false,
        above: false,
    };
}

/// Compares the orthogonalised norm with its bound in binary64. Decides nothing without a binary64
/// unit.
pub(crate) fn compare_norm<B: Binary64>(b: B, logn: u32, f: &[i8], g: &[i8]) -> Comparison {
    if !B::HARDWARE {
        return Comparison::OPEN;
    }
    compare::<B::F64>(sum_of_inverses(b, logn, f, g), sum_bound(logn))
}

/// `1.17^2 n / (2 q)`: see [`fixed::sum_bound`].
pub(super) fn sum_bound(logn: u32) -> f64 {
    1.17 * 1.17 * f64::from(1u32 << logn) / f64::from(2 * Q)
}

/// Compares `sum` with `bound`, with a margin.
fn compare<D: Double>(sum: f64, bound: f64) -> Comparison {
    const MARGIN: f64 = 1.0 / 16_777_216.0;
    let sum = D::from(sum);
    let below = sum.below((bound * (1.0 - MARGIN)).into());
    let above = D::from(bound * (1.0 + MARGIN)).below(sum);
    Comparison {
        below: below != 0,
        above: above != 0,
    }
}

/// Number of values `B_i` that are inverted together.
const WIDTH: usize = 8;

/// Returns `sum 1/B_i` in binary64, which is infinite if a `B_i` is zero. Not inlined, since
/// callers without a binary64 unit have no stack for its reals.
#[inline(never)]
pub(super) fn sum_of_inverses<B: Binary64>(b: B, logn: u32, f: &[i8], g: &[i8]) -> f64 {
    let n = 1 << logn;
    let mut reals = [0.0; 2 << MAX_LOGN];
    let values = &mut reals[..2 * n];
    for (values, row) in values.chunks_exact_mut(n).zip([f, g]) {
        for (value, &x) in values.iter_mut().zip(row) {
            *value = f64::from(x);
        }
        b.fft(logn, values);
    }
    let sum = Isa::vectorize(
        b,
        #[inline(always)]
        || {
            let (f, g) = values.split_at_mut(n);
            let ((lengths, f_im), (g_re, g_im)) = (f.split_at_mut(n / 2), g.split_at(n / 2));
            let others = f_im.iter().zip(g_re).zip(g_im);
            for (length, ((f_im, g_re), g_im)) in lengths.iter_mut().zip(others) {
                *length = *length * *length + f_im * f_im + g_re * g_re + g_im * g_im;
            }
            let mut sums = [0.0; WIDTH];
            let (wide, rest) = lengths.as_chunks::<WIDTH>();
            for wide in wide {
                for (sum, length) in sums.iter_mut().zip(wide) {
                    *sum += 1.0 / length;
                }
            }
            let rest = rest.iter().map(|length| 1.0 / length);
            sums.into_iter().chain(rest).sum()
        },
    );
    wipe(values);
    sum
}

#[cfg(test)]
mod tests {
    use super::super::gauss;
    use super::*;
    use crate::engine::Best;
    use crate::hash::Shake256;
    use crate::lanes::{Baseline, Soft};
    use std::vec;

    #[test]
    fn clear_answers_are_those_of_the_integers() {
        let mut stream = Shake256::reader(b"short");
        let mut count = [0; 2];
        for logn in 1..=10 {
            let n = 1 << logn;
            let (mut f, mut g) = (vec![0; n], vec![0; n]);
            let (mut inverse, mut work) = (vec![0; n / 2], vec![0; n]);
            for _ in 0..200 {
                gauss::sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
                gauss::sample(Best::find(), logn, &mut stream, &mut g).expect("no fault");
                if !fits(logn, &f, &g) {
                    continue;
                }
                let acceptable = fixed::orthogonal_norm(logn, &f, &g, &mut inverse, &mut work);
                count[usize::from(acceptable)] += 1;
                let clear = Comparison {
                    below: acceptable,
                    above: !acceptable,
                };
                assert_eq!(compare_norm(Baseline, logn, &f, &g), clear, "{logn}");
                assert_eq!(compare_norm(Soft, logn, &f, &g), Comparison::OPEN);
                // Compares the sum itself, not only its side of the bound.
                let exact: f64 = inverse.iter().map(|&x| x as f64 / 2f64.powi(67)).sum();
                let sum = sum_of_inverses(Baseline, logn, &f, &g);
                assert!((sum / exact - 1.0).abs() < 2f64.powi(-36) || exact > 0.0625);
            }
        }
        assert!(count.into_iter().all(|count| count > 50), "{count:?}");
    }

    #[test]
    fn the_bound_is_that_of_the_integers() {
        for logn in 1..=10 {
            let exact = fixed::sum_bound(logn) as f64 / 2f64.powi(67);
            assert!((sum_bound(logn) / exact - 1.0).abs() < 1e-15, "{logn}");
        }
    }

    #[test]
    fn what_is_close_is_left_to_the_integers() {
        for (sum, answer) in [
            (1.0 - 1e-7, (true, false)),
            (1.0 - 1e-8, (false, false)),
            (1.0, (false, false)),
            (1.0 + 1e-8, (false, false)),
            (1.0 + 1e-7, (false, true)),
            (f64::INFINITY, (false, true)),
            (0.0, (true, false)),
        ] {
            let Comparison { below, above } = compare::<f64>(sum, 1.0);
            assert_eq!((below, above), answer, "{sum}");
        }
    }

    #[test]
    fn a_vanishing_length_is_not_acceptable() {
        let above = Comparison {
            below: false,
            above: true,
        };
        let compared = compare_norm(Baseline, 9, &[0; 512], &[0; 512]);
        assert_eq!(compared, above);
    }
}
