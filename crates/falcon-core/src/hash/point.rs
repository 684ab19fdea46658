//! Converts the words of a hash to a polynomial modulo `q`.
//!
//! The polynomial is as public as the signature, so the rejection loop may take variable time.
//!
//! Source: Falcon specification v1.2, algorithm 3 (HashToPoint).

use crate::lanes::{HAS_VECTORS, Isa};
use crate::params::Q;
use falcon_keccak::{Blocks, RATE_WORDS};

/// Number of 16-bit words in a block.
const WORDS: usize = 4 * RATE_WORDS;

/// Mask of the last sixteen words. It is all ones for each word that was already taken.
const REFUSED: [u16; 16] = {
    let mut refused = [u16::MAX; 16];
    let mut i = 16 - WORDS % 16;
    while i < 16 {
        refused[i] = 0;
        i += 1;
    }
    refused
};

/// `5q`. Words below it are reduced modulo `q`, and the others are skipped.
pub(crate) const LIMIT: u16 = (5 * Q) as u16;

/// Fills `point` from the blocks of `reader`.
pub(crate) fn fill_point(isa: impl Isa, mut reader: Blocks<'_>, point: &mut [u16]) {
    let mut filler = PointFiller::new(point);
    while filler.take(isa, reader.next_block(isa)) {}
}

/// Fills `point` as [`fill_point`] does, but reads the words little-endian.
#[cfg(feature = "fndsa-provisional")]
pub(crate) fn fill_point_little_endian(isa: impl Isa, mut reader: Blocks<'_>, point: &mut [u16]) {
    let mut filler = PointFiller::new(point);
    while filler.take_little_endian(isa, reader.next_block(isa)) {}
}

/// A point that is being filled, block by block.
pub(crate) struct PointFiller<'a> {
    rest: &'a mut [u16],
}

impl<'a> PointFiller<'a> {
    pub(crate) fn new(point: &'a mut [u16]) -> Self {
        Self { rest: point }
    }

    /// Takes coefficients from the next block of the stream. Returns true if the point needs
    /// another block.
    ///
    /// Vector code reduces all words. Then the kept words are moved together without a branch,
    /// since one word in sixteen is skipped and no predictor can predict which one.
    #[inline(always)]
    pub(crate) fn take(&mut self, isa: impl Isa, block: &[u64; RATE_WORDS]) -> bool {
        isa.vectorize(
            #[inline(always)]
            || self.take_words(isa, block),
        );
        !self.rest.is_empty()
    }

    /// Takes as [`take`](Self::take) does, but reads the words little-endian.
    #[cfg(feature = "fndsa-provisional")]
    #[inline(always)]
    pub(crate) fn take_little_endian(&mut self, isa: impl Isa, block: &[u64; RATE_WORDS]) -> bool {
        let swapped = |word: u64| {
            let low = 0x00ff_00ff_00ff_00ff;
            (word & low) << 8 | word >> 8 & low
        };
        self.take(isa, &block.map(swapped))
    }

    #[inline(always)]
    fn take_words(&mut self, isa: impl Isa, block: &[u64; RATE_WORDS]) {
        if !HAS_VECTORS {
            return self.take_one_by_one(block);
        }
        for four in block.as_chunks().0 {
            self.take_sixteen(isa, four, &[0; 16]);
        }
        // The last sixteen words include earlier words that were already taken. These are refused
        // now.
        if let Some(four) = block.last_chunk() {
            self.take_sixteen(isa, four, &REFUSED);
        }
    }

    /// Takes all words, each with a branch. This is less code, and faster without vector units.
    #[inline(always)]
    fn take_one_by_one(&mut self, block: &[u64; RATE_WORDS]) {
        let mut rest = core::mem::take(&mut self.rest).iter_mut();
        for word in block {
            for bytes in word.to_le_bytes().as_chunks().0 {
                let word = u16::from_be_bytes(*bytes);
                if word < LIMIT
                    && let Some(out) = rest.next()
                {
                    *out = reduce(word);
                }
            }
        }
        self.rest = rest.into_slice();
    }

    /// Takes the sixteen words of `four`, except the words that are all ones in `refused`.
    #[inline(always)]
    fn take_sixteen(&mut self, isa: impl Isa, four: &[u64; 4], refused: &[u16; 16]) {
        let bytes = four.map(u64::to_le_bytes);
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(bytes.as_flattened().as_chunks().0) {
            *word = u16::from_be_bytes(*bytes);
        }
        let mut residues = [0; 16];
        for ((r, w), refused) in residues.iter_mut().zip(&mut words).zip(refused) {
            *r = reduce(*w);
            *w |= refused;
        }
        let rest = core::mem::take(&mut self.rest);
        let count = if let Some(out) = rest.first_chunk_mut() {
            isa.keep_below(LIMIT, &words, &residues, out)
        } else {
            let mut kept = [0; 16];
            let count = isa.keep_below(LIMIT, &words, &residues, &mut kept);
            for (out, &kept) in rest.iter_mut().zip(kept.iter().take(count)) {
                *out = kept;
            }
            count
        };
        let len = rest.len();
        self.rest = rest.split_at_mut(count.min(len)).1;
    }
}

/// Returns `w mod q` for `w < 5q`. The smaller of `x` and `x - m` modulo `2^16` is `x - m` exactly
/// if `x >= m`.
#[inline(always)]
const fn reduce(w: u16) -> u16 {
    const fn step(x: u16, m: u16) -> u16 {
        let y = x.wrapping_sub(m);
        if y < x { y } else { x }
    }
    let q = Q as u16;
    step(step(step(w, 4 * q), 2 * q), q)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with taking words one by one, as targets without vector units do.
    #[test]
    fn words_one_by_one_are_those_taken_together() {
        let words = |i: usize| {
            // The first words are at the limit, one below it and one above it. Many other words
            // follow.
            let word = match i {
                0 => LIMIT,
                1 => LIMIT - 1,
                2 => LIMIT + 1,
                _ => (i as u16).wrapping_mul(40503),
            };
            word.swap_bytes()
        };
        let block = core::array::from_fn(|i| {
            (0..4).fold(0, |x, j| x | u64::from(words(4 * i + j)) << (16 * j))
        });
        // Tries points with room for all words, and points with room for fewer words.
        for room in [128, 68, 40, 1, 0] {
            let (mut together, mut alone) = ([0xffff; 128], [0xffff; 128]);
            let mut filler = PointFiller::new(&mut together[..room]);
            filler.take_words(crate::lanes::Baseline, &block);
            let rest = filler.rest.len();
            let mut filler = PointFiller::new(&mut alone[..room]);
            filler.take_one_by_one(&block);
            assert_eq!(filler.rest.len(), rest, "{room}");
            let taken = room - rest;
            assert_eq!(alone[..taken], together[..taken], "{room}");
            assert!(alone[..taken].iter().all(|&x| u32::from(x) < Q), "{room}");
            assert!(room < 2 || alone[0] == reduce(LIMIT - 1), "{room}");
            assert!(room < 128 || (40..=68).contains(&taken), "{taken}");
        }
    }

    #[test]
    fn reduction_is_exact_below_the_limit() {
        for w in 0..LIMIT {
            assert_eq!(u32::from(reduce(w)), u32::from(w) % Q);
        }
    }
}
