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

/// Eight 64-bit words. A value is made from a token, and so only where the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct U64x8([__m256i; 2]);

impl Bits64 for U64x8 {
    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        // SAFETY: the value exists.
        self.xor(Self(unsafe { [_mm256_set1_epi64x(x as i64); 2] }))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: the values exist.
        Self(unsafe { [_mm256_xor_si256(a, c), _mm256_xor_si256(b, d)] })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: the values exist.
        Self(unsafe { [_mm256_and_si256(a, c), _mm256_and_si256(b, d)] })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let ([a, b], [c, d]) = (self.0, other.0);
        // SAFETY: the values exist.
        Self(unsafe { [_mm256_or_si256(a, c), _mm256_or_si256(b, d)] })
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.xor_u64(u64::MAX)
    }
    #[inline(always)]
    fn rotate_left<const R: i32>(self) -> Self {
        let [a, b] = self.0;
        // SAFETY: the value exists.
        Self(unsafe { [rotate_left::<R>(a), rotate_left::<R>(b)] })
    }
}

/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn rotate_left<const R: i32>(a: __m256i) -> __m256i {
    // SAFETY: as the caller says. Counts that are constants become immediate
    // operands; a shift by 64 gives zero.
    unsafe {
        let (left, right) = (_mm_cvtsi32_si128(R), _mm_cvtsi32_si128(64 - R));
        _mm256_or_si256(_mm256_sll_epi64(a, left), _mm256_srl_epi64(a, right))
    }
}

impl Isa for Avx2 {
    type F32x8 = __m256;
    type U64x8 = U64x8;

    #[inline(always)]
    fn load_u64(self, x: &[u64; U64_LANES]) -> U64x8 {
        // SAFETY: as for `vectorize`; `x` is two times four values, of any
        // alignment.
        U64x8(unsafe {
            [
                _mm256_loadu_si256(x.as_ptr().cast()),
                _mm256_loadu_si256(x.as_ptr().add(4).cast()),
            ]
        })
    }
    #[inline(always)]
    fn store_u64(self, x: U64x8) -> [u64; U64_LANES] {
        let mut out = [0; U64_LANES];
        // SAFETY: as for `vectorize`; `out` is two times four values, of any
        // alignment.
        unsafe {
            _mm256_storeu_si256(out.as_mut_ptr().cast(), x.0[0]);
            _mm256_storeu_si256(out.as_mut_ptr().add(4).cast(), x.0[1]);
        }
        out
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
