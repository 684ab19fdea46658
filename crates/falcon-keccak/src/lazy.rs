//! Words with deferred rotations.
//!
//! A logic instruction of AArch64 can rotate its second operand at no cost. So [`Lazy`] only notes
//! a rotation, as owed. It rotates the word when the word is combined with one that owes a
//! different rotation. The compiler knows the rotation that every word owes, as long as no loop
//! hides it. In a loop, [`owing`](U64s::owing) states the rotation that a word owes from one
//! iteration to the next.
//!
//! Source: H. Becker and M. J. Kannwischer, "Hybrid scalar/vector implementations of Keccak and
//! SPHINCS+ on AArch64", eprint 2022/1243 (lazy rotations).

use falcon_lanes::{Isa, U64s};

/// A word that must still be rotated to the left by `owed < 64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lazy<I> {
    bits: u64,
    pub(crate) owed: u32,
    isa: I,
}

impl<I: Isa> Lazy<I> {
    /// Creates a word that owes nothing.
    #[inline(always)]
    pub(crate) fn new(isa: I, bits: u64) -> Self {
        Self { bits, owed: 0, isa }
    }

    /// Returns the word, rotated.
    #[inline(always)]
    pub(crate) fn word(self) -> u64 {
        self.bits_owing(0)
    }

    #[inline(always)]
    fn bits_owing(self, owed: u32) -> u64 {
        // The difference is taken modulo 64, as rotations are.
        self.bits.rotate_left(self.owed.wrapping_sub(owed))
    }

    /// Combines two words bit by bit. The result owes the rotation that `self` owes.
    #[inline(always)]
    fn with(self, other: Self, combine: impl FnOnce(u64, u64) -> u64) -> Self {
        Self {
            bits: combine(self.bits, other.bits_owing(self.owed)),
            ..self
        }
    }
}

impl<I: Isa> U64s for Lazy<I> {
    const AND_NOT: bool = true;
    const SETTLES: bool = I::SETTLES;

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        self.xor(Self::new(self.isa, x))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.with(
            other,
            #[inline(always)]
            |a, b| a ^ b,
        )
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self.with(
            other,
            #[inline(always)]
            |a, b| a & b,
        )
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self.with(
            other,
            #[inline(always)]
            |a, b| a | b,
        )
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self {
            bits: !self.bits,
            ..self
        }
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        Self {
            owed: (self.owed + L as u32) % 64,
            ..self
        }
    }
    /// Adds the terms starting with the last one, so that every rotation except the last one
    /// rotates a sum. Otherwise compilers reorder the terms, and the code rotates two of them.
    #[inline(always)]
    fn xor5(self, [b, c, d, e]: [Self; 4]) -> Self {
        self.xor(b.xor(c.xor(d.xor(e))))
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        self.xor(c.and(b.not()))
    }
    #[inline(always)]
    fn xor_and_not_owing_last(self, b: Self, c: Self) -> Self {
        c.and(b.not()).xor(self)
    }
    #[inline(always)]
    fn owing(self, owed: u32) -> Self {
        Self {
            bits: self.bits_owing(owed),
            owed,
            ..self
        }
    }
    #[inline(always)]
    fn settled<const N: usize>(mut words: [Self; N]) -> [Self; N] {
        let mut all = [0; N];
        for (bits, word) in all.iter_mut().zip(&words) {
            *bits = word.bits;
        }
        if let Some(first) = words.first() {
            all = first.isa.settled(all);
        }
        for (word, bits) in words.iter_mut().zip(all) {
            word.bits = bits;
        }
        words
    }
}
