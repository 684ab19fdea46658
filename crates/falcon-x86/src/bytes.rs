//! Linear maps of bytes: tables of nibbles in registers, and the instructions of GFNI.

use crate::{Avx2, Avx512Gfni};
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

/// Maps every byte of `x` by the matrix in its word of `map`. In a function of its own, since
/// methods of a trait cannot have features.
#[target_feature(enable = "avx512f,avx512bw,gfni")]
#[inline]
fn affine(x: __m512i, map: __m512i) -> __m512i {
    _mm512_gf2p8affine_epi64_epi8::<0>(x, map)
}

/// Sixty-four bytes. A value is made from a token, and so only where the processor has the
/// features.
#[derive(Clone, Copy, Debug)]
pub struct Line512(__m512i);

/// Linear map of bytes, likewise: matrices as the instructions want them.
#[derive(Clone, Copy, Debug)]
pub struct Map512(__m512i);

/// Maps of a number. Each of the four has a byte for every bit of its matrix, which says by its
/// bits which bits of the number's low byte it depends on, and another one for the high byte.
///
/// With a matrix whose rows all are the low byte, the instruction makes eight copies of the parity
/// of these bits.
#[derive(Clone, Copy, Debug)]
pub struct Family512([[[u8; 64]; 4]; 2]);

/// Sets of bytes, likewise.
#[derive(Clone, Copy, Debug)]
pub struct Sets512 {
    /// A word for eight bytes of a line. Byte `i` says by its bits which of them, the first one by
    /// its highest bit, belong to set `i`.
    rows: __m512i,
    /// The same with bytes in reversed order.
    reversed: __m512i,
}

/// A word whose bytes are in reversed order: the matrix of which the instruction takes rows from
/// the high byte on.
const REVERSAL: i64 = 0x0102_0408_1020_4080;

/// Places of the bytes of every word in reversed order.
const SWAPPED: i64 = 0x0001_0203_0405_0607;

/// The matrix of a map with these images, as the instruction wants it.
#[inline(always)]
fn matrix(images: u64) -> u64 {
    falcon_lanes::transpose_bits(images).swap_bytes()
}

/// Sum of the eight words, in every word.
///
/// # Safety
/// The processor must have AVX-512 F.
#[inline(always)]
unsafe fn sum_of_words(x: __m512i) -> __m512i {
    // SAFETY: as the caller says.
    unsafe {
        let x = _mm512_xor_si512(x, _mm512_shuffle_i64x2::<0b01_00_11_10>(x, x));
        let x = _mm512_xor_si512(x, _mm512_shuffle_i64x2::<0b10_11_00_01>(x, x));
        _mm512_xor_si512(x, _mm512_permutex_epi64::<0b10_11_00_01>(x))
    }
}

// The instruction takes the row for bit `i` of a result from byte `7 - i`. With `J` for the matrix
// that reverses, it makes `X A^T J` of bytes `X` and a matrix `A`.
impl Bytes for Avx512Gfni {
    type Line = Line512;
    type Split = Line512;
    type Map = Map512;
    type ShortMap = Map512;
    type Family<const N: usize> = Family512;
    type Sets = Sets512;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token is made where the features were found, only.
        unsafe { frame(kernel) }
    }
    #[inline(always)]
    fn load(self, line: &[u64; 8]) -> Line512 {
        // SAFETY: there is a token; `line` is 64 bytes, of any alignment.
        Line512(unsafe { _mm512_loadu_si512(line.as_ptr().cast()) })
    }
    #[inline(always)]
    fn load_from(self, lines: &[[u64; 8]], start: usize) -> Line512 {
        assert!(start.saturating_add(64) <= size_of_val(lines));
        // SAFETY: there is a token; 64 bytes from `start` on are inside, of any alignment.
        Line512(unsafe { _mm512_loadu_si512(lines.as_ptr().cast::<u8>().add(start).cast()) })
    }
    #[inline(always)]
    fn store(self, x: Line512, line: &mut [u64; 8]) {
        // SAFETY: there is a token; `line` is 64 bytes, of any alignment.
        unsafe { _mm512_storeu_si512(line.as_mut_ptr().cast(), x.0) };
    }
    #[inline(always)]
    fn replace_eight(self, lines: &mut [[u64; 8]], start: usize, bytes: u64) {
        lines.as_flattened_mut()[start / 8] = bytes;
    }
    #[inline(always)]
    fn first_eight(self, a: Line512, b: Line512) -> Line512 {
        // SAFETY: there is a token.
        Line512(unsafe { _mm512_mask_mov_epi64(b.0, 1, a.0) })
    }
    #[inline(always)]
    fn shifted(self, x: Line512, next: Line512) -> Line512 {
        // SAFETY: there is a token.
        Line512(unsafe {
            let quarters = _mm512_alignr_epi64::<2>(next.0, x.0);
            _mm512_alignr_epi8::<1>(quarters, x.0)
        })
    }
    #[inline(always)]
    fn cleared(self, x: Line512, byte: usize) -> Line512 {
        let kept = if byte < 64 { !(1 << byte) } else { u64::MAX };
        // SAFETY: there is a token.
        Line512(unsafe { _mm512_maskz_mov_epi8(kept, x.0) })
    }
    #[inline(always)]
    fn first(self, x: Line512) -> u8 {
        // SAFETY: there is a token.
        unsafe { _mm_cvtsi128_si32(_mm512_castsi512_si128(x.0)) as u8 }
    }
    #[inline(always)]
    fn select(self, mask: u64, a: Line512, b: Line512) -> Line512 {
        // SAFETY: there is a token.
        Line512(unsafe { _mm512_mask_mov_epi64(b.0, mask as u8, a.0) })
    }
    #[inline(always)]
    fn split(self, x: Line512) -> Line512 {
        x
    }
    #[inline(always)]
    fn map(self, images: u64) -> Map512 {
        // SAFETY: there is a token.
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
        // SAFETY: there is a token.
        let [low, high] = [low, high].map(
            #[inline(always)]
            |x| unsafe { _mm512_broadcastb_epi8(_mm512_castsi512_si128(x.0)) },
        );
        let map = |k: usize| {
            // SAFETY: there is a token; rows are 64 bytes.
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
        // SAFETY: there is a token.
        map.0 = unsafe { _mm512_mask_mov_epi64(map.0, mask as u8, other.0) };
    }
    #[inline(always)]
    fn replace_short_map(self, mask: u64, map: &mut Map512, other: &Map512) {
        self.replace_map(mask, map, other);
    }
    #[inline(always)]
    fn mapped(self, map: &Map512, x: &Line512) -> Line512 {
        // SAFETY: there is a token.
        Line512(unsafe { affine(x.0, map.0) })
    }
    #[inline(always)]
    fn add_mapped(self, sum: Line512, map: &Map512, x: &Line512) -> Line512 {
        // SAFETY: there is a token.
        Line512(unsafe { _mm512_xor_si512(sum.0, affine(x.0, map.0)) })
    }
    #[inline(always)]
    fn sets(self, sets: &[u64; 8]) -> Sets512 {
        let [a, b, c, d, e, f, g, h] = *sets;
        let mut words = [[a], [b], [c], [d], [e], [f], [g], [h]];
        falcon_lanes::transpose_bytes(&mut words);
        // SAFETY: there is a token; the array is 64 bytes, of any alignment.
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
        // SAFETY: there is a token.
        unsafe {
            // J X^T J, for the eight bytes X of every word.
            let turned = affine(_mm512_set1_epi64(REVERSAL), x.0);
            // S J (J X^T J)^T J = S X, and J X^T J (J S J)^T J = J (S X)^T.
            let sums = sum_of_words(affine(sets.rows, turned));
            let map = sum_of_words(affine(turned, sets.reversed));
            let sums = _mm_cvtsi128_si64(_mm512_castsi512_si128(sums)) as u64;
            (sums, Map512(map))
        }
    }
}

/// Sixty-four bytes. A value is made from a token, and so only where the processor has the
/// features.
#[derive(Clone, Copy, Debug)]
pub struct Line256([__m256i; 2]);

/// The low nibbles of sixty-four bytes and the high ones, likewise.
#[derive(Clone, Copy, Debug)]
pub struct Split256([[__m256i; 2]; 2]);

/// Images of the low nibbles and of the high ones, likewise.
#[derive(Clone, Copy, Debug)]
pub struct Map256([__m256i; 2]);

/// A mask for every byte and set, likewise.
#[derive(Clone, Copy, Debug)]
pub struct Sets256([[__m256i; 2]; 8]);

/// Numbers of the bytes of a register.
const PLACES: [u8; 32] = {
    let mut places = [0; 32];
    let mut i = 0;
    while i < 32 {
        places[i] = i as u8;
        i += 1;
    }
    places
};

/// Sum of the rows whose bit is set in every 16 bits of `bits`.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn combination<const N: usize>(rows: &[[u64; 4]; N], bits: __m256i) -> __m256i {
    // SAFETY: as the caller says; a row has 32 bytes, of any alignment.
    unsafe {
        // Four sums, since one would wait for itself.
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

/// Image `J` in the low half, image `4 + J` in the high one.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn images<const J: i8>(images: __m256i) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        let all = _mm256_set_m128i(_mm_set1_epi8(4 + J), _mm_set1_epi8(J));
        _mm256_shuffle_epi8(images, all)
    }
}

/// A map of which word 0 of both halves has the images of single bits.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn map_of(word: __m256i) -> Map256 {
    // SAFETY: as the caller says.
    unsafe {
        // Where bit j of the place is set.
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

/// `a` if `mask` is all ones, and `b` if it is zero.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn select(mask: u64, a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
    // SAFETY: as the caller says.
    unsafe {
        let mask = _mm256_set1_epi64x(mask as i64);
        [
            _mm256_blendv_epi8(b[0], a[0], mask),
            _mm256_blendv_epi8(b[1], a[1], mask),
        ]
    }
}

/// The low nibble of every byte.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn nibbles(x: __m256i) -> __m256i {
    // SAFETY: as the caller says.
    unsafe { _mm256_and_si256(x, _mm256_set1_epi8(15)) }
}

/// A mask for every byte: whether its bit of `set` is one.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn masks(set: u64) -> [__m256i; 2] {
    // SAFETY: as the caller says.
    unsafe {
        // Byte k / 8 of the set at every byte k, of which bit k mod 8 is compared.
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

/// Sum of the halves of `x`, as far as they are in a set.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn chosen(x: [__m256i; 2], set: [__m256i; 2]) -> __m256i {
    // SAFETY: as the caller says.
    unsafe {
        _mm256_xor_si256(
            _mm256_and_si256(x[0], set[0]),
            _mm256_and_si256(x[1], set[1]),
        )
    }
}

/// The words of `a` and `b` in turn, those of each half added.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn words(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: as the caller says.
    unsafe { _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)) }
}

/// The same for halves of words.
///
/// # Safety
/// The processor must have AVX2.
#[inline(always)]
unsafe fn halves(a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: as the caller says.
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
    // SAFETY: as the caller says.
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
        // SAFETY: there is a token; `line` is two times 32 bytes, of any alignment.
        Line256(unsafe { [_mm256_loadu_si256(half), _mm256_loadu_si256(half.add(1))] })
    }
    #[inline(always)]
    fn load_from(self, lines: &[[u64; 8]], start: usize) -> Line256 {
        assert!(start.saturating_add(64) <= size_of_val(lines));
        // SAFETY: there is a token; 64 bytes from `start` on are inside, of any alignment.
        Line256(unsafe {
            let half = lines.as_ptr().cast::<u8>().add(start).cast::<__m256i>();
            [_mm256_loadu_si256(half), _mm256_loadu_si256(half.add(1))]
        })
    }
    #[inline(always)]
    fn store(self, x: Line256, line: &mut [u64; 8]) {
        let half = line.as_mut_ptr().cast::<__m256i>();
        // SAFETY: there is a token; `line` is two times 32 bytes, of any alignment.
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
        // SAFETY: there is a token.
        let first = unsafe { _mm256_blend_epi32::<0b11>(b.0[0], a.0[0]) };
        Line256([first, b.0[1]])
    }
    #[inline(always)]
    fn shifted(self, x: Line256, next: Line256) -> Line256 {
        let ([a, b], c) = (x.0, next.0[0]);
        // SAFETY: there is a token.
        Line256(unsafe {
            [
                _mm256_alignr_epi8::<1>(_mm256_permute2x128_si256::<0x21>(a, b), a),
                _mm256_alignr_epi8::<1>(_mm256_permute2x128_si256::<0x21>(b, c), b),
            ]
        })
    }
    #[inline(always)]
    fn cleared(self, x: Line256, byte: usize) -> Line256 {
        // No byte has the number 64.
        let byte = byte.min(64) as i8;
        // SAFETY: there is a token.
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
        // SAFETY: there is a token.
        unsafe { _mm256_cvtsi256_si32(x.0[0]) as u8 }
    }
    #[inline(always)]
    fn select(self, mask: u64, a: Line256, b: Line256) -> Line256 {
        // SAFETY: there is a token.
        Line256(unsafe { select(mask, a.0, b.0) })
    }
    #[inline(always)]
    fn split(self, x: Line256) -> Split256 {
        let [a, b] = x.0;
        // SAFETY: there is a token.
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
        // SAFETY: there is a token.
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
        // SAFETY: there is a token.
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
        // SAFETY: there is a token.
        map.0 = unsafe { select(mask, other.0, map.0) };
    }
    #[inline(always)]
    fn replace_short_map(self, mask: u64, map: &mut Map256, other: &Map256) {
        self.replace_map(mask, map, other);
    }
    #[inline(always)]
    fn mapped(self, map: &Map256, x: &Split256) -> Line256 {
        let ([low, high], [a, b]) = (map.0, x.0);
        // SAFETY: there is a token.
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
        // SAFETY: there is a token.
        Line256(unsafe { [_mm256_xor_si256(a, image[0]), _mm256_xor_si256(b, image[1])] })
    }
    #[inline(always)]
    fn sets(self, sets: &[u64; 8]) -> Sets256 {
        let [a, b, c, d, e, f, g, h] = *sets;
        // SAFETY: there is a token.
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
        // SAFETY: there is a token.
        unsafe {
            // From step to step half as many bytes, of twice as many sets.
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

    #[test]
    fn the_affine_instructions_equal_the_portable_operations() {
        if let Some(gfni) = Avx512Gfni::detect() {
            compare_bytes_with_baseline(gfni);
        }
    }
}
