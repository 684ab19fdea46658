//! BerExp: a Bernoulli trial of probability `ccs * exp(-x)`.
//!
//! Source: Falcon specification v1.2, algorithms 13 and 14.

use super::ByteSource;
use crate::lanes::{Double, Masks};
use crate::reveal::reveal;

const LN2: f64 = core::f64::consts::LN_2;
const INV_LN2: f64 = core::f64::consts::LOG2_E;
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// Coefficients of the polynomial that approximates `2^63 exp(-x)` on `[0, ln 2)` with a relative
/// error below `2^-51`, highest degree first, signs alternating.
///
/// Source: Falcon specification v1.2, algorithm 13, which takes them from FACCT (eprint 2018/1234).
/// Another polynomial of the same quality would give other signatures. `tests/minimax.rs` checks
/// the error.
pub(crate) const COEFFICIENTS: [u64; 13] = [
    0x0000_0004_7411_83A3,
    0x0000_0036_548C_FC06,
    0x0000_024F_DCBF_140A,
    0x0000_171D_939D_E045,
    0x0000_D00C_F58F_6F84,
    0x0006_8068_1CF7_96E3,
    0x002D_82D8_305B_0FEA,
    0x0111_1111_0E06_6FD0,
    0x0555_5555_5507_0F00,
    0x1555_5555_5581_FF00,
    0x4000_0000_0002_B400,
    0x7FFF_FFFF_FFFF_4800,
    0x8000_0000_0000_0000,
];

/// Returns the high 64 bits of a product.
#[inline(always)]
pub(super) fn mul_high(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

/// Returns `2^63 * ccs * exp(-x)` for `0 <= x < ln 2` and `0 < ccs < 1`, in fixed point.
///
/// Source: Falcon specification v1.2, algorithm 13 (ApproxExp).
#[inline(always)]
pub(super) fn exp_minus<D: Double>(x: D, ccs: D) -> u64 {
    let fixed = |v: D| ((v * TWO_63.into()).truncate() as u64) << 1;
    let x = fixed(x);
    let [first, rest @ ..] = COEFFICIENTS;
    let y = rest
        .iter()
        .fold(first, |y, c| c.wrapping_sub(mul_high(x, y)));
    mul_high(fixed(ccs), y)
}

/// Returns `2^64 * ccs * exp(-x)` for `x >= 0`: twice the result of [`exp_minus`] less one unit, so
/// that it stays below `2^64`. A trial compares its bytes with this number.
#[inline(always)]
pub(super) fn threshold<D: Double>(x: D, ccs: D) -> u64 {
    // exp(-x) = 2^-s exp(-r), r in [0, ln 2).
    let s = (x * INV_LN2.into()).truncate();
    let r = x - D::from_i64(s) * LN2.into();
    // Limits `s` to 63. With `s = 63`, the trial succeeds with a chance of `2^-63` or less.
    let s = s as u32;
    let over = Masks::new().of_sign(63u32.wrapping_sub(s));
    let s = (s & !over) | (63 & over);
    shift_right((exp_minus(r, ccs) << 1).wrapping_sub(1), s)
}

/// Returns true with probability `ccs * exp(-x)`, `x >= 0`. `first` is the first byte, which was
/// already read. Reads one more byte after every tie. A tie has a chance of 1/256, whatever `x` is.
///
/// Source: Falcon specification v1.2, algorithm 14 (BerExp).
#[inline(always)]
pub(super) fn ber_exp<D: Double>(x: D, ccs: D, first: u8, bytes: &mut impl ByteSource) -> bool {
    let threshold = threshold(x, ccs);
    let mut byte = first;
    let mut shift = 56;
    loop {
        let w = i32::from(byte) - ((threshold >> shift) & 0xff) as i32;
        // The chance of a tie does not depend on the secret.
        if reveal(w != 0) || shift == 0 {
            return w < 0;
        }
        byte = bytes.next_u8();
        shift -= 8;
    }
}

/// Returns `z >> s` for `s < 64`, without a variable 64-bit shift, which some 32-bit targets
/// compile to a branch.
#[inline(always)]
fn shift_right(z: u64, s: u32) -> u64 {
    let wide = u64::from(s >> 5).wrapping_neg();
    let z = z ^ ((z ^ (z >> 32)) & wide);
    let (low, high) = (z as u32, (z >> 32) as u32);
    let s = s & 31;
    // Two steps keep the shift amount below 32 when s = 0.
    let carry = (high << 1) << (31 - s);
    u64::from(low >> s | carry) | u64::from(high >> s) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shift_right_equals_the_operator() {
        for z in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef, 1 << 63] {
            for s in 0..64 {
                assert_eq!(shift_right(z, s), z >> s);
            }
        }
    }

    /// A source that has only the given bytes.
    struct Bytes<'a>(&'a [u8]);

    impl ByteSource for Bytes<'_> {
        fn next_u64(&mut self) -> u64 {
            unreachable!("a trial reads single bytes")
        }
        fn next_u8(&mut self) -> u8 {
            let (first, rest) = self.0.split_first().expect("a byte");
            self.0 = rest;
            *first
        }
    }

    /// The threshold is twice the exponential less one unit. Without this unit, a trial whose
    /// chance is 1/2 would accept one number more.
    #[test]
    fn the_threshold_is_one_unit_below_twice_the_exponential() {
        assert_eq!(threshold(0.0, 0.5), (1 << 63) - 1);
        assert_eq!(threshold(0.25, 0.75), 2 * exp_minus(0.25, 0.75) - 1);
        assert_eq!(
            threshold(1.0, 0.75),
            (2 * exp_minus(1.0 - LN2, 0.75) - 1) >> 1
        );
        // The chance is `2^-63` or less. If the shift were not limited, a shift of 64 would act as
        // a shorter one.
        for s in [63, 64, 65, 100] {
            assert_eq!(threshold(f64::from(s) + 0.5, 0.5), 0, "{s}");
        }
    }

    /// The trial compares the bytes with the threshold, down to the last byte.
    #[test]
    fn a_trial_that_ties_to_the_last_byte_is_refused() {
        let threshold = threshold(0.25, 0.75);
        let trial = |number: u64| {
            let bytes = number.to_be_bytes();
            let mut source = Bytes(&bytes[1..]);
            let accepted = ber_exp(0.25, 0.75, bytes[0], &mut source);
            (accepted, source.0.len())
        };
        assert_eq!(trial(threshold), (false, 0));
        assert_eq!(trial(threshold - 1), (true, 0));
        assert_eq!(trial(threshold + 1), (false, 0));
        for bytes in 0..7 {
            let unit = 1 << (8 * (7 - bytes));
            let left = 7 - bytes;
            assert_eq!(trial(threshold - unit), (true, left), "{bytes}");
            assert_eq!(trial(threshold + unit), (false, left), "{bytes}");
        }
    }
}
