//! The Goppa polynomial: the minimal polynomial of an element `beta` of `GF(q^t)` over `GF(q)`.
//!
//! The sequence "coefficient 0 of `beta^i`" has the same minimal polynomial as `beta`, since that
//! polynomial is irreducible. The Berlekamp-Massey algorithm finds it from `2t` terms, and a
//! complexity of `t` means that its degree is `t`. Term `16 a + b` is the functional of
//! `beta^(16 a)` at `beta^b`: 32 products in the ring, then inner products.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Irreducible, which solves a linear
//! system instead.

use crate::berlekamp_massey::berlekamp_massey;
use crate::code::{Code, MAX_T};
use crate::field::element::{inverse, mul};
use crate::reveal::reveal;
use crate::ring::{Element, functional, inner_product, product};
use falcon_lanes::{Isa, wipe};

/// Number of stored powers.
const BABY_STEPS: usize = 16;

/// Number of words of a power.
const POWER: usize = MAX_T / 4;

/// Writes the coefficients `g_0, .., g_(t-1)` of the monic minimal polynomial of `beta` to `g`.
/// Returns false if the degree of the polynomial is not `t`. `scratch` has at least 512 words,
/// which the caller wipes.
#[inline(never)]
pub(crate) fn minimal_polynomial<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    beta: &Element,
    scratch: &mut [u64],
    g: &mut [u16],
) -> bool {
    let t = code.t;
    let mut sequence = [0; 2 * MAX_T];
    vectorized_terms::<I, M>(isa, code, beta, scratch, &mut sequence[..2 * t]);
    let mut lambda = [0; MAX_T + 1];
    let [k] = connection::<I, M>(isa, &sequence[..2 * t], &mut lambda[..=t]);
    let scale = inverse::<M>(lambda[0]);
    for (g, &lambda) in g.iter_mut().zip(lambda[1..=t].iter().rev()) {
        *g = mul::<M>(lambda, scale);
    }
    wipe(&mut sequence);
    wipe(&mut lambda);
    // The failure of an attempt of key generation may be public, since the seed of that attempt is
    // thrown away.
    reveal(k == 0)
}

// Not inlined, like `connection`. So the stack memory of one is free while the other runs.
#[inline(never)]
fn vectorized_terms<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    beta: &Element,
    scratch: &mut [u64],
    sequence: &mut [u16],
) {
    isa.vectorize_words(
        #[inline(always)]
        || terms::<M>(code, beta, scratch, sequence),
    );
}

#[inline(never)]
fn connection<I: Isa, const M: usize>(isa: I, sequence: &[u16], lambda: &mut [u16]) -> [i32; 1] {
    berlekamp_massey::<I, M, 1>(isa, [sequence], [lambda])
}

/// Packs four coefficients into each word.
#[inline(always)]
fn pack(element: &Element, words: &mut [u64; POWER]) {
    for (word, four) in words.iter_mut().zip(element.as_chunks::<4>().0) {
        let [a, b, c, d] = four.map(u64::from);
        *word = a | b << 16 | c << 32 | d << 48;
    }
}

/// The inverse of [`pack`].
#[inline(always)]
fn unpack(words: &[u64; POWER]) -> Element {
    core::array::from_fn(|i| (words[i / 4] >> (16 * (i % 4))) as u16)
}

#[inline(always)]
fn terms<const M: usize>(code: &Code, beta: &Element, scratch: &mut [u64], sequence: &mut [u16]) {
    let mut one = [0; MAX_T];
    one[0] = 1;
    let powers = &mut scratch.as_chunks_mut().0[..BABY_STEPS];
    let mut power = one;
    for place in &mut *powers {
        pack(&power, place);
        power = product::<M>(code, &power, beta);
    }
    let mut giant_step = power;
    let mut giant = one;
    for sixteen in sequence.chunks_mut(BABY_STEPS) {
        let mut map = functional::<M>(code, &giant);
        for (term, words) in sixteen.iter_mut().zip(&*powers) {
            power = unpack(words);
            *term = inner_product::<M>(&map, &power);
        }
        giant = product::<M>(code, &giant, &giant_step);
        wipe(&mut map);
    }
    wipe(&mut power);
    // `giant_step` is a power of `beta` whose exponent is a power of two, so `beta` follows from
    // it.
    wipe(&mut giant_step);
    wipe(&mut giant);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::CODES;
    use falcon_lanes::Baseline;

    fn some(m: usize, t: usize, seed: u32) -> Element {
        let x = |i: usize| (i as u32 + 17).wrapping_mul(0x9e37_79b9 ^ seed);
        core::array::from_fn(|i| {
            if i < t {
                (x(i) >> 13) as u16 & ((1 << m) - 1)
            } else {
                0
            }
        })
    }

    fn check<const M: usize>(code: &Code) {
        for seed in 0..3 {
            let beta = some(M, code.t, seed);
            let mut g = [0; MAX_T];
            assert!(minimal_polynomial::<_, M>(
                Baseline,
                code,
                &beta,
                &mut [0; 512],
                &mut g[..code.t]
            ));
            // Checks that the polynomial vanishes at `beta`, by Horner's rule with leading
            // coefficient 1.
            let mut value = [0; MAX_T];
            value[0] = 1;
            for &g in g[..code.t].iter().rev() {
                value = product::<M>(code, &value, &beta);
                value[0] ^= g;
            }
            assert_eq!(value, [0; MAX_T]);
        }
        // Every element of GF(q) has degree 1, also zero.
        for constant in [0, 5] {
            let mut beta = [0; MAX_T];
            beta[0] = constant;
            let mut g = [0; MAX_T];
            assert!(!minimal_polynomial::<_, M>(
                Baseline,
                code,
                &beta,
                &mut [0; 512],
                &mut g[..code.t]
            ));
        }
    }

    #[test]
    fn the_polynomial_vanishes_at_beta_and_has_degree_t() {
        for code in CODES {
            match code.m {
                12 => check::<12>(code),
                _ => check::<13>(code),
            }
        }
    }
}
