//! The additive FFT.

use super::layers::{Butterfly, long_layer, short_layer};
use super::{Order, basis, log_coefficients, taylor};
use crate::field::element::mul_by_public;
use crate::field::planes::{
    self, Block, Planes, add, load, masks, mul, parts, splat, spread, store,
};
use falcon_lanes::{Isa, Register, wipe};

/// Writes the values of the polynomial `f` at all points to `out`, which has
/// [`blocks`](super::blocks) blocks.
///
/// `f` has at most `2^k + 1` coefficients, where `k` is [`log_coefficients`].
#[inline(never)]
pub(crate) fn transform<I: Isa, const M: usize>(isa: I, f: &[u16], out: &mut [Block<M>]) {
    let k = log_coefficients::<M>();
    let (low, top) = f.split_at(f.len().min(1 << k));
    let mut coefficients = [0; 128];
    coefficients[..low.len()].copy_from_slice(low);
    let expanded = &mut coefficients[..1 << k];
    taylor::expand::<I, M>(isa, expanded);
    isa.vectorize_words(
        #[inline(always)]
        || {
            place(isa, expanded, out);
            for j in 0..3 {
                short_layer::<Forward, I, M>(isa, out, j);
            }
            swap_words(isa, out);
            for j in 3..k {
                long_layer::<Forward, I, M>(isa, out, j);
            }
            if let Some(&top) = top.first() {
                add_top(isa, top, out);
            }
        },
    );
    wipe(&mut coefficients);
}

/// Spreads each coefficient over the 64 lanes of the word to which [`Order`] assigns it.
#[inline(always)]
fn place<I: Isa, const M: usize>(isa: I, coefficients: &[u16], out: &mut [Block<M>]) {
    // Writes all words before registers are loaded, since a load would wait for them.
    let mut constants = [[0u64; planes::WORDS]; 16];
    for (constants, numbers) in constants.iter_mut().zip(Order::<M>::rows()) {
        for (c, &number) in constants.iter_mut().zip(numbers) {
            *c = coefficients[usize::from(number)].into();
        }
    }
    for (block, constants) in out.iter_mut().zip(&constants) {
        for (part, words) in I::U64s::chunks(constants).iter().enumerate() {
            store::<I, M>(&spread(isa, I::U64s::load(isa, words)), block, part);
        }
    }
    wipe(constants.as_flattened_mut());
}

/// Exchanges bits 0 to 2 and bits 3 to 5 of the numbers of words. The exchange is its own inverse.
///
/// Before or after the exchange, all strides between words are strides between blocks.
#[inline(always)]
pub(crate) fn swap_words<I: Isa, const M: usize>(isa: I, values: &mut [Block<M>]) {
    for eight in values.as_chunks_mut::<8>().0 {
        for p in 0..M {
            let rows = core::array::from_fn(|b| eight[b][p]);
            let columns = isa.transpose_words(&rows);
            for (block, column) in eight.iter_mut().zip(columns) {
                block[p] = column;
            }
        }
    }
}

/// The butterfly `u + a v` and `u + a v + v`.
struct Forward;

impl Butterfly for Forward {
    #[inline(always)]
    fn apply<I: Isa, const M: usize>(
        isa: I,
        [x, y]: [&mut Block<M>; 2],
        twiddle: impl Fn(usize) -> Planes<I, M>,
    ) {
        for part in 0..parts::<I>() {
            let (u, v) = (load(isa, x, part), load(isa, y, part));
            let first = add::<I, M>(&u, &mul(isa, &twiddle(part), &v));
            store::<I, M>(&first, x, part);
            store::<I, M>(&add::<I, M>(&first, &v), y, part);
        }
    }
}

/// Adds `top x^(2^k)`, which is linear in `x`.
#[inline(always)]
fn add_top<I: Isa, const M: usize>(isa: I, top: u16, values: &mut [Block<M>]) {
    // The values at the points whose number has a single bit, one mask for every plane.
    let mut bits = [[0u64; M]; M];
    for (bit, &power) in bits.iter_mut().zip(basis::top_powers::<M>()) {
        *bit = masks(mul_by_public::<M>(top, power));
    }
    // The words of the first block.
    let mut first = [[0; planes::WORDS]; M];
    for (p, plane) in first.iter_mut().enumerate() {
        let inside = basis::PATTERNS.iter().zip(&bits);
        let inside = inside.fold(0, |sum, (pattern, bit)| sum ^ pattern & bit[p]);
        for (w, word) in plane.iter_mut().enumerate() {
            let outside = bits[6..9].iter().enumerate();
            *word = outside.fold(inside, |sum, (i, bit)| {
                sum ^ bit[p] & 0u64.wrapping_sub((w >> i & 1) as u64)
            });
        }
    }
    // `all` is added to every word of block `b`. From block `b` to the next, the trailing ones of
    // `b` and the zero above them flip.
    let mut all = [0; M];
    for (b, block) in values.iter_mut().enumerate() {
        for part in 0..parts::<I>() {
            let sum = add::<I, M>(&load(isa, &first, part), &splat(isa, &all));
            store::<I, M>(&add::<I, M>(&load(isa, block, part), &sum), block, part);
        }
        for bit in bits[9..].iter().take(b.trailing_ones() as usize + 1) {
            for (all, bit) in all.iter_mut().zip(bit) {
                *all ^= bit;
            }
        }
    }
    wipe(&mut all);
    wipe(bits.as_flattened_mut());
    wipe(first.as_flattened_mut());
}
