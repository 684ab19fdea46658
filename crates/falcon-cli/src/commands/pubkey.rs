//! `pubkey`: writes the public key of a secret key or of a certificate.

use crate::{
    PROGRAM,
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{at_most_one_standard, is_standard},
    keys::{DEFAULT_SECRET_KEY, MAX_REPLACED, fingerprint, load_public_of, public_pem},
    output::{Content, Inputs, Overwrite, Pending, check_target, write_result},
    passphrase::PassphraseSource,
    place::with_suffix,
    scheme::Algorithm,
    snapshot::Snapshot,
    ui::Ui,
};
use clap::Args;
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Make the public key again from the secret key, or take it from a certificate
#[derive(Debug, Args)]
pub(crate) struct Pubkey {
    /// The secret key, certificate or certificate request
    #[arg(value_name = "KEY", default_value = DEFAULT_SECRET_KEY)]
    key: PathBuf,
    /// The same as KEY
    #[arg(
        short = 'k',
        long = "key",
        value_name = "KEY",
        conflicts_with = "key",
        hide = true
    )]
    named_key: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// File for the public key; `-` is standard output [default: KEY.pub]
    #[arg(short, long, value_name = "KEY.pub")]
    output: Option<PathBuf>,
    /// Overwrite an existing file, but no secret key
    #[arg(long)]
    force: bool,
}

impl Pubkey {
    pub(crate) fn run(mut self, ui: Ui) -> Result<Status> {
        if let Some(key) = self.named_key.take() {
            self.key = key;
        }
        let passphrase_file = self.passphrase.passphrase_file.as_deref();
        let inputs = || [self.key.as_path()].into_iter().chain(passphrase_file);
        at_most_one_standard(inputs())?;
        let output = self.output()?;
        let overwrite = Overwrite::from_force(self.force);
        if !is_standard(&self.key) && !self.key.exists() {
            // Reads the key first, so that a missing key is reported before any error about the
            // output.
            load_public_of(&self.key, &self.passphrase, ui)?;
        }
        if !is_standard(&output) {
            Inputs::new(inputs()).spare(&output)?;
            check_target(&PROGRAM, &output, Content::PublicKey, overwrite)?;
        }

        let snapshot = Snapshot::take(&self.key, MAX_REPLACED);
        let public = load_public_of(&self.key, &self.passphrase, ui)?;
        let pem = public_pem(&public)?;
        if is_standard(&output) {
            write_result(&PROGRAM, &output, pem.as_bytes(), overwrite)?;
            return Ok(Status::Valid);
        }
        let pending = Pending::with_bytes(
            &PROGRAM,
            &output,
            pem.as_bytes(),
            Content::PublicKey,
            overwrite,
        )?;
        // Meanwhile, `keygen --force` may have replaced both keys. The public key of that pair must
        // not be overwritten.
        let lock = snapshot.lock(&PROGRAM, ui)?;
        snapshot.check()?;
        pending.commit()?;
        drop(lock);
        let made = Made {
            algorithm: Algorithm(public.set()),
            public_key: &output,
            fingerprint: fingerprint(&public),
        };
        ui.report_written(&made, &[&output])?;
        Ok(Status::Valid)
    }

    fn output(&self) -> Result<PathBuf> {
        match &self.output {
            Some(path) => Ok(path.clone()),
            None if is_standard(&self.key) => Err(Error::new(
                "the key on standard input has no name for KEY.pub",
            )
            .hint("name the public key with --output")),
            None => Ok(with_suffix(&self.key, ".pub")),
        }
    }
}

/// Report of the public key that was written.
#[derive(Serialize)]
struct Made<'a> {
    algorithm: Algorithm,
    #[serde(serialize_with = "serialize_path")]
    public_key: &'a Path,
    fingerprint: String,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = Escaped(shown(self.public_key));
        writeln!(f, "{} public key: {file}", self.algorithm)?;
        write!(f, "fingerprint: {}", self.fingerprint)
    }
}
