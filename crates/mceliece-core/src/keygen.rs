//! Key generation.
//!
//! An attempt expands a seed to `s`, the random numbers of the support, `beta` and the next seed.
//! If a step fails, the next attempt takes the next seed. The failure is public, because its seed
//! is thrown away. The sets without `f` take 3.5 attempts on average, the sets with `f` one.
//!
//! The steps are functions that are not inlined, so each takes stack only while it runs.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm SeededKeyGen.

use crate::align::{SLACK, aligned};
use crate::bits::to_bytes;
use crate::code::{CHOSEN, Code, MAX_T};
use crate::decode::{goppa_values, invert};
use crate::fft::basis::PATTERNS;
use crate::fft::blocks;
use crate::field::planes::{Block, LANES, element};
use crate::hash;
use crate::layout::{FIRST_COLUMNS, parts_mut};
use crate::matrix::Line;
use crate::matrix::columns::{PIECE, join_rows, visit_columns, write_columns};
use crate::matrix::eliminate::{
    COMBINATION_WORDS, GROUP, Matrix, Reduction, height, max_combinations, reduce, replay,
};
use crate::matrix::semi_systematic::{Pivots, exchange_columns, pivot_mask, pivots_of_mask};
use crate::minimal::minimal_polynomial;
use crate::permutation::benes::permute;
use crate::permutation::{control_bits, look_ups};
use crate::reveal::reveal;
use crate::sort::sort;
use crate::stack::wipe_far_below;
use crate::support::{Support, column, number, order, pack, pack_numbers};
use falcon_lanes::{Isa, planes_of_bytes, wipe};
use zeroize::Zeroizing;

/// Number of zero columns in front of the matrix.
const fn padding(code: &Code) -> usize {
    (8 - code.rows() % 8) % 8
}

/// Number of rows, including the padding in front of them.
const fn padded_rows(code: &Code) -> usize {
    code.rows() + padding(code)
}

/// Number of columns of the left part.
const fn left_columns(code: &Code) -> usize {
    code.rows() + if code.semi_systematic { CHOSEN } else { 0 }
}

/// Returns the number of lines of the left part.
const fn left_lines(code: &Code) -> usize {
    (left_columns(code) + padding(code)).div_ceil(8) * height(padded_rows(code))
}

/// Number of words of the combinations, in whole lines.
const fn combination_words(code: &Code) -> usize {
    (COMBINATION_WORDS * max_combinations(code.rows())).next_multiple_of(8)
}

/// Number of 64-bit words of scratch for pieces of the right part with `width` byte columns.
const fn words_for(code: &Code, width: usize) -> usize {
    // After the left part is reduced, the place of its columns without a pivot is free.
    let left = left_lines(code);
    let reduced = padded_rows(code) / 8 * height(padded_rows(code));
    let both = reduced + width * height(padded_rows(code));
    let lines = if both > left { both } else { left };
    SLACK + code.q() / 2 + combination_words(code) + 8 * lines
}

/// Number of 64-bit words of scratch. More words save no time.
pub(crate) const fn scratch_words(code: &Code) -> usize {
    words_for(code, PIECE)
}

/// Number of 64-bit words of scratch that suffice without scratch bytes.
pub(crate) const fn min_words(code: &Code) -> usize {
    let reduction = words_for(code, GROUP);
    let control_bits = SLACK + code.q() / 4 + control_bits::scratch_len(code.m);
    if reduction > control_bits {
        reduction
    } else {
        control_bits
    }
}

/// Number of bytes of scratch.
pub(crate) const fn scratch_bytes(code: &Code) -> usize {
    look_ups::scratch_len(code.m)
}

/// Working memory: at least [`min_words`] words, and either [`scratch_bytes`] bytes or none. Wiped
/// when dropped.
pub(crate) struct Memory<'a> {
    pub(crate) words: &'a mut [u64],
    pub(crate) bytes: &'a mut [u8],
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        wipe(self.words);
        wipe(self.bytes);
    }
}

/// Destination of a public key.
pub(crate) enum Output<'a> {
    /// The encoding, row by row.
    Rows(&'a mut [u8]),
    /// Byte columns, with their numbers.
    Columns(&'a mut dyn FnMut(usize, &[u8])),
}

/// The task of [`run`] for a seed.
#[cfg_attr(
    not(feature = "alloc"),
    expect(dead_code, reason = "only boxed keys are computed from short forms")
)]
pub(crate) enum Task<'a> {
    /// Generates a pair of keys. If the seed gives none, tries the next seeds.
    Generate { public_key: Output<'a> },
    /// Computes the public key of exactly this seed.
    PublicKey { public_key: Output<'a> },
    /// Computes the secret key of exactly this seed and these pivot columns.
    SecretKey { pivots: u64 },
}

/// Performs `task` with `seed`, and writes the secret key. Returns false if the task is for exactly
/// this seed and the seed gives no key.
pub(crate) fn run<I: Isa>(
    isa: I,
    code: &Code,
    seed: &[u8; 32],
    task: Task<'_>,
    memory: &mut Memory<'_>,
    secret_key: &mut [u8],
) -> bool {
    match code.m {
        12 => run_on::<I, 12>(isa, code, seed, task, memory, secret_key),
        _ => run_on::<I, 13>(isa, code, seed, task, memory, secret_key),
    }
}

fn run_on<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    seed: &[u8; 32],
    mut task: Task<'_>,
    memory: &mut Memory<'_>,
    secret_key: &mut [u8],
) -> bool {
    let mut seed = Zeroizing::new(*seed);
    loop {
        let done = attempt::<I, M>(isa, code, &mut seed, &mut task, memory, secret_key);
        wipe_far_below();
        if done || !matches!(task, Task::Generate { .. }) {
            break done;
        }
    }
}

/// Makes one attempt at a key, and replaces `seed` by the next seed.
// Not inlined, so that the caller can wipe its stack frame.
#[inline(never)]
fn attempt<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    seed: &mut [u8; 32],
    task: &mut Task<'_>,
    memory: &mut Memory<'_>,
    secret_key: &mut [u8],
) -> bool {
    let words = aligned(memory.words);
    if !start::<I, M>(isa, code, seed, words, secret_key) {
        return false;
    }
    pack(&mut words[..code.q()]);
    let (columns, rest) = words.split_at_mut(code.q() / 2);
    let mut support = Support::new(columns);
    let mut pivots = Zeroizing::new([0; CHOSEN]);
    let mask = match task {
        Task::Generate { public_key } | Task::PublicKey { public_key } => {
            let (combinations, lines) = rest.split_at_mut(combination_words(code));
            let mut reduction = Reduction {
                padding: padding(code),
                combinations: combinations.as_chunks_mut().0,
                count: 0,
            };
            let lines = lines.as_chunks_mut().0;
            let height = height(padded_rows(code));
            let mut left = Matrix {
                lines: &mut lines[..left_lines(code)],
                height,
            };
            let reduced = (&mut left, &mut reduction);
            if !reduce_left::<I, M>(isa, code, &mut support, reduced, &mut pivots) {
                return false;
            }
            let (left, right) = lines.split_at_mut(padded_rows(code) / 8 * height);
            let left = Matrix {
                lines: left,
                height,
            };
            write_public_key::<I, M>(isa, code, &support, (&left, right), &reduction, public_key);
            if code.semi_systematic {
                pivot_mask(&pivots)
            } else {
                FIRST_COLUMNS
            }
        }
        Task::SecretKey { pivots: mask } => {
            if code.semi_systematic {
                if !pivots_of_mask(*mask, &mut pivots) {
                    return false;
                }
                support.exchange(code.rows() - CHOSEN, &pivots);
            }
            *mask
        }
    };
    let parts = parts_mut(code, secret_key);
    parts.pivots.copy_from_slice(&mask.to_le_bytes());
    write_control_bits(isa, code, words, memory.bytes, parts.control)
}

/// Expands the seed, and replaces it by the next seed. Writes the seed, `s` and the Goppa
/// polynomial to the secret key, and the sorted columns to the front of `words`. Returns false if a
/// step fails.
#[inline(never)]
fn start<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    seed: &mut [u8; 32],
    words: &mut [u64],
    secret_key: &mut [u8],
) -> bool {
    let (columns, spare) = words.split_at_mut(code.q());
    let parts = parts_mut(code, secret_key);
    parts.seed.copy_from_slice(seed);
    let mut beta = Zeroizing::new([0; MAX_T]);
    hash::with_stream(hash::EXPANSION, &[parts.seed], |stream| {
        stream.read(parts.s);
        for (i, place) in columns.iter_mut().enumerate() {
            *place = column(u32::from_le_bytes(stream.read_array()), i);
        }
        for coefficient in &mut beta[..code.t] {
            *coefficient = u16::from_le_bytes(stream.read_array()) & (code.q() - 1) as u16;
        }
        stream.read(seed);
    });
    let mut g = Zeroizing::new([0; MAX_T]);
    if !minimal_polynomial::<I, M>(isa, code, &beta, spare, &mut g[..code.t]) {
        return false;
    }
    for (bytes, g) in parts.goppa.as_chunks_mut().0.iter_mut().zip(&*g) {
        *bytes = g.to_le_bytes();
    }
    let inverses = spare.as_chunks_mut().0.as_chunks_mut::<M>().0;
    let inverses = &mut inverses[..blocks::<M>()];
    inverse_values(isa, parts.goppa, inverses);
    for (i, place) in columns.iter_mut().enumerate() {
        *place |= u64::from(element(&inverses[i / LANES], i % LANES));
    }
    order(isa, code, columns, spare)
}

/// Writes the values of `1/g` at all points.
#[inline(never)]
fn inverse_values<I: Isa, const M: usize>(isa: I, goppa: &[u8], values: &mut [Block<M>]) {
    goppa_values(isa, goppa, values);
    invert(isa, values);
}

/// Reduces the left part of the matrix. For the `f` sets, chooses the last pivots and exchanges the
/// columns. Returns false if the matrix has no systematic or semi-systematic form.
#[inline(never)]
fn reduce_left<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    support: &mut Support<'_>,
    (left, reduction): (&mut Matrix<'_>, &mut Reduction<'_>),
    pivots: &mut Pivots,
) -> bool {
    let padding = padding(code);
    for block in 0..(left_columns(code) + padding).div_ceil(LANES) {
        let at = |place: usize| {
            let column = place.checked_sub(padding);
            let column = column.filter(|&j| j < left_columns(code));
            column.map_or((0, 0), |j| support.values::<M>(j))
        };
        let columns = (block * LANES..(block + 1) * LANES).map(at);
        write_columns::<I, M>(isa, columns, (code.t, padding), left, block * PIECE);
    }
    let panels = padded_rows(code) / 8;
    if !code.semi_systematic {
        return reduce(isa, left, reduction, 0..panels);
    }
    let chosen = panels - CHOSEN / 8;
    if !reduce(isa, left, reduction, 0..chosen)
        || !exchange_columns(isa, left, padded_rows(code), chosen, pivots)
    {
        return false;
    }
    support.exchange(code.rows() - CHOSEN, pivots);
    reduce(isa, left, reduction, chosen..panels)
}

/// Makes and reduces the right part of the matrix, piece by piece. A piece has as many byte columns
/// as fit into `lines`, at most [`PIECE`].
#[inline(never)]
fn write_public_key<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    support: &Support<'_>,
    (left, lines): (&Matrix<'_>, &mut [Line]),
    reduction: &Reduction<'_>,
    public_key: &mut Output<'_>,
) {
    let (padding, len, height) = (padding(code), code.row_len(), left.height);
    let width = (lines.len() / height).min(PIECE) / GROUP * GROUP;
    for offset in (0..len).step_by(width) {
        let count = width.min(len - offset);
        let right = &mut Matrix {
            lines: &mut lines[..count * height],
            height,
        };
        let first = code.rows() + 8 * offset;
        let columns = first..code.n.min(first + 8 * count);
        let columns = columns.map(|j| support.values::<M>(j));
        write_columns::<I, M>(isa, columns, (code.t, padding), right, 0);
        replay(isa, left, reduction, right);
        match public_key {
            Output::Rows(public_key) => join_rows(
                isa,
                right,
                padded_rows(code),
                #[inline(always)]
                |group, rows| {
                    for (i, row) in rows.iter().enumerate() {
                        let Some(number) = (8 * group + i).checked_sub(padding) else {
                            continue;
                        };
                        let bytes = &mut public_key[number * len + offset..][..count];
                        // A whole piece has a fixed length, so the compiler makes no calls to copy
                        // a few bytes.
                        if let Some(bytes) = bytes.first_chunk_mut::<PIECE>() {
                            for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(row) {
                                *bytes = word.to_le_bytes();
                            }
                        } else {
                            to_bytes(row, bytes);
                        }
                    }
                },
            ),
            Output::Columns(visit) => visit_columns(isa, right, |number, bytes| {
                visit(offset + number, &bytes[padding..][..code.rows()]);
            }),
        }
    }
}

/// Writes the control bits of the support, which is packed in front of `words`. Returns false if
/// the control bits do not give the support, which only a fault of the machine can cause.
#[inline(never)]
fn write_control_bits<I: Isa>(
    isa: I,
    code: &Code,
    words: &mut [u64],
    bytes: &mut [u8],
    control: &mut [u8],
) -> bool {
    pack_numbers(&mut words[..code.q() / 2]);
    let (numbers, scratch) = words.split_at_mut(code.q() / 4);
    control.fill(0);
    if I::LOOKS_UP_BYTES && !bytes.is_empty() {
        let (keys, rest) = scratch.split_at_mut(code.q());
        for (j, key) in keys.iter_mut().enumerate() {
            *key = u64::from(number(numbers, j)) << code.m | j as u64;
        }
        sort(isa, keys, 1, &mut rest[..code.q()]);
        let pi = |j| number(numbers, j) as usize;
        let inverse = |j: usize| keys[j] as usize & (code.q() - 1);
        look_ups::control_bits(isa, code.m, pi, inverse, control, bytes);
    } else {
        let pi = |j| number(numbers, j);
        control_bits::control_bits(isa, code.m, pi, control, scratch);
    }
    let planes = &mut scratch[..code.q() / 4];
    number_planes(isa, numbers, planes);
    // Compares every bit of the numbers, permuted by the network.
    let mut different = 0;
    for (bit, plane) in planes.chunks_exact(code.q() / 64).take(code.m).enumerate() {
        let mut words = [0; 128];
        let words = &mut words[..code.q() / 64];
        for (w, word) in words.iter_mut().enumerate() {
            *word = match bit {
                0..6 => PATTERNS[bit],
                _ => 0u64.wrapping_sub((w >> (bit - 6) & 1) as u64),
            };
        }
        permute(isa, code.m, control, words);
        for (word, expected) in words.iter().zip(plane) {
            different |= word ^ expected;
        }
        wipe(words);
    }
    reveal(different == 0)
}

/// Writes the sixteen bit planes of the numbers that [`pack_numbers`] packed, one after the other:
/// bit `j` of plane `b` is bit `b` of number `j`.
fn number_planes<I: Isa>(isa: I, numbers: &[u64], planes: &mut [u64]) {
    /// Gathers the even bytes of `x`.
    #[inline(always)]
    fn even_bytes(x: u64) -> u64 {
        let x = x & 0x00ff_00ff_00ff_00ff;
        let x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
        (x | x >> 16) & 0xffff_ffff
    }
    isa.vectorize(
        #[inline(always)]
        || {
            let len = numbers.len() / 16;
            for (w, words) in numbers.as_chunks::<16>().0.iter().enumerate() {
                for (high, planes) in planes.chunks_exact_mut(8 * len).enumerate() {
                    let mut bytes = [0; 8];
                    for (bytes, [a, b]) in bytes.iter_mut().zip(words.as_chunks().0) {
                        *bytes = even_bytes(a >> (8 * high)) | even_bytes(b >> (8 * high)) << 32;
                    }
                    for (b, plane) in planes_of_bytes(&bytes).into_iter().enumerate() {
                        planes[b * len + w] = plane;
                    }
                }
            }
        },
    );
}
