//! The portable implementation: sixteen-bit Montgomery arithmetic on the registers of an
//! instruction set.
//!
//! Transform-domain words are in Montgomery form, so one Montgomery product multiplies them. The
//! last layer of the forward transform converts into this form, and the last product of the inverse
//! transform converts back.
//!
//! [`rows`] has the transforms of the usual degrees. [`words`] has those of the other degrees and
//! of targets without vector units. Both modules prove the ranges of their values.

use super::rows::{self, Multiplier};
use super::twiddles::{ROW, Tables};
use super::word::{centred, product};
use super::{Ntt, words};
use crate::lanes::{Baseline, HAS_VECTORS, Isa, Register};
use crate::modq::{Modulus, Q, barrett_reduce, canonical, montgomery_mul};
use zeroize::Zeroize;

/// The portable [`Ntt`] engine, compiled in the frame of an instruction set.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortableNtt<I = Baseline>(pub I);

/// The portable implementation for the features that every processor of the build target has.
pub const PORTABLE_NTT: PortableNtt = PortableNtt(Baseline);

/// Returns true if the transforms of a degree are computed by rows.
const fn goes_by_rows(logn: u32) -> bool {
    HAS_VECTORS && logn >= rows::MIN_LOGN
}

/// Forward transform modulo any [`Modulus`]. The input is at most `P / 2 + 1` in absolute value.
/// The output is at most `1.5 P` in absolute value, in Montgomery form.
#[inline(always)]
pub(crate) fn forward<M: Modulus, I: Isa>(isa: I, logn: u32, a: &mut [i16]) {
    if goes_by_rows(logn) {
        rows::forward::<M, I>(isa, M::FORWARD, a);
    } else {
        words::forward::<M>(M::ZETAS, logn, a);
    }
}

/// Inverse transform modulo `q`. If `by` is given, the input is first multiplied by it. The input,
/// or the product, is at most 12169 in absolute value, the output at most 9218.
#[inline(never)] // One copy for all callers: each is several KB.
fn inverse_transform<I: Isa>(isa: I, logn: u32, by: Option<&[i16]>, a: &mut [i16]) {
    isa.vectorize(
        #[inline(always)]
        || {
            if goes_by_rows(logn) {
                let by = match by {
                    Some(by) => Multiplier::polynomial(by),
                    None if I::LONGEST_F64S > 1 => Multiplier::NONE,
                    // Compilers vectorise the loop better if it always multiplies.
                    None => Multiplier::same(&[ONE; ROW]),
                };
                rows::inverse::<Q, I>(isa, Q::INVERSE, by, a);
            } else {
                if let Some(by) = by {
                    pointwise_mul::<Q, _>(isa, a, by);
                }
                words::inverse::<Q>(Q::ZETAS, logn, a);
            }
        },
    );
}

/// One, in Montgomery form.
const ONE: i16 = montgomery_mul::<Q>(1, Q::R2);

/// Returns all ones if `x = 0 mod q`, else zero.
#[inline(always)]
const fn zero_mask(x: i16) -> i16 {
    let r = barrett_reduce::<Q>(x);
    !((r | -r) >> 15)
}

/// Returns `1 / x`, or zero for zero, by Fermat: `x^(q-2)` with `q - 2 = 2 * 2^12 + (2^12 - 1)`.
#[inline(always)]
fn inverse(x: i16) -> i16 {
    let mul = montgomery_mul::<Q>;
    let raise_to_16 = |x| {
        let square = |x| mul(x, x);
        square(square(square(square(x))))
    };
    let x3 = mul(mul(x, x), x);
    let x6 = mul(x3, x3);
    let x15 = mul(mul(x6, x6), x3);
    let x255 = mul(raise_to_16(x15), x15);
    let x4095 = mul(raise_to_16(x255), x15);
    let x4096 = mul(x4095, x);
    mul(mul(x4096, x4096), x4095)
}

/// Multiplies transform-domain words.
#[inline(always)]
pub(crate) fn pointwise_mul<M: Modulus, I: Isa>(isa: I, a: &mut [i16], b: &[i16]) {
    for (a, b) in I::I16s::chunks_mut(a).iter_mut().zip(I::I16s::chunks(b)) {
        let x = product::<M, _>(I::I16s::load(isa, a), I::I16s::load(isa, b));
        x.store(a);
    }
    // Polynomials shorter than a register have only this rest.
    let rest = a.len() % I::I16s::LEN;
    if rest == a.len() {
        for (a, &b) in a.iter_mut().zip(b) {
            *a = product::<M, _>(*a, b);
        }
    }
}

/// Sets each word `x` of `a` to `value(x, y)`, reduced by [`barrett_reduce`]. `y` is the element of
/// `b` at the same place.
#[inline(always)]
pub(crate) fn set_reduced<I: Isa, T: Copy>(
    isa: I,
    a: &mut [i16],
    b: &[T],
    value: impl Fn(i16, T) -> i16,
) {
    let ((rows, rest), (b, b_rest)) = if cfg!(target_pointer_width = "32") {
        // Without vector registers, a second loop is not faster.
        ((&mut [][..], a), (&[][..], b))
    } else {
        (a.as_chunks_mut::<ROW>(), b.as_chunks::<ROW>())
    };
    for (a, b) in rows.iter_mut().zip(b) {
        // The copy does not alias anything. If the loop worked in place, it would not become vector
        // code.
        let mut row = *a;
        for (x, &y) in row.iter_mut().zip(b) {
            *x = value(*x, y);
        }
        for part in I::I16s::chunks_mut(&mut row) {
            centred::<Q, _>(I::I16s::load(isa, part)).store(part);
        }
        *a = row;
    }
    for (x, &y) in rest.iter_mut().zip(b_rest) {
        *x = barrett_reduce::<Q>(value(*x, y));
    }
}

/// Number of values in two rows.
const TWO_ROWS: usize = 2 * ROW;

/// Sets `words`, in the transform domain. `values[i]`, in `[0, q)`, is the polynomial's value at
/// the root `g^(2 brv(i) + 1)`, where `brv` reverses `logn` bits and `g`, a power of 7, is a
/// primitive `2n`-th root of unity.
///
/// Transforms by words keep this order. Transforms by rows store each block of 64 values with the
/// even-indexed ones first, then the odd-indexed ones.
#[cfg(feature = "fndsa-provisional")]
pub(crate) fn set_values(logn: u32, words: &mut [i16], values: &[u16]) {
    let word = |value: u16| montgomery_mul::<Q>(value as i16, Q::R2);
    if goes_by_rows(logn) {
        // The loop takes two rows at a time, so that it becomes vector code.
        let (rows, _) = words.as_chunks_mut::<TWO_ROWS>();
        let (values, _) = values.as_chunks::<TWO_ROWS>();
        for (rows, values) in rows.iter_mut().zip(values) {
            for column in 0..ROW {
                rows[column] = word(values[2 * column]);
                rows[ROW + column] = word(values[2 * column + 1]);
            }
        }
    } else {
        for (out, &value) in words.iter_mut().zip(values) {
            *out = word(value);
        }
    }
}

/// Writes the values at the roots, in `[0, q)`, in the order of
/// [`VerifyingKey::ntt_of_h`](crate::VerifyingKey::ntt_of_h).
pub(crate) fn values(logn: u32, words: &[i16], values: &mut [u16]) {
    let value = |word: i16| canonical::<Q>(montgomery_mul::<Q>(word, 1));
    if goes_by_rows(logn) {
        let (rows, _) = words.as_chunks::<TWO_ROWS>();
        let (values, _) = values.as_chunks_mut::<TWO_ROWS>();
        for (rows, values) in rows.iter().zip(values) {
            for column in 0..ROW {
                values[2 * column] = value(rows[column]);
                values[2 * column + 1] = value(rows[ROW + column]);
            }
        }
    } else {
        for (out, &word) in values.iter_mut().zip(words) {
            *out = value(word);
        }
    }
}

impl<I: Isa> Ntt for PortableNtt<I> {
    type Word = i16;

    fn set_residues(&self, a: &mut [i16], coefficients: &[u16]) {
        self.0.vectorize(
            #[inline(always)]
            || {
                for (a, &c) in a.iter_mut().zip(coefficients) {
                    *a = barrett_reduce::<Q>(c as i16);
                }
            },
        );
    }

    fn set_signed(&self, a: &mut [i16], coefficients: &[i16]) {
        self.0.vectorize(
            #[inline(always)]
            || {
                set_reduced(self.0, a, coefficients, |_, c| c);
            },
        );
    }

    fn set_small(&self, a: &mut [i16], coefficients: &[i8]) {
        self.0.vectorize(
            #[inline(always)]
            || {
                for (a, &c) in a.iter_mut().zip(coefficients) {
                    *a = i16::from(c);
                }
            },
        );
    }

    fn residues(&self, coefficients: &mut [u16], a: &[i16]) {
        for (c, &a) in coefficients.iter_mut().zip(a) {
            *c = canonical::<Q>(a);
        }
    }

    #[inline(never)] // One copy for all callers: each is several KB.
    fn ntt(&self, logn: u32, a: &mut [i16]) {
        self.0.vectorize(
            #[inline(always)]
            || forward::<Q, I>(self.0, logn, a),
        );
    }

    fn intt(&self, logn: u32, a: &mut [i16]) {
        inverse_transform(self.0, logn, None, a);
    }

    fn mul_then_intt(&self, logn: u32, a: &mut [i16], b: &[i16]) {
        inverse_transform(self.0, logn, Some(b), a);
    }

    fn mul_assign(&self, a: &mut [i16], b: &[i16]) {
        self.0.vectorize(
            #[inline(always)]
            || pointwise_mul::<Q, _>(self.0, a, b),
        );
    }

    /// Computes one inversion by Fermat for each of 32 columns, and three products per word (P.
    /// Montgomery, "Speeding the Pollard and elliptic curve methods of factorization", 1987,
    /// section 10.3.1).
    fn invert_assign(&self, a: &mut [i16], tmp: &mut [i16]) -> bool {
        let mul = montgomery_mul::<Q>;
        let (rows, rest) = a.as_chunks_mut::<ROW>();
        let (prefixes, _) = tmp.as_chunks_mut::<ROW>();
        let mut zeros = 0;
        for x in rest {
            zeros |= zero_mask(*x);
            *x = inverse(*x);
        }
        let mut product = [ONE; ROW];
        for (prefix, row) in prefixes.iter_mut().zip(&*rows) {
            *prefix = product;
            for i in 0..ROW {
                product[i] = mul(product[i], row[i]);
            }
        }
        let mut suffix = product;
        for x in &mut suffix {
            zeros |= zero_mask(*x);
            *x = inverse(*x);
        }
        for (row, prefix) in rows.iter_mut().zip(&*prefixes).rev() {
            for i in 0..ROW {
                let x = row[i];
                row[i] = mul(suffix[i], prefix[i]);
                suffix[i] = mul(suffix[i], x);
            }
        }
        product.zeroize();
        suffix.zeroize();
        zeros == 0
    }
}
