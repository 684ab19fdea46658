//! `sign`: one signature a file.

mod envelope;

pub(crate) use envelope::{CommentOption, Statements, seal};

use crate::{
    engine::{Compute, Signer},
    error::{Error, Result, Status, serialize_path},
    escape::Escaped,
    input::{at_most_one_standard, is_standard, open},
    keys::{DEFAULT_SECRET_KEY, load_secret, load_signature},
    list::{self, Pair, signature_path},
    message::{Message, is_long},
    object::{SignatureFormat, encode_signature},
    output::{Content, Inputs, Outputs, Overwrite, check_target, write_result},
    parallel::{Grouping, for_each_in_order},
    passphrase::PassphraseSource,
    progress::Progress,
    scheme::{Algorithm, AnySignature},
    ui::{Hints, Ui},
};
use clap::Args;
use envelope::Draft;
use falcon_envelope::Statement;
use indicatif::HumanCount;
use serde::Serialize;
use std::{
    collections::HashMap,
    convert::Infallible,
    fmt,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

/// Sign files; the signature of FILE is FILE.sig
#[derive(Debug, Args)]
#[command(after_help = "\
A signature file is whole or absent. It is not forced to the disk: after a power failure
or Ctrl-C, the same command with --skip-existing makes the missing signatures.

An envelope says who signed, when and with which comment, and all of it is signed. The
other formats say nothing. docs/FORMATS.md specifies the envelope.

LIST has one file name on each line. The signature goes to FILE.sig, or to a name that
follows after a tab, as for `verify --check`. Names are relative to the working folder.")]
pub(crate) struct Sign {
    /// The secret key
    #[arg(short, long, default_value = DEFAULT_SECRET_KEY)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Files to sign; `-` signs standard input to standard output
    #[arg(value_name = "FILE", required_unless_present = "list")]
    files: Vec<PathBuf>,
    /// Sign every file of a list; `-` reads the list from standard input
    #[arg(short, long, value_name = "LIST", conflicts_with_all = ["files", "output"])]
    list: Option<PathBuf>,
    /// Format of the signature [default: padded; with --comment: envelope]
    #[arg(short, long, value_enum)]
    format: Option<SignatureFormat>,
    #[command(flatten)]
    comment: CommentOption,
    /// Write the signature to SIG, if there is one FILE only; `-` is standard output
    #[arg(short, long, value_name = "SIG")]
    output: Option<PathBuf>,
    /// Overwrite existing signatures
    #[arg(long)]
    force: bool,
    /// Skip files that already have FILE.sig, and skip .sig files
    #[arg(long, conflicts_with = "force")]
    skip_existing: bool,
}

impl Sign {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        let format = self.format()?;
        let mut jobs = self.jobs()?;
        if self.skip_existing {
            let named = jobs.len();
            let signed: HashMap<PathBuf, PathBuf> = jobs
                .iter()
                .filter(|job| is_signed(job))
                .map(|job| (job.signature.clone(), job.file.clone()))
                .collect();
            jobs.retain(|job| {
                let of = signed.get(&job.file);
                if let Some(file) = of {
                    ui.warn(format_args!(
                        "{}: skipped, it {}",
                        job.file.display(),
                        SignatureOf(file)
                    ));
                }
                of.is_none() && !signed.contains_key(&job.signature)
            });
            let skipped = signed.len();
            ui.note(format_args!(
                "skipped {} of {} files: signed already",
                HumanCount(skipped as u64),
                HumanCount(named as u64)
            ));
            if jobs.is_empty() {
                return Ok(Status::Valid);
            }
        }
        let overwrite = Overwrite::from_force(self.force);
        self.check(&jobs, format, overwrite)?;
        // The key itself is wiped here: its expanded form is all that signs.
        let secret = load_secret(&self.key, &self.passphrase, ui)?;
        let writer = Writer {
            statements: (format == SignatureFormat::Envelope)
                .then(|| Statements::new(&secret.public_key(), self.comment.comment.clone())),
            signer: Signer::new(engine, &secret),
            format,
            overwrite,
        };
        drop(secret);
        let progress = Progress::of_files(ui, jobs.iter().map(|job| job.file.as_path()));
        let mut status = Status::Valid;
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
                    // Standard output has the signature.
                    Ok(signed) if is_standard(&signed.signature) => {}
                    // That nobody reads the lines is no reason to stop.
                    Ok(signed) if told.is_ok() => {
                        progress.clear_for_result();
                        told = ui.report(&signed);
                    }
                    Ok(_) => {}
                    Err(error) => {
                        status = Status::Failure;
                        progress.clear();
                        ui.error_among(&error, &mut hints);
                    }
                }
                Ok::<_, Infallible>(())
            },
        );
        match told {
            Err(error) if error.is(io::ErrorKind::BrokenPipe) => {
                ui.warn("standard output was closed; signing went on without it");
                Ok(status)
            }
            told => told.map(|()| status),
        }
    }

    fn format(&self) -> Result<SignatureFormat> {
        match (self.format, &self.comment.comment) {
            (None, Some(_)) => Ok(SignatureFormat::Envelope),
            (Some(SignatureFormat::Envelope), _) => Ok(SignatureFormat::Envelope),
            (Some(_), Some(_)) => Err(Error::new("only an envelope has a comment")
                .hint("leave --comment out, or use --format envelope")),
            (format, None) => Ok(format.unwrap_or(SignatureFormat::Padded)),
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
    fn check(&self, jobs: &[Pair], format: SignatureFormat, overwrite: Overwrite) -> Result<()> {
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
            check_output(&job.signature, format, overwrite)?;
        }
        match jobs {
            // Before a passphrase is asked for. Among several files a missing
            // one is told when its turn comes.
            [job] if !is_standard(&job.file) => open(&job.file).map(|_| ()),
            _ => Ok(()),
        }
    }
}

fn check_output(path: &Path, format: SignatureFormat, overwrite: Overwrite) -> Result<()> {
    if !is_standard(path) {
        check_target(path, Content::Result, overwrite).map_err(|error| {
            if error.is(io::ErrorKind::AlreadyExists) {
                error
                    .hint("overwrite it with --force, or keep such signatures with --skip-existing")
            } else {
                error
            }
        })
    } else if !matches!(format, SignatureFormat::Pem | SignatureFormat::Envelope)
        && io::stdout().is_terminal()
    {
        Err(
            Error::new("a binary signature cannot be shown on a terminal")
                .hint("redirect standard output, or use --format pem or envelope"),
        )
    } else {
        Ok(())
    }
}

/// Signs and writes signatures of one format.
struct Writer<'c> {
    signer: Signer<'c>,
    /// For envelopes.
    statements: Option<Statements>,
    format: SignatureFormat,
    overwrite: Overwrite,
}

impl Writer<'_> {
    fn sign(&self, jobs: &[Pair], progress: &Progress) -> Vec<Result<Signed>> {
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
        let message = Message::open(file, progress)?;
        match &self.statements {
            Some(statements) => Draft::enveloped(message, statements),
            None => Draft::bare(message),
        }
        .map_err(|error| error.of_path(file))
    }

    fn write(
        &self,
        job: &Pair,
        signature: &AnySignature,
        statement: Option<Statement>,
    ) -> Result<Signed> {
        let bytes = match statement {
            Some(statement) => seal(statement, signature)?.to_string().into_bytes(),
            None => encode_signature(signature, self.format)?,
        };
        write_result(&job.signature, &bytes, self.overwrite)?;
        Ok(Signed {
            file: job.file.clone(),
            signature: job.signature.clone(),
            algorithm: signature.algorithm(),
            format: self.format,
            bytes: bytes.len(),
        })
    }
}

/// Says that a file is the signature of another one that is to be signed.
struct SignatureOf<'a>(&'a Path);

impl fmt::Display for SignatureOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.0.display();
        write!(f, "is the signature of {file}, which is also named")
    }
}

/// Half a signature is none.
fn is_signed(job: &Pair) -> bool {
    !is_standard(&job.signature) && load_signature(&job.signature).is_ok()
}

/// A signature that was written.
#[derive(Serialize)]
struct Signed {
    #[serde(serialize_with = "serialize_path")]
    file: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    signature: PathBuf,
    algorithm: Algorithm,
    format: SignatureFormat,
    bytes: usize,
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} bytes, {}",
            Escaped(self.signature.display()),
            self.bytes,
            self.algorithm
        )
    }
}
