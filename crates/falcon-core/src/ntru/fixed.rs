//! Fixed-point complex FFT: the orthogonalised norm of `(f, g)` and the last rounding of `(F, G)`.
//!
//! This module computes with integers only, so that every platform makes the same decisions.
//! Symbols: a real polynomial of degree `n` is `n/2` complex numbers `a_j + i a_(j+n/2)`, that is
//! its residue modulo `x^(n/2) - i`; the transform splits `x^m - w^2` into `x^(m/2) -+ w`. Real
//! parts are in the first half of the array, imaginary parts in the second. `Qk` is a number in
//! units of `2^-k`. `B_i = |f(z_i)|^2 + |g(z_i)|^2` at the `n/2` roots `z_i`.
//!
//! Source: Falcon specification v1.2, algorithm 5 (norms), section 3.8.2 (bound).

use super::wide::{Signed128, Wide};
use crate::fpr::soft::{Native, Word};
use crate::lanes::Masks;
use crate::params::Q;

/// `exp(2 i pi t_j)`, Q62, of the block `b` at the level of `m` blocks: `j = m + b`,
/// `t_j = (1 + 4 brv(b))/(8 m)`.
pub(super) static TWIDDLES: [[i64; 2]; 512] = twiddles();

/// Number of fractional bits of the twiddles.
const UNIT: u32 = 62;

/// Number of fractional bits of `f` and `g` in the norm: `|f(z)|^2 <= n |f|^2 < 2^24.04` leaves one
/// spare bit.
const NORM_UNIT: u32 = 49;

/// Number of fractional bits of the reciprocals `1/B_i <= 2^-5`.
const RECIPROCAL_UNIT: u32 = 67;

/// Largest integer whose square is at most `x`.
const fn square_root(x: u128) -> u128 {
    let mut low = 0u128;
    let mut bit = 1u128 << 63;
    while bit != 0 {
        let next = low | bit;
        if next * next <= x {
            low = next;
        }
        bit >>= 1;
    }
    low
}

const fn multiply([a, b]: [i64; 2], [c, d]: [i64; 2]) -> [i64; 2] {
    let half = 1i128 << (UNIT - 1);
    let (a, b, c, d) = (a as i128, b as i128, c as i128, d as i128);
    [
        ((a * c - b * d + half) >> UNIT) as i64,
        ((a * d + b * c + half) >> UNIT) as i64,
    ]
}

const fn twiddles() -> [[i64; 2]; 512] {
    // roots[k] = exp(2 i pi / 2^(k+2)). Each root comes from the one before by halving its angle:
    // cos(t/2) = sqrt((1 + cos t)/2), sin(t/2) = sin t / (2 cos(t/2)).
    let one = 1i128 << UNIT;
    let mut roots = [[0i64, 1 << UNIT]; 10];
    let mut k = 1;
    while k < 10 {
        let [c, s] = roots[k - 1];
        let cos = square_root(((one + c as i128) as u128) << (UNIT - 1));
        let sin = ((s as i128) << (UNIT - 1)) / cos as i128;
        roots[k] = [cos as i64, sin as i64];
        k += 1;
    }
    // t_j = 1/(8m) + brv(b)/(2m). Bit i of b has the weight m / 2^(i+1) in brv(b), so it turns the
    // root by 1 / 2^(i+2).
    let mut table = [[0i64; 2]; 512];
    table[0] = [1 << UNIT, 0];
    let mut m = 1;
    let mut log = 0;
    while m < 512 {
        let mut b = 0;
        while b < m {
            let mut z = roots[log + 1];
            let mut i = 0;
            while i < log {
                if (b >> i) & 1 == 1 {
                    z = multiply(z, roots[i]);
                }
                i += 1;
            }
            table[m + b] = z;
            b += 1;
        }
        m *= 2;
        log += 1;
    }
    table
}

/// The arithmetic of a transform: the format of its numbers, and how it rounds.
pub(super) trait Butterflies {
    /// Multiplies `x` by `root`, which is in Q62.
    fn turn(x: [i64; 2], root: [i64; 2]) -> [i64; 2];

    /// Halves `x`.
    fn half(x: i64) -> i64;
}

/// Multiplies by all bits of the root, and rounds products to the unit of `x`.
struct Exact;

impl Butterflies for Exact {
    #[inline(always)]
    fn turn([a, b]: [i64; 2], [c, d]: [i64; 2]) -> [i64; 2] {
        let half = Wide::from(1i64 << (UNIT - 1));
        [
            ((Wide::product(a, c) - Wide::product(b, d) + half) >> UNIT).low(),
            ((Wide::product(a, d) + Wide::product(b, c) + half) >> UNIT).low(),
        ]
    }

    #[inline(always)]
    fn half(x: i64) -> i64 {
        x >> 1
    }
}

/// Transforms coefficients to values in the same unit. All values must stay below `2^62` in
/// absolute value for [`Exact`] products.
pub(super) fn fft<B: Butterflies>(a: &mut [i64]) {
    let (re, im) = a.split_at_mut(a.len() / 2);
    let (mut blocks, mut half) = (1, re.len() / 2);
    while half > 0 {
        let pairs = re
            .chunks_exact_mut(2 * half)
            .zip(im.chunks_exact_mut(2 * half));
        for ((re, im), w) in pairs.zip(&TWIDDLES[blocks..]) {
            let (re0, re1) = re.split_at_mut(half);
            let (im0, im1) = im.split_at_mut(half);
            for i in 0..half {
                let [x, y] = B::turn([re1[i], im1[i]], *w);
                (re0[i], re1[i]) = (re0[i].wrapping_add(x), re0[i].wrapping_sub(x));
                (im0[i], im1[i]) = (im0[i].wrapping_add(y), im0[i].wrapping_sub(y));
            }
        }
        blocks *= 2;
        half /= 2;
    }
}

/// Transforms values to coefficients in the same unit.
pub(super) fn ifft<B: Butterflies>(a: &mut [i64]) {
    let (re, im) = a.split_at_mut(a.len() / 2);
    let (mut blocks, mut half) = (re.len() / 2, 1);
    while blocks > 0 {
        let pairs = re
            .chunks_exact_mut(2 * half)
            .zip(im.chunks_exact_mut(2 * half));
        for ((re, im), [c, s]) in pairs.zip(&TWIDDLES[blocks..]) {
            let (re0, re1) = re.split_at_mut(half);
            let (im0, im1) = im.split_at_mut(half);
            for i in 0..half {
                let x = B::half(re0[i].wrapping_sub(re1[i]));
                let y = B::half(im0[i].wrapping_sub(im1[i]));
                re0[i] = B::half(re0[i].wrapping_add(re1[i]));
                im0[i] = B::half(im0[i].wrapping_add(im1[i]));
                [re1[i], im1[i]] = B::turn([x, y], [*c, -s]);
            }
        }
        blocks /= 2;
        half *= 2;
    }
}

/// Computes `2^126 / m` for `2^63 <= m < 2^64`. The result is at most 2 too large, and less than
/// 1.2 too small.
pub(super) fn reciprocal(m: u64) -> u64 {
    let high = |a: u64, b: u64| Wide::unsigned_product(a, b).high() as u64;
    // y = 2^64 / m in Q62, from 48/17 - 32/17 x with a relative error of 1/17. Each Newton step
    // squares the error: after four, less than 0.2 of the last bit is missing. The last step rounds
    // `t` up, which adds at most `y / 2^62 <= 2`, and `y` down.
    const A: u64 = ((48u128 << 62) / 17) as u64;
    const B: u64 = ((32u128 << 62) / 17) as u64;
    let mut y = A - high(m, B);
    for _ in 0..4 {
        let t = (1u64 << 63).wrapping_sub(high(m, y));
        y = (Wide::unsigned_product(y, t) >> 62).low() as u64;
    }
    y
}

/// Stores `1/B_i` (Q67), and returns true if the orthogonalised norm is below its bound.
///
/// Source: Falcon specification v1.2, algorithm 5 (NTRUGen): the orthogonalised norm.
///
/// `inverse` has length `n/2`, `work` length `n`; the squared norm of `(f, g)` is below 16823.
/// If a `B_i` is below 32, its entry is saturated, and this alone makes the norm too large.
///
/// Errors: the transforms are exact to `2^-43`, so each `B_i >= 32` has a relative error of at most
/// `2^-42`, and so has the sum. The reference decides in binary64 with an error of the same order.
pub(super) fn orthogonal_norm(
    logn: u32,
    f: &[i8],
    g: &[i8],
    inverse: &mut [i64],
    work: &mut [i64],
) -> bool {
    let n = 1usize << logn;
    let work = &mut work[..n];
    let inverse = &mut inverse[..n / 2];
    inverse.fill(0);
    for poly in [f, g] {
        for (x, y) in work.iter_mut().zip(poly) {
            *x = i64::from(*y) << NORM_UNIT;
        }
        fft::<Exact>(work);
        let (re, im) = work.split_at(n / 2);
        for ((b, re), im) in inverse.iter_mut().zip(re).zip(im) {
            // Converts Q98 to Q38: the total is below 2^63.
            let norm = Wide::product(*re, *re) + Wide::product(*im, *im);
            *b = b.wrapping_add((norm >> (2 * NORM_UNIT - 38)).low());
        }
    }
    let (word, masks) = (Native::new(), Masks::new());
    let mut sum = Wide::ZERO;
    for b in inverse {
        // r = 2^126 / (2^lz x) and B = 2^-38 x: 2^67 / B = r / 2^(21 - lz), and lz <= 20 if
        // B >= 32.
        let x = *b as u64 | 1;
        let lz = word.leading_zeros(x);
        let r = reciprocal(word.shl(x, lz));
        let over = masks.of_sign(20u32.wrapping_sub(lz as u32));
        let shift = 21 - ((lz as u32 & !over) | (20 & over));
        let saturate = i64::from(over as i32) & i64::MAX;
        *b = word.shr(r, shift.into()) as i64 | saturate;
        sum += Wide::from(*b);
    }
    let bound = sum_bound(logn);
    (sum - Wide::new((bound >> 64) as i64, bound as u64)).high() < 0
}

/// The bound on the sum of the `1/B_i` in Q67: `1.17^2 q >= q^2 (2/n) sum 1/B_i`.
pub(super) const fn sum_bound(logn: u32) -> u128 {
    // 1.17^2 = 13689/10^4.
    ((13689u128 << (RECIPROCAL_UNIT - 1 + logn)) / (10_000 * Q as u128)) + 1
}

/// Rounds the coefficients of the polynomial with the values `A(z_i)/B_i` to integers. `a` holds
/// the coefficients of `A` and receives the rounded quotient.
///
/// Requires `|A(z_i)| < 2^30`. The result is that of exact arithmetic unless a coefficient is
/// within `2^-35` of a half-integer.
pub(super) fn divide_and_round(inverse: &[i64], a: &mut [i64]) {
    for x in a.iter_mut() {
        *x <<= 32;
    }
    fft::<Exact>(a);
    let (re, im) = a.split_at_mut(a.len() / 2);
    for ((re, im), r) in re.iter_mut().zip(im).zip(inverse) {
        // Q32 times Q67 is Q99. The shift makes it Q44.
        *re = (Wide::product(*re, *r) >> 55).low();
        *im = (Wide::product(*im, *r) >> 55).low();
    }
    ifft::<Exact>(a);
    for x in a {
        *x = x.wrapping_add(1 << 43) >> 44;
    }
}

/// Writes `log2 |f(z_i)|^2 + 64` in units of `2^-16` to `logs`, with an error below 0.01, for `n/2`
/// roots. `work` has length `n`.
pub(super) fn log_squared_norms(logn: u32, f: &[i8], logs: &mut [u32], work: &mut [i64]) {
    let n = 1usize << logn;
    let work = &mut work[..n];
    for (x, y) in work.iter_mut().zip(f) {
        *x = i64::from(*y) << NORM_UNIT;
    }
    fft::<Exact>(work);
    let (re, im) = work.split_at(n / 2);
    let word = Native::new();
    for ((log, re), im) in logs.iter_mut().zip(re).zip(im) {
        // The norm is Q34, and at least 2^-34.
        const { assert!(2 * NORM_UNIT - 34 == 64) };
        let norm = Wide::product(*re, *re) + Wide::product(*im, *im);
        let x = norm.high() as u64 | 1;
        let lz = word.leading_zeros(x);
        // x = 2^(63 - lz) (1 + t), log2(1 + t) = t + 0.344 t (1 - t) within 0.009.
        let t = ((word.shl(x, lz) << 1) >> 48) as u32;
        let lz = lz as u32;
        let bend = (((u64::from(t) * u64::from((1 << 16) - t)) >> 16) * 22_544) >> 16;
        *log = ((64 + 63 - lz - 34) << 16) + t + bend as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fft::{TWIDDLE_IM, TWIDDLE_RE};
    use std::vec;
    use std::vec::Vec;

    fn polynomial(n: usize, seed: i32) -> Vec<i8> {
        (0..n as i32)
            .map(|i| ((i * i * 7 + i * seed + seed) % 13 - 6) as i8)
            .collect()
    }

    #[test]
    fn twiddles_round_to_the_binary64_ones() {
        for j in 1..512 {
            for (x, y) in [
                (TWIDDLES[j][0], TWIDDLE_RE[j]),
                (TWIDDLES[j][1], TWIDDLE_IM[j]),
            ] {
                // Half a unit in the last place of binary64 is at most 2^-54.
                assert!(
                    (x - (y * 2f64.powi(62)) as i64).abs() <= (1 << 8) + 16,
                    "{j}"
                );
            }
        }
    }

    #[test]
    fn reciprocals_are_right_to_the_last_bits() {
        let edges = [0, 1, 12345, u64::MAX >> 1, u64::MAX >> 2];
        let multiples = (0..20_000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for m in edges.into_iter().chain(multiples).map(|x| x | 1 << 63) {
            // The error, times `m`.
            let error = i128::from(reciprocal(m)) * i128::from(m) - (1 << 126);
            assert!(error <= 2 * i128::from(m), "{m}");
            assert!(5 * error > -6 * i128::from(m), "{m}");
        }
    }

    #[test]
    fn transform_and_back_is_the_identity() {
        for logn in 1..=10 {
            let n = 1usize << logn;
            let a: Vec<i64> = polynomial(n, 5)
                .iter()
                .map(|x| i64::from(*x) << 40)
                .collect();
            let mut b = a.clone();
            fft::<Exact>(&mut b);
            ifft::<Exact>(&mut b);
            assert!(
                a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 64),
                "logn {logn}"
            );
        }
    }

    /// Computes `|f(z)|^2` at all roots, by definition.
    fn squared_norms(f: &[i8]) -> Vec<f64> {
        let n = f.len();
        (0..n)
            .map(|k| {
                let (mut re, mut im) = (0.0, 0.0);
                for (j, x) in f.iter().enumerate() {
                    let e = (2 * k + 1) * j % (2 * n);
                    let angle = core::f64::consts::PI * e as f64 / n as f64;
                    re += f64::from(*x) * angle.cos();
                    im += f64::from(*x) * angle.sin();
                }
                re * re + im * im
            })
            .collect()
    }

    #[test]
    fn orthogonal_norm_agrees_with_its_definition() {
        let mut accepted = 0;
        for seed in 1..60 {
            let (logn, n) = (6, 64);
            let mut stream = crate::hash::Shake256::reader(&[seed]);
            let (mut f, mut g) = (vec![0; n], vec![0; n]);
            super::super::gauss::sample(crate::engine::Best::find(), logn, &mut stream, &mut f)
                .expect("no fault");
            super::super::gauss::sample(crate::engine::Best::find(), logn, &mut stream, &mut g)
                .expect("no fault");
            let sum: f64 = squared_norms(&f)
                .iter()
                .zip(squared_norms(&g))
                .map(|(x, y)| 1.0 / (x + y))
                .sum();
            let norm = 12289f64.powi(2) / n as f64 * sum;
            let (mut inverse, mut work) = (vec![0; n / 2], vec![0; n]);
            let acceptable = orthogonal_norm(logn, &f, &g, &mut inverse, &mut work);
            assert_eq!(acceptable, norm < 16822.4121, "seed {seed}: {norm}");
            accepted += u32::from(acceptable);
        }
        assert!((5..55).contains(&accepted), "{accepted}: one-sided test");
    }

    #[test]
    fn logarithms_agree_with_binary64() {
        let (logn, n) = (5, 32);
        let f = polynomial(n, 9);
        let (mut logs, mut work) = (vec![0; n / 2], vec![0; n]);
        log_squared_norms(logn, &f, &mut logs, &mut work);
        let mut ours: Vec<f64> = logs
            .iter()
            .map(|x| f64::from(*x) / 65536.0 - 64.0)
            .collect();
        let mut exact: Vec<f64> = squared_norms(&f)[..n / 2]
            .iter()
            .map(|x| x.log2())
            .collect();
        ours.sort_by(f64::total_cmp);
        exact.sort_by(f64::total_cmp);
        for (x, y) in ours.iter().zip(&exact) {
            assert!((x - y).abs() < 0.01, "{x} {y}");
        }
    }

    #[test]
    fn division_rounds_the_exact_quotient() {
        // A = K (f f* + g g*) + R with R/B below 1/2: the quotient rounds to K.
        for logn in 2..=9 {
            let n = 1usize << logn;
            let (f, g) = (polynomial(n, 3), polynomial(n, 8));
            let (mut inverse, mut work) = (vec![0; n / 2], vec![0; n]);
            orthogonal_norm(logn, &f, &g, &mut inverse, &mut work);
            if inverse.contains(&i64::MAX) {
                continue; // some B is too small
            }
            let mut b = vec![0i64; n];
            for poly in [&f, &g] {
                for i in 0..n {
                    for j in 0..n {
                        // x^i times conj(x^j) = x^(i - j).
                        let z = i64::from(poly[i]) * i64::from(poly[j]);
                        if i >= j {
                            b[i - j] += z
                        } else {
                            b[n + i - j] -= z
                        }
                    }
                }
            }
            let k: Vec<i64> = polynomial(n, 4).iter().map(|x| i64::from(*x)).collect();
            let mut a = vec![0i64; n];
            for i in 0..n {
                for j in 0..n {
                    let z = k[i] * b[j];
                    a[(i + j) % n] += if i + j < n { z } else { -z };
                }
            }
            a[0] += 15; // |15 / B| < 1/2 at every root, as B >= 32
            divide_and_round(&inverse, &mut a);
            assert_eq!(a, k, "logn {logn}");
        }
    }
}
