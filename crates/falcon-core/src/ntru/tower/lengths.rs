//! Generator of [`LENGTHS`]: measures the bit lengths of `f_d` and `g_d` over random keys.
//!
//! `f_d` is the norm of `f` in `Z[x]/(x^n + 1)`, `n = 2^(logn - d)`. The values of `f_d` at the
//! roots are products of values of `f`. So binary64 numbers that share a power of two suffice: the
//! error of the largest coefficient is far below a bit.

use super::*;
use crate::hash::Shake256;
use crate::ntru::primes::PRIMES;
use crate::ntru::{fits, fixed, gauss, memory};
use core::f64::consts::PI;
use std::vec;
use std::vec::Vec;

/// Number of keys of each degree. `FALCON_FULL=1` measures four times as many.
const KEYS: usize = 500;
/// Number of deviations above the mean that fit in the bases.
const DEVIATIONS: f64 = 7.0;
/// Number of standard errors by which a committed length may differ from the measured one.
const ERRORS: f64 = 4.0;

type Complex = (f64, f64);

fn product(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

/// `exp(i pi (2k + 1) / n)`, a root of `x^n + 1`.
fn root(k: usize, n: usize) -> Complex {
    let angle = PI * (2 * k + 1) as f64 / n as f64;
    (angle.cos(), angle.sin())
}

/// Returns the values of `f` at the roots, in the order of `k`.
fn values(f: &[f64]) -> Vec<Complex> {
    let n = f.len();
    if n == 1 {
        return vec![(f[0], 0.0)];
    }
    let half = |start: usize| values(&f[start..].iter().step_by(2).copied().collect::<Vec<_>>());
    let (even, odd) = (half(0), half(1));
    let value = |k| {
        let (x, y) = (even[k % (n / 2)], product(root(k, n), odd[k % (n / 2)]));
        (x.0 + y.0, x.1 + y.1)
    };
    (0..n).map(value).collect()
}

/// Returns the coefficients of the polynomial with these values.
fn coefficients(values: &[Complex]) -> Vec<f64> {
    fn halves(values: &[Complex]) -> Vec<Complex> {
        let n = values.len();
        if n == 1 {
            return values.to_vec();
        }
        let (low, high) = values.split_at(n / 2);
        let pairs = || low.iter().zip(high).enumerate();
        let even = pairs().map(|(_, (a, b))| ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0));
        let odd = pairs().map(|(k, (a, b))| {
            let (re, im) = root(k, n);
            product(((a.0 - b.0) / 2.0, (a.1 - b.1) / 2.0), (re, -im))
        });
        let even = halves(&even.collect::<Vec<_>>());
        let odd = halves(&odd.collect::<Vec<_>>());
        even.into_iter()
            .zip(odd)
            .flat_map(|(a, b)| [a, b])
            .collect()
    }
    halves(values).into_iter().map(|c| c.0).collect()
}

/// Returns the bit length of the largest coefficient of each of `f_0`, `f_1`, ..., `f_logn`.
fn bit_lengths(f: &[i8]) -> Vec<f64> {
    let f: Vec<f64> = f.iter().map(|&x| f64::from(x)).collect();
    let mut values = values(&f);
    let mut exponent = 0.0;
    let mut lengths = Vec::new();
    loop {
        let largest = values.iter().map(|v| v.0.hypot(v.1)).fold(0.0, f64::max);
        values
            .iter_mut()
            .for_each(|v| *v = (v.0 / largest, v.1 / largest));
        exponent += largest.log2();
        let coefficients = coefficients(&values);
        let largest = coefficients.iter().map(|c| c.abs()).fold(0.0, f64::max);
        // The logarithm of a power of two may come out a little too small.
        lengths.push((largest.log2() + exponent + 1e-9).floor() + 1.0);
        if values.len() == 1 {
            return lengths;
        }
        let (low, high) = values.split_at(values.len() / 2);
        values = low.iter().zip(high).map(|(&a, &b)| product(a, b)).collect();
        exponent *= 2.0;
    }
}

/// Draws `f` and `g` of a random key whose norms are acceptable.
fn acceptable_pair(logn: u32, stream: &mut crate::hash::Shake256Reader) -> [Vec<i8>; 2] {
    let n = 1usize << logn;
    let (mut f, mut g) = (vec![0; n], vec![0; n]);
    let (mut inverse_gram, mut wide) = (vec![0; n / 2], vec![0; memory::wide_len(logn)]);
    loop {
        gauss::sample(crate::engine::Best::find(), logn, stream, &mut f).expect("no fault");
        gauss::sample(crate::engine::Best::find(), logn, stream, &mut g).expect("no fault");
        if fits(logn, &f, &g) && fixed::orthogonal_norm(logn, &f, &g, &mut inverse_gram, &mut wide)
        {
            return [f, g];
        }
    }
}

/// Returns the number of bits that fit in `length` primes from `start` on.
fn bits(start: usize, length: usize) -> f64 {
    let primes = &PRIMES[start..start + length];
    primes.iter().map(|&(p, _)| f64::from(p).log2()).sum()
}

/// Applies the formula of the module's documentation to bit lengths that this test measures. The
/// option `--nocapture` shows the resulting lengths.
#[test]
fn lengths_hold_seven_deviations() {
    let full = std::env::var("FALCON_FULL").is_ok_and(|value| value == "1");
    let keys = if full { 4 * KEYS } else { KEYS };
    for logn in 1..=10u32 {
        let mut stream = Shake256::reader(&[logn as u8]);
        let samples: Vec<Vec<f64>> = (0..keys)
            .flat_map(|_| acceptable_pair(logn, &mut stream))
            .map(|polynomial| bit_lengths(&polynomial))
            .collect();
        let count = samples.len() as f64;
        let mut row = Vec::new();
        for d in 0..=logn {
            let at = |sample: &Vec<f64>| sample[d as usize];
            let mean = samples.iter().map(at).sum::<f64>() / count;
            let square = |x: f64| (x - mean) * (x - mean);
            let variance = samples.iter().map(at).map(square).sum::<f64>() / count;
            let deviation = variance.sqrt();
            let error =
                ERRORS * deviation * (1.0 / count + DEVIATIONS.powi(2) / (2.0 * count)).sqrt();
            let multiplier = f64::from((logn - d).saturating_sub(1).max(2));
            let need = mean + DEVIATIONS * deviation + multiplier + 1.0;

            let (start, committed) = (base(logn, d).start, len(logn, d));
            let wanted = (1..).find(|&length| bits(start, length) >= need);
            row.push(wanted.expect("a length"));
            assert!(
                bits(start, committed) >= need - error,
                "{logn}, {d}: {committed} primes do not hold {need} bits"
            );
            assert!(
                committed == 1 || bits(start, committed - 1) < need + error,
                "{logn}, {d}: {committed} primes are too many for {need} bits"
            );
        }
        std::println!("{logn}: {row:?}");
    }
}
