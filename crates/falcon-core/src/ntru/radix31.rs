//! Integers in words of 31 bits, as in the reference's reduction.
//!
//! An integer is `len` words below `2^31`, least significant first, in two's complement modulo
//! `2^(31 len)`: bit 30 of the last word is the sign.

use crate::lanes::Double;

const BITS: u32 = 31;
pub(super) const MASK: u32 = (1 << BITS) - 1;

/// Returns the word that continues `x` beyond its end: zero, or `2^31 - 1` for a negative `x`.
pub(super) fn sign_word(x: &[u32]) -> u32 {
    x.last().map_or(0, |top| (top >> 30).wrapping_neg() & MASK)
}

/// A factor `low + 2^31 high` for integers. `|low|` and `|high|` are below `2^31`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    low: i64,
    high: i64,
}

impl Factor {
    /// Makes the factor `low + 2^31 high`.
    pub(super) fn new(low: i64, high: i64) -> Self {
        debug_assert!(low.abs() <= i64::from(MASK) && high.abs() <= i64::from(MASK));
        Self { low, high }
    }

    /// Makes the factor `2^bits k`, for `|k| < 2^31` and `bits < 31`.
    pub(super) fn shifted(k: i64, bits: u32) -> Self {
        // |k 2^bits| < 2^61, so |high| <= 2^30.
        let product = k << bits;
        Self::new(product & i64::from(MASK), product >> BITS)
    }

    /// Negates the factor if `negate` is true. `negate` must be public.
    pub(super) fn negated_if(self, negate: bool) -> Self {
        let sign = if negate { -1 } else { 1 };
        Self::new(sign * self.low, sign * self.high)
    }
}

/// Adds `factor * 2^(31 words) * y` to `x`, modulo `2^(31 x.len())`.
///
/// Two products of the same weight enter each word of the sum: `low` times a word of `y`, and
/// `high` times the word below. So the words of `y` are not shifted.
pub(super) fn add_scaled(x: &mut [u32], y: &[u32], factor: Factor, words: usize) {
    let Factor { low, high } = factor;
    let mut carry = 0i64;
    let mut step = |x: &mut u32, products: i64| {
        // A product is at most (2^31 - 1)^2, a carry at most 2^32. So the sum stays below
        // 2 (2^31 - 1)^2 + 2^31 + 2^32 < 2^63, and the next carry is at most 2^32 again.
        let sum = products + i64::from(*x) + carry;
        *x = sum as u32 & MASK;
        carry = sum >> BITS;
    };
    let x = x.get_mut(words..).unwrap_or_default();
    let (x, continued) = x.split_at_mut(y.len().min(x.len()));
    let mut below = 0;
    for (x, &word) in x.iter_mut().zip(y) {
        let word = i64::from(word);
        step(x, low * word + high * below);
        below = word;
    }
    // All words that continue y beyond its end are the same.
    let sign = i64::from(sign_word(y));
    if let Some((first, rest)) = continued.split_first_mut() {
        step(first, low * sign + high * below);
        let products = low * sign + high * sign;
        for x in rest {
            step(x, products);
        }
    }
}

/// Copies 62-bit limbs, of which the last is signed, into words. The integer must fit.
pub(super) fn from_limbs(limbs: &[i64], x: &mut [u32]) {
    let sign = limbs.last().map_or(0, |top| top >> 63);
    for (i, x) in x.iter_mut().enumerate() {
        let limb = limbs.get(i / 2).copied().unwrap_or(sign);
        *x = (limb >> (BITS * (i as u32 % 2))) as u32 & MASK;
    }
}

/// Converts `x`, of at most ten words, to binary64 with the reference's roundings: adds the words
/// of the absolute value one by one, starting with the least significant word.
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
                for k in [0, 1, -1, 12345, -(1 << 31) + 1, (1 << 31) - 1] {
                    for shift in [0, 1, 30] {
                        for negate in [false, true] {
                            let factor = Factor::shifted(k, shift).negated_if(negate);
                            let mut sum = words(x);
                            add_scaled(&mut sum, &words(y)[..3], factor, 0);
                            let k = if negate { -k } else { k };
                            let expected = (y << shift).wrapping_mul(i128::from(k)) + x;
                            assert_eq!(sum, words(expected));
                        }
                    }
                }
                let mut sum = words(x);
                add_scaled(&mut sum, &words(y)[..3], Factor::shifted(-3, 2), 1);
                assert_eq!(sum, words(x - ((y * 12) << 31)));
                // After the shift, the sum has no word left, or fewer words than `y`.
                let mut sum = words(x);
                add_scaled(&mut sum, &words(y)[..3], Factor::new(7, 0), 5);
                assert_eq!(sum, words(x));
                add_scaled(&mut sum, &words(y)[..3], Factor::new(7, 0), 2);
                assert_eq!(sum, words(x + ((y * 7) << 62)));
            }
        }
    }

    /// Tests the largest products of both kinds. `y` is as long as `x`, or shorter and continued
    /// with its sign.
    #[test]
    fn the_largest_factors_and_words_do_not_overflow() {
        let most = i64::from(MASK);
        for len in [1, 3, 4] {
            for top in [MASK, MASK >> 1] {
                let mut y = [MASK; 4];
                y[len - 1] = top;
                // `value` is `y` as a signed integer of `len` words.
                let value = if top == MASK {
                    -1
                } else {
                    (1i128 << (31 * len as u32 - 1)) - 1
                };
                for (low, high) in [(most, most), (-most, -most), (most, -most), (-most, most)] {
                    let mut sum = [MASK; 4];
                    add_scaled(&mut sum, &y[..len], Factor::new(low, high), 0);
                    let factor = i128::from(low) + (i128::from(high) << 31);
                    let expected = factor.wrapping_mul(value).wrapping_sub(1);
                    assert_eq!(sum, words(expected), "{len} {low} {high}");
                }
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
