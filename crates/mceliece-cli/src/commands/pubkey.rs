//! `pubkey`: writes the public key of a secret key.

use crate::{
    PROGRAM,
    fingerprint::fingerprint,
    keys::load_secret,
    object::{Kind, MAX_FILE, encode},
    sets::{self, Set},
};
use clap::Args;
use falcon_terminal::{
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::is_standard,
    output::{Content, Inputs, Overwrite, Pending, check_target, refuse_terminal, write_result},
    place::with_suffix,
    snapshot::Snapshot,
    ui::Ui,
};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Make the public key again from the secret key
#[derive(Debug, Args)]
#[command(override_usage = "mceliece-cli pubkey [OPTIONS] <KEY>")]
pub(crate) struct Pubkey {
    /// The secret key, in any form; `-` is standard input
    #[arg(value_name = "KEY", required_unless_present = "named_key")]
    key: Option<PathBuf>,
    /// The same as KEY
    #[arg(
        short = 'k',
        long = "key",
        value_name = "KEY",
        conflicts_with = "key",
        hide = true
    )]
    named_key: Option<PathBuf>,
    /// File for the public key; `-` is standard output [default: KEY.pub]
    #[arg(short, long, value_name = "KEY.pub")]
    output: Option<PathBuf>,
    /// Parameter set, if KEY is raw
    #[arg(long, value_name = "NAME", aliases = ["set", "algorithm"], short_alias = 'a', ignore_case = true, value_parser = sets::parser())]
    parameters: Option<&'static Set>,
    /// Write the bytes of the specification instead of PEM
    #[arg(long)]
    raw: bool,
    /// Overwrite an existing file, but no secret key
    #[arg(long)]
    force: bool,
}

impl Pubkey {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        // The parser ensures that one of the two options is given.
        let key_path = self.named_key.as_deref().or(self.key.as_deref());
        let key_path = key_path.unwrap_or(Path::new(""));
        let output = match &self.output {
            Some(path) => path.clone(),
            None if is_standard(key_path) => {
                return Err(
                    Error::new("the key on standard input has no name for KEY.pub")
                        .hint("name the public key with --output"),
                );
            }
            None => with_suffix(key_path, ".pub"),
        };
        let overwrite = Overwrite::from_force(self.force);
        if !is_standard(&output) {
            Inputs::new([key_path]).spare(&output)?;
            check_target(&PROGRAM, &output, Content::PublicKey, overwrite)?;
        }
        if is_standard(&output) && self.raw {
            refuse_terminal(
                "a raw public key",
                "redirect standard output, or leave --raw out",
            )?;
        }
        let snapshot = Snapshot::take(key_path, MAX_FILE);
        let mut key = load_secret(key_path, self.parameters, ui)?;
        let set = key.set;
        let public = key.public_key().map_err(|error| error.of_path(key_path))?;
        let bytes = encode(set, Kind::PublicKey, public, self.raw)?;
        if is_standard(&output) {
            write_result(&PROGRAM, &output, &bytes, overwrite)?;
            return Ok(Status::Valid);
        }
        let pending =
            Pending::with_bytes(&PROGRAM, &output, &bytes, Content::PublicKey, overwrite)?;
        // `keygen --force` may have replaced the key since it was read. Then the public key of the
        // new key must not be overwritten.
        let lock = snapshot.lock(&PROGRAM, ui)?;
        snapshot.check()?;
        pending.commit()?;
        drop(lock);
        let made = Made {
            parameters: set,
            public_key: &output,
            fingerprint: fingerprint(set, public),
        };
        ui.report_written(&made, &[&output])?;
        Ok(Status::Valid)
    }
}

/// Report of the public key that was written.
#[derive(Serialize)]
struct Made<'a> {
    parameters: &'static Set,
    #[serde(serialize_with = "serialize_path")]
    public_key: &'a Path,
    fingerprint: String,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = Escaped(shown(self.public_key));
        writeln!(f, "{} public key: {file}", self.parameters)?;
        write!(f, "fingerprint: {}", self.fingerprint)
    }
}
