//! The sampler of each instruction set.

use super::{Sampling, Serial, Windows};
use crate::lanes::{Double, Isa, SoftDouble};
use crate::prng::SAMPLER_SEED_LEN;

/// A double and its sampler: [`Windows`] on a binary64 unit, [`Serial`] on integers.
pub trait SampledDouble: Double {
    /// Sampler of signatures that compute with this double.
    type Sampling<I: Isa>: Sampling<Seed = [u8; SAMPLER_SEED_LEN]>;

    /// Returns the sampler for `isa`.
    fn sampling<I: Isa>(isa: I) -> Self::Sampling<I>;
}

impl SampledDouble for f64 {
    type Sampling<I: Isa> = Windows<I>;

    #[inline(always)]
    fn sampling<I: Isa>(isa: I) -> Windows<I> {
        Windows::new(isa)
    }
}

impl SampledDouble for SoftDouble {
    type Sampling<I: Isa> = Serial<Self>;

    #[inline(always)]
    fn sampling<I: Isa>(_: I) -> Serial<Self> {
        Serial::new()
    }
}

/// An instruction set for signing. Its sampler is that of its doubles.
pub trait SigningIsa: Isa<F64: SampledDouble> {
    /// Sampler of this instruction set.
    type Sampling: Sampling<Seed = [u8; SAMPLER_SEED_LEN]>;

    /// Returns the sampler for one signature.
    fn sampling(self) -> Self::Sampling;
}

impl<I: Isa<F64: SampledDouble>> SigningIsa for I {
    type Sampling = <I::F64 as SampledDouble>::Sampling<I>;

    #[inline(always)]
    fn sampling(self) -> Self::Sampling {
        I::F64::sampling(self)
    }
}

/// The random bytes of a signature on an instruction set.
pub type Feed<B> = <<B as SigningIsa>::Sampling as Sampling>::Feed;
