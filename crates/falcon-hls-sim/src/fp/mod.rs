//! Binary64 as the floating-point cores of an FPGA compute it.

/// A quiet NaN, the only one that a core gives.
pub const NAN: u64 = 0x7ff8_0000_0000_0000;

/// The opposite of `a`.
pub fn negate(a: u64) -> u64 {
    a ^ (1 << 63)
}
