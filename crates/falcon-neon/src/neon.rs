//! 128-bit registers of 64-bit words, and pairs of registers for eight binary32 values.

use crate::doubles::HasNeon;
use crate::settled;
use core::arch::aarch64::*;
use core::ops::{Mul, Sub};
use falcon_lanes::{F32x8, Ordered, Register, U64s, register_of};

/// The processor has NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neon(());

impl Neon {
    /// Returns the token. Always succeeds: if the compiler may not use NEON, this crate is empty.
    pub fn detect() -> Option<Self> {
        Some(Self(()))
    }

    /// Returns the token, without an option.
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

impl U64x2 {
    /// Loads words from their little-endian bytes.
    #[inline(always)]
    pub(crate) fn load_le_bytes(_: impl HasNeon, x: &[[u8; 8]]) -> Self {
        let x = &x[..2];
        // SAFETY: the target has NEON and is little-endian; `x` is sixteen bytes.
        Self(unsafe { vreinterpretq_u64_u8(vld1q_u8(x.as_ptr().cast())) })
    }
}

impl U64s for U64x2 {
    const AND_NOT: bool = true;
    const SETTLES: bool = true;
    const SPLITS_PRODUCTS: bool = true;

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
        // A shift to the left, then one to the right that inserts.
        // SAFETY: the target has NEON.
        Self(unsafe { vsriq_n_u64::<R>(vshlq_n_u64::<L>(self.0), self.0) })
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { veorq_u64(self.0, vbicq_u64(c.0, b.0)) })
    }
    #[inline(always)]
    fn or_where_equal(self, bits: Self, a: Self, b: Self) -> Self {
        // SAFETY: the target has NEON.
        self.or(Self(unsafe { vandq_u64(bits.0, vceqq_u64(a.0, b.0)) }))
    }
    #[inline(always)]
    fn settled<const N: usize>(words: [Self; N]) -> [Self; N] {
        settled::vectors(words.map(
            #[inline(always)]
            |word| word.0,
        ))
        .map(Self)
    }
}

impl Ordered for U64x2 {
    #[inline(always)]
    fn min_max(self, other: Self) -> [Self; 2] {
        // SAFETY: the target has NEON.
        unsafe {
            let below = vcgtq_u64(self.0, other.0);
            [
                Self(vbslq_u64(below, other.0, self.0)),
                Self(vbslq_u64(below, self.0, other.0)),
            ]
        }
    }
}

/// Narrows the masks of eight lanes, four in each register, from 32 bits to 16.
#[inline(always)]
fn halves([low, high]: [uint32x4_t; 2]) -> uint16x8_t {
    // SAFETY: the target has NEON.
    unsafe { vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)) }
}

/// Narrows two masks to a byte for each lane, lane 0 in the lowest byte. One register then holds
/// both masks.
#[inline(always)]
fn bytes(x: [uint32x4_t; 2], y: [uint32x4_t; 2]) -> [u64; 2] {
    // SAFETY: the target has NEON.
    unsafe {
        let x = vreinterpretq_u8_u16(halves(x));
        let y = vreinterpretq_u8_u16(halves(y));
        let both = vreinterpretq_u64_u8(vuzp1q_u8(x, y));
        [vgetq_lane_u64::<0>(both), vgetq_lane_u64::<1>(both)]
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

impl PairF32x4 {
    /// Returns masks of the lanes in which `self <= b`.
    #[inline(always)]
    fn at_most(self, b: Self) -> [uint32x4_t; 2] {
        // SAFETY: the target has NEON.
        unsafe { [vcleq_f32(self.0[0], b.0[0]), vcleq_f32(self.0[1], b.0[1])] }
    }
}

/// A mask has a byte for each lane. A bit for each lane would require a sum across the register.
impl F32x8 for PairF32x4 {
    const LOG_BITS: u32 = 3;

    #[inline(always)]
    fn le(self, b: Self) -> u64 {
        let mask = self.at_most(b);
        bytes(mask, mask)[0]
    }
    #[inline(always)]
    fn both_le([x, y]: [Self; 2], b: Self) -> [u64; 2] {
        bytes(x.at_most(b), y.at_most(b))
    }
}
