//! The Berlekamp-Massey algorithm without inversions and without inner products.
//!
//! `D` begins with the sequence `S_0, .., S_(2t-1)` and the connection polynomial, which is 1. `B`
//! begins the same; `gamma = 1`, `k = 0`. Each of the `2t` steps `r` takes the discrepancy
//! `d = D_0` and sets `D'_i = gamma D_(i+1) + d B_i`. If `d` is not zero and `k >= 0`, then `B` is
//! the old `D`, shifted, `gamma = d` and `k = -k - 1`; else `k` grows by one. In the end
//! `k = 2t - 2L`, where `L` is the linear complexity.
//!
//! After `r` steps, the first `2t - r` places of `D` determine the next discrepancies. Right behind
//! them, at `2t - r + j`, is coefficient `j` of the connection polynomial, up to one factor. So
//! sequence and polynomial fit into `2t + 1` places. Where the polynomial grows, `B` has a zero:
//! place `2t - 1 - r` is cleared before step `r`. Coefficients from `t + 1` on are not needed, so
//! the places behind `3t - r` are left alone.
//!
//! Place `2t` can be nonzero only up to the step after the first nonzero discrepancy. This place is
//! computed separately, so that registers hold the other `2t` places.
//!
//! The low and the high bytes of elements are in different lines. A product by a scalar is four
//! linear maps of bytes, see [`Bytes`]: from low and high bytes to low and high bytes. The maps are
//! linear in the scalar: a [`family`](Bytes::family). High bytes are below 32, as elements have 13
//! bits at most. `k` depends on secrets, so masks replace branches on `k`.
//!
//! Source: D. V. Sarwate and N. R. Shanbhag, "High-speed architectures for Reed-Solomon decoders",
//! 2001 (the reformulated algorithm).

use crate::code::MAX_T;
use crate::field::element::mul;
use crate::mask;
use falcon_lanes::{Bytes, BytesKernel, Isa, Member, wipe};

/// Number of lines for the bytes of `D`. The last one has place `2t` or zeros, which are shifted
/// in.
const LINES: usize = (2 * MAX_T).div_ceil(64) + 1;

/// Elements by bytes: first all low bytes, then all high bytes.
type Elements = [[[u64; 8]; LINES]; 2];

/// The four maps of the product by `z^bit`, as the images of each bit: low byte to low byte, low to
/// high, high to low, high to high.
const fn images<const M: usize>(bit: usize) -> [u64; 4] {
    let mut images = [0; 4];
    let mut j = 0;
    while j < M {
        let [low, high] = mul::<M>(1 << bit, 1 << j).to_le_bytes();
        let from = j / 8 * 2;
        images[from] |= (low as u64) << (8 * (j % 8));
        images[from + 1] |= (high as u64) << (8 * (j % 8));
        j += 1;
    }
    images
}

/// [`images`] of every bit.
struct Images<const M: usize>;

impl<const M: usize> Images<M> {
    const ALL: [[u64; 4]; M] = {
        let mut all = [[0; 4]; M];
        let mut bit = 0;
        while bit < M {
            all[bit] = images::<M>(bit);
            bit += 1;
        }
        all
    };
}

/// Writes the connection polynomials of `sequences`, which have `2t` elements each, to `lambdas`,
/// which have `t + 1` places. Returns `2t - 2L` for each sequence, where `L` is its complexity.
///
/// Each step must wait for its discrepancy. Sequences computed side by side share the wait.
pub(crate) fn berlekamp_massey<I: Isa, const M: usize, const N: usize>(
    isa: I,
    sequences: [&[u16]; N],
    lambdas: [&mut [u16]; N],
) -> [i32; N] {
    isa.with_bytes(Steps::<M, N> { sequences, lambdas })
}

struct Steps<'a, const M: usize, const N: usize> {
    sequences: [&'a [u16]; N],
    lambdas: [&'a mut [u16]; N],
}

impl<const M: usize, const N: usize> BytesKernel for Steps<'_, M, N> {
    type Output = [i32; N];

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> [i32; N] {
        let Self { sequences, lambdas } = self;
        let t = sequences[0].len() / 2;
        let mut d: [Elements; N] = [[[[0; 8]; LINES]; 2]; N];
        let put = |d: &mut Elements, i: usize, x: u16| {
            for (lines, byte) in d.iter_mut().zip(x.to_le_bytes()) {
                lines[i / 64][i % 64 / 8] |= u64::from(byte) << (8 * (i % 8));
            }
        };
        for (d, sequence) in d.iter_mut().zip(sequences) {
            for (i, &s) in sequence.iter().enumerate() {
                put(d, i, s);
            }
            put(d, 2 * t, 1);
            for line in d.as_flattened_mut() {
                bytes.arrange(line);
            }
        }
        let mut b = d;
        let k = bytes.vectorize(
            #[inline(always)]
            || steps::<B, M, N>(bytes, t, &mut d, &mut b),
        );
        for (d, lambda) in d.iter_mut().zip(lambdas) {
            for line in d.as_flattened_mut() {
                bytes.rearrange(line);
            }
            for (place, lambda) in lambda.iter_mut().enumerate() {
                let byte =
                    |half: usize| (d[half][place / 64][place % 64 / 8] >> (8 * (place % 8))) as u8;
                *lambda = u16::from_le_bytes([byte(0), byte(1)]);
            }
        }
        wipe(d.as_flattened_mut().as_flattened_mut().as_flattened_mut());
        wipe(b.as_flattened_mut().as_flattened_mut().as_flattened_mut());
        k
    }
}

/// State of a sequence, besides `D` and `B`.
#[derive(Clone, Copy)]
struct State<B: Bytes> {
    /// Products by `gamma`.
    by_gamma: Member<B>,
    k: i32,
    /// All ones while place `2t` of `B` is 1, then zero.
    last: u16,
}

#[inline(always)]
fn steps<B: Bytes, const M: usize, const N: usize>(
    bytes: B,
    t: usize,
    d: &mut [Elements; N],
    b: &mut [Elements; N],
) -> [i32; N] {
    let products = bytes.family(&Images::<M>::ALL);
    // Gamma is 1.
    let mut one = [1, 0, 0, 0, 0, 0, 0, 0];
    bytes.arrange(&mut one);
    let mut states = [State {
        by_gamma: bytes.member(&products, bytes.load(&one), bytes.load(&[0; 8])),
        k: 0,
        last: u16::MAX,
    }; N];
    for r in 0..2 * t {
        for ((state, d), b) in states.iter_mut().zip(&mut *d).zip(&mut *b) {
            step(bytes, &products, t, r, state, d, b);
        }
    }
    let mut all = [0; N];
    for (k, state) in all.iter_mut().zip(&states) {
        *k = state.k;
    }
    all
}

/// Does step number `r` for one sequence.
#[inline(always)]
fn step<B: Bytes, const M: usize>(
    bytes: B,
    products: &B::Family<M>,
    t: usize,
    r: usize,
    state: &mut State<B>,
    d: &mut Elements,
    b: &mut Elements,
) {
    let lines = (2 * t).div_ceil(64);
    let ([d_low, d_high], [b_low, b_high]) = (d, b);
    // Loads whole lines, as the step before stored them.
    let first = [bytes.load(&d_low[0]), bytes.load(&d_high[0])];
    let discrepancy = u16::from_le_bytes(first.map(|line| bytes.first(line)));
    // All ones if `B` is replaced.
    let replace = mask::nonzero(u64::from(discrepancy)) & !mask::of_bit(state.k as u64 >> 63);
    let replace = mask::hidden(replace);
    let by_discrepancy = bytes.member(products, first[0], first[1]);
    let needed = lines.min((3 * t - r).div_ceil(64));
    bytes.add_products(
        [&state.by_gamma, &by_discrepancy],
        replace,
        [&mut d_low[..=needed], &mut d_high[..=needed]],
        [&mut b_low[..needed], &mut b_high[..needed]],
        // The place at which the polynomial grows.
        2 * t - 1 - r,
    );
    if (2 * t).is_multiple_of(64) {
        // Place 2t: d times place 2t of `B`.
        let [low, high] = (discrepancy & state.last).to_le_bytes();
        for (line, byte) in [(&mut d_low[lines], low), (&mut d_high[lines], high)] {
            *line = [u64::from(byte), 0, 0, 0, 0, 0, 0, 0];
            bytes.arrange(line);
        }
        state.last &= !replace as u16;
    }
    state.by_gamma.replace(bytes, replace, &by_discrepancy);
    // `-k - 1` is the complement of `k`.
    let grown = state.k + 1;
    state.k = grown ^ (replace as i32 & (grown ^ !state.k));
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
        let [k] = berlekamp_massey::<I, M, 1>(isa, [sequence], [&mut lambda]);
        // Computes the sequence side by side with another one.
        let reversed: Vec<u16> = sequence.iter().rev().copied().collect();
        let (mut other, mut again) = (lambda.clone(), lambda.clone());
        let [_, second] =
            berlekamp_massey::<I, M, 2>(isa, [&reversed, sequence], [&mut other, &mut again]);
        assert_eq!((second, &again), (k, &lambda));
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
        // A sum of `terms` geometric sequences has the complexity `terms`.
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
        // The sequence begins with zeros, so the complexity jumps late.
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
