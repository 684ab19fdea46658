//! Masks, and the few 64-bit primitives whose best constant-time form depends on the width of the
//! machine's registers.
//!
//! `Word64` uses the machine's own 64-bit shifts and its 64 x 64 -> 128 multiplication. On a 32-bit
//! target, compilers may turn those into branches, or into library calls that branch. So `Word32`
//! uses 32-bit shifts by less than 32, masks and 32 x 32 -> 64 products. Both give the same
//! results, which a test on the host checks.
//!
//! # Masks
//!
//! An optimising compiler recognises masks. If it can prove that `mask` is all ones or zero, it
//! turns `value & mask` into a selection, and a selection in a loop into a branch, on x86-64 and on
//! aarch64. So every mask is combined with a zero that the compiler cannot know. Each operation
//! passes that zero through a [`black_box`] once, off the critical path. The compiler then sees an
//! arbitrary word. On ARM it can still make a conditional instruction of a mask, but no branch.

use core::hint::black_box;

/// Primitives on 64-bit values. A shift takes its distance modulo 64.
pub(crate) trait Word: Copy {
    /// Makes the primitives. Call it once in an operation: it writes to memory and reads back.
    fn new() -> Self;
    /// The 128-bit product, as (high, low) words.
    fn mul_wide(self, a: u64, b: u64) -> (u64, u64);
    /// `x << (n mod 64)`.
    fn shl(self, x: u64, n: u64) -> u64;
    /// `x << n`, for `n` = 0 or 1 and `x < 2^63`.
    fn shl_bit(self, x: u64, n: u64) -> u64;
    /// `x >> (n mod 64)`.
    fn shr(self, x: u64, n: u64) -> u64;
    /// `x >> (n mod 64)`, with bit 0 set if any set bit was shifted out; `n mod
    /// 64` is not 0.
    fn shr_sticky(self, x: u64, n: u64) -> u64;
    /// All ones if bit 63 of `t` is set, else zero.
    fn mask(self, t: u64) -> u64;
    /// Number of leading zero bits of `x`, for `0 < x <= 2^63`. For 0, the result is 63.
    fn leading_zeros(self, x: u64) -> u64;

    /// `x << up` in `2^62 .. 2^63`, and `up`. `0 < x < 2^63`, and `x` is even if it is below
    /// `2^32`. For 0, the bits are unspecified.
    fn normalise(self, x: u64) -> (u64, u64);
    /// 1 if the even `x` is not zero, else 0.
    fn sticky(self, x: u64) -> u64;

    /// The high word of the product.
    #[inline(always)]
    fn mul_hi(self, a: u64, b: u64) -> u64 {
        self.mul_wide(a, b).0
    }
}

/// 1 if `0 < x < 2^63`, 0 if `x = 0`.
#[inline(always)]
pub(super) fn nonzero_bit(x: u64) -> u64 {
    // Carries into bit 63 iff x > 0.
    x.wrapping_add((1 << 63) - 1) >> 63
}

/// Registers of 64 bits.
///
/// Rotations replace shifts where both give the same result. Baseline vector units cannot rotate by
/// a variable distance, so the compiler does not turn these operations into slower vector code.
#[cfg(any(test, target_pointer_width = "64"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word64 {
    /// The value 0, hidden from the compiler.
    zero: u64,
}

#[cfg(any(test, target_pointer_width = "64"))]
impl Word for Word64 {
    #[inline(always)]
    fn new() -> Self {
        Self { zero: black_box(0) }
    }
    #[inline(always)]
    fn mul_wide(self, a: u64, b: u64) -> (u64, u64) {
        let p = u128::from(a) * u128::from(b);
        ((p >> 64) as u64, p as u64)
    }
    #[inline(always)]
    fn shl(self, x: u64, n: u64) -> u64 {
        x << (n & 63)
    }
    #[inline(always)]
    fn shl_bit(self, x: u64, n: u64) -> u64 {
        x.rotate_left(n as u32 & 63)
    }
    #[inline(always)]
    fn shr(self, x: u64, n: u64) -> u64 {
        x >> (n & 63)
    }
    #[inline(always)]
    fn shr_sticky(self, x: u64, n: u64) -> u64 {
        // The bits that are shifted out come in again at the top, from bit 64 - n on.
        let turned = x.rotate_right(n as u32 & 63);
        let kept = turned & (1u64.rotate_right(n as u32 & 63).wrapping_sub(1));
        kept | nonzero_bit((turned ^ kept) >> 1)
    }
    #[inline(always)]
    fn mask(self, t: u64) -> u64 {
        ((t as i64) >> 63) as u64 ^ self.zero
    }
    #[inline(always)]
    fn leading_zeros(self, x: u64) -> u64 {
        // Setting bit 0 changes nothing for x > 0. It saves a case distinction on targets whose
        // instruction has no result for zero.
        u64::from((x | 1).leading_zeros())
    }
    #[inline(always)]
    fn normalise(self, x: u64) -> (u64, u64) {
        let up = self.leading_zeros(x).wrapping_sub(1);
        (x.rotate_left(up as u32 & 63), up)
    }
    #[inline(always)]
    fn sticky(self, x: u64) -> u64 {
        nonzero_bit(x >> 1)
    }
}

/// Registers of 32 bits (or fewer).
#[cfg(any(test, not(target_pointer_width = "64")))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word32 {
    /// The value 0, hidden from the compiler.
    zero: u32,
}

#[cfg(any(test, not(target_pointer_width = "64")))]
#[inline(always)]
fn split(x: u64) -> (u32, u32) {
    ((x >> 32) as u32, x as u32)
}

#[cfg(any(test, not(target_pointer_width = "64")))]
#[inline(always)]
fn join(hi: u32, lo: u32) -> u64 {
    (u64::from(hi) << 32) | u64::from(lo)
}

#[cfg(any(test, not(target_pointer_width = "64")))]
impl Word32 {
    /// All ones if bit 31 of `t` is set, else zero.
    #[inline(always)]
    fn mask32(self, t: u32) -> u32 {
        ((t as i32) >> 31) as u32 ^ self.zero
    }
    /// `x << n`, for `n < 32`.
    #[inline(always)]
    fn near_left(hi: u32, lo: u32, n: u32) -> u64 {
        join((hi << n) | ((lo >> 1) >> (31 - n)), lo << n)
    }
    /// `x >> n`, for `n < 32`.
    #[inline(always)]
    fn near_right(hi: u32, lo: u32, n: u32) -> u64 {
        join(hi >> n, (lo >> n) | ((hi << 1) << (31 - n)))
    }
}

#[cfg(any(test, not(target_pointer_width = "64")))]
impl Word for Word32 {
    #[inline(always)]
    fn new() -> Self {
        Self { zero: black_box(0) }
    }
    #[inline(always)]
    fn mul_wide(self, a: u64, b: u64) -> (u64, u64) {
        let (a1, a0) = split(a);
        let (b1, b0) = split(b);
        let wide = |x: u32, y: u32| u64::from(x) * u64::from(y);
        // (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1: no sum below overflows.
        let p00 = wide(a0, b0);
        let p01 = wide(a0, b1) + (p00 >> 32);
        let p10 = wide(a1, b0) + (p01 & 0xFFFF_FFFF);
        let p11 = wide(a1, b1) + (p01 >> 32) + (p10 >> 32);
        (p11, join(p10 as u32, p00 as u32))
    }
    #[inline(always)]
    fn shl(self, x: u64, n: u64) -> u64 {
        let (hi, lo) = split(x);
        let far = self.mask32((n as u32) << 26);
        Self::near_left(hi ^ ((hi ^ lo) & far), lo & !far, n as u32 & 31)
    }
    #[inline(always)]
    fn shl_bit(self, x: u64, n: u64) -> u64 {
        let (hi, lo) = split(x);
        Self::near_left(hi, lo, n as u32 & 31)
    }
    #[inline(always)]
    fn shr(self, x: u64, n: u64) -> u64 {
        let (hi, lo) = split(x);
        let far = self.mask32((n as u32) << 26);
        Self::near_right(hi & !far, lo ^ ((lo ^ hi) & far), n as u32 & 31)
    }
    #[inline(always)]
    fn shr_sticky(self, x: u64, n: u64) -> u64 {
        let (hi, lo) = split(x);
        let far = self.mask32((n as u32) << 26);
        let n = n as u32 & 31;
        let lost_word = lo & far;
        let (hi, lo) = (hi & !far, lo ^ ((lo ^ hi) & far));
        // The low n bits of lo, from bit 30 downwards.
        let lost_bits = (lo << (31 - n)) & (u32::MAX >> 1);
        let lost = lost_bits | (lost_word >> 1) | (lost_word & 1);
        // Carries into bit 31 iff lost is not zero.
        let sticky = (lost + (u32::MAX >> 1)) >> 31;
        Self::near_right(hi, lo, n) | u64::from(sticky)
    }
    #[inline(always)]
    fn mask(self, t: u64) -> u64 {
        let mask = self.mask32((t >> 32) as u32);
        join(mask, mask)
    }
    #[inline(always)]
    fn leading_zeros(self, x: u64) -> u64 {
        let (hi, lo) = split(x);
        // Carries into bit 31 iff the high word, which is at most 2^31, is not zero.
        let full = self.mask32(hi.wrapping_add(u32::MAX >> 1));
        let word = hi | (lo & !full);
        u64::from((word | 1).leading_zeros() + (32 & !full))
    }
    #[inline(always)]
    fn normalise(self, x: u64) -> (u64, u64) {
        let (hi, lo) = split(x);
        // If the high word is zero, shifting 31 places up loses nothing, since bit 0 is zero.
        let empty = self.mask32(hi.wrapping_sub(1));
        let (hi, lo) = (hi | (lo >> 1) & empty, lo & !empty);
        let up = (hi | 1).leading_zeros().wrapping_sub(1);
        let far = u64::from(31 & empty);
        (Self::near_left(hi, lo, up & 31), u64::from(up) + far)
    }
    #[inline(always)]
    fn sticky(self, x: u64) -> u64 {
        let (hi, lo) = split(x);
        let any = (hi >> 1) | (hi & 1) | (lo >> 1);
        // Carries into bit 31 iff `any` is not zero.
        u64::from((any + (u32::MAX >> 1)) >> 31)
    }
}

/// Primitives for the register width of this target.
#[cfg(target_pointer_width = "64")]
pub(crate) type Native = Word64;
/// Primitives for the register width of this target.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) type Native = Word32;
