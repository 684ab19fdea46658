//! Arithmetic in `Z[x]/(x^n + 1)` and modulo `q`, as keys and verification need it.
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
use crate::lanes::{Baseline, Isa};
use crate::modq::{Modulus, Q, barrett_reduce, montgomery_mul};
use crate::norm::{is_short, squared_norm};
use crate::ntt::{self, Ntt, PORTABLE_NTT, Twiddles};

/// `f` is not invertible modulo `q` and `x^n + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotInvertible;

/// `quotient <- g / f mod q` in the transform domain. All slices hold `n` words.
fn quotient<N: Ntt>(
    ntt: &N,
    logn: u32,
    [f, g]: [&[i8]; 2],
    quotient: &mut [N::Word],
    other: &mut [N::Word],
    tmp: &mut [N::Word],
) -> Result<(), NotInvertible> {
    ntt.set_small(quotient, f);
    ntt.ntt(logn, quotient, tmp);
    if !ntt.invert_assign(quotient, tmp) {
        return Err(NotInvertible);
    }
    ntt.set_small(other, g);
    ntt.ntt(logn, other, tmp);
    ntt.mul_assign(quotient, other);
    Ok(())
}

/// Three slices of `n` words.
fn thirds<W>(n: usize, scratch: &mut [W]) -> [&mut [W]; 3] {
    let (a, rest) = scratch.split_at_mut(n);
    let (b, rest) = rest.split_at_mut(n);
    [a, b, rest.split_at_mut(n).0]
}

/// `h <- g / f mod q`, in `[0, q)`. `scratch` holds `3n` words. Constant time,
/// except for the outcome.
pub(crate) fn public_key<N: Ntt>(
    ntt: &N,
    logn: u32,
    f: &[i8],
    g: &[i8],
    h: &mut [u16],
    scratch: &mut [N::Word],
) -> Result<(), NotInvertible> {
    let [a, b, tmp] = thirds(1 << logn, scratch);
    quotient(ntt, logn, [f, g], a, b, tmp)?;
    ntt.intt(logn, a, tmp);
    ntt.residues(h, a);
    Ok(())
}

/// `G` from `f, g, F`: the solution of `fG - gF = q` over the integers.
///
/// The reference takes `G = gF/f mod q`, centred, and refuses it outside
/// `[-127, 127]`. This alone accepts `F = G = 0`, whose signer would never
/// end, so the equation itself is checked as well. `fG - gF - q` is divisible
/// by `q` by construction and its coefficients are below
/// `2 * 1024 * 127^2 + q < q p / 2` with `p = 18433`; so it is zero if it is
/// zero modulo `p`, which a second transform tells.
///
/// `scratch` holds `5n` values. Constant time, except for the outcome.
pub(crate) fn complete_private(
    logn: u32,
    f: &[i8],
    g: &[i8],
    capital_f: &[i8],
    capital_g: &mut [i8],
    scratch: &mut [i16],
) -> Result<(), DecodeError> {
    let ntt = PORTABLE_NTT;
    let [a, b, tmp] = thirds(1 << logn, scratch);
    quotient(&ntt, logn, [f, g], a, b, tmp).map_err(|NotInvertible| DecodeError::InvalidKey)?;
    ntt.set_small(b, capital_f);
    ntt.ntt(logn, b, tmp);
    ntt.mul_assign(a, b);
    ntt.intt(logn, a, tmp);
    let mut out_of_range = 0;
    for (out, &x) in capital_g.iter_mut().zip(&*a) {
        let x = barrett_reduce::<Q>(x);
        out_of_range |= (127 - x) | (x + 127);
        *out = x as i8;
    }
    if out_of_range < 0 {
        return Err(DecodeError::InvalidKey);
    }
    if !ntru_equation_holds(logn, [f, capital_g, g, capital_f], scratch) {
        return Err(DecodeError::InvalidKey);
    }
    Ok(())
}

/// The least prime above `q` with `2048 | p - 1`; it serves [`complete_private`] only.
#[derive(Clone, Copy)]
pub(crate) struct ExactnessPrime;

impl Modulus for ExactnessPrime {
    const P: i16 = 18433;
    const EAGER: bool = true;
}

static EXACTNESS_TWIDDLES: Twiddles = Twiddles::forward::<ExactnessPrime>();

/// Whether `fG - gF = q` modulo the exactness prime, given `[f, G, g, F]`.
fn ntru_equation_holds(logn: u32, factors: [&[i8]; 4], scratch: &mut [i16]) -> bool {
    type M = ExactnessPrime;
    let n = 1 << logn;
    let (values, tmp) = scratch.split_at_mut(4 * n);
    for (value, small) in values.chunks_exact_mut(n).zip(factors) {
        PORTABLE_NTT.set_small(value, small);
        ntt::forward::<M, _>(Baseline, &EXACTNESS_TWIDDLES, logn, value, tmp);
    }
    let (left, right) = values.split_at_mut(2 * n);
    for product in [&mut *left, &mut *right] {
        let (a, b) = product.split_at_mut(n);
        ntt::pointwise_mul::<M, _>(Baseline, a, b);
    }
    // Both products are in Montgomery form.
    let q = montgomery_mul::<M>(Q::P, M::R2);
    let mut nonzero = 0;
    for (&fg, &gf) in left.iter().zip(&*right).take(n) {
        nonzero |= barrett_reduce::<M>(barrett_reduce::<M>(fg - gf) - q);
    }
    nonzero == 0
}

/// `product <- s2 h` in the coefficient domain. `h` is in the transform domain;
/// `product` and `tmp` hold `n` words.
pub(crate) fn multiply<N: Ntt>(
    ntt: &N,
    logn: u32,
    s2: &[i16],
    h: &[N::Word],
    product: &mut [N::Word],
    tmp: &mut [N::Word],
) {
    ntt.set_signed(product, s2);
    ntt.ntt(logn, product, tmp);
    ntt.mul_assign(product, h);
    ntt.intt(logn, product, tmp);
}

/// Whether `(c - s2 h, s2)` is short, given the product `s2 h`; `c` in
/// `[0, q)` becomes `s1`, centred, in two's complement. Variable time: all
/// operands are public.
pub(crate) fn is_preimage_vartime<N: Ntt>(
    isa: impl Isa,
    ntt: &N,
    logn: u32,
    c: &mut [u16],
    s2: &[i16],
    product: &[N::Word],
) -> bool {
    ntt.sub_centred(c, product);
    let s1 = squared_norm(isa, c, |s| s as i16);
    is_short(logn, s1 + squared_norm(isa, s2, |s| s))
}

#[cfg(test)]
mod tests;
