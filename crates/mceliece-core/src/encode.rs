//! ENCODE: the syndrome `C_0 = e_0 + T e_1` of an error vector `e = (e_0, e_1)`.
//!
//! The syndrome begins as `e_0`, and the products are added to it. `e` is stored behind a few zero
//! bits, so that a row of `T` and its part of `e` begin at the same byte. The products of a row are
//! added in a register, and their parity is computed once.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Encode.

use crate::bits::remove_padding;
use crate::code::Code;
use crate::engine::Best;
use crate::weight::Positions;
use core::slice::ChunksExact;
use falcon_lanes::{Isa, Register, U64s, wipe};

/// Number of bytes that are combined at a time.
const STEP: usize = 64;

/// Length of the longest syndrome in bytes.
const SYNDROME: usize = 208;

/// Length of the longest padded error vector in bytes.
const PADDED: usize = FRONT + 13 * STEP;

/// Number of bytes before `e_1`. They fill whole steps.
const FRONT: usize = 4 * STEP;

/// An error vector, ready for products with the rows of `T`, and the syndrome so far.
#[cfg_attr(target_arch = "x86_64", repr(C, align(64)))]
pub(crate) struct Encoding {
    /// `e` behind zeros, which put `e_1` at the beginning of a step.
    padded: [u8; PADDED],
    /// `e_0`, to which the products are added.
    syndrome: [u8; SYNDROME],
}

impl Drop for Encoding {
    fn drop(&mut self) {
        wipe(&mut self.padded);
        wipe(&mut self.syndrome);
    }
}

impl Encoding {
    /// Prepares the vector with ones at `positions`.
    #[inline(never)]
    pub(crate) fn new(code: &Code, positions: &Positions) -> Self {
        let mut encoding = Self {
            padded: [0; PADDED],
            syndrome: [0; SYNDROME],
        };
        let (padding, positions) = (padding(code), &positions[..code.t]);
        let front = FRONT - code.syndrome_len();
        // The padding may reach into one more byte.
        let padded = &mut encoding.padded[front..][..code.error_len() + 1];
        on_best!(Best::find(), isa => isa.set_bits(positions, padding as u16, padded));
        // A syndrome has no padding before it.
        let syndrome = &mut encoding.syndrome[..code.syndrome_len()];
        syndrome.copy_from_slice(&encoding.padded[front..FRONT]);
        remove_padding(padding, syndrome);
        encoding
    }

    /// Returns `e_1`, filled up with zeros to whole steps.
    #[inline(always)]
    fn shifted(&self) -> &[u8] {
        &self.padded[FRONT..]
    }

    /// Returns the bytes of `e`. Call it when the syndrome is complete, because it shifts `e` in
    /// place.
    pub(crate) fn error_vector(&mut self, code: &Code) -> &[u8] {
        let padded = &mut self.padded[FRONT - code.syndrome_len()..];
        remove_padding(padding(code), padded);
        &padded[..code.error_len()]
    }

    /// Adds the product of a piece of row `row`, which begins at byte `offset` of the row.
    #[inline(always)]
    fn add_piece(&mut self, isa: impl Isa, row: usize, offset: usize, piece: &[u8]) {
        let product = fold(isa, piece, &self.shifted()[offset..][..piece.len()]);
        self.syndrome[row / 8] ^= ((product.count_ones() & 1) as u8) << (row % 8);
    }

    /// Does [`add_piece`](Self::add_piece) with the instructions of `isa`.
    pub(crate) fn add_piece_on(&mut self, isa: impl Isa, row: usize, offset: usize, piece: &[u8]) {
        isa.vectorize_words(
            #[inline(always)]
            || self.add_piece(isa, row, offset, piece),
        );
    }

    /// Adds the products of all rows of the public key, eight rows at a time.
    pub(crate) fn add_rows(&mut self, isa: impl Isa, code: &Code, public_key: &[u8]) {
        // All rows are longer than a step. The compiler knows this from `max`, and omits length
        // comparisons.
        let len = code.row_len().max(STEP);
        let mut rows = public_key.chunks_exact(len);
        isa.vectorize_words(
            #[inline(always)]
            || {
                let e = &self.padded[FRONT..][..len];
                let mut last = last_step(e);
                let whole = code.rows() / 8;
                for syndrome in &mut self.syndrome[..whole] {
                    let Some(eight) = next_eight(&mut rows) else {
                        break;
                    };
                    *syndrome ^= fold_eight(isa, eight, e, &last);
                }
                wipe(&mut last);
                for (row, bytes) in (8 * whole..).zip(rows) {
                    self.add_piece(isa, row, 0, bytes);
                }
            },
        );
    }

    /// Returns the syndrome, after all rows have been added.
    pub(crate) fn syndrome(&self, code: &Code) -> &[u8] {
        &self.syndrome[..code.syndrome_len()]
    }
}

/// Number of zero bits in front of `e`.
const fn padding(code: &Code) -> usize {
    8 * code.syndrome_len() - code.rows()
}

/// Returns the last step of `e`. It overlaps the step before, and bytes common to both are zero.
fn last_step(e: &[u8]) -> [u8; STEP] {
    let mut last = [0; STEP];
    let rest = e.as_chunks::<STEP>().1;
    last[STEP - rest.len()..].copy_from_slice(rest);
    last
}

/// Returns the next eight rows.
#[inline(always)]
fn next_eight<'a>(rows: &mut ChunksExact<'a, u8>) -> Option<[&'a [u8]; 8]> {
    Some([
        rows.next()?,
        rows.next()?,
        rows.next()?,
        rows.next()?,
        rows.next()?,
        rows.next()?,
        rows.next()?,
        rows.next()?,
    ])
}

/// Multiplies `e` by eight rows of the same length, and returns a bit for each. `last` is the
/// [`last_step`] of `e`.
///
/// Every row has a register of sums.
#[inline(always)]
fn fold_eight<I: Isa>(isa: I, rows: [&[u8]; 8], e: &[u8], last: &[u8; STEP]) -> u8 {
    let mut totals = [I::U64s::splat(isa, 0); 8];
    // Takes two steps at a time, because every turn of the loop computes eight addresses.
    add_steps::<I, { 2 * STEP }>(isa, &mut totals, rows, e);
    let (_, e) = e.as_chunks::<{ 2 * STEP }>();
    let mut rest = rows;
    for row in &mut rest {
        *row = row.as_chunks::<{ 2 * STEP }>().1;
    }
    add_steps::<I, STEP>(isa, &mut totals, rest, e);
    let (_, e) = e.as_chunks::<STEP>();
    if !e.is_empty() {
        // Skips registers that hold only zeros.
        let zeros = (STEP - e.len()) / (8 * I::U64s::LEN);
        let mut ends = [&[0; STEP]; 8];
        for (end, row) in ends.iter_mut().zip(rows) {
            *end = row.last_chunk().unwrap_or(end);
        }
        add_step(isa, &mut totals, ends, last, zeros);
    }
    let mut sums = [[0; 8]; 8];
    for (sums, total) in sums.iter_mut().zip(I::U64s::settled(totals)) {
        total.store(&mut I::U64s::chunks_mut(sums)[0]);
    }
    isa.parities(&sums)
}

/// Adds the products of `e` and eight rows to their sums, for all whole steps of `N` bytes.
#[inline(always)]
fn add_steps<I: Isa, const N: usize>(
    isa: I,
    totals: &mut [I::U64s; 8],
    rows: [&[u8]; 8],
    e: &[u8],
) {
    // These are loops instead of array methods, since compilers do not always inline the methods.
    let e = e.as_chunks().0;
    let mut steps: [&[[u8; N]]; 8] = [&[]; 8];
    for (steps, row) in steps.iter_mut().zip(rows) {
        *steps = &row.as_chunks().0[..e.len()];
    }
    for (step, e) in e.iter().enumerate() {
        let mut rows = [e; 8];
        for (row, steps) in rows.iter_mut().zip(steps) {
            *row = &steps[step];
        }
        add_step(isa, totals, rows, e, 0);
    }
}

/// Adds the products of `e` and of a step of eight rows to their sums, from register number `first`
/// of the step on.
#[inline(always)]
fn add_step<I: Isa, const N: usize>(
    isa: I,
    totals: &mut [I::U64s; 8],
    rows: [&[u8; N]; 8],
    e: &[u8; N],
    first: usize,
) {
    for part in first..N / 8 / I::U64s::LEN {
        let place = part * I::U64s::LEN;
        let e = isa.load_le_bytes(&e.as_chunks().0[place..]);
        for (total, row) in totals.iter_mut().zip(rows) {
            *total = total.xor_and(isa.load_le_bytes(&row.as_chunks().0[place..]), e);
        }
    }
}

/// Adds the words of `row & e`.
#[inline(always)]
fn fold<I: Isa>(isa: I, row: &[u8], e: &[u8]) -> u64 {
    let (row_words, row_rest) = row.as_chunks();
    let (e_words, e_rest) = e.as_chunks();
    let registers = row_words.len().min(e_words.len()) / I::U64s::LEN;
    let mut total = I::U64s::splat(isa, 0);
    for place in (0..registers).map(|register| register * I::U64s::LEN) {
        let e = isa.load_le_bytes(&e_words[place..]);
        total = total.xor_and(isa.load_le_bytes(&row_words[place..]), e);
    }
    let mut sums = [0; 8];
    total.store(&mut I::U64s::chunks_mut(&mut sums)[0]);
    let done = registers * I::U64s::LEN;
    for (row, e) in row_words[done..].iter().zip(&e_words[done..]) {
        sums[0] ^= u64::from_le_bytes(*row) & u64::from_le_bytes(*e);
    }
    for (row, e) in row_rest.iter().zip(e_rest) {
        sums[0] ^= u64::from(row & e);
    }
    sums.iter().fold(0, |sum, word| sum ^ word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::MAX_T;
    use crate::params::CODES;
    use crate::weight::fixed_weight;
    use getrandom::SysRng;
    use rand_core::UnwrapErr;
    use std::vec;
    use std::vec::Vec;

    fn check<I: Isa>(isa: I, code: &Code) {
        let noise = |i: usize| ((i as u32 + 1).wrapping_mul(0x9e37_79b9) >> 13) as u8;
        let len = code.row_len();
        let mut key: Vec<u8> = (0..code.public_key_len()).map(noise).collect();
        for row in key.chunks_mut(len) {
            row[len - 1] &= 0xff >> (8 * len - code.k());
        }
        let mut positions = [0; MAX_T];
        fixed_weight(code, &mut UnwrapErr(SysRng), &mut positions);
        let mut encoding = Encoding::new(code, &positions);
        let bit = |i: usize| u8::from(positions[..code.t].contains(&(i as u16)));
        let mut expected = vec![0; code.syndrome_len()];
        for row in 0..code.rows() {
            let mut sum = bit(row);
            for j in 0..code.k() {
                sum ^= key[row * len + j / 8] >> (j % 8) & bit(code.rows() + j);
            }
            expected[row / 8] |= (sum & 1) << (row % 8);
        }
        encoding.add_rows(isa, code, &key);
        assert_eq!(encoding.syndrome(code), expected);
        let e = encoding.error_vector(code);
        assert!((0..code.n).all(|i| e[i / 8] >> (i % 8) & 1 == bit(i)));
    }

    #[test]
    fn the_syndrome_is_the_product_with_the_matrix() {
        for code in CODES
            .iter()
            .filter(|code| !code.confirmed && !code.semi_systematic)
        {
            on_every_engine!(isa => check(isa, code));
        }
    }
}
