//! Linear maps of bytes with the instructions of GFNI.

use crate::Avx512Gfni;
use core::arch::x86_64::*;
use falcon_lanes::{Bytes, Member};

/// # Safety
/// The processor must have the features.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl,gfni")]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    crate::align_frame::<__m512i>();
    kernel()
}

/// Maps every byte of `x` by the matrix in the corresponding word of `map`. A separate function,
/// since methods of a trait cannot have target features.
#[target_feature(enable = "avx512f,avx512bw,gfni")]
#[inline]
fn affine(x: __m512i, map: __m512i) -> __m512i {
    _mm512_gf2p8affine_epi64_epi8::<0>(x, map)
}

/// Sixty-four bytes. Creating a value requires an [`Avx512Gfni`] token, so a value proves that the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct Line512(__m512i);

/// Linear map of bytes: matrices in the bit order of the instructions. Creating a value requires a
/// token.
#[derive(Clone, Copy, Debug)]
pub struct Map512(__m512i);

/// Maps that depend on a number. For the number's low byte, then for its high byte, each of the
/// four maps has one byte for every bit of its matrix. This byte selects the bits of the number's
/// byte whose sum is added to the bit of the matrix.
///
/// All rows of the matrix that multiplies these bytes are the number's byte. So the instruction
/// makes eight copies of the parity of the selected bits.
#[derive(Clone, Copy, Debug)]
pub struct Family512([[[u8; 64]; 4]; 2]);

/// Sets of bytes. Creating a value requires a token.
#[derive(Clone, Copy, Debug)]
pub struct Sets512 {
    /// One word for each eight bytes of a line. Byte `i` of the word selects those that belong to
    /// set `i`; its highest bit is for the first of the eight bytes.
    rows: __m512i,
    /// The same words with bytes in reversed order.
    reversed: __m512i,
}

/// The matrix that reverses, row by row from the low byte on: byte `i` has only bit `7 - i`.
const REVERSAL: i64 = 0x0102_0408_1020_4080;

/// Places of the eight bytes of a word, in reversed order.
const SWAPPED: i64 = 0x0001_0203_0405_0607;

/// Returns the matrix of the map with these images, in the bit order of the instruction.
#[inline(always)]
fn matrix(images: u64) -> u64 {
    falcon_lanes::transpose_bits(images).swap_bytes()
}

/// Adds the eight words, and returns the sum in every word.
///
/// # Safety
/// The processor must have AVX-512 F.
#[inline(always)]
unsafe fn sum_of_words(x: __m512i) -> __m512i {
    // SAFETY: the caller guarantees AVX-512 F.
    unsafe {
        let x = _mm512_xor_si512(x, _mm512_shuffle_i64x2::<0b01_00_11_10>(x, x));
        let x = _mm512_xor_si512(x, _mm512_shuffle_i64x2::<0b10_11_00_01>(x, x));
        _mm512_xor_si512(x, _mm512_permutex_epi64::<0b10_11_00_01>(x))
    }
}

// The instruction takes the row for bit `i` of a result from byte `7 - i`. Let `J` be the matrix
// that reverses. Then the instruction computes `X A^T J` from bytes `X` and a matrix `A`.
impl Bytes for Avx512Gfni {
    type Line = Line512;
    type Split = Line512;
    type Map = Map512;
    type ShortMap = Map512;
    type Family<const N: usize> = Family512;
    type Sets = Sets512;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token exists only where the features were found.
        unsafe { frame(kernel) }
    }
    #[inline(always)]
    fn load(self, line: &[u64; 8]) -> Line512 {
        // SAFETY: the token proves the features; `line` is 64 bytes, of any alignment.
        Line512(unsafe { _mm512_loadu_si512(line.as_ptr().cast()) })
    }
    #[inline(always)]
    fn load_from(self, lines: &[[u64; 8]], start: usize) -> Line512 {
        assert!(start.saturating_add(64) <= size_of_val(lines));
        // SAFETY: the token proves the features; 64 bytes from `start` on are inside, of any
        // alignment.
        Line512(unsafe { _mm512_loadu_si512(lines.as_ptr().cast::<u8>().add(start).cast()) })
    }
    #[inline(always)]
    fn store(self, x: Line512, line: &mut [u64; 8]) {
        // SAFETY: the token proves the features; `line` is 64 bytes, of any alignment.
        unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), x.0) };
    }
    #[inline(always)]
    fn replace_eight(self, lines: &mut [[u64; 8]], start: usize, bytes: u64) {
        lines.as_flattened_mut()[start / 8] = bytes;
    }
    #[inline(always)]
    fn first_eight(self, a: Line512, b: Line512) -> Line512 {
        // SAFETY: the token proves that the processor has the features.
        Line512(unsafe { _mm512_mask_mov_epi64(b.0, 1, a.0) })
    }
    #[inline(always)]
    fn shifted(self, x: Line512, next: Line512) -> Line512 {
        // SAFETY: the token proves that the processor has the features.
        Line512(unsafe {
            let quarters = _mm512_alignr_epi64::<2>(next.0, x.0);
            _mm512_alignr_epi8::<1>(quarters, x.0)
        })
    }
    #[inline(always)]
    fn cleared(self, x: Line512, byte: usize) -> Line512 {
        let kept = if byte < 64 { !(1 << byte) } else { u64::MAX };
        // SAFETY: the token proves that the processor has the features.
        Line512(unsafe { _mm512_maskz_mov_epi8(kept, x.0) })
    }
    #[inline(always)]
    fn first(self, x: Line512) -> u8 {
        // SAFETY: the token proves that the processor has the features.
        unsafe { _mm_cvtsi128_si32(_mm512_castsi512_si128(x.0)) as u8 }
    }
    #[inline(always)]
    fn select(self, mask: u64, a: Line512, b: Line512) -> Line512 {
        // SAFETY: the token proves that the processor has the features.
        Line512(unsafe { _mm512_mask_mov_epi64(b.0, mask as u8, a.0) })
    }
    #[inline(always)]
    fn split(self, x: Line512) -> Line512 {
        x
    }
    #[inline(always)]
    fn map(self, images: u64) -> Map512 {
        // SAFETY: the token proves that the processor has the features.
        Map512(unsafe { _mm512_set1_epi64(matrix(images) as i64) })
    }
    #[inline(always)]
    fn family<const N: usize>(self, images: &[[u64; 4]; N]) -> Family512 {
        let mut family = Family512([[[0; 64]; 4]; 2]);
        for (i, images) in images.iter().enumerate() {
            for (k, &images) in images.iter().enumerate() {
                let matrix = matrix(images);
                for (b, byte) in family.0[i / 8][k].iter_mut().enumerate() {
                    *byte |= ((matrix >> b & 1) as u8) << (i % 8);
                }
            }
        }
        family
    }
    #[inline(always)]
    fn member<const N: usize>(
        self,
        family: &Family512,
        low: Line512,
        high: Line512,
    ) -> Member<Self> {
        // SAFETY: the token proves that the processor has the features.
        let [low, high] = [low, high].map(
            #[inline(always)]
            |x| unsafe { _mm512_broadcastb_epi8(_mm512_castsi512_si128(x.0)) },
        );
        let map = |k: usize| {
            // SAFETY: the token proves the features; rows are 64 bytes.
            Map512(unsafe {
                let [low_rows, high_rows] = [&family.0[0][k], &family.0[1][k]]
                    .map(|rows| _mm512_loadu_si512(rows.as_ptr().cast()));
                let bits = _mm512_xor_si512(affine(low_rows, low), affine(high_rows, high));
                _mm512_set1_epi64(_mm512_movepi8_mask(bits) as i64)
            })
        };
        Member {
            maps: [map(0), map(1)],
            short_maps: [map(2), map(3)],
        }
    }
    #[inline(always)]
    fn add_short_mapped(self, sum: Line512, map: &Map512, x: Line512) -> Line512 {
        self.add_mapped(sum, map, &self.split(x))
    }
    #[inline(always)]
    fn replace_map(self, mask: u64, map: &mut Map512, other: &Map512) {
        // SAFETY: the token proves that the processor has the features.
        map.0 = unsafe { _mm512_mask_mov_epi64(map.0, mask as u8, other.0) };
    }
    #[inline(always)]
    fn replace_short_map(self, mask: u64, map: &mut Map512, other: &Map512) {
        self.replace_map(mask, map, other);
    }
    #[inline(always)]
    fn mapped(self, map: &Map512, x: &Line512) -> Line512 {
        // SAFETY: the token proves that the processor has the features.
        Line512(unsafe { affine(x.0, map.0) })
    }
    #[inline(always)]
    fn add_mapped(self, sum: Line512, map: &Map512, x: &Line512) -> Line512 {
        // SAFETY: the token proves that the processor has the features.
        Line512(unsafe { _mm512_xor_si512(sum.0, affine(x.0, map.0)) })
    }
    #[inline(always)]
    fn sets(self, sets: &[u64; 8]) -> Sets512 {
        let [a, b, c, d, e, f, g, h] = *sets;
        let mut words = [[a], [b], [c], [d], [e], [f], [g], [h]];
        falcon_lanes::transpose_bytes(&mut words);
        // SAFETY: the token proves the features; the array is 64 bytes, of any alignment.
        unsafe {
            let rows = _mm512_loadu_si512(words.as_ptr().cast());
            let rows = affine(rows, _mm512_set1_epi64(REVERSAL.swap_bytes()));
            let places = _mm512_add_epi64(
                _mm512_set1_epi64(SWAPPED),
                _mm512_set_epi64(
                    0x0808_0808_0808_0808,
                    0,
                    0x0808_0808_0808_0808,
                    0,
                    0x0808_0808_0808_0808,
                    0,
                    0x0808_0808_0808_0808,
                    0,
                ),
            );
            Sets512 {
                rows,
                reversed: _mm512_shuffle_epi8(rows, places),
            }
        }
    }
    #[inline(always)]
    fn sums(self, sets: &Sets512, x: Line512) -> (u64, Map512) {
        // SAFETY: the token proves that the processor has the features.
        unsafe {
            // Computes J X^T J, for the eight bytes X of every word.
            let turned = affine(_mm512_set1_epi64(REVERSAL), x.0);
            // S J (J X^T J)^T J = S X, and J X^T J (J S J)^T J = J (S X)^T.
            let sums = sum_of_words(affine(sets.rows, turned));
            let map = sum_of_words(affine(turned, sets.reversed));
            let sums = _mm_cvtsi128_si64(_mm512_castsi512_si128(sums)) as u64;
            (sums, Map512(map))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_lanes::compare_bytes_with_baseline;

    #[test]
    fn the_affine_instructions_equal_the_portable_operations() {
        if let Some(gfni) = Avx512Gfni::detect() {
            compare_bytes_with_baseline(gfni);
        }
    }
}
