//! Key generation.
//!
//! A seed delta is expanded to `s`, the random numbers of the support, `beta` and the next seed. If
//! a step fails, the next seed takes its turn: failures are public, since that seed is thrown away.
//! Without `f` 3.5 attempts are expected, with `f` one.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm SeededKeyGen.

use crate::align::{Aligned, SLACK, aligned};
use crate::code::{CHOSEN, Code, MAX_T};
use crate::decode::{goppa_values, invert};
use crate::fft::basis::PATTERNS;
use crate::fft::blocks;
use crate::field::planes::{Block, LANES, element};
use crate::hash;
use crate::layout::{FIRST_COLUMNS, parts_mut};
use crate::matrix::Columns;
use crate::matrix::columns::{cut_rows, join_rows, write_rows};
use crate::matrix::eliminate::{
    COMBINATION_WORDS, Matrix, Reduction, height, max_combinations, reduce, replay,
};
use crate::matrix::semi_systematic::{
    Pivots, exchange, exchange_columns, pivot_mask, pivots_of_mask,
};
use crate::minimal::minimal_polynomial;
use crate::permutation::benes::permute;
use crate::permutation::control_bits::{control_bits, scratch_len};
use crate::reveal::reveal;
use crate::support::{Column, column, number, order, values};
use crate::weight::to_bytes;
use falcon_lanes::{Isa, wipe};
use zeroize::Zeroizing;

/// Zero columns in front of the matrix.
const fn padding(code: &Code) -> usize {
    (8 - code.rows() % 8) % 8
}

/// Number of rows, with the padding in front of them.
const fn padded_rows(code: &Code) -> usize {
    code.rows() + padding(code)
}

/// Number of columns of the left part.
const fn left_columns(code: &Code) -> usize {
    code.rows() + if code.semi_systematic { CHOSEN } else { 0 }
}

/// Lines of the left part.
const fn left_lines(code: &Code) -> usize {
    (left_columns(code) + padding(code)).div_ceil(8) * height(padded_rows(code))
}

/// Byte columns of a piece of the right part.
const PIECE: usize = LANES / 8;

/// Lines of a piece of the right part.
const fn right_lines(code: &Code) -> usize {
    PIECE * height(padded_rows(code))
}

/// Number of 64-bit words of scratch.
pub(crate) const fn scratch_words(code: &Code) -> usize {
    SLACK
        + 8 * (left_lines(code) + right_lines(code) + padded_rows(code))
        + code.q()
        + COMBINATION_WORDS * max_combinations(code.rows())
}

/// Number of 32-bit words of scratch.
pub(crate) const fn scratch_halves(code: &Code) -> usize {
    code.q() + scratch_len(code.m)
}

/// Working memory, with the lengths that [`scratch_words`] and [`scratch_halves`] say. Wiped when
/// dropped.
pub(crate) struct Memory<'a> {
    pub(crate) words: &'a mut [u64],
    pub(crate) halves: &'a mut [u32],
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        wipe(self.words);
        wipe(self.halves);
    }
}

/// Parts of the 64-bit words.
struct Areas<'a> {
    left: &'a mut [Columns],
    right: &'a mut [Columns],
    rows: &'a mut [Columns],
    columns: &'a mut [Column],
    combinations: &'a mut [[u64; COMBINATION_WORDS]],
}

impl<'a> Areas<'a> {
    fn new(code: &Code, words: &'a mut [u64]) -> Self {
        let (left, rest) = aligned(words).split_at_mut(8 * left_lines(code));
        let (right, rest) = rest.split_at_mut(8 * right_lines(code));
        let (rows, rest) = rest.split_at_mut(8 * padded_rows(code));
        let (columns, rest) = rest.split_at_mut(code.q());
        Self {
            left: left.as_chunks_mut().0,
            right: right.as_chunks_mut().0,
            rows: rows.as_chunks_mut().0,
            columns,
            combinations: rest.as_chunks_mut().0,
        }
    }
}

/// Task for a seed.
#[cfg_attr(
    not(feature = "alloc"),
    expect(dead_code, reason = "only boxed keys are computed from short forms")
)]
pub(crate) enum Task<'a> {
    /// A pair of keys; if the seed gives none, from the next seeds.
    Generate { public_key: &'a mut [u8] },
    /// The public key of exactly this seed.
    PublicKey { public_key: &'a mut [u8] },
    /// The secret key of exactly this seed and these pivot columns.
    SecretKey { pivots: u64 },
}

/// Does `task` with `seed`, and writes the secret key. Returns false if exactly this seed was asked
/// for and gives no key.
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
    let mut next = Zeroizing::new([0; 32]);
    loop {
        let done = attempt::<I, M>(isa, code, &seed, &mut task, memory, secret_key, &mut next);
        if done || !matches!(task, Task::Generate { .. }) {
            break done;
        }
        seed.copy_from_slice(&*next);
    }
}

fn attempt<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    seed: &[u8; 32],
    task: &mut Task<'_>,
    memory: &mut Memory<'_>,
    secret_key: &mut [u8],
    next: &mut [u8; 32],
) -> bool {
    let mut areas = Areas::new(code, memory.words);
    if !start::<I, M>(isa, code, seed, &mut areas, secret_key, next) {
        return false;
    }
    let mut pivots = Zeroizing::new([0; CHOSEN]);
    let mask = match task {
        Task::Generate { public_key } | Task::PublicKey { public_key } => {
            let mut reduction = Reduction {
                padding: padding(code),
                combinations: areas.combinations,
                count: 0,
            };
            let height = height(padded_rows(code));
            let mut left = Matrix {
                lines: areas.left,
                height,
            };
            let reduced = (&mut left, &mut reduction);
            if !reduce_left::<I, M>(isa, code, areas.columns, areas.rows, reduced, &mut pivots) {
                return false;
            }
            let mut right = Matrix {
                lines: areas.right,
                height,
            };
            let parts = (&left, &mut right);
            let (columns, rows) = (&*areas.columns, areas.rows);
            write_public_key::<I, M>(isa, code, columns, rows, parts, &reduction, public_key);
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
                exchange(&mut areas.columns[code.rows() - CHOSEN..], &pivots);
            }
            *mask
        }
    };
    let parts = parts_mut(code, secret_key);
    parts.seed.copy_from_slice(seed);
    parts.pivots.copy_from_slice(&mask.to_le_bytes());
    write_control_bits(isa, code, areas.columns, memory.halves, parts.control)
}

/// Expands the seed: writes `s` and the Goppa polynomial to the secret key, the sorted columns, and
/// the next seed. Returns false if a step fails.
fn start<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    seed: &[u8; 32],
    areas: &mut Areas<'_>,
    secret_key: &mut [u8],
    next: &mut [u8; 32],
) -> bool {
    let parts = parts_mut(code, secret_key);
    let mut beta = Zeroizing::new([0; MAX_T]);
    hash::with_stream(hash::EXPANSION, &[seed], |stream| {
        stream.read(parts.s);
        for (i, place) in areas.columns.iter_mut().enumerate() {
            *place = column(u32::from_le_bytes(stream.read_array()), i);
        }
        for coefficient in &mut beta[..code.t] {
            *coefficient = u16::from_le_bytes(stream.read_array()) & (code.q() - 1) as u16;
        }
        stream.read(next);
    });
    let mut g = Zeroizing::new([0; MAX_T]);
    if !minimal_polynomial::<I, M>(isa, code, &beta, &mut g[..code.t]) {
        return false;
    }
    for (bytes, g) in parts.goppa.as_chunks_mut().0.iter_mut().zip(&*g) {
        *bytes = g.to_le_bytes();
    }
    let mut inverses: Aligned<[Block<M>; 16]> = Aligned([[[0; 8]; M]; 16]);
    let inverses = &mut inverses.0[..blocks::<M>()];
    goppa_values(isa, parts.goppa, inverses);
    invert(isa, inverses);
    for (i, place) in areas.columns.iter_mut().enumerate() {
        *place |= u64::from(element(&inverses[i / LANES], i % LANES));
    }
    wipe(inverses.as_flattened_mut().as_flattened_mut());
    order(isa, code, areas.columns, areas.right.as_flattened_mut())
}

/// Reduces the left part of the matrix. For the `f` sets, chooses the last pivots and exchanges the
/// columns. Returns false if the matrix has no such form.
fn reduce_left<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    columns: &mut [Column],
    rows: &mut [Columns],
    (left, reduction): (&mut Matrix<'_>, &mut Reduction<'_>),
    pivots: &mut Pivots,
) -> bool {
    let padding = padding(code);
    rows[..padding].fill([0; 8]);
    for block in 0..(left_columns(code) + padding).div_ceil(LANES) {
        let columns = &columns[..left_columns(code)];
        let at = |place: usize| {
            let column = place.checked_sub(padding).and_then(|j| columns.get(j));
            column.map_or((0, 0), |&column| values::<M>(column))
        };
        let places = block * LANES..(block + 1) * LANES;
        write_rows::<I, M>(isa, places.map(at), &mut rows[padding..]);
        cut_rows(isa, rows, left, block * PIECE);
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
    exchange(&mut columns[code.rows() - CHOSEN..], pivots);
    reduce(isa, left, reduction, chosen..panels)
}

/// Makes and reduces the right part of the matrix, piece by piece.
fn write_public_key<I: Isa, const M: usize>(
    isa: I,
    code: &Code,
    columns: &[Column],
    rows: &mut [Columns],
    (left, right): (&Matrix<'_>, &mut Matrix<'_>),
    reduction: &Reduction<'_>,
    public_key: &mut [u8],
) {
    let (padding, len) = (padding(code), code.row_len());
    let columns = &columns[code.rows()..code.n];
    for (piece, columns) in columns.chunks(LANES).enumerate() {
        let columns = columns.iter().map(|&column| values::<M>(column));
        write_rows::<I, M>(isa, columns, &mut rows[padding..]);
        cut_rows(isa, rows, right, 0);
        replay(isa, left, reduction, right);
        let offset = piece * PIECE;
        join_rows(
            isa,
            right,
            padded_rows(code),
            #[inline(always)]
            |group, rows| {
                for (i, row) in rows.iter().enumerate() {
                    let Some(number) = (8 * group + i).checked_sub(padding) else {
                        continue;
                    };
                    let bytes = &mut public_key[number * len..][..len][offset..];
                    // Without calls that copy a few bytes.
                    if let Some(bytes) = bytes.first_chunk_mut::<{ LANES / 8 }>() {
                        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(row) {
                            *bytes = word.to_le_bytes();
                        }
                    } else {
                        to_bytes(row, bytes);
                    }
                }
            },
        );
    }
}

/// Writes the control bits of the support. Returns false if they do not lead to it, which only a
/// fault of the machine can bring about.
fn write_control_bits<I: Isa>(
    isa: I,
    code: &Code,
    columns: &[Column],
    halves: &mut [u32],
    control: &mut [u8],
) -> bool {
    let (pi, scratch) = halves.split_at_mut(code.q());
    for (pi, &column) in pi.iter_mut().zip(columns) {
        *pi = number(column);
    }
    control.fill(0);
    control_bits(isa, code.m, pi, control, scratch);
    // Every bit of the numbers, permuted by the network.
    let mut different = 0;
    for bit in 0..code.m {
        let mut words = [0; 128];
        let words = &mut words[..code.q() / 64];
        for (w, word) in words.iter_mut().enumerate() {
            *word = match bit {
                0..6 => PATTERNS[bit],
                _ => 0u64.wrapping_sub((w >> (bit - 6) & 1) as u64),
            };
        }
        permute(isa, code.m, control, words);
        for (word, columns) in words.iter().zip(columns.chunks(64)) {
            for (i, &column) in columns.iter().enumerate() {
                different |= (word >> i ^ u64::from(number(column)) >> bit) & 1;
            }
        }
        wipe(words);
    }
    reveal(different == 0)
}
