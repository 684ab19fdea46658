//! The transposed additive FFT: from a value `w_i` for each point to the sums
//! `sum of w_i point(i)^j`, for twice as many `j` as [`transform`](super::transform) has
//! coefficients.
//!
//! Every step of the transform, transposed, in reversed order.

use super::transform::swap_words;
use super::{basis, log_coefficients, reversed, taylor};
use crate::field::planes::{self, Block, Planes, add, load, mul, parts, splat, store};
use falcon_lanes::{Isa, wipe};

/// Writes the sums to `out`, which has `2^(k+1)` places, where `k` is [`log_coefficients`]. The
/// values are used up.
pub(crate) fn transpose<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>], out: &mut [u16]) {
    isa.vectorize_words(
        #[inline(always)]
        || {
            for j in (3..log_coefficients::<M>()).rev() {
                long_layer(isa, values, j);
            }
            swap_words(isa, values);
            for j in (0..3).rev() {
                short_layer(isa, values, j);
            }
            half_layer(isa, values);
            collect(values, out);
            taylor::expand_transposed::<M>(out);
        },
    );
}

/// `x + y` and `a (x + y) + y`.
#[inline(always)]
fn butterfly<I: Isa, const M: usize>(
    isa: I,
    [x, y]: [&mut Block<M>; 2],
    twiddle: impl Fn(usize) -> Planes<I, M>,
) {
    for part in 0..parts::<I>() {
        let second = load(isa, y, part);
        let sum = add::<I, M>(&load(isa, x, part), &second);
        store::<I, M>(&sum, x, part);
        let product = mul(isa, &twiddle(part), &sum);
        store::<I, M>(&add::<I, M>(&product, &second), y, part);
    }
}

#[inline(always)]
fn short_layer<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>], j: usize) {
    let stride = 1 << j;
    for pairs in values.chunks_exact_mut(2 * stride) {
        let (x, y) = pairs.split_at_mut(stride);
        for ((x, y), twiddle) in x.iter_mut().zip(y).zip(basis::short::<M>(j)) {
            butterfly(
                isa,
                [x, y],
                #[inline(always)]
                |_| splat(isa, twiddle),
            );
        }
    }
}

#[inline(always)]
fn long_layer<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>], j: usize) {
    let stride = 1 << (j - 3);
    for pairs in values.chunks_exact_mut(2 * stride) {
        let (x, y) = pairs.split_at_mut(stride);
        for ((x, y), twiddle) in x.iter_mut().zip(y).zip(basis::long::<M>(j)) {
            butterfly(
                isa,
                [x, y],
                #[inline(always)]
                |part| load(isa, twiddle, part),
            );
        }
    }
}

/// Butterflies of stride 32, inside words: sums stay in the low half of a word, the others in the
/// high half.
#[inline(always)]
fn half_layer<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>]) {
    const LOW: u64 = 0xffff_ffff;
    for block in values {
        let (mut sums, mut seconds): (Block<M>, Block<M>) = (*block, *block);
        for p in 0..M {
            for w in 0..planes::WORDS {
                let word = block[p][w];
                sums[p][w] = (word ^ word >> 32) & LOW;
                seconds[p][w] = word >> 32;
            }
        }
        for part in 0..parts::<I>() {
            let twiddle = splat(isa, basis::half::<M>());
            let product = mul(isa, &twiddle, &load(isa, &sums, part));
            let second = add::<I, M>(&product, &load(isa, &seconds, part));
            store::<I, M>(&second, &mut seconds, part);
        }
        for p in 0..M {
            for w in 0..planes::WORDS {
                block[p][w] = sums[p][w] | seconds[p][w] << 32;
            }
        }
        wipe(sums.as_flattened_mut());
        wipe(seconds.as_flattened_mut());
    }
}

/// Adds the lanes of each half of a word: the transposed map of spreading a coefficient.
#[inline(always)]
fn collect<const M: usize>(values: &[Block<M>], out: &mut [u16]) {
    let k = log_coefficients::<M>();
    let (low, high) = out.split_at_mut(1 << k);
    for (b, block) in values.iter().enumerate() {
        for w in 0..planes::WORDS {
            // Where `swap_words` put it.
            let c = reversed((b & 8) << 3 | w << 3 | b & 7, k);
            (low[c], high[c]) = (0, 0);
            for p in 0..M {
                let word = block[p][w];
                low[c] |= ((word as u32).count_ones() as u16 & 1) << p;
                high[c] |= (((word >> 32) as u32).count_ones() as u16 & 1) << p;
            }
        }
    }
}
