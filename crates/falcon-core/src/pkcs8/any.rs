//! Documents with a key of any parameter set, which the algorithm identifier names. The decoder of
//! Falcon-512 refuses documents with an unknown identifier.

use super::{
    AlgorithmIdentifierRef, DecodePrivateKey, Document, EncodePrivateKey, EncodePublicKey,
    PrivateKeyInfoRef, Result, SecretDocument, decode_boxed, decode_private_key, names, spki,
};
use crate::any::{AnySigningKey, AnyVerifyingKey, ParameterSet, either, with_type};
use crate::verify::VerifyingKey;
#[cfg(feature = "pem")]
use {super::LineEnding, alloc::string::String, zeroize::Zeroizing};

/// Returns the parameter set that `algorithm` names, or Falcon-512 if it names none.
fn set_of(algorithm: &AlgorithmIdentifierRef<'_>) -> ParameterSet {
    let mut sets = ParameterSet::ALL.iter().copied();
    sets.find(|set| with_type!(set, P => names::<P>(algorithm)))
        .unwrap_or(ParameterSet::Falcon512)
}

/// Decodes the key in a box, without copying it.
fn decode(info: &PrivateKeyInfoRef<'_>) -> Result<AnySigningKey> {
    with_type!(set_of(&info.algorithm), P => decode_boxed::<P>(info).map(AnySigningKey::from))
}

decode_private_key!(AnySigningKey, decode,);

impl EncodePrivateKey for AnySigningKey {
    fn to_pkcs8_der(&self) -> Result<SecretDocument> {
        either!(self, key => key.to_pkcs8_der())
    }
}

impl AnySigningKey {
    /// Encodes the key as PKCS#8 with separate polynomials, for Bouncy Castle; see
    /// [`SigningKey::to_pkcs8_polynomials_der`](crate::SigningKey::to_pkcs8_polynomials_der).
    ///
    /// # Errors
    /// No error occurs.
    pub fn to_pkcs8_polynomials_der(&self) -> Result<SecretDocument> {
        either!(self, key => key.to_pkcs8_polynomials_der())
    }

    /// Encodes the key as [`to_pkcs8_polynomials_der`](Self::to_pkcs8_polynomials_der) does, in PEM
    /// labelled `PRIVATE KEY`.
    ///
    /// # Errors
    /// No error occurs.
    #[cfg(feature = "pem")]
    pub fn to_pkcs8_polynomials_pem(&self, line_ending: LineEnding) -> Result<Zeroizing<String>> {
        either!(self, key => key.to_pkcs8_polynomials_pem(line_ending))
    }
}

impl TryFrom<spki::SubjectPublicKeyInfoRef<'_>> for AnyVerifyingKey {
    type Error = spki::Error;

    fn try_from(info: spki::SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        with_type!(set_of(&info.algorithm), P => VerifyingKey::<P>::try_from(info).map(Self::from))
    }
}

impl EncodePublicKey for AnyVerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        either!(self, key => key.to_public_key_der())
    }
}
