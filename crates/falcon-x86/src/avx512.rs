//! 512-bit registers, with masks.

use core::arch::x86_64::*;
use falcon_core::lanes::{Bits64, F32_LANES, Isa, U64_LANES};

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

/// Eight 64-bit words. A value is made from a token, and so only where the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct U64x8(__m512i);

impl Bits64 for U64x8 {
    const AND_NOT: bool = true;

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        // SAFETY: the value exists.
        Self(unsafe { _mm512_xor_si512(self.0, _mm512_set1_epi64(x as i64)) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm512_and_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm512_or_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: the value exists.
        Self(unsafe { _mm512_xor_si512(self.0, _mm512_set1_epi64(-1)) })
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        // SAFETY: the value exists.
        Self(unsafe { _mm512_rol_epi64::<L>(self.0) })
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm512_ternarylogic_epi64::<0x96>(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        // The result for (a, b, c) = k is bit k, a being the high bit of k.
        // SAFETY: the values exist.
        Self(unsafe { _mm512_ternarylogic_epi64::<0xd2>(self.0, b.0, c.0) })
    }
}

impl Isa for Avx512 {
    type F32x8 = __m256;
    type Words = U64x8;
    const PARTS: usize = 1;
    type Runs = Self;

    #[inline(always)]
    fn load_words(self, x: &[u64; U64_LANES], _: usize) -> U64x8 {
        // SAFETY: as for `vectorize`; `x` is eight values, of any alignment.
        U64x8(unsafe { _mm512_loadu_si512(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store_words(self, words: U64x8, x: &mut [u64; U64_LANES], _: usize) {
        // SAFETY: as for `vectorize`; `x` is eight values, of any alignment.
        unsafe { _mm512_storeu_si512(x.as_mut_ptr().cast(), words.0) };
    }

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
