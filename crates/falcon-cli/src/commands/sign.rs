//! `sign`: one signature a file.

mod envelope;
mod x509;

pub(crate) use envelope::{CommentOption, Statements, seal};
pub(crate) use x509::{Permitted, X509Option};

use crate::{
    PROGRAM,
    commands::verify::KeyName,
    deterministic::{self, DeterministicSigner},
    engine::{Compute, Signer},
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    escape::shown,
    input::{at_most_one_standard, check_readable, is_standard},
    keys::{DEFAULT_SECRET_KEY, is_secret_key, load_signature, load_stored, open_stored},
    list::{self, Pair, note_skipped_signatures, signature_path, signed_path},
    message::{Message, is_long},
    object::{SignatureFormat, encode_signature},
    output::{Content, Inputs, Outputs, Overwrite, check_target, refuse_terminal, write_result},
    parallel::{Grouping, for_each_in_order},
    passphrase::PassphraseSource,
    progress::Progress,
    scheme::{AnySignature, SecretKey, SignatureAlgorithm},
    shell::quote,
    stored::{Use, signs_certificates_only},
    ui::{Hints, Ui, only_report_is_missing},
};
use clap::Args;
use envelope::Draft;
use falcon_core::det1024::CompressedSignature;
use falcon_envelope::Statement;
use indicatif::HumanCount;
use serde::Serialize;
use std::{
    collections::HashSet,
    convert::Infallible,
    fmt, fs, io,
    path::{self, Path, PathBuf},
};

/// Sign files; the signature of FILE is FILE.sig
#[derive(Debug, Args)]
#[command(after_help = "\
A signature file is whole or absent. It is not forced to the disk: after a power failure
or Ctrl-C, the same command with --skip-existing makes the missing and the empty ones.

An envelope says who signed, when and with which comment, and all of it is signed. The
other formats say nothing. docs/FORMATS.md specifies the envelope.

LIST has one file name on each line. The signature goes to FILE.sig, or to a name that
follows after a tab, as for `verify --check`. Names are relative to the working folder.")]
pub(crate) struct Sign {
    /// The secret key
    #[arg(short, long, default_value = DEFAULT_SECRET_KEY,
        aliases = ["secret-key", "private-key", "sk"])]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Files to sign; `-` signs standard input to standard output
    #[arg(value_name = "FILE", required_unless_present = "list")]
    files: Vec<PathBuf>,
    /// Sign every file of a list; `-` reads the list from standard input
    #[arg(short, long, value_name = "LIST", conflicts_with_all = ["files", "output"])]
    list: Option<PathBuf>,
    /// Algorithm of the signatures [default: that of the key]. falcon-det1024 signs as Algorand
    /// does: with a Falcon-1024 key, without randomness, on the best engine
    #[arg(short, long, value_enum, ignore_case = true)]
    algorithm: Option<SignatureAlgorithm>,
    /// Format of the signature [default: padded; with --comment: envelope; with --allow-x509 or of
    /// falcon-det1024: compressed]
    #[arg(short, long, value_enum)]
    format: Option<SignatureFormat>,
    #[command(flatten)]
    comment: CommentOption,
    #[command(flatten)]
    x509: X509Option,
    /// Write the signature to SIG, if there is one FILE only; `-` is standard output
    #[arg(short, long, value_name = "SIG")]
    output: Option<PathBuf>,
    /// Overwrite existing signatures
    #[arg(long)]
    force: bool,
    /// Skip files that already have FILE.sig, and skip .sig files; replace empty ones
    #[arg(long, conflicts_with = "force")]
    skip_existing: bool,
}

impl Sign {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        let format = self.format()?;
        let mut jobs = self.jobs()?;
        let mut skipped = if self.skip_existing {
            Skipped::take_from(&mut jobs)
        } else {
            Skipped::default()
        };
        if jobs.is_empty() {
            skipped.tell(ui);
            return Ok(Status::Valid);
        }
        let replace = match (self.force, self.skip_existing) {
            (true, _) => Replace::All,
            (_, true) => Replace::Empty,
            _ => Replace::None,
        };
        self.refuse_keys(&jobs)?;
        // Without a key the rest does not matter. A passphrase is asked for after the checks.
        let stored = load_stored(&self.key)?;
        self.check(&jobs, format, replace)?;
        // The key itself is wiped here: its expanded form is all that signs.
        let key = open_stored(&self.key, stored, &self.passphrase, ui)?;
        let (secret, permitted) = match format {
            // A statement is no document of X.509.
            SignatureFormat::Envelope => {
                (key.into_signer_of_messages(&self.key)?, Permitted::Messages)
            }
            // Nor is a deterministic signature one of X.509.
            _ if self.algorithm == Some(SignatureAlgorithm::FalconDet1024)
                && key.key_use() == Use::Certificates =>
            {
                let error = signs_certificates_only(&self.key);
                return Err(error.hint("name another key with -k"));
            }
            _ => self.x509.permit(key, &self.key)?,
        };
        // As `verify` does, if the user named none.
        let is_default = self.key == Path::new(DEFAULT_SECRET_KEY);
        let writer = Writer {
            key: is_default.then(|| KeyName::new(&self.key, &secret.public_key())),
            statements: (format == SignatureFormat::Envelope)
                .then(|| Statements::new(&secret.public_key(), self.comment.comment.clone())),
            signer: self.signer(engine, &secret, format)?,
            permitted,
            instead: match self.algorithm {
                _ if permitted == Permitted::X509 => "leave this file out",
                Some(SignatureAlgorithm::FalconDet1024) => {
                    "sign it without --algorithm and with --format envelope"
                }
                _ => "sign it with --format envelope",
            },
            format,
            replace,
            advice: self.advice(&jobs),
        };
        drop(secret);
        let progress = Progress::of_files(ui, jobs.iter().map(|job| job.file.as_path()));
        let mut count = Count::default();
        let mut told = Ok(());
        let mut hints = Hints::default();
        let grouping = Grouping {
            lanes: writer.signer.lanes(),
            alone: |job: &Pair| is_long(&job.file),
        };
        let Ok(()) = for_each_in_order(
            &jobs,
            grouping,
            |jobs| writer.sign(jobs, &progress),
            |signed| {
                progress.add(1);
                match signed {
                    Ok(None) => skipped.signed += 1,
                    Ok(Some(signed)) => {
                        count.signed += 1;
                        // Standard output may have the signature itself.
                        let shown = !ui.quiet && !is_standard(&signed.signature);
                        // That nobody reads the lines is no reason to stop.
                        if shown && told.is_ok() {
                            progress.clear_for_result();
                            told = ui.report(&signed);
                        }
                    }
                    Err(error) => {
                        count.failed += 1;
                        progress.clear();
                        ui.error_among(&error, &mut hints);
                    }
                }
                Ok::<_, Infallible>(())
            },
        );
        drop(progress);
        ui.sum_up(count.files(), count.status(), &count);
        skipped.tell(ui);
        let status = count.status();
        match told {
            Err(error) if error.is(io::ErrorKind::BrokenPipe) => {
                ui.warn("standard output was closed; signing went on without it");
                Ok(status)
            }
            told => told
                .map_err(|error| match (&jobs[..], count.signed) {
                    ([job], 1) => {
                        let signature = shown(&job.signature).to_string();
                        error.hint(only_report_is_missing(&signature, 1))
                    }
                    (_, signed) => {
                        let plural = if signed == 1 { "" } else { "s" };
                        let signatures = format!("{} signature{plural}", HumanCount(signed));
                        error.hint(only_report_is_missing(&signatures, signed as usize))
                    }
                })
                .map(|()| status),
        }
    }

    /// The signer of the named algorithm, or of that of the key.
    fn signer<'c>(
        &self,
        engine: &'c Compute,
        secret: &SecretKey,
        format: SignatureFormat,
    ) -> Result<AnySigner<'c>> {
        let of_key = secret.algorithm();
        let named = self.algorithm.unwrap_or(of_key.into());
        let signer = match named {
            SignatureAlgorithm::FalconDet1024 => {
                DeterministicSigner::new(secret).map(AnySigner::Deterministic)
            }
            named => (named.of_keys() == of_key).then(|| {
                let signer = match format {
                    SignatureFormat::Envelope => Signer::of_statements(engine, secret),
                    _ => Signer::new(engine, secret),
                };
                AnySigner::Ordinary(Box::new(signer))
            }),
        };
        signer.ok_or_else(|| {
            let what = format_args!("is a {of_key} key, but --algorithm names {named}");
            Error::at(&self.key, what).hint(format_args!(
                "name a {} key with -k, or leave --algorithm out",
                named.of_keys()
            ))
        })
    }

    fn format(&self) -> Result<SignatureFormat> {
        if self.algorithm == Some(SignatureAlgorithm::FalconDet1024) {
            return self.deterministic_format();
        }
        match (self.format, &self.comment.comment) {
            (None, Some(_)) => Ok(SignatureFormat::Envelope),
            (Some(SignatureFormat::Envelope), _) => Ok(SignatureFormat::Envelope),
            (Some(_), Some(_)) => Err(Error::new("only an envelope has a comment")
                .hint("leave --comment out, or use --format envelope")),
            (format, None) => Ok(format.unwrap_or_else(|| self.x509.format())),
        }
    }

    /// Format of deterministic signatures, which have two.
    fn deterministic_format(&self) -> Result<SignatureFormat> {
        match (self.format, &self.comment.comment) {
            (Some(SignatureFormat::Envelope), _) | (_, Some(_)) => {
                Err(Error::new("a Falcon-det1024 signature has no envelope")
                    .hint("leave out --comment and --format envelope, or --algorithm"))
            }
            (None, None) => Ok(SignatureFormat::Compressed),
            (Some(format @ (SignatureFormat::Compressed | SignatureFormat::Ct)), None) => {
                Ok(format)
            }
            (Some(_), None) => Err(Error::new(
                "a Falcon-det1024 signature is compressed or constant-time",
            )
            .hint("use --format compressed or --format ct")),
        }
    }

    fn jobs(&self) -> Result<Vec<Pair>> {
        let files = self.files.iter().map(PathBuf::as_path);
        at_most_one_standard(files.chain(self.others()))?;
        if let Some(path) = &self.list {
            let jobs = list::read(path)?;
            let files = jobs.iter().map(|job| job.file.as_path());
            at_most_one_standard(files.chain(self.others()))?;
            return Ok(jobs);
        }
        if self.files.len() > 1 && self.output.is_some() {
            return Err(Error::new("--output is for one file, not for several")
                .hint("leave it out: each signature goes to FILE.sig"));
        }
        let place = |file: &PathBuf| match &self.output {
            Some(path) => path.clone(),
            None if is_standard(file) => file.clone(),
            None => signature_path(file),
        };
        let job = |file: &PathBuf| Pair {
            file: file.clone(),
            signature: place(file),
        };
        Ok(self.files.iter().map(job).collect())
    }

    /// The inputs that are not signed.
    fn others(&self) -> impl Iterator<Item = &Path> {
        let passphrase = self.passphrase.passphrase_file.as_deref();
        [Some(self.key.as_path()), passphrase, self.list.as_deref()]
            .into_iter()
            .flatten()
    }

    /// Everything that can be refused before the key is read.
    fn check(&self, jobs: &[Pair], format: SignatureFormat, replace: Replace) -> Result<()> {
        let files = jobs.iter().map(|job| job.file.as_path());
        let inputs = Inputs::new(files.chain(self.others()));
        let mut outputs = Outputs::default();
        for job in jobs {
            inputs.spare(&job.signature).map_err(|error| {
                if jobs.iter().any(|other| other.file == job.signature) {
                    Error::at(&job.signature, SignatureOf(&job.file))
                        .hint("name the files only, not their signatures, or add --skip-existing")
                } else {
                    error
                }
            })?;
            outputs.add(&job.signature, &job.file)?;
            refuse_beside_device(job)?;
            if !is_standard(&job.file) {
                // Before a passphrase is asked for, and before the folder of the signature is
                // looked at. Among several files a missing one is told when its turn comes.
                match jobs {
                    [_] => check_readable(&job.file)
                        .map_err(|error| self.advice(jobs).about_folder(&job.file, error))?,
                    _ if job.file.metadata().is_err() => continue,
                    _ => {}
                }
            }
            check_output(job, format, replace)?;
        }
        Ok(())
    }

    fn advice(&self, jobs: &[Pair]) -> Advice {
        let is_default = self.key == Path::new(DEFAULT_SECRET_KEY);
        Advice {
            key: (!is_default).then(|| self.key.clone()),
            is_alone: jobs.len() == 1 && self.list.is_none(),
        }
    }

    /// Refuses a secret key among the named files: `-k` was probably forgotten, and another key
    /// would sign. The names of a list are not checked.
    fn refuse_keys(&self, jobs: &[Pair]) -> Result<()> {
        if self.list.is_some() {
            return Ok(());
        }
        match jobs.iter().find(|job| is_secret_key(&job.file)) {
            None => Ok(()),
            Some(Pair { file, .. }) => {
                let key = quote(file);
                Err(
                    Error::at(file, "is a secret key, but is named as a file to sign").hint(
                        format_args!(
                            "name the key that signs with -k: falcon-cli sign -k {key} FILE; to \
                             sign the key file itself, name it in a --list"
                        ),
                    ),
                )
            }
        }
    }
}

/// Hints that depend on the command line.
struct Advice {
    /// The key, unless it is the default one.
    key: Option<PathBuf>,
    /// Whether one file is named, which is when `-o` can be given.
    is_alone: bool,
}

impl Advice {
    /// Names the command that signs a folder.
    fn about_folder(&self, file: &Path, error: Error) -> Error {
        if is_standard(file) || !file.is_dir() {
            return error;
        }
        let key = self.key.as_deref().map(quote);
        let key = key.map_or_else(String::new, |key| format!(" -k {key}"));
        error.hint(format_args!(
            "name the files in it, or sign the whole folder: falcon-cli manifest sign {}{key}",
            quote(file)
        ))
    }

    /// Says how to write elsewhere.
    fn about_place(&self, error: Error) -> Error {
        let denied = [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem,
        ];
        if !denied.iter().any(|&kind| error.is(kind)) {
            return error;
        }
        error.hint(if self.is_alone {
            "-o names another place for the signature"
        } else {
            "a --list names another place for each signature, after a tab"
        })
    }
}

/// Signature files that are replaced.
#[derive(Clone, Copy)]
enum Replace {
    None,
    /// Files of no bytes, which a power failure can leave.
    Empty,
    All,
}

impl Replace {
    fn of(self, path: &Path) -> Overwrite {
        let is_empty = |file: fs::Metadata| file.is_file() && file.len() == 0;
        Overwrite::from_force(match self {
            Self::None => false,
            Self::Empty => fs::symlink_metadata(path).is_ok_and(is_empty),
            Self::All => true,
        })
    }

    /// Whether a job that fails with `error` is left out: another program has signed the file.
    fn skips(self, job: &Pair, error: &Error) -> bool {
        matches!(self, Self::Empty) && error.is(io::ErrorKind::AlreadyExists) && is_signed(job)
    }

    /// Says what to do about a file in the place of a signature.
    fn advise(self, error: Error) -> Error {
        if !error.is(io::ErrorKind::AlreadyExists) {
            return error;
        }
        error.hint(match self {
            Self::Empty => {
                "it is no whole signature: remove it, or overwrite all signatures with --force"
            }
            Self::None | Self::All => {
                "overwrite it with --force, or keep such signatures with --skip-existing"
            }
        })
    }
}

/// Refuses to write FILE.sig beside a device or an open file of a process, such as `/dev/stdin`.
/// `/dev/shm` is an ordinary folder.
fn refuse_beside_device(job: &Pair) -> Result<()> {
    let is_device = |path: &Path| {
        path.starts_with("/proc") || path.starts_with("/dev") && !path.starts_with("/dev/shm")
    };
    let is_beside = !is_standard(&job.file) && job.signature == signature_path(&job.file);
    if is_beside && path::absolute(&job.file).is_ok_and(|path| is_device(&path)) {
        return Err(
            Error::at(&job.file, "has no place for a signature beside it").hint(
                "name standard input `-`: falcon-cli sign - < FILE > FILE.sig; for another device, \
             name the signature with --output",
            ),
        );
    }
    Ok(())
}

fn check_output(job: &Pair, format: SignatureFormat, replace: Replace) -> Result<()> {
    let path = &job.signature;
    if !is_standard(path) {
        match check_target(&PROGRAM, path, Content::Result, replace.of(path)) {
            // Another program has signed the file meanwhile: it is skipped when its turn comes.
            Err(error) if replace.skips(job, &error) => Ok(()),
            checked => checked.map_err(|error| replace.advise(error)),
        }
    } else if matches!(format, SignatureFormat::Pem | SignatureFormat::Envelope) {
        Ok(())
    } else {
        refuse_terminal(
            "a binary signature",
            "redirect standard output, or use --format pem or envelope",
        )
    }
}

/// A key that signs, randomised or deterministically.
enum AnySigner<'c> {
    Ordinary(Box<Signer<'c>>),
    Deterministic(DeterministicSigner),
}

impl AnySigner<'_> {
    /// Number of messages that are signed at once.
    fn lanes(&self) -> usize {
        match self {
            Self::Ordinary(signer) => signer.lanes(),
            Self::Deterministic(_) => 1,
        }
    }

    /// Signs each message. A message that could not be read keeps its error.
    fn sign(&self, messages: Vec<Result<Message<'_>>>) -> Vec<Result<NewSignature>> {
        match self {
            Self::Ordinary(signer) => {
                let signatures = signer.sign(messages).into_iter();
                signatures
                    .map(|signature| signature.map(NewSignature::Ordinary))
                    .collect()
            }
            Self::Deterministic(signer) => {
                let sign = |message: Result<_>| signer.sign(message?);
                let signatures = messages.into_iter().map(sign);
                signatures
                    .map(|signature| Ok(NewSignature::Deterministic(Box::new(signature?))))
                    .collect()
            }
        }
    }
}

/// A signature that was made.
enum NewSignature {
    Ordinary(AnySignature),
    Deterministic(Box<CompressedSignature>),
}

impl NewSignature {
    fn algorithm(&self) -> SignatureAlgorithm {
        match self {
            Self::Ordinary(signature) => signature.algorithm().into(),
            Self::Deterministic(_) => SignatureAlgorithm::FalconDet1024,
        }
    }

    /// Encodes the signature, in an envelope if there is a statement.
    fn encode(&self, format: SignatureFormat, statement: Option<Statement>) -> Result<Vec<u8>> {
        match (self, statement) {
            (Self::Ordinary(signature), Some(statement)) => {
                Ok(seal(statement, signature)?.to_string().into_bytes())
            }
            (Self::Ordinary(signature), None) => encode_signature(signature, format),
            (Self::Deterministic(signature), _) => Ok(deterministic::encode(signature, format)),
        }
    }
}

/// Signs and writes signatures of one format.
struct Writer<'c> {
    signer: AnySigner<'c>,
    /// For envelopes.
    statements: Option<Statements>,
    /// For plain messages.
    permitted: Permitted,
    /// Advice for a file that is not permitted.
    instead: &'static str,
    format: SignatureFormat,
    replace: Replace,
    /// Name of the key, if it is to be told.
    key: Option<KeyName>,
    advice: Advice,
}

impl Writer<'_> {
    /// Signs the files; `None` is a file that another program has signed meanwhile.
    fn sign(&self, jobs: &[Pair], progress: &Progress) -> Vec<Result<Option<Signed>>> {
        let drafts = jobs.iter().map(|job| self.draft(&job.file, progress));
        let (messages, statements): (Vec<_>, Vec<_>) = drafts
            .map(|draft| match draft {
                Ok(draft) => (Ok(draft.message), draft.statement),
                Err(error) => (Err(error), None),
            })
            .unzip();
        let signatures = self.signer.sign(messages).into_iter().zip(statements);
        jobs.iter()
            .zip(signatures)
            .map(|(job, (signature, statement))| self.write(job, &signature?, statement))
            .collect()
    }

    fn draft<'p>(&self, file: &Path, progress: &'p Progress) -> Result<Draft<'p>> {
        let message =
            Message::open(file, progress).map_err(|error| self.advice.about_folder(file, error))?;
        match &self.statements {
            Some(statements) => Draft::enveloped(message, statements),
            None => Draft::bare(message, self.permitted, self.instead),
        }
        .map_err(|error| error.of_path(file))
    }

    fn write(
        &self,
        job: &Pair,
        signature: &NewSignature,
        statement: Option<Statement>,
    ) -> Result<Option<Signed>> {
        let bytes = signature.encode(self.format, statement)?;
        match write_result(
            &PROGRAM,
            &job.signature,
            &bytes,
            self.replace.of(&job.signature),
        ) {
            Err(error) if self.replace.skips(job, &error) => return Ok(None),
            written => {
                written.map_err(|error| self.advice.about_place(self.replace.advise(error)))?;
            }
        }
        Ok(Some(Signed {
            file: job.file.clone(),
            signature: job.signature.clone(),
            algorithm: signature.algorithm(),
            format: self.format,
            bytes: bytes.len(),
            key: self.key.clone(),
        }))
    }
}

/// Says that a file is the signature of another one that is to be signed.
struct SignatureOf<'a>(&'a Path);

impl fmt::Display for SignatureOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = shown(self.0);
        write!(f, "is the signature of {file}, which is also named")
    }
}

/// Whether a job has a signature that can be read. Part of one does not count.
fn is_signed(job: &Pair) -> bool {
    !is_standard(&job.signature) && load_signature(&job.signature).is_ok()
}

/// Number of jobs that `--skip-existing` left out.
#[derive(Default)]
struct Skipped {
    /// Named files.
    named: usize,
    /// Files that have a signature.
    signed: usize,
    /// Signatures of such files.
    signatures: usize,
    /// Other files named `*.sig`. Files that they sign may be gone.
    others: usize,
}

impl Skipped {
    /// Takes the files that are signed out of the jobs, and all files named `*.sig`.
    fn take_from(jobs: &mut Vec<Pair>) -> Self {
        let named = jobs.len();
        let (signed, open): (Vec<Pair>, Vec<Pair>) =
            std::mem::take(jobs).into_iter().partition(is_signed);
        let signatures: HashSet<&Path> = signed.iter().map(|job| &*job.signature).collect();
        let is_signature = |job: &Pair| signatures.contains(&*job.file);
        let signatures = signed
            .iter()
            .chain(&open)
            .filter(|job| is_signature(job))
            .count();
        let rest = open.into_iter().filter(|job| !is_signature(job));
        let (others, rest): (Vec<Pair>, _) = rest.partition(|job| signed_path(&job.file).is_some());
        *jobs = rest;
        let others = others.len();
        Self {
            named,
            signed: named - jobs.len() - signatures - others,
            signatures,
            others,
        }
    }

    fn tell(&self, ui: Ui) {
        if self.signed > 0 {
            ui.note(format_args!(
                "skipped {} of {} files: they have signatures, which were not checked",
                HumanCount(self.signed as u64),
                HumanCount(self.named as u64)
            ));
        }
        note_skipped_signatures(ui, self.signatures);
        if self.others > 0 {
            let plural = if self.others == 1 { "" } else { "s" };
            ui.note(format_args!(
                "skipped {} .sig file{plural}; to sign such a file, leave out --skip-existing",
                HumanCount(self.others as u64)
            ));
        }
    }
}

/// Files by outcome.
#[derive(Default)]
struct Count {
    signed: u64,
    failed: u64,
}

impl Count {
    fn status(&self) -> Status {
        match self.failed {
            0 => Status::Valid,
            _ => Status::Failure,
        }
    }

    fn files(&self) -> u64 {
        self.signed + self.failed
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} signed", HumanCount(self.signed))?;
        if self.failed > 0 {
            write!(f, ", {} not signed", HumanCount(self.failed))?;
        }
        Ok(())
    }
}

/// A signature that was written.
#[derive(Serialize)]
struct Signed {
    #[serde(serialize_with = "serialize_path")]
    file: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    signature: PathBuf,
    algorithm: SignatureAlgorithm,
    format: SignatureFormat,
    bytes: usize,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    key: Option<KeyName>,
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} bytes, {}",
            Escaped(shown(&self.signature)),
            self.bytes,
            self.algorithm
        )?;
        match &self.key {
            Some(key) => write!(f, ", {key}"),
            None => Ok(()),
        }
    }
}
