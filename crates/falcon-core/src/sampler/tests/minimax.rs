//! Generator of the sampler's polynomials: the exchange algorithm of Remez, and a check of the
//! stored coefficients.

use super::super::ber_exp::COEFFICIENTS;
use super::super::first_byte::EXP2;
use super::super::records::{LEVEL, LOG2, ONE};
use num_bigint::BigInt;
use std::vec;
use std::vec::Vec;

/// Number of grid points on which extrema are searched.
const GRID: usize = 20_000;

/// Solves a linear system by elimination with pivots. The rows end with the right-hand side.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        rows.swap(column, pivot.expect("a row"));
        let top = rows[column].clone();
        for row in rows.iter_mut().skip(column + 1) {
            let factor = row[column] / top[column];
            row.iter_mut().zip(&top).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - known) / rows[i][i];
    }
    x
}

/// Returns the value of a polynomial. The coefficients begin with the lowest degree.
fn value(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Returns the polynomial `p` of `N` coefficients that minimises the largest `|weight p - target|`
/// on an interval, and that error.
fn minimax<const N: usize>(
    weight: impl Fn(f64) -> f64,
    target: impl Fn(f64) -> f64,
    [low, high]: [f64; 2],
) -> ([f64; N], f64) {
    let at = |part: f64| low + (high - low) * part;
    // Starts from the zeros of a Chebyshev polynomial.
    let mut points: Vec<f64> = (0..=N)
        .map(|k| at(0.5 - 0.5 * (core::f64::consts::PI * (k as f64 + 0.5) / (N + 1) as f64).cos()))
        .collect();
    let mut polynomial = [0.0; N];
    let mut largest = 0.0;
    for _ in 0..12 {
        let rows = points.iter().zip([1.0, -1.0].into_iter().cycle());
        let rows = rows.map(|(&x, sign)| {
            let powers = (0..N as i32).map(|j| weight(x) * x.powi(j));
            powers.chain([sign, target(x)]).collect()
        });
        polynomial.copy_from_slice(&solve(rows.collect())[..N]);
        let error = |x: f64| weight(x) * value(&polynomial, x) - target(x);
        // Finds the largest error between two changes of sign.
        let mut extrema: Vec<f64> = Vec::new();
        for x in (0..=GRID).map(|i| at(i as f64 / GRID as f64)) {
            match extrema.last_mut() {
                Some(last) if error(*last) * error(x) > 0.0 => {
                    if error(x).abs() > error(*last).abs() {
                        *last = x;
                    }
                }
                _ if error(x) == 0.0 => {}
                _ => extrema.push(x),
            }
        }
        while extrema.len() > N + 1 {
            // Removes the smaller of the two ends, so that the signs still alternate.
            let ends = [extrema[0], extrema[extrema.len() - 1]].map(|x| error(x).abs());
            extrema.remove(if ends[0] < ends[1] {
                0
            } else {
                extrema.len() - 1
            });
        }
        assert_eq!(extrema.len(), N + 1, "extrema");
        largest = extrema.iter().map(|&x| error(x).abs()).fold(0.0, f64::max);
        points = extrema;
    }
    (polynomial, largest)
}

/// Compares computed with stored coefficients, which may differ by at most `unit`.
fn assert_close(computed: &[f64], committed: &[f64], unit: f64) {
    std::println!("{computed:?}");
    for (a, b) in computed.iter().zip(committed) {
        assert!((a - b).abs() <= unit, "{computed:?}, {committed:?}");
    }
}

#[test]
fn powers_of_two_have_the_least_relative_error() {
    let (polynomial, error) = minimax::<6>(f64::exp2, |_| 1.0, [0.0, 1.0]);
    let scale = 2f64.powi(32);
    let signs = [scale, -scale].into_iter().cycle();
    let computed: Vec<f64> = polynomial
        .iter()
        .zip(signs)
        .map(|(c, sign)| c * sign)
        .collect();
    assert_close(&computed, &EXP2.map(|c| c as f64), 0.6);
    assert!((error.log2() + 23.67).abs() < 0.01, "{error}");
}

#[test]
fn logarithms_of_bytes_have_the_least_absolute_error() {
    let (polynomial, error) = minimax::<3>(|m| m * (1.0 - m), |m| (1.0 + m).log2() - m, [0.0, 1.0]);
    let scale = 2f64.powi(17);
    let signs = [scale, -scale].into_iter().cycle();
    let computed: Vec<f64> = polynomial
        .iter()
        .zip(signs)
        .map(|(c, sign)| c * sign)
        .collect();
    assert_close(&computed, &LOG2.map(f64::from), 1.0);
    assert!((error * f64::from(ONE) - 0.46).abs() < 0.01, "{error}");
}

#[test]
fn levels_have_the_least_absolute_error() {
    let one = f64::from(ONE);
    let (polynomial, error) = minimax::<5>(|_| 1.0, |x| one * (256.0 * x).log2(), [0.6, 1.0]);
    // The unit is two units in the last place of the largest coefficient.
    assert_close(&polynomial, &LEVEL.map(f64::from), 2f64.powi(-8));
    assert!((error - 0.079).abs() < 0.001, "{error}");
}

/// Computes `exp(x) p(x) - 1` in fixed point, with `exp` by its series.
#[test]
fn the_exponential_is_exact_to_51_bits() {
    const BITS: u32 = 160;
    const POINTS: u32 = 512;
    let one = BigInt::from(1) << BITS;
    // ln 2 = sum of 1 / (k 2^k).
    let ln2: BigInt = (1..200u32).map(|k| (&one >> k) / k).sum();
    let mut largest = BigInt::from(0);
    for i in 0..=POINTS {
        let x = &ln2 * i / POINTS;
        let (mut exponential, mut term) = (one.clone(), one.clone());
        for k in 1..60u32 {
            term = ((term * &x) >> BITS) / k;
            exponential += &term;
        }
        let coefficients = COEFFICIENTS.iter().map(|&c| BigInt::from(c) << (BITS - 63));
        let polynomial = coefficients.reduce(|sum, c| c - ((sum * &x) >> BITS));
        let error = ((exponential * polynomial.expect("a value")) >> BITS) - &one;
        largest = largest.max(if error < BigInt::from(0) {
            -error
        } else {
            error
        });
    }
    assert!(largest < &one >> 51u32, "{largest}");
    assert!(largest > &one >> 52u32, "{largest}");
}
