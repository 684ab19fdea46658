//! NTRU solver: `(F, G)` with `f G - g F = q` in `Z[x]/(x^n + 1)`, fully reduced.
//!
//! Symbols: `f_0 = f`, `f_(d+1)(x^2) = f_d(x) f_d(-x)` (the field norm), and likewise for `g`.
//! `C_d` is the set of RNS primes that [`tower`] chooses for level `d`, `M_d` the product of the
//! primes of `C_(d+1)`, and `E_d = M_0 M_1 ... M_(d-1)`.
//!
//! The recursion keeps only `F` and never needs a quotient of large numbers:
//!
//! 1. Down: `f_d`, `g_d` on `C_d` and `C_(d+1)`, for all `d`.
//! 2. Bottom, degree 1: `f_N G_N - g_N F_N = q E_N`, from the inverse of `g_N` modulo `f_N`.
//! 3. Up: with `F' = F_(d+1)(x^2) g_d(-x)` there is a `G'` with `f_d G' - g_d F' = q E_(d+1)`. Let
//!    `k = F'/f_d mod M_d`, coefficients centred. `F_d = (F' - k f_d)/M_d` is an integer
//!    polynomial, and so is `G_d = (G' - k g_d)/M_d`: `f_d G_d - g_d F_d = q E_d`, because
//!    `E_(d+1) = M_d E_d`. This is Montgomery's reduction, in the ring. It reduces as well as
//!    Babai's rounding: the coefficients of `F_d/f_d = F'/(f_d M_d) - k/M_d` are at most `1/2` in
//!    absolute value, plus a first term that is small, since `M_d` is as large as `F'/f_d`.
//! 4. Top: `G = (q + g F)/f`, then Babai's rounding of the pair with
//!    `k = round((F f* + G g*)/(f f* + g g*))`: its result is unique.
//!
//! Modulo a prime of `C_(d+1)`, a value of `f_d` is zero if one of the `2^logn` values of `f` is
//! zero. This happens for one key in 13,000 of degree 512, and for one in 3,000 of degree 1024.
//! Then the roles of `f` and `g` are exchanged.
//!
//! A pair is refused for one of these reasons:
//!
//! - the reference's reduction fails, or its integers do not fit, in a [`replay`]
//! - the resultants of `f` and `g` are not coprime
//! - a value of `f` and one of `g` are zero modulo primes of the bases: exchanging does not help
//! - a coefficient of the reduced `F` or `G` exceeds 127 in absolute value
//!
//! At the top, `G` is defined by the equation modulo a prime `p`. All coefficients are at most 127
//! in absolute value, so `|f G - g F - q| < p`: a result that is returned solves the equation over
//! the integers.
//!
//! Source: Falcon specification v1.2, section 3.8.3 (NTRUSolve); T. Pornin and T. Prest, eprint
//! 2019/015 (field norms, residues); T. Pornin, eprint 2025/1239 (working on `F` alone).

use super::fixed;
use super::memory::{Words, replay_memory};
use super::modulus::{Moduli, Modulus};
use super::replay::{self, Outcome};
use super::rns::{
    Base, combine, intt, intt_lazy, inverse_product, ntt, scale, twiddles as twiddle_table,
};
use super::tower::{LANES, MAX_PRIMES};
use super::{stability, tower, zint};
use crate::lanes::{Binary64, Isa};
use crate::params::Q;
use crate::reveal::reveal;

/// Reason why the NTRU equation was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The resultants of `f` and `g` with `x^n + 1` have a common factor, or the solution at degree
    /// 1 is too long for a replay or for the reduction of `fn-dsa`.
    CommonFactor,
    /// A prime of the number system, or the prime of `fn-dsa`, divides the resultant of `f`.
    Singular,
    /// `F` or `G` does not fit in `-127..=127`.
    TooLarge,
    /// The reduction of the round-3 reference, or of `fn-dsa`, fails on this pair.
    Breakdown,
}

/// The polynomials `f` and `g`, of length `2^logn`.
#[derive(Clone, Copy)]
pub(super) struct Problem<'a> {
    pub(super) logn: u32,
    pub(super) f: &'a [i8],
    pub(super) g: &'a [i8],
}

/// Weights for a group of primes; see [`rns`](super::rns). Weights are public.
type Weights<const W: usize> = [[u32; W]; MAX_PRIMES + 1];

/// Finds the reduced `(F, G)`. Polynomials have length `2^logn`; [`memory`](super::memory) states
/// the lengths of the scratch.
///
/// The sum of the coefficients of `f` is odd, and so is that of `g`. Coefficients are in
/// `-127..=127`; `inverse_gram` has the values that [`fixed::orthogonal_norm`] stored. The result
/// does not depend on `b`.
///
/// Source: Falcon specification v1.2, algorithm 6 (NTRUSolve), without its recursion on `G`.
pub(super) fn solve<B: Binary64>(
    b: B,
    logn: u32,
    f: &[i8],
    g: &[i8],
    capital_f: &mut [i8],
    capital_g: &mut [i8],
    inverse_gram: &[i64],
    words: &mut [u32],
    wide: &mut [i64],
) -> Result<(), Refusal> {
    let unstable = stability::unstable_level(logn, f, g, words, wide);
    match attempt(
        b,
        Problem { logn, f, g },
        unstable,
        capital_f,
        capital_g,
        inverse_gram,
        words,
        wide,
    ) {
        Err(Refusal::Singular) => {}
        result => return result,
    }
    // f G - g F = q  <=>  g (-F) - f (-G) = q.
    attempt(
        b,
        Problem { logn, f: g, g: f },
        0,
        capital_g,
        capital_f,
        inverse_gram,
        words,
        wide,
    )?;
    for x in capital_f.iter_mut().chain(capital_g) {
        *x = -*x;
    }
    Ok(())
}

/// Solves with the roles of `f` and `g` that `problem` has. `unstable` is the highest level (least
/// `d`) at which the reference's reduction needs a replay, or zero.
fn attempt<B: Binary64>(
    b: B,
    problem: Problem<'_>,
    unstable: u32,
    capital_f: &mut [i8],
    capital_g: &mut [i8],
    inverse_gram: &[i64],
    words: &mut [u32],
    wide: &mut [i64],
) -> Result<(), Refusal> {
    let logn = problem.logn;
    let mut w = Words::new(logn, words);
    for d in 0..logn {
        descend(b, problem, d, &mut w);
        core::mem::swap(&mut w.here, &mut w.next);
    }
    let unstable = reveal(unstable);
    if unstable != 0 {
        let memory = replay_memory(logn, words, wide);
        match replay::replay(b, logn, unstable, memory) {
            Outcome::Succeeds => {}
            Outcome::CommonFactor => return Err(Refusal::CommonFactor),
            Outcome::BreaksDown => return Err(Refusal::Breakdown),
        }
        w = Words::new(logn, words);
    }
    bottom(b, logn, &mut w, wide)?;
    for d in (0..logn).rev() {
        ascend(b, problem, d, &mut w)?;
        core::mem::swap(&mut w.here, &mut w.next);
    }
    b.vectorize(
        #[inline(always)]
        || top(b, problem, &mut w, inverse_gram, wide, capital_f, capital_g),
    )
}

/// Descends one level: from `f_d`, `g_d` on `C_d` (`here`: weighted coefficients) to the values on
/// `C_(d+1)` (`kept`) and to `f_(d+1)`, `g_(d+1)` on `C_(d+1)` (`next`: weighted coefficients).
///
/// Source: Falcon specification v1.2, algorithm 6 (NTRUSolve): the field norms.
pub(super) fn descend<I: Isa>(isa: I, problem: Problem<'_>, d: u32, w: &mut Words<'_>) {
    match (tower::width::<I>(d), tower::width::<I>(d + 1)) {
        (1, 1) => isa.vectorize(
            #[inline(always)]
            || descend_in_lanes::<_, 1, 1>(isa, problem, d, w),
        ),
        (1, _) => isa.vectorize(
            #[inline(always)]
            || descend_in_lanes::<_, 1, LANES>(isa, problem, d, w),
        ),
        _ => isa.vectorize(
            #[inline(always)]
            || descend_in_lanes::<_, LANES, LANES>(isa, problem, d, w),
        ),
    }
}

/// Descends as [`descend`] does. The primes of `C_d` are in groups of `V`, those of `C_(d+1)` in
/// groups of `W`.
#[inline(always)]
fn descend_in_lanes<I: Isa, const V: usize, const W: usize>(
    isa: I,
    problem: Problem<'_>,
    d: u32,
    w: &mut Words<'_>,
) {
    let logn = problem.logn;
    let n = 1usize << (logn - d);
    let (source, target) = (tower::base(logn, d), tower::base(logn, d + 1));
    let (source_lanes, target_lanes) = (source.lanes::<V>(), target.lanes::<W>());
    let twiddles = &mut w.twiddles[..n * W];
    let kept = &mut w.kept[tower::kept_start(logn, d)..tower::kept_start(logn, d + 1)];
    let (f, g) = kept.split_at_mut(n * target_lanes);
    let (f_next, g_next) = w.next.split_at_mut(n / 2 * target_lanes);
    let cofactors = w.cofactors[tower::cofactors_start(logn, d + 1)..].as_chunks_mut::<W>();
    let mut weights: Weights<W> = [[0; W]; MAX_PRIMES + 1];
    let weights = &mut weights[..source.len + 1];

    for (j, cofactors) in cofactors.0[..target_lanes / W].iter_mut().enumerate() {
        let m = target.moduli::<W>(j);
        twiddle_table(isa, &m, twiddles);
        source.weights(isa, &m, weights);
        *cofactors = target.cofactor_inverses(isa, &m, j);
        // With a plain factor, the product with a Montgomery form is a plain number.
        let factor = m.plain(m.mul(*cofactors, m.inverse_power_of_two(n / 2)));
        for (which, values, next) in [(0, &mut *f, &mut *f_next), (1, &mut *g, &mut *g_next)] {
            let values = &mut values[j * n * W..][..n * W];
            if d == 0 {
                let small = if which == 0 { problem.f } else { problem.g };
                for (x, y) in values.as_chunks_mut().0.iter_mut().zip(small) {
                    *x = m.encode(i32::from(*y));
                }
            } else {
                let c = &w.here[which * n * source_lanes..][..n * source_lanes];
                combine::<_, V, W>(isa, &m, weights, c, &w.multiples[which * n..][..n], values);
            }
            ntt(isa, &m, twiddles, values);
            if d + 1 == logn {
                continue; // at degree 1: see `resultant`
            }
            let next = &mut next[j * (n / 2) * W..][..n / 2 * W];
            let pairs = values.as_chunks::<W>().0.as_chunks::<2>().0;
            for (x, [a, b]) in next.as_chunks_mut().0.iter_mut().zip(pairs) {
                *x = m.mul(*a, *b);
            }
            intt_lazy(isa, &m, &twiddles[..n / 2 * W], next);
            scale(&m, next, factor);
        }
    }
    if d + 1 == logn {
        return;
    }
    let (a_f, a_g) = w.multiples.split_at_mut(n / 2);
    target.multiples::<_, W>(isa, &f_next[..n / 2 * target_lanes], a_f);
    target.multiples::<_, W>(isa, &g_next[..n / 2 * target_lanes], &mut a_g[..n / 2]);
}

/// Solves at degree 1: writes `F_N` on `C_N` into `here`, from the values in `kept`.
fn bottom<I: Isa>(isa: I, logn: u32, w: &mut Words<'_>, wide: &mut [i64]) -> Result<(), Refusal> {
    resultants(isa, logn, w, wide);
    bottom_from_resultants(isa, logn, w, wide)
}

/// Writes `f_N` and `g_N` to the start of `wide`.
pub(super) fn resultants<I: Isa>(isa: I, logn: u32, w: &mut Words<'_>, wide: &mut [i64]) {
    let base = tower::base(logn, logn);
    let len = zint::limbs(base.len);
    let (f, rest) = wide.split_at_mut(len);
    let (g, work) = rest.split_at_mut(len);
    for (which, x) in [(0, f), (1, g)] {
        let column = &mut w.column[..base.len];
        if tower::width::<I>(logn) > 1 {
            tower::resultant::<LANES>(logn, which, w.kept, w.cofactors, column);
        } else {
            tower::resultant::<1>(logn, which, w.kept, w.cofactors, column);
        }
        base.multiples::<_, 1>(isa, column, &mut w.multiples[..1]);
        zint::from_residues(base, column, w.multiples[0], x, &mut work[..len]);
    }
}

/// Solves as [`bottom`] does. `wide` starts with `f_N` and `g_N`.
pub(super) fn bottom_from_resultants<I: Isa>(
    isa: I,
    logn: u32,
    w: &mut Words<'_>,
    wide: &mut [i64],
) -> Result<(), Refusal> {
    let grouped = tower::width::<I>(logn) > 1;
    let base = tower::base(logn, logn);
    let len = zint::limbs(base.len);
    let (f, rest) = wide.split_at_mut(len);
    let (g, rest) = rest.split_at_mut(len);
    let (y, work) = rest.split_at_mut(len);
    if !reveal(zint::invert(f, g, y, work)) {
        return Err(Refusal::CommonFactor);
    }
    // F_N = -q * E_N / g_N mod f_N.
    let bases = (1..=logn).map(|d| tower::base(logn, d));
    let primes =
        bases.flat_map(|b| (0..b.len).map(move |i| i64::from(Modulus::prime(b.start + i))));
    let mut primes = primes.chain([i64::from(Q)]);
    let pairs = core::iter::from_fn(|| Some(primes.next()? * primes.next().unwrap_or(1)));
    zint::scale(y, f, pairs);
    isa.vectorize(
        #[inline(always)]
        || {
            if grouped {
                negative_residues::<LANES>(base, y, w.here);
            } else {
                negative_residues::<1>(base, y, w.here);
            }
        },
    );
    Ok(())
}

/// Writes `-y` modulo the primes of the base to the start of `out`.
#[inline(always)]
fn negative_residues<const W: usize>(base: Base, y: &[i64], out: &mut [u32]) {
    let groups = out[..base.lanes::<W>()].as_chunks_mut::<W>().0;
    for (j, out) in groups.iter_mut().enumerate() {
        let m = base.moduli::<W>(j);
        let residues = zint::residues(&m, y);
        *out = m.each(
            #[inline(always)]
            |m, l| m.sub(0, residues[l]),
        );
    }
}

/// Ascends one level: from `F_(d+1)` on `C_(d+1)` (`here`, NTT domain) to `F_d` on `C_d` (`next`,
/// NTT domain).
///
/// Source: Falcon specification v1.2, algorithm 6 (NTRUSolve), on the way up, on `F` alone.
pub(super) fn ascend<I: Isa>(
    isa: I,
    problem: Problem<'_>,
    d: u32,
    w: &mut Words<'_>,
) -> Result<(), Refusal> {
    match (tower::width::<I>(d + 1), tower::width::<I>(d)) {
        (1, _) => isa.vectorize(
            #[inline(always)]
            || ascend_in_lanes::<_, 1, 1>(isa, problem, d, w),
        ),
        (_, 1) => isa.vectorize(
            #[inline(always)]
            || ascend_in_lanes::<_, LANES, 1>(isa, problem, d, w),
        ),
        _ => isa.vectorize(
            #[inline(always)]
            || ascend_in_lanes::<_, LANES, LANES>(isa, problem, d, w),
        ),
    }
}

/// Ascends as [`ascend`] does. The primes of `C_(d+1)` are in groups of `V`, those of `C_d` in
/// groups of `W`.
#[inline(always)]
fn ascend_in_lanes<I: Isa, const V: usize, const W: usize>(
    isa: I,
    problem: Problem<'_>,
    d: u32,
    w: &mut Words<'_>,
) -> Result<(), Refusal> {
    let logn = problem.logn;
    let n = 1usize << (logn - d);
    let (source, target) = (tower::base(logn, d + 1), tower::base(logn, d));
    let (source_lanes, target_lanes) = (source.lanes::<V>(), target.lanes::<W>());
    if !divide::<_, V>(isa, logn, d, w) {
        return Err(Refusal::Singular);
    }
    let big_f = &w.here[..n / 2 * source_lanes];
    let quotient = &w.quotient[..n * source_lanes];
    let (a_k, rest) = w.multiples.split_at_mut(n);
    let (a_f, lifted) = rest.split_at_mut(n / 2);
    let lifted = &mut lifted[..n / 2 * W];
    source.multiples::<_, V>(isa, quotient, a_k);
    source.multiples::<_, V>(isa, big_f, a_f);

    let twiddles = &mut w.twiddles[..n * W];
    let mut weights: Weights<W> = [[0; W]; MAX_PRIMES + 1];
    let weights = &mut weights[..source.len + 1];
    for j in 0..target_lanes / W {
        let m = target.moduli::<W>(j);
        twiddle_table(isa, &m, twiddles);
        source.weights(isa, &m, weights);
        let inverse = inverse_product(isa, &m, weights);
        let out = &mut w.next[j * n * W..][..n * W];
        combine::<_, V, W>(isa, &m, weights, quotient, a_k, out);
        combine::<_, V, W>(isa, &m, weights, big_f, a_f, lifted);
        ntt(isa, &m, twiddles, out);
        ntt(isa, &m, &twiddles[..n / 2 * W], lifted);
        // Computes (F' - k f) / M at z and at -z.
        let out = out.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0;
        let points = out.iter_mut().zip(lifted.as_chunks::<W>().0);
        if d == 0 {
            // f and g on C_0 replace those on C_1, which are no longer needed.
            let (f, g) = w.kept[..2 * n * W].split_at_mut(n * W);
            for (values, small) in [(&mut *f, problem.f), (&mut *g, problem.g)] {
                for (x, y) in values.as_chunks_mut().0.iter_mut().zip(small) {
                    *x = m.encode(i32::from(*y));
                }
                ntt(isa, &m, twiddles, values);
            }
            let others = tuples(f, n, 0).iter().zip(tuples(g, n, 0));
            for ((out, lifted), (f, g)) in points.zip(others) {
                reduce(&m, inverse, out, lifted, f, g);
            }
        } else {
            let above = &w.kept[tower::kept_start(logn, d - 1)..tower::kept_start(logn, d)];
            let (f, g) = above.split_at(2 * n * target_lanes);
            let others = tuples(f, 2 * n, j).iter().zip(tuples(g, 2 * n, j));
            for ((out, lifted), (f, g)) in points.zip(others) {
                reduce(&m, inverse, out, lifted, &norm(&m, f), &norm(&m, g));
            }
        }
    }
    Ok(())
}

/// Computes `k = F'/f mod M_d` and `F_(d+1)`, both weighted coefficients on `C_(d+1)`, into
/// `quotient` and `here`. Returns false if a value of `f_d` is zero modulo a prime.
#[inline(always)]
fn divide<I: Isa, const V: usize>(isa: I, logn: u32, d: u32, w: &mut Words<'_>) -> bool {
    let (n, source) = (1usize << (logn - d), tower::base(logn, d + 1));
    let source_lanes = source.lanes::<V>();
    let (f_source, g_source) = w.kept[tower::kept_start(logn, d)..tower::kept_start(logn, d + 1)]
        .split_at(n * source_lanes);
    let big_f = &mut w.here[..n / 2 * source_lanes];
    let quotient = &mut w.quotient[..n * source_lanes];
    let cofactors = w.cofactors[tower::cofactors_start(logn, d + 1)..].as_chunks::<V>();
    let mut regular = true;
    for (j, cofactors) in cofactors.0[..source_lanes / V].iter().enumerate() {
        let m = source.moduli::<V>(j);
        let twiddles = &mut w.twiddles[..n * V];
        twiddle_table(isa, &m, twiddles);
        let f = tuples::<V, 2>(f_source, n, j);
        let g = tuples::<V, 2>(g_source, n, j);
        let k = &mut quotient[j * n * V..][..n * V];
        let big_f = &mut big_f[j * (n / 2) * V..][..n / 2 * V];
        // Computes F'/f at z and -z: F_(d+1)(z^2) / f_(d+1)(z^2) times g(-z) f(-z), or times g(z)
        // f(z). All inverses come from one inversion: k[2i] first receives the product of the
        // values before it.
        let mut product = m.one();
        let k_pairs = k.as_chunks_mut::<V>().0.as_chunks_mut::<2>().0;
        for (k, f) in k_pairs.iter_mut().zip(f) {
            *k = [product, m.mul(f[0], f[1])];
            product = m.mul(product, k[1]);
        }
        for x in product {
            regular &= x != 0;
        }
        let mut inverse = m.invert(product);
        let points = k_pairs.iter_mut().zip(f).zip(g);
        for (((k, f), g), big_f) in points.zip(big_f.as_chunks::<V>().0).rev() {
            let ratio = m.mul(*big_f, m.mul(inverse, k[0]));
            inverse = m.mul(inverse, k[1]);
            k[0] = m.mul(ratio, m.mul(f[1], g[1]));
            k[1] = m.mul(ratio, m.mul(f[0], g[0]));
        }
        let cofactor = m.plain(*cofactors);
        for poly in [k, big_f] {
            let len = poly.len();
            intt_lazy(isa, &m, &twiddles[..len], poly);
            scale(&m, poly, m.mul(cofactor, m.inverse_power_of_two(len / V)));
        }
    }
    reveal(regular)
}

/// Returns the values of a polynomial of length `n` on the `group`-th `W` primes, `T` at a time.
#[inline(always)]
fn tuples<const W: usize, const T: usize>(x: &[u32], n: usize, group: usize) -> &[[[u32; W]; T]] {
    x[group * n * W..][..n * W].as_chunks().0.as_chunks().0
}

/// Computes the field norm at two neighbouring points.
#[inline(always)]
fn norm<const W: usize>(m: &Moduli<W>, x: &[[u32; W]; 4]) -> [[u32; W]; 2] {
    [m.mul(x[0], x[1]), m.mul(x[2], x[3])]
}

/// Replaces `k`, in `out`, by `(lifted g(-z) - k f) / M` at `z` and `-z`. `inverse` is `1/M`.
#[inline(always)]
fn reduce<const W: usize>(
    m: &Moduli<W>,
    inverse: [u32; W],
    out: &mut [[u32; W]; 2],
    lifted: &[u32; W],
    f: &[[u32; W]; 2],
    g: &[[u32; W]; 2],
) {
    for (out, (f, g)) in out.iter_mut().zip([(f[0], g[1]), (f[1], g[0])]) {
        let difference = m.each(
            #[inline(always)]
            |m, l| m.mul_sub(lifted[l], g[l], out[l], f[l]),
        );
        *out = m.mul(difference, inverse);
    }
}

/// Computes `G` from `F` (`here`), and the coefficients of `F f* + G g*` into `out`. `f`, `g`
/// (`kept`), `F` and `G` (`next`) are in the NTT domain of the prime of `m`.
///
/// # Errors
/// [`Refusal::Singular`]: a value of `f` is zero.
#[inline(always)]
pub(super) fn numerator<I: Isa>(
    isa: I,
    m: Modulus,
    w: &mut Words<'_>,
    out: &mut [i64],
) -> Result<(), Refusal> {
    let n = out.len();
    let alone = Moduli::from(m);
    let twiddles = &mut w.twiddles[..n];
    twiddle_table(isa, &alone, twiddles);
    let (f, g) = w.kept[..2 * n].split_at(n);
    let (big_f, big_g, k) = (&w.here[..n], &mut w.next[..n], &mut w.quotient[..n]);

    let mut product = m.one;
    for (k, f) in k.iter_mut().zip(f) {
        *k = product;
        product = m.mul(product, *f);
    }
    if reveal(product == 0) {
        return Err(Refusal::Singular);
    }
    let q = m.encode(Q as i32);
    let [mut inverse] = alone.invert([product]);
    for i in (0..n).rev() {
        let sum = m.add(q, m.mul(g[i], big_f[i]));
        big_g[i] = m.mul(sum, m.mul(inverse, k[i]));
        inverse = m.mul(inverse, f[i]);
    }

    // The conjugate of the value at point i is the value at point n - 1 - i.
    for i in 0..n {
        let j = n - 1 - i;
        k[i] = m.add(m.mul(big_f[i], f[j]), m.mul(big_g[i], g[j]));
    }
    intt(isa, &alone, twiddles, k);
    for (x, k) in out.iter_mut().zip(k.iter()) {
        *x = i64::from(m.decode(*k));
    }
    Ok(())
}

/// Subtracts `k (f, g)` from the pair `(F, G)` of [`numerator`], and writes the coefficients.
///
/// # Errors
/// [`Refusal::TooLarge`].
#[inline(always)]
pub(super) fn subtract_quotient<I: Isa>(
    isa: I,
    m: Modulus,
    w: &mut Words<'_>,
    quotient: &[i64],
    capital_f: &mut [i8],
    capital_g: &mut [i8],
) -> Result<(), Refusal> {
    let n = quotient.len();
    let alone = Moduli::from(m);
    let twiddles = &w.twiddles[..n];
    let (f, g) = w.kept[..2 * n].split_at(n);
    let (big_f, big_g, k) = (&mut w.here[..n], &mut w.next[..n], &mut w.quotient[..n]);
    for (k, x) in k.iter_mut().zip(quotient) {
        *k = m.encode(*x as i32);
    }
    ntt(isa, &alone, twiddles, k);

    let mut too_large = 0;
    for (big, small, out) in [(big_f, f, capital_f), (big_g, g, capital_g)] {
        for ((x, y), k) in big.iter_mut().zip(small).zip(k.iter()) {
            *x = m.sub(*x, m.mul(*k, *y));
        }
        intt(isa, &alone, twiddles, big);
        for (x, out) in big.iter().zip(out) {
            let x = m.decode(*x);
            *out = x as i8;
            too_large |= (127 - x) | (127 + x);
        }
    }
    if reveal(too_large < 0) {
        Err(Refusal::TooLarge)
    } else {
        Ok(())
    }
}

/// Computes `G` from `F` (`here`, on `C_0`), and rounds the pair by Babai's method. `f` and `g` on
/// `C_0` are in `kept`.
///
/// Source: Falcon specification v1.2, algorithm 7 (Reduce), at the top level only.
#[inline(always)]
fn top<I: Isa>(
    isa: I,
    problem: Problem<'_>,
    w: &mut Words<'_>,
    inverse_gram: &[i64],
    wide: &mut [i64],
    capital_f: &mut [i8],
    capital_g: &mut [i8],
) -> Result<(), Refusal> {
    let m = tower::base(problem.logn, 0).modulus(0);
    let quotient = &mut wide[..1 << problem.logn];
    numerator(isa, m, w, quotient)?;
    fixed::divide_and_round(inverse_gram, quotient);
    subtract_quotient(isa, m, w, quotient, capital_f, capital_g)
}
