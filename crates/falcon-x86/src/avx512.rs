//! 512-bit registers, with masks.

use core::arch::x86_64::*;
use falcon_core::lanes::{F32_LANES, Isa};

cpufeatures::new!(
    features, "avx2", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512dq", "avx512vl"
);

/// The processor has AVX2, BMI1, BMI2 and AVX-512 F, BW, DQ, VL, and the system saves the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Avx512(());

impl Avx512 {
    /// The token, if this processor has the features.
    pub fn detect() -> Option<Self> {
        features::get().then_some(Self(()))
    }
}

/// # Safety
/// The processor must have the features.
#[target_feature(enable = "avx2,bmi1,bmi2,avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

impl Isa for Avx512 {
    type F32x8 = __m256;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token is made where the features were found, only.
        unsafe { frame(kernel) }
    }
    #[inline(always)]
    fn splat(self, x: f32) -> __m256 {
        // SAFETY: as for `vectorize`.
        unsafe { _mm256_set1_ps(x) }
    }
    #[inline(always)]
    fn load(self, x: &[f32; F32_LANES]) -> __m256 {
        // SAFETY: as for `vectorize`; `x` is eight values, of any alignment.
        unsafe { _mm256_loadu_ps(x.as_ptr()) }
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: as for `vectorize`.
        unsafe { _mm256_sub_ps(a, b) }
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        // SAFETY: as for `vectorize`.
        unsafe { _mm256_mul_ps(a, b) }
    }
    #[inline(always)]
    fn lt(self, a: __m256, b: __m256) -> u32 {
        // SAFETY: as for `vectorize`.
        unsafe { u32::from(_mm256_cmp_ps_mask::<_CMP_LT_OQ>(a, b)) }
    }
    #[inline(always)]
    fn le(self, a: __m256, b: __m256) -> u32 {
        // SAFETY: as for `vectorize`.
        unsafe { u32::from(_mm256_cmp_ps_mask::<_CMP_LE_OQ>(a, b)) }
    }
}
