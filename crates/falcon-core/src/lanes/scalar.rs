//! One lane on the machine's binary64 unit.

use super::{Baseline, Binary64, Lanes, Singles};
use crate::fpr::soft;
use crate::sampler::Windows;

/// One lane of native binary64.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

impl Lanes for Scalar {
    const N: usize = 1;
    type F = f64;
    type Runs = Singles;

    #[inline(always)]
    fn splat(self, x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn get(self, x: &f64, _: usize) -> f64 {
        *x
    }
    #[inline(always)]
    fn set(self, x: &mut f64, _: usize, value: f64) {
        *x = value;
    }
    #[inline(always)]
    fn add(self, a: f64, b: f64) -> f64 {
        a + b
    }
    #[inline(always)]
    fn sub(self, a: f64, b: f64) -> f64 {
        a - b
    }
    #[inline(always)]
    fn mul(self, a: f64, b: f64) -> f64 {
        a * b
    }
    #[inline(always)]
    fn neg(self, a: f64) -> f64 {
        -a
    }
    #[inline(always)]
    fn half(self, a: f64) -> f64 {
        a * 0.5
    }
    #[inline(always)]
    fn inverse(self, a: f64) -> f64 {
        1.0 / a
    }
    #[inline(always)]
    fn floor(self, a: f64) -> f64 {
        // Exact, since |a| < 2^51; the sign of the rest says whether rounding
        // went up.
        let nearest = a + ROUNDER - ROUNDER;
        if a < nearest { nearest - 1.0 } else { nearest }
    }
}

/// `2^52 + 2^51`: adding it to `|x| < 2^51` leaves the nearest integer in the
/// low mantissa bits, by the unit's own rounding and without a branch.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

impl Binary64 for Scalar {
    const HARDWARE: bool = true;
    type Isa = Baseline;
    type Sampling = Windows<Baseline>;

    #[inline(always)]
    fn isa(self) -> Baseline {
        Baseline
    }
    #[inline(always)]
    fn sampling(self) -> Windows<Baseline> {
        Windows(Baseline)
    }

    #[inline(always)]
    fn sqrt(self, a: f64) -> f64 {
        // Where libm's is the instruction. Elsewhere it is a table lookup, and
        // the leaves of a tree are secret.
        if cfg!(any(
            target_feature = "sse2",
            all(target_arch = "aarch64", target_feature = "neon"),
        )) {
            libm::sqrt(a)
        } else {
            f64::from_bits(soft::sqrt(a.to_bits()))
        }
    }
    #[inline(always)]
    fn float(self, x: i64) -> f64 {
        x as f64
    }
    #[inline(always)]
    fn rint(self, a: f64) -> i64 {
        ((a + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits())) as i64
    }
    #[inline(always)]
    fn trunc(self, a: f64) -> i64 {
        a as i64
    }
    #[inline(always)]
    fn lt(self, a: f64, b: f64) -> u64 {
        // The sign of the rounded difference is the sign of the difference
        // (no underflow in the ranges of the scheme); adding +0 makes the
        // difference of equal values +0 also for -0 and +0.
        ((a - b + 0.0).to_bits() >> 63).wrapping_neg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floor_and_rint_agree_with_std() {
        for x in [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.5,
            -1.5,
            2.5,
            -2.5,
            0.49999999999999994,
            1e15,
            -1e15,
            123.75,
            -123.25,
            4503599627370495.5 / 2.0,
        ] {
            assert_eq!(Scalar.floor(x), x.floor(), "floor({x})");
            assert_eq!(Scalar.rint(x), x.round_ties_even() as i64, "rint({x})");
        }
    }

    #[test]
    fn lt_is_a_full_mask() {
        assert_eq!(Scalar.lt(1.0, 2.0), u64::MAX);
        assert_eq!(Scalar.lt(2.0, 2.0), 0);
        assert_eq!(Scalar.lt(3.0, 2.0), 0);
        assert_eq!(Scalar.lt(-0.0, 0.0), 0);
    }
}
