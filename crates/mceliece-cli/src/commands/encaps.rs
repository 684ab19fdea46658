//! `encaps`: makes a ciphertext and its secret.

use crate::{
    PROGRAM,
    fingerprint::fingerprint,
    keys::load_public,
    object::{Kind, encode},
    sets::{self, Set, check_random},
};
use clap::Args;
use falcon_terminal::{
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::is_standard,
    output::{Content, Inputs, Overwrite, Pending, check_target, refuse_terminal},
    place::real,
    ui::Ui,
};
use getrandom::SysRng;
use mceliece_core::{SharedSecret, rand_core::UnwrapErr};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Make a ciphertext for a public key, and the 32-byte secret that it holds
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mceliece-cli encaps -p my.key.pub -o sent --secret secret

Both files appear, or neither. If one of them is `-`, the file appears first, and is removed if
standard output cannot be written. With --force, standard output is written first, and the old file
stays if that fails. If the program is killed while --force replaces two files, the ciphertext can
be missing, beside the old or the new secret.

--force replaces no secret key. A file of 32 bytes can be a shared secret or a raw secret key:
--force replaces it by another shared secret only, and not if FILE.pub is beside FILE.

Derive keys from the secret, and do not use it as a key itself. This program encrypts no files.")]
pub(crate) struct Encaps {
    /// The public key; `-` is standard input
    #[arg(short, long, value_name = "KEY.pub", aliases = ["key", "pub"], short_alias = 'k')]
    public_key: PathBuf,
    /// File for the ciphertext; `-` is standard output
    #[arg(short, long, value_name = "CIPHERTEXT")]
    output: PathBuf,
    /// File for the secret, with mode 0600; `-` is standard output
    #[arg(long, value_name = "FILE")]
    secret: PathBuf,
    /// Write the secret as 64 hexadecimal digits and a line end
    #[arg(long)]
    hex: bool,
    /// Parameter set, if KEY.pub is raw
    #[arg(long, value_name = "NAME", aliases = ["set", "algorithm"], short_alias = 'a', ignore_case = true, value_parser = sets::parser())]
    parameters: Option<&'static Set>,
    /// Write the ciphertext as the bytes of the specification instead of PEM
    #[arg(long)]
    raw: bool,
    /// Overwrite existing files, but no secret key
    #[arg(long)]
    force: bool,
}

impl Encaps {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let overwrite = Overwrite::from_force(self.force);
        self.check(overwrite)?;
        let key = load_public(&self.public_key, self.parameters)?;
        check_random()?;
        let (ciphertext, secret) = (key.set.encapsulate)(&key.bytes, &mut UnwrapErr(SysRng))
            .map_err(|error| Error::new("cannot encapsulate").because(error))?;
        let ciphertext = encode(key.set, Kind::Ciphertext, &ciphertext, self.raw)?;
        let secret = secret_text(&secret, self.hex);
        let prepare =
            |path, bytes, content| Pending::with_bytes(&PROGRAM, path, bytes, content, overwrite);
        if is_standard(&self.secret) {
            prepare(&self.output, &ciphertext, Content::Result)?.commit_and_print(&secret)?;
            return Ok(Status::Valid);
        }
        let pending = prepare(&self.secret, &secret, Content::SharedSecret)?;
        if is_standard(&self.output) {
            pending.commit_and_print(&ciphertext)?;
            return Ok(Status::Valid);
        }
        let ciphertext = prepare(&self.output, &ciphertext, Content::Result)?;
        Pending::commit_pair(pending, ciphertext, ui)?;
        let made = Made {
            parameters: key.set,
            ciphertext: &self.output,
            secret: &self.secret,
            fingerprint: fingerprint(key.set, &key.bytes),
        };
        ui.report_written(&made, &[&self.output, &self.secret])?;
        Ok(Status::Valid)
    }

    fn check(&self, overwrite: Overwrite) -> Result<()> {
        let (output, secret) = (self.output.as_path(), self.secret.as_path());
        if real(output) == real(secret) {
            return Err(
                Error::new("the ciphertext and the secret have the same name")
                    .hint("name two files; one of them can be `-`"),
            );
        }
        let inputs = Inputs::new([self.public_key.as_path()]);
        for (path, content) in [(output, Content::Result), (secret, Content::SharedSecret)] {
            if !is_standard(path) {
                inputs.spare(path)?;
                check_target(&PROGRAM, path, content, overwrite)?;
            }
        }
        if is_standard(output) && self.raw {
            refuse_terminal(
                "a raw ciphertext",
                "redirect standard output, or leave --raw out",
            )?;
        }
        if is_standard(secret) && !self.hex {
            refuse_binary_secret()?;
        }
        Ok(())
    }
}

/// Refuses to print a binary secret on a terminal.
pub(crate) fn refuse_binary_secret() -> Result<()> {
    refuse_terminal(
        "a secret in binary",
        "redirect standard output, or use --hex",
    )
}

/// Encodes the secret for its file.
pub(crate) fn secret_text(secret: &SharedSecret, hex: bool) -> Zeroizing<Vec<u8>> {
    if !hex {
        return Zeroizing::new(secret.as_bytes().to_vec());
    }
    let mut digits = Zeroizing::new(vec![b'\n'; 2 * secret.as_bytes().len() + 1]);
    let len = digits.len() - 1;
    // The memory has the right length, so this does not fail.
    let _ = base16ct::lower::encode(secret.as_bytes(), &mut digits[..len]);
    digits
}

/// Report of the files.
#[derive(Serialize)]
struct Made<'a> {
    parameters: &'static Set,
    #[serde(serialize_with = "serialize_path")]
    ciphertext: &'a Path,
    #[serde(serialize_with = "serialize_path")]
    secret: &'a Path,
    /// Fingerprint of the public key.
    fingerprint: String,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [ciphertext, secret] = [self.ciphertext, self.secret].map(|path| Escaped(shown(path)));
        writeln!(f, "{} ciphertext: {ciphertext}", self.parameters)?;
        writeln!(f, "secret: {secret}")?;
        write!(f, "for the key with fingerprint {}", self.fingerprint)
    }
}
