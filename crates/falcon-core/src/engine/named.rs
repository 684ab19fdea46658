//! Engines by name, and what they compute.

use super::{Engine, NAMES};
use crate::batch::lanes::LaneEngine;
use crate::error::{DecodeError, SignatureError};
use crate::expand::ExpandedKey;
use crate::fft::Fft;
use crate::hazmat::{ComputeOn, SecretKey};
use crate::keys::SigningKey;
use crate::lanes::{Binary64, Native};
use crate::params::Parameters;
use crate::scratch::Scratch;
use crate::secret::Secret;
use crate::sign::SignStream;
use crate::signatures::Signature;
use crate::verify::{MessageHasher, VerifyingKey};
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

impl Engine {
    /// The fastest engine that the processor can run.
    pub fn best() -> Self {
        let plain = if Native::HARDWARE {
            Self::Scalar
        } else {
            Self::Soft
        };
        Self::instruction_sets().next().unwrap_or(plain)
    }

    /// [`SigningKey::decode_boxed`] on this engine.
    ///
    /// # Errors
    /// As for [`SigningKey::decode_boxed`].
    pub fn decode_signing_key<P: Parameters>(
        self,
        bytes: &[u8],
    ) -> Result<Box<SigningKey<P>>, DecodeError> {
        SigningKey::decode_boxed_on(self, bytes)
    }

    /// [`SigningKey::expand`] on this engine.
    pub fn expand<P: Parameters>(self, key: &SigningKey<P>) -> ExpandedKey<P> {
        ExpandedKey::expand_boxed_on(self, key)
    }

    /// [`SignStream::finish_in`] on this engine.
    #[allow(private_bounds)]
    pub fn finish<P: Parameters, K: Secret<P>>(
        self,
        stream: SignStream<'_, P, K>,
        scratch: &mut Scratch<'_, P>,
    ) -> Signature<P> {
        stream.finish_on(self, scratch)
    }

    /// [`VerifyingKey::verify`] on this engine.
    ///
    /// # Errors
    /// As for [`VerifyingKey::verify`].
    pub fn verify<P: Parameters>(
        self,
        key: &VerifyingKey<P>,
        message: &[u8],
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        key.verify_parts_on(self, &[message], signature)
    }

    /// [`VerifyingKey::verify_hashed`] on this engine.
    ///
    /// # Errors
    /// As for [`VerifyingKey::verify_hashed`].
    pub fn verify_hashed<P: Parameters>(
        self,
        key: &VerifyingKey<P>,
        hasher: MessageHasher,
        signature: &Signature<P>,
    ) -> Result<(), SignatureError> {
        key.verify_hashed_on(self, hasher, signature)
    }
}

/// A function that is generic over the tokens of an engine, for [`visit`].
pub trait TokenVisitor {
    /// The result.
    type Output;

    /// Computes the result with these tokens.
    fn visit<B: Binary64, F: Fft>(self, tokens: LaneEngine<B, F>) -> Self::Output;
}

/// Calls `visitor` with the tokens of `engine`.
pub fn visit<V: TokenVisitor>(engine: Engine, visitor: V) -> V::Output {
    on_engine!(engine, arith, fft => visitor.visit(LaneEngine { arith, fft }))
}

/// [`SigningKey::expand`] on `on`: an engine by name, or the arithmetic of one.
pub fn expand_on<P: Parameters>(on: impl ComputeOn, key: &SigningKey<P>) -> ExpandedKey<P> {
    ExpandedKey::expand_boxed_on(on, key)
}

/// [`SignStream::finish_in`] on `on`.
pub fn finish_on<P: Parameters, K: SecretKey<P>>(
    on: impl ComputeOn,
    stream: SignStream<'_, P, K>,
    scratch: &mut Scratch<'_, P>,
) -> Signature<P> {
    stream.finish_on(on, scratch)
}

/// [`SigningKey::decode_boxed`] on `on`.
///
/// # Errors
/// As for [`SigningKey::decode_boxed`].
pub fn decode_boxed_on<P: Parameters>(
    on: impl ComputeOn,
    bytes: &[u8],
) -> Result<Box<SigningKey<P>>, DecodeError> {
    SigningKey::decode_boxed_on(on, bytes)
}

/// [`VerifyingKey::try_from`] on `on`.
///
/// # Errors
/// As for `TryFrom<&[u8]>`.
pub fn decode_verifying_key_on<P: Parameters>(
    on: impl ComputeOn,
    bytes: &[u8],
) -> Result<VerifyingKey<P>, DecodeError> {
    VerifyingKey::decode_on(on, bytes)
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    /// Reads the name of an engine, or of an instruction set such as `avx2`, in
    /// upper or lower case.
    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let found = Self::available().find(|engine| engine.name().eq_ignore_ascii_case(name));
        found
            .or_else(|| {
                Self::instruction_sets().find(|engine| is_instruction_set(name, engine.name()))
            })
            .ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// Whether `name` is the instruction set in the name of an engine: `avx2` in
/// `avx2x8`.
fn is_instruction_set(name: &str, engine: &str) -> bool {
    let set = engine.trim_end_matches(|c: char| c.is_ascii_digit());
    let set = set.strip_suffix('x');
    set.is_some_and(|set| set.eq_ignore_ascii_case(name))
}

/// The error for a name of an engine that does not exist, or that this processor
/// cannot run.
///
/// ```
/// use falcon_core::{Engine, UnknownEngine};
///
/// let error: UnknownEngine = "abacus".parse::<Engine>().unwrap_err();
/// assert!(error.to_string().contains("this processor can run scalar, soft"));
/// ```
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
        for (i, engine) in Engine::available().enumerate() {
            write!(f, "{} {engine}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownEngine {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hedge::SEED_LEN;
    use std::format;
    use std::string::ToString;

    #[test]
    fn names_are_read_back_in_any_case() {
        for engine in Engine::available() {
            assert!(NAMES.contains(&engine.name()));
            assert_eq!(engine.name().to_ascii_uppercase().parse(), Ok(engine));
        }
    }

    #[test]
    fn a_hashed_message_is_verified_on_every_engine() {
        use crate::params::Falcon512;
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
    fn an_instruction_set_is_its_best_width() {
        for engine in Engine::instruction_sets() {
            let (set, lanes) = engine.name().rsplit_once('x').expect("a width");
            assert_eq!(set.parse(), Ok(engine));
            assert_eq!(lanes.parse(), Ok(engine.lanes()));
        }
        assert!(
            Engine::instruction_sets()
                .all(|engine| Engine::available().any(|other| other == engine))
        );
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
