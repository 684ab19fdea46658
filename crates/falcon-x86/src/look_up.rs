//! Look-ups by the permutations of AVX-512 VBMI and BW.

use crate::Avx512Vbmi;
use core::arch::x86_64::*;
use falcon_lanes::{LookUps, Table};

/// # Safety
/// The processor must have the features.
#[target_feature(
    enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vbmi"
)]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    crate::align_frame::<__m512i>();
    kernel()
}

/// Thirty-two 16-bit words. Creating a value requires an [`Avx512Vbmi`] token, so a value proves
/// that the processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct Words(__m512i);

/// For each byte of a register, the place from which it comes.
#[repr(align(64))]
struct Places([u8; 64]);

/// Places of the tails of twelve records, counted from the first record.
const FIRST_TAILS: Places = {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 48 {
        places[i] = (11 * (i / 4) + i % 4) as u8;
        i += 1;
    }
    Places(places)
};

/// Places of the tails of the records 12 to 15, whose last byte is the last of the register.
const LAST_TAILS: Places = {
    let mut places = [0; 64];
    let mut i = 48;
    while i < 64 {
        places[i] = (64 - 4 - 11 * (15 - i / 4) + i % 4) as u8;
        i += 1;
    }
    Places(places)
};

/// Places of the even words of two registers.
const EVEN: Table<32> = {
    let mut places = [0; 32];
    let mut i = 0;
    while i < 32 {
        places[i] = 2 * i as i16;
        i += 1;
    }
    Table(places)
};

/// Places of the odd words of two registers.
const ODD: Table<32> = {
    let mut places = EVEN.0;
    let mut i = 0;
    while i < 32 {
        places[i] += 1;
        i += 1;
    }
    Table(places)
};

#[inline(always)]
fn load_words(_: Avx512Vbmi, x: &[i16; 32]) -> __m512i {
    // SAFETY: the token proves the features; `x` is 64 bytes, of any alignment.
    unsafe { _mm512_loadu_si512(x.as_ptr().cast()) }
}

/// Gathers the tails of sixteen records.
#[inline(always)]
fn sixteen_tails(_: Avx512Vbmi, x: &[[u8; 11]; 16]) -> __m512i {
    let x = x.as_flattened().as_ptr();
    // SAFETY: the token proves the features; `x` is 176 bytes, and 64 of them are loaded from 7, 71
    // and 112 on, at any alignment.
    unsafe {
        let low = _mm512_loadu_si512(x.add(7).cast());
        let middle = _mm512_loadu_si512(x.add(71).cast());
        let last = _mm512_loadu_si512(x.add(112).cast());
        let first_tails = _mm512_loadu_si512(FIRST_TAILS.0.as_ptr().cast());
        let last_tails = _mm512_loadu_si512(LAST_TAILS.0.as_ptr().cast());
        let tails = _mm512_permutex2var_epi8(low, first_tails, middle);
        _mm512_mask_permutexvar_epi8(tails, 0xffff << 48, last_tails, last)
    }
}

/// Looks up words of `quarter` at the places in the low six bits of `at`.
#[inline(always)]
fn look_up_in_quarter(token: Avx512Vbmi, quarter: &[i16; 64], at: Words) -> __m512i {
    let (halves, _) = quarter.as_chunks();
    let (low, high) = (load_words(token, &halves[0]), load_words(token, &halves[1]));
    // SAFETY: the token proves that the processor has the features.
    unsafe { _mm512_permutex2var_epi16(low, at.0, high) }
}

impl LookUps for Avx512Vbmi {
    type Words = Words;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token exists only where the features were found.
        unsafe { frame(kernel) }
    }
    #[inline(always)]
    fn splat(self, x: i16) -> Words {
        // SAFETY: the token proves that the processor has the features.
        Words(unsafe { _mm512_set1_epi16(x) })
    }
    #[inline(always)]
    fn tails(self, x: &[[u8; 11]; 32]) -> [Words; 2] {
        let (sixteens, _) = x.as_chunks();
        let (a, b) = (
            sixteen_tails(self, &sixteens[0]),
            sixteen_tails(self, &sixteens[1]),
        );
        let (even, odd) = (load_words(self, &EVEN.0), load_words(self, &ODD.0));
        // SAFETY: the token proves that the processor has the features.
        unsafe {
            [
                Words(_mm512_permutex2var_epi16(a, even, b)),
                Words(_mm512_permutex2var_epi16(a, odd, b)),
            ]
        }
    }
    #[inline(always)]
    fn below(self, a: Words, b: Words) -> u32 {
        // SAFETY: the token proves that the processor has the features.
        unsafe { _mm512_cmplt_epu16_mask(a.0, b.0) }
    }
    #[inline(always)]
    fn odd(self, x: Words) -> u32 {
        // SAFETY: the token proves that the processor has the features.
        unsafe { _mm512_test_epi16_mask(x.0, _mm512_set1_epi16(1)) }
    }
    #[inline(always)]
    fn high_bytes(self, x: Words) -> Words {
        // SAFETY: the token proves that the processor has the features.
        Words(unsafe { _mm512_srli_epi16::<8>(x.0) })
    }
    #[inline(always)]
    fn add(self, a: Words, b: Words) -> Words {
        // SAFETY: the token proves that the processor has the features.
        Words(unsafe { _mm512_add_epi16(a.0, b.0) })
    }
    #[inline(always)]
    fn add_where(self, mask: u32, a: Words, b: Words) -> Words {
        // SAFETY: the token proves that the processor has the features.
        Words(unsafe { _mm512_mask_add_epi16(a.0, mask, a.0, b.0) })
    }
    #[inline(always)]
    fn look_up(self, table: &Table<32>, at: Words) -> Words {
        // SAFETY: the token proves that the processor has the features.
        Words(unsafe { _mm512_permutexvar_epi16(at.0, load_words(self, &table.0)) })
    }
    #[inline(always)]
    fn look_up_byte(self, table: &Table<256>, at: Words) -> Words {
        let (quarters, _) = table.0.as_chunks();
        let [a, b, c, d] = [
            look_up_in_quarter(self, &quarters[0], at),
            look_up_in_quarter(self, &quarters[1], at),
            look_up_in_quarter(self, &quarters[2], at),
            look_up_in_quarter(self, &quarters[3], at),
        ];
        // SAFETY: the token proves that the processor has the features.
        unsafe {
            let bit_6 = _mm512_test_epi16_mask(at.0, _mm512_set1_epi16(1 << 6));
            let bit_7 = _mm512_test_epi16_mask(at.0, _mm512_set1_epi16(1 << 7));
            let low = _mm512_mask_mov_epi16(a, bit_6, b);
            let high = _mm512_mask_mov_epi16(c, bit_6, d);
            Words(_mm512_mask_mov_epi16(low, bit_7, high))
        }
    }
    #[inline(always)]
    fn store_floats(self, x: Words, mask: u32, other: f32, out: &mut [f32; 32]) {
        let (halves, _) = out.as_chunks_mut::<16>();
        // SAFETY: the token proves the features; each half of `out` is sixteen values, of any
        // alignment.
        unsafe {
            let other = _mm512_set1_ps(other);
            let low = _mm512_castsi512_si256(x.0);
            let high = _mm512_extracti64x4_epi64::<1>(x.0);
            let low = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(low));
            let high = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(high));
            let low = _mm512_mask_mov_ps(low, mask as u16, other);
            let high = _mm512_mask_mov_ps(high, (mask >> 16) as u16, other);
            _mm512_storeu_ps(halves[0].as_mut_ptr(), low);
            _mm512_storeu_ps(halves[1].as_mut_ptr(), high);
        }
    }
}
