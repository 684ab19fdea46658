//! The additive FFT: values of a polynomial at all `2^M` points of the field, and the transposed
//! map.
//!
//! Point number `i` is [`point(i)`](crate::field::element::point), the element with the bits of `i`
//! reversed. The network of [`permutation`](crate::permutation) permutes in this order.
//!
//! With a basis `b_0, .., b_(r-1)` of the points, last element `beta`: write `f(beta x)` as
//! `f_0(x^2 + x) + x f_1(x^2 + x)`. The values of `f` at `beta a` and `beta (a + 1)` are `u + a v`
//! and `u + a v + v`, where `u` and `v` are values of `f_0` and `f_1` at `a^2 + a`. These points
//! have the basis `c_j^2 + c_j`, where `c_j = b_j / beta`. So each layer `s` of the recursion has a
//! twist by powers of `beta`, a Taylor expansion at `x^2 + x`, and butterflies with twiddles `a`,
//! the sums of the `c_j`.
//!
//! Source: S. Gao and T. Mateer, "Additive fast Fourier transforms over finite fields", 2010;
//! D. J. Bernstein, T. Chou and P. Schwabe, "McBits", 2013 (transposition, butterflies on words).

use crate::field::planes::WORDS;

pub(crate) mod basis;
mod layers;
pub(crate) mod taylor;
pub(crate) mod transform;
pub(crate) mod transpose;

/// Base-2 logarithm of the number of coefficients of [`transform`]. The number is 64 for `M = 12`
/// and 128 for `M = 13`. The transposed map writes twice as many.
pub(crate) const fn log_coefficients<const M: usize>() -> usize {
    M - 6
}

/// Number of blocks that hold a value for every point.
pub(crate) const fn blocks<const M: usize>() -> usize {
    (1 << M) / crate::field::planes::LANES
}

/// The `bits` low bits of `i` in reversed order.
pub(crate) const fn reversed(i: usize, bits: usize) -> usize {
    i.reverse_bits() >> (usize::BITS as usize - bits)
}

/// For each word of each block, the number of the coefficient that [`transform`] spreads there.
/// Bits 0 to 2 of the number of a word are those of its block, bits 3 to 5 the place inside, as
/// [`swap_words`](transform::swap_words) expects them.
pub(crate) struct Order<const M: usize>;

impl<const M: usize> Order<M> {
    const ALL: [[u8; WORDS]; 16] = {
        let mut all = [[0; WORDS]; 16];
        let mut i = 0;
        while i < 16 * WORDS {
            let (block, word) = (i / WORDS, i % WORDS);
            let number = (block & 8) << 3 | word << 3 | block & 7;
            all[block][word] = reversed(number, log_coefficients::<M>()) as u8;
            i += 1;
        }
        all
    };

    /// The numbers, block by block.
    pub(crate) fn rows() -> &'static [[u8; WORDS]] {
        let all: &[_; 16] = const { &Self::ALL };
        &all[..blocks::<M>()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::element::{mul, point};
    use crate::field::planes::{Block, element, masks, slice};
    use falcon_lanes::Isa;

    /// Makes repeatable elements that are not a linear function of their number.
    fn some<const M: usize>(seed: u32, i: usize) -> u16 {
        let x = (i as u32 + 1)
            .wrapping_mul(seed | 1)
            .wrapping_mul(0x9e37_79b9);
        let x = (x ^ x >> 15).wrapping_mul(0x85eb_ca6b);
        ((x ^ x >> 13) & ((1 << M) - 1)) as u16
    }

    fn value<const M: usize>(coefficients: &[u16], at: u16) -> u16 {
        let horner = |value, &c: &u16| mul::<M>(value, at) ^ c;
        coefficients.iter().rev().fold(0, horner)
    }

    fn values_equal_evaluation<I: Isa, const M: usize>(isa: I) {
        let full = 1 << log_coefficients::<M>();
        for len in [1, 2, 3, full - 9, full, full + 1] {
            let f: std::vec::Vec<u16> = (0..len).map(|i| some::<M>(7, i)).collect();
            let mut values = [[[0; 8]; M]; 16];
            transform::transform::<I, M>(isa, &f, &mut values[..blocks::<M>()]);
            for i in (0..1 << M).step_by(if len == full { 1 } else { 37 }) {
                let expected = value::<M>(&f, point::<M>(i as u16));
                assert_eq!(element(&values[i / 512], i % 512), expected, "{i}");
            }
        }
    }

    #[test]
    fn values_are_those_at_the_points() {
        on_every_engine!(isa => values_equal_evaluation::<_, 12>(isa));
        on_every_engine!(isa => values_equal_evaluation::<_, 13>(isa));
    }

    /// Computes `sum of w_i point(i)^j`, the transposed map, by definition.
    fn transposed_by_definition<const M: usize>(values: &[u16], out: &mut [u16]) {
        out.fill(0);
        for (i, &w) in values.iter().enumerate() {
            let (mut power, at) = (w, point::<M>(i as u16));
            for out in out.iter_mut() {
                *out ^= power;
                power = mul::<M>(power, at);
            }
        }
    }

    fn transposed<I: Isa, const M: usize>(isa: I) {
        let values: std::vec::Vec<u16> = (0..1 << M).map(|i| some::<M>(11, i)).collect();
        let mut expected = [0; 256];
        let expected = &mut expected[..2 << log_coefficients::<M>()];
        transposed_by_definition::<M>(&values, expected);
        let mut blocks: [Block<M>; 16] = [[[0; 8]; M]; 16];
        for (block, values) in blocks.iter_mut().zip(values.chunks(512)) {
            slice(values.iter().copied(), block);
        }
        let mut out = [0; 256];
        let out = &mut out[..expected.len()];
        transpose::transpose::<I, M>(isa, &mut blocks[..super::blocks::<M>()], out);
        assert_eq!(out, expected);
    }

    #[test]
    fn the_transposed_map_is_the_sums_of_powers() {
        on_every_engine!(isa => transposed::<_, 12>(isa));
        on_every_engine!(isa => transposed::<_, 13>(isa));
    }

    /// Checks that `<FFT a, b> = <a, FFT^T b>`.
    fn identity<const M: usize>() {
        let isa = falcon_lanes::Baseline;
        let len = 1 << log_coefficients::<M>();
        let a: std::vec::Vec<u16> = (0..len).map(|i| some::<M>(21, i)).collect();
        let b: std::vec::Vec<u16> = (0..1 << M).map(|i| some::<M>(23, i)).collect();
        let mut blocks: [Block<M>; 16] = [[[0; 8]; M]; 16];
        let blocks = &mut blocks[..super::blocks::<M>()];
        transform::transform(isa, &a, blocks);
        let product = |i: usize| mul::<M>(element(&blocks[i / 512], i % 512), b[i]);
        let left = (0..1 << M).fold(0, |sum, i| sum ^ product(i));
        for (block, values) in blocks.iter_mut().zip(b.chunks(512)) {
            slice(values.iter().copied(), block);
        }
        let mut out = [0; 256];
        transpose::transpose(isa, blocks, &mut out[..2 * len]);
        let right = (0..len).fold(0, |sum, i| sum ^ mul::<M>(a[i], out[i]));
        assert_eq!(left, right);
    }

    #[test]
    fn the_transposition_is_one() {
        identity::<12>();
        identity::<13>();
        assert_eq!(masks::<12>(1)[0], u64::MAX);
    }
}
