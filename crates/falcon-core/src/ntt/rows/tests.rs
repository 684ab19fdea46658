//! Compares the transforms by rows with those by words.

use super::*;
use crate::lanes::Baseline;
use crate::modq::{Q, canonical, centre, pow_mod};
use crate::ntt::twiddles::Tables;
use crate::ntt::words;
use crate::ring::ExactnessPrime;
use std::vec;
use std::vec::Vec;

/// Makes repeatable words of at most `bound` in absolute value.
fn fill(seed: u64, bound: i16, words: &mut [i16]) {
    let mut state = seed;
    for word in words {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        *word = ((state >> 33) % (2 * bound as u64 + 1)) as i16 - bound;
    }
}

/// Moves values from the order of the blocks to the order of [`rows`](super): of each 64
/// values, the even-indexed ones fill one row, and the odd-indexed ones the next.
fn by_rows(values: &[i16]) -> Vec<i16> {
    let mut words = vec![0; values.len()];
    for (i, &value) in values.iter().enumerate() {
        words[i / 64 * 64 + i % 2 * ROW + i % 64 / 2] = value;
    }
    words
}

fn residues<M: Modulus>(words: &[i16]) -> Vec<u16> {
    words.iter().map(|&x| canonical::<M>(x)).collect()
}

/// Compares the reduced words of the forward transform of `a` with those of the transform by
/// words. Also compares the words with those of portable code, since engines share keys.
fn forward_is_that_by_words<M: Modulus>(isa: impl Isa, a: &[i16]) {
    let mut expected: Vec<i16> = a.iter().map(|&x| centred::<M, _>(x)).collect();
    words::forward::<M>(M::ZETAS, a.len().ilog2(), &mut expected);
    let mut found = a.to_vec();
    isa.vectorize(
        #[inline(always)]
        || forward::<M, _>(isa, M::FORWARD, &mut found),
    );
    assert_eq!(
        residues::<M>(&found),
        residues::<M>(&by_rows(&expected)),
        "{isa:?}, degree {}",
        a.len()
    );
    let mut portable = a.to_vec();
    forward::<M, _>(Baseline, M::FORWARD, &mut portable);
    assert_eq!(found, portable, "{isa:?}, degree {}", a.len());
}

/// Compares the inverse transform of values, in the order of the blocks, with the inverse
/// transform by words.
fn inverse_is_that_by_words(isa: impl Isa, values: &[i16]) {
    let mut expected = values.to_vec();
    words::inverse::<Q>(Q::ZETAS, values.len().ilog2(), &mut expected);
    for by in [Multiplier::NONE, Multiplier::same(&ONES)] {
        let mut found = by_rows(values);
        isa.vectorize(
            #[inline(always)]
            || inverse::<Q, _>(isa, Q::INVERSE, by, &mut found),
        );
        assert_eq!(
            residues::<Q>(&found),
            residues::<Q>(&expected),
            "{isa:?}, degree {}",
            values.len()
        );
    }

    // Compares a product as well. Its factors differ from word to word.
    let factors: Vec<i16> = (1..=values.len() as i16).collect();
    let quotient = |(x, y): (i16, i16)| {
        let p = i64::from(Q::P);
        let inverse = pow_mod(i64::from(y), Q::P as u32 - 2, p);
        centre((i64::from(x) * inverse % p * 65536).rem_euclid(p), Q::P)
    };
    let mut product: Vec<i16> = by_rows(values)
        .into_iter()
        .zip(factors.iter().copied())
        .map(quotient)
        .collect();
    isa.vectorize(
        #[inline(always)]
        || {
            inverse::<Q, _>(
                isa,
                Q::INVERSE,
                Multiplier::polynomial(&factors),
                &mut product,
            )
        },
    );
    assert_eq!(
        residues::<Q>(&product),
        residues::<Q>(&expected),
        "{isa:?}, product of degree {}",
        values.len()
    );
}

/// A row of ones, in Montgomery form.
const ONES: Words = [centre(65536 % Q::P as i64, Q::P); ROW];

/// Largest product of two outputs of the forward transform; see the proof in [`rows`](super).
const LARGEST: i16 = 11150;

fn all(isa: impl Isa) {
    for logn in MIN_LOGN..=10 {
        let mut a = vec![0; 1 << logn];
        for seed in 0..20 {
            fill(seed, 6145, &mut a);
            forward_is_that_by_words::<Q>(isa, &a);
            fill(seed, 9217, &mut a);
            forward_is_that_by_words::<ExactnessPrime>(isa, &a);
            fill(seed, LARGEST, &mut a);
            inverse_is_that_by_words(isa, &a);
        }
        for extreme in [6145, -6145] {
            forward_is_that_by_words::<Q>(isa, &vec![extreme; 1 << logn]);
        }
        for extreme in [LARGEST, -LARGEST] {
            inverse_is_that_by_words(isa, &vec![extreme; 1 << logn]);
        }
    }

    // Words that a tile can get after three layers. If the layer of a distance of eight words
    // did not reduce, a sum would reach 34741. Found by search.
    let sparse = [
        18432, 18214, 19520, 9680, -5955, 7502, -8449, -6768, -28256, -9966, 10449, 7403, 24915,
        -9739, 19063, 22549,
    ];
    let mut a = vec![0; 128];
    for (a, x) in a.iter_mut().step_by(8).zip(sparse) {
        *a = x;
    }
    forward_is_that_by_words::<Q>(isa, &a);

    // Each entry has the degree, the number of leading values that the first seed fills, and
    // the seeds. Each further seed doubles the number of filled values. The rest are zero. If
    // the layer of a distance of four words did not reduce, a sum would reach 36302. Without
    // the reduction in the layer of one row, a sum would reach 33003; without that of four
    // rows, 33447. Found by search.
    let searched: [(usize, usize, &[u64]); 3] = [
        (128, 2, &[46262, 14980, 42907]),
        (128, 4, &[4661, 42907, 12052, 11507, 11293]),
        (512, 32, &[9459, 11293, 32625, 8946, 1571]),
    ];
    for (degree, first, seeds) in searched {
        let mut values = vec![0; degree];
        fill(seeds[0], LARGEST, &mut values[..first]);
        let mut len = first;
        for &seed in &seeds[1..] {
            fill(seed, LARGEST, &mut values[len..2 * len]);
            len *= 2;
        }
        inverse_is_that_by_words(isa, &values);
    }
}

#[test]
fn transforms_of_portable_code_are_those_by_words() {
    all(Baseline);
}

#[cfg(all(feature = "engines", target_arch = "x86_64"))]
#[test]
fn transforms_of_vector_units_are_those_by_words() {
    if let Some(isa) = falcon_x86::Avx2::detect() {
        all(isa);
    }
    if let Some(isa) = falcon_x86::Avx512::detect() {
        all(isa);
    }
}

#[cfg(all(
    feature = "engines",
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]
#[test]
fn transforms_of_vector_units_are_those_by_words() {
    if let Some(isa) = falcon_neon::Neon::detect() {
        all(isa);
    }
}
