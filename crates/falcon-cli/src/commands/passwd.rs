//! `passwd`: changes, adds or removes the passphrase of a secret key.

use crate::{
    PROGRAM,
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::{at_most_one_standard, is_standard},
    keys::{
        DEFAULT_SECRET_KEY, MAX_REPLACED, Stored, decrypt_with, load_stored, not_encrypted,
        secret_pem,
    },
    output::{Content, Inputs, Overwrite, Pending},
    passphrase::{Passphrase, PassphraseSource, new_passphrase},
    pem_text::has_text_around_pem,
    scheme::Algorithm,
    shell::quote,
    snapshot::Snapshot,
    stored::{StoredKey, Use, warn_of_lost_mark},
    ui::Ui,
};
use clap::Args;
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Change, add or remove the passphrase of a secret key
#[derive(Debug, Args)]
#[command(after_help = "\
KEY is replaced in one step: whatever fails, it holds either the old or the new document.
The new file is PKCS#8 in PEM, with mode 0600. The key itself, its public key and its
signatures stay the same. Copies of the old file still open with the old passphrase.")]
pub(crate) struct Passwd {
    /// The secret key
    #[arg(value_name = "KEY", default_value = DEFAULT_SECRET_KEY)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Read the new passphrase from the first line of FILE; `-` is standard input
    #[arg(long, value_name = "FILE")]
    new_passphrase_file: Option<PathBuf>,
    /// Encrypt a secret key that has no passphrase
    #[arg(long)]
    add: bool,
    /// Decrypt the secret key: whoever can read the file can sign with it
    #[arg(long, conflicts_with_all = ["add", "new_passphrase_file"])]
    remove: bool,
    /// Messages that the key signs from now on. Without other options, the passphrase does not
    /// change [default: as KEY says]
    #[arg(long = "use", value_name = "USE", value_enum)]
    key_use: Option<Use>,
}

impl Passwd {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let files = || {
            let files = [&self.passphrase.passphrase_file, &self.new_passphrase_file];
            files.into_iter().flatten().map(PathBuf::as_path)
        };
        if self.add && self.passphrase.passphrase_file.is_some() {
            return Err(Error::new(
                "--passphrase-file names the present passphrase, and with --add there is none",
            )
            .hint("name the file of the new passphrase with --new-passphrase-file"));
        }
        at_most_one_standard(files())?;
        if is_standard(&self.key) {
            return Err(Error::new("a key on standard input cannot be replaced")
                .hint("name the file of the secret key"));
        }
        Inputs::new(files()).spare(&self.key)?;

        let snapshot = Snapshot::take(&self.key, MAX_REPLACED);
        if snapshot.content().is_some_and(has_text_around_pem) {
            return Err(Error::at(
                &self.key,
                "has text before or after the key, which the new file would not have",
            )
            .hint("move the lines outside of BEGIN and END to another file"));
        }
        snapshot.check_names()?;
        let (key, old) = self.open(ui)?;
        let was_marked = key.key_use() == Use::Certificates;
        let key = key.with_use(self.key_use);
        let file = self.new_passphrase_file.as_deref();
        let new = if self.keeps_passphrase() {
            old
        } else if self.remove {
            None
        } else {
            Some(new_passphrase(
                file,
                "--new-passphrase-file",
                &self.key,
                ui,
            )?)
        };
        let pem = secret_pem(&key, new.as_deref().map(String::as_str))?;
        let pending = Pending::over(
            &PROGRAM,
            &snapshot,
            pem.as_bytes(),
            Content::SecretKey,
            Overwrite::Force,
        )?;
        let lock = snapshot.lock(&PROGRAM, ui)?;
        pending.commit_over(&snapshot)?;
        drop(lock);
        warn_of_lost_mark(&self.key, was_marked, key.key_use(), ui);
        let changed = Changed {
            algorithm: key.algorithm(),
            secret_key: &self.key,
            encrypted: new.is_some(),
            keeps_passphrase: self.keeps_passphrase(),
            key_use: key.key_use(),
        };
        ui.report_written(&changed, &[&self.key])?;
        Ok(Status::Valid)
    }

    /// Returns true if only the use of the key changes.
    fn keeps_passphrase(&self) -> bool {
        let others = self.add || self.remove || self.new_passphrase_file.is_some();
        self.key_use.is_some() && !others
    }

    /// Returns the key and its passphrase. Refuses a key that does not fit the options, or whose
    /// document has attributes that the new file would not have.
    fn open(&self, ui: Ui) -> Result<(StoredKey, Option<Passphrase>)> {
        let (key, passphrase) = match load_stored(&self.key)? {
            Stored::Encrypted(_) if self.add => {
                return Err(Error::at(&self.key, "has a passphrase already")
                    .hint("leave --add out to change it"));
            }
            Stored::Encrypted(der) => {
                let passphrase = self.passphrase.existing(&self.key, ui)?;
                (
                    decrypt_with(&self.key, &der, &passphrase)?,
                    Some(passphrase),
                )
            }
            Stored::Plain(_) if self.passphrase.passphrase_file.is_some() => {
                return Err(not_encrypted(&self.key));
            }
            Stored::Plain(key) if self.add || self.keeps_passphrase() => (key, None),
            Stored::Plain(_) if self.remove => {
                return Err(Error::at(&self.key, "has no passphrase to remove"));
            }
            Stored::Plain(_) => {
                return Err(Error::at(&self.key, "has no passphrase to change")
                    .hint("give it one with --add"));
            }
        };
        if key.has_other_attributes {
            return Err(Error::at(
                &self.key,
                "has attributes of another program, which the new file would not have",
            )
            .hint(format_args!(
                "for a copy without them, not encrypted: falcon-cli convert --to oqs -o NEW {}",
                quote(&self.key)
            )));
        }
        Ok((key, passphrase))
    }
}

/// The report on the key that was written.
#[derive(Serialize)]
struct Changed<'a> {
    algorithm: Algorithm,
    #[serde(serialize_with = "serialize_path")]
    secret_key: &'a Path,
    encrypted: bool,
    #[serde(skip)]
    keeps_passphrase: bool,
    #[serde(rename = "use")]
    key_use: Use,
}

impl fmt::Display for Changed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match (self.encrypted, self.keeps_passphrase) {
            (true, true) => "encrypted with the same passphrase",
            (true, false) => "encrypted with the new passphrase",
            (false, true) => "not encrypted",
            (false, false) => "not encrypted any more",
        };
        let file = Escaped(shown(self.secret_key));
        let key_use = self.key_use.shown();
        write!(f, "{} secret key{key_use}: {file}, {state}", self.algorithm)
    }
}
