//! The ChaCha20 generator that feeds the sampler.
//!
//! Eight blocks at a time, interleaved word by word, exactly as the reference
//! lays them out; the buffer rules decide which bytes are dropped and so are
//! part of the scheme's output.
//!
//! Source: Falcon reference implementation (round 3), `rng.c` behaviour; ChaCha20
//! is RFC 8439's with a 64-bit counter mixed into words 14 and 15.

use crate::lanes::{Baseline, Isa};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Bytes of a seed.
pub const SEED_LEN: usize = 56;
/// Bytes of a buffer.
pub(crate) const BUFFER_LEN: usize = 64 * BLOCKS;
/// From this place on, the buffer is not read for 8 bytes any more: the rest
/// is dropped.
pub(crate) const END: usize = BUFFER_LEN - 9;
/// Blocks of a buffer, computed side by side.
const BLOCKS: usize = 8;

const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// A byte source of the sampler.
pub struct Prng {
    buffer: [u8; BUFFER_LEN],
    position: usize,
    key: [u32; 12],
    counter: u64,
}

impl Prng {
    /// The generator of `seed`, its first buffer filled in the frame of `isa`.
    pub fn new(isa: impl Isa, seed: &[u8; SEED_LEN]) -> Self {
        let word = |i: usize| u32::from_le_bytes([0, 1, 2, 3].map(|j| seed[4 * i + j]));
        let mut prng = Self {
            buffer: [0; BUFFER_LEN],
            position: 0,
            key: core::array::from_fn(word),
            counter: u64::from(word(12)) | u64::from(word(13)) << 32,
        };
        prng.refill(isa);
        prng
    }

    /// The buffer; bytes from [`position`](Self::position) on come next.
    pub(crate) fn buffer(&self) -> &[u8; BUFFER_LEN] {
        &self.buffer
    }

    /// The place in the buffer of the byte that comes next.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Goes to another place of the buffer.
    pub(crate) fn seek(&mut self, position: usize) {
        debug_assert!(position < BUFFER_LEN);
        self.position = position;
    }

    /// The next 8 bytes, little-endian. Bytes too near the end of the buffer
    /// are dropped, as the reference drops them.
    #[inline(always)]
    pub fn next_u64(&mut self) -> u64 {
        if self.position >= END {
            self.refill(Baseline);
        }
        let at = self.position;
        self.position = at + 8;
        match self.buffer.get(at..at + 8).and_then(|b| b.try_into().ok()) {
            Some(bytes) => u64::from_le_bytes(bytes),
            None => 0, // unreachable: at < END
        }
    }

    /// The next byte.
    #[inline(always)]
    pub fn next_u8(&mut self) -> u8 {
        let byte = self.buffer[self.position % BUFFER_LEN];
        self.position += 1;
        if self.position == BUFFER_LEN {
            self.refill(Baseline);
        }
        byte
    }

    /// [`next_u64`](Self::next_u64), then three times
    /// [`next_u8`](Self::next_u8).
    #[inline(always)]
    pub fn next_attempt(&mut self) -> [u8; 11] {
        // In the middle of the buffer these 11 bytes stand together, and none
        // of them is its last.
        if self.position < BUFFER_LEN - 11
            && let Some(&bytes) = self.buffer[self.position..].first_chunk()
        {
            self.position += 11;
            return bytes;
        }
        self.next_attempt_at_end()
    }

    #[inline(never)]
    fn next_attempt_at_end(&mut self) -> [u8; 11] {
        let mut out = [0; 11];
        let (low, bytes) = out.split_at_mut(8);
        low.copy_from_slice(&self.next_u64().to_le_bytes());
        for byte in bytes {
            *byte = self.next_u8();
        }
        out
    }

    /// Goes to the start of the next buffer, which is filled in the frame of
    /// `isa`.
    #[inline(never)]
    pub(crate) fn refill(&mut self, isa: impl Isa) {
        let words = isa.vectorize(
            #[inline(always)]
            || blocks(&self.key, self.counter),
        );
        self.counter = self.counter.wrapping_add(BLOCKS as u64);
        for (row, words) in self.buffer.chunks_exact_mut(4 * BLOCKS).zip(&words) {
            for (out, word) in row.chunks_exact_mut(4).zip(words) {
                out.copy_from_slice(&word.to_le_bytes());
            }
        }
        self.position = 0;
    }
}

impl Zeroize for Prng {
    fn zeroize(&mut self) {
        self.buffer.zeroize();
        self.key.zeroize();
        self.counter.zeroize();
    }
}

impl Drop for Prng {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for Prng {}

/// One word of every block.
type Words = [u32; BLOCKS];

/// The blocks of counters `counter .. counter + BLOCKS`, word by word.
#[inline(always)]
fn blocks(key: &[u32; 12], counter: u64) -> [Words; 16] {
    let counters: [u64; BLOCKS] = core::array::from_fn(|i| counter.wrapping_add(i as u64));
    let initial: [Words; 16] = core::array::from_fn(|v| match v {
        0..4 => [CONSTANTS[v]; BLOCKS],
        14 => counters.map(|c| key[10] ^ c as u32),
        15 => counters.map(|c| key[11] ^ (c >> 32) as u32),
        _ => [key[v - 4]; BLOCKS],
    });
    let mut x = initial;
    for _ in 0..10 {
        double_round(&mut x);
    }
    for (x, initial) in x.iter_mut().zip(&initial) {
        for (x, initial) in x.iter_mut().zip(initial) {
            *x = x.wrapping_add(*initial);
        }
    }
    x
}

/// Two rounds of every block. The loop over blocks is the innermost one, and
/// its body is long: so the compiler turns it into vector code and does not
/// unroll it, where it would turn to scalar code.
#[inline(always)]
fn double_round(x: &mut [Words; 16]) {
    for u in 0..BLOCKS {
        let mut y: [u32; 16] = core::array::from_fn(|v| x[v][u]);
        quarter_round(&mut y, 0, 4, 8, 12);
        quarter_round(&mut y, 1, 5, 9, 13);
        quarter_round(&mut y, 2, 6, 10, 14);
        quarter_round(&mut y, 3, 7, 11, 15);
        quarter_round(&mut y, 0, 5, 10, 15);
        quarter_round(&mut y, 1, 6, 11, 12);
        quarter_round(&mut y, 2, 7, 8, 13);
        quarter_round(&mut y, 3, 4, 9, 14);
        for (x, y) in x.iter_mut().zip(y) {
            x[u] = y;
        }
    }
}

#[inline(always)]
fn quarter_round(x: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(16);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(12);
    x[a] = x[a].wrapping_add(x[b]);
    x[d] = (x[d] ^ x[a]).rotate_left(8);
    x[c] = x[c].wrapping_add(x[d]);
    x[b] = (x[b] ^ x[c]).rotate_left(7);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Shake256;
    use std::string::String;
    use std::vec::Vec;

    /// Checks the reads of the reference's own test of its generator.
    #[test]
    fn reads_equal_the_reference_vector() {
        let file = include_str!("../../../kat/prng/chacha20_prng_kat.json");
        let json: serde_json::Value = serde_json::from_str(file).expect("vector file");
        let list = |key: &str| -> Vec<String> {
            let values = json[key].as_array().expect(key).iter();
            values
                .map(|v| String::from(v.as_str().expect("hex")))
                .collect()
        };
        let mut prng = Prng::new(Baseline, &Shake256::reader(b"rng").read_array());
        for (i, expected) in list("u64_reads").iter().enumerate() {
            assert_eq!(
                &std::format!("{:016x}", prng.next_u64()),
                expected,
                "u64 read {i}"
            );
        }
        let bytes = json["then_u8_reads_hex"].as_str().expect("hex");
        assert_eq!(bytes.len(), 2048);
        for i in 0..1024 {
            assert_eq!(
                std::format!("{:02x}", prng.next_u8()),
                bytes[2 * i..2 * i + 2],
                "u8 read {i}"
            );
        }
    }
}
