//! The instructions of the SHA-3 extension, used for Keccak-f.

use crate::neon::{Neon, U64x2};
use core::arch::aarch64::*;
use falcon_lanes::{Ordered, Register, U64s, register_of};

cpufeatures::new!(features, "sha3");

/// The processor has NEON and the SHA-3 extension (EOR3, RAX1, XAR, BCAX).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NeonSha3(());

impl NeonSha3 {
    /// Returns the token if this processor has the features. On systems without a way to ask (all
    /// but Linux, Android and Apple's), only if the build target has them.
    pub fn detect() -> Option<Self> {
        features::get().then_some(Self(()))
    }

    /// Runs `kernel` in a frame where the features are enabled.
    #[inline(always)]
    pub(crate) fn in_frame<R>(self, kernel: impl FnOnce() -> R) -> R {
        // SAFETY: a token exists only where the features were found.
        unsafe { frame(kernel) }
    }
}

/// # Safety
/// The processor must have the features.
#[target_feature(enable = "neon,sha3")]
#[inline]
unsafe fn frame<R>(kernel: impl FnOnce() -> R) -> R {
    kernel()
}

// One function for each instruction. The intrinsics are always inlined, so the caller must enable
// the target features, and a method of a trait cannot do that.

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

/// Two 64-bit words. Creating a value requires a [`NeonSha3`] token, so a value proves that the
/// processor has the features.
#[derive(Clone, Copy, Debug)]
pub struct Sha3U64x2(U64x2);

impl Register<NeonSha3> for Sha3U64x2 {
    type Value = u64;
    register_of!(2);

    #[inline(always)]
    fn load(_: NeonSha3, x: &[u64; 2]) -> Self {
        Self(U64x2::load(Neon::new(), x))
    }
    #[inline(always)]
    fn splat(_: NeonSha3, x: u64) -> Self {
        Self(U64x2::splat(Neon::new(), x))
    }
    #[inline(always)]
    fn store(self, out: &mut [u64; 2]) {
        self.0.store(out);
    }
}

impl Sha3U64x2 {
    /// Loads words from their little-endian bytes.
    #[inline(always)]
    pub(crate) fn load_le_bytes(_: NeonSha3, x: &[[u8; 8]]) -> Self {
        Self(U64x2::load_le_bytes(Neon::new(), x))
    }
}

impl Ordered for Sha3U64x2 {
    #[inline(always)]
    fn min_max(self, other: Self) -> [Self; 2] {
        let [smaller, larger] = self.0.min_max(other.0);
        [Self(smaller), Self(larger)]
    }
}

impl U64s for Sha3U64x2 {
    const AND_NOT: bool = true;
    const SPLITS_PRODUCTS: bool = true;

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
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { eor3(self.0, b.0, c.0) })
    }
    #[inline(always)]
    fn xor_rotated(self, b: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { rax1(self.0, b.0) })
    }
    #[inline(always)]
    fn xor_then_rotate<const L: i32, const R: i32>(self, b: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { xar::<R>(self.0, b.0) })
    }
    #[inline(always)]
    fn xor_and_not(self, b: Self, c: Self) -> Self {
        // SAFETY: values of this type prove that the processor has the features.
        Self(unsafe { bcax(self.0, c.0, b.0) })
    }
    #[inline(always)]
    fn or_where_equal(self, bits: Self, a: Self, b: Self) -> Self {
        Self(self.0.or_where_equal(bits.0, a.0, b.0))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;

    /// The features of the emulator's processors are known.
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
