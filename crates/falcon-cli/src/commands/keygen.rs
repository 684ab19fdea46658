//! `keygen`: makes a new key pair in two files.

use crate::{
    PROGRAM,
    engine::{REFERENCE_SEED_LEN, keygen, reference_keygen},
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{at_most_one_standard, is_standard, regular_length},
    keys::{self, Stored},
    output::{Content, Inputs, Overwrite, Pending, check_target},
    passphrase::{PassphraseSource, new_passphrase},
    place::{is_name_of_public, name_of_secret, with_suffix},
    scheme::{Algorithm, SignatureAlgorithm},
    seed::{SEED_LEN, fresh_seed, read_seed},
    shell::quote,
    stored::{StoredKey, Use},
    ui::Ui,
};
use clap::Args;
use falcon_core::{AnySigningKey, ParameterSet};
use serde::Serialize;
use std::{
    fmt,
    io::ErrorKind,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Make a key pair: KEY (PKCS#8, mode 0600) and KEY.pub (SubjectPublicKeyInfo), both PEM
#[derive(Debug, Args)]
pub(crate) struct Keygen {
    /// Algorithm that the key signs with; for falcon-det1024 the key is a Falcon-1024 key
    #[arg(
        short,
        long,
        value_enum,
        ignore_case = true,
        default_value = "falcon-512"
    )]
    algorithm: SignatureAlgorithm,
    /// File for the secret key; the public key goes to KEY.pub
    #[arg(value_name = "KEY", default_value = keys::DEFAULT_SECRET_KEY)]
    key: PathBuf,
    /// The same as KEY
    #[arg(
        short,
        long,
        value_name = "KEY",
        conflicts_with = "key",
        alias = "key",
        short_alias = 'k'
    )]
    output: Option<PathBuf>,
    /// Messages that the key signs. KEY says so, and every command that signs obeys [default: any]
    #[arg(long = "use", value_name = "USE", value_enum)]
    key_use: Option<Use>,
    /// Encrypt the secret key; asks for a passphrase, or reads it from --passphrase-file
    #[arg(long)]
    passphrase: bool,
    #[command(flatten)]
    source: PassphraseSource,
    /// Make the key from a secret seed: 32 bytes, or 64 hexadecimal digits. The same seed always
    /// gives the same key
    #[arg(long, value_name = "FILE")]
    seed_file: Option<PathBuf>,
    /// Make the key from a wallet's secret seed: 48 bytes, or 96 hexadecimal digits. The Falcon
    /// reference, Bouncy Castle and noble-post-quantum make the same key from the same seed
    #[arg(long, value_name = "FILE", conflicts_with = "seed_file")]
    reference_seed_file: Option<PathBuf>,
    /// Overwrite KEY and KEY.pub; the old key is lost. If the program is killed meanwhile, KEY.pub
    /// can be missing; `pubkey` makes it again
    #[arg(long)]
    force: bool,
}

impl Keygen {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        let overwrite = Overwrite::from_force(self.force);
        let secret_path = self.output.as_ref().unwrap_or(&self.key);
        let public_path = with_suffix(secret_path, ".pub");
        self.check(secret_path, &public_path, overwrite)?;
        self.spare_mark(secret_path, ui)?;
        let seed = self.seed(ui)?;
        let encrypted = self.passphrase || self.source.passphrase_file.is_some();
        let passphrase = encrypted
            .then(|| {
                new_passphrase(
                    self.source.passphrase_file.as_deref(),
                    "--passphrase-file",
                    secret_path,
                    ui,
                )
            })
            .transpose()?;

        let secret = seed.key(self.algorithm.of_keys().0)?;
        let secret = StoredKey::new(secret, self.key_use.unwrap_or_default());
        let public = secret.public_key();
        let passphrase = passphrase.as_deref().map(String::as_str);
        let pair = Pair {
            secret: keys::secret_pem(&secret, passphrase)?,
            public: keys::public_pem(&public)?,
        };
        pair.write(secret_path, &public_path, overwrite, ui)?;

        if !encrypted {
            ui.note(format_args!(
                "the secret key is not encrypted; to encrypt it: falcon-cli passwd --add {}",
                quote(secret_path)
            ));
        }
        if self.algorithm == SignatureAlgorithm::FalconDet1024 {
            ui.note(format_args!(
                "the key itself does not name Falcon-det1024; to sign with it: falcon-cli sign \
                 --algorithm falcon-det1024 -k {} FILE",
                quote(secret_path)
            ));
        }
        let made = Made {
            algorithm: self.algorithm.of_keys(),
            secret_key: secret_path,
            public_key: &public_path,
            encrypted,
            key_use: secret.key_use(),
            fingerprint: keys::fingerprint(&public),
        };
        ui.report_written(&made, &[secret_path, &public_path])?;
        Ok(Status::Valid)
    }

    /// Reads the seed file that was named, or generates a seed.
    fn seed(&self, ui: Ui) -> Result<Seed> {
        match (&self.seed_file, &self.reference_seed_file) {
            (Some(path), _) => read_seed(path, &SEED_OPTIONS, ui).map(Seed::Own),
            (None, Some(path)) => read_seed(path, &SEED_OPTIONS, ui).map(Seed::Reference),
            (None, None) => fresh_seed().map(Seed::Own),
        }
    }

    /// Checks everything that can be refused before the passphrase is asked for.
    fn check(&self, secret: &Path, public: &Path, overwrite: Overwrite) -> Result<()> {
        let files = [
            &self.seed_file,
            &self.reference_seed_file,
            &self.source.passphrase_file,
        ];
        let files = files.into_iter().flatten().map(PathBuf::as_path);
        at_most_one_standard(files.clone())?;
        let inputs = Inputs::new(files);
        if self.key_use == Some(Use::Certificates)
            && self.algorithm == SignatureAlgorithm::FalconDet1024
        {
            return Err(Error::new(
                "a key for certificates only does not sign with falcon-det1024",
            )
            .hint("leave out --use certificates, or name falcon-1024"));
        }
        if is_standard(secret) {
            return Err(Error::new("a key pair is two files, not standard output")
                .hint("name the file of the secret key"));
        }
        if is_name_of_public(secret) {
            return Err(
                Error::at(secret, "this name is for the public key").hint(format_args!(
                    "name the secret key: falcon-cli keygen {}",
                    quote(&name_of_secret(secret))
                )),
            );
        }
        for (path, content) in [(secret, Content::SecretKey), (public, Content::PublicKey)] {
            inputs.spare(path)?;
            check_target(&PROGRAM, path, content, overwrite).map_err(|error| {
                if path == public && error.is(ErrorKind::AlreadyExists) {
                    error.hint(how_to_spare_public(secret))
                } else {
                    error
                }
            })?;
            // With `--force`, the new key may replace an old key, but no other file.
            if regular_length(path).is_some() && !keys::is_key(path)? {
                return Err(Error::at(path, "is not a key and was not overwritten")
                    .hint("remove it first, or name another file"));
            }
        }
        Ok(())
    }

    /// Refuses to replace a marked key unless the user names the use of the new key.
    fn spare_mark(&self, secret: &Path, ui: Ui) -> Result<()> {
        if self.key_use.is_some() || regular_length(secret).is_none() {
            return Ok(());
        }
        match keys::load_stored(secret) {
            Ok(Stored::Plain(old)) if old.key_use() == Use::Certificates => Err(Error::at(
                secret,
                "is a key for certificates only, and was not overwritten: the new key would sign \
                 every message",
            )
            .hint("to mark the new key: --use certificates; otherwise: --use any")),
            Ok(Stored::Encrypted(_)) => {
                ui.warn(format_args!(
                    "{}: the old key is encrypted, so its use is not known; the new key signs \
                     every message",
                    shown(secret)
                ));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Returns advice for a public key whose secret key does not exist.
fn how_to_spare_public(secret: &Path) -> String {
    format!(
        "its secret key {} is missing; --force would destroy the key that verifies old \
         signatures; name another file: falcon-cli keygen NEW.key",
        shown(secret)
    )
}

/// The contents of the two files.
struct Pair {
    secret: Zeroizing<String>,
    public: String,
}

impl Pair {
    /// Writes both files with [`Pending::commit_pair`]. The secret key comes first: the public key
    /// can be computed from it, but not vice versa.
    fn write(&self, secret: &Path, public: &Path, overwrite: Overwrite, ui: Ui) -> Result<()> {
        let prepare = |path, text: &str, content| {
            Pending::with_bytes(&PROGRAM, path, text.as_bytes(), content, overwrite)
        };
        let secret = prepare(secret, &self.secret, Content::SecretKey)?;
        let public = prepare(public, &self.public, Content::PublicKey)?;
        Pending::commit_pair(secret, public, ui)
    }
}

/// Seed of a key. The two kinds have different lengths.
enum Seed {
    /// Seed of this library.
    Own(Zeroizing<[u8; SEED_LEN]>),
    /// Seed of a wallet, as the reference uses it.
    Reference(Zeroizing<[u8; REFERENCE_SEED_LEN]>),
}

impl Seed {
    fn key(&self, set: ParameterSet) -> Result<AnySigningKey> {
        match self {
            Self::Own(seed) => keygen(set, seed),
            Self::Reference(seed) => reference_keygen(set, seed),
        }
    }
}

/// The options that take a seed, and the length of each seed in bytes.
const SEED_OPTIONS: [(usize, &str); 2] = [
    (SEED_LEN, "--seed-file"),
    (REFERENCE_SEED_LEN, "--reference-seed-file"),
];

/// Report of the new key pair.
#[derive(Serialize)]
struct Made<'a> {
    algorithm: Algorithm,
    #[serde(serialize_with = "serialize_path")]
    secret_key: &'a Path,
    #[serde(serialize_with = "serialize_path")]
    public_key: &'a Path,
    encrypted: bool,
    #[serde(rename = "use")]
    key_use: Use,
    fingerprint: String,
}

impl fmt::Display for Made<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encrypted = if self.encrypted { ", encrypted" } else { "" };
        writeln!(
            f,
            "{} secret key{encrypted}{}: {}",
            self.algorithm,
            self.key_use.shown(),
            Escaped(shown(self.secret_key))
        )?;
        writeln!(
            f,
            "{} public key: {}",
            self.algorithm,
            Escaped(shown(self.public_key))
        )?;
        write!(f, "fingerprint: {}", self.fingerprint)
    }
}
