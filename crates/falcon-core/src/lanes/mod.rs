//! The register seam: `N` lanes of binary64, one signature a lane.
//!
//! A [`Lanes`] token is a zero-sized proof that this processor can execute the
//! operations. Every operation rounds to nearest, ties to even, once; there is
//! no fused multiply-add on purpose. So a formula written over `Lanes` gives
//! the same bits under every token, which is what makes each token an oracle
//! for the others.
//!
//! | token | lanes | for |
//! |---|---|---|
//! | [`Scalar`] | 1 | targets with a binary64 unit |
//! | [`Soft`] | 1 | targets without one: integer instructions alone, constant time |
//! | [`Portable<N>`] | N | any machine; the compiler vectorises what it can |
//! | [`Abreast`] | 2 to 16 | as many signatures in the registers of an [instruction set](Isa) |
//! | [`Across<I>`](Across) | 1 | one signature, neighbours of a polynomial in the registers of `I` |

mod abreast;
mod across;
mod bits;
mod integers;
mod isa;
mod portable;
mod run;
mod scalar;
mod soft;

pub use abreast::{Abreast, Abreast2, Abreast4, Abreast8, Abreast16};
pub use across::Across;
pub use bits::Bits64;
pub use integers::{Bits32, I16_LANES, Integers, U32_LANES, U32_ROW, Words16};
pub use isa::{Baseline, ByteTable, F32_LANES, Isa, U8_LANES, U16_LANES, U64_LANES, tail};
pub use portable::Portable;
pub use run::{One, Run, Runs, Singles, Two};
pub use scalar::Scalar;
pub use soft::Soft;

use crate::sampler::Sampling;
use core::fmt::Debug;
use zeroize::Zeroize;

/// `N` lanes of binary64 arithmetic. See the [module](self) for the contract.
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
