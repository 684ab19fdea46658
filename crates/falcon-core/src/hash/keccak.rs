//! `Keccak-f[1600]` on one state or on many side by side.
//!
//! Lanes 1, 2, 8, 12, 17 and 20 of a state are kept complemented between the
//! rounds, so that chi needs one complement a row instead of five: with
//! De Morgan's rules the others cancel (the Keccak team, "Keccak
//! implementation overview", section 2.2). The parities of the columns for
//! theta are summed while the rows are made.
//!
//! Source: FIPS 202, section 3.

use crate::lanes::Bits64;

/// Words of a state.
const WORDS: usize = 25;

/// Words that are kept complemented.
const COMPLEMENTED: [usize; 6] = [1, 2, 8, 12, 17, 20];

/// The constants of iota, by round.
const ROUND_CONSTANTS: [[u64; 2]; 12] = {
    let mut constants = [[0; 2]; 12];
    let mut lfsr = 1u32;
    let mut round = 0;
    while round < 24 {
        // Bit 2^j - 1 of the constant is the output of the LFSR at 7 round + j.
        let mut j = 0;
        while j < 7 {
            constants[round / 2][round % 2] |= ((lfsr & 1) as u64) << ((1 << j) - 1);
            lfsr <<= 1;
            lfsr ^= (lfsr >> 8) * 0x171;
            j += 1;
        }
        round += 1;
    }
    constants
};

/// Permutes a state of words, or many states side by side: one a lane of `W`.
#[inline(always)]
pub(crate) fn permute<W: Bits64>(state: &mut [W; WORDS]) {
    let mut a = *state;
    complement(&mut a);
    let mut c = parities(&a);
    for [first, second] in ROUND_CONSTANTS {
        let (e, parities) = round(&a, c, first);
        (a, c) = round(&e, parities, second);
    }
    complement(&mut a);
    *state = a;
}

#[inline(always)]
fn complement<W: Bits64>(state: &mut [W; WORDS]) {
    for i in COMPLEMENTED {
        state[i] = state[i].not();
    }
}

/// Adds the row that begins at `first` to the parities.
#[inline(always)]
fn add_row<W: Bits64>(c: &mut [W; 5], e: &[W; WORDS], first: usize) {
    for x in 0..5 {
        c[x] = c[x].xor(e[first + x]);
    }
}

/// The parities of all columns.
#[inline(always)]
fn parities<W: Bits64>(a: &[W; WORDS]) -> [W; 5] {
    [
        parity(a, 0),
        parity(a, 1),
        parity(a, 2),
        parity(a, 3),
        parity(a, 4),
    ]
}

/// The parity of column `x`.
#[inline(always)]
fn parity<W: Bits64>(a: &[W; WORDS], x: usize) -> W {
    a[x].xor(a[x + 5])
        .xor(a[x + 10])
        .xor(a[x + 15])
        .xor(a[x + 20])
}

/// Theta, rho and pi: word `i`, rotated by `R`, on its way to its row.
#[inline(always)]
fn moved<W: Bits64, const R: i32>(a: &[W; WORDS], d: &[W; 5], i: usize) -> W {
    a[i].xor(d[i % 5]).rotate_left::<R>()
}

/// A round: the state after it, and the parities of its columns, from the
/// state `a` with the parities `before`.
#[inline(always)]
fn round<W: Bits64>(a: &[W; WORDS], before: [W; 5], constant: u64) -> ([W; WORDS], [W; 5]) {
    let d = [
        before[4].xor(before[1].rotate_left::<1>()),
        before[0].xor(before[2].rotate_left::<1>()),
        before[1].xor(before[3].rotate_left::<1>()),
        before[2].xor(before[4].rotate_left::<1>()),
        before[3].xor(before[0].rotate_left::<1>()),
    ];
    let mut e = *a;

    let b0 = moved::<W, 0>(a, &d, 0);
    let b1 = moved::<W, 44>(a, &d, 6);
    let b2 = moved::<W, 43>(a, &d, 12);
    let b3 = moved::<W, 21>(a, &d, 18);
    let b4 = moved::<W, 14>(a, &d, 24);
    e[0] = b0.xor(b1.or(b2)).xor_u64(constant);
    e[1] = b1.xor(b2.not().or(b3));
    e[2] = b2.xor(b3.and(b4));
    e[3] = b3.xor(b4.or(b0));
    e[4] = b4.xor(b0.and(b1));
    let mut c = [e[0], e[1], e[2], e[3], e[4]];

    let b0 = moved::<W, 28>(a, &d, 3);
    let b1 = moved::<W, 20>(a, &d, 9);
    let b2 = moved::<W, 3>(a, &d, 10);
    let b3 = moved::<W, 45>(a, &d, 16);
    let b4 = moved::<W, 61>(a, &d, 22);
    e[5] = b0.xor(b1.or(b2));
    e[6] = b1.xor(b2.and(b3));
    e[7] = b2.xor(b4.not().or(b3));
    e[8] = b3.xor(b4.or(b0));
    e[9] = b4.xor(b0.and(b1));
    add_row(&mut c, &e, 5);

    let b0 = moved::<W, 1>(a, &d, 1);
    let b1 = moved::<W, 6>(a, &d, 7);
    let b2 = moved::<W, 25>(a, &d, 13);
    let b3 = moved::<W, 8>(a, &d, 19);
    let b4 = moved::<W, 18>(a, &d, 20);
    let n = b3.not();
    e[10] = b0.xor(b1.or(b2));
    e[11] = b1.xor(b2.and(b3));
    e[12] = b2.xor(n.and(b4));
    e[13] = n.xor(b4.or(b0));
    e[14] = b4.xor(b0.and(b1));
    add_row(&mut c, &e, 10);

    let b0 = moved::<W, 27>(a, &d, 4);
    let b1 = moved::<W, 36>(a, &d, 5);
    let b2 = moved::<W, 10>(a, &d, 11);
    let b3 = moved::<W, 15>(a, &d, 17);
    let b4 = moved::<W, 56>(a, &d, 23);
    let n = b3.not();
    e[15] = b0.xor(b1.and(b2));
    e[16] = b1.xor(b2.or(b3));
    e[17] = b2.xor(n.or(b4));
    e[18] = n.xor(b4.and(b0));
    e[19] = b4.xor(b0.or(b1));
    add_row(&mut c, &e, 15);

    let b0 = moved::<W, 62>(a, &d, 2);
    let b1 = moved::<W, 55>(a, &d, 8);
    let b2 = moved::<W, 39>(a, &d, 14);
    let b3 = moved::<W, 41>(a, &d, 15);
    let b4 = moved::<W, 2>(a, &d, 21);
    let n = b1.not();
    e[20] = b0.xor(n.and(b2));
    e[21] = n.xor(b2.or(b3));
    e[22] = b2.xor(b3.and(b4));
    e[23] = b3.xor(b4.or(b0));
    e[24] = b4.xor(b0.and(b1));
    add_row(&mut c, &e, 20);

    (e, c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Baseline, Isa};

    fn load(states: &[[u64; 8]; WORDS]) -> [<Baseline as Isa>::U64x8; WORDS] {
        states.map(|word| Baseline.load_u64(&word))
    }

    #[test]
    fn every_state_is_permuted_as_the_keccak_crate_does() {
        let mut states = [[0u64; 8]; WORDS];
        for (i, word) in states.as_flattened_mut().iter_mut().enumerate() {
            *word = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mut expected = [0, 1, 2, 3, 4, 5, 6, 7].map(|u| states.map(|word| word[u]));
        let mut alone = expected[3];
        let mut lanes = load(&states);
        for _ in 0..3 {
            permute(&mut lanes);
            permute(&mut alone);
            for expected in &mut expected {
                keccak::Keccak::new().with_f1600(|f1600| f1600(expected));
            }
            for (u, expected) in expected.iter().enumerate() {
                assert_eq!(lanes.map(|word| Baseline.store_u64(word)[u]), *expected);
            }
            assert_eq!(alone, expected[3]);
        }
    }
}
