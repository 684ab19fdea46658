//! 256-bit registers.

use core::arch::x86_64::*;
use falcon_core::lanes::{Bits64, F32_LANES, Isa, U64_LANES};

cpufeatures::new!(features, "avx2", "bmi1", "bmi2");

/// The processor has AVX2, BMI1 and BMI2, and the system saves the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Avx2(());

impl Avx2 {
    /// The token, if this processor has the features.
    pub fn detect() -> Option<Self> {
        features::get().then_some(Self(()))
    }
}

/// # Safety
/// The processor must have the features.
#[target_feature(enable = "avx2,bmi1,bmi2")]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

/// Four 64-bit words. A value is made from a token, and so only where the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct U64x4(__m256i);

impl Bits64 for U64x4 {
    const AND_NOT: bool = true;

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        // SAFETY: the value exists.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi64x(x as i64)) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.xor_u64(u64::MAX)
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        // SAFETY: the value exists.
        Self(unsafe {
            _mm256_or_si256(
                _mm256_slli_epi64::<L>(self.0),
                _mm256_srli_epi64::<R>(self.0),
            )
        })
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_andnot_si256(b.0, c.0)) })
    }
}

impl Isa for Avx2 {
    type F32x8 = __m256;
    type Words = U64x4;
    const PARTS: usize = 2;
    type Runs = Self;

    #[inline(always)]
    fn load_words(self, x: &[u64; U64_LANES], part: usize) -> U64x4 {
        let x = &x.as_chunks::<4>().0[part % 2];
        // SAFETY: as for `vectorize`; `x` is four values, of any alignment.
        U64x4(unsafe { _mm256_loadu_si256(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store_words(self, words: U64x4, x: &mut [u64; U64_LANES], part: usize) {
        let x = &mut x.as_chunks_mut::<4>().0[part % 2];
        // SAFETY: as for `vectorize`; `x` is four values, of any alignment.
        unsafe { _mm256_storeu_si256(x.as_mut_ptr().cast(), words.0) };
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
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) as u32 }
    }
    #[inline(always)]
    fn le(self, a: __m256, b: __m256) -> u32 {
        // SAFETY: as for `vectorize`.
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32 }
    }
}
