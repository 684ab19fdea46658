//! The engines of this build, and the choice among them.

use falcon_core::batch::{
    BatchError, BatchSign, BatchVerify, LaneEngine, SignJob, VerifyJob, sign_batch_raw,
};
use falcon_core::hazmat::{self, Fit, RawJob, RawRandomness};
use falcon_core::hedge::SEED_LEN;
use falcon_core::lanes::{Binary64, Native, Portable, Scalar, Soft};
use falcon_core::{
    ExpandedKey, Parameters, Scratch, SignStream, Signature, SignatureError, SigningKey,
};
use std::fmt;
use std::str::FromStr;

/// Name of the environment variable that forces an engine.
pub const ENGINE_VARIABLE: &str = "FALCON_ENGINE";

/// An engine: where the arithmetic of signing runs. All give the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// One signature at a time on the machine's binary64 unit.
    Scalar,
    /// One signature at a time on integers alone, in constant time.
    Soft,
    /// One lane, written as an array.
    Portable1,
    /// Two signatures side by side, vectorised by the compiler.
    Portable2,
    /// Four signatures side by side, vectorised by the compiler.
    Portable4,
    /// Eight signatures side by side, vectorised by the compiler.
    Portable8,
}

/// Evaluates `$body` with the lane engine of `$engine` as `$lanes`.
macro_rules! with_lanes {
    ($engine:expr, $lanes:ident => $body:expr) => {
        match $engine {
            Engine::Scalar => {
                let $lanes = LaneEngine {
                    arith: Scalar,
                    fft: Scalar,
                };
                $body
            }
            Engine::Soft => {
                let $lanes = LaneEngine {
                    arith: Soft,
                    fft: Soft,
                };
                $body
            }
            Engine::Portable1 => {
                let $lanes = LaneEngine {
                    arith: Scalar,
                    fft: Portable::<1>,
                };
                $body
            }
            Engine::Portable2 => {
                let $lanes = LaneEngine {
                    arith: Scalar,
                    fft: Portable::<2>,
                };
                $body
            }
            Engine::Portable4 => {
                let $lanes = LaneEngine {
                    arith: Scalar,
                    fft: Portable::<4>,
                };
                $body
            }
            Engine::Portable8 => {
                let $lanes = LaneEngine {
                    arith: Scalar,
                    fft: Portable::<8>,
                };
                $body
            }
        }
    };
}

impl Engine {
    /// Every engine of this build, the reference first.
    pub const ALL: [Self; 6] = [
        Self::Scalar,
        Self::Soft,
        Self::Portable1,
        Self::Portable2,
        Self::Portable4,
        Self::Portable8,
    ];

    /// Its name on command lines and in the environment.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Soft => "soft",
            Self::Portable1 => "portable1",
            Self::Portable2 => "portable2",
            Self::Portable4 => "portable4",
            Self::Portable8 => "portable8",
        }
    }

    /// What it is, in one line.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Scalar => "one signature at a time on the binary64 unit",
            Self::Soft => "one signature at a time on integers alone, constant time",
            Self::Portable1 => "one lane, written as an array",
            Self::Portable2 => "two signatures side by side, vectorised by the compiler",
            Self::Portable4 => "four signatures side by side, vectorised by the compiler",
            Self::Portable8 => "eight signatures side by side, vectorised by the compiler",
        }
    }

    /// Signatures that it works on at once.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Scalar | Self::Soft | Self::Portable1 => 1,
            Self::Portable2 => 2,
            Self::Portable4 => 4,
            Self::Portable8 => 8,
        }
    }

    /// The engine for this machine: [`ENGINE_VARIABLE`] if it is set, else the
    /// fastest one that the processor can run.
    ///
    /// # Errors
    /// If the variable names no engine.
    pub fn choose() -> Result<Self, UnknownEngine> {
        match std::env::var(ENGINE_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Self::best()),
        }
    }

    /// The fastest engine that the processor can run.
    pub fn best() -> Self {
        if Native::HARDWARE {
            Self::Scalar
        } else {
            Self::Soft
        }
    }

    /// Expands `key` on this engine.
    pub fn expand<P: Parameters>(self, key: &SigningKey<P>) -> ExpandedKey<P> {
        with_lanes!(self, lanes => hazmat::expand_with(lanes.arith, key))
    }

    /// Signs from the key itself with the caller's nonce and sampler seed.
    /// See [`hazmat::sign_raw`] for the danger.
    pub fn sign_raw<P: Parameters>(
        self,
        key: &impl hazmat::SecretKey<P>,
        randomness: RawRandomness<'_>,
        message: &[u8],
        fit: Fit,
        scratch: &mut Scratch<'_, P>,
    ) -> Signature<P> {
        with_lanes!(self, lanes => {
            hazmat::sign_raw(lanes.arith, key, randomness, message, fit, scratch)
        })
    }

    /// Signs what `stream` has absorbed.
    pub fn finish<P: Parameters, K: hazmat::SecretKey<P>>(
        self,
        stream: SignStream<'_, P, K>,
        scratch: &mut Scratch<'_, P>,
    ) -> Signature<P> {
        with_lanes!(self, lanes => stream.finish_with(lanes.arith, scratch))
    }

    /// Signs a batch with the caller's nonces and sampler seeds.
    /// See [`hazmat::sign_raw`] for the danger.
    ///
    /// # Errors
    /// As for [`BatchSign::sign_batch`].
    pub fn sign_batch_raw<P: Parameters>(
        self,
        jobs: &[RawJob<'_, P>],
        fit: Fit,
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        with_lanes!(self, lanes => sign_batch_raw(&lanes, jobs, fit, out))
    }
}

impl<P: Parameters> BatchSign<P> for Engine {
    fn sign_batch(
        &self,
        seed: &[u8; SEED_LEN],
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        with_lanes!(self, lanes => lanes.sign_batch(seed, jobs, out))
    }
}

impl<P: Parameters> BatchVerify<P> for Engine {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        with_lanes!(self, lanes => lanes.verify_batch(jobs, out))
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    /// Reads a name in any case.
    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let found = Self::ALL
            .into_iter()
            .find(|engine| engine.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// No engine of this build has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine(String);

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no engine is called {:?}; this build has", self.0)?;
        for (i, engine) in Engine::ALL.into_iter().enumerate() {
            write!(f, "{} {engine}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownEngine {}
