/// Masks that compilers do not turn into branches.
///
/// A compiler that knows a mask as made of a sign can choose between two values instead, and RISC-V
/// without extensions can choose by a branch only. There, masks are combined with a zero that the
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
    #[cfg(target_arch = "riscv32")]
    zero: u32,
}

impl Masks {
    /// Fetches the zero from memory, where it is needed.
    #[inline(always)]
    #[expect(clippy::new_without_default, reason = "an unknown zero is no default")]
    pub fn new() -> Self {
        Self {
            #[cfg(target_arch = "riscv32")]
            zero: core::hint::black_box(0),
        }
    }

    /// Returns `mask`, which is zero or all ones, as a word that may be any.
    #[inline(always)]
    pub fn hide(self, mask: u32) -> u32 {
        #[cfg(target_arch = "riscv32")]
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
        if cfg!(target_arch = "riscv32") {
            let mask = u64::from(self.of_sign((x >> 32) as u32));
            return mask << 32 | mask;
        }
        (x as i64 >> 63) as u64
    }

    /// All ones if `a < b`, else zero.
    #[inline(always)]
    pub fn less(self, a: i64, b: i64) -> u64 {
        // The sign of the difference, unless it overflows: then that of `a`.
        let difference = a.wrapping_sub(b);
        self.of_sign_64((difference ^ ((a ^ b) & (difference ^ a))) as u64)
    }

    /// The smaller and the larger one.
    #[inline(always)]
    pub fn min_max(self, a: u32, b: u32) -> [u32; 2] {
        if cfg!(target_arch = "riscv32") {
            let swap = (a ^ b) & self.less(b.into(), a.into()) as u32;
            return [a ^ swap, b ^ swap];
        }
        [a.min(b), a.max(b)]
    }

    /// The absolute value, modulo `2^64`.
    #[inline(always)]
    pub fn abs(self, x: i64) -> u64 {
        if cfg!(target_arch = "riscv32") {
            let sign = self.of_sign_64(x as u64);
            return (x as u64 ^ sign).wrapping_sub(sign);
        }
        x.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On RISC-V, the program of tests/ct/firmware runs the same functions.
    #[test]
    fn masks_decide_as_comparisons_do() {
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
            1 << 32,
            -1 << 31,
        ];
        for a in numbers {
            assert_eq!(masks.abs(a), a.unsigned_abs());
            assert_eq!(masks.of_sign(a as u32) as i32, (a as i32) >> 31);
            assert_eq!(masks.of_sign_64(a as u64), if a < 0 { u64::MAX } else { 0 });
            for b in numbers {
                assert_eq!(masks.less(a, b), if a < b { u64::MAX } else { 0 });
                let (a, b) = (a as u32, b as u32);
                assert_eq!(masks.min_max(a, b), [a.min(b), a.max(b)]);
            }
        }
    }
}
