//! `demo`: makes a key, signs, verifies, and refuses a flipped bit, in a new folder.

use crate::{
    PROGRAM,
    commands::{
        bench::Warm,
        verify::{Keyring, Signers, verify},
    },
    engine::{Compute, Signer, keygen},
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::open,
    interrupt,
    keys::{public_pem, secret_pem},
    list::Pair,
    message::Message,
    object::{SignatureFormat, encode_signature},
    output::{Content, Overwrite, Pending},
    place::with_suffix,
    progress::Progress,
    scheme::Algorithm,
    seed::fresh_seed,
    shell::quote,
    stored::{StoredKey, Use},
    timing::DEBUG_BUILD,
    ui::{BAD, GOOD, STRONG, Styled, Ui},
};
use clap::Args;
use serde::Serialize;
use std::{
    env, fmt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Show every step once: make a key, sign FILE, verify it, refuse a flipped bit
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// The file to sign; it is only read
    file: PathBuf,
    /// Parameter set
    #[arg(
        short,
        long,
        value_enum,
        ignore_case = true,
        default_value = "falcon-512"
    )]
    algorithm: Algorithm,
}

impl Demo {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        if self.file == Path::new("-") {
            return Err(Error::new("the demo reads its file three times")
                .hint("name a file, not standard input"));
        }
        // Checks the file first, so that a refused command makes nothing that must be removed.
        drop(open(&self.file)?);
        if let Some(text) = DEBUG_BUILD {
            ui.warn(text);
        }
        let fresh = FreshFolder::new()?;
        let folder = fresh.folder.path();
        let key_path = folder.join("demo.key");
        let public_path = with_suffix(&key_path, ".pub");
        let name = self.file.file_name().unwrap_or("message".as_ref());
        let signature_path = with_suffix(&folder.join(name), ".sig");
        let progress = Progress::of_files(ui, [self.file.as_path()].into_iter());

        let start = Instant::now();
        let secret = StoredKey::new(keygen(self.algorithm.0, &*fresh_seed()?)?, Use::Any);
        let generated = start.elapsed();
        let public = secret.public_key();
        let signers = Signers::Keys(Keyring::of(secret.public_key()));
        write(
            &key_path,
            secret_pem(&secret, None)?.as_bytes(),
            Content::SecretKey,
        )?;
        let pem = public_pem(&public)?;
        write(&public_path, pem.as_bytes(), Content::PublicKey)?;

        let start = Instant::now();
        let signer = Signer::new(engine, secret.secret())?;
        let signature = one(signer.sign(vec![Message::open(&self.file, &progress)]))?;
        let sign = start.elapsed();
        let mut bytes = encode_signature(&signature, SignatureFormat::Padded)?;

        let check = |signature: PathBuf, bytes: &[u8]| {
            write(&signature, bytes, Content::Result)?;
            let file = self.file.clone();
            let start = Instant::now();
            let outcome = verify(engine, &signers, &[Pair { file, signature }], &progress);
            Ok::<_, Error>((one(outcome)?.is_valid(), start.elapsed()))
        };
        let (valid, verified) = check(signature_path.clone(), &bytes)?;
        // The flipped bit is in the nonce, so that the signature still decodes.
        bytes[1] ^= 1;
        let (flipped_valid, _) = check(with_suffix(&signature_path, ".flipped"), &bytes)?;
        drop(progress);
        let warm = Warm::measure(self.algorithm.0, engine, ui)?;

        let folder = folder.to_owned();
        ui.report(&Shown {
            file: self.file,
            folder,
            algorithm: self.algorithm,
            engine: engine.name(),
            secret_key: key_path,
            public_key: public_path,
            signature: signature_path,
            secret_key_bytes: secret.secret().to_bytes().len(),
            public_key_bytes: public.to_bytes().len(),
            signature_bytes: bytes.len(),
            keygen_us: micros(generated),
            sign_us: micros(sign),
            verify_us: micros(verified),
            warm_sign_us: tenths(warm.sign),
            warm_verify_us: tenths(warm.verify),
            valid,
            flipped_bit_refused: !flipped_valid,
        })?;
        // The folder is kept. The user knows its name now and can look at its files.
        fresh.keep();
        Ok(if valid && !flipped_valid {
            Status::Valid
        } else {
            Status::Invalid
        })
    }
}

/// A new folder that is removed with its contents when dropped or after a signal, unless it is kept
/// for the user.
struct FreshFolder {
    folder: TempDir,
}

impl FreshFolder {
    fn new() -> Result<Self> {
        let parent = env::temp_dir();
        let mut hold = interrupt::hold();
        let folder = tempfile::Builder::new()
            .prefix("falcon-demo-")
            .tempdir_in(&parent)
            .map_err(|error| {
                Error::io(&parent, "cannot make a folder here", &error.kind().into())
                    .hint("name a folder in the environment variable TMPDIR")
            })?;
        hold.add(folder.path());
        Ok(Self { folder })
    }

    fn keep(self) {
        let folder = self.folder.keep();
        interrupt::hold().remove(&folder);
    }
}

/// Returns the only result.
fn one<T>(mut results: Vec<Result<T>>) -> Result<T> {
    results
        .pop()
        .unwrap_or_else(|| Err(Error::new("the demo has no result")))
}

fn write(path: &Path, bytes: &[u8], content: Content) -> Result<()> {
    Pending::with_bytes(&PROGRAM, path, bytes, content, Overwrite::Never)?.commit()
}

/// Returns the name or path under which the program was started.
fn program() -> PathBuf {
    env::args_os()
        .next()
        .map_or_else(|| PathBuf::from("falcon-cli"), PathBuf::from)
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Microseconds with one decimal.
fn tenths(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e7).round() / 10.0
}

/// Everything that the demonstration did. The times without `warm` are those of the first calls.
#[derive(Serialize)]
struct Shown {
    #[serde(serialize_with = "serialize_path")]
    file: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    folder: PathBuf,
    algorithm: Algorithm,
    engine: &'static str,
    #[serde(serialize_with = "serialize_path")]
    secret_key: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    public_key: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    signature: PathBuf,
    secret_key_bytes: usize,
    public_key_bytes: usize,
    signature_bytes: usize,
    keygen_us: u64,
    sign_us: u64,
    verify_us: u64,
    warm_sign_us: f64,
    warm_verify_us: f64,
    valid: bool,
    flipped_bit_refused: bool,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            algorithm,
            engine,
            secret_key_bytes: secret,
            public_key_bytes: public,
            signature_bytes: signature,
            keygen_us,
            sign_us,
            verify_us,
            warm_sign_us: warm_sign,
            warm_verify_us: warm_verify,
            ..
        } = self;
        let verdict = |good: bool, text: &'static str, otherwise: &'static str| {
            if good {
                Styled(GOOD, text)
            } else {
                Styled(BAD, otherwise)
            }
        };
        let title = Styled(STRONG, format!("{algorithm} on engine {engine}"));
        let valid = verdict(self.valid, "valid", "REFUSED");
        let refused = verdict(self.flipped_bit_refused, "refused", "ACCEPTED");
        writeln!(f, "{title}")?;
        writeln!(f, "               first call         warm")?;
        writeln!(
            f,
            "  key pair    {keygen_us:>8} us                secret {secret} bytes, public {public} bytes"
        )?;
        writeln!(
            f,
            "  sign        {sign_us:>8} us  {warm_sign:>8.1} us   signature {signature} bytes"
        )?;
        writeln!(
            f,
            "  verify      {verify_us:>8} us  {warm_verify:>8.1} us   {valid}"
        )?;
        writeln!(f, "  flipped bit                            {refused}")?;
        writeln!(
            f,
            "The first call reads the file, with cold caches. Warm: the median of repeated calls \
             with a\nprepared key and a short message, as in the rows `prepared` of bench."
        )?;
        writeln!(f, "The files are in {}.", Escaped(shown(&self.folder)))?;
        writeln!(
            f,
            "The folder holds a secret key that is not encrypted. You can remove the folder."
        )?;
        writeln!(f, "Try:")?;
        write!(
            f,
            "  {} verify -p {} -s {} {}",
            Escaped(quote(&program())),
            Escaped(quote(&self.public_key)),
            Escaped(quote(&self.signature)),
            Escaped(quote(&self.file))
        )
    }
}
