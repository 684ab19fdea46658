//! `decaps`: recovers the secret of a ciphertext.

use super::encaps::{refuse_binary_secret, secret_text};
use crate::{
    PROGRAM,
    keys::load_secret,
    object::{self, Kind},
    sets::{self, Set},
};
use clap::Args;
use falcon_terminal::{
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::{at_most_one_standard, is_standard},
    output::{Content, Inputs, Overwrite, Pending, check_target, write_result},
    ui::Ui,
};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Recover the 32-byte secret of a ciphertext
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mceliece-cli decaps -k my.key sent --secret secret

A ciphertext that was not made for the key gives an unrelated secret, and no error. So check that
both sides have the same secret before you rely on it. Derive keys from the secret, and do not use
it as a key itself. This program encrypts no files.

--force replaces no secret key. A file of 32 bytes can be a shared secret or a raw secret key:
--force replaces it, unless FILE.pub is beside FILE.")]
pub(crate) struct Decaps {
    /// The secret key, in any form; `-` is standard input
    #[arg(short, long, value_name = "KEY", aliases = ["secret-key", "private-key", "sk"])]
    key: PathBuf,
    /// The ciphertext, in PEM or raw; `-` is standard input
    #[arg(value_name = "CIPHERTEXT")]
    ciphertext: PathBuf,
    /// File for the secret, with mode 0600; `-` is standard output
    #[arg(
        long,
        value_name = "FILE",
        visible_alias = "output",
        visible_short_alias = 'o'
    )]
    secret: PathBuf,
    /// Write the secret as 64 hexadecimal digits and a line end
    #[arg(long)]
    hex: bool,
    /// Parameter set, if KEY is raw
    #[arg(long, value_name = "NAME", aliases = ["set", "algorithm"], short_alias = 'a', ignore_case = true, value_parser = sets::parser())]
    parameters: Option<&'static Set>,
    /// Overwrite an existing file, but no secret key
    #[arg(long)]
    force: bool,
}

impl Decaps {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let inputs = [self.key.as_path(), self.ciphertext.as_path()];
        at_most_one_standard(inputs)?;
        let overwrite = Overwrite::from_force(self.force);
        if !is_standard(&self.secret) {
            Inputs::new(inputs).spare(&self.secret)?;
            check_target(&PROGRAM, &self.secret, Content::SharedSecret, overwrite)?;
        } else if !self.hex {
            refuse_binary_secret()?;
        }
        let key = load_secret(&self.key, self.parameters, ui)?;
        if !key.is_expansion() {
            ui.warn(format_args!(
                "{}: is not the secret key that its seed gives, so the secret may be wrong: was it \
                 damaged?",
                Escaped(shown(&self.key))
            ));
        }
        let ciphertext = object::read(&self.ciphertext, Some(key.set), Some(Kind::Ciphertext))?;
        let secret = (key.set.decapsulate)(key.as_bytes(), &ciphertext.bytes)
            .map_err(|error| Error::at(&self.key, "cannot decapsulate").because(error))?;
        let secret = secret_text(&secret, self.hex);
        if is_standard(&self.secret) {
            write_result(&PROGRAM, &self.secret, &secret, overwrite)?;
            return Ok(Status::Valid);
        }
        Pending::with_bytes(
            &PROGRAM,
            &self.secret,
            &secret,
            Content::SharedSecret,
            overwrite,
        )?
        .commit()?;
        let made = Made {
            parameters: key.set,
            secret: &self.secret,
        };
        ui.report_written(&made, &[&self.secret])?;
        Ok(Status::Valid)
    }
}

/// Report of the secret that was written.
#[derive(Serialize)]
struct Made<'a> {
    parameters: &'static Set,
    #[serde(serialize_with = "serialize_path")]
    secret: &'a Path,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = Escaped(shown(self.secret));
        write!(f, "{} secret: {file}", self.parameters)
    }
}
