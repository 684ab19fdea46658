//! Public keys in PEM.

use super::{DecodePublicKey, ObjectIdentifier, PemError, SubjectPublicKeyInfoRef, der, spki};
use crate::any::{AnyVerifyingKey, ParameterSet};
use crate::params::Parameters;
use crate::verify::VerifyingKey;
use core::fmt;
use der::pem::PemLabel;

impl AnyVerifyingKey {
    /// Reads a key of any parameter set from a `SubjectPublicKeyInfo` document in PEM, labelled
    /// `PUBLIC KEY`. Requires the feature `pem`.
    ///
    /// A private key that is passed by mistake is refused by its label, and not decoded.
    ///
    /// ```
    /// use falcon_core::AnyVerifyingKey;
    /// use falcon_core::pkcs8::{EncodePublicKey, LineEnding};
    /// # use falcon_core::{Falcon512, SigningKey};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let key = SigningKey::<Falcon512>::from_seed(&[1; 32])?;
    /// let text = key.verifying_key().to_public_key_pem(LineEnding::LF)?;
    /// let read = AnyVerifyingKey::from_pem(&text)?;
    /// assert_eq!(read.typed(), Some(key.verifying_key()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OpenPublicError`], but never [`OpenPublicError::ParameterSet`].
    // Inlined, so that a program can build it for size.
    #[inline]
    pub fn from_pem(text: &str) -> Result<Self, OpenPublicError> {
        let labels = [SubjectPublicKeyInfoRef::PEM_LABEL];
        let der = super::pem_contents(text, &labels).map_err(OpenPublicError::Pem)?;
        Self::from_public_key_der(&der).map_err(|error| match error {
            spki::Error::OidUnknown { oid } => OpenPublicError::Algorithm(oid),
            error => OpenPublicError::Malformed(error),
        })
    }
}

impl<P: Parameters> VerifyingKey<P> {
    /// Reads a key from a `SubjectPublicKeyInfo` document in PEM, as [`AnyVerifyingKey::from_pem`]
    /// does. Requires the feature `pem`.
    ///
    /// ```
    /// use falcon_core::pkcs8::{EncodePublicKey, LineEnding};
    /// use falcon_core::{Falcon512, Falcon1024, VerifyingKey};
    /// # use falcon_core::SigningKey;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let key = SigningKey::<Falcon1024>::from_seed(&[1; 32])?;
    /// # let text = key.verifying_key().to_public_key_pem(LineEnding::LF)?;
    /// assert_eq!(&VerifyingKey::<Falcon1024>::from_pem(&text)?, key.verifying_key());
    /// let error = VerifyingKey::<Falcon512>::from_pem(&text).unwrap_err();
    /// assert_eq!(error.to_string(), "the key has another parameter set, Falcon-1024");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`OpenPublicError`].
    pub fn from_pem(text: &str) -> Result<Self, OpenPublicError> {
        let key = AnyVerifyingKey::from_pem(text)?;
        let of_this_set = key.typed().cloned();
        of_this_set.ok_or_else(|| OpenPublicError::ParameterSet(key.set()))
    }
}

/// Reason that a text is not a public key.
///
/// ```
/// use falcon_core::AnyVerifyingKey;
/// use falcon_core::pkcs8::{OpenPublicError, PemError};
///
/// let text = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
/// let error = AnyVerifyingKey::from_pem(text).unwrap_err();
/// assert_eq!(error, OpenPublicError::Pem(PemError::Label("PRIVATE KEY".to_owned())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenPublicError {
    /// The text is not PEM, or has another label.
    Pem(PemError),
    /// The document holds a key of another algorithm.
    Algorithm(ObjectIdentifier),
    /// The document is malformed.
    Malformed(spki::Error),
    /// The key has this parameter set, and a key of another one is needed.
    ParameterSet(ParameterSet),
}

impl fmt::Display for OpenPublicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pem(error) => write!(f, "not a public key: {error}"),
            Self::Algorithm(oid) => write!(f, "not a Falcon key: the algorithm is {oid}"),
            Self::Malformed(error) => {
                write!(
                    f,
                    "not a SubjectPublicKeyInfo document of a Falcon key: {error}"
                )
            }
            Self::ParameterSet(set) => write!(f, "the key has another parameter set, {set}"),
        }
    }
}

impl core::error::Error for OpenPublicError {}
