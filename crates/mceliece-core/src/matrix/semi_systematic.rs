//! The semi-systematic form of the `f` sets: the last 32 pivots may be any of 64 columns.
//!
//! After the reduction of all pivots but 32, the submatrix of these 32 rows and the next 64 columns
//! has rank 32 with high probability. Its pivot columns `p_0 < .. < p_31` change places with the
//! columns 0 to 31 of the submatrix, in order. The pivot columns are secret. So they are stored as
//! one-hot words, and every possible exchange is computed under a mask.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm MatGen for semi-systematic form.

use super::columns::Arrange;
use super::eliminate::Matrix;
use crate::bits::transpose;
use crate::code::{CHOICE, CHOSEN};
use crate::mask;
use crate::reveal::reveal;
use falcon_lanes::{Isa, transpose_bytes, wipe};

/// Pivot columns as one-hot words, in order.
pub(crate) type Pivots = [u64; CHOSEN];

/// Finds the pivot columns of `submatrix`, whose words are its rows. Returns false if the rank is
/// less than 32.
pub(crate) fn find_pivots(submatrix: &mut [u64; CHOSEN], pivots: &mut Pivots) -> bool {
    let mut rank = 0;
    for j in 0..CHOSEN {
        let any = submatrix[j..].iter().fold(0, |any, row| any | row);
        let pivot = any & any.wrapping_neg();
        pivots[j] = pivot;
        rank += mask::nonzero(pivot) & 1;
        let mut row = submatrix[j];
        for &other in &submatrix[j + 1..] {
            row ^= other & !mask::hidden(mask::nonzero(row & pivot));
        }
        submatrix[j] = row;
        for other in &mut submatrix[j + 1..] {
            *other ^= row & mask::hidden(mask::nonzero(*other & pivot));
        }
    }
    wipe(submatrix);
    // If the rank is too small, this attempt of key generation is thrown away.
    reveal(rank == CHOSEN as u64)
}

/// Returns the mask `c` of a secret key, from the pivot columns.
pub(crate) fn pivot_mask(pivots: &Pivots) -> u64 {
    pivots.iter().fold(0, |all, pivot| all | pivot)
}

/// Reads pivot columns from the mask `c`. Returns false unless `c` has 32 ones. The `j`-th one is
/// always at place `j` or later.
pub(crate) fn pivots_of_mask(mut c: u64, pivots: &mut Pivots) -> bool {
    let weight = c.count_ones();
    for pivot in pivots {
        *pivot = c & c.wrapping_neg();
        c ^= *pivot;
    }
    reveal(weight == CHOSEN as u32)
}

/// For every `j` in order, exchanges element `j` of `elements` with the element at place
/// `pivots[j]`.
pub(crate) fn exchange(elements: &mut [u64], pivots: &Pivots) {
    for (j, pivot) in pivots.iter().enumerate() {
        for k in j + 1..CHOICE {
            let different =
                (elements[j] ^ elements[k]) & mask::hidden(mask::of_bit(pivot >> k & 1));
            elements[j] ^= different;
            elements[k] ^= different;
        }
    }
}

/// Converts one line of each of eight byte columns to 64 rows of eight bytes, each as a word.
fn rows_of(columns: &[[u64; 8]; 8]) -> [u64; 64] {
    let mut rows = *columns;
    transpose_bytes(&mut rows);
    core::array::from_fn(|row| rows[row % 8][row / 8])
}

/// The inverse of [`rows_of`].
fn columns_of(rows: &[u64; 64]) -> [[u64; 8]; 8] {
    let mut columns: [[u64; 8]; 8] =
        core::array::from_fn(|i| core::array::from_fn(|w| rows[8 * w + i]));
    transpose_bytes(&mut columns);
    columns
}

/// Finds the pivot columns of the last 32 of `count` rows, from byte column `panel` on, and
/// exchanges columns in all rows. Returns false if the rank is less than 32.
pub(crate) fn exchange_columns<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    count: usize,
    panel: usize,
    pivots: &mut Pivots,
) -> bool {
    let height = matrix.height;
    let lines = &mut matrix.lines[panel * height..][..8 * height];
    isa.with_bytes(Arrange {
        lines: &mut *lines,
        back: true,
    });
    let line = |lines: &[[u64; 8]], l: usize| core::array::from_fn(|c| lines[c * height + l]);
    let mut submatrix = [0; CHOSEN];
    for (word, row) in submatrix.iter_mut().zip(count - CHOSEN..) {
        *word = rows_of(&line(lines, row / 64))[row % 64];
    }
    if !find_pivots(&mut submatrix, pivots) {
        return false;
    }
    for l in 0..height - 1 {
        let mut rows = rows_of(&line(lines, l));
        transpose(&mut rows);
        exchange(&mut rows, pivots);
        transpose(&mut rows);
        for (c, column) in columns_of(&rows).into_iter().enumerate() {
            lines[c * height + l] = column;
        }
        wipe(&mut rows);
    }
    isa.with_bytes(Arrange { lines, back: false });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_are_the_first_independent_columns() {
        // Row j has its lowest bit at 2j. The rows are in reversed order.
        let row = |j: usize| (0x5a5a_5a5a_5a5a_5a5a_u64 << 1 | 1) << (2 * j);
        let mut submatrix = core::array::from_fn(|j| row(31 - j));
        let mut pivots = [0; 32];
        assert!(find_pivots(&mut submatrix, &mut pivots));
        assert_eq!(pivots, core::array::from_fn(|j| 1 << (2 * j)));
        assert_eq!(pivot_mask(&pivots), 0x5555_5555_5555_5555);
        let mut again = [0; 32];
        assert!(pivots_of_mask(0x5555_5555_5555_5555, &mut again));
        assert_eq!(again, pivots);
        assert!(!pivots_of_mask(0x5555_5555, &mut again));
        let mut submatrix = core::array::from_fn(|j| row(j) & 0xffff_ffff);
        assert!(!find_pivots(&mut submatrix, &mut pivots));
    }

    #[test]
    fn rows_are_the_bytes_of_eight_columns() {
        let columns: [[u64; 8]; 8] = core::array::from_fn(|c| {
            core::array::from_fn(|w| {
                u64::from_le_bytes([(8 * w + c) as u8; 8]) ^ 0x0706_0504_0302_0100
            })
        });
        let rows = rows_of(&columns);
        for (row, word) in rows.iter().enumerate() {
            for (c, column) in columns.iter().enumerate() {
                assert_eq!(
                    word.to_le_bytes()[c],
                    column[row / 8].to_le_bytes()[row % 8]
                );
            }
        }
        assert_eq!(columns_of(&rows), columns);
    }

    #[test]
    fn elements_change_places_in_order() {
        let mut elements: [u64; 64] = core::array::from_fn(|i| i as u64);
        exchange(&mut elements, &core::array::from_fn(|j| 1 << (2 * j)));
        let mut expected: [u64; 64] = core::array::from_fn(|i| i as u64);
        for j in 0..32 {
            expected.swap(j, 2 * j);
        }
        assert_eq!(elements, expected);
    }
}
