//! Private keys of any parameter set in documents that may be encrypted.

use super::{
    DecodePrivateKey, EncryptionError, Error, ErrorKind, KeyUse, ObjectIdentifier, Result,
    SecretDocument, decrypt_private_key,
};
use crate::any::AnySigningKey;
use ::pkcs8::EncryptedPrivateKeyInfoRef;
use core::fmt;
#[cfg(feature = "pem")]
use {
    super::{PemError, der::pem::PemLabel},
    crate::any::ParameterSet,
    crate::keys::SigningKey,
    crate::params::Parameters,
    ::pkcs8::PrivateKeyInfoRef,
    alloc::boxed::Box,
    core::any::Any,
};

/// A signing key read from a document, and the kind of messages that it may sign. Requires the
/// feature `encryption`, also for plain documents.
///
/// ```
/// use falcon_core::pkcs8::{EncodePrivateKey, KeyUse, OpenError, OpenedKey};
/// use falcon_core::{AnySigningKey, ParameterSet};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let key = AnySigningKey::from_seed(ParameterSet::Falcon1024, &[1; 32])?;
/// # let der = key.to_pkcs8_encrypted_der_with_rng(&mut getrandom::SysRng, "horse")?;
/// let opened = OpenedKey::from_der(der.as_bytes(), Some(b"horse"))?;
/// assert_eq!(opened.key.set(), ParameterSet::Falcon1024);
/// assert_eq!(opened.key_use, KeyUse::Any);
/// let refused = OpenedKey::from_der(der.as_bytes(), None);
/// assert_eq!(refused.unwrap_err(), OpenError::Encrypted);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct OpenedKey {
    /// The key.
    pub key: AnySigningKey,
    /// Messages that the document allows the key to sign.
    pub key_use: KeyUse,
    /// The document, decrypted.
    pub document: SecretDocument,
}

// Inlined, so that programs that do not call these functions contain one copy of the ciphers fewer.
impl OpenedKey {
    /// Reads a PKCS#8 document. It must be encrypted if there is a `passphrase`, and plain if there
    /// is none.
    ///
    /// # Errors
    /// [`OpenError`]. Decrypting has the bounds of [`decrypt_private_key`].
    #[inline]
    pub fn from_der(
        der: &[u8],
        passphrase: Option<&[u8]>,
    ) -> core::result::Result<Self, OpenError> {
        let is_encrypted = EncryptedPrivateKeyInfoRef::try_from(der).is_ok();
        let decrypted = match (is_encrypted, passphrase) {
            (false, _) => None,
            (true, None) => return Err(OpenError::Encrypted),
            (true, Some(passphrase)) => {
                Some(decrypt_private_key(der, passphrase).map_err(OpenError::of_decryption)?)
            }
        };
        let opened = Self::read(der, decrypted).map_err(OpenError::Malformed)?;
        // The key is read first: a damaged document is an error with or without a passphrase.
        if passphrase.is_some() && !is_encrypted {
            return Err(OpenError::NotEncrypted);
        }
        Ok(opened)
    }

    /// Reads the `decrypted` document, or `der` if there is none.
    #[inline]
    fn read(der: &[u8], decrypted: Option<SecretDocument>) -> Result<Self> {
        let plain = decrypted.as_ref().map_or(der, SecretDocument::as_bytes);
        Ok(Self {
            key: AnySigningKey::from_pkcs8_der(plain)?,
            key_use: KeyUse::of_document(plain)?,
            document: match decrypted {
                Some(document) => document,
                None => SecretDocument::try_from(der)?,
            },
        })
    }

    /// Reads a PKCS#8 document in PEM, labelled `PRIVATE KEY` or `ENCRYPTED PRIVATE KEY`, as
    /// [`from_der`](Self::from_der) does. Blank space before and after it is ignored.
    ///
    /// # Errors
    /// As for [`from_der`](Self::from_der); also [`OpenError::Pem`].
    #[cfg(feature = "pem")]
    #[inline]
    pub fn from_pem(
        text: &str,
        passphrase: Option<&[u8]>,
    ) -> core::result::Result<Self, OpenError> {
        const LABELS: [&str; 2] = [
            PrivateKeyInfoRef::PEM_LABEL,
            EncryptedPrivateKeyInfoRef::PEM_LABEL,
        ];
        let der = super::pem_contents(text, &LABELS).map_err(OpenError::Pem)?;
        Self::from_der(&der, passphrase)
    }

    /// Returns the key if it may sign messages.
    #[cfg(feature = "pem")]
    fn for_messages(self) -> core::result::Result<AnySigningKey, OpenError> {
        match self.key_use {
            KeyUse::Any => Ok(self.key),
            KeyUse::CertificatesOnly => Err(OpenError::CertificatesOnly),
        }
    }
}

#[cfg(feature = "pem")]
impl AnySigningKey {
    /// Reads a key of any parameter set from a PKCS#8 document in PEM, encrypted if there is a
    /// `passphrase`. Requires the features `pem` and `encryption`.
    ///
    /// ```
    /// use falcon_core::AnySigningKey;
    /// use falcon_core::pkcs8::{LineEnding, OpenError};
    /// # use falcon_core::ParameterSet;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let key = AnySigningKey::from_seed(ParameterSet::Falcon512, &[1; 32])?;
    /// # let mut rng = getrandom::SysRng;
    /// # let text = key.to_pkcs8_encrypted_pem_with_rng(&mut rng, "horse", LineEnding::LF)?;
    /// let key = AnySigningKey::from_pem(&text, Some(b"horse"))?;
    /// assert_eq!(key.name(), "Falcon-512");
    /// let refused = AnySigningKey::from_pem(&text, None);
    /// assert_eq!(refused.unwrap_err(), OpenError::Encrypted);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`OpenedKey::from_pem`]; also [`OpenError::CertificatesOnly`].
    #[inline]
    pub fn from_pem(
        text: &str,
        passphrase: Option<&[u8]>,
    ) -> core::result::Result<Self, OpenError> {
        OpenedKey::from_pem(text, passphrase)?.for_messages()
    }
}

#[cfg(feature = "pem")]
impl<P: Parameters> SigningKey<P> {
    /// Reads a key from a PKCS#8 document in PEM, as [`AnySigningKey::from_pem`] does. Requires the
    /// features `pem` and `encryption`.
    ///
    /// ```
    /// use falcon_core::pkcs8::{EncodePrivateKey, LineEnding};
    /// use falcon_core::{Falcon512, Falcon1024, SigningKey};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let text = SigningKey::<Falcon1024>::from_seed(&[1; 32])?.to_pkcs8_pem(LineEnding::LF)?;
    /// let error = SigningKey::<Falcon512>::from_pem(&text, None).unwrap_err();
    /// assert_eq!(error.to_string(), "the key has another parameter set, Falcon-1024");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As for [`AnySigningKey::from_pem`]; also [`OpenError::ParameterSet`].
    #[inline]
    pub fn from_pem(
        text: &str,
        passphrase: Option<&[u8]>,
    ) -> core::result::Result<Box<Self>, OpenError> {
        let key = AnySigningKey::from_pem(text, passphrase)?;
        let set = key.set();
        let key: Box<dyn Any> = key.into_boxed();
        key.downcast().map_err(|_| OpenError::ParameterSet(set))
    }
}

/// Reason that an [`OpenedKey`] cannot be read.
///
/// ```
/// use falcon_core::pkcs8::{OpenError, OpenedKey};
///
/// let error = OpenedKey::from_der(b"no document", Some(b"horse")).unwrap_err();
/// assert!(matches!(error, OpenError::Malformed(_)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// The text is not PEM, or has another label.
    #[cfg(feature = "pem")]
    Pem(PemError),
    /// The document is encrypted, and there is no passphrase.
    Encrypted,
    /// The document is not encrypted, and there is a passphrase.
    NotEncrypted,
    /// The passphrase is wrong, or the document is damaged.
    Passphrase,
    /// The document cannot be decrypted with any passphrase.
    Undecryptable(Error),
    /// The document is malformed, or holds a key of another algorithm.
    Malformed(Error),
    /// The key has this parameter set, and a key of another one is needed.
    #[cfg(feature = "pem")]
    ParameterSet(ParameterSet),
    /// The key may sign certificates only. [`OpenedKey`] opens it.
    #[cfg(feature = "pem")]
    CertificatesOnly,
}

impl OpenError {
    /// Maps an error of decryption. A wrong passphrase usually gives wrong padding. If the padding
    /// is right by chance, the decrypted bytes are not a document.
    #[inline]
    fn of_decryption(error: Error) -> Self {
        match error {
            Error::EncryptedPrivateKey(EncryptionError::DecryptFailed) | Error::Asn1(_) => {
                Self::Passphrase
            }
            error => Self::Undecryptable(error),
        }
    }
}

/// Returns the algorithm of a document that holds no Falcon key.
fn other_algorithm(error: &Error) -> Option<ObjectIdentifier> {
    match error {
        Error::Asn1(error) => match error.kind() {
            ErrorKind::OidUnknown { oid } => Some(oid),
            _ => None,
        },
        _ => None,
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "pem")]
            Self::Pem(error) => write!(f, "not a private key: {error}"),
            Self::Encrypted => f.write_str("the key is encrypted; pass its passphrase"),
            Self::NotEncrypted => f.write_str("the key is not encrypted; pass no passphrase"),
            Self::Passphrase => f.write_str("wrong passphrase, or the document is damaged"),
            Self::Undecryptable(error) => write!(f, "cannot decrypt the document: {error}"),
            Self::Malformed(error) => match other_algorithm(error) {
                Some(oid) => write!(f, "not a Falcon key: the algorithm is {oid}"),
                None => write!(f, "not a PKCS#8 document of a Falcon key: {error}"),
            },
            #[cfg(feature = "pem")]
            Self::ParameterSet(set) => write!(f, "the key has another parameter set, {set}"),
            #[cfg(feature = "pem")]
            Self::CertificatesOnly => f.write_str("the key may sign certificates only"),
        }
    }
}

impl core::error::Error for OpenError {}
