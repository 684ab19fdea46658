//! `fingerprint`: prints the fingerprints of keys.

use crate::{
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::at_most_one_standard,
    keys::{DEFAULT_PUBLIC_KEY, decrypt, fingerprint, load_all},
    object::Object,
    passphrase::PassphraseSource,
    scheme::Algorithm,
    shell::quote,
    ui::Ui,
};
use clap::Args;
use falcon_core::AnyVerifyingKey;
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Print the fingerprints of keys
#[derive(Debug, Args)]
#[command(after_help = "\
A fingerprint is the first 32 bytes of SHAKE256 of the encoded public key, in hexadecimal.
Envelopes and trust lists name keys by it. A secret key has that of its public key.")]
pub(crate) struct PrintFingerprint {
    /// Public or secret keys; `-` is standard input
    #[arg(value_name = "KEY", default_value = DEFAULT_PUBLIC_KEY)]
    keys: Vec<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

impl PrintFingerprint {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let files = self.keys.iter().chain(&self.passphrase.passphrase_file);
        at_most_one_standard(files.map(PathBuf::as_path))?;
        let mut status = Status::Valid;
        for path in &self.keys {
            match self.public_keys(path, ui) {
                Ok(keys) => {
                    for key in keys {
                        ui.report(&Line {
                            fingerprint: fingerprint(&key),
                            algorithm: Algorithm(key.set()),
                            file: path.clone(),
                        })?;
                    }
                }
                Err(error) => {
                    ui.error(&error);
                    status = Status::Failure;
                }
            }
        }
        Ok(status)
    }

    fn public_keys(&self, path: &Path, ui: Ui) -> Result<Vec<AnyVerifyingKey>> {
        let public = |object| match object {
            Object::Public(key) => Ok(key),
            Object::Secret(key) => Ok(key.public_key()),
            Object::Encrypted(der) => Ok(decrypt(path, &der, &self.passphrase, ui)?.public_key()),
            other => {
                let error = Error::at(path, format_args!("is {}, not a key", other.kind()));
                Err(match other {
                    Object::X509(_) => error.hint(format_args!(
                        "for the fingerprint of its key: falcon-cli inspect {}",
                        quote(path)
                    )),
                    _ => error,
                })
            }
        };
        load_all(path)?.0.into_iter().map(public).collect()
    }
}

/// The fingerprint of a key.
#[derive(Serialize)]
struct Line {
    fingerprint: String,
    algorithm: Algorithm,
    #[serde(serialize_with = "serialize_path")]
    file: PathBuf,
}

/// Written in the format of `sha256sum`.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}", self.fingerprint, Escaped(shown(&self.file)))
    }
}
