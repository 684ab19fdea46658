//! Linear maps of bytes by tables of nibbles in registers.

use crate::Avx2;
use core::arch::x86_64::*;
use falcon_lanes::{Bytes, Member};

/// Sixty-four bytes. Creating a value requires an [`Avx2`] token, so a value proves that the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct Line256([__m256i; 2]);

/// The low nibbles of sixty-four bytes and their high nibbles. Creating a value requires a token.
#[derive(Clone, Copy, Debug)]
pub struct Split256([[__m256i; 2]; 2]);

/// Images of the low nibbles and of the high nibbles. Creating a value requires a token.
#[derive(Clone, Copy, Debug)]
pub struct Map256([__m256i; 2]);

/// A mask for every byte and set. Creating a value requires a token.
#[derive(Clone, Copy, Debug)]
pub struct Sets256([[__m256i; 2]; 8]);

/// The numbers from 0 to 31, one for each byte of a register.
const PLACES: [u8; 32] = {
    let mut places = [0; 32];
    let mut i = 0;
    while i < 32 {
        places[i] = i as u8;
        i += 1;
    }
    places
};

/// Adds, in every 16-bit word, the rows whose bit is set in that word of `bits`.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn combination<const N: usize>(rows: &[[u64; 4]; N], bits: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2. A row has 32 bytes, of any alignment.
    unsafe {
        // Four sums, since every addition to a single sum would wait for the one before.
        let mut sums = [_mm256_setzero_si256(); 4];
        for (i, row) in rows.iter().enumerate() {
            let bit = _mm256_set1_epi16(1 << i);
            let mask = _mm256_cmpeq_epi16(_mm256_and_si256(bits, bit), bit);
            let row = _mm256_loadu_si256(row.as_ptr().cast());
            sums[i % 4] = _mm256_xor_si256(sums[i % 4], _mm256_and_si256(row, mask));
        }
        let sums = [
            _mm256_xor_si256(sums[0], sums[1]),
            _mm256_xor_si256(sums[2], sums[3]),
        ];
        _mm256_xor_si256(sums[0], sums[1])
    }
}

/// Returns image `J` in the low half, image `4 + J` in the high half.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn images<const J: i8>(images: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let all = _mm256_set_m128i(_mm_set1_epi8(4 + J), _mm_set1_epi8(J));
        _mm256_shuffle_epi8(images, all)
    }
}

/// Returns the linear map of bytes under which byte `j` of `word` is the image of bit `j`. Both
/// halves of `word` begin with the same eight images.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn map_of(word: __m256i) -> Map256 {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        // Byte i of the low half is the sum of the images j for which bit j of i is set. The high
        // half has the images 4 + j instead.
        let a = _mm256_and_si256(images::<0>(word), _mm256_set1_epi16(0xff00_u16 as i16));
        let b = _mm256_and_si256(images::<1>(word), _mm256_set1_epi32(0xffff_0000_u32 as i32));
        let c = _mm256_and_si256(images::<2>(word), _mm256_set1_epi64x(-1 << 32));
        let d = _mm256_and_si256(images::<3>(word), _mm256_set_epi64x(-1, 0, -1, 0));
        let both = _mm256_xor_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(c, d));
        Map256([
            _mm256_permute2x128_si256::<0x00>(both, both),
            _mm256_permute2x128_si256::<0x11>(both, both),
        ])
    }
}

/// Returns `a` if `mask` is all ones, and `b` if it is zero.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn select(mask: u64, a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let mask = _mm256_set1_epi64x(mask as i64);
        [
            _mm256_blendv_epi8(b[0], a[0], mask),
            _mm256_blendv_epi8(b[1], a[1], mask),
        ]
    }
}

/// Returns the low nibble of every byte.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn nibbles(x: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe { _mm256_and_si256(x, _mm256_set1_epi8(15)) }
}

/// Returns a mask for every byte: all ones if its bit of `set` is one.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn masks(set: u64) -> [__m256i; 2] {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        // Puts byte k / 8 of the set into every byte k, to compare its bit k mod 8.
        let low = _mm256_set_epi64x(
            0x0303_0303_0303_0303,
            0x0202_0202_0202_0202,
            0x0101_0101_0101_0101,
            0,
        );
        let high = _mm256_or_si256(low, _mm256_set1_epi8(4));
        let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let set = _mm256_set1_epi64x(set as i64);
        let low = _mm256_and_si256(_mm256_shuffle_epi8(set, low), bit);
        let high = _mm256_and_si256(_mm256_shuffle_epi8(set, high), bit);
        [_mm256_cmpeq_epi8(low, bit), _mm256_cmpeq_epi8(high, bit)]
    }
}

/// Masks both halves of `x` by `set`, and adds them.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn chosen(x: [__m256i; 2], set: [__m256i; 2]) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        _mm256_xor_si256(
            _mm256_and_si256(x[0], set[0]),
            _mm256_and_si256(x[1], set[1]),
        )
    }
}

/// Adds the two words of each half. The sums of `a` and of `b` alternate.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn words(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe { _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)) }
}

/// Adds the two 32-bit halves of each word. In each half of the register, the sums of `a` precede
/// those of `b`.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn halves(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        _mm256_castps_si256(_mm256_xor_ps(
            _mm256_shuffle_ps::<0b10_00_10_00>(a, b),
            _mm256_shuffle_ps::<0b11_01_11_01>(a, b),
        ))
    }
}

/// Sums of the halves of 32-bit words.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn folded(x: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe {
        let sum = _mm256_xor_si256(x, _mm256_srli_epi32::<16>(x));
        _mm256_and_si256(sum, _mm256_set1_epi32(0xffff))
    }
}

impl Bytes for Avx2 {
    type Line = Line256;
    type Split = Split256;
    type Map = Map256;
    type ShortMap = Map256;
    type Family<const N: usize> = [[u64; 4]; N];
    type Sets = Sets256;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        falcon_lanes::Isa::vectorize(self, kernel)
    }
    #[inline(always)]
    fn load(self, line: &[u64; 8]) -> Line256 {
        let half = line.as_ptr().cast::<__m256i>();
        // SAFETY: the token proves the features; `line` is two times 32 bytes, of any alignment.
        Line256(unsafe { [_mm256_loadu_si256(half), _mm256_loadu_si256(half.add(1))] })
    }
    #[inline(always)]
    fn load_from(self, lines: &[[u64; 8]], start: usize) -> Line256 {
        assert!(start.saturating_add(64) <= size_of_val(lines));
        // SAFETY: the token proves the features; 64 bytes from `start` on are inside, of any
        // alignment.
        Line256(unsafe {
            let half = lines.as_ptr().cast::<u8>().add(start).cast::<__m256i>();
            [_mm256_loadu_si256(half), _mm256_loadu_si256(half.add(1))]
        })
    }
    #[inline(always)]
    fn store(self, x: Line256, line: &mut [u64; 8]) {
        let half = line.as_mut_ptr().cast::<__m256i>();
        // SAFETY: the token proves the features; `line` is two times 32 bytes, of any alignment.
        unsafe {
            _mm256_storeu_si256(half, x.0[0]);
            _mm256_storeu_si256(half.add(1), x.0[1]);
        }
    }
    #[inline(always)]
    fn replace_eight(self, lines: &mut [[u64; 8]], start: usize, bytes: u64) {
        lines.as_flattened_mut()[start / 8] = bytes;
    }
    #[inline(always)]
    fn first_eight(self, a: Line256, b: Line256) -> Line256 {
        // SAFETY: the token proves that the processor has the features.
        let first = unsafe { _mm256_blend_epi32::<0b11>(b.0[0], a.0[0]) };
        Line256([first, b.0[1]])
    }
    #[inline(always)]
    fn shifted(self, x: Line256, next: Line256) -> Line256 {
        let ([a, b], c) = (x.0, next.0[0]);
        // SAFETY: the token proves that the processor has the features.
        Line256(unsafe {
            [
                _mm256_alignr_epi8::<1>(_mm256_permute2x128_si256::<0x21>(a, b), a),
                _mm256_alignr_epi8::<1>(_mm256_permute2x128_si256::<0x21>(b, c), b),
            ]
        })
    }
    #[inline(always)]
    fn cleared(self, x: Line256, byte: usize) -> Line256 {
        // No byte has the number 64, so larger numbers become 64.
        let byte = byte.min(64) as i8;
        // SAFETY: the token proves that the processor has the features.
        unsafe {
            let places = _mm256_loadu_si256(PLACES.as_ptr().cast());
            let low = _mm256_cmpeq_epi8(places, _mm256_set1_epi8(byte));
            let high = _mm256_cmpeq_epi8(places, _mm256_set1_epi8(byte - 32));
            Line256([
                _mm256_andnot_si256(low, x.0[0]),
                _mm256_andnot_si256(high, x.0[1]),
            ])
        }
    }
    #[inline(always)]
    fn first(self, x: Line256) -> u8 {
        // SAFETY: the token proves that the processor has the features.
        unsafe { _mm256_cvtsi256_si32(x.0[0]) as u8 }
    }
    #[inline(always)]
    fn select(self, mask: u64, a: Line256, b: Line256) -> Line256 {
        // SAFETY: the token proves that the processor has the features.
        Line256(unsafe { select(mask, a.0, b.0) })
    }
    #[inline(always)]
    fn split(self, x: Line256) -> Split256 {
        let [a, b] = x.0;
        // SAFETY: the token proves that the processor has the features.
        Split256(unsafe {
            [
                [nibbles(a), nibbles(b)],
                [
                    nibbles(_mm256_srli_epi16::<4>(a)),
                    nibbles(_mm256_srli_epi16::<4>(b)),
                ],
            ]
        })
    }
    #[inline(always)]
    fn map(self, images: u64) -> Map256 {
        // SAFETY: the token proves that the processor has the features.
        unsafe { map_of(_mm256_set1_epi64x(images as i64)) }
    }
    #[inline(always)]
    fn family<const N: usize>(self, images: &[[u64; 4]; N]) -> [[u64; 4]; N] {
        *images
    }
    #[inline(always)]
    fn member<const N: usize>(
        self,
        family: &[[u64; 4]; N],
        low: Line256,
        high: Line256,
    ) -> Member<Self> {
        // SAFETY: the token proves that the processor has the features.
        unsafe {
            let [low, high] = [low.0[0], high.0[0]].map(|x| _mm256_castsi256_si128(x));
            let number = _mm256_broadcastw_epi16(_mm_unpacklo_epi8(low, high));
            let images = combination(family, number);
            Member {
                maps: [
                    map_of(_mm256_permute4x64_epi64::<0b00_00_00_00>(images)),
                    map_of(_mm256_permute4x64_epi64::<0b01_01_01_01>(images)),
                ],
                short_maps: [
                    map_of(_mm256_permute4x64_epi64::<0b10_10_10_10>(images)),
                    map_of(_mm256_permute4x64_epi64::<0b11_11_11_11>(images)),
                ],
            }
        }
    }
    #[inline(always)]
    fn add_short_mapped(self, sum: Line256, map: &Map256, x: Line256) -> Line256 {
        self.add_mapped(sum, map, &self.split(x))
    }
    #[inline(always)]
    fn replace_map(self, mask: u64, map: &mut Map256, other: &Map256) {
        // SAFETY: the token proves that the processor has the features.
        map.0 = unsafe { select(mask, other.0, map.0) };
    }
    #[inline(always)]
    fn replace_short_map(self, mask: u64, map: &mut Map256, other: &Map256) {
        self.replace_map(mask, map, other);
    }
    #[inline(always)]
    fn mapped(self, map: &Map256, x: &Split256) -> Line256 {
        let ([low, high], [a, b]) = (map.0, x.0);
        // SAFETY: the token proves that the processor has the features.
        Line256(unsafe {
            [
                _mm256_xor_si256(
                    _mm256_shuffle_epi8(low, a[0]),
                    _mm256_shuffle_epi8(high, b[0]),
                ),
                _mm256_xor_si256(
                    _mm256_shuffle_epi8(low, a[1]),
                    _mm256_shuffle_epi8(high, b[1]),
                ),
            ]
        })
    }
    #[inline(always)]
    fn add_mapped(self, sum: Line256, map: &Map256, x: &Split256) -> Line256 {
        let ([a, b], image) = (sum.0, self.mapped(map, x).0);
        // SAFETY: the token proves that the processor has the features.
        Line256(unsafe { [_mm256_xor_si256(a, image[0]), _mm256_xor_si256(b, image[1])] })
    }
    #[inline(always)]
    fn sets(self, sets: &[u64; 8]) -> Sets256 {
        let [a, b, c, d, e, f, g, h] = *sets;
        // SAFETY: the token proves that the processor has the features.
        Sets256(unsafe {
            [
                masks(a),
                masks(b),
                masks(c),
                masks(d),
                masks(e),
                masks(f),
                masks(g),
                masks(h),
            ]
        })
    }
    #[inline(always)]
    fn sums(self, sets: &Sets256, x: Line256) -> (u64, Map256) {
        let ([a, b, c, d, e, f, g, h], x) = (sets.0, x.0);
        // SAFETY: the token proves that the processor has the features.
        unsafe {
            // Every step halves the number of bytes for each set, and doubles the number of sets in
            // a register.
            let ab = words(chosen(x, a), chosen(x, b));
            let cd = words(chosen(x, c), chosen(x, d));
            let ef = words(chosen(x, e), chosen(x, f));
            let gh = words(chosen(x, g), chosen(x, h));
            let x = _mm256_packus_epi32(folded(halves(ab, cd)), folded(halves(ef, gh)));
            let x = _mm_xor_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
            let x = _mm_xor_si128(x, _mm_srli_epi16::<8>(x));
            let x = _mm_and_si128(x, _mm_set1_epi16(0xff));
            let x = _mm_packus_epi16(x, x);
            let map = map_of(_mm256_broadcastsi128_si256(x));
            (_mm_cvtsi128_si64(x) as u64, map)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_lanes::compare_bytes_with_baseline;

    #[test]
    fn tables_of_nibbles_equal_the_portable_operations() {
        if let Some(avx2) = Avx2::detect() {
            compare_bytes_with_baseline(avx2);
        }
    }
}
