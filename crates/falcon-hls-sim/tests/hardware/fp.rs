//! Compares the units with the arithmetic of the host: the bits are the same for at least three
//! million operands per unit and mode.
//!
//! The host keeps subnormal numbers, so its result is the expected one for [`Subnormals::Keep`].
//! For [`Subnormals::Flush`], the [`oracle`] computes products and scales in a range without
//! underflow, and then looks at the exponent. It flushes the host's sums.

use crate::operands::{Pairs, Random, scale_of, specials};
use falcon_hls_sim::fp::{self, Subnormals};
use std::num::FpCategory;

const PAIRS: usize = 3_000_000;

mod oracle {
    use super::*;

    /// Returns the bits of `x`. Every NaN becomes the single NaN that units return.
    fn bits(x: f64) -> u64 {
        if x.is_nan() { fp::NAN } else { x.to_bits() }
    }

    /// Returns `x`, with subnormal numbers replaced by zero.
    fn flush(x: f64) -> f64 {
        if x.classify() == FpCategory::Subnormal {
            0f64.copysign(x)
        } else {
            x
        }
    }

    /// Returns `2^e`, for `-1074 <= e <= 1023`.
    fn power(e: i64) -> f64 {
        let bits = if e < -1022 {
            1 << (e + 1074)
        } else {
            ((e + 1023) as u64) << 52
        };
        f64::from_bits(bits)
    }

    /// Returns `(m, e)` with `|x| = m 2^e` and `1 <= m < 2`. `x` must be neither zero nor infinite
    /// nor NaN.
    fn parts(x: f64) -> (f64, i64) {
        let (x, by) = if x.abs() < 1.0 {
            (x.abs() * power(1000), -1000)
        } else {
            (x.abs(), 0)
        };
        let (x, by) = if x < power(-1000) {
            (x * power(1000), by - 1000)
        } else {
            (x, by)
        };
        let e = (x.to_bits() >> 52) as i64 - 1023;
        (x * power(-e.min(1022)) * power(e.min(1022) - e), e + by)
    }

    fn is_finite_nonzero(x: f64) -> bool {
        x.is_finite() && x != 0.0
    }

    /// Returns `m 2^e` for `1 <= m < 4`, with the sign of `sign`, flushed.
    fn bounded(sign: f64, m: f64, e: i64) -> u64 {
        let (m, e) = if m >= 2.0 { (m / 2.0, e + 1) } else { (m, e) };
        let magnitude = match e {
            ..-1022 => 0.0,
            1024.. => f64::INFINITY,
            _ => m * power(e),
        };
        bits(magnitude.copysign(sign))
    }

    /// Returns the expected product. With flushing, the significands are multiplied and rounded far
    /// from both ends of the range, and the exponents are added as integers.
    pub fn multiply(mode: Subnormals, a: f64, b: f64) -> u64 {
        if mode == Subnormals::Keep {
            return bits(a * b);
        }
        let (a, b) = (flush(a), flush(b));
        if !is_finite_nonzero(a) || !is_finite_nonzero(b) {
            return bits(a * b);
        }
        let ((ma, ea), (mb, eb)) = (parts(a), parts(b));
        let sign = if a.is_sign_negative() == b.is_sign_negative() {
            1.0
        } else {
            -1.0
        };
        bounded(sign, ma * mb, ea + eb)
    }

    /// Returns the expected sum. A subnormal sum of normal numbers is exact, so flushing the host's
    /// sum gives the sum of a unit that flushes.
    pub fn add(mode: Subnormals, a: f64, b: f64) -> u64 {
        bits(match mode {
            Subnormals::Keep => a + b,
            Subnormals::Flush => flush(flush(a) + flush(b)),
        })
    }

    pub fn subtract(mode: Subnormals, a: f64, b: f64) -> u64 {
        bits(match mode {
            Subnormals::Keep => a - b,
            Subnormals::Flush => flush(flush(a) - flush(b)),
        })
    }

    /// Returns `a 2^by`, computed as a single product, so that it is rounded at most once.
    pub fn scale(mode: Subnormals, a: f64, by: i32) -> u64 {
        let a = if mode == Subnormals::Flush {
            flush(a)
        } else {
            a
        };
        if !is_finite_nonzero(a) {
            return bits(a);
        }
        let (m, e) = parts(a);
        let e = e + i64::from(by);
        if mode == Subnormals::Flush {
            return bounded(a, m, e);
        }
        let magnitude = match e {
            ..-1075 => 0.0,
            -1075..0 => m / 2.0 * power(e + 1),
            0..1024 => m * power(e),
            1024.. => f64::INFINITY,
        };
        bits(magnitude.copysign(a))
    }
}

/// Fails on the first pair for which the unit and the oracle differ.
fn check_pairs(
    mode: Subnormals,
    unit: impl Fn(Subnormals, u64, u64) -> u64,
    oracle: impl Fn(Subnormals, f64, f64) -> u64,
) {
    for (i, (a, b)) in Pairs::new(1)
        .take(PAIRS + specials().len().pow(2))
        .enumerate()
    {
        let got = unit(mode, a, b);
        let want = oracle(mode, f64::from_bits(a), f64::from_bits(b));
        assert!(
            got == want,
            "{mode:?}, pair {i}: {a:#x}, {b:#x}: {got:#x}, not {want:#x}"
        );
    }
}

fn check_scales(mode: Subnormals) {
    let mut random = Random::new(2);
    for (i, (a, _)) in Pairs::new(3).take(PAIRS).enumerate() {
        let by = scale_of(&mut random, a);
        let got = fp::scale(mode, a, by);
        let want = oracle::scale(mode, f64::from_bits(a), by);
        assert!(
            got == want,
            "{mode:?}, {i}: {a:#x} * 2^{by}: {got:#x}, not {want:#x}"
        );
    }
}

#[test]
fn products_flushed() {
    check_pairs(Subnormals::Flush, fp::multiply, oracle::multiply);
}

#[test]
fn products_kept() {
    check_pairs(Subnormals::Keep, fp::multiply, oracle::multiply);
}

#[test]
fn sums_flushed() {
    check_pairs(Subnormals::Flush, fp::add, oracle::add);
}

#[test]
fn sums_kept() {
    check_pairs(Subnormals::Keep, fp::add, oracle::add);
}

#[test]
fn differences_flushed() {
    check_pairs(Subnormals::Flush, fp::subtract, oracle::subtract);
}

#[test]
fn differences_kept() {
    check_pairs(Subnormals::Keep, fp::subtract, oracle::subtract);
}

#[test]
fn scales_flushed() {
    check_scales(Subnormals::Flush);
}

#[test]
fn scales_kept() {
    check_scales(Subnormals::Keep);
}

/// Checks that results are compared with the bounds after rounding, as the module's documentation
/// says.
#[test]
fn the_lower_bound_is_judged_after_rounding() {
    let least = f64::MIN_POSITIVE;
    // Below the bound: 2^-1022 (1 - 2^-53) has 53 digits, so it is not rounded.
    // At the bound: 2^-1022 (1 + 2^-52) (1 - 2^-53) = 2^-1022 (1 + 2^-53 - 2^-105).
    // Below 2^-1022 by less than half of a last place:
    // 2^-1022 (1 + 2^-52) (1 - 2^-52) = 2^-1022 (1 - 2^-104).
    let below_one = 1.0 - f64::EPSILON / 2.0;
    let above_one = 1.0 + f64::EPSILON;
    let product = |a: f64, b: f64| fp::multiply(Subnormals::Flush, a.to_bits(), b.to_bits());
    assert_eq!(product(least, below_one), 0);
    assert_eq!(product(-least, below_one), 1 << 63);
    assert_eq!(product(least * above_one, below_one), least.to_bits());
    assert_eq!(
        product(least * above_one, 1.0 - f64::EPSILON),
        least.to_bits()
    );
    // A sum below the bound is exact, so it is not rounded up.
    let (a, b) = ((least * above_one).to_bits(), least.to_bits());
    assert_eq!(fp::subtract(Subnormals::Flush, a, b), 0);
    assert_eq!(fp::subtract(Subnormals::Flush, b, a), 1 << 63);
    assert_eq!(fp::subtract(Subnormals::Keep, a, b), 1);
}

/// Checks that the operands of the other tests include the difficult cases.
#[test]
fn operands_reach_every_case() {
    let mut ties = 0;
    let mut at_bound = [0; 2];
    let mut cancelled = [0; 54];
    for (a, b) in Pairs::new(1).take(PAIRS) {
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        if x.classify() != FpCategory::Normal || y.classify() != FpCategory::Normal {
            continue;
        }
        let exponent = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as usize;
        let m = |a: u64| u128::from((a & ((1 << 52) - 1)) | (1 << 52));
        let product = m(a) * m(b);
        ties += usize::from(product >> product.trailing_zeros() >> 53 == 1);
        // 2^-1022 (1 - d / 2^105) rounds to 2^-1022 for d up to 2^51. The host, which rounds
        // subnormal numbers, gives 2^-1022 for d below 2^52.
        if exponent(x) + exponent(y) == 1023 && product < 1 << 105 {
            match (1 << 105) - product {
                1..=0x8_0000_0000_0000 => at_bound[0] += 1,
                0x8_0000_0000_0001..0x10_0000_0000_0000 => at_bound[1] += 1,
                _ => {}
            }
        }
        let sum = x + y;
        if sum.classify() == FpCategory::Normal {
            let lost = exponent(x).max(exponent(y)).saturating_sub(exponent(sum));
            cancelled[lost.min(53)] += 1;
        }
    }
    assert!(ties > 10_000, "{ties} products at ties");
    assert!(
        at_bound.iter().all(|&count| count > 1000),
        "{at_bound:?} products at the lower bound"
    );
    for (lost, &count) in cancelled[..53].iter().enumerate() {
        assert!(count > 1000, "{count} differences that lose {lost} digits");
    }
}
