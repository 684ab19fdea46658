//! 512-bit registers with masks, and 128-bit registers for a single chain.

use crate::doubles::{F64x2, F64x4, F64x8};
use crate::floats::Avx512F32x8;
use crate::integers::I16x32;
use crate::{Avx2, Avx512, Avx512Gfni, Avx512Vbmi, NIBBLE_PARITIES, byte_tables};
use core::arch::x86_64::*;
use falcon_lanes::{Baseline, BytesKernel, Isa, Ordered, Register, U32s, U64s, register_of};

/// # Safety
/// The processor must have the features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    crate::align_frame::<__m512i>();
    kernel()
}

/// Eight 64-bit words. Creating a value requires an [`Avx512`] token, so a value proves that the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct U64x8(__m512i);

/// Two 64-bit words. Creating a value requires an [`Avx512`] token. Processors have more units for
/// 128-bit operations than for 512-bit ones. Single words lack functions of three operands.
#[derive(Clone, Copy, Debug)]
pub struct U64x2(__m128i);

/// [`U64s`] from the instructions of one width.
macro_rules! u64s {
    (
        $words:ident, $len:literal, $load:ident, $store:ident, $set1:ident, $xor:ident, $and:ident,
        $or:ident, $rotate:ident, $ternary:ident, $equal:ident, $mask_or:ident
    ) => {
        impl Register<Avx512> for $words {
            type Value = u64;
            register_of!($len);

            #[inline(always)]
            fn load(_: Avx512, x: &[u64; $len]) -> Self {
                // SAFETY: the token proves the features; `x` is an array of this length, of any
                // alignment.
                Self(unsafe { $load(x.as_ptr().cast()) })
            }
            #[inline(always)]
            fn splat(_: Avx512, x: u64) -> Self {
                // SAFETY: the token proves that the processor has the features.
                Self(unsafe { $set1(x as i64) })
            }
            #[inline(always)]
            fn store(self, out: &mut [u64; $len]) {
                // SAFETY: the value proves the features; `out` is an array of this length, of any
                // alignment.
                unsafe { $store(out.as_mut_ptr().cast(), self.0) };
            }
        }

        impl U64s for $words {
            const AND_NOT: bool = true;

            #[inline(always)]
            fn xor_u64(self, x: u64) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $xor(self.0, $set1(x as i64)) })
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $and(self.0, other.0) })
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $or(self.0, other.0) })
            }
            #[inline(always)]
            fn not(self) -> Self {
                self.xor_u64(u64::MAX)
            }
            #[inline(always)]
            fn rotate_left<const L: i32, const R: i32>(self) -> Self {
                // SAFETY: a value of this type proves that the processor has the features.
                Self(unsafe { $rotate::<L>(self.0) })
            }
            #[inline(always)]
            fn xor3(self, b: Self, c: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $ternary::<0x96>(self.0, b.0, c.0) })
            }
            #[inline(always)]
            fn xor_and(self, b: Self, c: Self) -> Self {
                // Bit k of the constant is the result for (a, b, c) = k; a is the high bit of k.
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $ternary::<0x78>(self.0, b.0, c.0) })
            }
            #[inline(always)]
            fn xor_and_not(self, b: Self, c: Self) -> Self {
                // Bit k of the constant is the result for (a, b, c) = k; a is the high bit of k.
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $ternary::<0xd2>(self.0, b.0, c.0) })
            }
            #[inline(always)]
            fn or_where_equal(self, bits: Self, a: Self, b: Self) -> Self {
                // SAFETY: values of this type prove that the processor has the features.
                Self(unsafe { $mask_or(self.0, $equal(a.0, b.0), self.0, bits.0) })
            }
        }
    };
}

impl Ordered for U64x8 {
    #[inline(always)]
    fn min_max(self, other: Self) -> [Self; 2] {
        // SAFETY: values of this type prove that the processor has the features.
        unsafe {
            [
                Self(_mm512_min_epu64(self.0, other.0)),
                Self(_mm512_max_epu64(self.0, other.0)),
            ]
        }
    }
}

u64s!(
    U64x8,
    8,
    _mm512_loadu_si512,
    _mm512_storeu_si512,
    _mm512_set1_epi64,
    _mm512_xor_si512,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_rol_epi64,
    _mm512_ternarylogic_epi64,
    _mm512_cmpeq_epi64_mask,
    _mm512_mask_or_epi64
);
u64s!(
    U64x2,
    2,
    _mm_loadu_si128,
    _mm_storeu_si128,
    _mm_set1_epi64x,
    _mm_xor_si128,
    _mm_and_si128,
    _mm_or_si128,
    _mm_rol_epi64,
    _mm_ternarylogic_epi64,
    _mm_cmpeq_epi64_mask,
    _mm_mask_or_epi64
);

/// Eight 32-bit words, one for each block of a ChaCha20 buffer. Creating a value requires an
/// [`Avx512`] token. A rotation has a latency of two cycles. Twice as many registers of half the
/// length hide more of it.
#[derive(Clone, Copy, Debug)]
pub struct U32x8(__m256i);

impl Register<Avx512> for U32x8 {
    type Value = u32;
    register_of!(8);

    #[inline(always)]
    fn load(_: Avx512, x: &[u32; 8]) -> Self {
        // SAFETY: the token proves the features; `x` is an array of this length, of any alignment.
        Self(unsafe { _mm256_loadu_si256(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn splat(_: Avx512, x: u32) -> Self {
        // SAFETY: the token proves that the processor has the features.
        Self(unsafe { _mm256_set1_epi32(x as i32) })
    }
    #[inline(always)]
    fn store(self, out: &mut [u32; 8]) {
        // SAFETY: the value proves the features; `out` is an array of this length, of any
        // alignment.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), self.0) };
    }
}

impl U32s for U32x8 {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        // SAFETY: a value of this type proves that the processor has the features.
        Self(unsafe { _mm256_rol_epi32::<L>(self.0) })
    }
}

/// Returns the quarters 0 and 2 of `a` and `b`, then the quarters 1 and 3.
///
/// # Safety
/// The processor must have AVX-512 F.
#[inline(always)]
unsafe fn quarters(a: __m512i, b: __m512i) -> [__m512i; 2] {
    // SAFETY: the caller guarantees AVX-512 F.
    unsafe {
        [
            _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b),
            _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b),
        ]
    }
}

/// XORs the two registers that [`quarters`] returns.
///
/// # Safety
/// The processor must have AVX-512 F.
#[inline(always)]
unsafe fn fold_quarters(a: __m512i, b: __m512i) -> __m512i {
    // SAFETY: the caller guarantees AVX-512 F.
    unsafe {
        let [even, odd] = quarters(a, b);
        _mm512_xor_si512(even, odd)
    }
}

/// XORs the odd words of each row into the even ones. The sums of `a` and of `b` alternate.
///
/// # Safety
/// The processor must have AVX-512 F.
#[inline(always)]
unsafe fn fold_two(isa: Avx512, a: &[u64; 8], b: &[u64; 8]) -> __m512i {
    let (a, b) = (U64x8::load(isa, a).0, U64x8::load(isa, b).0);
    // SAFETY: the caller guarantees AVX-512 F.
    unsafe { _mm512_xor_si512(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)) }
}

impl Isa for Avx512 {
    type F64 = f64;
    type F64x2 = F64x2;
    type F64x4 = F64x4;
    type F64x8 = F64x8;
    const LONGEST_F64S: usize = 8;
    const FILLS_GAPS: bool = true;
    type F32x8 = Avx512F32x8;
    type U64s = U64x8;
    type OneU64 = U64x2;
    type U32s = U32x8;
    type I16s = I16x32;
    type LookUps = Avx512Vbmi;

    #[inline(always)]
    fn prefetch<T>(self, values: &[T]) {
        crate::prefetch(values);
    }

    #[inline(always)]
    fn look_ups(self) -> Option<Avx512Vbmi> {
        Avx512Vbmi::detect()
    }

    #[inline(always)]
    fn with_bytes<K: BytesKernel>(self, kernel: K) -> K::Output {
        match (Avx512Gfni::detect(), Avx2::detect()) {
            (Some(gfni), _) => kernel.run(gfni),
            (_, Some(avx2)) => kernel.run(avx2),
            // Every processor of this set has AVX2.
            _ => kernel.run(Baseline),
        }
    }

    #[inline(always)]
    fn transpose_words(self, x: &[[u64; 8]; 8]) -> [[u64; 8]; 8] {
        // Not `map`, which would compile to a function call.
        let [a, b, c, d, e, f, g, h] = x;
        let load = U64x8::load;
        let x = [
            load(self, a).0,
            load(self, b).0,
            load(self, c).0,
            load(self, d).0,
            load(self, e).0,
            load(self, f).0,
            load(self, g).0,
            load(self, h).0,
        ];
        // SAFETY: the token proves that the processor has the features.
        let columns = unsafe {
            // Pairs of rows: their even or odd lanes.
            let p0 = _mm512_unpacklo_epi64(x[0], x[1]);
            let p1 = _mm512_unpackhi_epi64(x[0], x[1]);
            let p2 = _mm512_unpacklo_epi64(x[2], x[3]);
            let p3 = _mm512_unpackhi_epi64(x[2], x[3]);
            let p4 = _mm512_unpacklo_epi64(x[4], x[5]);
            let p5 = _mm512_unpackhi_epi64(x[4], x[5]);
            let p6 = _mm512_unpacklo_epi64(x[6], x[7]);
            let p7 = _mm512_unpackhi_epi64(x[6], x[7]);
            // Four rows, with two lanes of each of them.
            let [a0, a1] = quarters(p0, p2);
            let [b0, b1] = quarters(p1, p3);
            let [c0, c1] = quarters(p4, p6);
            let [d0, d1] = quarters(p5, p7);
            let [x0, x4] = quarters(a0, c0);
            let [x2, x6] = quarters(a1, c1);
            let [x1, x5] = quarters(b0, d0);
            let [x3, x7] = quarters(b1, d1);
            [x0, x1, x2, x3, x4, x5, x6, x7]
        };
        let mut out = [[0; 8]; 8];
        for (out, column) in out.iter_mut().zip(columns) {
            U64x8(column).store(out);
        }
        out
    }

    #[inline(always)]
    fn load_le_bytes(self, x: &[[u8; 8]]) -> U64x8 {
        let x = &x[..8];
        // SAFETY: the token proves the features; `x` is 64 bytes, of any alignment.
        U64x8(unsafe { _mm512_loadu_si512(x.as_ptr().cast()) })
    }

    #[inline(always)]
    fn parities(self, rows: &[[u64; 8]; 8]) -> u8 {
        let [a, b, c, d, e, f, g, h] = rows;
        // SAFETY: the token proves the features; the table is sixteen bytes.
        unsafe {
            // Interleaves pairs of rows in the lanes, then fours, then all eight: one word for each
            // row.
            let (ab, cd) = (fold_two(self, a, b), fold_two(self, c, d));
            let (ef, gh) = (fold_two(self, e, f), fold_two(self, g, h));
            let sums = fold_quarters(fold_quarters(ab, cd), fold_quarters(ef, gh));
            // Looks up parities of bytes in a table of nibbles, and adds those of a word.
            let nibbles = _mm512_xor_si512(sums, _mm512_srli_epi64::<4>(sums));
            let nibbles = _mm512_and_si512(nibbles, _mm512_set1_epi8(15));
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(NIBBLE_PARITIES.as_ptr().cast()));
            let odd = _mm512_shuffle_epi8(table, nibbles);
            let odd = _mm512_sad_epu8(odd, _mm512_setzero_si512());
            _mm512_test_epi64_mask(odd, _mm512_set1_epi64(1))
        }
    }

    const LOOKS_UP_BYTES: bool = true;

    #[inline(always)]
    fn look_up_bytes<const N: usize>(
        self,
        tables: [&[u8]; N],
        index: [&[u8]; 2],
        out: [&mut [u8]; N],
    ) {
        match (Avx512Vbmi::detect(), Avx2::detect()) {
            (Some(vbmi), _) => byte_tables::by_128(vbmi, tables, index, out),
            (_, Some(avx2)) => byte_tables::by_16(avx2, tables, index, out),
            // Every processor of this set has AVX2.
            _ => Baseline.look_up_bytes(tables, index, out),
        }
    }

    #[inline(always)]
    fn keep_below(self, limit: u16, keys: &[u16; 16], x: &[u16; 16], out: &mut [u16; 16]) -> usize {
        // SAFETY: the token proves that the processor has the features. The arrays are sixteen
        // values, of any alignment. Words are compressed as double words, since every processor
        // with the features has that instruction.
        let keep = unsafe {
            let keys = _mm256_loadu_si256(keys.as_ptr().cast());
            let keep = _mm256_cmplt_epu16_mask(keys, _mm256_set1_epi16(limit as i16));
            let x = _mm512_cvtepu16_epi32(_mm256_loadu_si256(x.as_ptr().cast()));
            let kept = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(keep, x));
            _mm256_storeu_si256(out.as_mut_ptr().cast(), kept);
            keep
        };
        keep.count_ones() as usize
    }

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token exists only where the features were found.
        unsafe { frame(kernel) }
    }
}
