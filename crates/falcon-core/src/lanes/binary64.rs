//! One double on the machine's binary64 unit.

use super::{Double, ROUNDER};

/// The instruction for square roots, in the encoding of the frame into which this function is
/// inlined. See [`falcon_x86::square_root`].
#[cfg(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2"))]
use falcon_x86::square_root;

#[cfg(not(all(feature = "engines", target_arch = "x86_64", target_feature = "sse2")))]
#[inline(always)]
fn square_root(x: f64) -> f64 {
    // On these targets, libm's function is the instruction itself. On other targets it reads a
    // table, which must not happen here since the leaves of a tree are secret.
    if cfg!(any(
        target_feature = "sse2",
        all(target_arch = "aarch64", target_feature = "neon"),
    )) {
        libm::sqrt(x)
    } else {
        f64::from_bits(crate::fpr::soft::sqrt(x.to_bits()))
    }
}

impl Double for f64 {
    const HARDWARE: bool = true;

    #[inline(always)]
    fn from_i64(x: i64) -> f64 {
        x as f64
    }
    #[inline(always)]
    fn square_root(self) -> f64 {
        square_root(self)
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
        // The sign of the rounded difference is the sign of the difference, since there is no
        // underflow in the ranges of the scheme. Adding +0 makes the difference of equal values +0,
        // also for -0 and +0.
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
    fn square_roots_are_rounded_as_by_std() {
        for x in [0.0, 1.0, 2.0, 0.5, 3.1, 1e-300, 1e300, 5e-324, f64::MAX] {
            for x in [x, x.next_up(), x * 1.75] {
                assert_eq!(x.square_root().to_bits(), x.sqrt().to_bits(), "{x}");
            }
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
