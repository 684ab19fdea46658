//! ENCODE: the syndrome `C_0 = e_0 + T e_1` of an error vector `e = (e_0, e_1)`.
//!
//! The identity part of the matrix costs one addition of bits. `e` is drawn behind a few zero bits,
//! so that a row of `T` and its part of `e` begin at the same byte. The bits of a row are folded
//! once, not once for every register.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm Encode.

use crate::code::Code;
use crate::engine::Best;
use crate::weight::{Positions, spread, to_error_vector};
use falcon_lanes::{Isa, Register, U64s, wipe};

/// Bytes that are combined at a time.
const STEP: usize = 64;

/// Bytes of the longest syndrome.
const SYNDROME: usize = 208;

/// Bytes of the longest padded error vector. A step may reach behind its end.
const PADDED: usize = FRONT + 13 * STEP;

/// Bytes in front of `e_1`, whole steps.
const FRONT: usize = 4 * STEP;

/// An error vector, ready to meet the rows of `T`, and the syndrome so far.
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
        on_best!(Best::find(), isa => spread(isa, positions, padding, padded));
        // Syndromes have no padding in front.
        let bytes = &encoding.padded[front..FRONT];
        let next = bytes.iter().skip(1).chain(&[0]);
        for (syndrome, (byte, next)) in encoding.syndrome.iter_mut().zip(bytes.iter().zip(next)) {
            *syndrome = (u16::from_le_bytes([*byte, *next]) >> padding) as u8;
        }
        encoding
    }

    /// Bits of `e` from the number of rows on, in whole steps.
    #[inline(always)]
    fn shifted(&self) -> &[u8] {
        &self.padded[FRONT..]
    }

    /// The bytes of `e`, when the syndrome is complete: what was in front of them is gone.
    pub(crate) fn error_vector(&mut self, code: &Code) -> &[u8] {
        let padded = &mut self.padded[FRONT - code.syndrome_len()..];
        to_error_vector(padding(code), padded);
        &padded[..code.error_len()]
    }

    /// Adds the product of a piece of row `row`, which begins at byte `offset` of the row.
    #[inline(always)]
    fn add_piece(&mut self, isa: impl Isa, row: usize, offset: usize, piece: &[u8]) {
        let product = fold(isa, piece, &self.shifted()[offset..][..piece.len()]);
        self.syndrome[row / 8] ^= ((product.count_ones() & 1) as u8) << (row % 8);
    }

    /// [`add_piece`](Self::add_piece), with the instructions of `isa`.
    pub(crate) fn add_piece_on(&mut self, isa: impl Isa, row: usize, offset: usize, piece: &[u8]) {
        isa.vectorize_words(
            #[inline(always)]
            || self.add_piece(isa, row, offset, piece),
        );
    }

    /// Adds the products of all rows of the public key, eight rows at a time.
    pub(crate) fn add_rows(&mut self, isa: impl Isa, code: &Code, public_key: &[u8]) {
        let len = code.row_len();
        let steps = len.div_ceil(STEP);
        isa.vectorize_words(
            #[inline(always)]
            || {
                let mut row = 0;
                // The last step reads behind the row. What it reads there meets zeros of `e`.
                while row + 8 <= code.rows() && (row + 7) * len + steps * STEP <= public_key.len() {
                    let eight = &public_key[row * len..];
                    let products = fold_eight(isa, eight, len, &self.shifted()[..steps * STEP]);
                    self.syndrome[row / 8] ^= products;
                    row += 8;
                }
                let rest = public_key[row * len..].chunks_exact(len);
                for (row, bytes) in (row..).zip(rest) {
                    self.add_piece(isa, row, 0, bytes);
                }
            },
        );
    }

    /// The syndrome, where all rows have been added.
    pub(crate) fn syndrome(&self, code: &Code) -> &[u8] {
        &self.syndrome[..code.syndrome_len()]
    }
}

/// Number of zero bits in front of `e`.
const fn padding(code: &Code) -> usize {
    8 * code.syndrome_len() - code.rows()
}

/// Products of `e` and eight rows, which begin at every `len`-th byte of `rows`: a bit for each.
///
/// Every row has a register of sums.
#[inline(always)]
fn fold_eight<I: Isa>(isa: I, rows: &[u8], len: usize, e: &[u8]) -> u8 {
    let e = e.as_chunks::<STEP>().0;
    let rows: [&[[u8; STEP]]; 8] =
        core::array::from_fn(|j| &rows[j * len..].as_chunks().0[..e.len()]);
    let mut totals = [I::U64s::splat(isa, 0); 8];
    for (step, e) in e.iter().enumerate() {
        let e = words(e);
        for part in 0..STEP / 8 / I::U64s::LEN {
            let e = I::U64s::load(isa, &I::U64s::chunks(&e)[part]);
            for (total, row) in totals.iter_mut().zip(&rows) {
                let row = words(&row[step]);
                let row = I::U64s::load(isa, &I::U64s::chunks(&row)[part]);
                *total = total.xor_and(row, e);
            }
        }
    }
    let mut sums = [[0; 8]; 8];
    for (sums, total) in sums.iter_mut().zip(totals) {
        total.store(&mut I::U64s::chunks_mut(sums)[0]);
    }
    isa.parities(&sums)
}

/// Sum of the words of `row & e`.
#[inline(always)]
fn fold<I: Isa>(isa: I, row: &[u8], e: &[u8]) -> u64 {
    let (row_steps, row_rest) = row.as_chunks::<STEP>();
    let (e_steps, e_rest) = e.as_chunks::<STEP>();
    let mut sums = [0u64; STEP / 8];
    for (part, sum) in I::U64s::chunks_mut(&mut sums).iter_mut().enumerate() {
        let mut total = I::U64s::splat(isa, 0);
        for (row, e) in row_steps.iter().zip(e_steps) {
            let (row, e) = (words(row), words(e));
            let row = I::U64s::load(isa, &I::U64s::chunks(&row)[part]);
            let e = I::U64s::load(isa, &I::U64s::chunks(&e)[part]);
            total = total.xor_and(row, e);
        }
        total.store(sum);
    }
    let (row_words, row_tail) = row_rest.as_chunks();
    let (e_words, e_tail) = e_rest.as_chunks();
    for (sum, (row, e)) in sums.iter_mut().zip(row_words.iter().zip(e_words)) {
        *sum ^= u64::from_le_bytes(*row) & u64::from_le_bytes(*e);
    }
    for (row, e) in row_tail.iter().zip(e_tail) {
        sums[0] ^= u64::from(row & e);
    }
    sums.iter().fold(0, |sum, word| sum ^ word)
}

/// Bytes as words.
#[inline(always)]
fn words(bytes: &[u8; STEP]) -> [u64; STEP / 8] {
    let mut words = [0; STEP / 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
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
        let mut copy = Encoding::new(code, &positions);
        let e = copy.error_vector(code);
        let bit = |i: usize| (e[i / 8] >> (i % 8)) & 1;
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
