//! Masks: conditions on secrets as words of ones or zeros.
//!
//! A mask is `0` or all ones. The functions have no branch, and [`hidden`] keeps compilers from
//! turning code that uses a mask into a branch.

use core::hint::black_box;

/// Returns all ones if `bit` is 1, zero if it is 0.
#[inline(always)]
pub(crate) fn of_bit(bit: u64) -> u64 {
    0u64.wrapping_sub(bit)
}

/// Returns all ones if `x` is not zero.
#[inline(always)]
pub(crate) fn nonzero(x: u64) -> u64 {
    of_bit((x | x.wrapping_neg()) >> 63)
}

/// Returns all ones if `a` equals `b`.
#[inline(always)]
pub(crate) fn equal(a: u64, b: u64) -> u64 {
    !nonzero(a ^ b)
}

/// Returns `mask` as a value that the compiler knows nothing about.
#[inline(always)]
pub(crate) fn hidden(mask: u64) -> u64 {
    black_box(mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_all_ones_or_zero() {
        for x in [0, 1, 2, 1 << 63, u64::MAX, 77] {
            assert_eq!(nonzero(x), if x == 0 { 0 } else { u64::MAX });
            for y in [0, 1, 77] {
                assert_eq!(equal(x, y), if x == y { u64::MAX } else { 0 });
            }
        }
        assert_eq!([of_bit(0), hidden(of_bit(1))], [0, u64::MAX]);
    }
}
