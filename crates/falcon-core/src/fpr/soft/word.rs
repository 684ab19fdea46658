//! The few 64-bit primitives whose best constant-time form depends on the
//! width of the machine's registers.
//!
//! [`Word64`] uses the machine's own 64-bit shifts and its 64 x 64 -> 128
//! multiplication. On a 32-bit target those compile, depending on the
//! compiler, to branches or to library calls that branch; [`Word32`] writes
//! them with 32-bit shifts by less than 32, masks and 32 x 32 -> 64 products.
//! Both give the same results, and a host test runs every operation on both.

/// Primitives on 64-bit values. A shift takes its distance modulo 64.
pub(super) trait Word {
    /// The 128-bit product, as (high, low) words.
    fn mul_wide(a: u64, b: u64) -> (u64, u64);
    /// `x << (n mod 64)`.
    fn shl(x: u64, n: u64) -> u64;
    /// `x >> (n mod 64)`.
    fn shr(x: u64, n: u64) -> u64;
    /// `x >> (n mod 64)`, with bit 0 set if any set bit was shifted out.
    fn shr_sticky(x: u64, n: u64) -> u64;
    /// Number of leading zero bits of `x`, which is not zero.
    fn leading_zeros(x: u64) -> u64;
}

/// Registers of 64 bits.
#[cfg(any(test, target_pointer_width = "64"))]
#[derive(Debug)]
pub(super) struct Word64;

#[cfg(any(test, target_pointer_width = "64"))]
impl Word for Word64 {
    #[inline(always)]
    fn mul_wide(a: u64, b: u64) -> (u64, u64) {
        let p = u128::from(a) * u128::from(b);
        ((p >> 64) as u64, p as u64)
    }
    #[inline(always)]
    fn shl(x: u64, n: u64) -> u64 {
        x << (n & 63)
    }
    #[inline(always)]
    fn shr(x: u64, n: u64) -> u64 {
        x >> (n & 63)
    }
    #[inline(always)]
    fn shr_sticky(x: u64, n: u64) -> u64 {
        // x << (64 - n) in two steps, so that n = 0 loses nothing.
        let lost = (x << 1) << (!n & 63);
        (x >> (n & 63)) | u64::from(lost != 0)
    }
    #[inline(always)]
    fn leading_zeros(x: u64) -> u64 {
        // Setting bit 0 changes nothing for x > 0, and spares the targets
        // whose instruction has no result for zero a case distinction.
        u64::from((x | 1).leading_zeros())
    }
}

/// Registers of 32 bits (or fewer).
#[cfg(any(test, not(target_pointer_width = "64")))]
#[derive(Debug)]
pub(super) struct Word32;

#[cfg(any(test, not(target_pointer_width = "64")))]
impl Word32 {
    #[inline(always)]
    fn split(x: u64) -> (u32, u32) {
        ((x >> 32) as u32, x as u32)
    }
    #[inline(always)]
    fn join(hi: u32, lo: u32) -> u64 {
        (u64::from(hi) << 32) | u64::from(lo)
    }
    /// All ones if bit 5 of `n` is set (a whole word is shifted out), else zero.
    #[inline(always)]
    fn far(n: u32) -> u32 {
        ((n >> 5) & 1).wrapping_neg()
    }
}

#[cfg(any(test, not(target_pointer_width = "64")))]
impl Word for Word32 {
    #[inline(always)]
    fn mul_wide(a: u64, b: u64) -> (u64, u64) {
        let (a1, a0) = Self::split(a);
        let (b1, b0) = Self::split(b);
        let wide = |x: u32, y: u32| u64::from(x) * u64::from(y);
        // (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1: no sum below overflows.
        let p00 = wide(a0, b0);
        let p01 = wide(a0, b1) + (p00 >> 32);
        let p10 = wide(a1, b0) + (p01 & 0xFFFF_FFFF);
        let p11 = wide(a1, b1) + (p01 >> 32) + (p10 >> 32);
        (p11, Self::join(p10 as u32, p00 as u32))
    }
    #[inline(always)]
    fn shl(x: u64, n: u64) -> u64 {
        let (hi, lo) = Self::split(x);
        let (far, n) = (Self::far(n as u32), n as u32 & 31);
        let hi = hi ^ ((hi ^ lo) & far);
        let lo = lo & !far;
        Self::join((hi << n) | ((lo >> 1) >> (31 - n)), lo << n)
    }
    #[inline(always)]
    fn shr(x: u64, n: u64) -> u64 {
        let (hi, lo) = Self::split(x);
        let (far, n) = (Self::far(n as u32), n as u32 & 31);
        let lo = lo ^ ((lo ^ hi) & far);
        let hi = hi & !far;
        Self::join(hi >> n, (lo >> n) | ((hi << 1) << (31 - n)))
    }
    #[inline(always)]
    fn shr_sticky(x: u64, n: u64) -> u64 {
        let (hi, lo) = Self::split(x);
        let (far, n) = (Self::far(n as u32), n as u32 & 31);
        let lost_word = lo & far;
        let lo = lo ^ ((lo ^ hi) & far);
        let hi = hi & !far;
        let lost = lost_word | ((lo << 1) << (31 - n));
        let sticky = (lost | lost.wrapping_neg()) >> 31;
        Self::join(hi >> n, (lo >> n) | ((hi << 1) << (31 - n)) | sticky)
    }
    #[inline(always)]
    fn leading_zeros(x: u64) -> u64 {
        let (hi, lo) = Self::split(x);
        // All ones if the high word is zero: only 0 has neither itself nor its
        // negation in the upper half.
        let empty = ((hi | hi.wrapping_neg()) >> 31).wrapping_sub(1);
        u64::from(((hi | (lo & empty)) | 1).leading_zeros() + (empty & 32))
    }
}

/// The width of this target's registers.
#[cfg(target_pointer_width = "64")]
pub(super) type Native = Word64;
/// The width of this target's registers.
#[cfg(not(target_pointer_width = "64"))]
pub(super) type Native = Word32;
