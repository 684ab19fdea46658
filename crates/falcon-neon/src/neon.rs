//! 128-bit registers, in pairs for eight binary32 values.

use crate::integers;
use core::arch::aarch64::*;
use falcon_lanes::{Bits64, ByteTable, F32_LANES, I16_LANES, Isa, U8_LANES, U64_LANES};

/// The processor has NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neon(());

impl Neon {
    /// The token. There is always one: this crate is empty where the compiler
    /// may not use NEON.
    pub fn detect() -> Option<Self> {
        Some(Self(()))
    }

    /// The token, for whom there is no question of detection.
    pub(crate) const fn new() -> Self {
        Self(())
    }
}

/// Two 64-bit words.
#[derive(Clone, Copy, Debug)]
pub struct U64x2(pub(crate) uint64x2_t);

impl Bits64 for U64x2 {
    const AND_NOT: bool = true;

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { veorq_u64(self.0, vdupq_n_u64(x)) })
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { veorq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vandq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vorrq_u64(self.0, other.0) })
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.xor_u64(u64::MAX)
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        // A shift, and a shift that inserts.
        // SAFETY: the target has NEON.
        Self(unsafe { vsriq_n_u64::<R>(vshlq_n_u64::<L>(self.0), self.0) })
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { veorq_u64(self.0, vbicq_u64(c.0, b.0)) })
    }
}

/// Bit `k` is lane `k` of masks of 32 bits.
#[inline(always)]
fn bits([low, high]: [uint32x4_t; 2]) -> u32 {
    const WEIGHTS: [u16; F32_LANES] = [1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: the target has NEON; `WEIGHTS` is eight values.
    unsafe {
        let halves = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
        u32::from(vaddvq_u16(vandq_u16(halves, vld1q_u16(WEIGHTS.as_ptr()))))
    }
}

impl Isa for Neon {
    type F32x8 = [float32x4_t; 2];
    type Words = U64x2;
    const PARTS: usize = 4;
    type Runs = Self;
    type Integers = Self;

    #[inline(always)]
    fn integers(self) -> Self {
        self
    }

    #[inline(always)]
    fn load_words(self, x: &[u64; U64_LANES], part: usize) -> U64x2 {
        let x = &x.as_chunks::<2>().0[part % 4];
        // SAFETY: the target has NEON; `x` is two values.
        U64x2(unsafe { vld1q_u64(x.as_ptr()) })
    }
    #[inline(always)]
    fn store_words(self, words: U64x2, x: &mut [u64; U64_LANES], part: usize) {
        let x = &mut x.as_chunks_mut::<2>().0[part % 4];
        // SAFETY: the target has NEON; `x` is two values.
        unsafe { vst1q_u64(x.as_mut_ptr(), words.0) };
    }

    #[inline(always)]
    fn tails(self, x: &[[u8; 11]; 4]) -> [u32; 4] {
        integers::tails(x)
    }
    #[inline(always)]
    fn map_bytes(
        self,
        _: impl Fn(u8) -> [i16; 2],
        table: &ByteTable,
        x: &[u8; U8_LANES],
    ) -> [[i16; U8_LANES]; 2] {
        integers::map_bytes(table, x)
    }

    #[inline(always)]
    fn interleave(self, sides: [&[i16; I16_LANES]; 2], pairs: &mut [i16; 2 * I16_LANES]) {
        integers::interleave(sides, pairs);
    }
    #[inline(always)]
    fn deinterleave(self, pairs: &[i16; 2 * I16_LANES]) -> ([i16; I16_LANES], [i16; I16_LANES]) {
        integers::deinterleave(pairs)
    }

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        // The target has the feature: every function is in its frame.
        kernel()
    }
    #[inline(always)]
    fn splat(self, x: f32) -> [float32x4_t; 2] {
        // SAFETY: the target has NEON.
        unsafe { [vdupq_n_f32(x); 2] }
    }
    #[inline(always)]
    fn load(self, x: &[f32; F32_LANES]) -> [float32x4_t; 2] {
        // SAFETY: the target has NEON; `x` is two times four values.
        unsafe { [vld1q_f32(x.as_ptr()), vld1q_f32(x.as_ptr().add(4))] }
    }
    #[inline(always)]
    fn sub(self, a: [float32x4_t; 2], b: [float32x4_t; 2]) -> [float32x4_t; 2] {
        // SAFETY: the target has NEON.
        unsafe { [vsubq_f32(a[0], b[0]), vsubq_f32(a[1], b[1])] }
    }
    #[inline(always)]
    fn mul(self, a: [float32x4_t; 2], b: [float32x4_t; 2]) -> [float32x4_t; 2] {
        // SAFETY: the target has NEON.
        unsafe { [vmulq_f32(a[0], b[0]), vmulq_f32(a[1], b[1])] }
    }
    #[inline(always)]
    fn lt(self, a: [float32x4_t; 2], b: [float32x4_t; 2]) -> u32 {
        // SAFETY: the target has NEON.
        bits(unsafe { [vcltq_f32(a[0], b[0]), vcltq_f32(a[1], b[1])] })
    }
    #[inline(always)]
    fn le(self, a: [float32x4_t; 2], b: [float32x4_t; 2]) -> u32 {
        // SAFETY: the target has NEON.
        bits(unsafe { [vcleq_f32(a[0], b[0]), vcleq_f32(a[1], b[1])] })
    }
}
