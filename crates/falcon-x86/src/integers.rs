//! Registers of 16-bit words.

use crate::{Avx2, Avx512};
use core::arch::x86_64::*;
use core::ops::{Add, Sub};
use falcon_lanes::{I16s, Register, register_of};

/// Sixteen signed 16-bit words. A value is made from a token, and so only where
/// the processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct I16x16(__m256i);

/// Thirty-two signed 16-bit words, likewise.
#[derive(Clone, Copy, Debug)]
pub struct I16x32(__m512i);

/// [`I16s`] from the instructions of one width.
macro_rules! i16s {
    (
        $words:ident, $len:literal, $isa:ty, $load:ident, $store:ident, $set1:ident, $add:ident, $sub:ident, $mul_low:ident, $mul_high:ident,
        $shift:ident
    ) => {
        impl Register<$isa> for $words {
            type Value = i16;
            register_of!($len);

            #[inline(always)]
            fn load(_: $isa, x: &[i16; $len]) -> Self {
                // SAFETY: there is a token; an array of this length, of any
                // alignment.
                Self(unsafe { $load(x.as_ptr().cast()) })
            }
            #[inline(always)]
            fn splat(_: $isa, x: i16) -> Self {
                // SAFETY: there is a token.
                Self(unsafe { $set1(x) })
            }
            #[inline(always)]
            fn store(self, out: &mut [i16; $len]) {
                // SAFETY: the value exists; an array of this length.
                unsafe { $store(out.as_mut_ptr().cast(), self.0) };
            }
        }

        impl Add for $words {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the values exist.
                Self(unsafe { $add(self.0, other.0) })
            }
        }

        impl Sub for $words {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: the values exist.
                Self(unsafe { $sub(self.0, other.0) })
            }
        }

        impl I16s for $words {
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

i16s!(
    I16x16,
    16,
    Avx2,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_set1_epi16,
    _mm256_add_epi16,
    _mm256_sub_epi16,
    _mm256_mullo_epi16,
    _mm256_mulhi_epi16,
    _mm256_srai_epi16
);
i16s!(
    I16x32,
    32,
    Avx512,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_set1_epi16,
    _mm512_add_epi16,
    _mm512_sub_epi16,
    _mm512_mullo_epi16,
    _mm512_mulhi_epi16,
    _mm512_srai_epi16
);
