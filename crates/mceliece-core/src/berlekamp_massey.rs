//! The Berlekamp-Massey algorithm without inversions and without inner products.
//!
//! Arrays `D` and `B` of `3t + 1` elements hold the sequence `S_0, .., S_(2t-1)` at the places from
//! 0 on and a 1 at place `3t`; `gamma = 1`, `k = 0`. Each of `2t` steps takes the discrepancy
//! `d = D_0` and sets `D'_i = gamma D_(i+1) + d B_i`. If `d` is not zero and `k >= 0`, then `B` is
//! the old `D`, shifted, `gamma = d` and `k = -k - 1`; else `k` grows by one. In the end
//! `lambda_i = D_(t+i)` is the connection polynomial up to one factor, and `k = 2t - 2L`, where `L`
//! is the linear complexity.
//!
//! The scalars are the same in all lanes, so a step is two products of planes. `k` depends on
//! secrets: it decides by masks.
//!
//! Source: D. V. Sarwate and N. R. Shanbhag, "High-speed architectures for Reed-Solomon decoders",
//! 2001 (the reformulated algorithm).

use crate::field::planes::{Planes, add_product, masks, reduce, splat};
use crate::mask;
use falcon_lanes::{Isa, Register, U64s, wipe};

/// Words of a plane of `D`, of which `3t + 1 <= 385` bits are used.
const WORDS: usize = 8;

/// Writes the connection polynomial of `sequence`, which has `2t` elements, to `lambda`, which has
/// `t + 1` places. Returns `2t - 2L`, where `L` is the complexity.
pub(crate) fn berlekamp_massey<I: Isa, const M: usize>(
    isa: I,
    sequence: &[u16],
    lambda: &mut [u16],
) -> i32 {
    let t = sequence.len() / 2;
    // The last word stays zero: it is shifted in.
    let mut d = [[0u64; WORDS + 1]; M];
    for (i, &s) in sequence.iter().enumerate() {
        for p in 0..M {
            d[p][i / 64] |= u64::from(s >> p & 1) << (i % 64);
        }
    }
    d[0][3 * t / 64] |= 1 << (3 * t % 64);
    let mut b = d;
    let k = isa.vectorize_words(
        #[inline(always)]
        || steps::<I, M>(isa, t, &mut d, &mut b),
    );
    for (i, lambda) in lambda.iter_mut().enumerate() {
        let place = t + i;
        *lambda = 0;
        for p in 0..M {
            *lambda |= ((d[p][place / 64] >> (place % 64) & 1) as u16) << p;
        }
    }
    wipe(d.as_flattened_mut());
    wipe(b.as_flattened_mut());
    k as i32
}

#[inline(always)]
fn steps<I: Isa, const M: usize>(
    isa: I,
    t: usize,
    d: &mut [[u64; WORDS + 1]; M],
    b: &mut [[u64; WORDS + 1]; M],
) -> i64 {
    let parts = (3 * t + 1).div_ceil(64 * I::U64s::LEN);
    let mut gamma = 1u16;
    let mut k = 0i64;
    for _ in 0..2 * t {
        let mut discrepancy = 0u16;
        for p in 0..M {
            discrepancy |= ((d[p][0] & 1) as u16) << p;
        }
        // All ones if `B` is replaced.
        let replace = mask::nonzero(u64::from(discrepancy)) & !mask::of_bit(k as u64 >> 63);
        let replace = mask::hidden(replace);
        let by_gamma = splat::<I, M>(isa, &masks(gamma));
        let by_discrepancy = splat::<I, M>(isa, &masks(discrepancy));
        let replacing = I::U64s::splat(isa, replace);
        for part in 0..parts {
            let mut shifted: Planes<I, M> = [replacing; M];
            let mut kept: Planes<I, M> = [replacing; M];
            for p in 0..M {
                let now = I::U64s::load(isa, &I::U64s::chunks(&d[p][..WORDS])[part]);
                let next = I::U64s::load(isa, &I::U64s::chunks(&d[p][1..])[part]);
                shifted[p] = shift_down(isa, now, next);
                kept[p] = I::U64s::load(isa, &I::U64s::chunks(&b[p][..WORDS])[part]);
            }
            let mut wide = [I::U64s::splat(isa, 0); 25];
            add_product::<I, M>(&mut wide, &by_gamma, &shifted);
            add_product::<I, M>(&mut wide, &by_discrepancy, &kept);
            let sums = reduce::<I, M>(wide);
            for p in 0..M {
                sums[p].store(&mut I::U64s::chunks_mut(&mut d[p][..WORDS])[part]);
                let changed = kept[p].xor(replacing.and(kept[p].xor(shifted[p])));
                changed.store(&mut I::U64s::chunks_mut(&mut b[p][..WORDS])[part]);
            }
        }
        gamma ^= (replace as u16) & (gamma ^ discrepancy);
        // -k - 1 is the complement of k.
        k = (k + 1) ^ (replace as i64 & ((k + 1) ^ !k));
    }
    k
}

/// Shifts by one lane: every word takes bit 0 of the next one.
#[inline(always)]
fn shift_down<I: Isa>(isa: I, now: I::U64s, next: I::U64s) -> I::U64s {
    const TOP: u64 = 1 << 63;
    let low = now.rotate_left::<63, 1>();
    let top = next.rotate_left::<63, 1>();
    let mask = I::U64s::splat(isa, TOP);
    low.xor(mask.and(low.xor(top)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::element::{inverse, mul};
    use std::vec;
    use std::vec::Vec;

    /// The algorithm of J. Massey, with inversions: connection polynomial and complexity.
    fn massey<const M: usize>(s: &[u16]) -> (Vec<u16>, usize) {
        let n = s.len();
        let (mut c, mut b) = (vec![0; n + 1], vec![0; n + 1]);
        (c[0], b[0]) = (1, 1);
        let (mut len, mut shift, mut last) = (0, 1, 1u16);
        for k in 0..n {
            let d = (0..=len).fold(0, |d, i| d ^ mul::<M>(c[i], s[k - i]));
            if d == 0 {
                shift += 1;
                continue;
            }
            let old = c.clone();
            let factor = mul::<M>(d, inverse::<M>(last));
            for i in shift..=n {
                c[i] ^= mul::<M>(factor, b[i - shift]);
            }
            if 2 * len <= k {
                (len, b, last, shift) = (k + 1 - len, old, d, 1);
            } else {
                shift += 1;
            }
        }
        (c, len)
    }

    fn equal<I: Isa, const M: usize>(isa: I, t: usize, sequence: &[u16]) {
        let mut lambda = vec![0; t + 1];
        let k = berlekamp_massey::<I, M>(isa, sequence, &mut lambda);
        let (expected, len) = massey::<M>(sequence);
        assert_eq!(k, 2 * t as i32 - 2 * len as i32);
        if len > t {
            return;
        }
        assert_ne!(lambda[0], 0);
        for (i, &l) in lambda.iter().enumerate() {
            assert_eq!(l, mul::<M>(lambda[0], expected[i]), "{i}");
        }
    }

    fn sequences<I: Isa, const M: usize>(isa: I, t: usize) {
        // A sum of `terms` geometric sequences has that complexity.
        for terms in [0, 1, 2, t / 2, t - 1, t] {
            let mut sequence = vec![0; 2 * t];
            for term in 1..=terms {
                let (mut power, ratio) = (1, 7 * term as u16 + 3);
                for s in &mut sequence {
                    *s ^= power;
                    power = mul::<M>(power, ratio);
                }
            }
            equal::<I, M>(isa, t, &sequence);
        }
        let noise = |i: u32| ((i + 1).wrapping_mul(0x9e37_79b9) >> 11) as u16 & ((1 << M) - 1);
        for start in 0..3 {
            let sequence: Vec<u16> = (0..2 * t as u32).map(|i| noise(i + 999 * start)).collect();
            equal::<I, M>(isa, t, &sequence);
        }
        // Zeros first: the complexity jumps late.
        let mut sequence = vec![0; 2 * t];
        sequence[t - 1] = 5;
        equal::<I, M>(isa, t, &sequence);
        sequence[t - 1] = 0;
        sequence[2 * t - 1] = 5;
        equal::<I, M>(isa, t, &sequence);
    }

    #[test]
    fn the_result_is_that_of_the_algorithm_with_inversions() {
        on_every_engine!(isa => sequences::<_, 12>(isa, 64));
        on_every_engine!(isa => sequences::<_, 13>(isa, 96));
        on_every_engine!(isa => sequences::<_, 13>(isa, 119));
        on_every_engine!(isa => sequences::<_, 13>(isa, 128));
    }
}
