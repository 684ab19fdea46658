//! Eight binary32 values in a register.

use crate::{Avx2, Avx512};
use core::arch::x86_64::*;
use core::ops::{Mul, Sub};
use falcon_lanes::{F32x8, Register, register_of};

/// Eight values. Creating a register requires a token, so a register proves that the processor has
/// the features. `$le` compares with the instructions of the set.
macro_rules! f32x8 {
    ($name:ident, $isa:ty, |$a:ident, $b:ident| $le:expr) => {
        /// Eight binary32 values.
        #[derive(Clone, Copy, Debug)]
        pub struct $name(__m256);

        impl Register<$isa> for $name {
            type Value = f32;
            register_of!(8);

            #[inline(always)]
            fn load(_: $isa, x: &[f32; 8]) -> Self {
                // SAFETY: the token proves the features; `x` is eight values, of any alignment.
                Self(unsafe { _mm256_loadu_ps(x.as_ptr()) })
            }
            #[inline(always)]
            fn splat(_: $isa, x: f32) -> Self {
                // SAFETY: the token proves that the processor has the features.
                Self(unsafe { _mm256_set1_ps(x) })
            }
            #[inline(always)]
            fn store(self, out: &mut [f32; 8]) {
                // SAFETY: the value proves the features; `out` is eight values.
                unsafe { _mm256_storeu_ps(out.as_mut_ptr(), self.0) };
            }
        }

        impl Sub for $name {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { _mm256_sub_ps(self.0, b.0) })
            }
        }

        impl Mul for $name {
            type Output = Self;
            #[inline(always)]
            fn mul(self, b: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { _mm256_mul_ps(self.0, b.0) })
            }
        }

        impl F32x8 for $name {
            #[inline(always)]
            fn le(self, b: Self) -> u64 {
                let ($a, $b) = (self.0, b.0);
                // SAFETY: values of this type prove that the processor has the features.
                unsafe { $le }
            }
        }
    };
}

f32x8!(
    Avx2F32x8,
    Avx2,
    |a, b| _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32 as u64
);
f32x8!(Avx512F32x8, Avx512, |a, b| u64::from(_mm256_cmp_ps_mask::<
    _CMP_LE_OQ,
>(a, b)));
