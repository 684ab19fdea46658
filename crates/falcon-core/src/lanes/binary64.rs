//! One double on the machine's binary64 unit.

use super::{Double, ROUNDER};
use crate::fpr::soft;

impl Double for f64 {
    const HARDWARE: bool = true;

    #[inline(always)]
    fn from_i64(x: i64) -> f64 {
        x as f64
    }
    #[inline(always)]
    fn square_root(self) -> f64 {
        // Where libm's is the instruction. Elsewhere it is a table lookup, and
        // the leaves of a tree are secret.
        if cfg!(any(
            target_feature = "sse2",
            all(target_arch = "aarch64", target_feature = "neon"),
        )) {
            libm::sqrt(self)
        } else {
            f64::from_bits(soft::sqrt(self.to_bits()))
        }
    }
    #[inline(always)]
    fn rint(self) -> i64 {
        ((self + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits())) as i64
    }
    #[inline(always)]
    fn truncate(self) -> i64 {
        self as i64
    }
    #[inline(always)]
    fn below(self, b: f64) -> u64 {
        // The sign of the rounded difference is the sign of the difference
        // (no underflow in the ranges of the scheme); adding +0 makes the
        // difference of equal values +0 also for -0 and +0.
        ((self - b + 0.0).to_bits() >> 63).wrapping_neg()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Baseline, F64s};

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
            assert_eq!(<f64 as F64s<Baseline>>::floor(x), x.floor(), "floor({x})");
            assert_eq!(x.rint(), x.round_ties_even() as i64, "rint({x})");
        }
    }

    #[test]
    fn below_is_a_full_mask() {
        assert_eq!(1.0.below(2.0), u64::MAX);
        assert_eq!(2.0.below(2.0), 0);
        assert_eq!(3.0.below(2.0), 0);
        assert_eq!((-0.0).below(0.0), 0);
    }
}
