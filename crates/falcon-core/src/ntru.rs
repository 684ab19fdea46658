//! Key generation: short `f` and `g` from a byte stream, then the NTRU equation.
//!
//! [`generate`] reads a SHAKE256 stream and gives the key that the round-3 reference gives for the
//! same stream, on every platform. It computes with integers. Where the reference's own rounding
//! errors decide, [`replay`] repeats them in binary64. With a binary64 unit, [`compare_norm`]
//! refuses most of the candidates whose norm is too large.
//!
//! The hash of the stream, the draws and [`compare_norm`] run on the best engine. The solver runs
//! on the best engine on AArch64, and in portable code elsewhere. The integer norms and the public
//! key are computed in portable code.
//!
//! The loops of the solver are vectorised: over the coefficients of long polynomials, and over the
//! primes where short polynomials have residues modulo many primes ([`Moduli`](modulus::Moduli)).
//!
//! A candidate `(f, g)` is refused for one of these reasons, in this order: a coefficient does not
//! fit the encoding; the norm of `(f, g)` or of its orthogonalised partner exceeds `1.17 sqrt(q)`;
//! `f` is not invertible modulo `q`; the NTRU equation has no solution that fits. Then both
//! polynomials are drawn again.
//!
//! Time and memory accesses depend on secrets in three ways only. The first is these refusals,
//! which concern discarded candidates. The second is the number of levels of the tower that a
//! replay covers: none for 95 % of the keys at degree 512, and for 75 % at degree 1024. It reveals
//! the order of magnitude of one condition number. The third is whether the solver exchanges `f`
//! and `g`, as it does for one key in thousands. `docs/CONSTANT-TIME.md` lists every value that is
//! revealed.
//!
//! Scratch: 45 KB at degree 512, 93 KB at degree 1024; the stack stays below 32 KB.
//!
//! Source: Falcon specification v1.2, section 3.8.

mod fixed;
#[cfg(all(feature = "alloc", feature = "fndsa-provisional"))]
pub(crate) mod fndsa;
mod gauss;
mod gauss_table;
mod memory;
mod modulus;
mod primes;
mod radix31;
mod replay;
mod rns;
mod short;
mod solve;
mod stability;
mod tower;
mod wide;
mod zint;

use crate::engine::Best;
use crate::error::FaultError;
use crate::hash::Shake256Reader;
#[cfg(not(target_arch = "aarch64"))]
use crate::lanes::Native;
use crate::lanes::{Binary64, wipe};
use crate::ntt::PORTABLE_NTT;
use crate::reveal::reveal;
use crate::ring;
pub(crate) use memory::words_len;
use short::fits;
#[cfg(test)]
pub(crate) use short::norms_len;
pub(crate) use short::{Comparison, check_norms, compare_norm};

/// The polynomials of a key pair, each of length `n = 2^logn`.
pub(crate) struct KeyPolys<'a> {
    /// `f`.
    pub(crate) f: &'a mut [i8],
    /// `g`.
    pub(crate) g: &'a mut [i8],
    /// `F`.
    pub(crate) capital_f: &'a mut [i8],
    /// `G`.
    pub(crate) capital_g: &'a mut [i8],
    /// `h = g / f mod q`.
    pub(crate) h: &'a mut [u16],
}

/// Working memory of key generation. It holds secrets, and is wiped at the end of key generation.
pub(crate) struct Scratch<'a> {
    /// At least [`words_len`] words.
    pub(crate) words: &'a mut [u32],
    /// At least [`wide_len`] words.
    pub(crate) wide: &'a mut [i64],
    /// At least [`residues_len`] residues.
    pub(crate) residues: &'a mut [i16],
}

impl core::fmt::Debug for Scratch<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

/// Length of [`Scratch::wide`].
pub(crate) const fn wide_len(logn: u32) -> usize {
    memory::wide_len(logn) + (1 << logn) / 2
}

/// Length of [`Scratch::residues`].
pub(crate) const fn residues_len(logn: u32) -> usize {
    2 << logn
}

/// Number of candidates of degree `2^logn` after which the device counts as faulty.
///
/// A candidate becomes a key with a chance above 1/64. So the chance that 2^13 candidates are all
/// refused is below `2^-186`. In measurements, one candidate in 11 is a key at degree 512, and one
/// in 19 at degree 1024. FN-DSA draws one or two polynomials for a candidate. For a key, it draws
/// 24 at degree 512, and 60 at degree 1024. Smaller degrees need fewer candidates, except degrees 2
/// and 4 of FN-DSA, which draw 7,300 and 630 polynomials for a key. With a chance above 1/8000 for
/// each candidate, the chance that 2^20 candidates are all refused is below `2^-189`. Tests repeat
/// these measurements and computations.
const fn max_candidates(logn: u32) -> u32 {
    if logn < 3 { 1 << 20 } else { 1 << 13 }
}

/// Draws candidates from `stream` until one is a key.
///
/// # Errors
/// [`FaultError`] if [`max_candidates`] are refused, or if a polynomial cannot be drawn. Then all
/// polynomials are zero.
pub(crate) fn generate(
    logn: u32,
    stream: &mut Shake256Reader,
    out: KeyPolys<'_>,
    scratch: &mut Scratch<'_>,
) -> Result<(), FaultError> {
    let best = Best::find();
    let draw = &mut |f: &mut [i8]| gauss::sample(best, logn, stream, f);
    // On AArch64 the solver uses the registers of the engine, which saves 22 % of the instructions.
    // On x86-64 key generation would be 1.2 times as fast with AVX2, but the second copy of the
    // solver would add 170 KB to each program.
    #[cfg(target_arch = "aarch64")]
    return on_best!(best, b => generate_on(best, b, logn, draw, out, scratch));
    #[cfg(not(target_arch = "aarch64"))]
    generate_on(best, Native::default(), logn, draw, out, scratch)
}

/// Fills a polynomial with the next coefficients, or fails.
type DrawPolynomial<'a> = &'a mut dyn FnMut(&mut [i8]) -> Result<(), FaultError>;

/// Generates a key as [`generate`] does, with polynomials from `draw`. The solver runs on `b`, the
/// norm in binary64 on `best`.
///
/// Source: Falcon specification v1.2, algorithm 4 (Keygen), the part on integers, and
/// algorithm 5 (NTRUGen).
fn generate_on<B: Binary64>(
    best: Best,
    b: B,
    logn: u32,
    draw: DrawPolynomial<'_>,
    out: KeyPolys<'_>,
    scratch: &mut Scratch<'_>,
) -> Result<(), FaultError> {
    search(logn, out, scratch, |key, scratch| {
        let (n, f, g) = (1usize << logn, &mut *key.f, &mut *key.g);
        draw(f)?;
        draw(g)?;
        if !reveal(fits(logn, f, g)) {
            return Ok(false);
        }
        // A refusal in binary64 takes a quarter of the time. Candidates that pass are judged again
        // with integers, since the solver needs the reciprocals as integers.
        let norm = on_best!(best, isa => to_nearest!(isa => compare_norm(isa, logn, f, g)));
        if reveal(norm.above) {
            return Ok(false);
        }
        let (inverse_gram, wide) = scratch.wide.split_at_mut(n / 2);
        if !reveal(fixed::orthogonal_norm(logn, f, g, inverse_gram, wide)) {
            return Ok(false);
        }
        if ring::public_key(&PORTABLE_NTT, logn, f, g, key.h, scratch.residues).is_err() {
            return Ok(false);
        }
        let solved = solve::solve(
            b,
            logn,
            f,
            g,
            key.capital_f,
            key.capital_g,
            inverse_gram,
            scratch.words,
            wide,
        );
        Ok(solved.is_ok())
    })
}

/// Tries candidates until `is_key` accepts one. Wipes the scratch, and also the polynomials if
/// there is no key.
///
/// # Errors
/// As for [`generate`].
fn search(
    logn: u32,
    out: KeyPolys<'_>,
    scratch: &mut Scratch<'_>,
    mut is_key: impl FnMut(&mut KeyPolys<'_>, &mut Scratch<'_>) -> Result<bool, FaultError>,
) -> Result<(), FaultError> {
    let n = 1usize << logn;
    let mut out = KeyPolys {
        f: &mut out.f[..n],
        g: &mut out.g[..n],
        ..out
    };
    let tried = (0..max_candidates(logn)).find_map(|_| match is_key(&mut out, scratch) {
        Ok(false) => None,
        tried => Some(tried.map(drop)),
    });
    let result = tried.unwrap_or(Err(FaultError));
    wipe(scratch.words);
    wipe(scratch.wide);
    wipe(scratch.residues);
    if result.is_err() {
        for polynomial in [out.f, out.g, out.capital_f, out.capital_g] {
            wipe(polynomial);
        }
        out.h.fill(0);
    }
    result
}

#[cfg(test)]
mod tests;
