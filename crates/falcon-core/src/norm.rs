//! Compares the norm of a signature, `||(s1, s2)||^2`, with the bound of the scheme.
//!
//! Signing, verifying and decoding share this code. Nothing branches on a coefficient.
//!
//! Source: Falcon specification v1.2, algorithms 10 and 16.

use crate::lanes::{HAS_VECTORS, Isa};
use crate::params::SIGNATURE_NORM_BOUND;
use zeroize::DefaultIsZeroes;

/// Returns true if `squared_norm` is within the bound of degree `2^logn`.
pub(crate) fn is_short(logn: u32, squared_norm: u64) -> bool {
    let bound = SIGNATURE_NORM_BOUND
        .get(logn as usize)
        .copied()
        .unwrap_or(0);
    squared_norm <= u64::from(bound)
}

/// Magnitude at which one coefficient alone exceeds every bound: `8400^2 >
/// 70265242`.
const CLAMP: i16 = 8400;

/// Number of squares that are summed in 32 bits: `32 * 8400^2` is below `2^32`.
const SQUARES: usize = 32;
const _: () = assert!(SQUARES as u64 * (CLAMP as u64).pow(2) < 1 << 32);

/// Number of sums that are computed side by side. Compilers keep them in vector registers.
const SUMS: usize = 32;

/// Computes the squared norm, or a number above every bound. Targets with vectors clamp
/// coefficients to [`CLAMP`]; a clamped coefficient alone exceeds every bound.
pub(crate) fn squared_norm(isa: impl Isa, coefficients: &[i16]) -> u64 {
    isa.vectorize(
        #[inline(always)]
        || {
            let mut norm = 0;
            for chunk in coefficients.chunks(SQUARES * SUMS) {
                norm += chunk_norm(chunk);
            }
            norm
        },
    )
}

/// Squared norm of at most `SQUARES * SUMS` coefficients, or a number above every bound.
#[inline(always)]
fn chunk_norm(chunk: &[i16]) -> u64 {
    if HAS_VECTORS {
        sum_of_clamped(chunk)
    } else {
        sum_of_all(chunk)
    }
}

/// Sum of the squares, in 64 bits. Without vectors, this is faster than clamping, which is a branch
/// on RISC-V.
#[inline(always)]
fn sum_of_all(chunk: &[i16]) -> u64 {
    let squares = chunk.iter().map(|&x| i32::from(x).pow(2) as u32);
    squares.map(u64::from).sum()
}

/// Sum of the squares of the clamped coefficients, accumulated in 32-bit integers.
#[inline(always)]
fn sum_of_clamped(chunk: &[i16]) -> u64 {
    let mut sums = [0u32; SUMS];
    let (rows, rest) = chunk.as_chunks::<SUMS>();
    for row in rows {
        for (sum, &x) in sums.iter_mut().zip(row) {
            *sum += clamped_square(x);
        }
    }
    let mut norm = 0;
    for sum in sums {
        norm += u64::from(sum);
    }
    for &x in rest {
        norm += u64::from(clamped_square(x));
    }
    norm
}

/// Clamps `x` to [`CLAMP`] in magnitude and returns its square.
#[inline(always)]
fn clamped_square(x: i16) -> u32 {
    let x = i32::from(x.clamp(-CLAMP, CLAMP));
    (x * x) as u32
}

/// Returns true if `||s2||^2` by itself is within the bound of the scheme.
///
/// If so, the compressed form has at most `COMPRESSED_MAX_LEN` bytes. A coefficient costs 9 bits
/// and one more for each multiple of 128 in its magnitude; raising it from 128(k-1) to 128k takes
/// (2k-1) 2^14 of the bound. With the bound 34,034,726, the longest code has k = 2 for all 512
/// coefficients and k = 3 for 5 of them: 5637 bits, or 746 bytes with header and nonce. For n =
/// 1024 it has 11,302 bits, or 1454 bytes.
pub(crate) fn fits_the_bound(isa: impl Isa, logn: u32, s2: &[i16]) -> bool {
    is_short(logn, squared_norm(isa, s2))
}

/// Number of sums in an [`Accumulator`].
const ACCUMULATED: usize = 8;

/// Adds up the squared norm of up to 2048 coefficients of any size. Constant time, since the signer
/// may refuse the vector, and a refused vector reveals something about the key.
#[derive(Clone, Copy, Default)]
pub(crate) struct Accumulator {
    /// Sums, modulo `2^64`, of the squares of the low 32 bits of the coefficients.
    low: [u64; ACCUMULATED],
    /// A set bit at position 17 or above means that a coefficient was not in `-2^16..2^16`.
    excess: [u64; ACCUMULATED],
}

impl DefaultIsZeroes for Accumulator {}

impl Accumulator {
    /// Adds the squares of `s`, which has at most [`ACCUMULATED`] coefficients.
    #[inline(always)]
    pub(crate) fn add<const N: usize>(&mut self, s: &[i64; N]) {
        const { assert!(N <= ACCUMULATED) };
        let sums = (
            self.low.first_chunk_mut::<N>(),
            self.excess.first_chunk_mut::<N>(),
        );
        // Always `Some`, since `N <= ACCUMULATED`.
        if let (Some(low), Some(excess)) = sums {
            for i in 0..N {
                excess[i] |= s[i].wrapping_add(1 << 16) as u64;
                // Vector units have an instruction for this product of 32-bit numbers. The sum has
                // at most 2048 squares of at most 2^32, unless there is an excess.
                let s = i64::from(s[i] as i32);
                low[i] = low[i].wrapping_add((s * s) as u64);
            }
        }
    }

    /// Returns the squared norm, or at least `2^62` if a coefficient is not in `-2^16..2^16`.
    #[inline(always)]
    pub(crate) fn finish(&self) -> u64 {
        let low = self
            .low
            .iter()
            .fold(0u64, |sum, &low| sum.wrapping_add(low));
        let excess = self.excess.iter().fold(0, |all, excess| all | excess) >> 17;
        // Since excess < 2^47, bit 63 of its negation is set unless `excess` is zero.
        low | (excess.wrapping_neg() >> 63) << 62
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Baseline;
    use std::vec;

    fn norm(x: &[i16]) -> u64 {
        squared_norm(Baseline, x)
    }

    fn accumulated(x: &[i64]) -> u64 {
        let mut norm = Accumulator::default();
        x.iter().for_each(|&x| norm.add(&[x]));
        norm.finish()
    }

    #[test]
    fn the_bound_is_met_exactly() {
        for logn in 1..=10 {
            let bound = u64::from(SIGNATURE_NORM_BOUND[logn as usize]);
            assert!(is_short(logn, bound));
            assert!(!is_short(logn, bound + 1));
        }
        for logn in [0, 11, u32::MAX] {
            assert!(!is_short(logn, 1), "no such degree");
        }
    }

    /// The forms for targets with vectors and without.
    const FORMS: [fn(&[i16]) -> u64; 2] = [sum_of_clamped, sum_of_all];

    #[test]
    fn both_forms_meet_the_bound_exactly() {
        for logn in 1..=10 {
            let bound = u64::from(SIGNATURE_NORM_BOUND[logn as usize]);
            let (mut x, mut rest) = (vec![0; 77], bound);
            while rest > 0 {
                let root = rest.isqrt();
                rest -= root * root;
                x.push(if rest % 2 == 0 {
                    -(root as i16)
                } else {
                    root as i16
                });
            }
            for form in FORMS {
                assert_eq!(form(&x), bound, "{logn}");
                assert_eq!(form(&[&x[..], &[-1]].concat()), bound + 1, "{logn}");
            }
        }
    }

    #[test]
    fn both_forms_count_extremes() {
        for extreme in [i16::MIN, i16::MAX, 8401, -8401] {
            for n in [1, 31, SUMS, 33, SQUARES * SUMS] {
                let square = i64::from(extreme).pow(2) as u64;
                let clamped = 8400 * 8400;
                let expected = [clamped, square].map(|square| n as u64 * square);
                assert_eq!(FORMS.map(|form| form(&vec![extreme; n])), expected);
            }
        }
    }

    #[test]
    fn both_norms_are_the_sum_of_the_squares() {
        for n in [2usize, 4, 31, 32, 33, 64, 512, 1024] {
            let x: vec::Vec<i16> = (0..n)
                .map(|i| ((i * 7919 + 11) % 16801) as i16 - 8400)
                .collect();
            let expected: u64 = x.iter().map(|&x| i64::from(x).pow(2) as u64).sum();
            assert_eq!(norm(&x), expected, "{n}");
            let wide: vec::Vec<i64> = x.iter().map(|&x| x.into()).collect();
            assert_eq!(accumulated(&wide), expected, "{n}");
        }
    }

    #[test]
    fn extremes_do_not_wrap() {
        for logn in 1..=10 {
            let n = 1 << logn;
            for extreme in [i16::MIN, i16::MAX, 8401, -8401] {
                assert!(!is_short(logn, norm(&vec![extreme; n])));
                let mut one = vec![0; n];
                one[n - 1] = extreme;
                assert!(!is_short(logn, norm(&one)), "{logn} {extreme}");
            }
        }
        // These values are outside `-2^16..2^16`. Some have low bits of zero or a square that
        // wraps.
        for large in [1 << 16, 1 << 17, 1 << 32, 1 << 48, i64::MAX, 65_537] {
            for s in [large, -large - 1] {
                assert!(accumulated(&[0, s, 1]) >= 1 << 62, "{s}");
                assert!(accumulated(&[s; 2048]) >= 1 << 62, "{s}");
            }
        }
        assert!(accumulated(&[i64::MIN]) >= 1 << 62);
        assert_eq!(accumulated(&[-65_536; 2048]), 2048 << 32);
        assert_eq!(accumulated(&[65_535; 2048]), 2048 * 65_535 * 65_535);
    }
}
