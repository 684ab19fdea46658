//! Sums and products of 128 bits in constant time.
//!
//! Compilers compare the halves of an `i128` to find a carry. RV32IMAC has no conditional move, so
//! the comparison becomes a branch. On that target, `Halves` replaces `i128`.

use core::ops::{Add, AddAssign, Shl, Shr, ShrAssign, Sub};

/// Signed integer of 128 bits, whose operations take constant time on this processor.
#[cfg(not(target_arch = "riscv32"))]
pub(super) type Wide = i128;
#[cfg(target_arch = "riscv32")]
pub(super) type Wide = Halves;

/// Arithmetic modulo `2^128`. Shifts are by 1 to 63 bits.
pub(super) trait Signed128:
    Copy
    + From<i64>
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + ShrAssign<u32>
{
    /// The number zero.
    const ZERO: Self;

    /// `a * b`.
    fn product(a: i64, b: i64) -> Self;

    /// `a * b`, an unsigned product of 128 bits.
    fn unsigned_product(a: u64, b: u64) -> Self;

    /// The low 64 bits.
    fn low(self) -> i64;

    /// The high 64 bits.
    fn high(self) -> i64;

    /// Makes an integer from its high and low 64 bits.
    fn new(high: i64, low: u64) -> Self;
}

impl Signed128 for i128 {
    const ZERO: Self = 0;

    #[inline(always)]
    fn product(a: i64, b: i64) -> Self {
        Self::from(a) * Self::from(b)
    }

    #[inline(always)]
    fn unsigned_product(a: u64, b: u64) -> Self {
        (u128::from(a) * u128::from(b)) as Self
    }

    #[inline(always)]
    fn low(self) -> i64 {
        self as i64
    }

    #[inline(always)]
    fn high(self) -> i64 {
        (self >> 64) as i64
    }

    #[inline(always)]
    fn new(high: i64, low: u64) -> Self {
        Self::from(high) << 64 | Self::from(low)
    }
}

/// High and low half of an integer of 128 bits, for 32-bit processors without conditional moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg(any(test, target_arch = "riscv32"))]
pub(super) struct Halves {
    high: u64,
    low: u64,
}

#[cfg(any(test, target_arch = "riscv32"))]
mod halves {
    use super::*;

    impl From<i64> for Halves {
        #[inline(always)]
        fn from(x: i64) -> Self {
            Self {
                high: (x >> 63) as u64,
                low: x as u64,
            }
        }
    }

    impl Add for Halves {
        type Output = Self;

        #[inline(always)]
        fn add(self, other: Self) -> Self {
            let (a, b) = (self.low, other.low);
            let low = a.wrapping_add(b);
            // A carry leaves the top bit if both summands have it, or if one has it and the sum
            // does not.
            let carry = ((a & b) | ((a | b) & !low)) >> 63;
            Self {
                high: self.high.wrapping_add(other.high).wrapping_add(carry),
                low,
            }
        }
    }

    impl AddAssign for Halves {
        #[inline(always)]
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }

    impl Sub for Halves {
        type Output = Self;

        #[inline(always)]
        fn sub(self, other: Self) -> Self {
            let (a, b) = (self.low, other.low);
            let low = a.wrapping_sub(b);
            let borrow = ((!a & b) | ((!a | b) & low)) >> 63;
            Self {
                high: self.high.wrapping_sub(other.high).wrapping_sub(borrow),
                low,
            }
        }
    }

    impl Shl<u32> for Halves {
        type Output = Self;

        /// Shifts left by 1 to 63 bits.
        #[inline(always)]
        fn shl(self, count: u32) -> Self {
            Self {
                high: self.high << count | self.low >> (64 - count),
                low: self.low << count,
            }
        }
    }

    impl Shr<u32> for Halves {
        type Output = Self;

        /// Shifts right by 1 to 63 bits, with the sign.
        #[inline(always)]
        fn shr(self, count: u32) -> Self {
            Self {
                high: (self.high as i64 >> count) as u64,
                low: self.low >> count | self.high << (64 - count),
            }
        }
    }

    impl ShrAssign<u32> for Halves {
        #[inline(always)]
        fn shr_assign(&mut self, count: u32) {
            *self = *self >> count;
        }
    }

    impl Signed128 for Halves {
        const ZERO: Self = Self { high: 0, low: 0 };

        #[inline(always)]
        fn product(a: i64, b: i64) -> Self {
            // The high words are signed; the low words are not.
            let split = |x: i64| (x >> 32, x & 0xffff_ffff);
            let ((a1, a0), (b1, b0)) = (split(a), split(b));
            let (first, low) = split((a0 as u64 * b0 as u64) as i64);
            let (second, middle) = split(a1 * b0 + (first & 0xffff_ffff));
            let (third, middle) = split(a0 * b1 + middle);
            Self {
                high: (a1 * b1 + second + third) as u64,
                low: (middle << 32 | low) as u64,
            }
        }

        #[inline(always)]
        fn unsigned_product(a: u64, b: u64) -> Self {
            let split = |x: u64| (x >> 32, x & 0xffff_ffff);
            let ((a1, a0), (b1, b0)) = (split(a), split(b));
            let (first, low) = split(a0 * b0);
            let (second, middle) = split(a1 * b0 + first);
            let (third, middle) = split(a0 * b1 + middle);
            Self {
                high: a1 * b1 + second + third,
                low: middle << 32 | low,
            }
        }

        #[inline(always)]
        fn low(self) -> i64 {
            self.low as i64
        }

        #[inline(always)]
        fn high(self) -> i64 {
            self.high as i64
        }

        #[inline(always)]
        fn new(high: i64, low: u64) -> Self {
            Self {
                high: high as u64,
                low,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_compute_as_128_bits() {
        let bytes = crate::hash::Shake256::reader(b"wide").read_array::<4096>();
        let (words, _) = bytes.as_chunks::<8>();
        let special = [
            0,
            1,
            -1,
            2,
            i64::MAX,
            i64::MIN,
            i64::MIN + 1,
            1 << 32,
            (1 << 32) - 1,
        ];
        let numbers = words
            .iter()
            .map(|word| i64::from_le_bytes(*word))
            .chain(special);
        let numbers: std::vec::Vec<_> = numbers.collect();
        let same = |x: Halves, y: i128| {
            assert_eq!((x.high(), x.low()), (y.high(), y.low()));
        };
        for (i, &a) in numbers.iter().enumerate() {
            same(a.into(), a.into());
            for (j, &b) in numbers.iter().enumerate() {
                let (x, y) = (Halves::product(a, b), i128::product(a, b));
                same(x, y);
                let (unsigned_a, unsigned_b) = (a as u64, b as u64);
                let expected = i128::unsigned_product(unsigned_a, unsigned_b);
                same(Halves::unsigned_product(unsigned_a, unsigned_b), expected);
                let low = numbers[(3 * i + j) % numbers.len()];
                let (c, d) = (Halves::new(b, low as u64), i128::new(b, low as u64));
                same(c, d);
                same(x + c, y.wrapping_add(d));
                same(x - c, y.wrapping_sub(d));
                let count = 1 + (i + j) as u32 % 63;
                same(c << count, d << count);
                same(c >> count, d >> count);
            }
        }
    }
}
