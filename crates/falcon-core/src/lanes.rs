//! The registers of [`falcon_lanes`], and what the scheme adds to them: the arithmetic of one
//! double ([`Double`]), the instruction sets that sign with it ([`Binary64`]), and the instruction
//! set for targets without a binary64 unit ([`Soft`]).

mod binary64;
mod soft;

pub use falcon_lanes::*;
pub use soft::{Soft, SoftDouble};

use core::fmt::Debug;

/// True if the compiler makes vector code for this target.
pub(crate) const HAS_VECTORS: bool = cfg!(any(
    target_arch = "x86_64",
    target_arch = "x86",
    target_arch = "aarch64",
    target_feature = "simd128"
));

/// Wipes `WORDS` words of 8 bytes of the stack below the caller's frame. Compilers spill values
/// there that do not fit in registers.
#[inline(never)]
pub(crate) fn wipe_below<const WORDS: usize>() {
    wipe(&mut [0u64; WORDS]);
}

/// A double, with the operations that key expansion and the sampler need: square root and
/// conversions. In memory it is an `f64`, so all engines can share key material.
pub trait Double: F64s<Baseline> + From<f64> + Into<f64> + Debug + Send + Sync {
    /// True if the machine's binary64 unit does the arithmetic.
    const HARDWARE: bool;

    /// Returns `x` as binary64. The result is exact for `|x| <= 2^53`.
    fn from_i64(x: i64) -> Self;
    /// Returns the square root, rounded to nearest.
    fn square_root(self) -> Self;
    /// Returns the nearest integer, ties to even, for `|self| < 2^51`.
    fn rint(self) -> i64;
    /// Returns `self` rounded towards zero, for `|self| < 2^63`.
    fn truncate(self) -> i64;
    /// Returns all ones if `self < b`, and zero otherwise. Neither may be a NaN.
    fn below(self, b: Self) -> u64;
}

/// An instruction set whose doubles are [`Double`]s.
pub trait Binary64: Isa<F64: Double> {
    /// True if the machine's binary64 unit does the arithmetic.
    const HARDWARE: bool = Self::F64::HARDWARE;
}

impl<I: Isa<F64: Double>> Binary64 for I {}

/// Chooses [`Native`]. The listed targets certainly have a binary64 unit, and all its operations
/// round to binary64. Other targets get the instruction set that gives the right bits everywhere.
macro_rules! native {
    ($unit:meta) => {
        /// The portable instruction set for this target: [`Baseline`] if the target surely has a
        /// binary64 unit, else [`Soft`].
        #[cfg($unit)]
        pub type Native = Baseline;
        /// The portable instruction set for this target: [`Baseline`] if the target surely has a
        /// binary64 unit, else [`Soft`].
        #[cfg(not($unit))]
        pub type Native = Soft;
    };
}

native!(any(
    all(
        any(target_arch = "x86", target_arch = "x86_64"),
        target_feature = "sse2"
    ),
    all(
        any(target_arch = "aarch64", target_arch = "arm64ec"),
        target_feature = "neon"
    ),
    all(
        any(
            target_arch = "riscv32",
            target_arch = "riscv64",
            target_arch = "loongarch64"
        ),
        target_feature = "d"
    ),
    target_arch = "wasm32",
    target_arch = "wasm64",
    target_arch = "powerpc64",
    target_arch = "s390x",
));
