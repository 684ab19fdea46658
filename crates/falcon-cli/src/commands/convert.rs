//! `convert`: a secret key in the form that another program reads.

use crate::{
    PROGRAM,
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{at_most_one_standard, is_standard},
    keys::{DEFAULT_SECRET_KEY, load_secret, polynomials_pem, secret_pem},
    output::{Content, Inputs, Overwrite, Pending, check_target},
    passphrase::PassphraseSource,
    scheme::Algorithm,
    ui::Ui,
};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Write a secret key in the form that another program reads, not encrypted
#[derive(Debug, Args)]
#[command(after_help = "\
Every command reads KEY in both forms. `passwd` writes the form oqs.")]
pub(crate) struct Convert {
    /// The secret key, which stays as it is
    #[arg(value_name = "KEY", default_value = DEFAULT_SECRET_KEY)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Form of the new file
    #[arg(long, value_enum)]
    to: Form,
    /// The new file: PKCS#8 in PEM, mode 0600
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Form of a secret key in PKCS#8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    /// Separate polynomials, the only form that Bouncy Castle reads
    BouncyCastle,
    /// The encoded keys, as keygen and the OQS provider of OpenSSL write them
    Oqs,
}

impl Convert {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let passphrase_file = self.passphrase.passphrase_file.as_deref();
        let inputs = || [self.key.as_path()].into_iter().chain(passphrase_file);
        at_most_one_standard(inputs())?;
        if is_standard(&self.output) {
            return Err(Error::new(
                "a secret key that is not encrypted goes to a file, not to standard output",
            )
            .hint("name the new file with --output"));
        }
        let overwrite = Overwrite::from_force(self.force);
        Inputs::new(inputs()).spare(&self.output)?;
        check_target(&PROGRAM, &self.output, Content::SecretKey, overwrite)?;

        let secret = load_secret(&self.key, &self.passphrase, ui)?;
        let pem = match self.to {
            Form::BouncyCastle => polynomials_pem(&secret)?,
            Form::Oqs => secret_pem(&secret, None)?,
        };
        Pending::with_bytes(
            &PROGRAM,
            &self.output,
            pem.as_bytes(),
            Content::SecretKey,
            overwrite,
        )?
        .commit()?;
        ui.note("the new file is not encrypted");
        let made = Converted {
            algorithm: secret.algorithm(),
            form: self.to,
            secret_key: &self.output,
            encrypted: false,
        };
        ui.report_written(&made, &[&self.output])?;
        Ok(Status::Valid)
    }
}

/// Report of the key that was written.
#[derive(Serialize)]
struct Converted<'a> {
    algorithm: Algorithm,
    form: Form,
    #[serde(serialize_with = "serialize_path")]
    secret_key: &'a Path,
    encrypted: bool,
}

impl fmt::Display for Converted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            Form::BouncyCastle => " for Bouncy Castle",
            Form::Oqs => "",
        };
        let file = Escaped(shown(self.secret_key));
        write!(f, "{} secret key{form}: {file}", self.algorithm)
    }
}
