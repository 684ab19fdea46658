//! Registers of 16-bit words.

use crate::{Avx2, Avx512};
use core::arch::x86_64::*;
use core::ops::{Add, Sub};
use falcon_lanes::{I16s, Isa, Register, register_of};

/// Sixteen signed 16-bit words. Creating a value requires an [`Avx2`] token, so a value proves that
/// the processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct I16x16(__m256i);

/// Thirty-two signed 16-bit words. Creating a value requires an [`Avx512`] token.
#[derive(Clone, Copy, Debug)]
pub struct I16x32(__m512i);

/// [`I16s`] from the instructions of one width.
macro_rules! i16s {
    (
        $words:ident, $len:literal, $isa:ty, $load:ident, $store:ident, $set1:ident, $add:ident, $sub:ident, $mul_low:ident, $mul_high:ident,
        $shift:ident, $exchange:ident
    ) => {
        impl Register<$isa> for $words {
            type Value = i16;
            register_of!($len);

            #[inline(always)]
            fn load(_: $isa, x: &[i16; $len]) -> Self {
                // SAFETY: the token proves the features; the array has this length, of any
                // alignment.
                Self(unsafe { $load(x.as_ptr().cast()) })
            }
            #[inline(always)]
            fn splat(_: $isa, x: i16) -> Self {
                // SAFETY: the token proves that the processor has the features.
                Self(unsafe { $set1(x) })
            }
            #[inline(always)]
            fn store(self, out: &mut [i16; $len]) {
                // SAFETY: the value proves the features; the array has this length.
                unsafe { $store(out.as_mut_ptr().cast(), self.0) };
            }
        }

        impl Add for $words {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $add(self.0, other.0) })
            }
        }

        impl Sub for $words {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $sub(self.0, other.0) })
            }
        }

        impl I16s for $words {
            #[inline(always)]
            fn mul_low(self, other: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $mul_low(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_low_by(self, c: i16) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $mul_low(self.0, $set1(c)) })
            }
            #[inline(always)]
            fn montgomery(self, b: Self, m: Self, p: i16) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $sub($mul_high(self.0, b.0), $mul_high(m.0, $set1(p))) })
            }
            #[inline(always)]
            fn barrett(self, v: i16) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $shift::<11>($add($mul_high(self.0, $set1(v)), $set1(1 << 10))) })
            }
            #[inline(always)]
            fn sub_mul(self, t: Self, p: i16) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $sub(self.0, $mul_low(t.0, $set1(p))) })
            }

            type Row = [Self; 32 / $len];

            #[inline(always)]
            fn load_row<I>(isa: I, x: &[i16; 32]) -> Self::Row
            where
                I: Isa,
                Self: Register<I, Value = i16>,
            {
                let x = Self::chunks(x);
                core::array::from_fn(|i| Self::load(isa, &x[i]))
            }
            #[inline(always)]
            fn exchange<const BLOCK: usize>(x: &mut Self::Row, y: &mut Self::Row) {
                (*x, *y) = $exchange::<BLOCK>(*x, *y);
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
    _mm256_srai_epi16,
    exchange_256
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
    _mm512_srai_epi16,
    exchange_512
);

/// Implements [`I16s::exchange`] for registers of 256 bits.
#[inline(always)]
fn exchange_256<const BLOCK: usize>(x: [I16x16; 2], y: [I16x16; 2]) -> ([I16x16; 2], [I16x16; 2]) {
    let ([x0, x1], [y0, y1]) = (x, y);
    if BLOCK == 16 {
        return ([x0, y0], [x1, y1]);
    }
    let exchange = |x: I16x16, y: I16x16| {
        let (x, y) = (x.0, y.0);
        // SAFETY: values of this type prove that the processor has the features.
        let (x, y) = unsafe {
            match BLOCK {
                8 => (
                    _mm256_permute2x128_si256::<0x20>(x, y),
                    _mm256_permute2x128_si256::<0x31>(x, y),
                ),
                4 => (_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y)),
                2 => (
                    _mm256_blend_epi32::<0xaa>(x, _mm256_slli_epi64::<32>(y)),
                    _mm256_blend_epi32::<0xaa>(_mm256_srli_epi64::<32>(x), y),
                ),
                _ => (
                    _mm256_blend_epi16::<0xaa>(x, _mm256_slli_epi32::<16>(y)),
                    _mm256_blend_epi16::<0xaa>(_mm256_srli_epi32::<16>(x), y),
                ),
            }
        };
        (I16x16(x), I16x16(y))
    };
    let ((x0, y0), (x1, y1)) = (exchange(x0, y0), exchange(x1, y1));
    ([x0, x1], [y0, y1])
}

/// Implements [`I16s::exchange`] for registers of 512 bits.
#[inline(always)]
fn exchange_512<const BLOCK: usize>(x: [I16x32; 1], y: [I16x32; 1]) -> ([I16x32; 1], [I16x32; 1]) {
    let ([I16x32(x)], [I16x32(y)]) = (x, y);
    // SAFETY: values of this type prove that the processor has the features.
    let (x, y) = unsafe {
        match BLOCK {
            16 => (
                _mm512_shuffle_i64x2::<0b01_00_01_00>(x, y),
                _mm512_shuffle_i64x2::<0b11_10_11_10>(x, y),
            ),
            8 => (
                _mm512_mask_shuffle_i64x2::<0b10_10_00_00>(x, 0b1100_1100, y, y),
                _mm512_mask_shuffle_i64x2::<0b11_11_01_01>(y, 0b0011_0011, x, x),
            ),
            4 => (_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y)),
            2 => (
                _mm512_mask_shuffle_epi32::<_MM_PERM_CCAA>(x, 0xaaaa, y),
                _mm512_mask_shuffle_epi32::<_MM_PERM_DDBB>(y, 0x5555, x),
            ),
            _ => (
                _mm512_mask_mov_epi16(x, 0xaaaa_aaaa, _mm512_slli_epi32::<16>(y)),
                _mm512_mask_mov_epi16(y, 0x5555_5555, _mm512_srli_epi32::<16>(x)),
            ),
        }
    };
    ([I16x32(x)], [I16x32(y)])
}
