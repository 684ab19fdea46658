//! Tables in registers. The time of a look-up does not depend on the index.

use crate::{Baseline, Isa, tail};
use core::array::from_fn;
use core::fmt::Debug;

/// Words of a look-up table, aligned for registers. `N` is 32 or 256.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Table<const N: usize>(pub [i16; N]);

/// Instructions that permute 16-bit words by indices in a register: a zero-sized proof that this
/// processor has them.
///
/// A mask has bit `k` for lane `k`.
pub trait LookUps: Copy + Debug + Send + Sync + 'static {
    /// Thirty-two 16-bit words.
    type Words: Copy;

    /// Runs `kernel` in a frame where the instructions are enabled. All functions that the kernel
    /// calls must be inlined into it.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Returns `x` in every lane.
    fn splat(self, x: i16) -> Self::Words;
    /// Returns the low halves of the [`tail`]s of 32 records, then their high halves.
    fn tails(self, x: &[[u8; 11]; 32]) -> [Self::Words; 2];
    /// Returns the mask of the lanes where `a` is below `b`, as unsigned words.
    fn below(self, a: Self::Words, b: Self::Words) -> u32;
    /// Returns the mask of the lanes where `x` is odd.
    fn odd(self, x: Self::Words) -> u32;
    /// Returns the high byte of every word.
    fn high_bytes(self, x: Self::Words) -> Self::Words;
    /// Returns the sum modulo `2^16`.
    fn add(self, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Returns `a + b` modulo `2^16` in the lanes of `mask`, and `a` in the others.
    fn add_where(self, mask: u32, a: Self::Words, b: Self::Words) -> Self::Words;
    /// Returns the words of `table` at the places `at`, which are below 32.
    fn look_up(self, table: &Table<32>, at: Self::Words) -> Self::Words;
    /// Returns the words of `table` at the places `at`, which are below 256.
    fn look_up_byte(self, table: &Table<256>, at: Self::Words) -> Self::Words;
    /// Writes `other` in the lanes of `mask` and the signed words of `x` in the others.
    fn store_floats(self, x: Self::Words, mask: u32, other: f32, out: &mut [f32; 32]);
}

/// Portable implementation, for tests. It reads every entry of a table. Instruction sets without
/// such instructions name it as their type, but never use it.
impl LookUps for Baseline {
    type Words = [i16; 32];

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        Isa::vectorize(self, kernel)
    }
    #[inline(always)]
    fn splat(self, x: i16) -> [i16; 32] {
        [x; 32]
    }
    #[inline(always)]
    fn tails(self, x: &[[u8; 11]; 32]) -> [[i16; 32]; 2] {
        [0, 16].map(|shift| from_fn(|k| (tail(&x[k]) >> shift) as i16))
    }
    #[inline(always)]
    fn below(self, a: [i16; 32], b: [i16; 32]) -> u32 {
        mask(|k| (a[k] as u16) < b[k] as u16)
    }
    #[inline(always)]
    fn odd(self, x: [i16; 32]) -> u32 {
        mask(|k| x[k] & 1 != 0)
    }
    #[inline(always)]
    fn high_bytes(self, x: [i16; 32]) -> [i16; 32] {
        x.map(|x| (x as u16 >> 8) as i16)
    }
    #[inline(always)]
    fn add(self, a: [i16; 32], b: [i16; 32]) -> [i16; 32] {
        self.add_where(u32::MAX, a, b)
    }
    #[inline(always)]
    fn add_where(self, mask: u32, a: [i16; 32], b: [i16; 32]) -> [i16; 32] {
        from_fn(|k| a[k].wrapping_add(b[k] & lane(mask, k)))
    }
    #[inline(always)]
    fn look_up(self, table: &Table<32>, at: [i16; 32]) -> [i16; 32] {
        read_all(table, at)
    }
    #[inline(always)]
    fn look_up_byte(self, table: &Table<256>, at: [i16; 32]) -> [i16; 32] {
        read_all(table, at)
    }
    #[inline(always)]
    fn store_floats(self, x: [i16; 32], mask: u32, other: f32, out: &mut [f32; 32]) {
        *out = from_fn(|k| {
            if lane(mask, k) == 0 {
                f32::from(x[k])
            } else {
                other
            }
        });
    }
}

/// Returns the mask of the lanes for which `f` is true.
#[inline(always)]
fn mask(f: impl Fn(usize) -> bool) -> u32 {
    (0..32).fold(0, |mask, k| mask | u32::from(f(k)) << k)
}

/// Returns all ones if `mask` has lane `k`, else zero.
#[inline(always)]
fn lane(mask: u32, k: usize) -> i16 {
    -((mask >> k & 1) as i16)
}

#[inline(always)]
fn read_all<const N: usize>(table: &Table<N>, at: [i16; 32]) -> [i16; 32] {
    let mut found = [0; 32];
    for (place, &word) in (0..).zip(&table.0) {
        for (found, at) in found.iter_mut().zip(at) {
            *found |= word & -i16::from(at == place);
        }
    }
    found
}
