//! The reduction of `F` in fixed point, which decides which pairs `fn-dsa` solves.
//!
//! On each level, `F` is the lifted polynomial, with `LARGE[d]` words a coefficient. The reduction
//! repeats, with `s` decreasing down to zero,
//!
//! ```text
//!   k = round(2^-s F / f),   F <- F - 2^s k f
//! ```
//!
//! where the most significant words of `F` and of `f` are converted to fixed point. `f f* + g g*`
//! does not occur: the quotient by `f` alone is close enough, as eprint 2025/1239 shows. If the
//! values of `f` at the roots differ much in size, the quotients are too inexact and `F` does not
//! shrink. Then a word that is no longer needed differs from the sign, and the pair is refused.
//! This is common: of the pairs with a solution, one in nine at degree 512, half at 1024.
//!
//! Levels are computed from the bottom up to the last one that could fail, which
//! [`condition`](super::condition) finds. Then the exact solver starts again from the bottom, since
//! its `F_d` solve other equations. Sizes do not depend on the data.
//!
//! Source: T. Pornin, eprint 2025/1239; the constants and the order of the operations are those
//! of the crate `fn-dsa-kgen` 0.4.0.

use super::q32;
use crate::fpr::soft::{Native, Word};
use crate::lanes::{Isa, Masks};
use crate::ntru::radix31::{MASK, from_limbs, sign_word};
use crate::ntru::replay::{
    Memory, integers, lift, load, multiply_by_q, resultants, subtract_multiple,
};
use crate::ntru::solve::Refusal;
use crate::ntru::{tower, zint};
use crate::reveal::reveal;
use core::hint::black_box;

/// Number of words of each coefficient of `f_d`, `g_d` and of the reduced `F_d`, by `d`.
pub(super) const SMALL: [usize; 11] = [1, 1, 2, 3, 4, 8, 14, 27, 53, 104, 207];

/// Number of words of each coefficient of the lifted `F_d`, by `d`.
pub(super) const LARGE: [usize; 10] = [1, 2, 3, 6, 11, 21, 40, 78, 155, 308];

/// Most significant words of half the products of the first `SMALL[d]` primes of `fn-dsa`. These
/// primes are the largest below `2^31` that are 1 modulo 2048.
const HALF_SMALL: [u32; 11] = [
    1_073_736_704,
    1_073_736_704,
    1_073_689_601,
    1_073_641_476,
    1_073_588_233,
    1_073_318_987,
    1_072_666_100,
    1_069_938_982,
    1_059_479_584,
    1_021_494_870,
    874_280_684,
];

/// Most significant words of half the products of the first `LARGE[d]` primes.
const HALF_LARGE: [u32; 10] = [
    1_073_736_704,
    1_073_689_601,
    1_073_641_476,
    1_073_460_256,
    1_073_044_688,
    1_071_419_716,
    1_065_481_402,
    1_044_036_565,
    958_903_300,
    671_697_878,
];

/// Number of words of each coefficient of `f_d` that are converted to fixed point, by `d`.
pub(super) const WINDOW: [usize; 10] = [1, 1, 2, 2, 2, 3, 3, 4, 5, 7];

/// The level at which `f_d` is cut to 20 bits. [`is_precise`] judges whether this is enough.
pub(super) const IMPRECISE: u32 = 3;

/// Bits that a round removes from `F`, by `logn`.
const ROUND: [u32; 11] = [10, 10, 10, 10, 10, 10, 10, 10, 10, 9, 8];

/// The prime with which `fn-dsa` computes the last step.
const PRIME: u64 = 2_147_473_409;

/// `2^31` modulo this prime.
const FOLD: u64 = (1 << 31) - PRIME;

/// Number of words of [`Memory::area`].
pub(super) const fn area_len(logn: u32) -> usize {
    let (mut most, mut d) = (SMALL[logn as usize], 1);
    while d < logn {
        most = tower::max(most, places(logn, d).end);
        d += 1;
    }
    most
}

/// Indices into the area at level `d`. `F_(d+1)` is at its start.
struct Places {
    f: usize,
    g: usize,
    /// The residues of `f` and `g`, then the lifted `F`.
    lifted: usize,
    end: usize,
}

const fn places(logn: u32, d: u32) -> Places {
    let (n, i) = (1 << (logn - d), d as usize);
    let f = n / 2 * SMALL[i + 1];
    let g = f + n * SMALL[i];
    let lifted = g + n * SMALL[i];
    let end = lifted + n * tower::max(LARGE[i], tower::base(logn, d + 1).len);
    Places { f, g, lifted, end }
}

/// Reduces from the bottom up to level `level`. If some `F_d` on the way is larger than a reduced
/// one, the next lifted `F` can overflow. Then the reduction goes on up to level 1. Returns the
/// last level. If it is 1, the area starts with `F_1`, one word a coefficient.
///
/// # Errors
/// [`Refusal::CommonFactor`], [`Refusal::Singular`] or [`Refusal::Breakdown`].
pub(super) fn reduce_to_level<I: Isa>(
    isa: I,
    logn: u32,
    level: u32,
    memory: &mut Memory<'_>,
) -> Result<u32, Refusal> {
    bottom(isa, logn, memory)?;
    let mut last = level;
    for d in (1..logn).rev() {
        let is_reduced = reduce(isa, logn, d, memory).ok_or(Refusal::Breakdown)?;
        if !reveal(is_reduced) {
            last = 1;
        }
        if d == last {
            break;
        }
    }
    Ok(last)
}

/// Solves the equation at degree 1. Writes `F_N` to the start of the area: `q` times the least
/// non-negative `F` with `f G - g F = 1`.
fn bottom<I: Isa>(isa: I, logn: u32, memory: &mut Memory<'_>) -> Result<(), Refusal> {
    let words = SMALL[logn as usize];
    resultants(isa, logn, memory);
    let [f, g, y, work] = integers(logn, memory.wide);
    let singular = vanishes_modulo_their_prime(f);
    let exceeding = exceeds_as_resultant(logn, f) | exceeds_as_resultant(logn, g);
    // F = -1/g mod f: then f G - g F = 1.
    let coprime = zint::invert(f, g, y, work);
    zint::least_residue(y, f, true);
    from_limbs(y, &mut memory.area[..words]);
    let fits = multiply_by_q(&mut memory.area[..words]) & (exceeding == 0);
    if !reveal(coprime & fits) {
        Err(Refusal::CommonFactor)
    } else if reveal(singular) {
        Err(Refusal::Singular)
    } else {
        Ok(())
    }
}

/// Returns zero if `fn-dsa` can hold every coefficient. It computes them modulo a product of
/// primes. `half` is the most significant word of half the product. This word alone decides. The
/// product that is subtracted in a round needs no check: its table has a word more.
fn exceeds(x: &[u32], words: usize, half: u32) -> u32 {
    x.chunks_exact(words).fold(0, |any, x| {
        any | (half.wrapping_sub(x[words - 1] ^ sign_word(x)) >> 31)
    })
}

/// Returns zero if `fn-dsa` can hold the resultant, which is not negative.
fn exceeds_as_resultant(logn: u32, resultant: &[i64]) -> u32 {
    let (words, half) = (SMALL[logn as usize], HALF_SMALL[logn as usize]);
    let both = resultant.iter().flat_map(|x| [*x, x >> 31]);
    let mut upper = both.skip(words - 1).map(|x| x as u32 & MASK);
    let top = upper.next().unwrap_or(0);
    upper.fold(half.wrapping_sub(top >> 1) >> 31, |any, word| any | word)
}

/// Returns true if `fn-dsa` could not divide by `f` modulo its prime. The resultant is zero modulo
/// the prime if a value of `f` is zero, and only then.
pub(super) fn vanishes_modulo_their_prime(resultant: &[i64]) -> bool {
    let fold = |x: u64| (x >> 31) * FOLD + (x & u64::from(MASK));
    let words = resultant.iter().rev().flat_map(|x| [x >> 31, *x]);
    // The rest is below 2^32 after each step.
    let rest = words.fold(0, |rest, word| {
        fold(rest * FOLD + (word as u64 & u64::from(MASK)))
    });
    (rest == 0) | (rest == PRIME) | (rest == 2 * PRIME)
}

/// Returns true if `f_d` at the level [`IMPRECISE`] is as good as exact although the window leaves
/// words out: at every root, these words are less than `2^-(r - 1/2)` of the value, where a round
/// removes `r` bits. Then each round leaves at most half a bit too much, 10 bits in 20 rounds, and
/// only at roots where `f_d` is smaller than usual by far more than that.
pub(super) fn is_precise<I: Isa>(isa: I, logn: u32, memory: &mut Memory<'_>) -> bool {
    let d = IMPRECISE;
    let (n, small) = (1usize << (logn - d), SMALL[d as usize]);
    load(isa, logn, d, 0, memory, n * small, 0, small);
    let f = &memory.area[..n * small];
    let (window, rest) = memory.wide[..2 * n].split_at_mut(n);
    let scale = scale_window(logn, d, f, window).1;
    // The word that is left out, of 31 bits, in units of 2^-32.
    for (x, f) in rest.iter_mut().zip(f.chunks_exact(small)) {
        *x = i64::from(f[0]);
    }
    q32::squared_values(window);
    q32::squared_values(rest);
    // In units of the window, `rest` must be multiplied by 2^(1 - scale).
    let [down, part] = [2 * scale, 2 * ROUND[logn as usize] + 1];
    let pairs = window[..n / 2].iter().zip(&rest[..n / 2]);
    if cfg!(target_arch = "riscv32") {
        is_less_without_branches::<Native>(pairs, down, part)
    } else {
        is_less_everywhere(pairs, down, part)
    }
}

/// Returns true if every rest, shifted right by `down - part`, is less than its window. If `part`
/// is larger than `down`, the windows are shifted instead.
fn is_less_everywhere<'a>(
    pairs: impl Iterator<Item = (&'a i64, &'a i64)>,
    down: u32,
    part: u32,
) -> bool {
    let [rest_shift, window_shift] = [down.saturating_sub(part), part.saturating_sub(down)];
    let mut precise = true;
    for (window, rest) in pairs {
        precise &= rest >> rest_shift.min(63) < window >> window_shift;
    }
    precise
}

/// [`is_less_everywhere`] without a branch on RISC-V.
fn is_less_without_branches<'a, W: Word>(
    pairs: impl Iterator<Item = (&'a i64, &'a i64)>,
    down: u32,
    part: u32,
) -> bool {
    let (word, masks) = (W::new(), Masks::new());
    let positive = |x: u32| x & !masks.of_sign(x);
    let shifts = [down.wrapping_sub(part), part.wrapping_sub(down)].map(positive);
    let [rest_shift, _] = masks.min_max(shifts[0], 63);
    let shift = |x: i64, count: u32| {
        let sign = masks.of_sign_64(x as u64);
        (word.shr(x as u64 ^ sign, count.into()) ^ sign) as i64
    };
    let mut precise = u64::MAX;
    for (window, rest) in pairs {
        precise &= masks.less(shift(*rest, rest_shift), shift(*window, shifts[1]));
    }
    precise != 0
}

/// Computes one level. Before the call, the area starts with `F_(d+1)`. After it, the area starts
/// with `F_d`. Returns true if the bit length of the coefficients is at most 3 more than that of
/// the coefficients of `f`, and `None` if the reduction fails.
fn reduce<I: Isa>(isa: I, logn: u32, d: u32, memory: &mut Memory<'_>) -> Option<bool> {
    let n = 1usize << (logn - d);
    let (small, large) = (SMALL[d as usize], LARGE[d as usize]);
    let Places { f, g, lifted, .. } = places(logn, d);
    load(isa, logn, d, 0, memory, lifted, f, small);
    load(isa, logn, d, 1, memory, lifted, g, small);
    let (deeper, rest) = memory.area.split_at_mut(f);
    let (fg, rest) = rest.split_at_mut(lifted - f);
    let big_f = &mut rest[..n * large];
    lift(n, deeper, &fg[n * small..], big_f);
    let exceeding =
        exceeds(fg, small, HALF_SMALL[d as usize]) | exceeds(big_f, large, HALF_LARGE[d as usize]);
    if !babai(logn, d, &fg[..n * small], big_f, exceeding, memory.wide) {
        return None;
    }
    for t in 0..n {
        big_f.copy_within(t * large..t * large + small, t * small);
    }
    let below = small - WINDOW[d as usize];
    let size = |x: &[u32]| bit_length(x, small, below);
    let is_reduced = size(&big_f[..n * small]) <= size(&fg[..n * small]) + 3;
    memory.area.copy_within(lifted..lifted + n * small, 0);
    Some(is_reduced)
}

/// Reduces the lifted `F` by `f`. Returns false if `F` does not shrink, or `differs` is not zero.
///
/// At level 1, `fn-dsa` fails if the quotient at `s = 32` is not zero. It computes there modulo two
/// primes, and loses `k` after the first one (`poly_sub_kf_scaled_depth1`). Among the degrees with
/// that round, only degree 4 has such quotients. Most of its candidates are refused for this
/// reason. By chance, `fn-dsa` can get a valid `F` in spite of the loss. Then its key differs from
/// the key of this module. This happened for 1 of 7,700 keys of degree 4.
///
/// `reals` holds `2n` numbers.
fn babai(
    logn: u32,
    d: u32,
    f: &[u32],
    big_f: &mut [u32],
    mut differs: u32,
    reals: &mut [i64],
) -> bool {
    let i = d as usize;
    let (small, large) = (SMALL[i], LARGE[i]);
    let n = f.len() / small;
    let (inverse, rest) = reals.split_at_mut(n);
    let quotient = &mut rest[..n];

    let (size, scale) = scale_window(logn, d, f, inverse);
    q32::invert(inverse, size - scale);

    let (mut len, last) = (large, 31 * (small - WINDOW[i]) as u32);
    let mut scale = 31 * large as u32;
    loop {
        let (words, bits) = ((scale / 31) as usize, scale % 31);
        // In the first round no word is left, and the quotient is zero.
        if words < len {
            let window = q32::Window::new(len - words, size + bits);
            for (x, big_f) in quotient.iter_mut().zip(big_f.chunks_exact(large)) {
                *x = window.of(&big_f[words..len]);
            }
            q32::multiply_and_round(quotient, inverse);
            if d == 1 && scale == 32 {
                let any = quotient.iter().fold(0, |any, x| any | x);
                differs |= any as u32 | (any >> 32) as u32;
            }
            subtract_multiple(big_f, len, f, quotient, scale - last);
        }
        if scale <= last {
            return reveal(differs == 0);
        }
        scale = last.max(scale.saturating_sub(ROUND[logn as usize]));
        while len > small && 31 * (len - small) as u32 > scale - last + 30 {
            len -= 1;
            for big_f in big_f.chunks_exact(large) {
                differs |= big_f[len] ^ sign_word(&big_f[..len]);
            }
            if reveal(differs != 0) {
                return false;
            }
        }
    }
}

/// Writes the windows of the coefficients of `f_d`, scaled so that no product overflows. Returns
/// the bit length of the largest window, and the number of bits by which all are scaled down.
fn scale_window(logn: u32, d: u32, f: &[u32], out: &mut [i64]) -> (u32, u32) {
    let small = SMALL[d as usize];
    let below = small - WINDOW[d as usize];
    let size = bit_length(f, small, below);
    let scale = size - lesser(15 - (logn - d), size);
    let window = q32::Window::new(small - below, scale);
    for (x, f) in out.iter_mut().zip(f.chunks_exact(small)) {
        *x = window.of(&f[below..]);
    }
    (size, scale)
}

/// Returns the bit length of the largest coefficient, without the `below` least significant words
/// of each. A negative number counts as its complement.
fn bit_length(f: &[u32], words: usize, below: usize) -> u32 {
    let mut all = [0u32; WINDOW[9]];
    for f in f.chunks_exact(words) {
        let sign = sign_word(f);
        for (all, word) in all.iter_mut().zip(&f[below..]) {
            *all |= word ^ sign;
        }
    }
    let mut length = 0;
    for (j, word) in all.iter().enumerate() {
        // This is all ones if the word is not zero. Without the barrier, there is a branch on
        // RV32IMAC.
        let here = black_box(((word | word.wrapping_neg()) >> 31).wrapping_neg());
        let bits = 31 * j as u32 + 32 - (word | 1).leading_zeros();
        length ^= here & (length ^ bits);
    }
    length
}

/// Returns the lesser of two numbers below `2^31`, in constant time.
fn lesser(a: u32, b: u32) -> u32 {
    // This is all ones if `a` is less. Without the barrier, there is a branch on RV32IMAC.
    let is_less = black_box((a.wrapping_sub(b) >> 31).wrapping_neg());
    b ^ ((a ^ b) & is_less)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::fpr::soft::{Word32, Word64};
    use num_bigint::BigUint;
    use std::vec::Vec;

    #[test]
    fn both_forms_compare_shifted_numbers() {
        let mut numbers = [
            i64::MIN,
            -1 << 32,
            -2,
            -1,
            0,
            1,
            2,
            1 << 31,
            1 << 32,
            i64::MAX,
        ]
        .to_vec();
        let mut random: u64 = 1;
        for _ in 0..20 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            // Adds numbers of all sizes.
            numbers.push(random as i64 >> (random >> 59));
        }
        let pairs = numbers
            .iter()
            .flat_map(|a| numbers.iter().map(move |b| (a, b)));
        let pairs: Vec<_> = pairs.collect();
        for shift in [0, 1, 2, 31, 32, 33, 62, 63] {
            for [rest_shift, window_shift] in [[shift, 0], [0, shift]] {
                for pair in &pairs {
                    let (window, rest) = *pair;
                    let less = rest >> rest_shift < window >> window_shift;
                    for part in [window_shift, window_shift + 17] {
                        let down = part + rest_shift - window_shift;
                        let one = || [*pair].into_iter();
                        let found = [
                            is_less_everywhere(one(), down, part),
                            is_less_without_branches::<Word32>(one(), down, part),
                            is_less_without_branches::<Word64>(one(), down, part),
                        ];
                        assert_eq!(found, [less; 3], "{window} {rest} {down} {part}");
                    }
                }
            }
        }
        // The last pair decides. The rests are shifted by 63 bits, since 98 would be too many.
        for (last, less) in [(1, true), (0, false), (-1, false)] {
            let pairs = || [(&5, &0), (&1, &i64::MAX), (&last, &0)].into_iter();
            assert_eq!(is_less_everywhere(pairs(), 99, 1), less);
            assert_eq!(is_less_without_branches::<Word32>(pairs(), 99, 1), less);
            assert_eq!(is_less_without_branches::<Word64>(pairs(), 99, 1), less);
        }
    }

    /// Returns the product of the first `count` primes of `fn-dsa`.
    pub(in crate::ntru::fndsa) fn product_of_primes(count: usize) -> BigUint {
        let is_prime = |x: &u32| (2..46_341).all(|d| !x.is_multiple_of(d));
        let candidates = (1..1 << 20).map(|i| (1 << 31) + 1 - 2048 * i);
        candidates.filter(is_prime).take(count).product()
    }

    /// Compares the most significant words with the products, and the verdicts next to them.
    #[test]
    fn integers_are_compared_with_half_the_product_of_primes() {
        assert_eq!(product_of_primes(1), PRIME.into());
        let tables = [(&SMALL[..], &HALF_SMALL[..]), (&LARGE, &HALF_LARGE)];
        for (counts, halves) in tables {
            assert_eq!(counts.len(), halves.len());
            for (count, half) in counts.iter().zip(halves) {
                let top: BigUint = product_of_primes(*count) >> (31 * (count - 1) + 1);
                assert_eq!(top, (*half).into(), "{count} primes");
            }
        }

        for half in [HALF_SMALL[0], HALF_LARGE[9]] {
            for (top, exceeding) in [(0, 0), (half, 0), (half + 1, 1), (MASK >> 1, 1)] {
                let mut x = [0, 7, 5, top, 0, 7];
                assert_eq!(exceeds(&x, 2, half), exceeding, "{top}");
                // The complement is negative.
                x[2..4].copy_from_slice(&[MASK - 5, MASK - top]);
                assert_eq!(exceeds(&x, 2, half), exceeding, "{top}");
            }
        }

        // At degree 16, a resultant is at most four words long. At degree 8, it is three.
        for (logn, limb, shift) in [(4, 1, 31), (3, 1, 0)] {
            let half = i64::from(HALF_SMALL[logn as usize]);
            for (top, exceeding) in [(0, 0), (2 * half + 1, 0), (2 * half + 2, 1)] {
                let mut x = [-1, 0, 0];
                x[limb] = top << shift;
                assert_eq!(exceeds_as_resultant(logn, &x), exceeding, "{logn} {top}");
                x[2] = 1;
                assert_ne!(exceeds_as_resultant(logn, &x), 0, "{logn} {top}");
            }
        }
        assert_ne!(exceeds_as_resultant(3, &[0, 1 << 31, 0]), 0);
        assert_eq!(exceeds_as_resultant(10, &[-1; 3]), 0);
    }

    #[test]
    fn multiples_of_their_prime_are_found() {
        let prime = PRIME as i64;
        for (limbs, vanishes) in [
            ([0, 0], true),
            ([prime, 0], true),
            ([2 * prime, 0], true),
            ([prime * 1_000_003, 0], true),
            ([0, prime], true),
            ([prime, prime * 77], true),
            ([1, 0], false),
            ([prime - 1, 0], false),
            ([prime + 1, prime], false),
            ([(1 << 62) - 1, (1 << 62) - 1], false),
        ] {
            assert_eq!(vanishes_modulo_their_prime(&limbs), vanishes, "{limbs:?}");
        }
        let integer = (1u128 << 124) - 1;
        assert_ne!(integer % u128::from(PRIME), 0);
    }

    #[test]
    fn bit_lengths_are_those_of_the_largest_coefficient() {
        // The numbers have two words each: -1, 2^31, -2^31 - 1, 5.
        let f = [MASK, MASK, 0, 1, MASK, MASK - 1, 5, 0];
        assert_eq!(bit_length(&f, 2, 0), 32);
        assert_eq!(bit_length(&f[..2], 2, 0), 0);
        assert_eq!(bit_length(&f[6..], 2, 0), 3);
        assert_eq!(bit_length(&f, 2, 1), 1);
        for (a, b) in [(0, 0), (3, 9), (9, 3), (14, 14)] {
            assert_eq!(lesser(a, b), a.min(b));
        }
    }
}
