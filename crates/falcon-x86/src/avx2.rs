//! 256-bit registers.

use crate::doubles::{F64x2, F64x4};
use crate::floats::Avx2F32x8;
use crate::integers::I16x16;
use crate::{Avx2, NIBBLE_PARITIES, byte_tables};
use core::arch::x86_64::*;
use falcon_lanes::{
    Baseline, BytesKernel, Isa, KEPT, Ordered, Register, Two, U64s, keep_by_eights, register_of,
};

/// # Safety
/// The processor must have the features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    crate::align_frame::<__m256i>();
    kernel()
}

/// Four 64-bit words. Creating a value requires an [`Avx2`] token, so a value proves that the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct U64x4(__m256i);

impl Register<Avx2> for U64x4 {
    type Value = u64;
    register_of!(4);

    #[inline(always)]
    fn load(_: Avx2, x: &[u64; 4]) -> Self {
        // SAFETY: the token proves the features; `x` is four values, of any alignment.
        Self(unsafe { _mm256_loadu_si256(x.as_ptr().cast()) })
    }
    #[inline(always)]
    fn splat(_: Avx2, x: u64) -> Self {
        // SAFETY: the token proves that the processor has the features.
        Self(unsafe { _mm256_set1_epi64x(x as i64) })
    }
    #[inline(always)]
    fn store(self, out: &mut [u64; 4]) {
        // SAFETY: the value proves the features; `out` is four values, of any alignment.
        unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), self.0) };
    }
}

impl U64s for U64x4 {
    const AND_NOT: bool = true;
    const SPLITS_PRODUCTS: bool = true;

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        // SAFETY: a value of this type proves that the processor has the features.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi64x(x as i64)) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { _mm256_and_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { _mm256_or_si256(self.0, other.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.xor_u64(u64::MAX)
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        // SAFETY: a value of this type proves that the processor has the features.
        Self(unsafe {
            _mm256_or_si256(
                _mm256_slli_epi64::<L>(self.0),
                _mm256_srli_epi64::<R>(self.0),
            )
        })
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { _mm256_xor_si256(self.0, _mm256_andnot_si256(b.0, c.0)) })
    }
    #[inline(always)]
    fn or_where_equal(self, bits: Self, a: Self, b: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        let bits = unsafe { _mm256_and_si256(bits.0, _mm256_cmpeq_epi64(a.0, b.0)) };
        self.or(Self(bits))
    }
}

impl Ordered for U64x4 {
    #[inline(always)]
    fn min_max(self, other: Self) -> [Self; 2] {
        // The comparison is signed, so its result is right for words below `2^63`.
        // SAFETY: values of this type prove that the processor has the features.
        unsafe {
            let below = _mm256_cmpgt_epi64(self.0, other.0);
            [
                Self(_mm256_blendv_epi8(self.0, other.0, below)),
                Self(_mm256_blendv_epi8(other.0, self.0, below)),
            ]
        }
    }
}

/// Transposes: lane `j` of element `i` becomes lane `i` of element `j`.
#[inline(always)]
fn transpose_four([a, b, c, d]: [U64x4; 4]) -> [U64x4; 4] {
    // SAFETY: values of this type prove that the processor has the features.
    unsafe {
        let p = _mm256_unpacklo_epi64(a.0, b.0);
        let q = _mm256_unpackhi_epi64(a.0, b.0);
        let r = _mm256_unpacklo_epi64(c.0, d.0);
        let s = _mm256_unpackhi_epi64(c.0, d.0);
        [
            U64x4(_mm256_permute2x128_si256::<0x20>(p, r)),
            U64x4(_mm256_permute2x128_si256::<0x20>(q, s)),
            U64x4(_mm256_permute2x128_si256::<0x31>(p, r)),
            U64x4(_mm256_permute2x128_si256::<0x31>(q, s)),
        ]
    }
}

/// XORs the upper four words of a row into the lower four.
#[inline(always)]
fn folded(isa: Avx2, row: &[u64; 8]) -> __m256i {
    let [low, high] = [0, 1].map(
        #[inline(always)]
        |half| U64x4::load(isa, &row.as_chunks().0[half]),
    );
    low.xor(high).0
}

/// Computes [`Isa::parities`] for four rows.
#[inline(always)]
fn parities_of_four(isa: Avx2, [a, b, c, d]: &[[u64; 8]; 4]) -> u8 {
    let (a, b, c, d) = (
        folded(isa, a),
        folded(isa, b),
        folded(isa, c),
        folded(isa, d),
    );
    // SAFETY: the token proves the features; the table is sixteen bytes.
    unsafe {
        // Interleaves pairs of rows in the lanes, then fours: one word for each row.
        let ab = _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        let cd = _mm256_xor_si256(_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
        let sums = _mm256_xor_si256(
            _mm256_permute2x128_si256::<0x20>(ab, cd),
            _mm256_permute2x128_si256::<0x31>(ab, cd),
        );
        // Looks up the parity of each byte by its folded nibble, then adds the parities of the
        // eight bytes of each 64-bit word.
        let nibbles = _mm256_xor_si256(sums, _mm256_srli_epi64::<4>(sums));
        let nibbles = _mm256_and_si256(nibbles, _mm256_set1_epi8(15));
        let table = _mm_loadu_si128(NIBBLE_PARITIES.as_ptr().cast());
        let odd = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(table), nibbles);
        let odd = _mm256_sad_epu8(odd, _mm256_setzero_si256());
        // The lowest bit of a lane becomes its sign.
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64::<63>(odd))) as u8
    }
}

impl Isa for Avx2 {
    type F64 = f64;
    type F64x2 = F64x2;
    type F64x4 = F64x4;
    type F64x8 = Two<F64x4>;
    const LONGEST_F64S: usize = 4;
    type F32x8 = Avx2F32x8;
    type U64s = U64x4;
    type OneU64 = u64;
    // The compiler's loop over single words is as fast.
    type U32s = u32;
    type I16s = I16x16;
    type LookUps = Baseline;

    #[inline(always)]
    fn prefetch<T>(self, values: &[T]) {
        crate::prefetch(values);
    }

    #[inline(always)]
    fn with_bytes<K: BytesKernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn transpose_words(self, x: &[[u64; 8]; 8]) -> [[u64; 8]; 8] {
        let mut out = [[0; 8]; 8];
        for (from, rows) in x.as_chunks::<4>().0.iter().enumerate() {
            for part in 0..2 {
                let load = |row: &[u64; 8]| U64x4::load(self, &row.as_chunks().0[part]);
                let [a, b, c, d] = rows;
                let columns = transpose_four([load(a), load(b), load(c), load(d)]);
                for (out, column) in out[4 * part..].iter_mut().zip(columns) {
                    column.store(&mut out.as_chunks_mut().0[from]);
                }
            }
        }
        out
    }

    #[inline(always)]
    fn load_le_bytes(self, x: &[[u8; 8]]) -> U64x4 {
        let x = &x[..4];
        // SAFETY: the token proves the features; `x` is 32 bytes, of any alignment.
        U64x4(unsafe { _mm256_loadu_si256(x.as_ptr().cast()) })
    }

    #[inline(always)]
    fn parities(self, rows: &[[u64; 8]; 8]) -> u8 {
        let (rows, _) = rows.as_chunks();
        parities_of_four(self, &rows[0]) | parities_of_four(self, &rows[1]) << 4
    }

    const LOOKS_UP_BYTES: bool = true;

    #[inline(always)]
    fn look_up_bytes<const N: usize>(
        self,
        tables: [&[u8]; N],
        index: [&[u8]; 2],
        out: [&mut [u8]; N],
    ) {
        byte_tables::by_16(self, tables, index, out);
    }

    #[inline(always)]
    fn keep_below(self, limit: u16, keys: &[u16; 16], x: &[u16; 16], out: &mut [u16; 16]) -> usize {
        keep_by_eights(
            keys,
            x,
            out,
            #[inline(always)]
            |keys, x, out| {
                // SAFETY: the token proves the features; the arrays are eight values and sixteen
                // bytes, of any alignment.
                unsafe {
                    let keys = _mm_loadu_si128(keys.as_ptr().cast());
                    // A key is at least the limit exactly if it is the maximum of both.
                    let limit = _mm_set1_epi16(limit as i16);
                    let refused = _mm_cmpeq_epi16(_mm_max_epu16(keys, limit), keys);
                    let refused = _mm_packs_epi16(refused, refused);
                    let keep = !_mm_movemask_epi8(refused) as u8;
                    let places = _mm_loadu_si128(KEPT[usize::from(keep)].as_ptr().cast());
                    let x = _mm_loadu_si128(x.as_ptr().cast());
                    _mm_storeu_si128(out.as_mut_ptr().cast(), _mm_shuffle_epi8(x, places));
                    keep
                }
            },
        )
    }

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token exists only where the features were found.
        unsafe { frame(kernel) }
    }
}
