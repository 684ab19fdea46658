//! SHAKE256 (FIPS 202) behind the two types that the scheme needs.
//!
//! A thin sponge: it squeezes whole blocks as words, and permutes only when the
//! next byte is asked for.

use crate::single::{Permutation, permute_state, portable};
use falcon_lanes::{Isa, wipe};

/// Number of words of the rate: 1088 bits.
pub const RATE_WORDS: usize = 17;

/// Number of bytes of the rate.
pub const RATE: usize = 8 * RATE_WORDS;

#[derive(Clone)]
struct Sponge {
    state: [u64; 25],
    permutation: Permutation,
    /// Next byte of the block, at most `RATE`.
    pos: usize,
}

impl Sponge {
    const fn new(permutation: Permutation) -> Self {
        Self {
            state: [0; 25],
            permutation,
            pos: 0,
        }
    }

    /// Wipes the state, which is then empty.
    fn clear(&mut self) {
        wipe(&mut self.state);
        self.pos = 0;
    }

    fn permute(&mut self) {
        (self.permutation)(&mut self.state);
        self.pos = 0;
    }

    /// XORs at most eight bytes into the word that holds `pos`, without
    /// crossing its end.
    fn xor_bytes(&mut self, bytes: &[u8]) {
        let mut placed = [0; 8];
        let start = self.pos % 8;
        for (p, &b) in placed.iter_mut().skip(start).zip(bytes) {
            *p = b;
        }
        if let Some(word) = self.state.get_mut(self.pos / 8) {
            *word ^= u64::from_le_bytes(placed);
        }
        self.pos += bytes.len();
    }

    fn absorb(&mut self, mut data: &[u8]) {
        while !data.is_empty() {
            if self.pos == RATE {
                self.permute();
            }
            let (now, later) = data.split_at(data.len().min(RATE - self.pos));
            let (head, rest) = now.split_at(now.len().min(self.pos.wrapping_neg() % 8));
            self.xor_bytes(head);
            let (words, tail) = rest.as_chunks::<8>();
            let first = self.pos / 8;
            for (word, bytes) in self.state.iter_mut().skip(first).zip(words) {
                *word ^= u64::from_le_bytes(*bytes);
            }
            self.pos += 8 * words.len();
            self.xor_bytes(tail);
            data = later;
        }
    }

    /// Writes the domain separation of SHAKE and the padding, and marks the block as used up.
    fn pad(&mut self) {
        if self.pos == RATE {
            self.permute();
        }
        self.xor_bytes(&[0x1f]);
        self.state[RATE_WORDS - 1] ^= 1 << 63;
        self.pos = RATE;
    }

    /// Copies at most eight bytes from the word that holds `pos`, without
    /// crossing its end.
    fn copy_bytes(&mut self, out: &mut [u8]) {
        if let Some(word) = self.state.get(self.pos / 8) {
            let bytes = word.to_le_bytes();
            for (o, &b) in out.iter_mut().zip(bytes.iter().skip(self.pos % 8)) {
                *o = b;
            }
        }
        self.pos += out.len();
    }

    fn squeeze(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.pos == RATE {
                self.permute();
            }
            let (now, later) = out.split_at_mut(out.len().min(RATE - self.pos));
            let (head, rest) = now.split_at_mut(now.len().min(self.pos.wrapping_neg() % 8));
            self.copy_bytes(head);
            let (words, tail) = rest.as_chunks_mut::<8>();
            let first = self.pos / 8;
            for (bytes, word) in words.iter_mut().zip(self.state.iter().skip(first)) {
                *bytes = word.to_le_bytes();
            }
            self.pos += 8 * words.len();
            self.copy_bytes(tail);
            out = later;
        }
    }
}

impl Drop for Sponge {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

/// SHAKE256 that absorbs. A clone forks the state.
#[derive(Clone)]
pub struct Shake256(Sponge);

impl Default for Shake256 {
    fn default() -> Self {
        Self::new()
    }
}

impl Shake256 {
    /// Creates an empty sponge that permutes with portable code.
    pub fn new() -> Self {
        Self::with_permutation(portable)
    }

    /// Creates an empty sponge that permutes with `permutation`.
    pub const fn with_permutation(permutation: Permutation) -> Self {
        Self(Sponge::new(permutation))
    }

    /// Absorbs `data`.
    pub fn update(&mut self, data: &[u8]) -> &mut Self {
        self.0.absorb(data);
        self
    }

    /// Ends absorption.
    pub fn finalize(mut self) -> Shake256Reader {
        self.0.pad();
        Shake256Reader(self)
    }

    /// Ends absorption, and reads in place. Unlike [`finalize`](Self::finalize) it
    /// moves no state, which keeps the stack of verification small. When the reader
    /// is dropped, the hash is empty again.
    pub fn finalize_blocks(&mut self) -> Blocks<'_> {
        self.0.pad();
        Blocks(&mut self.0)
    }

    /// Returns the stream of `SHAKE256(data)`.
    pub fn reader(data: &[u8]) -> Shake256Reader {
        let mut h = Self::new();
        h.update(data);
        h.finalize()
    }
}

/// SHAKE256 that squeezes: an endless byte stream.
pub struct Shake256Reader(Shake256);

impl Shake256Reader {
    /// Creates a stream of nothing yet, for a secret, that permutes with `permutation`.
    /// [`start`](Self::start) gives the input where the stream stays. A sponge that is moved is not
    /// wiped where it was.
    pub const fn with_permutation(permutation: Permutation) -> Self {
        Self(Shake256::with_permutation(permutation))
    }

    /// Restarts as the stream of the bytes that `absorb` absorbs.
    pub fn start(&mut self, absorb: impl FnOnce(&mut Shake256)) {
        self.0.0.clear();
        absorb(&mut self.0);
        self.0.0.pad();
    }

    /// Restarts as the stream of a state that was squeezed last and not yet read.
    pub fn resume(&mut self, state: &[u64; 25]) {
        self.0.0.state = *state;
        self.0.0.pos = 0;
    }

    /// Fills `out` with the next bytes of the stream.
    pub fn read(&mut self, out: &mut [u8]) {
        self.0.0.squeeze(out);
    }

    /// Returns the next `N` bytes of the stream.
    pub fn read_array<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.read(&mut out);
        out
    }
}

/// A finalized [`Shake256`], still in its place, that is read block by block.
pub struct Blocks<'a>(&'a mut Sponge);

impl Blocks<'_> {
    /// Returns the next block, as little-endian words.
    pub fn next_block(&mut self, isa: impl Isa) -> &[u64; RATE_WORDS] {
        permute_state(isa, &mut self.0.state);
        self.0.pos = RATE;
        let (block, _) = self
            .0
            .state
            .split_first_chunk()
            .unwrap_or((&[0; RATE_WORDS], &[]));
        block
    }
}

impl Drop for Blocks<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sha3::digest::{ExtendableOutput, Update, XofReader};
    use falcon_lanes::Baseline;
    use std::vec;
    use std::vec::Vec;

    /// Prefixes around the block and word boundaries.
    const LENGTHS: [usize; 14] = [0, 1, 7, 8, 9, 40, 73, 135, 136, 137, 271, 272, 273, 1000];

    fn data(n: usize) -> Vec<u8> {
        (0..n).map(|i| (i * 167 + 13) as u8).collect()
    }

    #[test]
    fn output_equals_the_sha3_crate_however_input_and_output_are_cut() {
        for n in LENGTHS {
            let mut expected = vec![0; 1000];
            let mut peer = ::sha3::Shake256::default();
            peer.update(&data(n));
            peer.finalize_xof().read(&mut expected);
            for piece in [1, 3, 8, 40, 136, 1000] {
                let mut hash = Shake256::new();
                for chunk in data(n).chunks(piece) {
                    hash.update(chunk);
                }
                let mut reader = hash.finalize();
                let mut out = vec![0; 1000];
                for chunk in out.chunks_mut(piece) {
                    reader.read(chunk);
                }
                assert_eq!(out, expected, "{n} bytes in pieces of {piece}");
            }
        }
    }

    #[test]
    fn blocks_are_the_stream_in_little_endian_words() {
        let mut stream = vec![0; 2 * RATE];
        Shake256::reader(b"blocks").read(&mut stream);
        let mut hash = Shake256::new();
        hash.update(b"blocks");
        let mut reader = hash.finalize_blocks();
        for block in stream.chunks(RATE) {
            let words = reader.next_block(Baseline);
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            assert_eq!(bytes, block);
        }
        drop(reader);
        let mut again = vec![0; RATE];
        hash.update(b"blocks");
        hash.finalize().read(&mut again);
        assert_eq!(again, stream[..RATE]);
    }

    /// After any use a reader that starts again forgets what it read, and permutes as before.
    #[test]
    fn a_reader_that_starts_again_is_as_new() {
        fn permutation(state: &mut [u64; 25]) {
            portable(state);
        }
        let mut reader = Shake256Reader::with_permutation(permutation);
        for read in [0, 1, RATE, RATE + 5] {
            reader.start(|hash| _ = hash.update(b"first"));
            reader.read(&mut vec![0; read]);
            reader.start(|hash| _ = hash.update(b"second"));
            let expected: [u8; 300] = Shake256::reader(b"second").read_array();
            assert_eq!(reader.read_array(), expected, "{read}");
        }
        let clone = reader.0.clone();
        assert!(core::ptr::fn_addr_eq(
            clone.0.permutation,
            permutation as Permutation
        ));
    }
}
