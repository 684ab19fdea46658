//! Secret keys in files, with the use that their document allows.

use crate::{
    error::{Error, Result},
    escape::shown,
    scheme::{Algorithm, PublicKey, SecretKey},
    ui::Ui,
};
use clap::ValueEnum;
use falcon_core::pkcs8::KeyUse;
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
    /// Returns the value of the option `--use`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Certificates => "certificates",
        }
    }

    /// Returns the words of a report that follow "secret key".
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
    secret: SecretKey,
    key_use: Use,
    /// True if the document of the key has attributes that this program does not know.
    pub(crate) has_other_attributes: bool,
}

impl StoredKey {
    pub(crate) fn new(secret: SecretKey, key_use: Use) -> Self {
        Self {
            secret,
            key_use,
            has_other_attributes: false,
        }
    }

    pub(crate) fn algorithm(&self) -> Algorithm {
        self.secret.algorithm()
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        self.secret.public_key()
    }

    pub(crate) fn key_use(&self) -> Use {
        self.key_use
    }

    /// Changes the use if `key_use` is given.
    pub(crate) fn with_use(self, key_use: Option<Use>) -> Self {
        let key_use = key_use.unwrap_or(self.key_use);
        Self { key_use, ..self }
    }

    /// Returns the key, to write it elsewhere.
    pub(crate) fn secret(&self) -> &SecretKey {
        &self.secret
    }

    /// Takes the key, for a caller that has checked its use.
    pub(crate) fn into_secret(self) -> SecretKey {
        self.secret
    }

    /// Takes the key of the file at `path` to sign messages. Refuses a key for certificates only.
    pub(crate) fn into_signer_of_messages(self, path: &Path) -> Result<SecretKey> {
        match self.key_use {
            Use::Any => Ok(self.secret),
            Use::Certificates => {
                Err(signs_certificates_only(path).hint("name another key with -k"))
            }
        }
    }
}

/// Prints a warning if the key of the file at `path` was for certificates only and may now sign
/// every message.
pub(crate) fn warn_of_lost_mark(path: &Path, before: Use, now: Use, ui: Ui) {
    if before == Use::Certificates && now == Use::Any {
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
