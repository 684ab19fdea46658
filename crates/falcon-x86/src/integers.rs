//! Registers of integers.
//!
//! 32-bit words go one at a time: what the compiler makes of the loop over them
//! is as fast.

use crate::{Avx2, Avx512};
use core::arch::x86_64::*;
use falcon_lanes::{Baseline, I16_LANES, Integers, U32_LANES, U32_ROW, Words16};

/// Sixteen signed 16-bit words. A value is made from a token, and so only where
/// the processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct I16x16(__m256i);

/// Thirty-two signed 16-bit words, likewise.
#[derive(Clone, Copy, Debug)]
pub struct I16x32(__m512i);

/// [`Words16`] from the instructions of one width.
macro_rules! words16 {
    (
        $words:ident, $set1:ident, $add:ident, $sub:ident, $mul_low:ident, $mul_high:ident,
        $shift:ident
    ) => {
        impl Words16 for $words {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the values exist.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: the values exist.
                Self(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_low(self, other: Self) -> Self {
                // SAFETY: the values exist.
                Self(unsafe { $mul_low(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_low_by(self, c: i16) -> Self {
                // SAFETY: the value exists.
                Self(unsafe { $mul_low(self.0, $set1(c)) })
            }
            #[inline(always)]
            fn montgomery(self, b: Self, m: Self, p: i16) -> Self {
                // SAFETY: the values exist.
                Self(unsafe { $sub($mul_high(self.0, b.0), $mul_high(m.0, $set1(p))) })
            }
            #[inline(always)]
            fn barrett(self, v: i16) -> Self {
                // SAFETY: the value exists.
                Self(unsafe { $shift::<11>($add($mul_high(self.0, $set1(v)), $set1(1 << 10))) })
            }
            #[inline(always)]
            fn sub_mul(self, t: Self, p: i16) -> Self {
                // SAFETY: the values exist.
                Self(unsafe { $sub(self.0, $mul_low(t.0, $set1(p))) })
            }
        }
    };
}

words16!(
    I16x16,
    _mm256_set1_epi16,
    _mm256_add_epi16,
    _mm256_sub_epi16,
    _mm256_mullo_epi16,
    _mm256_mulhi_epi16,
    _mm256_srai_epi16
);
words16!(
    I16x32,
    _mm512_set1_epi16,
    _mm512_add_epi16,
    _mm512_sub_epi16,
    _mm512_mullo_epi16,
    _mm512_mulhi_epi16,
    _mm512_srai_epi16
);

impl Integers for Avx2 {
    type Words32 = u32;
    const PARTS32: usize = U32_LANES;
    type Words16 = I16x16;
    const PARTS16: usize = 2;

    #[inline(always)]
    fn load32(self, x: &[u32; U32_LANES], part: usize) -> u32 {
        Baseline.load32(x, part)
    }
    #[inline(always)]
    fn splat32(self, x: u32) -> u32 {
        Baseline.splat32(x)
    }
    #[inline(always)]
    fn store_row(self, words: u32, row: &mut [u8; 4 * U32_ROW], part: usize) {
        Baseline.store_row(words, row, part);
    }
    #[inline(always)]
    fn load16(self, x: &[i16; I16_LANES], part: usize) -> I16x16 {
        let x = &x.as_chunks::<16>().0[part % 2];
        // SAFETY: a token is made where the features were found, only; `x` is
        // sixteen values, of any alignment.
        I16x16(unsafe { _mm256_loadu_si256(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store16(self, words: I16x16, x: &mut [i16; I16_LANES], part: usize) {
        let x = &mut x.as_chunks_mut::<16>().0[part % 2];
        // SAFETY: as for `load16`.
        unsafe { _mm256_storeu_si256(x.as_mut_ptr().cast(), words.0) };
    }
}

impl Integers for Avx512 {
    type Words32 = u32;
    const PARTS32: usize = U32_LANES;
    type Words16 = I16x32;
    const PARTS16: usize = 1;

    #[inline(always)]
    fn load32(self, x: &[u32; U32_LANES], part: usize) -> u32 {
        Baseline.load32(x, part)
    }
    #[inline(always)]
    fn splat32(self, x: u32) -> u32 {
        Baseline.splat32(x)
    }
    #[inline(always)]
    fn store_row(self, words: u32, row: &mut [u8; 4 * U32_ROW], part: usize) {
        Baseline.store_row(words, row, part);
    }
    #[inline(always)]
    fn load16(self, x: &[i16; I16_LANES], _: usize) -> I16x32 {
        // SAFETY: a token is made where the features were found, only; `x` is
        // thirty-two values, of any alignment.
        I16x32(unsafe { _mm512_loadu_si512(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn store16(self, words: I16x32, x: &mut [i16; I16_LANES], _: usize) {
        // SAFETY: as for `load16`.
        unsafe { _mm512_storeu_si512(x.as_mut_ptr().cast(), words.0) };
    }
}
