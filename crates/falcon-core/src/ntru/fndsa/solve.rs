//! The NTRU solver of `fn-dsa`.
//!
//! The descent and the exact solver are those of round 3, [`solve`](crate::ntru::solve).

use super::reduction::{self, IMPRECISE};
use super::{condition, q32};
use crate::lanes::{Binary64, Isa};
use crate::ntru::memory::{Words, area_len, replay_memory};
use crate::ntru::modulus::{Moduli, Modulus};
use crate::ntru::rns::{intt, ntt, twiddles as twiddle_table};
use crate::ntru::solve::{
    Problem, Refusal, ascend, bottom_from_resultants, descend, numerator, resultants,
    subtract_quotient,
};
use crate::ntru::{tower, zint};
use crate::reveal::reveal;

const _: () = {
    let mut logn = 1;
    while logn <= crate::params::MAX_LOGN {
        assert!(reduction::area_len(logn) <= area_len(logn));
        logn += 1;
    }
};

/// Finds `(F, G)` as the crate `fn-dsa` 0.4.0 does, or refuses the pair as that crate does. `wide`
/// holds `n/2` numbers more than [`wide_len`](crate::ntru::memory::wide_len).
///
/// At the levels where that crate could fail, this function tries the same reduction with the same
/// arithmetic. If the reduction succeeds, the solution is that of the exact solver.
///
/// Source: T. Pornin, eprint 2025/1239.
pub(super) fn solve_in_fixed_point<B: Binary64>(
    b: B,
    logn: u32,
    f: &[i8],
    g: &[i8],
    capital_f: &mut [i8],
    capital_g: &mut [i8],
    words: &mut [u32],
    wide: &mut [i64],
) -> Result<(), Refusal> {
    let unsure = condition::least_unsure_level(logn, f, g, words, wide);
    let problem = Problem { logn, f, g };
    solve_from_level(b, problem, unsure, capital_f, capital_g, words, wide)
}

/// Solves as [`solve_in_fixed_point`] does. The reduction is tried up to level `unsure` (zero: not
/// at all), or at least up to level [`IMPRECISE`] if [`reduction::is_precise`] returns false.
fn solve_from_level<B: Binary64>(
    b: B,
    problem: Problem<'_>,
    unsure: u32,
    capital_f: &mut [i8],
    capital_g: &mut [i8],
    words: &mut [u32],
    wide: &mut [i64],
) -> Result<(), Refusal> {
    let logn = problem.logn;
    let n = 1usize << logn;
    let mut w = Words::new(logn, words);
    for d in 0..logn {
        descend(b, problem, d, &mut w);
        core::mem::swap(&mut w.here, &mut w.next);
    }
    let mut memory = replay_memory(logn, words, wide);
    let mut unsure = reveal(unsure);
    if (unsure == 0 || unsure > IMPRECISE) && !reveal(reduction::is_precise(b, logn, &mut memory)) {
        unsure = IMPRECISE;
    }
    let mut level = 0;
    if unsure > 0 {
        level = reduction::reduce_to_level(b, logn, unsure, &mut memory)?;
    }
    if level != 1 {
        match solve_exactly(b, problem, words, wide, capital_f, capital_g) {
            Err(Refusal::Singular) => {}
            result => return result,
        }
        let mut memory = replay_memory(logn, words, wide);
        reduction::reduce_to_level(b, logn, 1, &mut memory)?;
    }
    let mut w = Words::new(logn, words);
    w.multiples[..n / 2].copy_from_slice(&w.here[..n / 2]);
    // For one key in a million, a value of f is zero modulo the first prime. Then another prime is
    // tried.
    let mut result = Err(Refusal::Singular);
    for index in 0..3 {
        b.vectorize(
            #[inline(always)]
            || result = top_in_fixed_point(b, problem, index, &mut w, wide, capital_f, capital_g),
        );
        if result != Err(Refusal::Singular) {
            break;
        }
    }
    result
}

/// Solves as [`solve_in_fixed_point`] does. The reduction is tried at every level.
#[cfg(test)]
pub(super) fn solve_at_every_level<B: Binary64>(
    b: B,
    logn: u32,
    f: &[i8],
    g: &[i8],
    capital_f: &mut [i8],
    capital_g: &mut [i8],
    words: &mut [u32],
    wide: &mut [i64],
) -> Result<(), Refusal> {
    let problem = Problem { logn, f, g };
    solve_from_level(b, problem, 1, capital_f, capital_g, words, wide)
}

/// Solves a pair whose reduction in fixed point is sure to succeed, after the descent.
///
/// # Errors
/// [`Refusal::Singular`] if only the reduction at every level can tell what `fn-dsa` does with the
/// pair. The memory still holds what that reduction needs. Other refusals are final.
fn solve_exactly<B: Binary64>(
    b: B,
    problem: Problem<'_>,
    words: &mut [u32],
    wide: &mut [i64],
    capital_f: &mut [i8],
    capital_g: &mut [i8],
) -> Result<(), Refusal> {
    let logn = problem.logn;
    let mut w = Words::new(logn, words);
    resultants(b, logn, &mut w, wide);
    let len = zint::limbs(tower::longest_base(logn));
    if reveal(reduction::vanishes_modulo_their_prime(&wide[..len])) {
        return Err(Refusal::Singular);
    }
    bottom_from_resultants(b, logn, &mut w, wide)?;
    for d in (0..logn).rev() {
        ascend(b, problem, d, &mut w)?;
        core::mem::swap(&mut w.here, &mut w.next);
    }
    b.vectorize(
        #[inline(always)]
        || {
            let m = tower::base(logn, 0).modulus(0);
            let n = 1usize << logn;
            norm_polynomial(b, m, &mut w, &mut wide[..n]);
            q32::scale_and_transform(&mut wide[..n]);
            let (denominator, rest) = wide.split_at_mut(n / 2);
            let quotient = &mut rest[..n];
            numerator(b, m, &mut w, quotient)?;
            q32::divide(denominator, quotient);
            if reveal(q32::is_close_to_a_half(quotient)) {
                return Err(Refusal::Singular);
            }
            q32::round_all(quotient);
            subtract_quotient(b, m, &mut w, quotient, capital_f, capital_g)
        },
    )
}

/// Computes `G` from `F_1`, whose words are in `multiples`, and rounds the pair with the division
/// of `fn-dsa`. `index` is the number of the prime.
///
/// `fn-dsa` computes modulo a prime that is twice as large. No numerator was found that fits only
/// the larger prime: 4,000 keys of each of the degrees 4, 8 and 16 are the same with both primes.
#[inline(always)]
fn top_in_fixed_point<I: Isa>(
    isa: I,
    problem: Problem<'_>,
    index: usize,
    w: &mut Words<'_>,
    wide: &mut [i64],
    capital_f: &mut [i8],
    capital_g: &mut [i8],
) -> Result<(), Refusal> {
    let n = 1usize << problem.logn;
    let m = Modulus::new(index);
    lift_to_the_top(isa, problem, m, w);
    norm_polynomial(isa, m, w, &mut wide[..n]);
    q32::scale_and_transform(&mut wide[..n]);
    let (denominator, rest) = wide.split_at_mut(n / 2);
    let quotient = &mut rest[..n];
    numerator(isa, m, w, quotient)?;
    q32::divide(denominator, quotient);
    q32::round_all(quotient);
    subtract_quotient(isa, m, w, quotient, capital_f, capital_g)
}

/// Writes `f`, `g` (to `kept`) and `F` (to `here`) in the NTT domain of `m`. The words of `F_1` are
/// in `multiples`.
#[inline(always)]
fn lift_to_the_top<I: Isa>(isa: I, problem: Problem<'_>, m: Modulus, w: &mut Words<'_>) {
    let n = 1usize << problem.logn;
    let alone = Moduli::from(m);
    let twiddles = &mut w.twiddles[..n];
    twiddle_table(isa, &alone, twiddles);
    let (f, g) = w.kept[..2 * n].split_at_mut(n);
    for (values, small) in [(f, problem.f), (&mut *g, problem.g)] {
        for (x, y) in values.iter_mut().zip(small) {
            *x = m.encode(i32::from(*y));
        }
        ntt(isa, &alone, twiddles, values);
    }

    // F = F_1(x^2) g(-x). Values at opposite points are neighbours.
    let (words, rest) = w.multiples.split_at_mut(n / 2);
    let lifted = &mut rest[..n / 2];
    for (x, word) in lifted.iter_mut().zip(words) {
        // The word is 31 bits in two's complement.
        let sign = (*word >> 30).wrapping_neg();
        *x = m.sub(m.encode_word(*word), m.encode_word(1 << 31) & sign);
    }
    ntt(isa, &alone, &twiddles[..n / 2], lifted);
    let out = w.here[..n].as_chunks_mut::<2>().0;
    for ((out, x), g) in out.iter_mut().zip(lifted).zip(g.as_chunks::<2>().0) {
        *out = [m.mul(*x, g[1]), m.mul(*x, g[0])];
    }
}

/// Computes the coefficients of `f f* + g g*` from the values in `kept`.
#[inline(always)]
fn norm_polynomial<I: Isa>(isa: I, m: Modulus, w: &mut Words<'_>, out: &mut [i64]) {
    let n = out.len();
    let (f, g) = w.kept[..2 * n].split_at(n);
    let norm = &mut w.quotient[..n];
    for (i, x) in norm.iter_mut().enumerate() {
        let j = n - 1 - i;
        *x = m.add(m.mul(f[i], f[j]), m.mul(g[i], g[j]));
    }
    intt(isa, &Moduli::from(m), &w.twiddles[..n], norm);
    for (x, y) in out.iter_mut().zip(norm) {
        *x = i64::from(m.decode(*y));
    }
}
