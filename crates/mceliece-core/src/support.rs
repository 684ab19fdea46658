//! The support of the code: the points in the order of the columns.
//!
//! Column `j` has the point with number `pi(j)`. A [`Column`] is a word that sorts by the random
//! number of its point: 32 bits `a`, 13 bits `pi(j)`, and in the low 16 bits `1/g` of the point,
//! which so needs no look-up.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm FieldOrdering.

use crate::code::Code;
use crate::field::element::point;
use crate::mask;
use crate::reveal::reveal;
use crate::sort::sort;
use falcon_lanes::Isa;

/// A column of the matrix before it is expanded.
pub(crate) type Column = u64;

/// Column of point number `i`, with the random number `a`. Below half of the range of words.
#[inline(always)]
pub(crate) fn column(a: u32, i: usize) -> Column {
    u64::from(a) << 31 | (i as u64) << 16
}

/// Number of the point.
#[inline(always)]
pub(crate) fn number(column: Column) -> u32 {
    (column >> 16) as u32 & 0x7fff
}

/// The point, and `1/g` of it.
#[inline(always)]
pub(crate) fn values<const M: usize>(column: Column) -> (u16, u16) {
    (point::<M>(number(column) as u16), column as u16)
}

/// Sorts the columns. Returns false if two random numbers are equal.
pub(crate) fn order<I: Isa>(
    isa: I,
    code: &Code,
    columns: &mut [Column],
    spare: &mut [u64],
) -> bool {
    let columns = &mut columns[..code.q()];
    sort(isa, columns, 1, &mut spare[..code.q()]);
    let mut equal = 0;
    for pair in columns.windows(2) {
        equal |= mask::equal(pair[0] >> 31, pair[1] >> 31);
    }
    // The attempt of key generation is thrown away then.
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
        assert!(columns.is_sorted_by_key(|&column| a(number(column))));
        assert_eq!(values::<12>(column(7, 1) | 5), (1 << 11, 5));
        // Two that are equal, and far apart.
        let mut columns = made(&|i| if i == 4000 { a(3) } else { a(i) });
        assert!(!order(
            falcon_lanes::Baseline,
            code,
            &mut columns,
            &mut spare
        ));
    }
}
