//! Condition of the fixed-point reduction for a given `(f, g)`.
//!
//! If the reduction of `fn-dsa` finds a solution, the solution is the reduced one, which is unique.
//! So a pair whose reduction is sure to succeed can be solved exactly, which takes a fraction of
//! the time. This module finds these pairs. The other pairs go through
//! [`reduction`](super::reduction), level by level.
//!
//! At level `d`, of degree `n`, the coefficients of `f_d` are scaled until the largest is in
//! `[2^(p-1), 2^p)` with `p = 15 - log2 n`. Let `m` be the least absolute value of the scaled
//! `f_d` at a root. The quotients are products with `1/f_d = f_d* / N`, where `N = |f_d|^2` is the
//! sum of two products rounded down to units of `2^-32`. So the relative error of `1/f_d` is below
//! `2^-31 / m^2`. At small degrees it can be twice as large, since the roots of unity are rounded
//! to 32 bits. A round leaves this fraction of `F`, and up to half a unit in each coefficient of
//! the quotient. The unit of the next round is `2^8` times smaller at degree 1024, and `2^9` times
//! at 512. So a relative error of `2^-9.4` at 1024, or `2^-10.4` at 512, is enough: it adds 0.38 of
//! a quotient to the quotient of the next round.
//!
//! `f_d(z)` is the product of the values of `f` at the `2^d` roots that map to `z`, which are
//! neighbours in bit-reversed order. So sums of logarithms are enough. `m` is estimated from below.
//! A coefficient of `f_d` is at most the mean of its absolute values at the roots, and the scale
//! adds a bit at most. [`LEAST`] demands `2^-9`. Each logarithm of a value is off by 0.005, in
//! either direction. At degree 2 there is one root, so the demand is met. At degree 4, a sum has
//! 256 logarithms for degree 1024, and 128 for 512. If all at the least root are off in the same
//! direction, and the others cancel, `m` is at least `2^-10.3` or `2^-9.7`. Then the relative error
//! is below `2^-9.4` or `2^-10.7`.
//!
//! The reduction also fails on integers that are longer than its tables say, or than the products
//! of primes with which `fn-dsa` computes them. It goes on with the words that fit, and only its
//! last level shows the mistake. So pairs with longer integers are tried at every level. The tables
//! leave room for three standard deviations at the lowest two degrees, and for five or more at the
//! others.

use super::reduction::{IMPRECISE, LARGE, SMALL, WINDOW};
use crate::lanes::Masks;
use crate::ntru::fixed;
use core::hint::black_box;

/// Binary logarithm of the least absolute value that the scaled `f_d` may have at a root.
const LEAST: i64 = -9;

/// A logarithm of 1, in units of `2^-16`.
const UNIT: i64 = 1 << 16;

/// Sizes of the values of a polynomial at the roots, as logarithms.
#[derive(Clone, Copy)]
struct Size {
    /// Upper bound on the logarithm of the mean of the absolute values.
    mean: i64,
    /// Upper bound on the logarithm of the norm of the coefficients, which is the root of the mean
    /// of the squared values.
    norm: i64,
    /// Logarithm of the least absolute value.
    least: i64,
}

/// Measures a polynomial. `logs` has the logarithms of its squared values, as
/// [`fixed::log_squared_norms`] writes them, each summed over `2^d` values.
fn size(d: u32, logs: &[u32]) -> Size {
    let (mut least, mut most) = (u32::MAX, 0);
    let masks = Masks::new();
    for log in logs {
        [least, _] = masks.min_max(least, *log);
        [_, most] = masks.min_max(most, *log);
    }
    let [mut values, mut squares] = [0; 2];
    let zero = black_box(0);
    for log in logs {
        squares += power(masks, most - log, zero);
        values += power(masks, (most - log) / 2, zero);
    }
    let count = i64::from(logs.len().ilog2()) * UNIT;
    // `least` and `most` are logarithms of squares, plus 64 for each of the `2^d` values.
    let [least, most] = [least, most].map(|log| i64::from(log) / 2 - (32 << d) * UNIT);
    Size {
        mean: most + logarithm(values) - count,
        norm: most + (logarithm(squares) - count) / 2,
        least,
    }
}

/// Returns an upper bound on `2^-x`. `x` and the result are in units of `2^-16`. Between integers,
/// the bound is a chord of the curve, which lies above it.
///
/// Memcheck reports a vector shift by a secret distance as a leak, so all distances are public.
/// `zero` is 0, but the compiler must not know. Otherwise it would join the five shifts.
fn power(masks: Masks, x: u32, zero: u32) -> u32 {
    let mut y = (1 << 16) - ((x & 0xffff) >> 1);
    let [shift, _] = masks.min_max(x >> 16, 31);
    for bit in 0..5 {
        let chosen = (shift >> bit & 1).wrapping_neg() ^ zero;
        y ^= (y ^ (y >> (1 << bit))) & chosen;
    }
    y + 1
}

/// An upper bound on the logarithm of `x`, which is in units of `2^-16`:
/// `log2(1 + t) <= t + 0.0861`.
fn logarithm(x: u32) -> i64 {
    let exponent = 31 - (x | 1).leading_zeros();
    let t = ((u64::from(x) << 16) >> exponent) as i64 - UNIT;
    (i64::from(exponent) - 16) * UNIT + t + 5643
}

/// Returns the highest level (least `d`) at which the reduction could fail, or zero if there is
/// none. Above this level, the reduction is sure to succeed if it succeeds at this level. Returns 1
/// if an integer could be too long. `logs` and `work` have length `n`.
///
/// Constant time, except for the result.
pub(super) fn least_unsure_level(
    logn: u32,
    f: &[i8],
    g: &[i8],
    logs: &mut [u32],
    work: &mut [i64],
) -> u32 {
    // Below degree 512 a round has to remove more bits. There every level is tried.
    if logn < 9 {
        return 1;
    }
    let n = 1usize << logn;
    let (log_f, log_g) = logs[..n].split_at_mut(n / 2);
    fixed::log_squared_norms(logn, f, log_f, work);
    fixed::log_squared_norms(logn, g, log_g, work);

    let masks = Masks::new();
    let mut unsure = 0u32;
    let mut too_long = 0;
    let mut above = None;
    for d in 1..logn {
        let roots = (n / 2) >> d;
        for i in 0..roots {
            log_f[i] = log_f[2 * i] + log_f[2 * i + 1];
            log_g[i] = log_g[2 * i] + log_g[2 * i + 1];
        }
        let (size_f, size_g) = (size(d, &log_f[..roots]), size(d, &log_g[..roots]));
        too_long |= is_too_long(logn, d, size_f, size_g, above.replace(size_g));
        // Keeps the first level that was found: the mask is zero once `unsure` is positive.
        let is_unsure = is_unsure(logn, d, size_f);
        unsure |= d & is_unsure as u32 & masks.of_sign(!unsure.wrapping_neg());
    }
    unsure ^ (too_long as u32 & (unsure ^ 1))
}

/// Logarithm of the integers that `count` words hold.
const fn words(count: usize) -> i64 {
    31 * count as i64 * UNIT
}

/// Returns all ones if the scaled window of `f_d` is too small at a root, or has too few bits after
/// the point. Returns zero otherwise.
fn is_unsure(logn: u32, d: u32, f: Size) -> u64 {
    if d == IMPRECISE {
        return 0;
    }
    let (masks, log_degree) = (Masks::new(), i64::from(logn - d));
    let precision = (15 - log_degree) * UNIT;
    let small = masks.less(f.least - f.mean + precision - UNIT, LEAST * UNIT);
    match words(SMALL[d as usize] - WINDOW[d as usize]) {
        0 => small,
        below => {
            let bits = f.norm - log_degree * UNIT / 2 - below - precision;
            small | masks.less(bits, 26 * UNIT)
        }
    }
}

/// Returns all ones if an integer of level `d` could be longer than `fn-dsa` can hold, or the
/// lifted `F` of the level above, where `g` has the size `above`. Returns zero otherwise.
fn is_too_long(logn: u32, d: u32, f: Size, g: Size, above: Option<Size>) -> u64 {
    let (i, log_degree) = (d as usize, i64::from(logn - d));
    let (masks, mut too_long) = (Masks::new(), 0);
    let mut fits = |length: i64, count: usize| too_long |= masks.less(words(count), length);
    // Before the last round, F_d is 2^9 times the product of f_d with a polynomial whose
    // coefficients are at most 1/2 in absolute value.
    fits(f.norm + 14 * UNIT, SMALL[i]);
    // The bits are the sign, the product of primes, and 2.6 for the errors of 512 logarithms.
    fits(g.norm + 4 * UNIT, SMALL[i]);
    // The lifted F of the level above is the product of g_(d-1) and F_d. The coefficients of F_d
    // are at most 2^4 times as large as those of f_d. Two bits are the sign and the product of
    // primes. The errors of 2^d and 2^(d-1) logarithms add up to 0.96 bits at d = 7.
    if let Some(above) = above {
        let errors = (1 << d) >> 7;
        let bits = (6 + errors) * UNIT + log_degree * UNIT / 2;
        fits(f.norm + above.norm + bits, LARGE[i - 1]);
    }
    if d + 1 == logn {
        // At degree 2 the roots are one conjugate pair. The resultant is |f_d|^2 at either one.
        // F at degree 1 is q times a residue below the resultant, and q has 14 bits. The lifted
        // F is its product with g_d. One bit is the sign, and 0.7 bits the product of primes. The
        // errors of 512 logarithms add up to 5.2 bits in a resultant, and to 2.6 in g_d.
        let resultant = 2 * f.mean;
        fits(resultant + g.norm + 24 * UNIT, LARGE[i]);
        fits(resultant + 21 * UNIT, SMALL[i + 1]);
        fits(2 * g.mean + 6 * UNIT, SMALL[i + 1]);
    }
    too_long
}

#[cfg(test)]
mod tests {
    use super::super::reduction::tests::product_of_primes;
    use super::super::tests::candidates;
    use super::*;
    use num_bigint::{BigInt, BigUint};
    use std::vec;
    use std::vec::Vec;

    /// Largest difference of `log2(1 + t)` and `t`, on each side of a chord.
    const CHORD: f64 = 0.0861;

    #[test]
    fn logarithms_and_powers_are_bounds() {
        let numbers = (0..32).flat_map(|i| [0, 1, 3, 7].map(|j| (8 + j) << i >> 3));
        for x in numbers.filter(|x| *x > 0) {
            let above = logarithm(x) as f64 / UNIT as f64 - (f64::from(x).log2() - 16.0);
            assert!((0.0..=CHORD + 1e-4).contains(&above), "{x}: {above}");
        }
        for x in (0..(31 << 16)).step_by(1_001) {
            let exact = (16.0 - f64::from(x) / 65536.0).exp2();
            let y = f64::from(power(Masks::new(), x, 0));
            assert!(exact <= y && y <= 1.062 * exact + 2.0, "{x}: {y}");
        }
        // Smaller powers are at least zero.
        assert_eq!(power(Masks::new(), u32::MAX, 0), 1);
    }

    /// Returns `f(x) f(-x)`, as a polynomial in `x^2`.
    fn field_norm(f: &[BigInt]) -> Vec<BigInt> {
        let half = f.len() / 2;
        let mut norm = vec![BigInt::ZERO; half];
        for (i, x) in f.iter().enumerate() {
            for (j, y) in f.iter().enumerate().filter(|(j, _)| (i + j) % 2 == 0) {
                let product = if j % 2 == 0 { x * y } else { -x * y };
                match (i + j) / 2 {
                    k if k < half => norm[k] += product,
                    k => norm[k - half] -= product,
                }
            }
        }
        norm
    }

    fn log2(x: &BigUint) -> f64 {
        let shift = x.bits().saturating_sub(53);
        let top = u64::try_from(x >> shift).expect("53 bits");
        (top as f64).log2() + shift as f64
    }

    /// Compares the sizes with those of the field norms, which are computed as integers. By
    /// Parseval's theorem, the norm of the coefficients is that of the values at the roots.
    #[test]
    fn sizes_are_those_of_the_field_norms() {
        let (logn, n) = (9, 512);
        let f: Vec<i8> = (0..n)
            .map(|i: i32| ((i * i * 7 + i * 5 + 3) % 13 - 6) as i8)
            .collect();
        let (mut logs, mut work) = (vec![0; n as usize / 2], vec![0; n as usize]);
        fixed::log_squared_norms(logn, &f, &mut logs, &mut work);
        let mut exact: Vec<BigInt> = f.iter().map(|x| BigInt::from(*x)).collect();
        for d in 1..logn {
            exact = field_norm(&exact);
            logs = logs.chunks(2).map(|pair| pair[0] + pair[1]).collect();
            let size = size(d, &logs);
            let [mean, norm, least] =
                [size.mean, size.norm, size.least].map(|x| x as f64 / UNIT as f64);

            let squares: BigUint = exact.iter().map(|x| x.magnitude() * x.magnitude()).sum();
            let above = norm - log2(&squares) / 2.0;
            let error = 0.005 * f64::from(1 << d);
            assert!(above >= -error, "level {d}: {above}");
            assert!(above <= error + CHORD + 1e-3, "level {d}: {above}");

            let values: Vec<f64> = logs
                .iter()
                .map(|log| f64::from(*log) / 131_072.0 - (32.0 * f64::from(1 << d)))
                .collect();
            let most = values.iter().copied().fold(f64::MIN, f64::max);
            let smallest = values.iter().copied().fold(f64::MAX, f64::min);
            let sum: f64 = values.iter().map(|x| (x - most).exp2()).sum();
            let above = mean - (most + (sum / values.len() as f64).log2());
            assert!(
                (0.0..=2.0 * CHORD + 1e-3).contains(&above),
                "level {d}: {above}"
            );
            assert!((least - smallest).abs() < 1e-4, "level {d}");
        }
    }

    /// Checks that `demand` is met up to `last`, and not by the next larger number.
    fn met_up_to(last: i64, demand: impl Fn(i64) -> u64) {
        assert_eq!([demand(last), demand(last + 1)], [0, u64::MAX], "{last}");
    }

    /// Checks each demand at its bound, with the other sizes at zero.
    #[test]
    fn demands_end_at_their_bounds() {
        let zero = Size {
            mean: 0,
            norm: 0,
            least: 0,
        };
        let of_norm = |norm| Size { norm, ..zero };
        let of_mean = |mean| Size { mean, ..zero };
        for (logn, d) in [9, 10]
            .into_iter()
            .flat_map(|n| (1..n).map(move |d| (n, d)))
        {
            let (i, log_degree) = (d as usize, i64::from(logn - d));
            let [half, small] = [log_degree * UNIT / 2, words(SMALL[i])];
            let long = |f, g, above| is_too_long(logn, d, f, g, above);
            met_up_to(small - 14 * UNIT, |f| long(of_norm(f), zero, None));
            met_up_to(small - 4 * UNIT, |g| long(zero, of_norm(g), None));
            if d > 1 {
                let bits = [6, 6, 6, 6, 6, 6, 6, 7, 8, 10][i];
                let last = words(LARGE[i - 1]) - bits * UNIT - half;
                met_up_to(last, |g| long(zero, zero, Some(of_norm(g))));
                let above = Some(of_norm(last - UNIT));
                met_up_to(UNIT, |f| long(of_norm(f), zero, above));
            }
            if d + 1 == logn {
                let last = words(SMALL[i + 1]);
                met_up_to((last - 21 * UNIT) / 2, |f| long(of_mean(f), zero, None));
                met_up_to((last - 6 * UNIT) / 2, |g| long(zero, of_mean(g), None));
                let g = small - 5 * UNIT;
                let f = (words(LARGE[i]) - 24 * UNIT - g) / 2;
                met_up_to(f, |f| long(of_mean(f), of_norm(g), None));
                met_up_to(g, |g| long(of_mean(f), of_norm(g), None));
            }

            let unsure = |least, norm| {
                let mean = UNIT;
                is_unsure(logn, d, Size { mean, norm, least })
            };
            if d == IMPRECISE {
                assert_eq!(unsure(i64::MIN, i64::MIN), 0);
                continue;
            }
            let precision = (15 - log_degree) * UNIT;
            let least = 2 * UNIT - precision - 9 * UNIT;
            let below = small - words(WINDOW[i]);
            let norm = half + below + precision + 26 * UNIT;
            met_up_to(-least, |x| unsure(-x, norm));
            if below == 0 {
                assert_eq!(unsure(least, 0), 0, "no word is left out");
            } else {
                met_up_to(-norm, |x| unsure(least, -x));
            }
        }
    }

    /// Computes `f_d`, `g_d`, the resultants and the lifted `F` at degree 2 of pairs that are not
    /// too long. The estimates are upper bounds, and all integers fit.
    #[test]
    fn integers_fit_where_the_estimates_do() {
        let mut checked = 0;
        for (logn, count) in [(9, 18), (10, 8)] {
            let n = 1usize << logn;
            for pair in candidates(logn, count) {
                let (mut logs, mut work) = (vec![0; n], vec![0; n]);
                if least_unsure_level(logn, &pair[0], &pair[1], &mut logs, &mut work) == 1 {
                    continue;
                }
                checked += 1;
                let mut exact = pair
                    .each_ref()
                    .map(|f| f.iter().map(|x| BigInt::from(*x)).collect::<Vec<_>>());
                let mut estimates = pair.each_ref().map(|f| {
                    let (mut logs, mut work) = (vec![0; n / 2], vec![0; n]);
                    fixed::log_squared_norms(logn, f, &mut logs, &mut work);
                    logs
                });
                let mut bottom = None;
                for d in 1..=logn {
                    let half = product_of_primes(SMALL[d as usize]) / 2u32;
                    let lifted = exact.clone();
                    exact = exact.each_ref().map(|f| field_norm(f));
                    for f in exact.iter().flatten() {
                        assert!(
                            *f.magnitude()
                                <= if d == logn {
                                    &half * 2u32
                                } else {
                                    half.clone()
                                }
                        );
                    }
                    if d == logn {
                        bottom = Some(lifted);
                        break;
                    }
                    for (exact, logs) in exact.iter().zip(&mut estimates) {
                        *logs = logs.chunks(2).map(|pair| pair[0] + pair[1]).collect();
                        let size = size(d, logs);
                        let squares: BigUint =
                            exact.iter().map(|x| x.magnitude() * x.magnitude()).sum();
                        let error = 0.005 * f64::from(1 << d);
                        assert!(size.norm as f64 / UNIT as f64 + error >= log2(&squares) / 2.0);
                    }
                }
                let [f, g] = exact.each_ref().map(|f| f[0].magnitude());
                let Some(inverse) = g.modinv(f) else { continue };
                let big_f = (f - inverse) * crate::params::Q;
                assert!(big_f.bits() < 31 * SMALL[logn as usize] as u64);
                let half = product_of_primes(LARGE[logn as usize - 1]) / 2u32;
                for g in &bottom.unwrap()[1] {
                    assert!(&big_f * g.magnitude() <= half);
                }
            }
        }
        assert!(checked >= 20, "{checked}");
    }
}
