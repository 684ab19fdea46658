//! Columns of the parity-check matrix: row `i M + b` of column `j` is bit `b` of
//! `alpha_j^i / g(alpha_j)`.
//!
//! Rows are made for 512 columns at a time, and then cut into byte columns.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm MatGen.

use super::Columns;
use super::eliminate::Matrix;
use crate::align::Aligned;
use crate::field::planes::{Block, WORDS, load, mul, parts, slice, store};
use falcon_lanes::{Bytes, BytesKernel, Isa, transpose_bytes, wipe};

/// Writes 512 columns of all rows.
///
/// `columns` are the pairs `(alpha_j, 1/g(alpha_j))`; those that are missing are zero.
pub(crate) fn write_rows<I: Isa, const M: usize>(
    isa: I,
    columns: impl Iterator<Item = (u16, u16)> + Clone,
    rows: &mut [Columns],
) {
    let mut alpha: Aligned<Block<M>> = Aligned([[0; WORDS]; M]);
    let mut value: Aligned<Block<M>> = Aligned([[0; WORDS]; M]);
    let (alpha, value) = (&mut alpha.0, &mut value.0);
    slice(columns.clone().map(|(alpha, _)| alpha), alpha);
    slice(columns.map(|(_, inverse)| inverse), value);
    isa.vectorize_words(
        #[inline(always)]
        || {
            for rows in rows.as_chunks_mut::<M>().0 {
                *rows = *value;
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

/// Brings lines into the order of [`Bytes`], or back to that of bytes.
pub(crate) struct Arrange<'a> {
    pub(crate) lines: &'a mut [Columns],
    pub(crate) back: bool,
}

impl BytesKernel for Arrange<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) {
        for line in self.lines {
            if self.back {
                bytes.rearrange(line);
            } else {
                bytes.arrange(line);
            }
        }
    }
}

/// Cuts rows, a multiple of eight of them, into the byte columns from number `first` on, as many as
/// the matrix has, at most 64.
pub(crate) fn cut_rows<I: Isa>(isa: I, rows: &[Columns], matrix: &mut Matrix<'_>, first: usize) {
    let height = matrix.height;
    let lines = &mut matrix.lines[first * height..];
    let len = lines.len().min(64 * height);
    let lines = &mut lines[..len];
    isa.vectorize(
        #[inline(always)]
        || {
            for (group, rows) in rows.as_chunks::<8>().0.iter().enumerate() {
                let mut columns = *rows;
                transpose_bytes(&mut columns);
                for (number, column) in lines.chunks_exact_mut(height).enumerate() {
                    column[group / 8][group % 8] = columns[number % 8][number / 8];
                }
            }
            for column in lines.chunks_exact_mut(height) {
                column.as_flattened_mut()[rows.len() / 8..].fill(0);
            }
        },
    );
    isa.with_bytes(Arrange { lines, back: false });
}

/// Calls `visit` with eight rows at a time of 64 byte columns. The order of their lines is that of
/// bytes afterwards.
pub(crate) fn join_rows<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    count: usize,
    mut visit: impl FnMut(usize, &[Columns; 8]),
) {
    let height = matrix.height;
    let lines = &mut matrix.lines[..64 * height];
    isa.with_bytes(Arrange {
        lines: &mut *lines,
        back: true,
    });
    isa.vectorize(
        #[inline(always)]
        || {
            for group in 0..count / 8 {
                let mut rows = [[0; 8]; 8];
                for (number, column) in lines.chunks_exact(height).enumerate() {
                    rows[number % 8][number / 8] = column[group / 8][group % 8];
                }
                transpose_bytes(&mut rows);
                visit(group, &rows);
            }
        },
    );
}
