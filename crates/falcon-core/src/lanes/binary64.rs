//! The arithmetic of one signature on the machine's binary64 unit.

use super::{Across, Baseline, Binary64, Isa, ROUNDER, Scalar};
use crate::fpr::soft;
use crate::sampler::Windows;

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

impl<I: Isa> Binary64 for Across<I> {
    const HARDWARE: bool = true;
    type Isa = I;
    type Sampling = Windows<I>;

    #[inline(always)]
    fn isa(self) -> I {
        self.0
    }
    #[inline(always)]
    fn sampling(self) -> Windows<I> {
        Windows(self.0)
    }
    #[inline(always)]
    fn sqrt(self, a: f64) -> f64 {
        Scalar.sqrt(a)
    }
    #[inline(always)]
    fn float(self, x: i64) -> f64 {
        Scalar.float(x)
    }
    #[inline(always)]
    fn rint(self, a: f64) -> i64 {
        Scalar.rint(a)
    }
    #[inline(always)]
    fn trunc(self, a: f64) -> i64 {
        Scalar.trunc(a)
    }
    #[inline(always)]
    fn lt(self, a: f64, b: f64) -> u64 {
        Scalar.lt(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Lanes;

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
