//! Integers in words of 31 bits, as the reference's reduction cuts them.
//!
//! An integer is `len` words below `2^31`, least significant first, in two's complement modulo
//! `2^(31 len)`: bit 30 of the last word is the sign.

use crate::lanes::Double;

const BITS: u32 = 31;
pub(super) const MASK: u32 = (1 << BITS) - 1;

/// The word that continues `x`: zero, or all ones below `2^31`.
pub(super) fn sign_word(x: &[u32]) -> u32 {
    x.last().map_or(0, |top| (top >> 30).wrapping_neg() & MASK)
}

/// `x <- x + factor * 2^(31 words + bits) * y` modulo `2^(31 x.len())`; `|factor| < 2^31`,
/// `bits < 31`.
pub(super) fn add_scaled(x: &mut [u32], y: &[u32], factor: i64, words: usize, bits: u32) {
    let sign = sign_word(y);
    let (mut below, mut carry) = (0u32, 0i64);
    for (i, x) in x.iter_mut().skip(words).enumerate() {
        let word = y.get(i).copied().unwrap_or(sign);
        let shifted = ((word << bits) | (below >> (BITS - bits))) & MASK;
        below = word;
        // |factor * shifted + x + carry| < 2^62 + 2^33.
        let sum = factor * i64::from(shifted) + i64::from(*x) + carry;
        *x = sum as u32 & MASK;
        carry = sum >> BITS;
    }
}

/// Copies 62-bit limbs, the last one signed, into words; the integer must fit.
pub(super) fn from_limbs(limbs: &[i64], x: &mut [u32]) {
    let sign = limbs.last().map_or(0, |top| top >> 63);
    for (i, x) in x.iter_mut().enumerate() {
        let limb = limbs.get(i / 2).copied().unwrap_or(sign);
        *x = (limb >> (BITS * (i as u32 % 2))) as u32 & MASK;
    }
}

/// The binary64 value of `x`, at most ten words, with the reference's roundings: the absolute
/// value word by word, from the least significant one.
pub(super) fn to_f64<D: Double>(x: &[u32]) -> f64 {
    let flip = sign_word(x);
    let negative = i64::from(flip & 1);
    let mut carry = flip & 1;
    let mut y = D::from_i64(0);
    for (i, word) in x.iter().enumerate() {
        let t = (word ^ flip) + carry;
        carry = t >> BITS;
        let digit = i64::from(t & MASK);
        let digit = digit - 2 * digit * negative;
        y = y + D::from_i64(digit) * power_of_two(BITS as i32 * i as i32).into();
    }
    y.into()
}

/// `2^e` for `|e| <= 1022`.
pub(super) fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((1023 + e.clamp(-1022, 1022)) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::SoftDouble;

    fn words(x: i128) -> [u32; 4] {
        core::array::from_fn(|i| (x >> (31 * i)) as u32 & MASK)
    }

    #[test]
    fn scaled_sums_are_those_of_integers_in_twos_complement() {
        let values = [
            0,
            1,
            -1,
            0x1234_5678_9abc,
            -0xfedc_ba98,
            1 << 60,
            -(1 << 61),
        ];
        for x in values {
            for y in values {
                for factor in [1, -1, 12345, -(1 << 31) + 1] {
                    for shift in [0, 1, 30] {
                        let mut sum = words(x);
                        add_scaled(&mut sum, &words(y)[..3], factor, 0, shift);
                        let expected = (y << shift).wrapping_mul(i128::from(factor)) + x;
                        assert_eq!(sum, words(expected));
                    }
                }
                let mut sum = words(x);
                add_scaled(&mut sum, &words(y)[..3], -3, 1, 2);
                assert_eq!(sum, words(x - ((y * 12) << 31)));
            }
        }
    }

    #[test]
    fn conversion_is_exact_up_to_53_bits_and_odd() {
        for x in [0, 1, 5, 1 << 40, (1 << 53) - 1, 0x1f_ffff_ffff_0000_0000] {
            for b in [to_f64::<f64>(&words(x)), to_f64::<SoftDouble>(&words(x))] {
                assert_eq!(b, x as f64);
            }
            assert_eq!(to_f64::<f64>(&words(-x)), -(x as f64));
        }
    }

    #[test]
    fn limbs_become_words() {
        let mut out = [0; 5];
        from_limbs(&[(7 << 31) | 3, -2], &mut out);
        assert_eq!(out, [3, 7, MASK - 1, MASK, MASK]);
    }
}
