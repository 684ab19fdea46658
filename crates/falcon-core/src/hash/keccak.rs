//! `Keccak-f[1600]` on one state or on many side by side.
//!
//! Where a complement costs an instruction, lanes 1, 2, 8, 12, 17 and 20 of a
//! state are kept complemented between the rounds, so that chi needs one
//! complement a row instead of five: with De Morgan's rules the others cancel
//! (the Keccak team, "Keccak implementation overview", section 2.2). The
//! parities of the columns for theta are summed while the rows are made.
//!
//! Source: FIPS 202, section 3.

use crate::lanes::Bits64;

/// Words of a state.
const WORDS: usize = 25;

/// Words that are kept complemented, unless there is an instruction that makes
/// up for it.
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
    if W::AND_NOT {
        return;
    }
    for i in COMPLEMENTED {
        state[i] = state[i].not();
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
    let three = a[x].xor3(a[x + 5], a[x + 10]);
    three.xor3(a[x + 15], a[x + 20])
}

/// Theta, rho and pi: word `i`, rotated by `L`, on its way to its row.
#[inline(always)]
fn moved<W: Bits64, const L: i32, const R: i32>(a: &[W; WORDS], d: &[W; 5], i: usize) -> W {
    a[i].xor_then_rotate::<L, R>(d[i % 5])
}

/// Chi: row `ROW`.
#[inline(always)]
fn chi<W: Bits64, const ROW: usize>([b0, b1, b2, b3, b4]: [W; 5]) -> [W; 5] {
    if W::AND_NOT {
        return [
            b0.xor_and_not(b1, b2),
            b1.xor_and_not(b2, b3),
            b2.xor_and_not(b3, b4),
            b3.xor_and_not(b4, b0),
            b4.xor_and_not(b0, b1),
        ];
    }
    match ROW {
        0 => [
            b0.xor(b1.or(b2)),
            b1.xor(b2.not().or(b3)),
            b2.xor(b3.and(b4)),
            b3.xor(b4.or(b0)),
            b4.xor(b0.and(b1)),
        ],
        1 => [
            b0.xor(b1.or(b2)),
            b1.xor(b2.and(b3)),
            b2.xor(b4.not().or(b3)),
            b3.xor(b4.or(b0)),
            b4.xor(b0.and(b1)),
        ],
        2 => {
            let n = b3.not();
            [
                b0.xor(b1.or(b2)),
                b1.xor(b2.and(b3)),
                b2.xor(n.and(b4)),
                n.xor(b4.or(b0)),
                b4.xor(b0.and(b1)),
            ]
        }
        3 => {
            let n = b3.not();
            [
                b0.xor(b1.and(b2)),
                b1.xor(b2.or(b3)),
                b2.xor(n.or(b4)),
                n.xor(b4.and(b0)),
                b4.xor(b0.or(b1)),
            ]
        }
        _ => {
            let n = b1.not();
            [
                b0.xor(n.and(b2)),
                n.xor(b2.or(b3)),
                b2.xor(b3.and(b4)),
                b3.xor(b4.or(b0)),
                b4.xor(b0.and(b1)),
            ]
        }
    }
}

/// A round: the state after it, and the parities of its columns, from the
/// state `a` with the parities `before`.
#[inline(always)]
fn round<W: Bits64>(a: &[W; WORDS], before: [W; 5], constant: u64) -> ([W; WORDS], [W; 5]) {
    let d = [
        before[4].xor_rotated(before[1]),
        before[0].xor_rotated(before[2]),
        before[1].xor_rotated(before[3]),
        before[2].xor_rotated(before[4]),
        before[3].xor_rotated(before[0]),
    ];
    let b = [
        a[0].xor(d[0]),
        moved::<W, 44, 20>(a, &d, 6),
        moved::<W, 43, 21>(a, &d, 12),
        moved::<W, 21, 43>(a, &d, 18),
        moved::<W, 14, 50>(a, &d, 24),
    ];
    let mut r0 = chi::<W, 0>(b);
    r0[0] = r0[0].xor_u64(constant);

    let b = [
        moved::<W, 28, 36>(a, &d, 3),
        moved::<W, 20, 44>(a, &d, 9),
        moved::<W, 3, 61>(a, &d, 10),
        moved::<W, 45, 19>(a, &d, 16),
        moved::<W, 61, 3>(a, &d, 22),
    ];
    let r1 = chi::<W, 1>(b);

    let b = [
        moved::<W, 1, 63>(a, &d, 1),
        moved::<W, 6, 58>(a, &d, 7),
        moved::<W, 25, 39>(a, &d, 13),
        moved::<W, 8, 56>(a, &d, 19),
        moved::<W, 18, 46>(a, &d, 20),
    ];
    let r2 = chi::<W, 2>(b);
    let c = add_rows(r0, r1, r2);

    let b = [
        moved::<W, 27, 37>(a, &d, 4),
        moved::<W, 36, 28>(a, &d, 5),
        moved::<W, 10, 54>(a, &d, 11),
        moved::<W, 15, 49>(a, &d, 17),
        moved::<W, 56, 8>(a, &d, 23),
    ];
    let r3 = chi::<W, 3>(b);

    let b = [
        moved::<W, 62, 2>(a, &d, 2),
        moved::<W, 55, 9>(a, &d, 8),
        moved::<W, 39, 25>(a, &d, 14),
        moved::<W, 41, 23>(a, &d, 15),
        moved::<W, 2, 62>(a, &d, 21),
    ];
    let r4 = chi::<W, 4>(b);
    let c = add_rows(c, r3, r4);

    let mut e = *a;
    for (e, r) in e.as_chunks_mut().0.iter_mut().zip([r0, r1, r2, r3, r4]) {
        *e = r;
    }
    (e, c)
}

/// The sum of three rows.
#[inline(always)]
fn add_rows<W: Bits64>(a: [W; 5], b: [W; 5], c: [W; 5]) -> [W; 5] {
    [
        a[0].xor3(b[0], c[0]),
        a[1].xor3(b[1], c[1]),
        a[2].xor3(b[2], c[2]),
        a[3].xor3(b[3], c[3]),
        a[4].xor3(b[4], c[4]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word that is two, so that it has no instruction for `xor_and_not`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Pair([u64; 2]);

    impl Bits64 for Pair {
        const AND_NOT: bool = false;

        fn xor_u64(self, x: u64) -> Self {
            Self(self.0.map(|y| y ^ x))
        }
        fn xor(self, other: Self) -> Self {
            Self([0, 1].map(|k| self.0[k] ^ other.0[k]))
        }
        fn and(self, other: Self) -> Self {
            Self([0, 1].map(|k| self.0[k] & other.0[k]))
        }
        fn or(self, other: Self) -> Self {
            Self([0, 1].map(|k| self.0[k] | other.0[k]))
        }
        fn not(self) -> Self {
            Self(self.0.map(|x| !x))
        }
        fn rotate_left<const L: i32, const R: i32>(self) -> Self {
            assert_eq!(L + R, 64);
            Self(self.0.map(|x| x.rotate_left(L as u32)))
        }
    }

    /// The same word, with such an instruction.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct AndNot(Pair);

    impl Bits64 for AndNot {
        const AND_NOT: bool = true;

        fn xor_u64(self, x: u64) -> Self {
            Self(self.0.xor_u64(x))
        }
        fn xor(self, other: Self) -> Self {
            Self(self.0.xor(other.0))
        }
        fn and(self, other: Self) -> Self {
            Self(self.0.and(other.0))
        }
        fn or(self, other: Self) -> Self {
            Self(self.0.or(other.0))
        }
        fn not(self) -> Self {
            Self(self.0.not())
        }
        fn rotate_left<const L: i32, const R: i32>(self) -> Self {
            Self(self.0.rotate_left::<L, R>())
        }
    }

    #[test]
    fn every_state_is_permuted_as_the_keccak_crate_does() {
        let mut states = [[0u64; 2]; WORDS];
        for (i, word) in states.as_flattened_mut().iter_mut().enumerate() {
            *word = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mut expected = [0, 1].map(|u| states.map(|word| word[u]));
        let mut alone = expected[1];
        let mut complemented = states.map(Pair);
        let mut natural = states.map(|word| AndNot(Pair(word)));
        for _ in 0..3 {
            permute(&mut complemented);
            permute(&mut natural);
            permute(&mut alone);
            for expected in &mut expected {
                keccak::Keccak::new().with_f1600(|f1600| f1600(expected));
            }
            for (u, expected) in expected.iter().enumerate() {
                assert_eq!(complemented.map(|word| word.0[u]), *expected);
            }
            assert_eq!(natural.map(|word| word.0), complemented);
            assert_eq!(alone, expected[1]);
        }
    }
}
