//! Repeatable generators, and parts of the scheme by their definition, for several tests.
#![allow(dead_code, reason = "each test uses some of it")]

use falcon_kat::Drbg;
use mceliece_core::Parameters;
use mceliece_core::rand_core::Rng;
use sha3::Shake256;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use std::collections::BTreeSet;

/// A generator that is seeded with 48 bytes, all equal to `byte`.
pub fn repeated(byte: u8) -> Drbg {
    Drbg::new(&[byte; 48])
}

/// The hash `H` of a first byte and pieces, computed by the crate `sha3`.
pub fn hash(first: u8, pieces: &[&[u8]]) -> [u8; 32] {
    let mut hash = Shake256::default();
    hash.update(&[first]);
    for piece in pieces {
        hash.update(piece);
    }
    let mut out = [0; 32];
    hash.finalize_xof().read(&mut out);
    out
}

/// The error vector that encapsulation draws from `rng`.
pub fn error_vector<P: Parameters>(rng: &mut Drbg) -> Vec<u8> {
    let mut e = vec![0; P::N / 8];
    for i in positions::<P>(rng) {
        e[i / 8] |= 1 << (i % 8);
    }
    e
}

/// The positions of the error vector's ones in the order of the draw, by the definition of
/// FixedWeight.
pub fn positions<P: Parameters>(rng: &mut Drbg) -> Vec<usize> {
    let q = 1 << P::M;
    let tau = if P::N == q { P::T } else { 2 * P::T };
    loop {
        let mut draw = vec![0; 2 * tau];
        rng.fill_bytes(&mut draw);
        let numbers = draw
            .chunks(2)
            .map(|two| usize::from(u16::from_le_bytes([two[0], two[1]])) % q);
        let positions: Vec<usize> = numbers.filter(|&i| i < P::N).take(P::T).collect();
        if positions.iter().collect::<BTreeSet<_>>().len() == P::T {
            return positions;
        }
    }
}

/// The syndrome `(I | T) e` of a vector, padded to bytes.
pub fn syndrome<P: Parameters>(public_key: &[u8], e: &[u8]) -> Vec<u8> {
    let rows = P::M * P::T;
    let bit = |i: usize| e[i / 8] >> (i % 8) & 1;
    let ones: Vec<usize> = (rows..P::N)
        .filter(|&i| bit(i) == 1)
        .map(|i| i - rows)
        .collect();
    let mut out = vec![0; rows.div_ceil(8)];
    for (i, row) in public_key.chunks(public_key.len() / rows).enumerate() {
        let products = ones.iter().map(|j| row[j / 8] >> (j % 8) & 1);
        out[i / 8] |= products.fold(bit(i), |sum, product| sum ^ product) << (i % 8);
    }
    out
}
