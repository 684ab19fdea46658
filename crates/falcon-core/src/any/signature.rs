//! Signatures of any parameter set.

use super::set::{ParameterSet, with_type};
use crate::error::{DecodeError, EncodeError};
use crate::params::{Falcon512, Falcon1024, NONCE_LEN, Parameters};
use crate::signatures::{Format, Signature};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

/// A signature of any parameter set.
///
/// ```
/// use falcon_core::{AnySignature, AnySigningKey, Format, ParameterSet};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
/// # let key = AnySigningKey::generate(ParameterSet::Falcon1024, &mut rng)?;
/// # let received = key.sign_with_rng(&mut rng, b"order #42")?;
/// let signature = AnySignature::try_from(&received[..])?;
/// assert_eq!(signature.set(), ParameterSet::Falcon1024);
/// key.verifying_key().verify_decoded(b"order #42", &signature)?;
///
/// let fixed = signature.to_vec(Format::ConstantTime)?;
/// assert_eq!(AnySignature::detect(&fixed)?, (ParameterSet::Falcon1024, Format::ConstantTime));
/// let read = AnySignature::from_bytes(signature.set(), Format::ConstantTime, &fixed)?;
/// assert_eq!(read, signature);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AnySignature {
    /// A signature of degree 512.
    Falcon512(Box<Signature<Falcon512>>),
    /// A signature of degree 1024.
    Falcon1024(Box<Signature<Falcon1024>>),
}

impl AnySignature {
    /// Returns the parameter set.
    pub fn set(&self) -> ParameterSet {
        set_of!(self)
    }

    /// Returns the signature if its parameter set is `P`.
    pub fn typed<P: Parameters>(&self) -> Option<&Signature<P>> {
        either!(self, signature => (&**signature as &dyn Any).downcast_ref())
    }

    /// Returns the nonce, which is hashed before the message.
    pub fn nonce(&self) -> &[u8; NONCE_LEN] {
        either!(self, signature => signature.nonce())
    }

    /// Detects parameter set and format of `bytes`, as [`Signature::detect`] does.
    ///
    /// # Errors
    /// As for [`Signature::detect`].
    pub fn detect(bytes: &[u8]) -> Result<(ParameterSet, Format), DecodeError> {
        let set = ParameterSet::of_encoding(bytes);
        let format = with_type!(set, P => Signature::<P>::detect(bytes))?;
        Ok((set, format))
    }

    /// Decodes a signature of `set` in `format`, as [`Signature::from_bytes`] does.
    ///
    /// # Errors
    /// As for [`Signature::from_bytes`].
    pub fn from_bytes(
        set: ParameterSet,
        format: Format,
        bytes: &[u8],
    ) -> Result<Self, DecodeError> {
        with_type!(set, P => Signature::<P>::from_bytes(format, bytes).map(Self::from))
    }

    /// Decodes a signature of `set` from its canonical bytes, as [`Signature::try_from`] does.
    ///
    /// # Errors
    /// As for [`Signature::try_from`].
    pub fn from_canonical_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, DecodeError> {
        with_type!(set, P => Signature::<P>::try_from(bytes).map(Self::from))
    }

    /// Encodes the signature as its canonical bytes, as [`Signature::to_bytes`] does.
    pub fn to_bytes(&self) -> Vec<u8> {
        either!(self, signature => signature.to_bytes().to_vec())
    }

    /// Encodes the signature in `format`, as [`Signature::to_vec`] does.
    ///
    /// # Errors
    /// As for [`Signature::to_vec`].
    pub fn to_vec(&self, format: Format) -> Result<Vec<u8>, EncodeError> {
        either!(self, signature => signature.to_vec(format))
    }
}

impl TryFrom<&[u8]> for AnySignature {
    type Error = DecodeError;

    /// Reads the canonical bytes, whose header names the parameter set.
    fn try_from(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::from_canonical_bytes(ParameterSet::of_encoding(bytes), bytes)
    }
}

impl TryFrom<Vec<u8>> for AnySignature {
    type Error = DecodeError;

    fn try_from(bytes: Vec<u8>) -> Result<Self, DecodeError> {
        Self::try_from(&bytes[..])
    }
}

impl From<Signature<Falcon512>> for AnySignature {
    fn from(signature: Signature<Falcon512>) -> Self {
        Self::Falcon512(Box::new(signature))
    }
}

impl From<Signature<Falcon1024>> for AnySignature {
    fn from(signature: Signature<Falcon1024>) -> Self {
        Self::Falcon1024(Box::new(signature))
    }
}
