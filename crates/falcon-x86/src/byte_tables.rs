//! Looks up many bytes in tables, which are loaded into registers piece by piece.
//!
//! Every piece of a table is shuffled by the low bits of every number. A result is kept if the high
//! bits of the number are the number of the piece.

use crate::{Avx2, Avx512Vbmi};
use core::arch::x86_64::*;
use falcon_lanes::check_look_up;

/// Implements [`Isa::look_up_bytes`](falcon_lanes::Isa::look_up_bytes) with pieces of 128 bytes.
#[inline(always)]
pub(crate) fn by_128<const N: usize>(
    _: Avx512Vbmi,
    tables: [&[u8]; N],
    index: [&[u8]; 2],
    out: [&mut [u8]; N],
) {
    check_look_up(&tables, index, &out);
    // SAFETY: the token proves that the processor has the features, and the lengths were checked.
    unsafe { look_up_by_128(tables, index, out) }
}

/// Implements [`Isa::look_up_bytes`](falcon_lanes::Isa::look_up_bytes) with pieces of 16 bytes.
#[inline(always)]
pub(crate) fn by_16<const N: usize>(
    _: Avx2,
    tables: [&[u8]; N],
    index: [&[u8]; 2],
    out: [&mut [u8]; N],
) {
    check_look_up(&tables, index, &out);
    // SAFETY: the token proves that the processor has the features, and the lengths were checked.
    unsafe { look_up_by_16(tables, index, out) }
}

/// # Safety
/// The processor must have the features. The lengths must be those of [`check_look_up`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
unsafe fn look_up_by_128<const N: usize>(
    tables: [&[u8]; N],
    index: [&[u8]; 2],
    out: [&mut [u8]; N],
) {
    /// Number of index registers that use a piece while it stays loaded.
    const GROUP: usize = 4;
    let pieces = tables[0].len() / 128;
    for start in (0..index[0].len()).step_by(64 * GROUP) {
        let mut piece_of = [_mm512_setzero_si512(); GROUP];
        // The low byte of each number, then the byte that was found.
        let mut found = [[_mm512_setzero_si512(); GROUP]; N];
        for g in 0..GROUP {
            // SAFETY: the slices have a multiple of 256 bytes.
            let [low, high] = unsafe {
                [index[0], index[1]]
                    .map(|bytes| _mm512_loadu_si512(bytes.as_ptr().add(start + 64 * g).cast()))
            };
            let top = _mm512_and_si512(_mm512_srli_epi16::<7>(low), _mm512_set1_epi8(1));
            piece_of[g] = _mm512_or_si512(top, _mm512_slli_epi16::<1>(high));
            for found in &mut found {
                found[g] = low;
            }
        }
        for piece in 0..pieces {
            let number = _mm512_set1_epi8(piece as i8);
            let mut here = [0; GROUP];
            for g in 0..GROUP {
                here[g] = _mm512_cmpeq_epi8_mask(piece_of[g], number);
            }
            for k in 0..N {
                // SAFETY: all tables have `pieces` times 128 bytes.
                let [a, b] = unsafe {
                    let table = tables[k].as_ptr().add(128 * piece);
                    [table, table.add(64)].map(|bytes| _mm512_loadu_si512(bytes.cast()))
                };
                for g in 0..GROUP {
                    found[k][g] = _mm512_mask2_permutex2var_epi8(a, found[k][g], here[g], b);
                }
            }
        }
        for k in 0..N {
            for g in 0..GROUP {
                // SAFETY: `out` is as long as the slices of numbers.
                unsafe {
                    let place = out[k].as_mut_ptr().add(start + 64 * g);
                    _mm512_storeu_si512(place.cast(), found[k][g]);
                }
            }
        }
    }
}

/// # Safety
/// The processor must have AVX2. The lengths must be those of [`check_look_up`].
#[target_feature(enable = "avx2")]
unsafe fn look_up_by_16<const N: usize>(
    tables: [&[u8]; N],
    index: [&[u8]; 2],
    out: [&mut [u8]; N],
) {
    /// Number of index registers that use a piece while it stays loaded.
    const GROUP: usize = 2;
    /// Number of bytes of a table whose pieces have numbers of eight bits.
    const PART: usize = 16 * 256;
    for start in (0..index[0].len()).step_by(32 * GROUP) {
        let mut found = [[_mm256_setzero_si256(); GROUP]; N];
        for part in 0..tables[0].len().div_ceil(PART) {
            let mut piece_of = [_mm256_setzero_si256(); GROUP];
            // The complements of the low bits. Their high bit makes a shuffle write zero.
            let mut nots = [_mm256_setzero_si256(); GROUP];
            let mut in_part = [_mm256_setzero_si256(); GROUP];
            for g in 0..GROUP {
                // SAFETY: the slices have a multiple of 256 bytes.
                let [low, high] = unsafe {
                    [index[0], index[1]]
                        .map(|bytes| _mm256_loadu_si256(bytes.as_ptr().add(start + 32 * g).cast()))
                };
                let nibble = _mm256_set1_epi8(15);
                let top = _mm256_and_si256(_mm256_srli_epi16::<4>(low), nibble);
                let rest = _mm256_slli_epi16::<4>(_mm256_and_si256(high, nibble));
                piece_of[g] = _mm256_or_si256(top, rest);
                let low = _mm256_and_si256(low, nibble);
                nots[g] = _mm256_xor_si256(low, _mm256_set1_epi8(-1));
                let part_of = _mm256_and_si256(_mm256_srli_epi16::<4>(high), nibble);
                in_part[g] = _mm256_cmpeq_epi8(part_of, _mm256_set1_epi8(part as i8));
            }
            let start = PART * part;
            let len = PART.min(tables[0].len() - start);
            for piece in 0..len / 16 {
                let number = _mm256_set1_epi8(piece as i8);
                let mut control = [_mm256_setzero_si256(); GROUP];
                for g in 0..GROUP {
                    let here = _mm256_cmpeq_epi8(piece_of[g], number);
                    control[g] = _mm256_xor_si256(nots[g], _mm256_and_si256(here, in_part[g]));
                }
                for k in 0..N {
                    // SAFETY: all tables have `len` bytes from `start` on, or more.
                    let piece = unsafe {
                        let place = tables[k].as_ptr().add(start + 16 * piece);
                        _mm256_broadcastsi128_si256(_mm_loadu_si128(place.cast()))
                    };
                    for g in 0..GROUP {
                        let bytes = _mm256_shuffle_epi8(piece, control[g]);
                        found[k][g] = _mm256_or_si256(found[k][g], bytes);
                    }
                }
            }
        }
        for k in 0..N {
            for g in 0..GROUP {
                // SAFETY: `out` is as long as the slices of numbers.
                unsafe {
                    let place = out[k].as_mut_ptr().add(start + 32 * g);
                    _mm256_storeu_si256(place.cast(), found[k][g]);
                }
            }
        }
    }
}
