//! FixedWeight: a random error vector of weight `t`.
//!
//! A draw is `tau` numbers of 16 bits. Numbers that are not below `n` are skipped, and the first
//! `t` others are the positions. If there are fewer, or if two are equal, the whole draw is
//! refused, and the next one is made. Skipped numbers and refused draws are public, because they
//! are thrown away. The final positions are secret.
//!
//! Source: Classic McEliece submission of 2022-10-23, algorithm FixedWeight.

use crate::code::{Code, MAX_T};
use crate::engine::Best;
use crate::reveal::reveal;
use falcon_lanes::{Isa, wipe};
use rand_core::CryptoRng;

/// Positions of an error vector, all different. The first `t` are used.
pub(crate) type Positions = [u16; MAX_T];

/// Draws the `t` positions of the ones in a random error vector.
// Not inlined, so that the error vector, which is made later, takes no stack during the draw.
#[inline(never)]
pub(crate) fn fixed_weight<R: CryptoRng + ?Sized>(
    code: &Code,
    rng: &mut R,
    positions: &mut Positions,
) {
    let tau = if code.n == code.q() {
        code.t
    } else {
        2 * code.t
    };
    let mut bytes = [0u8; 4 * MAX_T];
    loop {
        let draw = &mut bytes[..2 * tau];
        rng.fill_bytes(draw);
        if choose(code, draw, positions) {
            break;
        }
    }
    wipe(&mut bytes);
}

/// Takes the first `t` numbers below `n`. Returns false if there are fewer, or if two are equal.
fn choose(code: &Code, draw: &[u8], positions: &mut Positions) -> bool {
    let (t, mut count) = (code.t, 0);
    for bytes in draw.as_chunks().0 {
        let number = u16::from_le_bytes(*bytes) & (code.q() - 1) as u16;
        // Numbers that are not below `n` are thrown away, so the comparison is public.
        if reveal(usize::from(number) < code.n) && count < t {
            positions[count] = number;
            count += 1;
        }
    }
    if count < t {
        return false;
    }
    let repeated = on_best!(Best::find(), isa => has_repetition(isa, &positions[..t]));
    // If a position repeats, the whole draw is thrown away.
    reveal(repeated == 0)
}

/// Number of positions that are compared at a time.
const COMPARED: usize = 32;

/// Returns a value other than zero if two positions are equal.
///
/// The positions form a circle. Each one is compared with the next half of the circle, so every
/// pair is compared.
fn has_repetition(isa: impl Isa, positions: &[u16]) -> u16 {
    // Holds the positions twice. The rest is a number that is never a position.
    let mut circle = [u16::MAX >> 1; 2 * MAX_T + COMPARED];
    let (first, second) = circle.split_at_mut(positions.len());
    first.copy_from_slice(positions);
    second[..positions.len()].copy_from_slice(positions);
    let half = positions.len() / 2;
    let repeated = isa.vectorize(
        #[inline(always)]
        || {
            let mut all = 0;
            for start in (0..positions.len()).step_by(COMPARED) {
                let mut repeated = [0u16; COMPARED];
                let circle = &circle[start..][..COMPARED + half];
                let positions = &circle[..COMPARED];
                for distance in 1..=half {
                    let others = &circle[distance..][..COMPARED];
                    for ((repeated, position), other) in
                        repeated.iter_mut().zip(positions).zip(others)
                    {
                        // The subtraction sets the top bit only if the two positions are equal,
                        // since the numbers are small.
                        *repeated |= (position ^ other).wrapping_sub(1);
                    }
                }
                all |= repeated.iter().fold(0, |all, one| all | one);
            }
            all >> 15
        },
    );
    wipe(&mut circle);
    repeated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::CODES;

    fn draw(numbers: impl IntoIterator<Item = u16>) -> std::vec::Vec<u8> {
        numbers.into_iter().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn large_numbers_are_skipped_and_repetitions_refused() {
        for code in CODES {
            let (t, n) = (code.t as u16, code.n as u16);
            let mut positions = [0; MAX_T];
            // Bits above the field are ignored.
            assert!(choose(
                code,
                &draw((0..t).map(|i| (2 * i) | 0x8000)),
                &mut positions
            ));
            assert_eq!(positions[..3], [0, 2, 4]);
            if code.n < code.q() {
                let late = (0..2 * t).map(|i| if i % 2 == 0 { n } else { i });
                assert!(choose(code, &draw(late), &mut positions));
                assert_eq!(positions[..3], [1, 3, 5]);
                let few = (0..2 * t).map(|i| if i < t + 1 { n } else { i });
                assert!(!choose(code, &draw(few), &mut positions));
            }
            // Tries every pair.
            for again in 1..t {
                for first in 0..again {
                    let twice = (0..t).map(|i| if i == again { first } else { i });
                    let chosen = choose(code, &draw(twice), &mut positions);
                    assert!(!chosen, "{first} {again}");
                }
            }
            // A repetition among the numbers that are not used does no harm.
            let spare = (0..2 * t).map(|i| i.min(t));
            assert!(choose(code, &draw(spare), &mut positions));
        }
    }
}
