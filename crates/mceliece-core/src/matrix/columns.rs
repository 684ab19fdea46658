//! Columns of the parity-check matrix: row `i M + b` of column `j` is bit `b` of
//! `alpha_j^i / g(alpha_j)`.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm MatGen.

use super::Columns;
use crate::align::Aligned;
use crate::field::planes::{Block, WORDS, load, mul, parts, slice, store};
use falcon_lanes::{Isa, wipe};

/// Writes 512 columns to block `block` of all rows of a matrix with `width` blocks.
///
/// `columns` are the pairs `(alpha_j, 1/g(alpha_j))`; those that are missing are zero.
pub(crate) fn write_columns<I: Isa, const M: usize>(
    isa: I,
    columns: impl Iterator<Item = (u16, u16)> + Clone,
    matrix: &mut [Columns],
    width: usize,
    block: usize,
) {
    let mut alpha: Aligned<Block<M>> = Aligned([[0; WORDS]; M]);
    let mut value: Aligned<Block<M>> = Aligned([[0; WORDS]; M]);
    let (alpha, value) = (&mut alpha.0, &mut value.0);
    slice(columns.clone().map(|(alpha, _)| alpha), alpha);
    slice(columns.map(|(_, inverse)| inverse), value);
    isa.vectorize_words(
        #[inline(always)]
        || {
            for rows in matrix.chunks_exact_mut(M * width) {
                for (row, plane) in rows.chunks_exact_mut(width).zip(&*value) {
                    row[block] = *plane;
                }
                for part in 0..parts::<I>() {
                    let product = mul(isa, &load(isa, value, part), &load(isa, alpha, part));
                    store::<I, M>(&product, value, part);
                }
            }
        },
    );
    wipe(alpha.as_flattened_mut());
    wipe(value.as_flattened_mut());
}
