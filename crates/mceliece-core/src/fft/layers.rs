//! The layers between blocks, for the transform and for its transposed map.

use super::basis;
use crate::field::planes::{Block, Planes, load, splat};
use falcon_lanes::Isa;

/// The operation of a layer on two blocks.
pub(crate) trait Butterfly {
    /// Replaces both blocks. `twiddle` returns the factor of a part.
    fn apply<I: Isa, const M: usize>(
        isa: I,
        blocks: [&mut Block<M>; 2],
        twiddle: impl Fn(usize) -> Planes<I, M>,
    );
}

/// Applies the butterflies of stride `2^(6+j)`, `j < 3`, to blocks whose numbers differ in bit `j`.
#[inline(always)]
pub(crate) fn short_layer<B: Butterfly, I: Isa, const M: usize>(
    isa: I,
    values: &mut [Block<M>],
    j: usize,
) {
    let stride = 1 << j;
    for pairs in values.chunks_exact_mut(2 * stride) {
        let (x, y) = pairs.split_at_mut(stride);
        for ((x, y), twiddle) in x.iter_mut().zip(y).zip(basis::short::<M>(j)) {
            B::apply(
                isa,
                [x, y],
                #[inline(always)]
                |_| splat(isa, twiddle),
            );
        }
    }
}

/// Applies the butterflies of stride `2^(6+j)`, `j >= 3`, to blocks whose numbers differ in bit
/// `j - 3`.
#[inline(always)]
pub(crate) fn long_layer<B: Butterfly, I: Isa, const M: usize>(
    isa: I,
    values: &mut [Block<M>],
    j: usize,
) {
    let stride = 1 << (j - 3);
    for pairs in values.chunks_exact_mut(2 * stride) {
        let (x, y) = pairs.split_at_mut(stride);
        for ((x, y), twiddle) in x.iter_mut().zip(y).zip(basis::long::<M>(j)) {
            B::apply(
                isa,
                [x, y],
                #[inline(always)]
                |part| load(isa, twiddle, part),
            );
        }
    }
}
