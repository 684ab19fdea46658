//! Documents of keys of any parameter set. The algorithm identifier names the set.
//! An identifier of no set is left to the decoder of degree 512, which refuses it.

use super::{
    DecodePrivateKey, Document, EncodePrivateKey, EncodePublicKey, PrivateKeyInfoRef, Result,
    SecretDocument, decode_boxed, decode_private_key, names, spki,
};
use crate::any::{AnySigningKey, AnyVerifyingKey, either};
use crate::params::Falcon1024;
use crate::verify::VerifyingKey;
use alloc::boxed::Box;
#[cfg(feature = "pem")]
use {super::LineEnding, alloc::string::String, zeroize::Zeroizing};

/// Decodes the key into a box, and does not copy it.
fn decode(info: &PrivateKeyInfoRef<'_>) -> Result<AnySigningKey> {
    if names::<Falcon1024>(&info.algorithm) {
        decode_boxed(info).map(AnySigningKey::Falcon1024)
    } else {
        decode_boxed(info).map(AnySigningKey::Falcon512)
    }
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
    /// None happens.
    pub fn to_pkcs8_polynomials_der(&self) -> Result<SecretDocument> {
        either!(self, key => key.to_pkcs8_polynomials_der())
    }

    /// [`to_pkcs8_polynomials_der`](Self::to_pkcs8_polynomials_der) as PEM labelled `PRIVATE KEY`.
    ///
    /// # Errors
    /// None happens.
    #[cfg(feature = "pem")]
    pub fn to_pkcs8_polynomials_pem(&self, line_ending: LineEnding) -> Result<Zeroizing<String>> {
        either!(self, key => key.to_pkcs8_polynomials_pem(line_ending))
    }
}

impl TryFrom<spki::SubjectPublicKeyInfoRef<'_>> for AnyVerifyingKey {
    type Error = spki::Error;

    fn try_from(info: spki::SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        if names::<Falcon1024>(&info.algorithm) {
            VerifyingKey::try_from(info).map(|key| Self::Falcon1024(Box::new(key)))
        } else {
            VerifyingKey::try_from(info).map(|key| Self::Falcon512(Box::new(key)))
        }
    }
}

impl EncodePublicKey for AnyVerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        either!(self, key => key.to_public_key_der())
    }
}
