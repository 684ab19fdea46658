//! Coefficients of the additive FFT: twists, and Taylor expansions at `x^2 + x`.
//!
//! In layer `s` the `2^k` coefficients are those of `2^s` polynomials, interleaved. The expansion
//! of a polynomial of `4q` coefficients in quarters `f_0, .., f_3` uses
//! `x^2q = (x^2 + x)^q + x^q` for `q` a power of two: `f_2 += f_3`, `f_1 += f_2`, then both halves.

use super::basis;
use crate::field::element::mul_by_public;
use falcon_lanes::Isa;

/// Multiplies the coefficients by the twists of layer `s`.
#[inline(always)]
fn twist<const M: usize>(f: &mut [u16], s: usize) {
    // The last element of the basis of layer 0 is 1.
    if s > 0 {
        for (f, &factor) in f.iter_mut().zip(basis::twists::<M>(s)) {
            *f = mul_by_public::<M>(*f, factor);
        }
    }
}

/// Does one step of the expansion, with quarters of `UNIT` coefficients.
#[inline(always)]
fn long_step<const UNIT: usize>(f: &mut [u16], transposed: bool) {
    for [_, f1, f2, f3] in f.as_chunks_mut::<UNIT>().0.as_chunks_mut().0 {
        for i in 0..UNIT {
            if transposed {
                f2[i] ^= f1[i];
                f3[i] ^= f2[i];
            } else {
                f2[i] ^= f3[i];
                f1[i] ^= f2[i];
            }
        }
    }
}

/// Does [`long_step`] with quarters of one or two coefficients, on words that hold four
/// coefficients.
#[inline(always)]
fn short_step(f: &mut [u16], unit: usize, transposed: bool) {
    let pack = |x: &[u16; 4]| (0..4).fold(0, |word, i| word | u64::from(x[i]) << (16 * i));
    let unpack = |word: u64| [0, 16, 32, 48].map(|shift| (word >> shift) as u16);
    for group in f.as_chunks_mut::<8>().0 {
        let (a, b) = group.split_at_mut(4);
        let (Some(a), Some(b)) = (a.first_chunk_mut(), b.first_chunk_mut()) else {
            continue;
        };
        let (mut x, mut y) = (pack(a), pack(b));
        match (unit, transposed) {
            (1, false) => {
                [x, y] = [x, y].map(|x| {
                    let x = x ^ x >> 16 & 0xffff << 32;
                    x ^ x >> 16 & 0xffff << 16
                })
            }
            (1, true) => {
                [x, y] = [x, y].map(|x| {
                    let x = x ^ x << 16 & 0xffff << 32;
                    x ^ x << 16 & 0xffff << 48
                })
            }
            (_, false) => {
                y ^= y >> 32;
                x ^= y << 32;
            }
            (_, true) => {
                y ^= x >> 32;
                y ^= y << 32;
            }
        }
        (*a, *b) = (unpack(x), unpack(y));
    }
}

/// Does one step of the expansion, with quarters of `unit` coefficients, at most 64.
#[inline(always)]
fn step(f: &mut [u16], unit: usize, transposed: bool) {
    match unit {
        1 | 2 => short_step(f, unit, transposed),
        4 => long_step::<4>(f, transposed),
        8 => long_step::<8>(f, transposed),
        16 => long_step::<16>(f, transposed),
        32 => long_step::<32>(f, transposed),
        _ => long_step::<64>(f, transposed),
    }
}

/// Twists and expands: the `2^k` coefficients become values of constant polynomials, in the order
/// of the recursion.
#[inline(never)]
pub(crate) fn expand<I: Isa, const M: usize>(isa: I, f: &mut [u16]) {
    isa.vectorize_words(
        #[inline(always)]
        || {
            let k = f.len().ilog2() as usize;
            for s in 0..k {
                twist::<M>(f, s);
                for log in (0..(k - s).saturating_sub(1)).rev() {
                    step(f, 1 << (log + s), false);
                }
            }
        },
    );
}

/// The transposed map of [`expand`].
#[inline(never)]
pub(crate) fn expand_transposed<I: Isa, const M: usize>(isa: I, f: &mut [u16]) {
    isa.vectorize_words(
        #[inline(always)]
        || {
            let k = f.len().ilog2() as usize;
            for s in (0..k).rev() {
                for log in 0..(k - s).saturating_sub(1) {
                    step(f, 1 << (log + s), true);
                }
                twist::<M>(f, s);
            }
        },
    );
}
