//! Polynomials modulo `q` and `x^n + 1`: the seam and its portable implementation.

mod portable;
mod rows;
mod twiddles;
mod word;
mod words;

#[cfg(feature = "fndsa-provisional")]
pub(crate) use portable::set_values;
pub use portable::{PORTABLE_NTT, PortableNtt};
pub(crate) use portable::{forward, pointwise_mul, set_reduced, values};

use zeroize::Zeroize;

/// Multiplication of polynomials modulo `q = 12289` and `x^n + 1`, `n = 2^logn`,
/// `1 <= logn <= 10`.
///
/// A polynomial is `n` words, in one of two domains. In the *coefficient domain* word `i` stands
/// for the coefficient of `x^i`. In the *transform domain* the words stand for the values at the
/// `n` roots of `x^n + 1`. The engine decides their order and representation, so words of two
/// engines must not be mixed. The output of [`residues`](Self::residues) is the same for all
/// engines.
///
/// Slices of words have length `n`. The content of `tmp` is lost. Methods never panic; a slice of
/// another length gives an unspecified result. All methods take constant time: they branch on
/// lengths only.
pub trait Ntt {
    /// One coefficient or one value.
    type Word: Copy + Default + Zeroize;

    /// Writes coefficients in `[0, q)`.
    fn set_residues(&self, a: &mut [Self::Word], coefficients: &[u16]);

    /// Writes coefficients given as any signed integers.
    fn set_signed(&self, a: &mut [Self::Word], coefficients: &[i16]);

    /// Writes coefficients given as any signed bytes.
    fn set_small(&self, a: &mut [Self::Word], coefficients: &[i8]);

    /// Reads coefficients, fully reduced to `[0, q)`.
    fn residues(&self, coefficients: &mut [u16], a: &[Self::Word]);

    /// Transforms from the coefficient domain to the transform domain.
    fn ntt(&self, logn: u32, a: &mut [Self::Word]);

    /// Transforms from the transform domain to the coefficient domain. `a` is a product of
    /// [`mul_assign`](Self::mul_assign), or the result of [`invert_assign`](Self::invert_assign).
    /// Words of [`ntt`](Self::ntt) may be too large.
    fn intt(&self, logn: u32, a: &mut [Self::Word]);

    /// `a <- a b` in the transform domain.
    fn mul_assign(&self, a: &mut [Self::Word], b: &[Self::Word]);

    /// `a <- a b`, from the transform domain to the coefficient domain. Both operands are words of
    /// [`ntt`](Self::ntt), or one of them is a product.
    fn mul_then_intt(&self, logn: u32, a: &mut [Self::Word], b: &[Self::Word]) {
        self.mul_assign(a, b);
        self.intt(logn, a);
    }

    /// Computes `a <- 1/a` in the transform domain. Returns `true` if `a` is invertible, that is,
    /// if none of its values is zero. Otherwise the words of `a` are unspecified.
    #[must_use]
    fn invert_assign(&self, a: &mut [Self::Word], tmp: &mut [Self::Word]) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{MAX_LOGN, Q};
    use std::vec;
    use std::vec::Vec;

    /// Returns repeatable coefficients in `[0, q)`, including the extremes.
    fn polynomial(n: usize, seed: u64) -> Vec<u16> {
        let mut state = seed;
        (0..n)
            .map(|_| {
                state = state
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f);
                match state >> 61 {
                    0 => 6144,
                    1 => 6145,
                    _ => ((state >> 33) % u64::from(Q)) as u16,
                }
            })
            .collect()
    }

    fn schoolbook(a: &[u16], b: &[u16]) -> Vec<u16> {
        let n = a.len();
        let mut c = vec![0i64; n];
        for i in 0..n {
            for j in 0..n {
                let product = i64::from(a[i]) * i64::from(b[j]);
                let sign = if i + j < n { 1 } else { -1 };
                c[(i + j) % n] += sign * product;
            }
        }
        c.iter()
            .map(|x| x.rem_euclid(i64::from(Q)) as u16)
            .collect()
    }

    fn transformed<N: Ntt>(ntt: &N, a: &[u16]) -> Vec<N::Word> {
        let mut words = vec![N::Word::default(); a.len()];
        ntt.set_residues(&mut words, a);
        ntt.ntt(a.len().ilog2(), &mut words);
        words
    }

    /// Returns the same polynomial as words that the inverse transform accepts.
    fn times_one<N: Ntt>(ntt: &N, mut words: Vec<N::Word>) -> Vec<N::Word> {
        let mut one = vec![0; words.len()];
        one[0] = 1;
        ntt.mul_assign(&mut words, &transformed(ntt, &one));
        words
    }

    fn back<N: Ntt>(ntt: &N, mut words: Vec<N::Word>) -> Vec<u16> {
        ntt.intt(words.len().ilog2(), &mut words);
        let mut out = vec![0; words.len()];
        ntt.residues(&mut out, &words);
        out
    }

    #[test]
    fn transform_and_back_is_the_identity_for_every_degree() {
        for logn in 1..=MAX_LOGN {
            for seed in 0..20 {
                let a = polynomial(1 << logn, seed);
                let words = times_one(&PORTABLE_NTT, transformed(&PORTABLE_NTT, &a));
                assert_eq!(back(&PORTABLE_NTT, words), a, "logn {logn}");
            }
            for extreme in [0, 6144, 6145, 12288] {
                let a = vec![extreme; 1 << logn];
                let words = times_one(&PORTABLE_NTT, transformed(&PORTABLE_NTT, &a));
                assert_eq!(back(&PORTABLE_NTT, words), a, "logn {logn}");
            }
        }
    }

    #[test]
    fn products_equal_schoolbook_products_for_every_degree() {
        for logn in 1..=MAX_LOGN {
            let (a, b) = (polynomial(1 << logn, 11), polynomial(1 << logn, 12));
            let expected = schoolbook(&a, &b);
            let mut product = transformed(&PORTABLE_NTT, &a);
            let mut at_once = product.clone();
            let b = transformed(&PORTABLE_NTT, &b);
            PORTABLE_NTT.mul_assign(&mut product, &b);
            assert_eq!(back(&PORTABLE_NTT, product), expected, "logn {logn}");
            PORTABLE_NTT.mul_then_intt(logn, &mut at_once, &b);
            let mut residues = vec![0; 1 << logn];
            PORTABLE_NTT.residues(&mut residues, &at_once);
            assert_eq!(residues, expected, "logn {logn}");
        }
    }

    /// Tests a public key that comes close to the bound of the forward transform. If one more layer
    /// did not reduce its operands, a sum would reach 32771. A search found this key. With random
    /// inputs, the sums stay far below.
    #[test]
    fn sums_of_the_forward_transform_stay_in_range_where_they_are_largest() {
        let sparse: [i32; 16] = [
            5775, -5727, -6060, 5929, -1523, 4022, 1448, 1867, -5588, -4542, 5113, 2394, -2095,
            4421, 3628, 2457,
        ];
        let mut h = vec![0; 1024];
        for (h, x) in h.iter_mut().step_by(64).zip(sparse) {
            *h = x.rem_euclid(Q as i32) as u16;
        }
        let other = polynomial(1024, 15);
        let mut product = transformed(&PORTABLE_NTT, &h);
        PORTABLE_NTT.mul_assign(&mut product, &transformed(&PORTABLE_NTT, &other));
        assert_eq!(back(&PORTABLE_NTT, product), schoolbook(&h, &other));
    }

    /// Tests the values of largest magnitude that a product can have.
    #[test]
    fn the_inverse_transform_takes_the_largest_values() {
        for logn in 1..=MAX_LOGN {
            for words in [vec![11150; 1 << logn], vec![-11150; 1 << logn]] {
                let value = |x: &i16| i32::from(*x).rem_euclid(Q as i32);
                let again = transformed(&PORTABLE_NTT, &back(&PORTABLE_NTT, words.clone()));
                let again: Vec<i32> = again.iter().map(value).collect();
                let words: Vec<i32> = words.iter().map(value).collect();
                assert_eq!(again, words, "logn {logn}");
            }
        }
    }

    /// Compares values with those of Horner's rule, at the roots in the order of the encoding.
    #[cfg(feature = "fndsa-provisional")]
    #[test]
    fn values_are_those_at_the_roots_for_every_degree() {
        for logn in 1..=MAX_LOGN {
            let n = 1usize << logn;
            let a = polynomial(n, 16);
            let words = transformed(&PORTABLE_NTT, &a);
            let mut found = vec![0; n];
            values(logn, &words, &mut found);
            let power = |e: usize| (0..e).fold(1, |x, _| x * 7 % Q);
            let expected: Vec<u16> = (0..n)
                .map(|i| {
                    let reversed = i.reverse_bits() >> (usize::BITS - logn);
                    let root = power((1024 >> logn) * (2 * reversed + 1));
                    let value = a
                        .iter()
                        .rev()
                        .fold(0, |sum, &x| (sum * root + u32::from(x)) % Q);
                    value as u16
                })
                .collect();
            assert_eq!(found, expected, "logn {logn}");
            let mut set = vec![0; n];
            set_values(logn, &mut set, &expected);
            assert_eq!(back(&PORTABLE_NTT, times_one(&PORTABLE_NTT, set)), a);
        }
    }

    #[test]
    fn a_polynomial_times_its_inverse_is_one_for_every_degree() {
        for logn in 1..=MAX_LOGN {
            let a = transformed(&PORTABLE_NTT, &polynomial(1 << logn, 13));
            let mut product = a.clone();
            let mut tmp = a.clone();
            assert!(
                PORTABLE_NTT.invert_assign(&mut product, &mut tmp),
                "logn {logn}"
            );
            PORTABLE_NTT.mul_assign(&mut product, &a);
            let mut one = vec![0; 1 << logn];
            one[0] = 1;
            assert_eq!(back(&PORTABLE_NTT, product), one, "logn {logn}");
        }
    }

    #[test]
    fn a_zero_divisor_is_not_invertible_in_any_degree() {
        for logn in 1..=MAX_LOGN {
            // x^n + 1 = (x^(n/2) - 1479) (x^(n/2) + 1479), for 1479^2 = -1 mod q.
            let mut a = vec![0; 1 << logn];
            (a[0], a[1 << (logn - 1)]) = (1479, 1);
            let mut words = transformed(&PORTABLE_NTT, &a);
            let mut tmp = words.clone();
            assert!(
                !PORTABLE_NTT.invert_assign(&mut words, &mut tmp),
                "logn {logn}"
            );
        }
    }

    #[test]
    fn a_single_zero_value_anywhere_is_found() {
        for logn in 1..=MAX_LOGN {
            let a = transformed(&PORTABLE_NTT, &polynomial(1 << logn, 14));
            for at in 0..a.len() {
                let mut words = a.clone();
                words[at] = 0;
                let mut tmp = a.clone();
                assert!(
                    !PORTABLE_NTT.invert_assign(&mut words, &mut tmp),
                    "logn {logn}, {at}"
                );
            }
        }
    }

    #[test]
    fn signed_inputs_are_exact_for_every_sixteen_bit_value() {
        for start in (i32::from(i16::MIN)..=i32::from(i16::MAX)).step_by(1024) {
            let signed: Vec<i16> = (start..start + 1024).map(|x| x as i16).collect();
            let mut words = vec![0; 1024];
            PORTABLE_NTT.set_signed(&mut words, &signed);
            let mut residues = vec![0; 1024];
            PORTABLE_NTT.residues(&mut residues, &words);
            for i in 0..1024 {
                let expected = i32::from(signed[i]).rem_euclid(Q as i32);
                assert_eq!(i32::from(residues[i]), expected);
            }
        }
    }
}
