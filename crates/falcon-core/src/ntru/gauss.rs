//! The coefficients of `f` and `g`: discrete Gaussians drawn from the key generation stream.
//!
//! Degree `n` takes the sum of `1024/n` draws of [`GAUSS`](super::gauss_table::GAUSS) for each coefficient: the standard
//! deviation becomes `1.17 * sqrt(q / 2n)`. A draw reads two little-endian 64-bit words, always:
//! the sign (bit 63) and whether the value is zero, then the magnitude; the table is scanned
//! whole, so time and memory accesses do not depend on the values.
//!
//! Source: Falcon specification v1.2, section 3.8.2, and the order in which the round-3 reference
//! reads its stream (which the known answers pin).

use super::gauss_table::GAUSS;
use crate::hash::Shake256Reader;

const WORD: u64 = (1 << 63) - 1;
/// Bytes of one draw.
const DRAW: usize = 16;
/// Draws read from the stream at once.
const BLOCK: usize = 17;

/// Reads the stream in blocks, never beyond what the polynomial surely needs.
struct Draws<'a> {
    stream: &'a mut Shake256Reader,
    /// Draws that the remaining coefficients need at least, the buffered ones included.
    owed: usize,
    buffer: [u8; BLOCK * DRAW],
    used: usize,
    filled: usize,
}

impl Draws<'_> {
    fn next(&mut self) -> i32 {
        if self.used == self.filled {
            self.filled = DRAW * self.owed.min(BLOCK);
            self.used = 0;
            self.stream.read(&mut self.buffer[..self.filled]);
        }
        let mut words = [0u64; 2];
        for (w, b) in words
            .iter_mut()
            .zip(self.buffer[self.used..].chunks_exact(8))
        {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(b);
            *w = u64::from_le_bytes(bytes);
        }
        self.used += DRAW;
        self.owed -= 1;
        magnitude(words)
    }

    /// Draws again: `count` more are needed.
    fn again(&mut self, count: usize) {
        self.owed += count;
    }
}

/// The value of one draw.
#[inline]
fn magnitude([first, second]: [u64; 2]) -> i32 {
    let (r0, r1) = (first & WORD, second & WORD);
    // The smallest k in 1..=26 with r1 >= GAUSS[k]: the table decreases to zero.
    let mut k = 1u64;
    for t in &GAUSS[1..] {
        k += r1.wrapping_sub(*t) >> 63;
    }
    let not_zero = (r0.wrapping_sub(GAUSS[0]) >> 63).wrapping_sub(1);
    let value = (k & not_zero) as i32;
    let sign = -((first >> 63) as i32);
    (value ^ sign) - sign
}

/// Fills `f` with a polynomial of odd coefficient sum (an odd resultant needs it).
///
/// A coefficient beyond `-127..=127` is drawn again, as is a last coefficient of the wrong parity.
pub(super) fn sample(logn: u32, stream: &mut Shake256Reader, f: &mut [i8]) {
    let (n, count) = (1usize << logn, 1usize << (10 - logn));
    let mut draws = Draws {
        stream,
        owed: n * count,
        buffer: [0; BLOCK * DRAW],
        used: 0,
        filled: 0,
    };
    let mut parity = 0;
    for (i, f) in f[..n].iter_mut().enumerate() {
        loop {
            let value = (0..count).map(|_| draws.next()).sum::<i32>();
            let wrong = i == n - 1 && (parity ^ value) & 1 == 0;
            if (-127..=127).contains(&value) && !wrong {
                *f = value as i8;
                parity ^= value;
                break;
            }
            draws.again(count);
        }
    }
    zeroize::Zeroize::zeroize(&mut draws.buffer);
}
