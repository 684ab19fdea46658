//! The transposed additive FFT: from a value `w_i` for each point to the sums
//! `sum of w_i point(i)^j`, for twice as many `j` as [`transform`](super::transform) has
//! coefficients.
//!
//! The steps are those of the transform, transposed, in reversed order.

use super::layers::{Butterfly, long_layer, short_layer};
use super::transform::swap_words;
use super::{Order, basis, log_coefficients, taylor};
use crate::field::planes::{self, Block, Planes, add, load, mul, parts, splat, store};
use falcon_lanes::{Isa, Register, U64s, wipe};

/// Writes the first sums to `out`, which has `2^(k+1)` places, where `k` is [`log_coefficients`].
/// The contents of `values` are overwritten.
pub(crate) fn transpose<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>], out: &mut [u16]) {
    isa.vectorize_words(
        #[inline(always)]
        || {
            for j in (3..log_coefficients::<M>()).rev() {
                long_layer::<Transposed, I, M>(isa, values, j);
            }
            swap_words(isa, values);
            for j in (0..3).rev() {
                short_layer::<Transposed, I, M>(isa, values, j);
            }
            half_layer(isa, values);
            collect(isa, values, out);
        },
    );
    taylor::expand_transposed::<I, M>(isa, out);
}

/// The butterfly `x + y` and `a (x + y) + y`.
struct Transposed;

impl Butterfly for Transposed {
    #[inline(always)]
    fn apply<I: Isa, const M: usize>(
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
}

/// Applies the butterflies of stride 32, inside words. Sums stay in the low half of a word, the
/// other results in the high half.
#[inline(always)]
fn half_layer<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>]) {
    let twiddle = splat(isa, basis::half::<M>());
    let high = I::U64s::splat(isa, !0 << 32);
    for block in values {
        for part in 0..parts::<I>() {
            let words: Planes<I, M> = load(isa, block, part);
            // The sums of both halves.
            let mut sums = words;
            for sum in &mut sums {
                *sum = sum.xor(sum.rotate_left::<32, 32>());
            }
            let mut out = mul(isa, &twiddle, &sums);
            for ((out, sum), word) in out.iter_mut().zip(sums).zip(words) {
                let second = out.xor(word);
                *out = sum.xor(high.and(sum.xor(second)));
            }
            store::<I, M>(&out, block, part);
        }
    }
}

/// Adds the lanes of each half of a word: the transposed map of spreading a coefficient.
#[inline(always)]
fn collect<I: Isa, const M: usize>(isa: I, values: &[Block<M>], out: &mut [u16]) {
    let k = log_coefficients::<M>();
    let (low, high) = out.split_at_mut(1 << k);
    let first = I::U64s::splat(isa, 0x1_0000_0001);
    let mut sums = [0u64; planes::WORDS];
    for (block, numbers) in values.iter().zip(Order::<M>::rows()) {
        for part in 0..parts::<I>() {
            let mut sum = I::U64s::splat(isa, 0);
            for plane in load(isa, block, part).into_iter().rev() {
                // The first bits of both halves become the sums of all bits. Bits that rotate
                // around are added to higher bits only.
                let word = plane.xor(plane.rotate_left::<48, 16>());
                let word = word.xor(word.rotate_left::<56, 8>());
                let word = word.xor(word.rotate_left::<60, 4>());
                let word = word.xor(word.rotate_left::<62, 2>());
                let word = word.xor(word.rotate_left::<63, 1>());
                sum = sum.rotate_left::<1, 63>().xor(word.and(first));
            }
            sum.store(&mut I::U64s::chunks_mut(&mut sums)[part]);
        }
        for (&number, sum) in numbers.iter().zip(sums) {
            let c = usize::from(number);
            (low[c], high[c]) = (sum as u16, (sum >> 32) as u16);
        }
    }
    wipe(&mut sums);
}
