//! Secret keys in files, with the use that their document allows.

use crate::{
    error::{Error, Result},
    escape::shown,
    scheme::Algorithm,
    ui::Ui,
};
use clap::ValueEnum;
use falcon_core::{
    AnySigningKey, AnyVerifyingKey,
    pkcs8::{
        self, KeyUse, SecretDocument,
        der::{Decode, Reader, SliceReader, asn1::AnyRef},
    },
};
use serde::Serialize;
use std::path::Path;

/// The messages that a key may sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Use {
    /// Every message
    #[default]
    Any,
    /// Certificates, certificate requests and revocation lists, and nothing else
    Certificates,
}

impl Use {
    /// Text that follows "secret key" in a report.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Certificates => ", for certificates only",
        }
    }
}

impl From<KeyUse> for Use {
    fn from(key_use: KeyUse) -> Self {
        match key_use {
            KeyUse::Any => Self::Any,
            KeyUse::CertificatesOnly => Self::Certificates,
        }
    }
}

impl From<Use> for KeyUse {
    fn from(key_use: Use) -> Self {
        match key_use {
            Use::Any => Self::Any,
            Use::Certificates => Self::CertificatesOnly,
        }
    }
}

/// A secret key that was read from a file. Code that signs with it must respect its use.
pub(crate) struct StoredKey {
    secret: AnySigningKey,
    key_use: Use,
    /// The document that the key was read from.
    document: Option<SecretDocument>,
    /// True if the document has attributes besides `keyUsage`.
    pub(crate) has_other_attributes: bool,
}

impl StoredKey {
    pub(crate) fn new(secret: AnySigningKey, key_use: Use) -> Self {
        Self {
            secret,
            key_use,
            document: None,
            has_other_attributes: false,
        }
    }

    /// Stores the key of a document that is not encrypted.
    pub(crate) fn of_document(
        secret: AnySigningKey,
        document: SecretDocument,
    ) -> pkcs8::Result<Self> {
        let key_use = KeyUse::of_document(document.as_bytes())?;
        Ok(Self {
            has_other_attributes: has_other_attributes(document.as_bytes())?,
            document: Some(document),
            ..Self::new(secret, key_use.into())
        })
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        Algorithm(self.secret.set())
    }

    pub(crate) fn public_key(&self) -> AnyVerifyingKey {
        self.secret.verifying_key()
    }

    pub(crate) fn key_use(&self) -> Use {
        self.key_use
    }

    /// Changes the use if `key_use` is given.
    pub(crate) fn with_use(self, key_use: Option<Use>) -> Self {
        let key_use = key_use.unwrap_or(self.key_use);
        Self { key_use, ..self }
    }

    /// Copies `document`, another document of the key, and gives the copy the use of the key. If
    /// the document that the key was read from has this use, its attribute is copied unchanged.
    pub(crate) fn mark(&self, document: &SecretDocument) -> pkcs8::Result<SecretDocument> {
        let key_use = KeyUse::from(self.key_use);
        match &self.document {
            Some(model) => key_use.write_like(model.as_bytes(), document.as_bytes()),
            None => key_use.write(document.as_bytes()),
        }
    }

    /// Returns the key, whatever its use.
    pub(crate) fn secret(&self) -> &AnySigningKey {
        &self.secret
    }

    /// Takes the key, for a caller that has checked its use.
    pub(crate) fn into_secret(self) -> AnySigningKey {
        self.secret
    }

    /// Takes the key of the file at `path` to sign messages. Refuses a key for certificates only.
    pub(crate) fn into_signer_of_messages(self, path: &Path) -> Result<AnySigningKey> {
        match self.key_use {
            Use::Any => Ok(self.secret),
            Use::Certificates => {
                Err(signs_certificates_only(path).hint("name another key with -k"))
            }
        }
    }
}

/// Returns true if a document of a key has attributes besides `keyUsage`. They follow version,
/// algorithm and private key, with the tag `[0]`.
fn has_other_attributes(document: &[u8]) -> pkcs8::Result<bool> {
    // `Any` alone would leave a `keyUsage` that permits messages, so it is replaced first.
    let marked = KeyUse::CertificatesOnly.write(document)?;
    let others = KeyUse::Any.write(marked.as_bytes())?;
    let others = AnyRef::from_der(others.as_bytes())?;
    let mut fields = SliceReader::new(others.value())?;
    for _ in 0..3 {
        AnyRef::decode(&mut fields)?;
    }
    Ok(fields.peek_byte() == Some(0xa0))
}

/// Warns if the key of the file at `path` was for certificates only and signs every message now.
pub(crate) fn warn_of_lost_mark(path: &Path, was_marked: bool, now: Use, ui: Ui) {
    if was_marked && now == Use::Any {
        ui.warn(format_args!(
            "the key of {} signs every message now; it was for certificates only",
            shown(path)
        ));
    }
}

/// Returns the error for a key for certificates only that should sign something else. The key is in
/// the file at `path`.
pub(crate) fn signs_certificates_only(path: &Path) -> Error {
    Error::at(
        path,
        "is a key for certificates only, and signs nothing else",
    )
}
