//! 128-bit registers: of 64-bit words, and in pairs for eight binary32 values.

use crate::doubles::HasNeon;
use core::arch::aarch64::*;
use core::ops::{Mul, Sub};
use falcon_lanes::{F32x8, Register, U64s, register_of};

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

impl Register<Neon> for U64x2 {
    type Value = u64;
    register_of!(2);

    #[inline(always)]
    fn load(_: Neon, x: &[u64; 2]) -> Self {
        // SAFETY: the target has NEON; `x` is two values.
        Self(unsafe { vld1q_u64(x.as_ptr()) })
    }
    #[inline(always)]
    fn splat(_: Neon, x: u64) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vdupq_n_u64(x) })
    }
    #[inline(always)]
    fn store(self, out: &mut [u64; 2]) {
        // SAFETY: the target has NEON; `out` is two values.
        unsafe { vst1q_u64(out.as_mut_ptr(), self.0) };
    }
}

impl U64s for U64x2 {
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
    const WEIGHTS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: the target has NEON; `WEIGHTS` is eight values.
    unsafe {
        let halves = vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high));
        u32::from(vaddvq_u16(vandq_u16(halves, vld1q_u16(WEIGHTS.as_ptr()))))
    }
}

/// Eight binary32 values.
#[derive(Clone, Copy, Debug)]
pub struct PairF32x4([float32x4_t; 2]);

impl<I: HasNeon> Register<I> for PairF32x4 {
    type Value = f32;
    register_of!(8);

    #[inline(always)]
    fn load(_: I, x: &[f32; 8]) -> Self {
        // SAFETY: the target has NEON; `x` is two times four values.
        Self(unsafe { [vld1q_f32(x.as_ptr()), vld1q_f32(x.as_ptr().add(4))] })
    }
    #[inline(always)]
    fn splat(_: I, x: f32) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { [vdupq_n_f32(x); 2] })
    }
    #[inline(always)]
    fn store(self, out: &mut [f32; 8]) {
        // SAFETY: the target has NEON; `out` is two times four values.
        unsafe {
            vst1q_f32(out.as_mut_ptr(), self.0[0]);
            vst1q_f32(out.as_mut_ptr().add(4), self.0[1]);
        }
    }
}

impl Sub for PairF32x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { [vsubq_f32(self.0[0], b.0[0]), vsubq_f32(self.0[1], b.0[1])] })
    }
}

impl Mul for PairF32x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { [vmulq_f32(self.0[0], b.0[0]), vmulq_f32(self.0[1], b.0[1])] })
    }
}

impl F32x8 for PairF32x4 {
    #[inline(always)]
    fn lt(self, b: Self) -> u32 {
        // SAFETY: the target has NEON.
        bits(unsafe { [vcltq_f32(self.0[0], b.0[0]), vcltq_f32(self.0[1], b.0[1])] })
    }
    #[inline(always)]
    fn le(self, b: Self) -> u32 {
        // SAFETY: the target has NEON.
        bits(unsafe { [vcleq_f32(self.0[0], b.0[0]), vcleq_f32(self.0[1], b.0[1])] })
    }
}
