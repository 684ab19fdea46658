//! Sorting in constant time: bitonic networks on many interleaved sequences.
//!
//! Element `x` of sequence `s` of `S` is at place `x S + s`. A row is eight neighbours. If `S` is
//! at least 8, the neighbours belong to eight sequences, and rows are compared with rows. If `S` is
//! smaller, each sequence is cut into runs that are sorted like sequences. Only the merges of runs,
//! at most six layers, compare words of one row. For these merges, matrices of eight rows are
//! transposed.
//!
//! Every layer puts the smaller element first: a merge begins with the comparison of element `x`
//! with the mirrored one. Most layers are done in groups of three, between a load and a store of a
//! register.
//!
//! Source: K. E. Batcher, "Sorting networks and their applications", 1968.

use falcon_lanes::{Isa, Ordered, Register, wipe};

/// Number of words of a row.
const ROW: usize = 8;

/// Number of words that fit well in the L1 cache. They are sorted before the next words.
const NEAR: usize = 2048;

/// The array of words from which a register is loaded.
type Words<I> = <<I as Isa>::U64s as Register<I>>::Of<u64>;

/// Sorts each of `sequences` interleaved sequences of words below `2^63`. The number of sequences
/// and their length are powers of two. `data` has at least eight elements, and `spare` has the same
/// number.
pub(crate) fn sort<I: Isa>(isa: I, data: &mut [u64], sequences: usize, spare: &mut [u64]) {
    isa.vectorize(
        #[inline(always)]
        || {
            sort_rows(isa, data, sequences.max(ROW));
            if sequences >= ROW {
                return;
            }
            merge_runs(isa, data, sequences);
            join_runs(isa, data, sequences, spare);
            data.copy_from_slice(&spare[..data.len()]);
        },
    );
}

/// Writes the runs of each sequence to `out`, one after the other.
#[inline(always)]
fn join_runs<I: Isa>(isa: I, data: &[u64], sequences: usize, out: &mut [u64]) {
    let rows = data.as_chunks::<ROW>().0;
    if sequences == 1 && rows.len() >= ROW {
        let out = out.as_chunks_mut::<ROW>().0;
        for (i, block) in rows.as_chunks::<ROW>().0.iter().enumerate() {
            for (run, elements) in isa.transpose_words(block).iter().enumerate() {
                out[run * rows.len() / ROW + i] = *elements;
            }
        }
        return;
    }
    for (row, elements) in rows.iter().enumerate() {
        for (lane, &x) in elements.iter().enumerate() {
            let (run, sequence) = (lane / sequences, lane % sequences);
            out[(run * rows.len() + row) * sequences + sequence] = x;
        }
    }
}

/// Sorts `sequences` interleaved sequences, at least eight.
#[inline(always)]
fn sort_rows<I: Isa>(isa: I, data: &mut [u64], sequences: usize) {
    let width = sequences / I::U64s::LEN;
    let data = I::U64s::chunks_mut(data);
    let near = (NEAR / I::U64s::LEN).max(8 * width).min(data.len());
    match near / width {
        1 => {}
        2 => each::<I, 2>(isa, data, width, Network::Sort),
        4 => each::<I, 4>(isa, data, width, Network::Sort),
        _ => each::<I, 8>(isa, data, width, Network::Sort),
    }
    for (len, start) in [(near, 16 * width), (data.len(), 2 * near)] {
        for group in data.chunks_exact_mut(len) {
            let mut merged = start;
            while merged <= len {
                for pair in group.chunks_exact_mut(merged) {
                    merge(isa, pair, width);
                }
                merged *= 2;
            }
        }
    }
}

/// Compares registers whose numbers differ in the bits `flip`. The highest of these bits is `top`.
#[inline(always)]
fn compare<I: Isa, const N: usize>(x: &mut [I::U64s; N], flip: usize, top: usize) {
    for i in 0..N {
        if i & top == 0 {
            [x[i], x[i ^ flip]] = x[i].min_max(x[i ^ flip]);
        }
    }
}

/// The layers that are applied to a few registers.
#[derive(Clone, Copy)]
enum Network {
    /// Sort the registers.
    Sort,
    /// Merge the two sorted halves.
    Merge,
    /// Apply the layers of a merge after the first one.
    Clean,
}

/// Applies the layers of `network`.
#[inline(always)]
fn compare_all<I: Isa, const N: usize>(x: &mut [I::U64s; N], network: Network) {
    let logs = N.ilog2();
    // Base-2 logarithm of the length of sorted groups.
    let sorted = match network {
        Network::Sort => 0,
        Network::Merge | Network::Clean => logs - 1,
    };
    for log in sorted..logs {
        let flip = match network {
            Network::Sort | Network::Merge => (2 << log) - 1,
            Network::Clean => 1 << log,
        };
        compare::<I, N>(x, flip, 1 << log);
        for inside in (0..log).rev() {
            compare::<I, N>(x, 1 << inside, 1 << inside);
        }
    }
}

/// Returns an empty slice.
#[inline(always)]
const fn none<'a, T>() -> &'a mut [T] {
    &mut []
}

/// Applies `network` to register `i` of each part, for every `i`. In the second half of the parts,
/// takes register `i ^ flip` instead.
#[inline(always)]
fn zipped<I: Isa, const N: usize>(
    isa: I,
    parts: [&mut [Words<I>]; N],
    flip: usize,
    network: Network,
) {
    let len = parts[0].len();
    // With these arrays the compiler sees that the lengths are equal.
    let mut same = [const { none::<Words<I>>() }; N];
    for (same, part) in same.iter_mut().zip(parts) {
        *same = &mut part[..len];
    }
    for i in 0..len {
        let mut x = [I::U64s::splat(isa, 0); N];
        for k in 0..N {
            x[k] = I::U64s::load(isa, &same[k][if k < N / 2 { i } else { i ^ flip }]);
        }
        compare_all::<I, N>(&mut x, network);
        for k in 0..N {
            x[k].store(&mut same[k][if k < N / 2 { i } else { i ^ flip }]);
        }
    }
}

/// Cuts `data` into `N` parts, and calls [`zipped`] with them.
#[inline(always)]
fn split<I: Isa, const N: usize>(isa: I, data: &mut [Words<I>], flip: usize, network: Network) {
    let len = data.len() / N;
    let mut parts = [const { none::<Words<I>>() }; N];
    for (part, words) in parts.iter_mut().zip(data.chunks_exact_mut(len)) {
        *part = words;
    }
    zipped(isa, parts, flip, network);
}

/// In every group of `N stride` registers, applies `network` to all sets of `N` registers that are
/// `stride` apart.
#[inline(always)]
fn each<I: Isa, const N: usize>(isa: I, data: &mut [Words<I>], stride: usize, network: Network) {
    if I::U64s::LEN == ROW && stride == 1 {
        // Does the same as the code below, without a loop for every group.
        for group in data.as_chunks_mut::<N>().0 {
            let mut x = [I::U64s::splat(isa, 0); N];
            for (x, words) in x.iter_mut().zip(&*group) {
                *x = I::U64s::load(isa, words);
            }
            compare_all::<I, N>(&mut x, network);
            for (x, words) in x.into_iter().zip(group) {
                x.store(words);
            }
        }
        return;
    }
    for group in data.chunks_exact_mut(N * stride) {
        split::<I, N>(isa, group, 0, network);
    }
}

/// Applies the layers with strides from half of `data` down to `width` registers.
#[inline(always)]
fn clean<I: Isa>(isa: I, data: &mut [Words<I>], width: usize) {
    let mut len = data.len();
    while len >= 8 * width {
        each::<I, 8>(isa, data, len / 8, Network::Clean);
        len /= 8;
    }
    match len / width {
        2 => each::<I, 2>(isa, data, width, Network::Clean),
        4 => each::<I, 4>(isa, data, width, Network::Clean),
        _ => {}
    }
}

/// Merges the two halves of `data`, which has at least eight elements of `width` registers each.
#[inline(always)]
fn merge<I: Isa>(isa: I, data: &mut [Words<I>], width: usize) {
    let len = data.len() / 8;
    // The flipped register is the register of the mirrored element.
    split::<I, 8>(isa, data, len - width, Network::Merge);
    for eighth in data.chunks_exact_mut(len) {
        clean(isa, eighth, width);
    }
}

/// Merges the sorted runs of each of `sequences` sequences, fewer than eight.
#[inline(always)]
fn merge_runs<I: Isa>(isa: I, data: &mut [u64], sequences: usize) {
    let mut x = [[0; ROW]; ROW];
    let mut y = x;
    let mut distance = sequences;
    while distance < ROW {
        let rows = data.as_chunks_mut::<ROW>().0;
        let last = rows.len() - 1;
        for block in 0..rows.len().div_ceil(16) {
            // Takes eight rows and the eight mirrored rows. If there are fewer rows, some are
            // sorted twice.
            for i in 0..ROW {
                let row = (ROW * block + i) & last;
                (x[i], y[i]) = (rows[row], rows[last - row]);
            }
            (x, y) = (isa.transpose_words(&x), isa.transpose_words(&y));
            // Mirrors the runs: flips all bits of a run's number that are merged by now.
            let mirror = 2 * distance - sequences;
            for lane in (0..ROW).filter(|lane| lane & distance == 0) {
                compare_rows(isa, &mut x[lane], &mut y[lane ^ mirror]);
                compare_rows(isa, &mut y[lane], &mut x[lane ^ mirror]);
            }
            let mut inside = distance / 2;
            while inside >= sequences {
                for lane in (0..ROW).filter(|lane| lane & inside == 0) {
                    for block in [&mut x, &mut y] {
                        let (a, b) = block.split_at_mut(lane + inside);
                        compare_rows(isa, &mut a[lane], &mut b[0]);
                    }
                }
                inside /= 2;
            }
            (x, y) = (isa.transpose_words(&x), isa.transpose_words(&y));
            for i in 0..ROW {
                let row = (ROW * block + i) & last;
                (rows[row], rows[last - row]) = (x[i], y[i]);
            }
        }
        let data = I::U64s::chunks_mut(&mut *data);
        let width = ROW / I::U64s::LEN;
        let mut near = data.len() / 8;
        if near < width {
            near = data.len();
        } else {
            each::<I, 8>(isa, data, near, Network::Clean);
        }
        for part in data.chunks_exact_mut(near) {
            clean(isa, part, width);
        }
        distance *= 2;
    }
    wipe(x.as_flattened_mut());
    wipe(y.as_flattened_mut());
}

/// Puts the smaller word of each pair into `x` and the larger one into `y`.
#[inline(always)]
fn compare_rows<I: Isa>(isa: I, x: &mut [u64; ROW], y: &mut [u64; ROW]) {
    zipped::<I, 2>(
        isa,
        [I::U64s::chunks_mut(x), I::U64s::chunks_mut(y)],
        0,
        Network::Clean,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn sorts<I: Isa>(isa: I) {
        let noise = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1;
        for log in 3..=13 {
            for log_sequences in 0..=log {
                let (len, sequences) = (1 << log, 1 << log_sequences);
                for modulus in [1 << 63, 5] {
                    let mut data: Vec<u64> = (0..len).map(|i| noise(i) % modulus).collect();
                    let mut expected = data.clone();
                    for s in 0..sequences {
                        let mut one: Vec<u64> =
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
}
