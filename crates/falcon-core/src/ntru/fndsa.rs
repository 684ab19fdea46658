//! Key generation as the crate `fn-dsa` 0.4.0 does it.
//!
//! This module draws other polynomials than round 3, refuses other candidates, and does both in
//! another order. The solver is the same, but the reduction of `fn-dsa` in fixed point refuses some
//! pairs that have a solution. [`condition`] finds the levels that could fail. [`reduction`]
//! reduces at these levels as `fn-dsa` does. The last division is that of `fn-dsa`.
//!
//! A candidate is refused for one of these reasons, in this order: `f` is not invertible modulo
//! `q`, and then `g` is not drawn; the norm of `(f, g)` is `1.17 sqrt(q)` or more; the norm of its
//! orthogonalised partner is `0.999 * 1.17 sqrt(q)` or more; the NTRU equation has no solution that
//! fits, or `fn-dsa` does not find it.
//!
//! Time and memory accesses depend on secrets in these ways. The refusals concern discarded
//! candidates. About the key that is kept, time and accesses reveal:
//!
//! - whether the square of the orthogonalised norm is within `2^-10` of its bound, relative to the
//!   bound: then fixed point decides (2 to 3 keys in 100)
//! - how many levels are tried, which depends on the order of magnitude of the values and
//!   coefficients of `f_d` and `g_d`, and on whether `f_3` is small at a root
//! - whether an `F_d` is much larger than `f_d`: then all levels are tried (1 key in 100)
//! - whether a coefficient of the last quotient is within `2^-15` of a half: then all levels are
//!   tried (3 keys in 100 at degree 512, 6 at 1024)
//! - whether a value of `f_d` is zero modulo a prime: then all levels are tried (1 key in
//!   thousands)
//!
//! `docs/CONSTANT-TIME.md` lists every value that is revealed.
//!
//! Below degree 512 a coefficient of `f` or `g` can exceed the width of its encoding, once in about
//! 30,000 keys of degree 256. `fn-dsa` then writes a key that is wrong. Here the candidate is
//! refused.
//!
//! Source: crates `fn-dsa-kgen` 0.4.0 and `fn-dsa-comm` 0.4.0 of T. Pornin.

mod condition;
mod q32;
mod reduction;
mod solve;

use super::gauss::{Draw, sample_sums};
use super::short::{sum_bound, sum_of_inverses};
use super::{DrawPolynomial, KeyPolys, Scratch, fits, search};
use crate::engine::Best;
use crate::error::FaultError;
use crate::hash::Shake256Reader;
use crate::lanes::{Binary64, Double};
use crate::ntt::PORTABLE_NTT;
use crate::reveal::reveal;
use crate::ring;

/// `2^15 P(|X| > j)` for a discrete Gaussian `X` of deviation `1.17 sqrt(q / 1024)`.
const GAUSS_512: [u16; 17] = [
    29543, 23286, 17574, 12669, 8706, 5692, 3535, 2083, 1164, 615, 308, 146, 65, 28, 11, 4, 1,
];

/// `2^15 P(|X| > j)` for a discrete Gaussian `X` of deviation `1.17 sqrt(q / 2048)`.
const GAUSS_1024: [u16; 12] = [
    28207, 19623, 12472, 7198, 3753, 1761, 742, 280, 94, 28, 8, 2,
];

/// A draw of two bytes, looked up in a table. Bit 0 is the sign.
#[derive(Clone, Copy)]
struct Tabulated(&'static [u16]);

impl Draw for Tabulated {
    type Bytes = [u8; 2];

    const ZERO: Self::Bytes = [0; 2];

    fn bytes(draws: &mut [Self::Bytes]) -> &mut [u8] {
        draws.as_flattened_mut()
    }

    #[inline(always)]
    fn value(self, bytes: Self::Bytes) -> i32 {
        let x = i32::from(u16::from_le_bytes(bytes));
        let (uniform, sign) = (x >> 1, -(x & 1));
        let above = |entry: &u16| (uniform - i32::from(*entry)) >> 31;
        let magnitude = -self.0.iter().map(above).sum::<i32>();
        (magnitude ^ sign) - sign
    }
}

/// Fills `f` with a polynomial of odd coefficient sum. Below degree 512 a coefficient is a sum of
/// draws from the table for degree 512.
fn sample(
    best: Best,
    logn: u32,
    stream: &mut Shake256Reader,
    f: &mut [i8],
) -> Result<(), FaultError> {
    match logn {
        10 => sample_sums(best, Tabulated(&GAUSS_1024), logn, 1, stream, f),
        _ => sample_sums(
            best,
            Tabulated(&GAUSS_512),
            logn,
            1 << (9 - logn),
            stream,
            f,
        ),
    }
}

/// Computes the answer of [`q32::orthogonal_norm`] in binary64. Returns `None` without a binary64
/// unit, or if the norm is so close to the bound, or so large, that the roundings of the
/// fixed-point numbers could decide.
///
/// In fixed point, the reciprocals of `|f|^2 + |g|^2`, about `2^-14`, are rounded to units of
/// `2^-32`. So a norm that does not overflow is right to `2^-16`. The margin is `2^-10`.
fn orthogonal_norm_is_short<B: Binary64>(b: B, logn: u32, f: &[i8], g: &[i8]) -> Option<bool> {
    const MARGIN: f64 = 1.0 / 1024.0;
    if !B::HARDWARE {
        return None;
    }
    let bound = 0.999 * 0.999 * sum_bound(logn);
    let sum = B::F64::from(sum_of_inverses(b, logn, f, g));
    let below = |bound: f64| sum.below(bound.into()) != 0;
    if reveal(below(bound * (1.0 - MARGIN))) {
        Some(true)
    } else if reveal(!below(bound * (1.0 + MARGIN)) & below(1024.0 * bound)) {
        Some(false)
    } else {
        None
    }
}

/// Draws candidates from `stream` until one is a key.
///
/// # Errors
/// As for [`generate`](super::generate) of round 3.
pub(crate) fn generate(
    logn: u32,
    stream: &mut Shake256Reader,
    out: KeyPolys<'_>,
    scratch: &mut Scratch<'_>,
) -> Result<(), FaultError> {
    let best = Best::find();
    let draw = &mut |f: &mut [i8]| sample(best, logn, stream, f);
    on_best!(best, b => generate_on(best, b, logn, draw, out, scratch))
}

/// Generates a key as [`generate`] does, with polynomials from `draw`. The solver runs on `b`, the
/// norm in binary64 on `best`.
fn generate_on<B: Binary64>(
    best: Best,
    b: B,
    logn: u32,
    draw: DrawPolynomial<'_>,
    out: KeyPolys<'_>,
    scratch: &mut Scratch<'_>,
) -> Result<(), FaultError> {
    search(logn, out, scratch, |key, scratch| {
        let (f, g) = (&mut *key.f, &mut *key.g);
        draw(f)?;
        // The quotient f/f exists if f is invertible.
        if ring::public_key(&PORTABLE_NTT, logn, f, f, key.h, scratch.residues).is_err() {
            return Ok(false);
        }
        draw(g)?;
        if !reveal(fits(logn, f, g)) {
            return Ok(false);
        }
        // Judging the norm in binary64 takes a quarter of the time.
        let answer = on_best!(best, isa => {
            to_nearest!(isa => orthogonal_norm_is_short(isa, logn, f, g))
        });
        let judge = || reveal(q32::orthogonal_norm(logn, f, g, scratch.wide));
        if !answer.unwrap_or_else(judge) {
            return Ok(false);
        }
        let (words, wide) = (&mut *scratch.words, &mut *scratch.wide);
        let solved =
            solve::solve_in_fixed_point(b, logn, f, g, key.capital_f, key.capital_g, words, wide);
        Ok(solved.is_ok()
            && ring::public_key(&PORTABLE_NTT, logn, f, g, key.h, scratch.residues).is_ok())
    })
}

#[cfg(test)]
mod tests;
