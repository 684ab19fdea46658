//! Fixed-point numbers in units of `2^-32`, with the roundings of the crate `fn-dsa`.
//!
//! A number is an `i64`; sums and products are computed modulo `2^64`. Products are rounded down.
//! Quotients are rounded to the nearest, and halves up. Numbers that overflow are wrong in the same
//! way as in that crate, so both implementations refuse the same candidates.
//!
//! The order of the operations is part of the definition: it decides the last bits.
//!
//! Source: crate `fn-dsa-kgen` 0.4.0 of T. Pornin. Known answers of that crate pin this module.

use crate::fpr::soft::{Native, Word};
use crate::lanes::Masks;
use crate::ntru::fixed::{Butterflies, fft, ifft};
use crate::ntru::radix31::sign_word;
use crate::ntru::wide::{Signed128, Wide};
use core::array::from_fn;
use core::hint::black_box;

/// Number of fractional bits.
const UNIT: u32 = 32;

/// Bound on the squared norm of the orthogonalised vector: `(0.999 * 1.17)^2 q`.
const NORM_BOUND: i64 = 72_107_278_641_426;

/// Number of bits by which the numerator and the denominator of the last division are scaled down.
const SCALED_DOWN: u32 = 10;

/// The arithmetic of the transforms.
pub(super) struct Q32;

impl Butterflies for Q32 {
    #[inline(always)]
    fn turn(x: [i64; 2], root: [i64; 2]) -> [i64; 2] {
        complex_product(x, rounded(root))
    }

    #[inline(always)]
    fn half(x: i64) -> i64 {
        x.wrapping_add(1) >> 1
    }
}

/// Rounds a root of unity in Q62 to Q32.
#[inline(always)]
fn rounded(root: [i64; 2]) -> [i64; 2] {
    root.map(|x| (x + (1 << 29)) >> 30)
}

#[inline(always)]
fn product(a: i64, b: i64) -> i64 {
    (Wide::product(a, b) >> UNIT).low()
}

/// `(a + ib)(c + id)` with three products.
#[inline(always)]
fn complex_product([a, b]: [i64; 2], [c, d]: [i64; 2]) -> [i64; 2] {
    let (re, im) = (product(a, c), product(b, d));
    let both = product(a.wrapping_add(b), c.wrapping_add(d));
    [re.wrapping_sub(im), both.wrapping_sub(re.wrapping_add(im))]
}

/// `|a + ib|^2`.
#[inline(always)]
fn squared_norm(a: i64, b: i64) -> i64 {
    product(a, a).wrapping_add(product(b, b))
}

/// Returns `x / y`, computed bit by bit in constant time.
fn quotient(x: i64, y: i64) -> i64 {
    let masks = Masks::new();
    let (sign, y) = ((x ^ y) >> 63, masks.abs(y));
    let x = masks.abs(x);
    let mut rest = x >> 31;
    let mut result = 0u64;
    let mut step = |next: u64| {
        // `bit` is one if `rest >= y`.
        let bit = (rest.wrapping_sub(y) >> 63) ^ 1;
        rest = (rest.wrapping_sub(y & bit.wrapping_neg()) << 1) | next;
        bit
    };
    for i in (33..64).rev() {
        result |= step((x >> (i - 33)) & 1) << i;
    }
    for i in (0..33).rev() {
        result |= step(0) << i;
    }
    // The remainder was doubled, so a remainder of half the divisor or more is rounded up.
    let result = result.wrapping_add(step(0)) as i64;
    (result ^ sign).wrapping_sub(sign)
}

/// Rounds to an integer of 32 bits; halves are rounded up.
#[inline(always)]
fn round(x: i64) -> i64 {
    x.wrapping_add(1 << (UNIT - 1)) >> UNIT
}

/// Returns true if the orthogonalised norm of `(f, g)` is below `0.999 * 1.17 sqrt(q)`. `work`
/// holds `3n/2` numbers.
///
/// The squared norm is the sum of the squared coefficients of `q f* / (f f* + g g*)` and of the
/// same quotient with `g` in place of `f`.
pub(in crate::ntru) fn orthogonal_norm(logn: u32, f: &[i8], g: &[i8], work: &mut [i64]) -> bool {
    let n = 1usize << logn;
    let (inverse, rest) = work.split_at_mut(n / 2);
    let values = &mut rest[..n];
    let transform = |values: &mut [i64], poly: &[i8]| {
        for (x, y) in values.iter_mut().zip(poly) {
            *x = i64::from(*y) << UNIT;
        }
        fft::<Q32>(values);
    };
    inverse.fill(0);
    for poly in [f, g] {
        transform(values, poly);
        let (re, im) = values.split_at(n / 2);
        for ((sum, re), im) in inverse.iter_mut().zip(re).zip(im) {
            *sum = sum.wrapping_add(squared_norm(*re, *im));
        }
    }
    for x in inverse.iter_mut() {
        *x = quotient(1 << UNIT, *x);
    }
    let mut norm = 0i64;
    for poly in [f, g] {
        transform(values, poly);
        let (re, im) = values.split_at_mut(n / 2);
        for ((re, im), inverse) in re.iter_mut().zip(im).zip(&*inverse) {
            const Q: i64 = crate::params::Q as i64;
            *re = product(re.wrapping_mul(Q), *inverse);
            *im = product(im.wrapping_neg().wrapping_mul(Q), *inverse);
        }
        ifft::<Q32>(values);
        for x in &*values {
            norm = norm.wrapping_add(product(*x, *x));
        }
    }
    Masks::new().less(norm, NORM_BOUND) != 0
}

/// Number of words that a [`Window`] covers, wholly or in part.
const COVERED: usize = 3;

/// Largest number of words of an integer that a [`Window`] is cut from. It is one more than the
/// largest `WINDOW` of the reduction.
const MOST_WORDS: usize = 8;

/// A window of 64 bits in integers of `len` words of 31 bits, in two's complement.
///
/// The sequence of instructions depends on `len` alone. A compiler that knows the masks may turn
/// them into branches, and Memcheck reports vector shifts by a secret distance. So the masks and
/// the factor are computed once and hidden from the compiler.
pub(in crate::ntru) struct Window {
    /// `masks[j][i]` is all ones if word `j` of an integer is word `i` of the window.
    masks: [[u32; COVERED]; MOST_WORDS],
    /// All ones for the words of the window that are beyond the last word of an integer.
    behind: [u32; COVERED],
    /// Factor that shifts the window.
    factor: u32,
}

impl Window {
    /// Makes the window whose value is `x 2^-scale`. Constant time: `scale`, below 2000, may be
    /// secret.
    pub(in crate::ntru) fn new(len: usize, scale: u32) -> Self {
        debug_assert!(len <= MOST_WORDS);
        // scale = 31 middle + bits, 1 <= bits <= 31; the quotient by 31 is exact below 2000.
        let middle = (((scale + 30) * 2115) >> 16) as i32 - 1;
        let bits = (scale as i32 - 31 * middle) as u32;
        let place = |i: usize| middle - 1 + i as i32;
        let masks = from_fn(|j| {
            from_fn(|i| {
                let distance = j as i32 - place(i);
                !((distance | -distance) >> 31) as u32
            })
        });
        black_box(Self {
            masks,
            behind: from_fn(|i| !((place(i) - len as i32) >> 31) as u32),
            factor: 1 << (32 - bits),
        })
    }

    /// Returns the value of the window in `x`, which has at least one word.
    pub(in crate::ntru) fn of(&self, x: &[u32]) -> i64 {
        let sign = sign_word(x);
        let mut words = self.behind.map(|behind| sign & behind);
        for (x, masks) in x.iter().zip(&self.masks) {
            for (word, mask) in words.iter_mut().zip(masks) {
                *word |= x & mask;
            }
        }
        // The window may reach one bit beyond the last word. That bit repeats the sign of the word.
        words[2] |= (words[2] & (1 << 30)) << 1;
        let [low, middle, high] = words.map(|word| u64::from(word) * u64::from(self.factor));
        // The three words have no bit in common.
        ((low >> 31) | middle | (high << 31)) as i64
    }
}

/// Replaces the coefficients of `f` by `|f|^2` at the roots, in the first half.
pub(in crate::ntru) fn squared_values(f: &mut [i64]) {
    fft::<Q32>(f);
    let (re, im) = f.split_at_mut(f.len() / 2);
    for (re, im) in re.iter_mut().zip(im) {
        *re = squared_norm(*re, *im);
    }
}

/// Replaces the coefficients of `f` by the values of `2^precision / f`.
pub(in crate::ntru) fn invert(f: &mut [i64], precision: u32) {
    fft::<Q32>(f);
    let (re, im) = f.split_at_mut(f.len() / 2);
    let word = Native::new();
    let scale = |x: i64| word.shl(x as u64, precision.into()) as i64;
    for (re, im) in re.iter_mut().zip(im) {
        let norm = squared_norm(*re, *im);
        *re = quotient(scale(*re), norm);
        *im = quotient(scale(im.wrapping_neg()), norm);
    }
}

/// Multiplies `a` by the polynomial whose values are `b`. Replaces the coefficients of `a` by the
/// rounded coefficients of the product.
pub(in crate::ntru) fn multiply_and_round(a: &mut [i64], b: &[i64]) {
    fft::<Q32>(a);
    let half = a.len() / 2;
    let (re, im) = a.split_at_mut(half);
    let (b_re, b_im) = b.split_at(half);
    for ((re, im), (b_re, b_im)) in re.iter_mut().zip(im).zip(b_re.iter().zip(b_im)) {
        [*re, *im] = complex_product([*re, *im], [*b_re, *b_im]);
    }
    ifft::<Q32>(a);
    for x in a {
        *x = round(*x);
    }
}

/// Computes the values, scaled down, of a polynomial with coefficients below `2^31` in absolute
/// value.
pub(in crate::ntru) fn scale_and_transform(a: &mut [i64]) {
    for x in a.iter_mut() {
        *x <<= UNIT - SCALED_DOWN;
    }
    fft::<Q32>(a);
}

/// Divides the polynomial `a`, with coefficients below `2^31` in absolute value, by a self-adjoint
/// polynomial. `denominator` has the real parts of its values, from [`scale_and_transform`].
pub(in crate::ntru) fn divide(denominator: &[i64], a: &mut [i64]) {
    scale_and_transform(a);
    let (re, im) = a.split_at_mut(a.len() / 2);
    for ((re, im), y) in re.iter_mut().zip(im).zip(denominator) {
        *re = quotient(*re, *y);
        *im = quotient(*im, *y);
    }
    ifft::<Q32>(a);
}

/// Rounds a quotient to integers.
///
/// A result beyond 30 bits, which no key has, loses its top bits.
pub(in crate::ntru) fn round_all(a: &mut [i64]) {
    for x in a {
        *x = round(*x) << 34 >> 34;
    }
}

/// Distance from a half, in units of `2^-32`: `2^-15`. If a quotient is closer to a half, it could
/// be rounded differently when computed in another way. The bound is not derived. In a simulation,
/// quotients of [`divide`] were off by `2^-16.2` at most in 9,700 divisions of reduced numbers at
/// degree 512, and by `2^-15.4` at most in 19,800 at degree 1024.
const CLOSE: u32 = 1 << 17;

/// Returns true if a number of `a` is close to a half.
pub(in crate::ntru) fn is_close_to_a_half(a: &[i64]) -> bool {
    let mut close = false;
    for x in a {
        close |= (*x as u32).wrapping_sub((1 << 31) - CLOSE) < 2 * CLOSE;
    }
    close
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntru::fixed::TWIDDLES;
    use core::f64::consts::PI;
    use sha2::{Digest, Sha256};
    use std::vec::Vec;

    /// The hash is that of the crate's own test (`check_gmtab`). Its table has twice as many
    /// entries as the transforms read: `exp(i pi rev(j) / 1024)`.
    #[test]
    fn roots_are_those_of_fn_dsa() {
        let mut table = Vec::new();
        for j in 0..1024u32 {
            let angle = PI * f64::from(j.reverse_bits() >> 22) / 1024.0;
            let root = [angle.cos(), angle.sin()].map(|x| (x * 2f64.powi(32)).round() as i64);
            let half = 1 << j.checked_ilog2().unwrap_or(0) >> 1;
            if j >= 2 && j < 3 * half {
                assert_eq!(rounded(TWIDDLES[(j - half) as usize]), root, "{j}");
            }
            table.extend(root.map(i64::to_le_bytes));
        }
        let hash = base16ct::lower::encode_string(&Sha256::digest(table.as_flattened()));
        let expected = "e0746da83816f05bd5a3bbe0867bba11ee2bab9cd781780ce4d205d6c51b03d9";
        assert_eq!(hash, expected);
    }

    /// Returns numbers of many sizes.
    fn numbers() -> Vec<i64> {
        let mut stream = crate::hash::Shake256::reader(b"numbers");
        let number = |i| i64::from_le_bytes(stream.read_array()) >> (i % 60);
        (0..300).map(number).collect()
    }

    #[test]
    fn quotients_are_rounded_to_the_nearest() {
        let mut count = 0;
        for x in numbers() {
            for y in numbers() {
                let (top, below) = (i128::from(x.abs()) << 33, i128::from(y.abs()));
                if y != 0 && top / below < 1 << 62 {
                    let nearest = ((top / below + 1) >> 1) as i64;
                    let sign = x.signum() * y.signum();
                    assert_eq!(quotient(x, y), sign * nearest, "{x} / {y}");
                    count += 1;
                }
            }
        }
        assert!(count > 10_000);
        // An overflow is not an error: the result has the bits that the algorithm leaves.
        assert_eq!(quotient(1 << UNIT, 0), -2);
    }

    #[test]
    fn words_are_shifted_and_cut() {
        let numbers = numbers();
        for (i, low) in numbers.iter().enumerate() {
            let high = numbers[(7 * i + 1) % numbers.len()];
            let x = (i128::from(high) << 52) ^ i128::from(*low);
            // Every word has 31 bits. The top bit of the last word is the sign.
            for len in 1..=4 {
                let x = x << (128 - 31 * len) >> (128 - 31 * len);
                let words: Vec<u32> = (0..len)
                    .map(|j| (x >> (31 * j)) as u32 & 0x7fff_ffff)
                    .collect();
                for scale in 0..200 {
                    // |x| < 2^(30 + scale), as the definition assumes.
                    if x.unsigned_abs() >> 30 >> scale.min(97) != 0 {
                        continue;
                    }
                    let expected = if scale < 32 {
                        x << (32 - scale)
                    } else {
                        x >> (scale - 32).min(127)
                    };
                    let window = Window::new(words.len(), scale);
                    assert_eq!(window.of(&words), expected as i64, "{x} {scale}");
                }
            }
        }
    }

    #[test]
    fn a_quotient_of_polynomials_is_rounded() {
        // Divides (3 - 2x + 5x^3) f by f, for f = 7 + x.
        let mut inverse = [7i64, 1, 0, 0].map(|x| x << UNIT);
        invert(&mut inverse, 4);
        let mut product = [16i64, -11, -2, 35].map(|x| x << (UNIT - 4));
        multiply_and_round(&mut product, &inverse);
        assert_eq!(product, [3, -2, 0, 5]);
    }
}
