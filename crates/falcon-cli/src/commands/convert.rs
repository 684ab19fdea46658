//! `convert`: writes a secret key in the form that another program reads.

use crate::{
    PROGRAM,
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{at_most_one_standard, is_standard, regular_length},
    keys::{DEFAULT_SECRET_KEY, Stored, load_secret, load_stored, polynomials_pem, secret_pem},
    output::{Content, Inputs, Overwrite, Pending, check_target},
    passphrase::PassphraseSource,
    place::is_name_of_public,
    scheme::Algorithm,
    stored::{StoredKey, Use, warn_of_lost_mark},
    ui::Ui,
};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::{
    fmt,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Write a secret key in the form that another program reads, not encrypted
#[derive(Debug, Args)]
#[command(after_help = "\
Every command reads KEY in both forms. `passwd` writes the form oqs.

A key that was made with `keygen --use certificates` signs certificates only, and so does
the new file. `--use any` makes a file of the same key that signs every message. Whoever
chooses such messages can then get certificates of the key.")]
pub(crate) struct Convert {
    /// The secret key, which stays as it is
    #[arg(value_name = "KEY", default_value = DEFAULT_SECRET_KEY)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Form of the new file
    #[arg(long, value_enum)]
    to: Form,
    /// Messages that the key of the new file signs [default: as KEY says]
    #[arg(long = "use", value_name = "USE", value_enum)]
    key_use: Option<Use>,
    /// The new file: PKCS#8 in PEM, mode 0600
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace an existing file if it holds this key, not encrypted
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
        if is_name_of_public(&self.output) {
            return Err(Error::at(&self.output, "this name is for a public key")
                .hint("name the new file of the secret key with --output"));
        }
        check_target(&PROGRAM, &self.output, Content::SecretKey, overwrite)
            .map_err(name_another)?;

        let key = load_secret(&self.key, &self.passphrase, ui)?;
        let replaced = self.replaced(&key)?;
        let was_marked = [Some(key.key_use()), replaced].contains(&Some(Use::Certificates));
        let key = key.with_use(self.key_use);
        if replaced == Some(Use::Certificates) && (self.key_use, key.key_use()) == (None, Use::Any)
        {
            return Err(Error::at(
                &self.output,
                "is a copy of this key for certificates only, and was not overwritten: the new \
                 file would sign every message",
            )
            .hint("to keep the mark: --use certificates; to take it off: --use any"));
        }
        let pem = match self.to {
            Form::BouncyCastle => polynomials_pem(&key)?,
            Form::Oqs => secret_pem(&key, None)?,
        };
        Pending::with_bytes(
            &PROGRAM,
            &self.output,
            pem.as_bytes(),
            Content::SecretKey,
            overwrite,
        )
        .and_then(Pending::commit)
        .map_err(name_another)?;
        if key.has_other_attributes {
            ui.warn(format_args!(
                "{} has attributes of another program, which {} has not",
                shown(&self.key),
                shown(&self.output)
            ));
        }
        warn_of_lost_mark(&self.output, was_marked, key.key_use(), ui);
        ui.note("the new file is not encrypted");
        let made = Converted {
            algorithm: key.algorithm(),
            form: self.to,
            secret_key: &self.output,
            encrypted: false,
            key_use: key.key_use(),
        };
        ui.report_written(&made, &[&self.output])?;
        Ok(Status::Valid)
    }

    /// Returns the use of the copy of this key that will be replaced, if there is one. Refuses to
    /// replace any other file.
    fn replaced(&self, key: &StoredKey) -> Result<Option<Use>> {
        if regular_length(&self.output).is_none() {
            return Ok(None);
        }
        let what = match load_stored(&self.output) {
            Ok(Stored::Plain(old)) if old.public_key() == key.public_key() => {
                return Ok(Some(old.key_use()));
            }
            Ok(Stored::Encrypted(_)) => {
                "is encrypted, so it cannot be compared with this key, and was not overwritten"
            }
            _ => "is no copy of this key, and was not overwritten",
        };
        Err(Error::at(&self.output, what).hint(
            "name another output file; --force replaces only a copy of the same key that is not \
             encrypted",
        ))
    }
}

/// If the file exists already, adds a hint that says what `--force` would replace.
fn name_another(error: Error) -> Error {
    match error.is(ErrorKind::AlreadyExists) {
        true => error.hint(
            "name another output file; --force replaces a copy of the same key that is not \
             encrypted",
        ),
        false => error,
    }
}

/// Report on the written key.
#[derive(Serialize)]
struct Converted<'a> {
    algorithm: Algorithm,
    form: Form,
    #[serde(serialize_with = "serialize_path")]
    secret_key: &'a Path,
    encrypted: bool,
    #[serde(rename = "use")]
    key_use: Use,
}

impl fmt::Display for Converted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            Form::BouncyCastle => " for Bouncy Castle",
            Form::Oqs => "",
        };
        let file = Escaped(shown(self.secret_key));
        let key_use = self.key_use.shown();
        write!(f, "{} secret key{form}{key_use}: {file}", self.algorithm)
    }
}
