//! The registers of [`falcon_lanes`], and what the scheme adds to them: the
//! arithmetic of one signature ([`Binary64`]), and the token for targets
//! without a binary64 unit ([`Soft`]).

mod binary64;
mod soft;

pub use falcon_lanes::*;
pub use soft::Soft;

use crate::sampler::Sampling;

/// A token of one lane that also has what key expansion and the sampler need:
/// square root and conversions. Its register is an `f64` in memory,
/// so key material is shared by all engines.
pub trait Binary64: Lanes<F = f64> {
    /// Whether the machine's binary64 unit does the arithmetic.
    const HARDWARE: bool;
    /// The instruction set that hashes and samples for this token.
    type Isa: Isa;
    /// How this token samples.
    type Sampling: Sampling;

    /// The instruction set.
    fn isa(self) -> Self::Isa;

    /// The sampler of one signature.
    fn sampling(self) -> Self::Sampling;

    /// Square root, rounded to nearest.
    fn sqrt(self, a: f64) -> f64;
    /// `x` as binary64; exact for `|x| <= 2^53`.
    fn float(self, x: i64) -> f64;
    /// Nearest integer, ties to even, for `|a| < 2^51`.
    fn rint(self, a: f64) -> i64;
    /// `a` rounded towards zero, for `|a| < 2^63`.
    fn trunc(self, a: f64) -> i64;
    /// All ones if `a < b`, else zero. Neither may be a NaN.
    fn lt(self, a: f64, b: f64) -> u64;
}

/// Chooses [`Native`] by the targets that surely have a binary64 unit, whose
/// every operation rounds to binary64. A target that is not listed gets what is
/// right everywhere.
macro_rules! native {
    ($unit:meta) => {
        /// The one-lane token for this target: [`Scalar`] where the target
        /// surely has a binary64 unit, else [`Soft`].
        #[cfg($unit)]
        pub type Native = Scalar;
        /// The one-lane token for this target: [`Scalar`] where the target
        /// surely has a binary64 unit, else [`Soft`].
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
