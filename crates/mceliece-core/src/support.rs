//! The support of the code: the points in the order of the columns.
//!
//! Column `j` has the point with number `pi(j)`. A [`Column`] is a word of three numbers. Bits 31
//! and up are the random number `a` of the point, the 15 bits below are the number of the point,
//! and the low 16 bits are `1/g` of the point. Sorting the words sorts the points by `a` and
//! carries `1/g` along, so `1/g` needs no table lookup. When the columns are in order, [`Support`]
//! keeps their low halves.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm FieldOrdering.

use crate::code::{CHOICE, Code};
use crate::field::element::point;
use crate::mask;
use crate::matrix::semi_systematic::{Pivots, exchange};
use crate::reveal::reveal;
use crate::sort::sort;
use falcon_lanes::{Isa, wipe};

/// A column of the matrix before it is expanded.
pub(crate) type Column = u64;

/// Returns the column of point number `i` with the random number `a`. The result is below `2^63`,
/// as the sorting functions require.
#[inline(always)]
pub(crate) fn column(a: u32, i: usize) -> Column {
    u64::from(a) << 31 | (i as u64) << 16
}

/// Packs columns: removes their random numbers, and puts two into each word of the first half.
pub(crate) fn pack(columns: &mut [Column]) {
    for j in 0..columns.len() / 2 {
        let [low, high] = [columns[2 * j], columns[2 * j + 1]].map(
            #[inline(always)]
            |column| column & 0x7fff_ffff,
        );
        columns[j] = low | high << 32;
    }
}

/// The columns in order, without their random numbers: two in a word.
pub(crate) struct Support<'a> {
    words: &'a mut [u64],
}

impl<'a> Support<'a> {
    /// Wraps the words that [`pack`] wrote.
    pub(crate) fn new(words: &'a mut [u64]) -> Self {
        Self { words }
    }

    #[inline(always)]
    fn column(&self, j: usize) -> u32 {
        (self.words[j / 2] >> (32 * (j % 2))) as u32
    }

    /// Returns the point of column `j`, and `1/g` of this point.
    #[inline(always)]
    pub(crate) fn values<const M: usize>(&self, j: usize) -> (u16, u16) {
        let column = self.column(j);
        (point::<M>((column >> 16) as u16), column as u16)
    }

    /// Exchanges the columns from number `first` on, according to `pivots`.
    pub(crate) fn exchange(&mut self, first: usize, pivots: &Pivots) {
        let mut columns: [u64; CHOICE] =
            core::array::from_fn(|i| u64::from(self.column(first + i)));
        exchange(&mut columns, pivots);
        for (j, column) in (first..).zip(&columns) {
            let (word, shift) = (&mut self.words[j / 2], 32 * (j % 2));
            *word = *word & !(0xffff_ffff << shift) | column << shift;
        }
        wipe(&mut columns);
    }
}

/// Reduces the output of [`pack`] to the numbers of the points, four in each word of the first
/// half.
pub(crate) fn pack_numbers(words: &mut [u64]) {
    for j in 0..words.len() / 2 {
        let [low, high] = [words[2 * j], words[2 * j + 1]].map(
            #[inline(always)]
            |two| two >> 16 & 0xffff | two >> 48 << 16,
        );
        words[j] = low | high << 32;
    }
}

/// Returns the number of the point of column `j`, from the output of [`pack_numbers`].
#[inline(always)]
pub(crate) fn number(numbers: &[u64], j: usize) -> u32 {
    (numbers[j / 4] >> (16 * (j % 4))) as u32 & 0xffff
}

/// Sorts the columns. Returns false if two random numbers are equal.
pub(crate) fn order<I: Isa>(
    isa: I,
    code: &Code,
    columns: &mut [Column],
    spare: &mut [u64],
) -> bool {
    sort(isa, columns, 1, &mut spare[..code.q()]);
    let mut equal = 0;
    for pair in columns.windows(2) {
        equal |= mask::equal(pair[0] >> 31, pair[1] >> 31);
    }
    // If two are equal, this attempt of key generation is thrown away.
    reveal(equal == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::CODES;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn columns_are_in_the_order_of_distinct_random_numbers() {
        let code = &CODES[0];
        let a = |i: u32| i.wrapping_mul(0x9e37_79b9);
        let made = |a: &dyn Fn(u32) -> u32| -> Vec<Column> {
            (0..code.q()).map(|i| column(a(i as u32), i) | 5).collect()
        };
        let mut spare = vec![0; code.q()];
        let mut columns = made(&a);
        assert!(order(
            falcon_lanes::Baseline,
            code,
            &mut columns,
            &mut spare
        ));
        assert!(columns.is_sorted_by_key(|&column| a((column >> 16) as u32 & 0x7fff)));
        let expected = columns.clone();
        pack(&mut columns);
        let support = Support::new(&mut columns);
        for (j, &column) in expected.iter().enumerate() {
            let number = (column >> 16) as u16 & 0x7fff;
            assert_eq!(support.values::<12>(j), (point::<12>(number), 5));
        }
        pack_numbers(&mut columns[..code.q() / 2]);
        for (j, &column) in expected.iter().enumerate() {
            assert_eq!(number(&columns, j), (column >> 16) as u32 & 0x7fff);
        }
        // Points 3 and 4000 have the same random number.
        let mut columns = made(&|i| if i == 4000 { a(3) } else { a(i) });
        assert!(!order(
            falcon_lanes::Baseline,
            code,
            &mut columns,
            &mut spare
        ));
    }
}
