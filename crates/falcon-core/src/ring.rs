//! Arithmetic in `Z[x]/(x^n + 1)` and modulo `q`, for keys, signing and verification.
//!
//! Polynomials are slices of `n = 2^logn` coefficients, `1 <= logn <= 10`.
//! Symbols: `f, g, F, G` the secret basis, `fG - gF = q`; `h = g/f mod q` the
//! public key; `c` the hashed message; `(s1, s2)` the signature,
//! `s1 + s2 h = c mod q`.
//!
//! Scratch belongs to the caller, so that callers with secrets can wipe it.
//!
//! Source: Falcon specification v1.2, sections 3.7 to 3.10.

use crate::error::DecodeError;
use crate::lanes::Isa;
use crate::modq::{Modulus, Q, barrett_reduce, canonical, montgomery_mul};
use crate::norm::{is_short, squared_norm};
use crate::ntt::{self, Ntt, PortableNtt};
use crate::reveal::{reveal, reveal_all};

/// The error that `f` is not invertible modulo `q` and `x^n + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotInvertible;

/// Computes `quotient <- g / f mod q` in the transform domain. All slices have length `n`. The
/// content of `other` is lost.
///
/// # Errors
/// [`NotInvertible`] if `f` is not invertible. Then `quotient` is unspecified.
fn quotient<N: Ntt>(
    ntt: &N,
    logn: u32,
    [f, g]: [&[i8]; 2],
    quotient: &mut [N::Word],
    other: &mut [N::Word],
) -> Result<(), NotInvertible> {
    ntt.set_small(quotient, f);
    ntt.ntt(logn, quotient);
    if !reveal(ntt.invert_assign(quotient, other)) {
        return Err(NotInvertible);
    }
    ntt.set_small(other, g);
    ntt.ntt(logn, other);
    ntt.mul_assign(quotient, other);
    Ok(())
}

/// Splits off two slices of `n` words.
fn two<W>(n: usize, scratch: &mut [W]) -> [&mut [W]; 2] {
    let (a, rest) = scratch.split_at_mut(n);
    [a, rest.split_at_mut(n).0]
}

/// Computes `h <- g / f mod q`, in `[0, q)`. `scratch` holds `2n` words. Constant time, except for
/// the outcome.
pub(crate) fn public_key<N: Ntt>(
    ntt: &N,
    logn: u32,
    f: &[i8],
    g: &[i8],
    h: &mut [u16],
    scratch: &mut [N::Word],
) -> Result<(), NotInvertible> {
    let [a, b] = two(1 << logn, scratch);
    quotient(ntt, logn, [f, g], a, b)?;
    ntt.intt(logn, a);
    ntt.residues(h, a);
    Ok(())
}

/// Computes `G` and `h` from `f, g, F`: the solution of `fG - gF = q` over the integers, and the
/// public key `g / f mod q`, in `[0, q)`.
///
/// The reference takes `G = gF/f mod q`, centred, and refuses it outside `[-127, 127]`. These
/// checks alone accept `F = G = 0`, with which signing would never end. So this function checks the
/// equation itself as well. `fG - gF - q` is divisible by `q` by construction, and its coefficients
/// are below `2 * 1024 * 127^2 + q < q p / 2` in absolute value, with `p = 18433`. So the
/// polynomial is zero if it is zero modulo `p`. A second transform checks that.
///
/// `scratch` holds `4n` values. Constant time, except for the outcome.
pub(crate) fn complete_private(
    isa: impl Isa,
    logn: u32,
    [f, g, capital_f]: [&[i8]; 3],
    capital_g: &mut [i8],
    h: &mut [u16],
    scratch: &mut [i16],
) -> Result<(), DecodeError> {
    let ntt = PortableNtt(isa);
    let [a, b] = two(1 << logn, scratch);
    quotient(&ntt, logn, [f, g], a, b).map_err(|NotInvertible| DecodeError::InvalidKey)?;
    ntt.set_small(b, capital_f);
    ntt.ntt(logn, b);
    ntt.mul_then_intt(logn, b, a);
    let mut out_of_range = 0;
    for (out, &x) in capital_g.iter_mut().zip(&*b) {
        let x = barrett_reduce::<Q>(x);
        out_of_range |= (127 - x) | (x + 127);
        *out = x as i8;
    }
    if reveal(out_of_range < 0) {
        return Err(DecodeError::InvalidKey);
    }
    ntt.intt(logn, a);
    ntt.residues(h, a);
    reveal_all(h);
    if !reveal(ntru_equation_holds(
        isa,
        logn,
        [f, capital_g, g, capital_f],
        scratch,
    )) {
        return Err(DecodeError::InvalidKey);
    }
    Ok(())
}

/// The least prime above `q` with `2048 | p - 1`. Only [`complete_private`] uses it.
#[derive(Clone, Copy)]
pub(crate) struct ExactnessPrime;

impl Modulus for ExactnessPrime {
    const P: i16 = 18433;
    const EAGER: bool = true;
}

/// Returns true if `fG - gF = q` modulo the exactness prime. `factors` is `[f, G, g, F]`.
fn ntru_equation_holds(isa: impl Isa, logn: u32, factors: [&[i8]; 4], scratch: &mut [i16]) -> bool {
    type M = ExactnessPrime;
    let n = 1 << logn;
    for (value, small) in scratch.chunks_exact_mut(n).zip(factors) {
        PortableNtt(isa).set_small(value, small);
        isa.vectorize(
            #[inline(always)]
            || ntt::forward::<M, _>(isa, logn, value),
        );
    }
    let (left, right) = scratch.split_at_mut(2 * n);
    for product in [&mut *left, &mut *right] {
        let (a, b) = product.split_at_mut(n);
        isa.vectorize(
            #[inline(always)]
            || ntt::pointwise_mul::<M, _>(isa, a, b),
        );
    }
    // Both products are in Montgomery form.
    let q = montgomery_mul::<M>(Q::P, M::R2);
    let mut nonzero = 0;
    for (&fg, &gf) in left.iter().zip(&*right).take(n) {
        let (fg, gf) = (barrett_reduce::<M>(fg), barrett_reduce::<M>(gf));
        nonzero |= barrett_reduce::<M>(fg - gf - q);
    }
    nonzero == 0
}

/// Sets `coefficients` to the coefficients of `a`, in `[0, q)`. `a` is in the transform domain, and
/// is overwritten.
pub(crate) fn coefficients(
    ntt: &PortableNtt<impl Isa>,
    logn: u32,
    a: &mut [i16],
    coefficients: &mut [u16],
) {
    // Words in the transform domain may be too large for the inverse transform.
    for a in &mut *a {
        *a = barrett_reduce::<Q>(*a);
    }
    ntt.intt(logn, a);
    ntt.residues(coefficients, a);
}

/// Computes `product <- s2 h` in the coefficient domain. `h` is in the transform domain; `product`
/// holds `n` words.
pub(crate) fn multiply<N: Ntt>(
    ntt: &N,
    logn: u32,
    s2: &[i16],
    h: &[N::Word],
    product: &mut [N::Word],
) {
    ntt.set_signed(product, s2);
    ntt.ntt(logn, product);
    ntt.mul_then_intt(logn, product, h);
}

/// Computes `s2 <- z0 f + z1 F` and `z0 <- s1 = c - s2 h`, both modulo `q` and centred. They are
/// the vector `(c, 0) - z B` if its coefficients are at most `(q - 1) / 2` in absolute value, as
/// those of a short vector are. Returns the squared norm. Constant time.
///
/// `z0`, `z1` and `small` hold `n` words each. The first two hold the coefficients of `z` modulo
/// `q`, at most 6145 in absolute value; `h` is in the transform domain, `c` in `[0, q)`.
pub(crate) fn preimage(
    isa: impl Isa,
    logn: u32,
    [f, capital_f]: [&[i8]; 2],
    h: &[i16],
    c: &[u16],
    [z0, z1, small]: [&mut [i16]; 3],
    s2: &mut [i16],
) -> u64 {
    let ntt = PortableNtt(isa);
    for (z, row) in [(&mut *z0, f), (&mut *z1, capital_f)] {
        ntt.set_small(small, row);
        ntt.ntt(logn, small);
        ntt.ntt(logn, z);
        ntt.mul_assign(z, small);
    }
    isa.vectorize(
        #[inline(always)]
        || {
            for (z0, &z1) in z0.iter_mut().zip(&*z1) {
                *z0 = barrett_reduce::<Q>(*z0 + z1);
            }
        },
    );
    s2.copy_from_slice(z0);
    ntt.intt(logn, s2);
    isa.vectorize(
        #[inline(always)]
        || {
            for s2 in &mut *s2 {
                *s2 = barrett_reduce::<Q>(*s2);
            }
        },
    );
    ntt.mul_then_intt(logn, z0, h);
    norm_of_preimage(isa, c, s2, z0)
}

/// Returns true if `(c - s2 h, s2)` is short; see [`norm_of_preimage`].
///
/// Source: Falcon specification v1.2, algorithm 16 (Verify): `s1` and the norm.
pub(crate) fn is_preimage(
    isa: impl Isa,
    logn: u32,
    c: &[u16],
    s2: &[i16],
    product: &mut [i16],
) -> bool {
    is_short(logn, norm_of_preimage(isa, c, s2, product))
}

/// Returns the squared norm of `(c - s2 h, s2)`, in constant time. `c` is in `[0, q)`. `product` is
/// the product `s2 h` of [`Ntt::mul_then_intt`], and becomes `s1 = c - s2 h`, centred.
fn norm_of_preimage(isa: impl Isa, c: &[u16], s2: &[i16], product: &mut [i16]) -> u64 {
    isa.vectorize(
        #[inline(always)]
        || {
            ntt::set_reduced(isa, product, c, |x, c| difference(c, x));
        },
    );
    squared_norm(isa, product) + squared_norm(isa, s2)
}

/// Computes `h <- (c - s1) / s2 mod q`, in `[0, q)`, and returns true. If `s2` is not invertible,
/// returns false, and `h` is unspecified. All operands are public. `scratch` holds `2n` words.
///
/// Source: Falcon specification v1.2, section 3.12.
pub(crate) fn recover(
    isa: impl Isa,
    logn: u32,
    c: &[u16],
    [s1, s2]: [&[i16]; 2],
    h: &mut [u16],
    scratch: &mut [i16],
) -> bool {
    let ntt = PortableNtt(isa);
    let [a, b] = two(1 << logn, scratch);
    ntt.set_signed(a, s2);
    ntt.ntt(logn, a);
    if !ntt.invert_assign(a, b) {
        return false;
    }
    for (h, (&c, &s1)) in h.iter_mut().zip(c.iter().zip(s1)) {
        *h = canonical::<Q>(difference(c, s1));
    }
    ntt.set_residues(b, h);
    ntt.ntt(logn, b);
    ntt.mul_then_intt(logn, a, b);
    ntt.residues(h, a);
    true
}

/// Returns `c - x`. For `c` in `[0, q)` and `|x| <= 12288` the difference is at most 24576 in
/// absolute value, where [`barrett_reduce`] gives centred results. The difference wraps for points
/// that are out of range.
#[inline(always)]
const fn difference(c: u16, x: i16) -> i16 {
    (c as i16).wrapping_sub(x)
}

#[cfg(test)]
mod tests;
