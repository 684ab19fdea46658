//! Sorting in constant time: bitonic networks on many interleaved sequences.
//!
//! Element `x` of sequence `s` of `S` is at place `x S + s`. Registers hold eight neighbours. From
//! `S = 8` on, these belong to eight sequences, and comparisons are between rows of `S` elements.
//! Below, each sequence is cut into runs that are sorted like sequences; only the merges of runs,
//! at most six layers, compare lanes of one register.
//!
//! Every layer puts the smaller element first: a merge begins with the comparison of element `x`
//! with the mirrored one.
//!
//! Source: K. E. Batcher, "Sorting networks and their applications", 1968.

use falcon_lanes::Isa;

/// An unsigned word below half of its range.
pub(crate) trait Ordered: Copy + Default {
    /// The smaller one, then the larger one.
    fn min_max(self, other: Self) -> [Self; 2];
}

macro_rules! ordered {
    ($($word:ident, $signed:ident;)*) => {$(
        impl Ordered for $word {
            #[inline(always)]
            fn min_max(self, other: Self) -> [Self; 2] {
                // These targets have instructions for it; others would branch.
                if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
                    return [self.min(other), self.max(other)];
                }
                let below = (other.wrapping_sub(self) as $signed >> ($word::BITS - 1)) as $word;
                let swap = (self ^ other) & below;
                [self ^ swap, other ^ swap]
            }
        }
    )*};
}

ordered! {
    u32, i32;
    u64, i64;
}

/// Elements of a register of 32-bit words.
const LANES: usize = 8;

type Row<T> = [T; LANES];

/// Sorts each of `sequences` interleaved sequences. Both lengths are powers of two, and `data` has
/// at least eight elements, as many as `spare`.
pub(crate) fn sort<I: Isa, T: Ordered>(isa: I, data: &mut [T], sequences: usize, spare: &mut [T]) {
    isa.vectorize(
        #[inline(always)]
        || {
            let rows = data.as_chunks_mut::<LANES>().0;
            if sequences >= LANES {
                sort_rows(rows, sequences / LANES);
                return;
            }
            sort_rows(rows, 1);
            merge_lanes(rows, sequences);
            // Element x of the sequence is in run x / (length of a run).
            let count = rows.len();
            for (row, elements) in rows.iter().enumerate() {
                for (lane, &x) in elements.iter().enumerate() {
                    let (run, sequence) = (lane / sequences, lane % sequences);
                    spare[(run * count + row) * sequences + sequence] = x;
                }
            }
            data.copy_from_slice(&spare[..data.len()]);
        },
    );
}

/// Compares elements of two groups of rows.
#[inline(always)]
fn compare<T: Ordered>(x: &mut [Row<T>], y: &mut [Row<T>]) {
    // Row by row: compilers make branches of one loop over all elements.
    for (x, y) in x.iter_mut().zip(y) {
        for (x, y) in x.iter_mut().zip(y) {
            [*x, *y] = x.min_max(*y);
        }
    }
}

/// Layers with strides from `stride` rows down to one.
#[inline(always)]
fn clean<T: Ordered>(rows: &mut [Row<T>], width: usize, mut stride: usize) {
    while stride > 0 {
        for pair in rows.chunks_exact_mut(2 * stride * width) {
            let (x, y) = pair.split_at_mut(stride * width);
            compare(x, y);
        }
        stride /= 2;
    }
}

/// Sorts along the rows, which have `width` registers.
#[inline(always)]
fn sort_rows<T: Ordered>(rows: &mut [Row<T>], width: usize) {
    let count = rows.len() / width;
    let mut merged = 2;
    while merged <= count {
        for group in rows.chunks_exact_mut(merged * width) {
            let (x, y) = group.split_at_mut(merged / 2 * width);
            for (x, y) in x
                .chunks_exact_mut(width)
                .zip(y.chunks_exact_mut(width).rev())
            {
                compare(x, y);
            }
        }
        clean(rows, width, merged / 4);
        merged *= 2;
    }
}

/// Merges the sorted runs of each sequence.
#[inline(always)]
fn merge_lanes<T: Ordered>(rows: &mut [Row<T>], sequences: usize) {
    let count = rows.len();
    let mut distance = sequences;
    while distance < LANES {
        // Runs in mirrored order: all bits of the number of a run that are merged by now.
        let mirror = 2 * distance - sequences;
        for row in 0..count.div_ceil(2) {
            let (x, y) = (rows[row], rows[count - 1 - row]);
            rows[row] = against(&x, &y, mirror, distance);
            rows[count - 1 - row] = against(&y, &x, mirror, distance);
        }
        let mut inside = distance / 2;
        while inside >= sequences {
            for row in rows.iter_mut() {
                *row = against(row, row, inside, inside);
            }
            inside /= 2;
        }
        clean(rows, 1, count / 2);
        distance *= 2;
    }
}

/// Compares lane `l` of `x` with lane `l ^ flip` of `y`: the smaller one stays where bit `distance`
/// of `l` is zero, the larger one elsewhere.
#[inline(always)]
fn against<T: Ordered>(x: &Row<T>, y: &Row<T>, flip: usize, distance: usize) -> Row<T> {
    core::array::from_fn(|l| x[l].min_max(y[l ^ flip])[usize::from(l & distance != 0)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn sorts<I: Isa>(isa: I) {
        let noise = |i: usize| (i as u32 + 1).wrapping_mul(0x9e37_79b9) >> 7;
        for log in 3..=11 {
            for log_sequences in 0..=log {
                let (len, sequences) = (1 << log, 1 << log_sequences);
                for modulus in [1 << 24, 5] {
                    let mut data: Vec<u32> = (0..len).map(|i| noise(i) % modulus).collect();
                    let mut expected = data.clone();
                    for s in 0..sequences {
                        let mut one: Vec<u32> =
                            data.iter().skip(s).step_by(sequences).copied().collect();
                        one.sort_unstable();
                        for (x, value) in one.into_iter().enumerate() {
                            expected[x * sequences + s] = value;
                        }
                    }
                    sort(isa, &mut data, sequences, &mut vec![0; len]);
                    assert_eq!(data, expected, "{len} elements, {sequences} sequences");
                }
            }
        }
    }

    #[test]
    fn every_sequence_is_sorted() {
        on_every_engine!(isa => sorts(isa));
    }

    #[test]
    fn long_words_are_sorted() {
        let mut data: Vec<u64> = (0..8192u64)
            .map(|i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1)
            .collect();
        let mut expected = data.clone();
        expected.sort_unstable();
        sort(falcon_lanes::Baseline, &mut data, 1, &mut [0; 8192]);
        assert_eq!(data, expected);
    }
}
