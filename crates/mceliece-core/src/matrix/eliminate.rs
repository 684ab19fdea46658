//! Gauss-Jordan elimination in constant time, eight columns at a time.
//!
//! A panel is one byte column: eight columns, which get the next eight rows as pivot rows. Its step
//! has two halves.
//!
//! 1. *Pivot rows.* On the bytes of the pivot rows and of a window of rows below, choose by masks
//!    the combinations of these rows that make the bytes of the pivot rows the identity. A pivot
//!    row always takes part in its own combination, and the other rows stay as they are: the rows
//!    span the same space. For random rows a window of 56 suffices but for a chance of `2^-56`;
//!    if it does not, the same is done with the next window.
//! 2. *All rows.* The byte of a row holds its coefficients: they say which pivot rows to add.
//!
//! Coefficients stay where they were, in the byte column of the panel, whose columns are done. With
//! the combinations of the first half they repeat the whole reduction on other columns of the same
//! rows, see [`replay`]. So a matrix is reduced in two parts, and a matrix that turns out to be
//! singular costs the left part only.
//!
//! Public are the number of windows, and whether the reduction fails. No other branch and no
//! address depends on the matrix.

use super::Columns;
use crate::align::Aligned;
use crate::mask;
use crate::reveal::reveal;
use falcon_lanes::{Isa, Register, U64s, wipe};

/// Pivots of a panel: the bits of a byte.
const PIVOTS: usize = 8;
/// Rows whose combinations are considered at a time.
const CANDIDATES: usize = 64;
/// Most blocks of a row.
pub(crate) const MAX_WIDTH: usize = 4;
/// Combinations beyond one a panel that can be kept.
const SPARE: usize = 64;

/// Words of a [`Combination`], for memory that the caller owns.
pub(crate) const COMBINATION_WORDS: usize = 2 + PIVOTS;

/// Number of combinations that a reduction to `rows` pivots may need.
pub(crate) const fn max_combinations(rows: usize) -> usize {
    rows.div_ceil(PIVOTS) + SPARE
}

/// One first half of a step: panel, first row of the window, and the combination of each bit.
pub(crate) type Combination = [u64; COMBINATION_WORDS];

/// A matrix of `rows.len() / width` rows.
pub(crate) struct Matrix<'a> {
    pub(crate) rows: &'a mut [Columns],
    /// Blocks in a row.
    pub(crate) width: usize,
}

impl Matrix<'_> {
    pub(crate) fn count(&self) -> usize {
        self.rows.len() / self.width
    }

    /// Byte column `panel` of row `row`.
    #[inline(always)]
    fn byte(&self, row: usize, panel: usize) -> u8 {
        let (block, word, shift) = place(panel);
        (self.rows[row * self.width + block][word] >> shift) as u8
    }
}

/// Block, word and shift of a byte column.
#[inline(always)]
fn place(panel: usize) -> (usize, usize, usize) {
    (panel / 64, panel / 8 % 8, 8 * (panel % 8))
}

/// A reduction that is under way.
pub(crate) struct Reduction<'a> {
    /// Zero columns in front of the matrix, fewer than eight, which have no pivot: they put the
    /// columns behind the identity on bytes.
    pub(crate) padding: usize,
    pub(crate) combinations: &'a mut [Combination],
    /// Number of combinations so far.
    pub(crate) count: usize,
}

/// First row, number of pivots, and number of columns without pivot of a panel.
#[inline(always)]
fn shape(panel: usize, padding: usize) -> (usize, usize, usize) {
    let skipped = if panel == 0 { padding } else { 0 };
    (
        PIVOTS * panel + skipped - padding,
        PIVOTS - skipped,
        skipped,
    )
}

/// Reduces the panels in `panels`. Returns false if their columns are dependent on those before.
pub(crate) fn reduce<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    reduction: &mut Reduction<'_>,
    panels: core::ops::Range<usize>,
) -> bool {
    for panel in panels {
        let step = isa.vectorize_words(
            #[inline(always)]
            || {
                let complete = choose_pivots(isa, matrix, reduction, panel);
                if complete {
                    add_pivots(isa, matrix, reduction, panel);
                }
                complete
            },
        );
        if !step {
            return false;
        }
    }
    true
}

/// Repeats a reduction on other columns of the same rows. `left` is the reduced matrix.
pub(crate) fn replay<I: Isa>(
    isa: I,
    left: &Matrix<'_>,
    reduction: &Reduction<'_>,
    right: &mut Matrix<'_>,
) {
    let combinations = &reduction.combinations[..reduction.count];
    for (i, combination) in combinations.iter().enumerate() {
        let panel = combination[0];
        let last = combinations.get(i + 1).is_none_or(|next| next[0] != panel);
        isa.vectorize_words(
            #[inline(always)]
            || {
                let panel = panel as usize;
                let (first, count, skipped) = shape(panel, reduction.padding);
                let mut pivots = Aligned([[[0; 8]; MAX_WIDTH]; PIVOTS]);
                let pivots = &mut pivots.0;
                combine(isa, right, combination, (first, count, skipped), 0, pivots);
                for (q, pivot) in pivots[skipped..].iter().enumerate() {
                    let row = (first + q) * right.width;
                    right.rows[row..][..right.width].copy_from_slice(&pivot[..right.width]);
                }
                if last {
                    let coefficients = |row: usize| left.byte(row, panel);
                    add_to_rows(isa, right, coefficients, pivots, 0);
                }
                wipe(pivots.as_flattened_mut().as_flattened_mut());
            },
        );
    }
}

/// Makes the bytes of the pivot rows of `panel` the identity. Returns false if no combination of
/// rows does.
#[inline(always)]
fn choose_pivots<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    reduction: &mut Reduction<'_>,
    panel: usize,
) -> bool {
    let (first, count, skipped) = shape(panel, reduction.padding);
    let rows = matrix.count();
    let below = first + count;
    let mut window = below;
    loop {
        let size = (rows - window).min(CANDIDATES - count);
        let mut bytes = [0u8; CANDIDATES];
        for (k, byte) in bytes[..count + size].iter_mut().enumerate() {
            let row = if k < count {
                first + k
            } else {
                window + k - count
            };
            *byte = matrix.byte(row, panel);
        }
        let Some(combination) = reduction.combinations.get_mut(reduction.count) else {
            // More windows than random matrices ever need.
            return false;
        };
        reduction.count += 1;
        (combination[0], combination[1]) = (panel as u64, window as u64);
        let chosen = &mut combination[2..];
        let complete = find_combination(&mut bytes[..count + size], count, skipped, chosen);
        wipe(&mut bytes);
        let mut copy = *combination;
        let (block, word, shift) = place(panel);
        let mut pivots = Aligned([[[0; 8]; MAX_WIDTH]; PIVOTS]);
        let pivots = &mut pivots.0;
        combine(isa, matrix, &copy, (first, count, skipped), block, pivots);
        wipe(&mut copy);
        // Columns from the panel on are replaced; coefficients of earlier panels stay.
        let kept = (1u64 << shift) - 1;
        for (q, pivot) in pivots[skipped..].iter().enumerate() {
            let row = &mut matrix.rows[(first + q) * matrix.width..][..matrix.width];
            for (w, (old, &new)) in row[block]
                .iter_mut()
                .zip(&pivot[block])
                .enumerate()
                .skip(word)
            {
                let kept = if w == word { kept } else { 0 };
                *old = *old & kept | new & !kept;
            }
            row[block + 1..].copy_from_slice(&pivot[block + 1..matrix.width]);
        }
        wipe(pivots.as_flattened_mut().as_flattened_mut());
        // A window that does not suffice is a rare event; a matrix that is singular is thrown away.
        if reveal(complete) {
            return true;
        }
        window += size;
        if window >= rows {
            return false;
        }
    }
}

/// Finds the combinations of candidates, of which `bytes` are the bytes of the panel and the first
/// `count` are pivot rows, that make the bytes of the pivot rows single bits. Bit `k` of the word
/// of a combination is that of candidate `k`. Returns true if all were found.
#[inline(always)]
fn find_combination(bytes: &mut [u8], count: usize, skipped: usize, out: &mut [u64]) -> bool {
    let len = bytes.len();
    let mut sums: [u64; CANDIDATES] = core::array::from_fn(|k| 1 << k);
    let mut found = 0xffu8;
    for q in 0..count {
        let bit = skipped + q;
        let (mut byte, mut sum) = (bytes[q], sums[q]);
        for k in q + 1..len {
            let take = (!byte & bytes[k]) >> bit & 1;
            byte ^= bytes[k] & 0u8.wrapping_sub(take);
            sum ^= sums[k] & 0u64.wrapping_sub(u64::from(take));
        }
        (bytes[q], sums[q]) = (byte, sum);
        found &= byte >> bit | 0xfe;
        for k in 0..len {
            let take = if k == q { 0 } else { bytes[k] >> bit & 1 };
            bytes[k] ^= byte & 0u8.wrapping_sub(take);
            sums[k] ^= sum & 0u64.wrapping_sub(u64::from(take));
        }
    }
    out.fill(0);
    out[skipped..].copy_from_slice(&sums[..count]);
    wipe(&mut sums);
    found == 0xff
}

/// Adds up the rows of a combination, from block `from` on: `pivots[bit]` is the row for column
/// `bit` of the panel.
#[inline(always)]
fn combine<I: Isa>(
    isa: I,
    matrix: &Matrix<'_>,
    combination: &Combination,
    (first, count, _): (usize, usize, usize),
    from: usize,
    pivots: &mut [[Columns; MAX_WIDTH]; PIVOTS],
) {
    let (width, window) = (matrix.width, combination[1] as usize);
    let size = (matrix.count() - window).min(CANDIDATES - count);
    for (pivot, &sum) in pivots.iter_mut().zip(&combination[2..]) {
        for k in 0..count + size {
            let row = if k < count {
                first + k
            } else {
                window + k - count
            };
            // Portable code branched on the bit where the mask was not hidden.
            let take = I::U64s::splat(isa, mask::hidden(mask::of_bit(sum >> k & 1)));
            let row = &matrix.rows[row * width..][..width];
            for (pivot, row) in pivot[from..].iter_mut().zip(&row[from..]) {
                add_masked(isa, pivot, row, take);
            }
        }
    }
}

#[inline(always)]
fn add_masked<I: Isa>(isa: I, sum: &mut Columns, row: &Columns, mask: I::U64s) {
    let registers = I::U64s::chunks_mut(sum)
        .iter_mut()
        .zip(I::U64s::chunks(row));
    for (sum, row) in registers {
        let added = I::U64s::load(isa, row).and(mask);
        I::U64s::load(isa, sum).xor(added).store(sum);
    }
}

/// Second half of the step of a panel.
#[inline(always)]
fn add_pivots<I: Isa>(isa: I, matrix: &mut Matrix<'_>, reduction: &Reduction<'_>, panel: usize) {
    let (first, count, skipped) = shape(panel, reduction.padding);
    let (block, word, shift) = place(panel);
    let mut pivots = Aligned([[[0; 8]; MAX_WIDTH]; PIVOTS]);
    let pivots = &mut pivots.0;
    for q in 0..count {
        let row = &mut matrix.rows[(first + q) * matrix.width..][..matrix.width];
        // A pivot row has no coefficients.
        row[block][word] &= !(0xff << shift);
        let pivot = &mut pivots[skipped + q];
        pivot[block..matrix.width].copy_from_slice(&row[block..]);
        // Columns that are done.
        pivot[block][..word].fill(0);
        pivot[block][word] &= (u64::MAX << shift) << 7 << 1;
    }
    for row in 0..matrix.count() {
        let coefficients = matrix.byte(row, panel);
        add_to_row(
            isa,
            &mut matrix.rows[row * matrix.width..][..matrix.width],
            coefficients,
            pivots,
            block,
        );
    }
    wipe(pivots.as_flattened_mut().as_flattened_mut());
}

#[inline(always)]
fn add_to_rows<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    coefficients: impl Fn(usize) -> u8,
    pivots: &[[Columns; MAX_WIDTH]; PIVOTS],
    from: usize,
) {
    for (number, row) in matrix.rows.chunks_exact_mut(matrix.width).enumerate() {
        add_to_row(isa, row, coefficients(number), pivots, from);
    }
}

/// Adds the pivot rows that the bits of `coefficients` name to `row`, from block `from` on.
#[inline(always)]
fn add_to_row<I: Isa>(
    isa: I,
    row: &mut [Columns],
    coefficients: u8,
    pivots: &[[Columns; MAX_WIDTH]; PIVOTS],
    from: usize,
) {
    let mask = |bit: usize| I::U64s::splat(isa, mask::of_bit(u64::from(coefficients >> bit & 1)));
    let masks: [I::U64s; PIVOTS] = [
        mask(0),
        mask(1),
        mask(2),
        mask(3),
        mask(4),
        mask(5),
        mask(6),
        mask(7),
    ];
    for (block, row) in row.iter_mut().enumerate().skip(from) {
        for (part, sum) in I::U64s::chunks_mut(row).iter_mut().enumerate() {
            let mut total = I::U64s::load(isa, sum);
            for (pivot, mask) in pivots.iter().zip(&masks) {
                let pivot = I::U64s::load(isa, &I::U64s::chunks(&pivot[block])[part]);
                total = total.xor(pivot.and(*mask));
            }
            total.store(sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    /// Bits that are no linear function of their number.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ z >> 31
        }
    }

    type Row = [u64; 16];

    /// Reduces the columns of `pivots` in order; false if they are dependent.
    fn gauss(rows: &mut [Row], first_column: usize) -> bool {
        let count = rows.len();
        for i in 0..count {
            let column = first_column + i;
            let bit = |row: &Row| row[column / 64] >> (column % 64) & 1;
            let Some(pivot) = (i..count).find(|&r| bit(&rows[r]) == 1) else {
                return false;
            };
            rows.swap(i, pivot);
            let pivot = rows[i];
            for r in (0..count).filter(|&r| r != i) {
                if bit(&rows[r]) == 1 {
                    for (a, b) in rows[r].iter_mut().zip(&pivot) {
                        *a ^= b;
                    }
                }
            }
        }
        true
    }

    /// Reduces `rows`, of which the first 512 columns are the left part, by both ways.
    fn check<I: Isa>(isa: I, rows: &[Row], padding: usize) -> bool {
        let count = rows.len();
        let mut expected = rows.to_vec();
        let regular = gauss(&mut expected, padding);
        let half = |part: usize| rows.iter().map(move |row| row.as_chunks().0[part]);
        let mut left: Vec<Columns> = half(0).collect();
        let mut right: Vec<Columns> = half(1).collect();
        let mut left = Matrix {
            rows: &mut left,
            width: 1,
        };
        let mut combinations = vec![[0; COMBINATION_WORDS]; max_combinations(count)];
        let mut reduction = Reduction {
            padding,
            combinations: &mut combinations,
            count: 0,
        };
        let panels = (count + padding).div_ceil(8);
        assert_eq!(reduce(isa, &mut left, &mut reduction, 0..panels), regular);
        if regular {
            let mut right = Matrix {
                rows: &mut right,
                width: 1,
            };
            replay(isa, &left, &reduction, &mut right);
            for (row, expected) in right.rows.iter().zip(&expected) {
                assert_eq!(*row, expected.as_chunks().0[1]);
            }
            // Columns behind the identity in the left part.
            for (row, expected) in left.rows.iter().zip(&expected) {
                for word in panels.div_ceil(8)..8 {
                    assert_eq!(row[word], expected[word]);
                }
            }
        }
        regular
    }

    fn matrix(noise: &mut Noise, count: usize, padding: usize) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..count)
            .map(|_| core::array::from_fn(|_| noise.next()))
            .collect();
        for row in &mut rows {
            row[0] &= u64::MAX << padding;
        }
        rows
    }

    fn random<I: Isa>(isa: I, number: usize) {
        let mut noise = Noise(number as u64);
        let mut regular = 0;
        for i in 0..number {
            let padding = if i % 3 == 0 { 5 } else { 0 };
            let count = 8 * (1 + i % 24) - padding;
            let mut rows = matrix(&mut noise, count, padding);
            match i % 5 {
                // Two equal rows; one row of zeros; a dependent column.
                0 => rows[count / 2] = rows[0],
                1 if count > 8 => rows[count - 1] = [0; 16],
                2 => {
                    for row in &mut rows {
                        let column = padding + count - 1;
                        let bit = row[column / 64] >> (column % 64) & 1;
                        row[column / 64] ^= (bit ^ row[0] >> padding & 1) << (column % 64);
                    }
                }
                _ => {}
            }
            regular += usize::from(check(isa, &rows, padding));
        }
        assert!(regular > number / 12 && regular < number);
    }

    #[test]
    fn the_result_is_that_of_plain_elimination() {
        on_every_engine!(isa => random(isa, 1000));
    }

    /// Matrices whose pivots are far below, so that one window does not suffice.
    #[test]
    fn pivots_are_found_in_later_windows() {
        let mut noise = Noise(3);
        let count = 192;
        for shift in [60, 100, 130, 184] {
            let mut rows = vec![[0; 16]; count];
            for (i, row) in rows.iter_mut().enumerate() {
                let column = (i + shift) % count;
                row[column / 64] |= 1 << (column % 64);
                for word in &mut row[8..] {
                    *word = noise.next();
                }
            }
            assert!(check(falcon_lanes::Baseline, &rows, 0), "{shift}");
        }
    }
}
