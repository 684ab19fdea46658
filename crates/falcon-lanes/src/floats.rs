//! Eight binary32 values at once.

use crate::{Isa, Register, register_of};
use core::array;
use core::ops::{Mul, Sub};

/// Eight binary32 values. They serve only for estimates with a proven margin: instruction sets may
/// round results differently.
///
/// Comparisons give a mask. Lane `k` has bits `k << LOG_BITS` to `((k + 1) << LOG_BITS) - 1` of the
/// mask, all equal. The bits above those of lane 7 are zero.
pub trait F32x8: Copy + Sub<Output = Self> + Mul<Output = Self> {
    /// Logarithm of the number of bits that a lane has in a mask, at most 3.
    const LOG_BITS: u32 = 0;

    /// Sets the bits of the lanes in which `self <= b`. A NaN is not below any value.
    fn le(self, b: Self) -> u64;

    /// Compares each of `a` with `b` as [`le`](Self::le) does.
    #[inline(always)]
    fn both_le(a: [Self; 2], b: Self) -> [u64; 2] {
        [a[0].le(b), a[1].le(b)]
    }
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
    fn le(self, b: Self) -> u64 {
        (0..8)
            .fold(0, |mask, k| mask | u32::from(self.0[k] <= b.0[k]) << k)
            .into()
    }
}
