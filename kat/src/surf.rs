//! The generator of PQClean's `testvectors` driver: D. J. Bernstein's SURF
//! ("simple unpredictable random function") on the digits of pi.
//!
//! The input is a 384-bit counter. With 32 words of key, it becomes 256 bits of output: two runs of
//! 16 rounds over twelve words, whose last eight words are XORed into the output after each run.
//! The driver takes the low byte of each output word, from the last word to the first, so one call
//! gives eight bytes.
//!
//! Source: D. J. Bernstein, "SURF: Simple Unpredictable Random Function"
//! (1997).

/// The first 32 decimal digits of pi.
const KEY: [u32; 32] = [
    3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5,
];
const WORDS: usize = 12;
const OUTPUT_WORDS: usize = 8;
const ROTATIONS: [u32; 4] = [5, 7, 9, 13];
/// `2^32` divided by the golden ratio.
const DELTA: u32 = 0x9e37_79b9;

/// A predictable byte stream. Unlike in [`Drbg`](crate::Drbg), the output does not depend on the
/// lengths of the calls.
#[derive(Clone)]
pub struct Surf {
    counter: u128,
    left: [u8; OUTPUT_WORDS],
    available: usize,
}

impl Surf {
    /// Creates the stream at its beginning.
    pub fn new() -> Self {
        Self {
            counter: 0,
            left: [0; OUTPUT_WORDS],
            available: 0,
        }
    }

    /// Fills `out` with the next bytes.
    pub fn fill(&mut self, out: &mut [u8]) {
        for byte in out {
            if self.available == 0 {
                self.counter = self.counter.wrapping_add(1);
                self.left = surf(self.counter).map(|word| word as u8);
                self.available = OUTPUT_WORDS;
            }
            self.available -= 1;
            *byte = self.left[self.available];
        }
    }

    /// Returns the next `N` bytes.
    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.fill(&mut out);
        out
    }
}

impl Default for Surf {
    fn default() -> Self {
        Self::new()
    }
}

/// Computes SURF of an input whose low four words, least significant first, are `counter`. The
/// other words are zero.
fn surf(counter: u128) -> [u32; OUTPUT_WORDS] {
    let mut state: [u32; WORDS] = core::array::from_fn(|i| {
        let input = if i < 4 {
            (counter >> (32 * i)) as u32
        } else {
            0
        };
        input ^ KEY[WORDS + i]
    });
    let mut output: [u32; OUTPUT_WORDS] = core::array::from_fn(|i| KEY[2 * WORDS + i]);
    let mut previous = state[WORDS - 1];
    let mut sum: u32 = 0;
    for _ in 0..2 {
        for _ in 0..16 {
            sum = sum.wrapping_add(DELTA);
            for (i, word) in state.iter_mut().enumerate() {
                let mixed = (previous ^ KEY[i]).wrapping_add(sum)
                    ^ previous.rotate_left(ROTATIONS[i % ROTATIONS.len()]);
                previous = word.wrapping_add(mixed);
                *word = previous;
            }
        }
        for (out, word) in output.iter_mut().zip(&state[WORDS - OUTPUT_WORDS..]) {
            *out ^= word;
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_the_stream_changes_nothing() {
        let whole: [u8; 40] = Surf::new().bytes();
        let mut surf = Surf::new();
        let mut cut = Vec::new();
        for len in [0, 1, 2, 3, 5, 8, 13, 8] {
            let mut part = vec![0; len];
            surf.fill(&mut part);
            cut.extend(part);
        }
        assert_eq!(whole[..], cut);
    }

    #[test]
    fn blocks_come_out_from_the_last_word_to_the_first() {
        let bytes: [u8; 16] = Surf::new().bytes();
        let words: Vec<u8> = [1, 2]
            .into_iter()
            .flat_map(|counter| surf(counter).into_iter().rev())
            .map(|word| word as u8)
            .collect();
        assert_eq!(bytes[..], words);
    }

    #[test]
    fn bytes_of_the_stream_are_balanced() {
        let mut ones = 0;
        let mut surf = Surf::new();
        for _ in 0..4096 {
            ones += surf.bytes::<1>()[0].count_ones();
        }
        // 32768 fair bits have a standard deviation of 90.5. Six deviations are allowed.
        assert!((16384 - 543..16384 + 543).contains(&ones), "{ones} ones");
    }
}
