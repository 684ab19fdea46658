//! Key generation as the crate `fn-dsa` 0.4.0 does it.
//!
//! It differs from round 3 in what is drawn, in which candidates are refused, and in the order of
//! both. The solver is the same down to degree 1. On the way up, [`reduction`] replaces the exact
//! steps by those of `fn-dsa` in fixed point, which refuse some pairs that have a solution. The
//! last step is the same but for its division.
//!
//! A candidate is refused for one of these reasons, in this order: `f` is not invertible modulo
//! `q`, and then `g` is not drawn; the norm of `(f, g)` is `1.17 sqrt(q)` or more; that of its
//! orthogonalised partner is `0.999 * 1.17 sqrt(q)` or more; the NTRU equation has no solution
//! that fits, or `fn-dsa` does not find it.
//!
//! Time and memory accesses depend on the refusals of discarded candidates only.
//!
//! Below degree 512 a coefficient of `f` or `g` can exceed the width of its encoding, once in about
//! 30,000 keys of degree 256. `fn-dsa` then writes a key that is wrong. Here the candidate is
//! refused.
//!
//! Source: crates `fn-dsa-kgen` 0.4.0 and `fn-dsa-comm` 0.4.0 of T. Pornin.

pub(super) mod q32;
pub(super) mod reduction;

use super::gauss::{Draw, sample_sums};
use super::{KeyPolys, Scratch, fits, solve};
use crate::engine::Best;
use crate::hash::Shake256Reader;
#[cfg(not(target_arch = "aarch64"))]
use crate::lanes::Native;
use crate::lanes::{Binary64, wipe};
use crate::ntt::PORTABLE_NTT;
use crate::ring;

/// `2^15 P(|X| > j)` for a discrete Gaussian `X` of deviation `1.17 sqrt(q / 1024)`.
const GAUSS_512: [u16; 17] = [
    29543, 23286, 17574, 12669, 8706, 5692, 3535, 2083, 1164, 615, 308, 146, 65, 28, 11, 4, 1,
];

/// The same for deviation `1.17 sqrt(q / 2048)`.
const GAUSS_1024: [u16; 12] = [
    28207, 19623, 12472, 7198, 3753, 1761, 742, 280, 94, 28, 8, 2,
];

/// Draws from a table: two bytes, of which bit 0 is the sign.
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
/// draws for 512.
fn sample(best: Best, logn: u32, stream: &mut Shake256Reader, f: &mut [i8]) {
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

/// Draws candidates from `stream` until one is a key.
pub(crate) fn generate(
    logn: u32,
    stream: &mut Shake256Reader,
    out: KeyPolys<'_>,
    scratch: &mut Scratch<'_>,
) {
    let best = Best::find();
    // As in round 3: see `ntru::generate`.
    #[cfg(target_arch = "aarch64")]
    on_best!(best, b => generate_on(best, b, logn, stream, out, scratch));
    #[cfg(not(target_arch = "aarch64"))]
    generate_on(best, Native::default(), logn, stream, out, scratch);
}

/// [`generate`], where the solver computes on `b` and the draws on `best`.
fn generate_on<B: Binary64>(
    best: Best,
    b: B,
    logn: u32,
    stream: &mut Shake256Reader,
    out: KeyPolys<'_>,
    scratch: &mut Scratch<'_>,
) {
    let n = 1usize << logn;
    let KeyPolys {
        f,
        g,
        capital_f,
        capital_g,
        h,
    } = out;
    let (f, g) = (&mut f[..n], &mut g[..n]);
    loop {
        sample(best, logn, stream, f);
        // f/f exists if f is invertible.
        if ring::public_key(&PORTABLE_NTT, logn, f, f, h, scratch.residues).is_err() {
            continue;
        }
        sample(best, logn, stream, g);
        if !fits(logn, f, g) || !q32::orthogonal_norm(logn, f, g, scratch.wide) {
            continue;
        }
        let (words, wide) = (&mut *scratch.words, &mut *scratch.wide);
        if solve::solve_in_fixed_point(b, logn, f, g, capital_f, capital_g, words, wide).is_ok()
            && ring::public_key(&PORTABLE_NTT, logn, f, g, h, scratch.residues).is_ok()
        {
            break;
        }
    }
    wipe(scratch.words);
    wipe(scratch.wide);
    wipe(scratch.residues);
}

#[cfg(test)]
mod tests;
