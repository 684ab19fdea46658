//! The instructions of the SHA-3 extension, which Keccak-f is made of.

use crate::integers;
use crate::neon::{Neon, U64x2};
use core::arch::aarch64::*;
use falcon_lanes::{Bits64, ByteTable, F32_LANES, I16_LANES, Isa, U8_LANES, U64_LANES};

cpufeatures::new!(features, "sha3");

/// The processor has NEON and the SHA-3 extension (EOR3, RAX1, XAR, BCAX).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NeonSha3(());

impl NeonSha3 {
    /// The token, if this processor has the features. On systems that cannot
    /// be asked (neither Linux, Android nor Apple's), only if the build target
    /// has them.
    pub fn detect() -> Option<Self> {
        features::get().then_some(Self(()))
    }
}

/// # Safety
/// The processor must have the features.
#[target_feature(enable = "neon,sha3")]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

// Each instruction in a function of its own: the intrinsics ask to be inlined
// always, which needs the features in the caller, and methods of a trait cannot
// have them.

/// `a ^ b ^ c`.
#[target_feature(enable = "neon,sha3")]
#[inline]
fn eor3(a: U64x2, b: U64x2, c: U64x2) -> U64x2 {
    U64x2(veor3q_u64(a.0, b.0, c.0))
}

/// `a ^ (b rotated to the left by one)`.
#[target_feature(enable = "neon,sha3")]
#[inline]
fn rax1(a: U64x2, b: U64x2) -> U64x2 {
    U64x2(vrax1q_u64(a.0, b.0))
}

/// `a ^ b`, rotated to the right by `R`.
#[target_feature(enable = "neon,sha3")]
#[inline]
fn xar<const R: i32>(a: U64x2, b: U64x2) -> U64x2 {
    U64x2(vxarq_u64::<R>(a.0, b.0))
}

/// `a ^ (b & !c)`.
#[target_feature(enable = "neon,sha3")]
#[inline]
fn bcax(a: U64x2, b: U64x2, c: U64x2) -> U64x2 {
    U64x2(vbcaxq_u64(a.0, b.0, c.0))
}

/// Two 64-bit words. A value is made from a token, and so only where the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct Sha3U64x2(U64x2);

impl Bits64 for Sha3U64x2 {
    const AND_NOT: bool = true;

    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        Self(self.0.xor_u64(x))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.not())
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        Self(self.0.rotate_left::<L, R>())
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { eor3(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { rax1(self.0, b.0) })
    }
    #[inline(always)]
    fn xor_then_rotate<const L: i32, const R: i32>(self, b: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { xar::<R>(self.0, b.0) })
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        // SAFETY: the values exist.
        Self(unsafe { bcax(self.0, c.0, b.0) })
    }
}

/// All but the words is as on [`Neon`], whose frame is that of every function: a
/// frame of its own would only keep functions from being inlined.
impl Isa for NeonSha3 {
    type F32x8 = <Neon as Isa>::F32x8;
    type Words = Sha3U64x2;
    const PARTS: usize = Neon::PARTS;
    const ONE_IN_WORDS: bool = true;
    type Runs = Self;
    type Integers = Neon;

    #[inline(always)]
    fn integers(self) -> Neon {
        Neon::new()
    }

    #[inline(always)]
    fn load_words(self, x: &[u64; U64_LANES], part: usize) -> Sha3U64x2 {
        Sha3U64x2(Neon::new().load_words(x, part))
    }
    #[inline(always)]
    fn store_words(self, words: Sha3U64x2, x: &mut [u64; U64_LANES], part: usize) {
        Neon::new().store_words(words.0, x, part);
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
        Neon::new().vectorize(kernel)
    }
    #[inline(always)]
    fn vectorize_words<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token is made where the features were found, only.
        unsafe { frame(kernel) }
    }
    #[inline(always)]
    fn splat(self, x: f32) -> Self::F32x8 {
        Neon::new().splat(x)
    }
    #[inline(always)]
    fn load(self, x: &[f32; F32_LANES]) -> Self::F32x8 {
        Neon::new().load(x)
    }
    #[inline(always)]
    fn sub(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8 {
        Neon::new().sub(a, b)
    }
    #[inline(always)]
    fn mul(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8 {
        Neon::new().mul(a, b)
    }
    #[inline(always)]
    fn lt(self, a: Self::F32x8, b: Self::F32x8) -> u32 {
        Neon::new().lt(a, b)
    }
    #[inline(always)]
    fn le(self, a: Self::F32x8, b: Self::F32x8) -> u32 {
        Neon::new().le(a, b)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    /// The emulator's processors are known.
    #[test]
    fn detection_says_what_the_emulated_processor_has() {
        let expected = match std::env::var("QEMU_CPU").as_deref() {
            Ok("max") => true,
            Ok("cortex-a72" | "neoverse-n1") => false,
            _ => return,
        };
        assert_eq!(NeonSha3::detect().is_some(), expected);
    }
}
