//! 128-bit registers: of 64-bit words, and in pairs for eight binary32 values.

use crate::doubles::{F64x2, HasNeon};
use crate::integers::{self, I16x8, U32x4};
use crate::sha3::{NeonSha3, Sha3U64x2};
use core::arch::aarch64::*;
use core::ops::{Mul, Sub};
use falcon_lanes::{ByteTable, F32x8, Isa, Register, Two, U64s, register_of};

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

/// The registers of NEON, and what it has for [`Isa`]'s methods. The words for
/// bitwise permutations are apart.
macro_rules! neon {
    ($words:ty) => {
        type F64 = f64;
        type F64x2 = F64x2;
        type F64x4 = Two<F64x2>;
        type F64x8 = Two<Two<F64x2>>;
        const LONGEST_F64S: usize = 8;
        type F32x8 = PairF32x4;
        type U64s = $words;
        type U32s = U32x4;
        type I16s = I16x8;

        #[inline(always)]
        fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
            // The target has the feature: every function is in its frame.
            kernel()
        }
        #[inline(always)]
        fn tails(self, x: &[[u8; 11]; 4]) -> [u32; 4] {
            integers::tails(x)
        }
        #[inline(always)]
        fn map_bytes<const N: usize>(
            self,
            _: impl Fn(u8) -> [i16; 2],
            table: &ByteTable,
            x: &[[u8; 16]; N],
        ) -> [[[i16; 16]; N]; 2] {
            integers::map_bytes(table, x)
        }
        #[inline(always)]
        fn interleave(self, sides: [&[i16; 32]; 2], pairs: &mut [i16; 64]) {
            integers::interleave(sides, pairs);
        }
        #[inline(always)]
        fn deinterleave(self, pairs: &[i16; 64]) -> ([i16; 32], [i16; 32]) {
            integers::deinterleave(pairs)
        }
    };
}

impl Isa for Neon {
    neon!(U64x2);
}

/// All but the words is as on [`Neon`], whose frame is that of every function: a
/// frame of its own would only keep functions from being inlined.
impl Isa for NeonSha3 {
    neon!(Sha3U64x2);
    const ONE_IN_WORDS: bool = true;

    #[inline(always)]
    fn vectorize_words<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.in_frame(kernel)
    }
}
