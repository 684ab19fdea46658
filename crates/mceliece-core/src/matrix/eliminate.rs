//! Gauss-Jordan elimination in constant time, by byte columns.
//!
//! A byte column holds the same eight columns of all rows, a byte for each row. A panel is one byte
//! column. Its columns get the next eight rows as pivot rows, in a step with two halves.
//!
//! 1. *Pivot rows.* Take the bytes of the pivot rows and of a window of rows below. Choose by masks
//!    the combinations of these rows that make the bytes of the pivot rows the identity. A pivot
//!    row always takes part in its own combination, and the other rows stay as they are, so the
//!    rows span the same space. For random rows a window of 56 suffices except with probability
//!    `2^-56`. If it does not, the same is done with the next window.
//! 2. *All rows.* The bytes of the panel are the coefficients of the rows: they tell which pivot
//!    rows to add. In another byte column the pivot rows are eight bytes, the matrix of a linear
//!    map. The change of a row is the image of its coefficients. Processors map 16 to 64 bytes with
//!    one or two instructions, see [`Bytes`].
//!
//! Coefficients stay in the byte column of the panel, whose columns are done. With the combinations
//! of the first half they repeat the whole reduction on other columns of the same rows, see
//! [`replay`]. So a matrix is reduced in two parts, and a singular matrix costs the left part only.
//!
//! The number of windows is public, and so is whether the reduction fails. No other branch and no
//! address depends on the matrix.

use super::Line;
use crate::mask;
use crate::reveal::reveal;
use core::ops::Range;
use falcon_lanes::{Bytes, BytesKernel, Isa, planes_of_bytes, wipe};

/// Pivots of a panel, one for each bit of a byte.
const PIVOTS: usize = 8;
/// Number of rows that a combination considers: the pivot rows and a window.
const CANDIDATES: usize = 64;
/// Number of spare combinations, in addition to one for each panel.
const SPARE: usize = 16;

/// Number of words of a [`Combination`], for memory that the caller owns.
pub(crate) const COMBINATION_WORDS: usize = 2 + PIVOTS;

/// Number of combinations that a reduction to `rows` pivots may need.
pub(crate) const fn max_combinations(rows: usize) -> usize {
    rows.div_ceil(PIVOTS) + SPARE
}

/// Number of lines of a byte column of `rows` rows. The last line is zero: a window may reach into
/// it.
pub(crate) const fn height(rows: usize) -> usize {
    rows.div_ceil(64) + 1
}

/// The result of a step's first half: panel, first row of the window, and the candidates for each
/// bit.
pub(crate) type Combination = [u64; COMBINATION_WORDS];

/// Byte columns of a matrix, in the order of [`Bytes`]: `height` lines each.
pub(crate) struct Matrix<'a> {
    pub(crate) lines: &'a mut [Line],
    pub(crate) height: usize,
}

impl Matrix<'_> {
    #[inline(always)]
    pub(crate) fn column(&self, number: usize) -> &[Line] {
        &self.lines[number * self.height..][..self.height]
    }
}

/// A reduction in progress.
pub(crate) struct Reduction<'a> {
    /// Number of zero columns before the matrix, fewer than eight. There is the same number of zero
    /// rows. The zero rows have no pivot. With this padding, the columns after the identity begin
    /// at a whole byte.
    pub(crate) padding: usize,
    pub(crate) combinations: &'a mut [Combination],
    /// Number of combinations so far.
    pub(crate) count: usize,
}

/// Number of bits of a panel that have no pivot.
#[inline(always)]
fn skipped(panel: usize, padding: usize) -> usize {
    if panel == 0 { padding } else { 0 }
}

/// Reduces the panels in `panels`. Returns false if their columns depend linearly on each other or
/// on earlier columns.
pub(crate) fn reduce<I: Isa>(
    isa: I,
    matrix: &mut Matrix<'_>,
    reduction: &mut Reduction<'_>,
    panels: Range<usize>,
) -> bool {
    isa.with_bytes(Reduce {
        matrix,
        reduction,
        panels,
    })
}

struct Reduce<'a, 'm, 'r> {
    matrix: &'a mut Matrix<'m>,
    reduction: &'a mut Reduction<'r>,
    panels: Range<usize>,
}

impl BytesKernel for Reduce<'_, '_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) -> bool {
        let Self {
            matrix,
            reduction,
            panels,
        } = self;
        bytes.vectorize(
            #[inline(always)]
            || {
                for panel in panels {
                    if !reduce_panel(bytes, matrix, reduction, panel) {
                        return false;
                    }
                }
                true
            },
        )
    }
}

#[inline(always)]
fn reduce_panel<B: Bytes>(
    bytes: B,
    matrix: &mut Matrix<'_>,
    reduction: &mut Reduction<'_>,
    panel: usize,
) -> bool {
    if !choose_pivots(bytes, matrix, reduction, panel) {
        return false;
    }
    let combination = &reduction.combinations[reduction.count - 1];
    let height = matrix.height;
    let (left, right) = matrix.lines.split_at_mut((panel + 1) * height);
    let coefficients = &left[panel * height..];
    let mut groups = right.chunks_exact_mut(GROUP * height);
    for group in &mut groups {
        add_pivots::<B, GROUP>(bytes, combination, coefficients, group, height);
    }
    for column in groups.into_remainder().chunks_exact_mut(height) {
        add_pivots::<B, 1>(bytes, combination, coefficients, column, height);
    }
    true
}

/// Number of byte columns that are changed together, so that coefficients are loaded once for all.
pub(crate) const GROUP: usize = 4;

/// Repeats a reduction on other columns of the same rows. `left` is the reduced matrix.
pub(crate) fn replay<I: Isa>(
    isa: I,
    left: &Matrix<'_>,
    reduction: &Reduction<'_>,
    right: &mut Matrix<'_>,
) {
    isa.with_bytes(Replay {
        left,
        reduction,
        right,
    });
}

struct Replay<'a, 'm> {
    left: &'a Matrix<'a>,
    reduction: &'a Reduction<'a>,
    right: &'a mut Matrix<'m>,
}

impl BytesKernel for Replay<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: Bytes>(self, bytes: B) {
        let Self {
            left,
            reduction,
            right,
        } = self;
        bytes.vectorize(
            #[inline(always)]
            || {
                let height = right.height;
                let mut groups = right.lines.chunks_exact_mut(GROUP * height);
                for group in &mut groups {
                    replay_on::<B, GROUP>(bytes, left, reduction, group, height);
                }
                for column in groups.into_remainder().chunks_exact_mut(height) {
                    replay_on::<B, 1>(bytes, left, reduction, column, height);
                }
            },
        );
    }
}

/// Repeats a reduction on `N` byte columns.
#[inline(always)]
fn replay_on<B: Bytes, const N: usize>(
    bytes: B,
    left: &Matrix<'_>,
    reduction: &Reduction<'_>,
    columns: &mut [Line],
    height: usize,
) {
    let combinations = &reduction.combinations[..reduction.count];
    for (i, combination) in combinations.iter().enumerate() {
        let panel = combination[0];
        if combinations.get(i + 1).is_none_or(|next| next[0] != panel) {
            let coefficients = left.column(panel as usize);
            add_pivots::<B, N>(bytes, combination, coefficients, columns, height);
        } else {
            replace_pivots(bytes, combination, columns, height);
        }
    }
}

/// Loads the bytes of the candidates of a combination.
#[inline(always)]
fn candidates<B: Bytes>(bytes: B, combination: &Combination, column: &[Line]) -> B::Line {
    let [panel, window, ..] = combination.map(|word| word as usize);
    let first = PIVOTS * panel;
    let line = bytes.load_from(column, first);
    if window == first + PIVOTS {
        return line;
    }
    bytes.first_eight(line, bytes.load_from(column, window - PIVOTS))
}

#[inline(always)]
fn sets<B: Bytes>(bytes: B, combination: &Combination) -> B::Sets {
    let [_, _, sets @ ..] = combination;
    bytes.sets(sets)
}

/// Replaces the pivot rows of a combination in all `columns`.
#[inline(always)]
fn replace_pivots<B: Bytes>(
    bytes: B,
    combination: &Combination,
    columns: &mut [Line],
    height: usize,
) {
    let sets = sets(bytes, combination);
    let first = PIVOTS * combination[0] as usize;
    for column in columns.chunks_exact_mut(height) {
        let (pivots, _) = bytes.sums(&sets, candidates(bytes, combination, column));
        bytes.replace_eight(column, first, pivots);
    }
}

/// Replaces the pivot rows of a combination in `N` byte columns, and adds them to the other rows.
#[inline(always)]
fn add_pivots<B: Bytes, const N: usize>(
    bytes: B,
    combination: &Combination,
    coefficients: &[Line],
    columns: &mut [Line],
    height: usize,
) {
    let sets = sets(bytes, combination);
    let first = PIVOTS * combination[0] as usize;
    // The last line is zero.
    let coefficients = &coefficients[..height - 1];
    let mut columns = columns.chunks_exact_mut(height);
    let mut columns: [&mut [Line]; N] =
        core::array::from_fn(|_| columns.next().unwrap_or_default());
    let mut pivots = [0; N];
    let mut maps = [bytes.map(0); N];
    for (column, (pivots, map)) in columns.iter().zip(pivots.iter_mut().zip(&mut maps)) {
        (*pivots, *map) = bytes.sums(&sets, candidates(bytes, combination, column));
    }
    for (l, coefficients) in coefficients.iter().enumerate() {
        let coefficients = bytes.split(bytes.load(coefficients));
        for (column, map) in columns.iter_mut().zip(&maps) {
            let line = bytes.load(&column[l]);
            bytes.store(bytes.add_mapped(line, map, &coefficients), &mut column[l]);
        }
    }
    // The pivot rows themselves do not change.
    for (column, pivots) in columns.iter_mut().zip(pivots) {
        bytes.replace_eight(column, first, pivots);
    }
}

/// Finds the combination that makes the bytes of the pivot rows of `panel` the identity. Returns
/// false if no combination of rows does.
#[inline(always)]
fn choose_pivots<B: Bytes>(
    bytes: B,
    matrix: &mut Matrix<'_>,
    reduction: &mut Reduction<'_>,
    panel: usize,
) -> bool {
    let skipped = skipped(panel, reduction.padding);
    let mut window = PIVOTS * (panel + 1);
    loop {
        let Some(combination) = reduction.combinations.get_mut(reduction.count) else {
            // A random matrix practically never needs this many windows.
            return false;
        };
        reduction.count += 1;
        (combination[0], combination[1]) = (panel as u64, window as u64);
        let mut line = [0; 8];
        bytes.store(
            candidates(bytes, combination, matrix.column(panel)),
            &mut line,
        );
        bytes.rearrange(&mut line);
        let mut planes = planes_of_bytes(&line);
        let complete = find_combination(&mut planes, skipped, &mut combination[2..]);
        wipe(&mut line);
        wipe(&mut planes);
        // The branch may be public: one window almost always suffices, and a singular matrix is
        // thrown away.
        if reveal(complete) {
            return true;
        }
        let height = matrix.height;
        replace_pivots(
            bytes,
            combination,
            &mut matrix.lines[panel * height..],
            height,
        );
        window += CANDIDATES - PIVOTS;
        if window >= 64 * (height - 1) {
            return false;
        }
    }
}

/// Returns a mask for each word: all ones if the word has a bit of `of`. The masks are hidden from
/// the compiler.
#[inline(always)]
fn any(words: &[u64; PIVOTS], of: u64) -> [u64; PIVOTS] {
    core::hint::black_box(words.map(
        #[inline(always)]
        |word| mask::nonzero(word & of),
    ))
}

/// Finds the sets of candidates that make the bytes of the pivot rows single bits. The first eight
/// candidates are the pivot rows. Word `i` of `planes` is bit `i` of all candidates, and bit `k` of
/// a set is candidate `k`. Returns true if all sets were found.
///
/// Every candidate is reduced by the finished pivot rows. Only the sets of the pivot rows are
/// stored. The set of another candidate `k` is `k` itself, plus the sets of the finished pivot rows
/// whose word in `reduced` has bit `k`.
#[inline(always)]
fn find_combination(planes: &mut [u64; 8], skipped: usize, out: &mut [u64]) -> bool {
    let mut sets = [0u64; PIVOTS];
    let mut reduced = [0u64; PIVOTS];
    let mut found = 1;
    for q in skipped..PIVOTS {
        // If pivot row q lacks the bit, takes the first candidate below that has it.
        let below = planes[q] & u64::MAX << q << 1;
        let taken = below & below.wrapping_neg() & !mask::hidden(mask::of_bit(planes[q] >> q & 1));
        let gained = any(planes, taken);
        for (plane, gained) in planes.iter_mut().zip(gained) {
            *plane ^= gained & 1 << q;
        }
        found &= planes[q] >> q;
        // The sets of row `q` and of the candidate that was taken.
        let (own, others) = (any(&reduced, 1 << q), any(&reduced, taken));
        let mut set = 1 << q | taken;
        for j in skipped..q {
            set ^= sets[j] & (own[j] ^ others[j]);
        }
        // Removes the bit from the other candidates.
        let changed = planes[q] & !(1 << q);
        let bits = any(planes, 1 << q);
        for (plane, bit) in planes.iter_mut().zip(bits) {
            *plane ^= changed & bit;
        }
        let mut added = changed;
        for j in skipped..q {
            let replaced = mask::hidden(mask::of_bit(changed >> j & 1));
            added ^= reduced[j] & replaced;
            sets[j] ^= set & replaced;
        }
        reduced[q] = added;
        sets[q] = set;
    }
    out.copy_from_slice(&sets);
    wipe(&mut sets);
    wipe(&mut reduced);
    found & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::RowPiece;
    use crate::matrix::columns::{Arrange, cut_rows, join_rows};
    use std::vec;
    use std::vec::Vec;

    /// Bits that are not a linear function of their number.
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

    /// Makes the columns from `first_column` on the identity, one column for each row. Returns
    /// false if they are linearly dependent.
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

    /// Reduces `rows` in both ways. Their first 512 columns are the left part.
    fn check<I: Isa>(isa: I, rows: &[Row], padding: usize) -> bool {
        let count = rows.len();
        let mut expected = rows.to_vec();
        let regular = gauss(&mut expected, padding);
        let height = height(count + padding);
        let half = |part: usize| {
            let mut rows: Vec<RowPiece> = rows.iter().map(|row| row.as_chunks().0[part]).collect();
            rows.splice(0..0, vec![[0; 8]; padding]);
            let mut lines = vec![[0; 8]; 64 * height];
            for (group, rows) in rows.as_chunks().0.iter().enumerate() {
                cut_rows(rows, group, &mut lines, height);
            }
            let arrange = Arrange {
                lines: &mut lines,
                back: false,
            };
            isa.with_bytes(arrange);
            lines
        };
        let (mut left, mut right) = (half(0), half(1));
        let mut left = Matrix {
            lines: &mut left,
            height,
        };
        let mut combinations = vec![[0; COMBINATION_WORDS]; max_combinations(count) + 48];
        let mut reduction = Reduction {
            padding,
            combinations: &mut combinations,
            count: 0,
        };
        let panels = (count + padding).div_ceil(8);
        assert_eq!(reduce(isa, &mut left, &mut reduction, 0..panels), regular);
        if regular {
            let mut right = Matrix {
                lines: &mut right,
                height,
            };
            replay(isa, &left, &reduction, &mut right);
            let equal = |matrix: &mut Matrix<'_>, half: usize, words: Range<usize>| {
                join_rows(isa, matrix, count + padding, |group, rows| {
                    for (i, row) in rows.iter().enumerate() {
                        if let Some(row_number) = (8 * group + i).checked_sub(padding) {
                            let expected = expected[row_number].as_chunks::<8>().0[half];
                            assert_eq!(row[words.clone()], expected[words.clone()]);
                        }
                    }
                });
            };
            equal(&mut right, 1, 0..8);
            // Compares the columns behind the identity in the left part.
            equal(&mut left, 0, panels.div_ceil(8)..8);
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
                // The cases: two equal rows, one row of zeros, a dependent column.
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

    /// Tests matrices whose pivots are so far below that one window does not suffice.
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
