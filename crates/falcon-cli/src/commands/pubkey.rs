//! `pubkey`: the public key of a secret key.

use crate::{
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    input::{at_most_one_standard, is_standard, read_object},
    keys::{DEFAULT_SECRET_KEY, fingerprint, load_secret, public_pem},
    list::with_suffix,
    output::{Content, Inputs, Overwrite, Pending, check_target, lock_folder},
    passphrase::PassphraseSource,
    scheme::Algorithm,
    ui::Ui,
};
use clap::Args;
use serde::Serialize;
use std::{
    fmt,
    io::{self, Write},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Make KEY.pub again, from the secret key
#[derive(Debug, Args)]
pub(crate) struct Pubkey {
    /// The secret key
    #[arg(value_name = "KEY", default_value = DEFAULT_SECRET_KEY)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Where the public key goes; `-` is standard output [default: KEY.pub]
    #[arg(short, long, value_name = "KEY.pub")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

impl Pubkey {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let passphrase_file = self.passphrase.passphrase_file.as_deref();
        let inputs = || [self.key.as_path()].into_iter().chain(passphrase_file);
        at_most_one_standard(inputs())?;
        let output = self.output()?;
        let overwrite = Overwrite::from_force(self.force);
        if !is_standard(&output) {
            Inputs::new(inputs()).spare(&output)?;
            check_target(&output, Content::PublicKey, overwrite)?;
        }

        let before = self.key_file();
        let public = load_secret(&self.key, &self.passphrase)?.public_key();
        let pem = public_pem(&public)?;
        if is_standard(&output) {
            io::stdout()
                .write_all(pem.as_bytes())
                .map_err(|error| Error::stdout(&error))?;
            return Ok(Status::Valid);
        }
        let pending = Pending::with_bytes(&output, pem.as_bytes(), Content::PublicKey, overwrite)?;
        // Not held while a passphrase is awaited; so `keygen --force` may have
        // come in between, whose public key must stay.
        let _lock = lock_folder(&self.key);
        if self.key_file() != before {
            return Err(Error::at(&self.key, "has just been replaced")
                .hint("the new key has its public key; run the command again if not"));
        }
        pending.commit()?;
        ui.report(&Made {
            algorithm: public.algorithm(),
            public_key: &output,
            fingerprint: fingerprint(&public)?,
        })?;
        Ok(Status::Valid)
    }

    /// What is in the file of the key, if it is one that can be read twice.
    fn key_file(&self) -> Option<Zeroizing<Vec<u8>>> {
        let key = self.key.is_file().then_some(&self.key)?;
        read_object(key, "key").ok()
    }

    fn output(&self) -> Result<PathBuf> {
        match &self.output {
            Some(path) => Ok(path.clone()),
            None if is_standard(&self.key) => {
                Err(Error::new("standard input has no name to add .pub to")
                    .hint("name the public key with --output"))
            }
            None => Ok(with_suffix(&self.key, ".pub")),
        }
    }
}

/// What was made.
#[derive(Serialize)]
struct Made<'a> {
    algorithm: Algorithm,
    #[serde(serialize_with = "serialize_path")]
    public_key: &'a Path,
    fingerprint: String,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = Escaped(self.public_key.display());
        writeln!(f, "{} public key: {file}", self.algorithm)?;
        write!(f, "fingerprint: {}", self.fingerprint)
    }
}
