//! Private keys of any parameter set in documents that may be encrypted.

use super::{
    DecodePrivateKey, EncryptionError, Error, KeyUse, Result, SecretDocument, decrypt_private_key,
};
use crate::any::AnySigningKey;
use ::pkcs8::EncryptedPrivateKeyInfoRef;
use core::fmt;
#[cfg(feature = "pem")]
use {
    super::der::pem::PemLabel, ::pkcs8::PrivateKeyInfoRef, alloc::borrow::ToOwned,
    alloc::string::String,
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
    /// [`from_der`](Self::from_der) does.
    ///
    /// # Errors
    /// As for [`from_der`](Self::from_der).
    #[cfg(feature = "pem")]
    #[inline]
    pub fn from_pem(
        text: &str,
        passphrase: Option<&[u8]>,
    ) -> core::result::Result<Self, OpenError> {
        let label = super::text::label(text).map_err(OpenError::Pem)?;
        match label {
            PrivateKeyInfoRef::PEM_LABEL | EncryptedPrivateKeyInfoRef::PEM_LABEL => {
                let content = super::text::content(text).map_err(OpenError::Pem)?;
                Self::from_der(&content, passphrase)
            }
            _ => Err(OpenError::Label(label.to_owned())),
        }
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
    /// The text is not PEM.
    #[cfg(feature = "pem")]
    Pem(super::der::Error),
    /// The PEM document has this label, which is not that of a private key.
    #[cfg(feature = "pem")]
    Label(String),
    /// The document is encrypted, and there is no passphrase.
    Encrypted,
    /// The document is not encrypted, and there is a passphrase.
    NotEncrypted,
    /// The passphrase is wrong, or the document is damaged.
    Passphrase,
    /// The document cannot be decrypted with any passphrase.
    Undecryptable(Error),
    /// The document is malformed, or holds no Falcon key.
    Malformed(Error),
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

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "pem")]
            Self::Pem(error) => write!(f, "not a PEM document: {error}"),
            #[cfg(feature = "pem")]
            Self::Label(label) => {
                write!(
                    f,
                    "not a private key: the PEM document is labelled {label:?}"
                )
            }
            Self::Encrypted => f.write_str("the key is encrypted; pass its passphrase"),
            Self::NotEncrypted => f.write_str("the key is not encrypted; pass no passphrase"),
            Self::Passphrase => f.write_str("wrong passphrase, or the document is damaged"),
            Self::Undecryptable(error) => write!(f, "cannot decrypt the document: {error}"),
            Self::Malformed(error) => {
                write!(f, "not a PKCS#8 document of a Falcon key: {error}")
            }
        }
    }
}

impl core::error::Error for OpenError {}
