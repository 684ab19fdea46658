//! Keys to verify with, and their names.

use crate::{
    error::{Result, serialize_path},
    escape::{Escaped, shown},
    keys::{DEFAULT_PUBLIC_KEY, fingerprint, load_public},
};
use falcon_core::AnyVerifyingKey;
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The public keys to try, in the order in which they were named.
pub(crate) struct Keyring {
    pub(super) keys: Vec<AnyVerifyingKey>,
    /// Name of each key, reported if the key verifies a file.
    names: Vec<KeyName>,
    /// True if the only file of keys is the default one.
    pub(super) is_default: bool,
}

/// The key that verified or signed a file.
#[derive(Clone, Serialize)]
pub(crate) struct KeyName {
    /// The file of the key.
    #[serde(serialize_with = "serialize_path")]
    key: PathBuf,
    /// Number of the key in the file, from 1; `None` if the file holds one key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_number: Option<usize>,
    fingerprint: String,
}

impl KeyName {
    /// Names the only key of a file.
    pub(crate) fn new(path: &Path, key: &AnyVerifyingKey) -> Self {
        Self {
            key: path.to_owned(),
            key_number: None,
            fingerprint: fingerprint(key),
        }
    }
}

impl Keyring {
    pub(super) fn load(paths: &[PathBuf]) -> Result<Self> {
        let (mut keys, mut names) = (Vec::new(), Vec::new());
        for path in paths {
            let loaded = load_public(path, "ask the signer for it, and name it with --public-key")?;
            let several = loaded.len() > 1;
            for (index, key) in loaded.into_iter().enumerate() {
                names.push(KeyName {
                    key: path.clone(),
                    key_number: several.then_some(index + 1),
                    fingerprint: fingerprint(&key),
                });
                keys.push(key);
            }
        }
        Ok(Self {
            keys,
            names,
            is_default: paths == [Path::new(DEFAULT_PUBLIC_KEY)],
        })
    }

    /// Makes a keyring of one key, which needs no name.
    pub(crate) fn of(key: AnyVerifyingKey) -> Self {
        Self {
            keys: vec![key],
            names: Vec::new(),
            is_default: false,
        }
    }

    /// Returns the name of a key if there are several keys, or if the key is the default one.
    pub(super) fn name(&self, index: usize) -> Option<&KeyName> {
        let told = self.names.len() > 1 || self.is_default;
        self.names.get(index).filter(|_| told)
    }
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.key_number {
            write!(f, "key {number} of ")?;
        } else {
            f.write_str("key ")?;
        }
        write!(f, "{}", Escaped(shown(&self.key)))
    }
}
