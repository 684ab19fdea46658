//! Masks of signs and comparisons.

/// Masks that compilers do not turn into branches.
///
/// A compiler that sees that a mask comes from a sign bit may replace it by a selection, and RISC-V
/// without the extension Zicond selects by a branch. There, masks are combined with a zero that the
/// compiler does not know. Elsewhere this type is empty and costs nothing.
///
/// ```
/// use falcon_lanes::Masks;
///
/// // The smaller one of two numbers below 2^31, in constant time.
/// let masks = Masks::new(); // once for many masks
/// let (a, b) = (3u32, 5);
/// let below = masks.of_sign(a.wrapping_sub(b));
/// assert_eq!(b ^ ((a ^ b) & below), 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Masks {
    #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
    zero: u32,
}

/// The processor may have no conditional move.
const IS_RISCV: bool = cfg!(any(target_arch = "riscv32", target_arch = "riscv64"));

impl Masks {
    /// On RISC-V, loads the hidden zero from memory.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "an unknown zero is no default")]
    pub fn new() -> Self {
        Self {
            #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
            zero: core::hint::black_box(0),
        }
    }

    /// Returns `mask`. On RISC-V, hides its value from the compiler.
    #[inline(always)]
    fn hide(self, mask: u32) -> u32 {
        #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
        let mask = mask ^ self.zero;
        mask
    }

    /// All ones if the top bit of `x` is set, else zero.
    #[inline(always)]
    pub fn of_sign(self, x: u32) -> u32 {
        self.hide((x as i32 >> 31) as u32)
    }

    /// All ones if the top bit of `x` is set, else zero.
    #[inline(always)]
    pub fn of_sign_64(self, x: u64) -> u64 {
        self.of_sign_64_by::<IS_RISCV>(x)
    }

    /// Computes [`of_sign_64`](Self::of_sign_64), from a mask of 32 bits if `HALVES`.
    #[inline(always)]
    fn of_sign_64_by<const HALVES: bool>(self, x: u64) -> u64 {
        if HALVES {
            let mask = u64::from(self.of_sign((x >> 32) as u32));
            return mask << 32 | mask;
        }
        (x as i64 >> 63) as u64
    }

    /// All ones if `a < b`, else zero.
    #[inline(always)]
    pub fn less(self, a: i64, b: i64) -> u64 {
        self.less_by::<IS_RISCV>(a, b)
    }

    #[inline(always)]
    fn less_by<const HALVES: bool>(self, a: i64, b: i64) -> u64 {
        // The sign of the difference, unless it overflows: then that of `a`.
        let difference = a.wrapping_sub(b);
        self.of_sign_64_by::<HALVES>((difference ^ ((a ^ b) & (difference ^ a))) as u64)
    }

    /// Returns the smaller one of `a` and `b`, then the larger one.
    #[inline(always)]
    pub fn min_max(self, a: u32, b: u32) -> [u32; 2] {
        self.min_max_by::<IS_RISCV>(a, b)
    }

    /// Computes [`min_max`](Self::min_max), with a mask if `MASKED`.
    #[inline(always)]
    fn min_max_by<const MASKED: bool>(self, a: u32, b: u32) -> [u32; 2] {
        if MASKED {
            let swap = (a ^ b) & self.less_by::<MASKED>(b.into(), a.into()) as u32;
            return [a ^ swap, b ^ swap];
        }
        [a.min(b), a.max(b)]
    }

    /// The absolute value, modulo `2^64`.
    #[inline(always)]
    pub fn abs(self, x: i64) -> u64 {
        self.abs_by::<IS_RISCV>(x)
    }

    /// Computes [`abs`](Self::abs), with a mask if `MASKED`.
    #[inline(always)]
    fn abs_by<const MASKED: bool>(self, x: i64) -> u64 {
        if MASKED {
            let sign = self.of_sign_64_by::<MASKED>(x as u64);
            return (x as u64 ^ sign).wrapping_sub(sign);
        }
        x.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decides_as_comparisons_do<const MASKED: bool>() {
        let masks = Masks::new();
        let numbers = [
            0,
            1,
            -1,
            8400,
            -8400,
            i64::MAX,
            i64::MIN,
            i64::MIN + 1,
            1 << 31,
            1 << 32,
            -1 << 31,
        ];
        let all = |is: bool| if is { u64::MAX } else { 0 };
        for a in numbers {
            assert_eq!(masks.abs_by::<MASKED>(a), a.unsigned_abs());
            assert_eq!(masks.of_sign(a as u32) as i32, (a as i32) >> 31);
            assert_eq!(masks.of_sign_64_by::<MASKED>(a as u64), all(a < 0));
            for b in numbers {
                assert_eq!(masks.less_by::<MASKED>(a, b), all(a < b));
                let (a, b) = (a as u32, b as u32);
                assert_eq!(masks.min_max_by::<MASKED>(a, b), [a.min(b), a.max(b)]);
            }
        }
    }

    /// Tests the forms for RISC-V, too. On other targets, the zero is not hidden.
    #[test]
    fn masks_decide_as_comparisons_do() {
        decides_as_comparisons_do::<false>();
        decides_as_comparisons_do::<true>();
    }
}
