//! Eight binary32 values at once.

use crate::{Isa, Register, register_of};
use core::array;
use core::ops::{Mul, Sub};

/// Eight binary32 values. They serve estimates with a proven margin and nothing
/// else: results may be rounded differently from one set to another.
pub trait F32x8: Copy + Sub<Output = Self> + Mul<Output = Self> {
    /// Bit `k` is set if `self < b` in lane `k`; never for a NaN.
    fn lt(self, b: Self) -> u32;
    /// Bit `k` is set if `self <= b` in lane `k`; never for a NaN.
    fn le(self, b: Self) -> u32;
}

/// Eight values in an array.
#[derive(Clone, Copy, Debug)]
pub struct PackF32([f32; 8]);

impl<I: Isa> Register<I> for PackF32 {
    type Value = f32;
    register_of!(8);

    #[inline(always)]
    fn load(_: I, x: &[f32; 8]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn splat(_: I, x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    fn store(self, out: &mut [f32; 8]) {
        *out = self.0;
    }
}

impl Sub for PackF32 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(array::from_fn(|k| self.0[k] - b.0[k]))
    }
}

impl Mul for PackF32 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(array::from_fn(|k| self.0[k] * b.0[k]))
    }
}

impl F32x8 for PackF32 {
    #[inline(always)]
    fn lt(self, b: Self) -> u32 {
        (0..8).fold(0, |mask, k| mask | u32::from(self.0[k] < b.0[k]) << k)
    }
    #[inline(always)]
    fn le(self, b: Self) -> u32 {
        (0..8).fold(0, |mask, k| mask | u32::from(self.0[k] <= b.0[k]) << k)
    }
}
