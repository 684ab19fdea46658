//! Columns of the parity-check matrix: row `i M + b` of column `j` is bit `b` of
//! `alpha_j^i / g(alpha_j)`.
//!
//! Rows are computed for 512 columns at a time, power by power. Eight rows at a time are cut into
//! byte columns.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm MatGen.

use super::eliminate::Matrix;
use super::{Line, RowPiece};
use crate::align::Aligned;
use crate::bits::to_bytes;
use crate::field::planes::{Block, LANES, WORDS, load, mul, parts, slice, store};
use falcon_lanes::{Bytes, BytesKernel, Isa, transpose_bytes, wipe};

/// Largest number of byte columns that are made at a time.
pub(crate) const PIECE: usize = LANES / 8;

/// Largest number of pending rows: seven that wait for the eighth, and the rows of another power.
const PENDING: usize = 7 + 13;

/// Writes the byte columns from number `first` to the end of the matrix, at most [`PIECE`].
///
/// `columns` are the pairs `(alpha_j, 1/g(alpha_j))`. Missing pairs count as zero. The matrix has
/// `t M` rows behind `padding` rows of zeros, fewer than eight.
#[inline(never)]
pub(crate) fn write_columns<I: Isa, const M: usize>(
    isa: I,
    columns: impl Iterator<Item = (u16, u16)> + Clone,
    (t, padding): (usize, usize),
    matrix: &mut Matrix<'_>,
    first: usize,
) {
    let mut alpha: Aligned<Block<M>> = Aligned([[0; WORDS]; M]);
    let mut value: Aligned<Block<M>> = Aligned([[0; WORDS]; M]);
    let (alpha, value) = (&mut alpha.0, &mut value.0);
    slice(columns.clone().map(|(alpha, _)| alpha), alpha);
    slice(columns.map(|(_, inverse)| inverse), value);
    let height = matrix.height;
    let lines = &mut matrix.lines[first * height..];
    let len = lines.len().min(PIECE * height);
    let lines = &mut lines[..len];
    let mut rows = [[0; 8]; PENDING];
    isa.vectorize_words(
        #[inline(always)]
        || {
            let (mut pending, mut group) = (padding, 0);
            for _ in 0..t {
                rows[pending..pending + M].copy_from_slice(&*value);
                pending += M;
                for part in 0..parts::<I>() {
                    let product = mul(isa, &load(isa, value, part), &load(isa, alpha, part));
                    store::<I, M>(&product, value, part);
                }
                while pending >= 8 {
                    cut_rows(&rows.as_chunks().0[0], group, lines, height);
                    rows.copy_within(8..pending, 0);
                    group += 1;
                    pending -= 8;
                }
            }
            for column in lines.chunks_exact_mut(height) {
                column.as_flattened_mut()[group..].fill(0);
            }
        },
    );
    wipe(rows.as_flattened_mut());
    wipe(alpha.as_flattened_mut());
    wipe(value.as_flattened_mut());
    isa.with_bytes(Arrange { lines, back: false });
}

/// Cuts the eight rows of group `group` into byte columns.
#[inline(always)]
pub(crate) fn cut_rows(rows: &[RowPiece; 8], group: usize, lines: &mut [Line], height: usize) {
    let mut columns = *rows;
    transpose_bytes(&mut columns);
    for (number, column) in lines.chunks_exact_mut(height).enumerate() {
        column[group / 8][group % 8] = columns[number % 8][number / 8];
    }
}

/// Puts lines into the order of [`Bytes`], or back into the order of bytes.
pub(crate) struct Arrange<'a> {
    pub(crate) lines: &'a mut [Line],
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

/// Calls `visit` with eight rows at a time. A row has one byte for each byte column, at most
/// [`PIECE`] bytes. Afterwards the lines are in the order of bytes.
pub(crate) fn join_rows<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    count: usize,
    mut visit: impl FnMut(usize, &[RowPiece; 8]),
) {
    let height = matrix.height;
    let lines = &mut *matrix.lines;
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

/// Calls `visit` with the number of each byte column and its bytes. The bytes of the padding come
/// first, then one byte for each row. Afterwards the lines are in the order of bytes.
#[inline(never)]
pub(crate) fn visit_columns<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    mut visit: impl FnMut(usize, &[u8]),
) {
    let height = matrix.height;
    let lines = &mut *matrix.lines;
    isa.with_bytes(Arrange {
        lines: &mut *lines,
        back: true,
    });
    // At most 1,664 rows, including the padding.
    let mut bytes = [0; 1664];
    for (number, column) in lines.chunks_exact(height).enumerate() {
        to_bytes(column.as_flattened(), &mut bytes);
        visit(number, &bytes);
    }
}
