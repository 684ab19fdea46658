//! Integers of 32 and 16 bits, for ChaCha20 and for the NTT.
//!
//! Algorithms are loops over the registers that a row fills. Where a register is
//! one word, such a loop goes over words, and compilers turn it into vector code.

use crate::Baseline;

/// Blocks of ChaCha20 that are computed side by side: two buffers.
pub const U32_LANES: usize = 16;

/// Blocks of one buffer: its bytes are rows of one word of each.
pub const U32_ROW: usize = 8;

/// Words of a row of the NTT.
pub const I16_LANES: usize = 32;

/// High half of the product of two 16-bit integers.
#[inline(always)]
pub const fn mul_high(a: i16, b: i16) -> i16 {
    ((a as i32 * b as i32) >> 16) as i16
}

/// A token of registers of integers.
pub trait Integers: Copy {
    /// As many 32-bit words as a register holds.
    type Words32: Bits32;
    /// Registers that [`U32_LANES`] words fill.
    const PARTS32: usize;
    /// As many 16-bit words as a register holds.
    type Words16: Words16;
    /// Registers that [`I16_LANES`] words fill.
    const PARTS16: usize;

    /// The words of part `part < PARTS32` of `x`.
    fn load32(self, x: &[u32; U32_LANES], part: usize) -> Self::Words32;
    /// `x` in every lane.
    fn splat32(self, x: u32) -> Self::Words32;
    /// Writes the words of part `part < PARTS32 * U32_ROW / U32_LANES` of a row
    /// as bytes, little-endian.
    fn store_row(self, words: Self::Words32, row: &mut [u8; 4 * U32_ROW], part: usize);

    /// The words of part `part < PARTS16` of `x`.
    fn load16(self, x: &[i16; I16_LANES], part: usize) -> Self::Words16;
    /// Writes the words of part `part < PARTS16` of `x`.
    fn store16(self, words: Self::Words16, x: &mut [i16; I16_LANES], part: usize);
}

/// A 32-bit word, or one in every lane.
pub trait Bits32: Copy {
    /// Sum modulo `2^32`.
    fn add(self, other: Self) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Rotation to the left by `0 < L < 32`, `R = 32 - L`.
    fn rotate_left<const L: i32, const R: i32>(self) -> Self;
}

impl Bits32 for u32 {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
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

/// A signed 16-bit word, or one in every lane, with what reductions modulo a
/// prime `p < 2^15` are made of.
pub trait Words16: Copy {
    /// Sum, which must not overflow.
    fn add(self, other: Self) -> Self;
    /// Difference, which must not overflow.
    fn sub(self, other: Self) -> Self;
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

impl Words16 for i16 {
    // Checked where the build asks for it: this tests the ranges of the callers.
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self - other
    }
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

impl Integers for Baseline {
    type Words32 = u32;
    const PARTS32: usize = U32_LANES;
    type Words16 = i16;
    const PARTS16: usize = I16_LANES;

    #[inline(always)]
    fn load32(self, x: &[u32; U32_LANES], part: usize) -> u32 {
        x[part]
    }
    #[inline(always)]
    fn splat32(self, x: u32) -> u32 {
        x
    }
    #[inline(always)]
    fn store_row(self, words: u32, row: &mut [u8; 4 * U32_ROW], part: usize) {
        row.as_chunks_mut().0[part % U32_ROW] = words.to_le_bytes();
    }
    #[inline(always)]
    fn load16(self, x: &[i16; I16_LANES], part: usize) -> i16 {
        x[part]
    }
    #[inline(always)]
    fn store16(self, words: i16, x: &mut [i16; I16_LANES], part: usize) {
        x[part] = words;
    }
}
