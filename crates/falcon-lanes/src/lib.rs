#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod abreast;
mod across;
mod bits;
mod integers;
mod isa;
mod portable;
mod run;
mod scalar;
mod wipe;

pub use abreast::{Abreast, Abreast2, Abreast4, Abreast8, Abreast16};
pub use across::Across;
pub use bits::Bits64;
pub use integers::{Bits32, I16_LANES, Integers, U32_LANES, U32_ROW, Words16, mul_high};
pub use isa::{Baseline, ByteTable, F32_LANES, Isa, U8_LANES, U16_LANES, U64_LANES, tail};
pub use portable::Portable;
pub use run::{One, Run, Runs, Singles, Two};
pub use scalar::{ROUNDER, Scalar};
pub use wipe::wipe;

use core::fmt::Debug;
use zeroize::Zeroize;

/// `N` lanes of binary64 arithmetic. See the [crate](self) for the contract.
///
/// Operations take the token by value so that an instruction-set token can
/// only be used where its constructor has succeeded.
pub trait Lanes: Copy + Debug + Send + Sync + 'static {
    /// Number of lanes.
    const N: usize;
    /// A register of `N` binary64 values.
    type F: Copy + Default + Debug + Zeroize + Send + Sync + 'static;
    /// How many reals of a polynomial share a register.
    type Runs: Runs<Self>;

    /// Runs `kernel` in a frame where the features of this token are enabled.
    /// Everything the kernel calls must be inlined into it.
    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }

    /// `x` in every lane.
    fn splat(self, x: f64) -> Self::F;
    /// Lane `i` of `x`, `i < N`.
    fn get(self, x: &Self::F, i: usize) -> f64;
    /// Sets lane `i` of `x`, `i < N`.
    fn set(self, x: &mut Self::F, i: usize, value: f64);

    /// `a + b`.
    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a - b`.
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    /// `(a + b, a - b)`, the end of every butterfly. Integer arithmetic aligns
    /// the operands once for both.
    #[inline(always)]
    fn add_sub(self, a: Self::F, b: Self::F) -> (Self::F, Self::F) {
        (self.add(a, b), self.sub(a, b))
    }
    /// `a * b`.
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b` for complex numbers (real part, imaginary part): four products,
    /// then one difference and one sum.
    #[inline(always)]
    fn complex_mul(self, a: (Self::F, Self::F), b: (Self::F, Self::F)) -> (Self::F, Self::F) {
        (
            self.sub(self.mul(a.0, b.0), self.mul(a.1, b.1)),
            self.add(self.mul(a.0, b.1), self.mul(a.1, b.0)),
        )
    }
    /// `a * conj(b)` for complex numbers, likewise.
    #[inline(always)]
    fn complex_mul_conj(self, a: (Self::F, Self::F), b: (Self::F, Self::F)) -> (Self::F, Self::F) {
        (
            self.add(self.mul(a.0, b.0), self.mul(a.1, b.1)),
            self.sub(self.mul(a.1, b.0), self.mul(a.0, b.1)),
        )
    }
    /// `-a`.
    fn neg(self, a: Self::F) -> Self::F;
    /// `a / 2`, exact.
    fn half(self, a: Self::F) -> Self::F;
    /// `1 / a`, rounded to nearest.
    fn inverse(self, a: Self::F) -> Self::F;
    /// Largest integer `<= a`, for `|a| < 2^51`; zero is positive.
    fn floor(self, a: Self::F) -> Self::F;
}
