//! `keygen`: makes a new key pair in two files.

use crate::{
    PROGRAM,
    fingerprint::fingerprint,
    keys::{SecretKey, is_key},
    object::{Form, Kind, encode},
    sets::{self, SETS, Set},
    standing::STANDING,
};
use clap::Args;
use falcon_terminal::{
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::{is_standard, regular_length},
    output::{Content, Inputs, Overwrite, Pending, check_target},
    place::{is_name_of_public, name_of_secret, with_suffix},
    seed::{SEED_LEN, fresh_seed, read_seed},
    shell::quote,
    ui::Ui,
};
use serde::Serialize;
use std::{
    fmt,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Make a key pair: KEY (secret, mode 0600) and KEY.pub, both PEM
#[derive(Debug, Args)]
#[command(override_usage = "mceliece-cli keygen [OPTIONS] --parameters <NAME> <KEY>")]
#[command(after_help = "\
Examples:
  mceliece-cli keygen --parameters mceliece460896f my.key
  mceliece-cli keygen --parameters mceliece460896f my.key --form seed    KEY in 32 bytes

KEY begins with a seed, in every form, and the seed alone gives the whole key again. So a file
that was given to --seed-file is as secret as KEY: keep it as safe, or delete it. With a set
without f, about five of seven seeds give no key. Then KEY holds the next seed that does, which
follows from the first one, and not the bytes of the file.")]
pub(crate) struct Keygen {
    /// Parameter set; there is no default
    #[arg(long, value_name = "NAME", aliases = ["set", "algorithm"], short_alias = 'a', ignore_case = true, value_parser = sets::parser())]
    parameters: Option<&'static Set>,
    /// File for the secret key; the public key goes to KEY.pub
    #[arg(value_name = "KEY", required_unless_present = "output")]
    key: Option<PathBuf>,
    /// The same as KEY
    #[arg(short, long, value_name = "KEY", conflicts_with = "key")]
    output: Option<PathBuf>,
    /// Form of the secret key. All forms are the same key
    #[arg(long, value_enum, default_value = "full")]
    form: Form,
    /// Write the bytes of the specification instead of PEM. They do not name their parameter set
    #[arg(long)]
    raw: bool,
    /// Make the key from the secret seed in FILE: 32 random bytes, or 64 hexadecimal digits. The
    /// same seed and parameter set always give the same key
    #[arg(long, value_name = "FILE")]
    seed_file: Option<PathBuf>,
    /// Overwrite KEY and KEY.pub; the old key is lost. If the program is killed meanwhile, KEY.pub
    /// can be missing; `pubkey` makes it again
    #[arg(long)]
    force: bool,
}

impl Keygen {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let set = self.parameters.ok_or_else(|| {
            let sets = SETS.iter().map(|set| set.name).collect::<Vec<_>>();
            Error::new("--parameters is missing, and there is no default set").hint(format_args!(
                "add --parameters and one of {}",
                sets.join(", ")
            ))
        })?;
        let overwrite = Overwrite::from_force(self.force);
        // The parser ensures that one of the two options is given.
        let secret_path = self.output.as_deref().or(self.key.as_deref());
        let secret_path = secret_path.unwrap_or(Path::new(""));
        let public_path = with_suffix(secret_path, ".pub");
        self.check(set, [secret_path, &public_path], overwrite)?;
        let options = [(SEED_LEN, "--seed-file")];
        let seed = self.seed_file.as_deref();
        let seed = seed.map(|path| read_seed(path, &options, ui)).transpose()?;
        let seed = seed.map_or_else(fresh_seed, Ok)?;
        let mut key = SecretKey::generate(set, &seed);
        let secret = encode(set, Kind::SecretKey, key.in_form(self.form), self.raw)?;
        let public_key = key.public_key()?;
        let public = encode(set, Kind::PublicKey, public_key, self.raw)?;
        let fingerprint = fingerprint(set, public_key);
        let prepare =
            |path, bytes, content| Pending::with_bytes(&PROGRAM, path, bytes, content, overwrite);
        let secret = prepare(secret_path, &secret, Content::SecretKey)?;
        let public = prepare(&public_path, &public, Content::PublicKey)?;
        Pending::commit_pair(secret, public, ui)?;
        ui.note(STANDING);
        let made = Made {
            parameters: set,
            form: self.form,
            secret_key: secret_path,
            public_key: &public_path,
            fingerprint,
        };
        ui.report_written(&made, &[secret_path, &public_path])?;
        Ok(Status::Valid)
    }

    /// Checks everything that can be refused before a key is generated.
    fn check(&self, set: &Set, [secret, public]: [&Path; 2], overwrite: Overwrite) -> Result<()> {
        if is_standard(secret) {
            return Err(Error::new("a key pair is two files, not standard output")
                .hint("name the file of the secret key"));
        }
        if is_name_of_public(secret) {
            return Err(
                Error::at(secret, "this name is for the public key").hint(format_args!(
                    "name the secret key: mceliece-cli keygen --parameters {} {}",
                    set,
                    quote(&name_of_secret(secret))
                )),
            );
        }
        let inputs = Inputs::new(self.seed_file.as_deref());
        for (path, content) in [(secret, Content::SecretKey), (public, Content::PublicKey)] {
            inputs.spare(path)?;
            check_target(&PROGRAM, path, content, overwrite).map_err(|error| {
                if path == public && error.is(ErrorKind::AlreadyExists) {
                    error.hint(format_args!(
                        "its secret key {} is missing; --force would destroy the public key, too; \
                         name another file",
                        shown(secret)
                    ))
                } else {
                    error
                }
            })?;
            // With `--force`, the new key may replace an old key, but no other file.
            if regular_length(path).is_some() && !is_key(path)? {
                return Err(Error::at(path, "is not a key and was not overwritten")
                    .hint("remove it first, or name another file"));
            }
        }
        Ok(())
    }
}

/// Report of the new key pair.
#[derive(Serialize)]
struct Made<'a> {
    parameters: &'static Set,
    form: Form,
    #[serde(serialize_with = "serialize_path")]
    secret_key: &'a Path,
    #[serde(serialize_with = "serialize_path")]
    public_key: &'a Path,
    fingerprint: String,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [secret, public] = [self.secret_key, self.public_key].map(|path| Escaped(shown(path)));
        writeln!(f, "{} secret key, {}: {secret}", self.parameters, self.form)?;
        writeln!(f, "{} public key: {public}", self.parameters)?;
        write!(f, "fingerprint: {}", self.fingerprint)
    }
}
