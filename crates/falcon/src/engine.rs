//! The engines of this build, and the choice among them.

use falcon_core::batch::{
    BatchError, BatchSign, BatchVerify, LaneEngine, SignJob, VerifyBytesJob, VerifyJob,
    sign_batch_raw,
};
use falcon_core::fft::Fft;
use falcon_core::hazmat::{self, Fit, RawJob, RawRandomness};
use falcon_core::hedge::SEED_LEN;
use falcon_core::lanes::{Baseline, Binary64, Many, Native, Soft};
use falcon_core::{
    DecodeError, ExpandedKey, MessageHasher, Parameters, Scratch, SignStream, Signature,
    SignatureError, SigningKey, VerifyingKey,
};
#[cfg(all(
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]
use falcon_neon::{Neon, NeonSha3};
#[cfg(target_arch = "x86_64")]
use falcon_x86::{Avx2, Avx512};
use std::fmt;
use std::str::FromStr;

/// Name of the environment variable that forces an engine.
pub const ENGINE_VARIABLE: &str = "FALCON_ENGINE";

/// The value of [`ENGINE_VARIABLE`] that says what its absence does, in any case.
const AUTO: &str = "auto";

/// Defines [`Engine`] and everything that is a table over its variants: name,
/// lanes, description, and the arithmetic of one signature and of all lanes.
/// A variant that needs features of the processor holds the proof of them.
macro_rules! engines {
    ($(
        $(#[cfg($cfg:meta)])?
        $variant:ident $(($isa:ident: $proof:ty))?,
        $name:literal, $lanes:literal, $description:literal,
        $arith:expr, $fft:expr;
    )*) => {
        /// An engine: where the arithmetic of signing runs. All give the same
        /// bytes.
        ///
        /// One that needs features of the processor can only be had on such a
        /// processor: from [`available`](Self::available), by its name, or
        /// with a token of its instruction set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Engine {
            $(
                $(#[cfg($cfg)])?
                #[doc = concat!("`", $name, "`: ", $description, ".")]
                $variant $(($proof))?,
            )*
        }

        /// The engines of this build, also those that this processor lacks.
        const NAMES: &[&str] = &[$($(#[cfg($cfg)])? $name,)*];

        impl Engine {
            /// Every engine that this processor can run, the reference first.
            pub fn available() -> Vec<Self> {
                let mut engines = Vec::new();
                $(
                    $(#[cfg($cfg)])?
                    engines.extend(detect!($variant $(, $proof)?));
                )*
                engines
            }

            /// Its name on command lines and in the environment.
            pub const fn name(self) -> &'static str {
                match self {
                    $($(#[cfg($cfg)])? Self::$variant { .. } => $name,)*
                }
            }

            /// What it is, in one line.
            pub const fn description(self) -> &'static str {
                match self {
                    $($(#[cfg($cfg)])? Self::$variant { .. } => $description,)*
                }
            }

            /// Signatures that it works on at once.
            pub const fn lanes(self) -> usize {
                match self {
                    $($(#[cfg($cfg)])? Self::$variant { .. } => $lanes,)*
                }
            }
        }

        /// Evaluates `$body` with the lane engine of `$engine` as `$bound`.
        macro_rules! with_lanes {
            ($engine:expr, $bound:ident => $body:expr) => {
                match $engine {
                    $(
                        $(#[cfg($cfg)])?
                        Engine::$variant $(($isa))? => {
                            let $bound = LaneEngine { arith: $arith, fft: $fft };
                            $body
                        }
                    )*
                }
            };
        }
    };
}

/// The engine of a variant, if the processor has what it needs.
macro_rules! detect {
    ($variant:ident) => {
        Some(Self::$variant)
    };
    ($variant:ident, $proof:ty) => {
        <$proof>::detect().map(Self::$variant)
    };
}

engines! {
    Scalar, "scalar", 1, "one signature at a time on the binary64 unit",
        Baseline, Baseline;
    Soft, "soft", 1, "one signature at a time on integers alone, constant time",
        Soft, Soft;
    Portable1, "portable1", 1, "one lane, written as an array",
        Baseline, Many::<_, 1>(Baseline);
    Portable2, "portable2", 2, "two signatures side by side, vectorised by the compiler",
        Baseline, Many::<_, 2>(Baseline);
    Portable4, "portable4", 4, "four signatures side by side, vectorised by the compiler",
        Baseline, Many::<_, 4>(Baseline);
    Portable8, "portable8", 8, "eight signatures side by side, vectorised by the compiler",
        Baseline, Many::<_, 8>(Baseline);
    #[cfg(target_arch = "x86_64")]
    Avx2x4(isa: Avx2), "avx2x4", 4, "four signatures side by side in AVX2 registers",
        isa, Many::<_, 4>(isa);
    #[cfg(target_arch = "x86_64")]
    Avx2x8(isa: Avx2), "avx2x8", 8, "eight signatures side by side in AVX2 registers",
        isa, Many::<_, 8>(isa);
    #[cfg(target_arch = "x86_64")]
    Avx512x8(isa: Avx512), "avx512x8", 8, "eight signatures side by side in AVX-512 registers",
        isa, Many::<_, 8>(isa);
    #[cfg(target_arch = "x86_64")]
    Avx512x16(isa: Avx512), "avx512x16", 16, "sixteen signatures side by side in AVX-512 registers",
        isa, Many::<_, 16>(isa);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neonx2(isa: Neon), "neonx2", 2, "two signatures side by side in NEON registers",
        isa, Many::<_, 2>(isa);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neonx4(isa: Neon), "neonx4", 4, "four signatures side by side in NEON registers",
        isa, Many::<_, 4>(isa);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    NeonSha3x2(isa: NeonSha3), "neonsha3x2", 2, "as neonx2, and the SHA-3 instructions",
        isa, Many::<_, 2>(isa);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    NeonSha3x4(isa: NeonSha3), "neonsha3x4", 4, "as neonx4, and the SHA-3 instructions",
        isa, Many::<_, 4>(isa);
}

impl Engine {
    /// The engine for this machine: [`ENGINE_VARIABLE`] if it is set and not
    /// `auto`, else the fastest one that the processor can run.
    ///
    /// # Errors
    /// If the variable names no engine of this build, or one that this
    /// processor cannot run.
    pub fn choose() -> Result<Self, UnknownEngine> {
        Self::named_or_best(&std::env::var(ENGINE_VARIABLE).unwrap_or_default())
    }

    fn named_or_best(name: &str) -> Result<Self, UnknownEngine> {
        if name.is_empty() || name.eq_ignore_ascii_case(AUTO) {
            Ok(Self::best())
        } else {
            name.parse()
        }
    }

    /// The fastest engine that the processor can run.
    pub fn best() -> Self {
        let plain = if Native::HARDWARE {
            Self::Scalar
        } else {
            Self::Soft
        };
        Self::best_widths().next().unwrap_or(plain)
    }

    /// The engine of every instruction set that the processor has, in its best
    /// width, the fastest first.
    pub fn best_widths() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let engines = [
            Avx512::detect().map(Self::Avx512x16),
            Avx2::detect().map(Self::Avx2x8),
        ];
        // Neoverse has one unit for the SHA-3 instructions, and by the estimates
        // in docs/PERFORMANCE.md plain ones are faster there; Apple's cores have
        // more.
        #[cfg(all(
            target_arch = "aarch64",
            target_feature = "neon",
            target_endian = "little"
        ))]
        let engines = {
            let mut engines = [
                NeonSha3::detect().map(Self::NeonSha3x4),
                Neon::detect().map(Self::Neonx4),
            ];
            if !cfg!(target_vendor = "apple") {
                engines.reverse();
            }
            engines
        };
        #[cfg(not(any(
            target_arch = "x86_64",
            all(
                target_arch = "aarch64",
                target_feature = "neon",
                target_endian = "little"
            )
        )))]
        let engines: [Option<Self>; 0] = [];
        engines.into_iter().flatten()
    }

    /// Gives the tokens of this engine to `visitor`: for what goes through the
    /// operations themselves.
    pub fn visit<V: TokenVisitor>(self, visitor: V) -> V::Output {
        with_lanes!(self, lanes => visitor.visit(lanes))
    }

    /// Reads the round-3 encoding of a signing key on this engine.
    ///
    /// # Errors
    /// As for [`SigningKey::decode_boxed`].
    pub fn decode_signing_key<P: Parameters>(
        self,
        bytes: &[u8],
    ) -> Result<Box<SigningKey<P>>, DecodeError> {
        with_lanes!(self, lanes => SigningKey::decode_boxed_with(lanes.arith, bytes))
    }

    /// Expands `key` on this engine.
    pub fn expand<P: Parameters>(self, key: &SigningKey<P>) -> ExpandedKey<P> {
        with_lanes!(self, lanes => hazmat::expand_with(lanes.arith, key))
    }

    /// Signs with a key in either form, the caller's nonce and sampler seed.
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

    /// Verifies `signature` of `message`.
    ///
    /// # Errors
    /// As for [`VerifyingKey::verify`].
    pub fn verify<P: Parameters>(
        self,
        key: &VerifyingKey<P>,
        message: &[u8],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        with_lanes!(self, lanes => {
            key.verify_parts_with(lanes.arith, &[message], signature)
        })
    }

    /// Verifies `signature` of the message that `hasher` has absorbed.
    ///
    /// # Errors
    /// As for [`VerifyingKey::verify_hashed`].
    pub fn verify_hashed<P: Parameters>(
        self,
        key: &VerifyingKey<P>,
        hasher: MessageHasher,
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        with_lanes!(self, lanes => {
            key.verify_hashed_with(lanes.arith, hasher, signature)
        })
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

/// What is to be done with the tokens of an engine, whichever they are:
/// [`Engine::visit`].
pub trait TokenVisitor {
    /// What comes out.
    type Output;

    /// Does it.
    fn visit<B: Binary64, F: Fft>(self, tokens: LaneEngine<B, F>) -> Self::Output;
}

impl<P: Parameters> BatchSign<P> for Engine {
    fn sign_part(
        &self,
        seed: &[u8; SEED_LEN],
        first: u64,
        jobs: &[SignJob<'_, P>],
        out: &mut [Signature<P>],
    ) -> Result<(), BatchError> {
        with_lanes!(*self, lanes => lanes.sign_part(seed, first, jobs, out))
    }
}

impl<P: Parameters> BatchVerify<P> for Engine {
    fn verify_batch(
        &self,
        jobs: &[VerifyJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        with_lanes!(*self, lanes => lanes.verify_batch(jobs, out))
    }

    fn verify_bytes_batch(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
        out: &mut [Result<(), SignatureError>],
    ) -> Result<(), BatchError> {
        with_lanes!(*self, lanes => lanes.verify_bytes_batch(jobs, out))
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    /// Reads a name in any case; that of an instruction set, such as `avx2`, is
    /// its engine of the best width.
    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let mut available = Self::available().into_iter();
        let found = available.find(|engine| engine.name().eq_ignore_ascii_case(name));
        found
            .or_else(|| Self::best_widths().find(|engine| is_instruction_set(name, engine.name())))
            .ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// Whether `name` is what comes before the lanes in the name of an engine, as
/// `avx2` in `avx2x8`.
fn is_instruction_set(name: &str, engine: &str) -> bool {
    let set = engine.trim_end_matches(|c: char| c.is_ascii_digit());
    let set = set.strip_suffix('x');
    set.is_some_and(|set| set.eq_ignore_ascii_case(name))
}

/// No engine that this processor can run has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEngine(String);

impl fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.0;
        if NAMES
            .iter()
            .any(|other| other.eq_ignore_ascii_case(name) || is_instruction_set(name, other))
        {
            write!(f, "this processor cannot run {name:?}; it can run")?;
        } else {
            write!(
                f,
                "no engine here is called {name:?}; this processor can run"
            )?;
        }
        for (i, engine) in Engine::available().into_iter().enumerate() {
            write!(f, "{} {engine}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownEngine {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_in_any_case() {
        for engine in Engine::available() {
            assert!(NAMES.contains(&engine.name()));
            assert_eq!(engine.name().to_ascii_uppercase().parse(), Ok(engine));
        }
    }

    #[test]
    fn a_hashed_message_is_verified_on_every_engine() {
        use falcon_core::Falcon512;
        let key = SigningKey::<Falcon512>::from_seed_boxed(&[3; SEED_LEN]);
        let public = key.verifying_key();
        let mut stream = key.sign_stream_from_seed(&[4; SEED_LEN]);
        stream.update(b"message");
        let signature = stream.finish();
        let hashed = |message: &[u8], nonce| {
            let mut hasher = public.hasher(nonce);
            hasher.update(message);
            hasher
        };
        for engine in Engine::available() {
            let verify = |hasher| engine.verify_hashed(public, hasher, &signature);
            let nonce = signature.nonce();
            assert_eq!(verify(hashed(b"message", nonce)), Ok(()), "{engine}");
            let (other, another) = (hashed(b"massage", nonce), hashed(b"message", &[0; 40]));
            assert_eq!(verify(other), Err(SignatureError), "{engine}");
            assert_eq!(verify(another), Err(SignatureError), "{engine}");
        }
    }

    #[test]
    fn no_name_and_auto_are_the_best_one() {
        for name in ["", "auto", "Auto", "AUTO"] {
            assert_eq!(Engine::named_or_best(name), Ok(Engine::best()));
        }
        assert_eq!(Engine::named_or_best("soft"), Ok(Engine::Soft));
        assert!(Engine::named_or_best("automatic").is_err());
    }

    #[test]
    fn an_instruction_set_is_its_best_width() {
        for engine in Engine::best_widths() {
            let (set, lanes) = engine.name().rsplit_once('x').expect("a width");
            assert_eq!(set.parse(), Ok(engine));
            assert_eq!(lanes.parse(), Ok(engine.lanes()));
        }
        assert!(Engine::best_widths().all(|engine| Engine::available().contains(&engine)));
    }

    #[test]
    fn what_the_processor_lacks_is_told_from_what_there_is_not() {
        let told = |name: &str| UnknownEngine(name.to_owned()).to_string();
        let can_run = "can run scalar, soft";
        for name in NAMES {
            assert!(told(name).starts_with(&format!("this processor cannot run {name:?}; it")));
            assert!(told(name).contains(can_run));
        }
        assert!(told("abacus").starts_with("no engine here is called \"abacus\"; this processor"));
        assert!(told("abacus").contains(can_run));
        for name in ["", "x8", "portable", "avx", "avx2x", "2"] {
            assert!(name.parse::<Engine>().is_err(), "{name}");
        }
    }
}
