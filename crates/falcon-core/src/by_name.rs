//! Plain calls on an engine chosen by name.

use crate::batch::lanes::LaneEngine;
use crate::engine::Engine;
use crate::error::{DecodeError, FaultError, SignatureError};
use crate::expand::ExpandedKey;
use crate::fft::Fft;
use crate::hazmat::{ComputeOn, SecretKey};
use crate::keys::SigningKey;
use crate::params::Parameters;
use crate::sampler::SigningIsa;
use crate::scratch::Scratch;
use crate::secret::Secret;
use crate::sign::SignStream;
use crate::signatures::Signature;
use crate::verify::{MessageHasher, VerifyingKey};
use alloc::boxed::Box;

impl Engine {
    /// Decodes a signing key on this engine, as [`SigningKey::decode_boxed`] does.
    ///
    /// # Errors
    /// As for [`SigningKey::decode_boxed`].
    pub fn decode_signing_key<P: Parameters>(
        self,
        bytes: &[u8],
    ) -> Result<Box<SigningKey<P>>, DecodeError> {
        SigningKey::decode_boxed_on(self, bytes)
    }

    /// Expands a key on this engine, as [`SigningKey::expand`] does.
    pub fn expand<P: Parameters>(self, key: &SigningKey<P>) -> ExpandedKey<P> {
        ExpandedKey::expand_boxed_on(self, key)
    }

    /// Signs the absorbed message on this engine, as [`SignStream::finish_in`] does.
    ///
    /// # Errors
    /// As for [`SignStream::finish_in`].
    #[allow(private_bounds)]
    pub fn finish<P: Parameters, K: Secret<P>>(
        self,
        mut stream: SignStream<'_, P, K>,
        scratch: &mut Scratch<'_, P>,
    ) -> Result<Signature<P>, FaultError> {
        stream.finish_on(self, scratch)
    }

    /// Verifies a signature on this engine, as [`VerifyingKey::verify`] does.
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

    /// Verifies a signature on this engine, as [`VerifyingKey::verify_hashed`] does.
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
    /// Type of the result.
    type Output;

    /// Computes the result with these tokens.
    fn visit<B: SigningIsa, F: Fft>(self, tokens: LaneEngine<B, F>) -> Self::Output;
}

/// Calls `visitor` with the tokens of `engine`.
pub fn visit<V: TokenVisitor>(engine: Engine, visitor: V) -> V::Output {
    on_engine!(engine, arith, fft => visitor.visit(LaneEngine { arith, fft }))
}

/// Expands `key` as [`SigningKey::expand`] does. `on` is an engine chosen by name, or the
/// arithmetic of an engine.
pub fn expand_on<P: Parameters>(on: impl ComputeOn, key: &SigningKey<P>) -> ExpandedKey<P> {
    ExpandedKey::expand_boxed_on(on, key)
}

/// Signs as [`SignStream::finish_in`] does, with the engine `on`.
///
/// # Errors
/// As for [`SignStream::finish_in`].
pub fn finish_on<P: Parameters, K: SecretKey<P>>(
    on: impl ComputeOn,
    mut stream: SignStream<'_, P, K>,
    scratch: &mut Scratch<'_, P>,
) -> Result<Signature<P>, FaultError> {
    stream.finish_on(on, scratch)
}

/// Decodes a key as [`SigningKey::decode_boxed`] does, with the engine `on`.
///
/// # Errors
/// As for [`SigningKey::decode_boxed`].
pub fn decode_boxed_on<P: Parameters>(
    on: impl ComputeOn,
    bytes: &[u8],
) -> Result<Box<SigningKey<P>>, DecodeError> {
    SigningKey::decode_boxed_on(on, bytes)
}

/// Decodes a key as [`VerifyingKey::try_from`] does, with the engine `on`.
///
/// # Errors
/// As for `TryFrom<&[u8]>`.
pub fn decode_verifying_key_on<P: Parameters>(
    on: impl ComputeOn,
    bytes: &[u8],
) -> Result<VerifyingKey<P>, DecodeError> {
    VerifyingKey::decode_on(on, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hedge::SEED_LEN;

    #[test]
    fn a_hashed_message_is_verified_on_every_engine() {
        use crate::params::Falcon512;
        let key = SigningKey::<Falcon512>::from_seed_boxed(&[3; SEED_LEN]).expect("no fault");
        let public = key.verifying_key();
        let mut stream = key.sign_stream_from_seed(&[4; SEED_LEN]);
        stream.update(b"message");
        let signature = stream.finish().expect("no fault");
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
}
