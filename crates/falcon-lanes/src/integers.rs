//! Registers of integers: for bitwise permutations, for ciphers of 32-bit words,
//! for arithmetic modulo a prime of sixteen bits.
//!
//! Algorithms are loops over the registers that an array fills. Where a register
//! is one word, such a loop goes over words, and compilers turn it into vector
//! code.

use core::ops::{Add, Sub};

/// 64-bit words.
///
/// Rotations take their count to both sides, `L` to the left and `R = 64 - L` to
/// the right, since instructions want one or the other as a constant.
pub trait U64s: Copy {
    /// True if [`xor_and_not`](Self::xor_and_not) costs no complement.
    const AND_NOT: bool;

    /// Exclusive or with `x` in every lane. There is no way to a value without
    /// a token: see [`Register`](crate::Register).
    fn xor_u64(self, x: u64) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// And.
    fn and(self, other: Self) -> Self;
    /// Or.
    fn or(self, other: Self) -> Self;
    /// Complement.
    fn not(self) -> Self;
    /// Rotation to the left by `0 < L < 64`.
    fn rotate_left<const L: i32, const R: i32>(self) -> Self;

    /// Exclusive or of three.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }
    /// Exclusive or of five.
    #[inline(always)]
    fn xor5(self, [b, c, d, e]: [Self; 4]) -> Self {
        self.xor3(b, c).xor3(d, e)
    }
    /// Exclusive or with `b`, rotated to the left by one.
    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        self.xor(b.rotate_left::<1, 63>())
    }
    /// Exclusive or with `b`, then [`rotate_left`](Self::rotate_left).
    #[inline(always)]
    fn xor_then_rotate<const L: i32, const R: i32>(self, b: Self) -> Self {
        self.xor(b).rotate_left::<L, R>()
    }
    /// Exclusive or with `c` where `b` is zero.
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        self.xor(b.not().and(c))
    }

    /// Computes [`xor_and_not`](Self::xor_and_not). If the type defers rotations, the result owes
    /// what `c` owes; results of all other operations owe what `self` owes.
    #[inline(always)]
    fn xor_and_not_owing_last(self, b: Self, c: Self) -> Self {
        self.xor_and_not(b, c)
    }
    /// Returns the same word. If the type defers rotations, the result owes a rotation to the left
    /// by `owed`; other types ignore `owed`.
    #[inline(always)]
    fn owing(self, owed: u32) -> Self {
        _ = owed;
        self
    }
}

impl U64s for u64 {
    const AND_NOT: bool = cfg!(any(target_feature = "bmi1", target_arch = "aarch64"));

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        self ^ x
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        self.rotate_left(L as u32)
    }
}

/// 32-bit words.
pub trait U32s: Copy {
    /// Sum modulo `2^32`.
    fn wrapping_add(self, other: Self) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Rotation to the left by `0 < L < 32`, `R = 32 - L`.
    fn rotate_left<const L: i32, const R: i32>(self) -> Self;
}

impl U32s for u32 {
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        self.rotate_left(L as u32)
    }
}

/// High half of the product of two 16-bit integers.
#[inline(always)]
pub const fn mul_high(a: i16, b: i16) -> i16 {
    ((a as i32 * b as i32) >> 16) as i16
}

/// Signed 16-bit words, with what reductions modulo a prime `p < 2^15` are made
/// of. Sums and differences must not overflow.
pub trait I16s: Copy + Add<Output = Self> + Sub<Output = Self> {
    /// Low half of the product.
    fn mul_low(self, other: Self) -> Self;
    /// Low half of the product with a constant.
    fn mul_low_by(self, c: i16) -> Self;
    /// `(a b - m p) / 2^16`, where the low halves of the two products agree.
    /// `|b| < 2^15`.
    fn montgomery(self, b: Self, m: Self, p: i16) -> Self;
    /// `floor(a v / 2^27 + 1/2)`, where `0 < v`.
    fn barrett(self, v: i16) -> Self;
    /// `a - t p` modulo `2^16`.
    fn sub_mul(self, t: Self, p: i16) -> Self;
}

// Sums are checked where the build asks for it: this tests the ranges of the
// callers.
impl I16s for i16 {
    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }
    #[inline(always)]
    fn mul_low_by(self, c: i16) -> Self {
        self.wrapping_mul(c)
    }
    #[inline(always)]
    fn montgomery(self, b: Self, m: Self, p: i16) -> Self {
        mul_high(self, b) - mul_high(m, p)
    }
    #[inline(always)]
    fn barrett(self, v: i16) -> Self {
        (mul_high(self, v) + (1 << 10)) >> 11
    }
    #[inline(always)]
    fn sub_mul(self, t: Self, p: i16) -> Self {
        self.wrapping_sub(t.wrapping_mul(p))
    }
}
