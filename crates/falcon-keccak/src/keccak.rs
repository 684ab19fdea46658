//! `Keccak-f[1600]` on one state, or on many states side by side.
//!
//! If a complement costs an instruction, words 1, 2, 8, 12, 17 and 20 of a state are kept
//! complemented between the rounds. Chi then needs one complement a row instead of five. By De
//! Morgan's rules the other four cancel (the Keccak team, "Keccak implementation overview", section
//! 2.2).
//!
//! If logic instructions can rotate an operand, words defer their rotations (see `lazy.rs`). Then
//! hardly any instruction of a round only rotates.
//!
//! Source: FIPS 202, section 3.

#[cfg(any(target_arch = "aarch64", test))]
use crate::lazy::Lazy;
use falcon_lanes::{Isa, U64s};

/// Number of words of a state.
const WORDS: usize = 25;

/// Numbers of the words that are kept complemented, unless there is an instruction for and-not.
const COMPLEMENTED: [usize; 6] = [1, 2, 8, 12, 17, 20];

/// Rotations that words owe between the rounds, if they defer rotations (`lazy.rs`). A round does
/// not change these numbers, as the steps of a round show. After theta, a word owes the same
/// rotation as the parity of the column before. This parity owes the same as the first word of that
/// column. Rho adds its rotation. After chi, the words of a row owe the rotations of the words that
/// came to places 2, 3, 2, 3 and 4 of the row. If the first row owes 43, 0, 43, 0 and 14, the next
/// round gives these numbers again.
#[rustfmt::skip]
const OWED: [u32; WORDS] = [
    43, 0, 43, 0, 14,
    17, 24, 17, 24, 61,
    4, 8, 4, 8, 32,
    53, 15, 53, 15, 35,
    39, 55, 39, 55, 45,
];

/// Constants of iota, by round.
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

/// Permutes a state of words, or many states side by side, one in each lane of `W`.
#[inline(always)]
pub(crate) fn permute<W: U64s>(state: &mut [W; WORDS]) {
    let mut a = *state;
    complement(&mut a);
    a = owing(&a, &OWED);
    // Compilers make different code of the rounds for references and for values. References save
    // 1,200 instructions of a verification on AArch64. Values save 4 % of the time of a batch on
    // AVX2.
    if W::SETTLES {
        for constants in &ROUND_CONSTANTS {
            a = two_rounds(&a, *constants);
        }
    } else {
        for constants in ROUND_CONSTANTS {
            a = two_rounds(&a, constants);
        }
    }
    a = owing(&a, &[0; WORDS]);
    complement(&mut a);
    *state = a;
}

/// Computes two rounds.
#[inline(always)]
fn two_rounds<W: U64s>(a: &[W; WORDS], [first, second]: [u64; 2]) -> [W; WORDS] {
    if cfg!(target_pointer_width = "32") {
        // The state does not fit in registers, so a second copy of a round would gain nothing.
        let mut a = *a;
        for constant in [first, second] {
            a = round(&a, constant);
        }
        return a;
    }
    let e = round(a, first);
    // This changes no word. It tells the compiler what the words owe.
    owing(&round(&e, second), &OWED)
}

/// Permutes a state of single words. On AArch64, the words defer their rotations.
#[inline(always)]
pub(crate) fn permute_one<I: Isa>(isa: I, state: &mut [u64; WORDS]) {
    #[cfg(target_arch = "aarch64")]
    permute_lazily(isa, state);
    #[cfg(not(target_arch = "aarch64"))]
    {
        _ = isa;
        permute(state);
    }
}

/// Permutes a state of words that defer their rotations.
#[cfg(target_arch = "aarch64")]
#[inline(never)]
fn permute_lazily<I: Isa>(isa: I, state: &mut [u64; WORDS]) {
    let mut words = state.map(
        #[inline(always)]
        |word| Lazy::new(isa, word),
    );
    permute(&mut words);
    *state = words.map(Lazy::word);
}

/// Returns the same state, with words that owe the rotations `owed`.
#[inline(always)]
fn owing<W: U64s>(a: &[W; WORDS], owed: &[u32; WORDS]) -> [W; WORDS] {
    // Not a loop: the compiler must know what is owed before it unrolls loops.
    [
        a[0].owing(owed[0]),
        a[1].owing(owed[1]),
        a[2].owing(owed[2]),
        a[3].owing(owed[3]),
        a[4].owing(owed[4]),
        a[5].owing(owed[5]),
        a[6].owing(owed[6]),
        a[7].owing(owed[7]),
        a[8].owing(owed[8]),
        a[9].owing(owed[9]),
        a[10].owing(owed[10]),
        a[11].owing(owed[11]),
        a[12].owing(owed[12]),
        a[13].owing(owed[13]),
        a[14].owing(owed[14]),
        a[15].owing(owed[15]),
        a[16].owing(owed[16]),
        a[17].owing(owed[17]),
        a[18].owing(owed[18]),
        a[19].owing(owed[19]),
        a[20].owing(owed[20]),
        a[21].owing(owed[21]),
        a[22].owing(owed[22]),
        a[23].owing(owed[23]),
        a[24].owing(owed[24]),
    ]
}

#[inline(always)]
fn complement<W: U64s>(state: &mut [W; WORDS]) {
    if W::AND_NOT {
        return;
    }
    for i in COMPLEMENTED {
        state[i] = state[i].not();
    }
}

/// Computes the parity of column `x`.
#[inline(always)]
fn parity<W: U64s>(a: &[W; WORDS], x: usize) -> W {
    a[x].xor5([a[x + 5], a[x + 10], a[x + 15], a[x + 20]])
}

/// Computes theta, unless [`theta`] has done so, then rho and pi. Returns word `i`, rotated by `L`,
/// for its place in a row.
#[inline(always)]
fn moved<W: U64s, const L: i32, const R: i32>(a: &[W; WORDS], d: &[W; 5], i: usize) -> W {
    if W::SETTLES {
        a[i].rotate_left::<L, R>()
    } else {
        d[i % 5].xor_then_rotate::<L, R>(a[i])
    }
}

/// Computes row `ROW` of chi.
#[inline(always)]
fn chi<W: U64s, const ROW: usize>([b0, b1, b2, b3, b4]: [W; 5]) -> [W; 5] {
    if W::AND_NOT {
        return [
            b0.xor_and_not_owing_last(b1, b2),
            b1.xor_and_not_owing_last(b2, b3),
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

/// Computes row `ROW` of theta, rho, pi and chi.
#[inline(always)]
fn row<W: U64s, const ROW: usize>(a: &[W; WORDS], d: &[W; 5]) -> [W; 5] {
    chi::<W, ROW>(match ROW {
        0 => [
            if W::SETTLES { a[0] } else { d[0].xor(a[0]) },
            moved::<W, 44, 20>(a, d, 6),
            moved::<W, 43, 21>(a, d, 12),
            moved::<W, 21, 43>(a, d, 18),
            moved::<W, 14, 50>(a, d, 24),
        ],
        1 => [
            moved::<W, 28, 36>(a, d, 3),
            moved::<W, 20, 44>(a, d, 9),
            moved::<W, 3, 61>(a, d, 10),
            moved::<W, 45, 19>(a, d, 16),
            moved::<W, 61, 3>(a, d, 22),
        ],
        2 => [
            moved::<W, 1, 63>(a, d, 1),
            moved::<W, 6, 58>(a, d, 7),
            moved::<W, 25, 39>(a, d, 13),
            moved::<W, 8, 56>(a, d, 19),
            moved::<W, 18, 46>(a, d, 20),
        ],
        3 => [
            moved::<W, 27, 37>(a, d, 4),
            moved::<W, 36, 28>(a, d, 5),
            moved::<W, 10, 54>(a, d, 11),
            moved::<W, 15, 49>(a, d, 17),
            moved::<W, 56, 8>(a, d, 23),
        ],
        _ => [
            moved::<W, 62, 2>(a, d, 2),
            moved::<W, 55, 9>(a, d, 8),
            moved::<W, 39, 25>(a, d, 14),
            moved::<W, 41, 23>(a, d, 15),
            moved::<W, 2, 62>(a, d, 21),
        ],
    })
}

/// Computes a round.
#[inline(always)]
fn round<W: U64s>(a: &[W; WORDS], constant: u64) -> [W; WORDS] {
    if W::SETTLES {
        return round_in_order(a, constant);
    }
    let c = [
        parity(a, 0),
        parity(a, 1),
        parity(a, 2),
        parity(a, 3),
        parity(a, 4),
    ];
    let d = [
        c[4].xor_rotated(c[1]),
        c[0].xor_rotated(c[2]),
        c[1].xor_rotated(c[3]),
        c[2].xor_rotated(c[4]),
        c[3].xor_rotated(c[0]),
    ];
    let mut r0 = row::<W, 0>(a, &d);
    r0[0] = r0[0].xor_u64(constant);
    let r1 = row::<W, 1>(a, &d);
    let r2 = row::<W, 2>(a, &d);
    let r3 = row::<W, 3>(a, &d);
    let r4 = row::<W, 4>(a, &d);
    joined([r0, r1, r2, r3, r4])
}

/// Computes a round, in an order that leaves most words in the registers of AArch64.
///
/// Theta is computed in place, since then fewer words are live. Parities, columns and rows may come
/// in any order. A search found this order and the words that are settled in between. Two rounds on
/// single words now take 232 instructions instead of 255; 203 of them compute.
#[inline(always)]
fn round_in_order<W: U64s>(a: &[W; WORDS], constant: u64) -> [W; WORDS] {
    /// Fixes the order of instructions; see [`U64s::settled`].
    macro_rules! settle {
        ($($word:expr),*) => { [$($word),*] = W::settled([$($word),*]); };
    }
    let mut a = *a;
    let mut c = [a[0]; 5];
    c[3] = parity(&a, 3);
    c[4] = parity(&a, 4);
    c[1] = parity(&a, 1);
    c[0] = parity(&a, 0);
    c[2] = parity(&a, 2);

    theta(&mut a, 1, c[0].xor_rotated(c[2]));
    settle!(a[1], a[6], a[11], a[16], a[21]);
    theta(&mut a, 2, c[1].xor_rotated(c[3]));
    settle!(
        a[2], a[7], a[12], a[17], a[22], c[0], c[1], c[2], c[3], c[4]
    );
    theta(&mut a, 0, c[4].xor_rotated(c[1]));
    theta(&mut a, 3, c[2].xor_rotated(c[4]));
    theta(&mut a, 4, c[3].xor_rotated(c[0]));
    settle!(a[4], a[9], a[14], a[19], a[24]);

    let mut r3 = row::<W, 3>(&a, &c);
    settle!(
        r3[0], r3[1], r3[2], r3[3], r3[4], a[3], a[9], a[10], a[16], a[22]
    );
    let mut r1 = row::<W, 1>(&a, &c);
    settle!(r1[0], r1[1], r1[2], r1[3], r1[4]);
    let r2 = row::<W, 2>(&a, &c);
    let mut r0 = row::<W, 0>(&a, &c);
    r0[0] = r0[0].xor_u64(constant);
    settle!(r0[0], r0[1], r0[2], r0[3], r0[4]);
    let mut r4 = row::<W, 4>(&a, &c);
    settle!(r4[0], r4[1], r4[2], r4[3], r4[4]);
    joined([r0, r1, r2, r3, r4])
}

/// Computes theta on column `x`: adds `d` to each of its words.
#[inline(always)]
fn theta<W: U64s>(a: &mut [W; WORDS], x: usize, d: W) {
    a[x] = d.xor(a[x]);
    a[x + 5] = d.xor(a[x + 5]);
    a[x + 10] = d.xor(a[x + 10]);
    a[x + 15] = d.xor(a[x + 15]);
    a[x + 20] = d.xor(a[x + 20]);
}

/// Joins five rows to a state.
#[inline(always)]
#[rustfmt::skip]
fn joined<W: U64s>([r0, r1, r2, r3, r4]: [[W; 5]; 5]) -> [W; WORDS] {
    [
        r0[0], r0[1], r0[2], r0[3], r0[4],
        r1[0], r1[1], r1[2], r1[3], r1[4],
        r2[0], r2[1], r2[2], r2[3], r2[4],
        r3[0], r3[1], r3[2], r3[3], r3[4],
        r4[0], r4[1], r4[2], r4[3], r4[4],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use falcon_lanes::Baseline;

    /// Two words side by side, without an instruction for `xor_and_not`.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Pair([u64; 2]);

    impl U64s for Pair {
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

    /// A [`Pair`] with an instruction for and-not.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct AndNot(Pair);

    impl U64s for AndNot {
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
        let mut lazy = alone.map(|word| Lazy::new(Baseline, word));
        let mut complemented = states.map(Pair);
        let mut natural = states.map(|word| AndNot(Pair(word)));
        for _ in 0..3 {
            permute(&mut complemented);
            permute(&mut natural);
            permute(&mut alone);
            permute(&mut lazy);
            for expected in &mut expected {
                ::keccak::Keccak::new().with_f1600(|f1600| f1600(expected));
            }
            for (u, expected) in expected.iter().enumerate() {
                assert_eq!(complemented.map(|word| word.0[u]), *expected);
            }
            assert_eq!(natural.map(|word| word.0), complemented);
            assert_eq!(alone, expected[1]);
            assert_eq!(lazy.map(Lazy::word), expected[1]);
        }
    }

    /// If `OWED` changed from round to round, rotations would need instructions of their own.
    #[test]
    fn a_round_leaves_what_is_owed_as_it_is() {
        let words = core::array::from_fn(|i| Lazy::new(Baseline, i as u64).owing(OWED[i]));
        assert_eq!(round(&words, 1).map(|word| word.owed), OWED);
    }
}
