//! One lane on the machine's binary64 unit.

use crate::{Lanes, Singles};

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
pub const ROUNDER: f64 = 6_755_399_441_055_744.0;
