//! The coefficients of `f` and `g`: discrete Gaussians drawn from the key generation stream.
//!
//! At degree `n`, each coefficient is the sum of `1024/n` draws of [`GAUSS`]. Its standard
//! deviation is `1.17 * sqrt(q / 2n)`. A draw always reads two little-endian 64-bit words. The
//! first gives the sign (bit 63) and tells if the value is zero; the second gives the magnitude.
//! The whole table is scanned, so time and memory accesses do not depend on the values.
//!
//! Source: Falcon specification v1.2, section 3.8.2, and the order in which the round-3 reference
//! reads its stream (which the known answers pin).

use super::gauss_table::GAUSS;
use crate::engine::Best;
use crate::error::FaultError;
use crate::hash::Shake256Reader;
use crate::lanes::{Isa, Masks, wipe};
use crate::reveal::reveal;

const WORD: u64 = (1 << 63) - 1;
/// Number of draws that are read from the stream at once.
pub(super) const BLOCK: usize = 64;
/// Number of values that are drawn for one coefficient before the device counts as faulty.
///
/// A value is refused if it is beyond `-127..=127`, and for the last coefficient also if its parity
/// is wrong. At degree 2, the worst case, a value is refused with a chance below 0.53. So the
/// chance that 256 values in a row are refused is below `2^-234`. A test computes these chances
/// again.
const MAX_DRAWS: u32 = 256;

/// One draw of a discrete Gaussian: the number of bytes that it reads from the stream, and its
/// value.
pub(super) trait Draw: Copy {
    /// Bytes of one draw.
    type Bytes: Copy;

    /// Bytes of a draw before they are read.
    const ZERO: Self::Bytes;

    /// Returns the bytes of a block of draws.
    fn bytes(draws: &mut [Self::Bytes]) -> &mut [u8];

    /// Returns the value of one draw, in constant time.
    fn value(self, bytes: Self::Bytes) -> i32;
}

/// The draw of the round-3 reference: two words each, and the table [`GAUSS`].
#[derive(Clone, Copy)]
struct Round3;

impl Draw for Round3 {
    type Bytes = [[u8; 8]; 2];

    const ZERO: Self::Bytes = [[0; 8]; 2];

    fn bytes(draws: &mut [Self::Bytes]) -> &mut [u8] {
        draws.as_flattened_mut().as_flattened_mut()
    }

    #[inline(always)]
    fn value(self, bytes: Self::Bytes) -> i32 {
        magnitude(bytes.map(u64::from_le_bytes))
    }
}

/// Reads the stream in blocks, but never reads a draw that the polynomial might not need.
struct Draws<'a, D: Draw> {
    best: Best,
    draw: D,
    stream: &'a mut Shake256Reader,
    /// Smallest number of draws that the remaining coefficients need, including the buffered draws.
    owed: usize,
    bytes: [D::Bytes; BLOCK],
    values: [i32; BLOCK],
    used: usize,
    filled: usize,
}

impl<D: Draw> Draws<'_, D> {
    /// Returns the sum of the next `count` draws.
    #[inline(always)]
    fn sum(&mut self, count: usize) -> i32 {
        let (mut sum, mut missing) = (0, count);
        while missing != 0 {
            if self.used == self.filled {
                self.fill();
            }
            let part = &self.values[self.used..self.filled];
            let part = &part[..part.len().min(missing)];
            sum += part.iter().sum::<i32>();
            self.used += part.len();
            missing -= part.len();
        }
        self.owed -= count;
        sum
    }

    /// Reads a block and computes its values.
    #[inline(never)]
    fn fill(&mut self) {
        self.filled = self.owed.min(BLOCK);
        self.used = 0;
        self.stream.read(D::bytes(&mut self.bytes[..self.filled]));
        let (draw, bytes, values) = (self.draw, &self.bytes, &mut self.values);
        on_best!(self.best, isa => values_of_draws(isa, draw, bytes, values));
    }

    /// Adds the `count` draws that a refused coefficient needs again.
    fn again(&mut self, count: usize) {
        self.owed += count;
    }
}

/// Writes the values of `draws`.
pub(super) fn values_of_draws<D: Draw>(
    isa: impl Isa,
    draw: D,
    draws: &[D::Bytes; BLOCK],
    values: &mut [i32; BLOCK],
) {
    isa.vectorize(
        #[inline(always)]
        || {
            // Compilers vectorise this loop over the draws.
            for (value, bytes) in values.iter_mut().zip(draws) {
                *value = draw.value(*bytes);
            }
        },
    );
}

/// Returns one if `a < b`, and zero otherwise, for numbers below `2^63`.
#[inline(always)]
fn below(masks: Masks, a: u64, b: u64) -> u64 {
    masks.of_sign_64(a.wrapping_sub(b)) & 1
}

/// Returns the value of one draw.
#[inline(always)]
fn magnitude([first, second]: [u64; 2]) -> i32 {
    let (r0, r1) = (first & WORD, second & WORD);
    let masks = Masks::new();
    // Finds the smallest k in 1..=26 with r1 >= GAUSS[k]. The table decreases to zero.
    let mut k = 1u64;
    for t in &GAUSS[1..] {
        k += below(masks, r1, *t);
    }
    let not_zero = below(masks, r0, GAUSS[0]).wrapping_sub(1);
    let sign = (first >> 63).wrapping_neg();
    (((k & not_zero) ^ sign).wrapping_sub(sign)) as i32
}

/// Fills `f` with a polynomial of odd coefficient sum, as the round-3 reference does. So the
/// resultant is odd.
///
/// Source: Falcon specification v1.2, algorithm 5 (NTRUGen): the random `f` and `g`.
///
/// # Errors
/// As for [`sample_sums`].
pub(super) fn sample(
    best: Best,
    logn: u32,
    stream: &mut Shake256Reader,
    f: &mut [i8],
) -> Result<(), FaultError> {
    sample_sums(best, Round3, logn, 1 << (10 - logn), stream, f)
}

/// Fills `f` with a polynomial of odd coefficient sum. Every coefficient is the sum of `count`
/// values of `draw`.
///
/// A coefficient beyond `-127..=127` is drawn again, as is a last coefficient of the wrong parity.
///
/// # Errors
/// [`FaultError`] if [`MAX_DRAWS`] values for one coefficient are refused.
pub(super) fn sample_sums<D: Draw>(
    best: Best,
    draw: D,
    logn: u32,
    count: usize,
    stream: &mut Shake256Reader,
    f: &mut [i8],
) -> Result<(), FaultError> {
    let n = 1usize << logn;
    let mut result = Ok(());
    let mut draws = Draws {
        best,
        draw,
        stream,
        owed: n * count,
        bytes: [D::ZERO; BLOCK],
        values: [0; BLOCK],
        used: 0,
        filled: 0,
    };
    let mut parity = 0;
    for (i, f) in f[..n].iter_mut().enumerate() {
        let mut found = false;
        for _ in 0..MAX_DRAWS {
            let value = draws.sum(count);
            // `odd` is zero if the sum of all coefficients would be even.
            let odd = (parity ^ value) & 1 | i32::from(i != n - 1);
            // `inside` is negative if the value is beyond `-127..=127`.
            let inside = (127 - value) | (127 + value);
            if reveal((odd != 0) & (inside >= 0)) {
                *f = value as i8;
                parity ^= value;
                found = true;
                break;
            }
            draws.again(count);
        }
        if !found {
            result = Err(FaultError);
            break;
        }
    }
    wipe(D::bytes(&mut draws.bytes));
    wipe(&mut draws.values);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn frequencies_follow_the_table() {
        // The cells are P(0), then P(k) and P(-k) together for k = 1 .. 12, then the rest.
        const CELLS: usize = 14;
        let scale = 2f64.powi(-63);
        let zero = GAUSS[0] as f64 * scale;
        let tail = |k: usize| if k == 0 { 1.0 } else { GAUSS[k] as f64 * scale };
        let mut expected = [zero; CELLS];
        for (k, e) in expected.iter_mut().enumerate().skip(1) {
            let last = if k == CELLS - 1 { 0.0 } else { tail(k) };
            *e = (1.0 - zero) * (tail(k - 1) - last);
        }
        let mut stream = crate::hash::Shake256::reader(b"frequencies");
        let (mut counts, mut negative) = ([0u32; CELLS], 0u32);
        let mut f = vec![0; 1024];
        let total = 400 * 1023;
        for _ in 0..400 {
            sample(Best::find(), 10, &mut stream, &mut f).expect("no fault");
            // The last coefficient depends on the parity, so it is left out.
            for x in &f[..1023] {
                counts[usize::from(x.unsigned_abs()).min(CELLS - 1)] += 1;
                negative += u32::from(*x < 0);
            }
        }
        let chi_square = |observed: f64, expected: f64| (observed - expected).powi(2) / expected;
        let statistic = (0..CELLS)
            .map(|i| chi_square(f64::from(counts[i]), expected[i] * f64::from(total)))
            .sum::<f64>();
        // With 13 degrees of freedom, the statistic exceeds 34.5 once in a thousand tests.
        assert!(statistic < 34.5, "{statistic}");
        let half = f64::from(total - counts[0]) / 2.0;
        let signs = 2.0 * chi_square(f64::from(negative), half);
        assert!(signs < 10.8, "{signs}");
    }

    #[test]
    fn smaller_degrees_add_draws_and_the_variance_grows_in_proportion() {
        for logn in [5, 8, 9] {
            let n = 1usize << logn;
            let mut stream = crate::hash::Shake256::reader(b"variance");
            let mut f = vec![0; n];
            let (mut sum, mut count) = (0f64, 0f64);
            for _ in 0..(1 << 16) >> logn {
                sample(Best::find(), logn, &mut stream, &mut f).expect("no fault");
                for x in &f {
                    sum += f64::from(*x).powi(2);
                    count += 1.0;
                }
            }
            let expected = 1.17f64.powi(2) * 12289.0 / (2.0 * n as f64);
            // The relative deviation of the mean of 2^16 squares is sqrt(2) / 256.
            assert!(
                (sum / count / expected - 1.0).abs() < 4.0 * 1.42 / 256.0,
                "logn {logn}"
            );
        }
    }

    #[test]
    fn coefficient_sums_are_odd() {
        let mut stream = crate::hash::Shake256::reader(b"parity");
        let mut f = [0; 16];
        for _ in 0..200 {
            sample(Best::find(), 4, &mut stream, &mut f).expect("no fault");
            assert_eq!(
                f.iter().map(|x| i32::from(*x)).sum::<i32>().rem_euclid(2),
                1
            );
        }
    }

    /// A draw that always has the same value, as from a stuck stream.
    #[derive(Clone, Copy)]
    struct Stuck(i32);

    impl Draw for Stuck {
        type Bytes = [u8; 1];

        const ZERO: Self::Bytes = [0];

        fn bytes(draws: &mut [Self::Bytes]) -> &mut [u8] {
            draws.as_flattened_mut()
        }

        fn value(self, _: Self::Bytes) -> i32 {
            self.0
        }
    }

    /// Draws only values that are refused. Without a bound, an even sum or a value out of range
    /// would be drawn again for ever.
    #[test]
    fn draws_that_are_always_refused_end() {
        let mut f = [0; 16];
        // The sum of 16 equal values is even, so the last coefficient is refused. A single 1 is
        // odd.
        for (value, logn, found) in [
            (0, 4, Err(FaultError)),
            (1, 4, Err(FaultError)),
            (1, 0, Ok(())),
            (129, 0, Err(FaultError)),
            (-129, 0, Err(FaultError)),
        ] {
            let stream = &mut crate::hash::Shake256::reader(b"stuck");
            let result = sample_sums(Best::find(), Stuck(value), logn, 1, stream, &mut f);
            assert_eq!(result, found, "{value}, {logn}");
        }
    }

    /// Computes the chance that [`MAX_DRAWS`] values are refused, from the table.
    #[test]
    fn the_stated_chance_of_refusals_is_right() {
        let scale = 2f64.powi(-63);
        let zero = GAUSS[0] as f64 * scale;
        let tail = |k: usize| if k == 0 { 1.0 } else { GAUSS[k] as f64 * scale };
        let mut one = vec![0.0; 2 * 26 + 1];
        one[26] = zero;
        for k in 1..=26 {
            let next = if k == 26 { 0.0 } else { tail(k) };
            let chance = (1.0 - zero) * (tail(k - 1) - next) / 2.0;
            one[26 + k] = chance;
            one[26 - k] = chance;
        }
        let mut sum = vec![1.0];
        for log in (0..=9).rev() {
            // The coefficient is the sum of `1 << (9 - log)` draws. That is a coefficient of degree
            // `2 << log`.
            if log == 9 {
                sum = one.clone();
            } else {
                let half = sum.clone();
                sum = vec![0.0; 2 * half.len() - 1];
                for (i, a) in half.iter().enumerate() {
                    for (j, b) in half.iter().enumerate() {
                        sum[i + j] += a * b;
                    }
                }
            }
            let middle = (sum.len() / 2) as i32;
            let mut accepted = [0.0; 2];
            for (i, chance) in sum.iter().enumerate() {
                let value = i as i32 - middle;
                if value.abs() <= 127 {
                    accepted[(value & 1) as usize] += chance;
                }
            }
            let refused = 1.0 - accepted[0].min(accepted[1]);
            assert!(refused < 0.53, "degree {}: {refused}", 2 << log);
        }
        assert!(0.53f64.log2() * f64::from(MAX_DRAWS) < -234.0);
    }

    #[test]
    fn draws_have_the_same_values_on_every_engine() {
        let mut stream = crate::hash::Shake256::reader(b"draws");
        let draws = [(); BLOCK].map(|()| [stream.read_array(), stream.read_array()]);
        let expected = draws.map(|draw| magnitude(draw.map(u64::from_le_bytes)));
        for engine in crate::engine::Engine::available() {
            let mut values = [0; BLOCK];
            on_engine!(engine, b, _fft => values_of_draws(b, Round3, &draws, &mut values));
            assert_eq!(values, expected, "{engine}");
        }
    }

    #[test]
    fn a_draw_reads_sign_zero_and_magnitude_from_their_words() {
        let sign = 1 << 63;
        assert_eq!(magnitude([GAUSS[0] - 1, 0]), 0);
        assert_eq!(magnitude([sign | (GAUSS[0] - 1), WORD]), 0);
        assert_eq!(magnitude([GAUSS[0], WORD]), 1);
        assert_eq!(magnitude([sign | GAUSS[0], GAUSS[1] | sign]), -1);
        assert_eq!(magnitude([WORD, GAUSS[1] - 1]), 2);
        assert_eq!(magnitude([sign | WORD, 0]), -26);
    }
}
