//! Compares the FFT with schoolbook products, and computes the twiddle table again. `tests/fft.rs`
//! of the workspace shows that all engines compute the bits of `Baseline`.

use super::*;
use crate::lanes::Baseline;
use crate::params::Q;
use num_bigint::BigInt;
use std::vec;
use std::vec::Vec;

/// Fraction bits of the fixed-point numbers that recompute the table.
const FRACTION: u64 = 160;

/// Returns `(cos, sin)` of `pi * numerator / 1024` for `0 <= numerator < 512`, by Taylor series in
/// fixed point. The error is far below `2^-150`.
fn cos_sin(numerator: u64) -> (BigInt, BigInt) {
    let one = BigInt::from(1) << FRACTION;
    // Machin: pi = 16 atan(1/5) - 4 atan(1/239).
    let atan_inverse = |x: i64| {
        let (mut power, mut sum, mut k) = (&one / x, BigInt::from(0), 1i64);
        while power != BigInt::from(0) {
            sum += &power / (if k % 4 == 1 { k } else { -k });
            power /= x * x;
            k += 2;
        }
        sum
    };
    let pi = atan_inverse(5) * 16 - atan_inverse(239) * 4;
    let angle = pi * numerator / 1024u64;
    let (mut term, mut cos, mut sin) = (one, BigInt::from(0), BigInt::from(0));
    for k in 0i64.. {
        if term == BigInt::from(0) {
            break;
        }
        let signed = if k % 4 < 2 {
            term.clone()
        } else {
            -term.clone()
        };
        *(if k % 2 == 0 { &mut cos } else { &mut sin }) += signed;
        term = ((term * &angle) >> FRACTION) / (k + 1);
    }
    (cos, sin)
}

/// Converts a fixed-point number to the nearest binary64, through its decimal digits.
fn nearest(x: &BigInt) -> f64 {
    let scaled = (x * BigInt::from(10).pow(45)) >> FRACTION;
    std::format!("{scaled}e-45")
        .parse()
        .expect("a decimal number")
}

#[test]
fn twiddles_are_the_nearest_doubles() {
    for stage in 0..9 {
        for i in 0..1u64 << stage {
            let k = (2u64 << stage) + i;
            let numerator = k.reverse_bits() >> 54;
            let at = (1 << stage) + i as usize;
            // Brings the angle, below pi, into the first quadrant.
            let (re, im) = if numerator < 512 {
                let (c, s) = cos_sin(numerator);
                (nearest(&c), nearest(&s))
            } else {
                let (c, s) = cos_sin(numerator - 512);
                (-nearest(&s), nearest(&c))
            };
            assert_eq!((TWIDDLE_RE[at], TWIDDLE_IM[at]), (re, im), "twiddle {at}");
        }
    }
}

/// Returns deterministic values in `[-2^7, 2^7)`.
fn polynomial(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / 2f64.powi(23) - 128.0
        })
        .collect()
}

fn multiply_negacyclic(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = a.len();
    let mut out = vec![0.0; n];
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            let sign = if i + j < n { 1.0 } else { -1.0 };
            out[(i + j) % n] += sign * a * b;
        }
    }
    out
}

/// Compares `target`, which multiplies polynomials and divides by `q`, with schoolbook products.
/// Values reach 2^24, so ten stages of rounding leave an error near 2^(-53+24+4) before the
/// division. A wrong twiddle or sign would show in the first bits.
#[test]
fn products_in_the_fft_domain_are_products_of_polynomials() {
    for logn in 1..=10 {
        let n = 1 << logn;
        let (a, b) = (polynomial(n, 1), polynomial(n, 2));
        let transformed = |f: &[f64]| {
            let mut f = f.to_vec();
            Baseline.fft(logn, &mut f);
            f
        };
        let (mut t0, mut t1) = (transformed(&a), vec![0.0; n]);
        Baseline.target(logn, &mut t0, &mut t1, &transformed(&b), &transformed(&a));
        Baseline.ifft(logn, &mut t0);
        Baseline.ifft(logn, &mut t1);
        let (aa, ab) = (multiply_negacyclic(&a, &a), multiply_negacyclic(&a, &b));
        for i in 0..n {
            let q = f64::from(Q);
            assert!((t0[i] * q - aa[i]).abs() < 2f64.powi(-22), "n = {n}, {i}");
            assert!((t1[i] * q + ab[i]).abs() < 2f64.powi(-22), "n = {n}, {i}");
        }
    }
}

/// Checks that splitting separates the even from the odd coefficients.
#[test]
fn split_and_merge_follow_even_and_odd_coefficients() {
    for logn in 2..=10 {
        let n = 1usize << logn;
        let f = polynomial(n, 3);
        let mut transformed = f.clone();
        Baseline.fft(logn, &mut transformed);
        let (mut f0, mut f1) = (vec![0.0; n / 2], vec![0.0; n / 2]);
        Baseline.split(logn, &mut f0, &mut f1, &transformed);
        let mut merged = vec![0.0; n];
        Baseline.merge(logn, &mut merged, &f0, &f1);
        Baseline.ifft(logn - 1, &mut f0);
        Baseline.ifft(logn - 1, &mut f1);
        for i in 0..n / 2 {
            assert!((f0[i] - f[2 * i]).abs() < 2f64.powi(-38), "n = {n}, {i}");
            assert!(
                (f1[i] - f[2 * i + 1]).abs() < 2f64.powi(-38),
                "n = {n}, {i}"
            );
        }
        for (m, t) in merged.iter().zip(&transformed) {
            assert!((m - t).abs() < 2f64.powi(-35), "n = {n}");
        }
    }
}
