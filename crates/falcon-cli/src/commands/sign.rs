//! `sign`: writes one signature for each file.

mod envelope;
mod existing;
mod report;
mod writer;
mod x509;

pub(crate) use envelope::{CommentOption, Statements, seal};
pub(crate) use x509::{Permitted, X509Option};

use crate::{
    PROGRAM,
    commands::verify::KeyName,
    deterministic::DeterministicSigner,
    engine::{Compute, Signer},
    error::{Error, Result, Status},
    escape::shown,
    input::{at_most_one_standard, check_readable, is_standard},
    keys::{DEFAULT_SECRET_KEY, is_secret_key, load_stored, open_stored},
    list::{self, Pair, signature_path},
    message::is_long,
    object::SignatureFormat,
    output::{Content, Inputs, Outputs, check_target, refuse_terminal},
    parallel::{Grouping, for_each_in_order},
    passphrase::PassphraseSource,
    progress::Progress,
    scheme::{Algorithm, SignatureAlgorithm},
    shell::quote,
    stored::{StoredKey, Use, signs_certificates_only},
    ui::Ui,
};
use clap::Args;
use existing::{Replace, Skipped};
use falcon_core::AnySigningKey;
use report::Report;
use std::{
    convert::Infallible,
    path::{self, Path, PathBuf},
};
use writer::{Advice, AnySigner, Writer};

/// Sign files; the signature of FILE is FILE.sig
#[derive(Debug, Args)]
#[command(after_help = "\
A signature file is whole or absent. It is not forced to the disk: after a power failure
or Ctrl-C, the same command with --skip-existing makes the missing and the empty ones.

An envelope says who signed, when and with which comment, and all of it is signed. The
other formats hold only the signature. docs/FORMATS.md specifies the envelope.

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
    /// does: with a Falcon-1024 key, without randomness, on the best engine, files of at most 256
    /// MiB
    #[arg(short, long, value_enum, ignore_case = true)]
    algorithm: Option<SignatureAlgorithm>,
    /// Format of the signature [default: padded; with --comment: envelope; with --allow-x509 or
    /// -a falcon-det1024: compressed]
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
        let mut report = Report::default();
        if self.skip_existing {
            report.skipped = Skipped::take_from(&mut jobs);
        }
        if jobs.is_empty() {
            return report.end(&jobs, ui);
        }
        let replace = match (self.force, self.skip_existing) {
            (true, _) => Replace::All,
            (_, true) => Replace::Empty,
            _ => Replace::None,
        };
        self.refuse_keys(&jobs)?;
        // Reports errors of the key first. The program asks for the passphrase only after the
        // checks.
        let stored = load_stored(&self.key)?;
        self.check(&jobs, format, replace)?;
        let key = open_stored(&self.key, stored, &self.passphrase, ui)?;
        let writer = self.writer(engine, key, &jobs, format, replace)?;
        let progress = Progress::of_files(ui, jobs.iter().map(|job| job.file.as_path()));
        let grouping = Grouping {
            lanes: writer.signer.lanes(),
            alone: |job: &Pair| is_long(&job.file),
        };
        let Ok(()) = for_each_in_order(
            &jobs,
            grouping,
            |jobs| writer.sign(jobs, &progress),
            |signed| {
                report.add(signed, &progress, ui);
                Ok::<_, Infallible>(())
            },
        );
        drop(progress);
        report.end(&jobs, ui)
    }

    /// Makes the writer for `jobs`. The expanded form of the key signs, so the key itself is wiped
    /// here.
    fn writer<'c>(
        &self,
        engine: &'c Compute,
        key: StoredKey,
        jobs: &[Pair],
        format: SignatureFormat,
        replace: Replace,
    ) -> Result<Writer<'c>> {
        let (secret, permitted) = match format {
            // An envelope contains a statement, which is not an X.509 document.
            SignatureFormat::Envelope => {
                (key.into_signer_of_messages(&self.key)?, Permitted::Messages)
            }
            // X.509 does not use deterministic signatures.
            _ if self.algorithm == Some(SignatureAlgorithm::FalconDet1024)
                && key.key_use() == Use::Certificates =>
            {
                let error = signs_certificates_only(&self.key);
                return Err(error.hint("name another key with -k"));
            }
            _ => self.x509.permit(key, &self.key)?,
        };
        let public = secret.verifying_key();
        let algorithm = self.algorithm.unwrap_or(secret.set().into());
        let advice = self.advice(jobs);
        Ok(Writer {
            // If the user named no key, the report names the default one, as `verify` does.
            key: advice
                .key
                .is_none()
                .then(|| KeyName::new(&self.key, &public)),
            statements: (format == SignatureFormat::Envelope)
                .then(|| Statements::new(&public, self.comment.comment.clone())),
            signer: self.signer(engine, &secret, algorithm, format)?,
            permitted,
            instead: match self.algorithm {
                _ if permitted == Permitted::X509 => "leave this file out",
                Some(SignatureAlgorithm::FalconDet1024) => {
                    "sign it without --algorithm and with --format envelope"
                }
                _ => "sign it with --format envelope",
            },
            algorithm,
            format,
            replace,
            advice,
        })
    }

    /// Makes the signer of the algorithm `named`, if the key supports it.
    fn signer<'c>(
        &self,
        engine: &'c Compute,
        secret: &AnySigningKey,
        named: SignatureAlgorithm,
        format: SignatureFormat,
    ) -> Result<AnySigner<'c>> {
        let of_key = Algorithm(secret.set());
        let signer = match named {
            SignatureAlgorithm::FalconDet1024 => {
                DeterministicSigner::new(secret).map(AnySigner::Deterministic)
            }
            named if named.of_keys() == of_key => {
                let signer = match format {
                    SignatureFormat::Envelope => Signer::of_statements(engine, secret),
                    _ => Signer::new(engine, secret),
                };
                Some(AnySigner::Ordinary(signer?))
            }
            _ => None,
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

    /// Returns the format of a deterministic signature. There are two such formats.
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
        let job = |file: &PathBuf| match &self.output {
            None if !is_standard(file) => Pair::beside(file),
            output => Pair {
                file: file.clone(),
                signature: output.as_ref().unwrap_or(file).clone(),
            },
        };
        Ok(self.files.iter().map(job).collect())
    }

    /// Returns the files that options name besides the files to sign.
    fn others(&self) -> impl Iterator<Item = &Path> {
        let passphrase = self.passphrase.passphrase_file.as_deref();
        [Some(self.key.as_path()), passphrase, self.list.as_deref()]
            .into_iter()
            .flatten()
    }

    /// Checks everything that can be refused before the key is read.
    fn check(&self, jobs: &[Pair], format: SignatureFormat, replace: Replace) -> Result<()> {
        let files = jobs.iter().map(|job| job.file.as_path());
        let inputs = Inputs::new(files.chain(self.others()));
        let mut outputs = Outputs::default();
        for job in jobs {
            inputs.spare(&job.signature).map_err(|error| {
                if jobs.iter().any(|other| other.file == job.signature) {
                    let file = shown(&job.file);
                    let what = format_args!("is the signature of {file}, which is also named");
                    Error::at(&job.signature, what)
                        .hint("name the files only, not their signatures, or add --skip-existing")
                } else {
                    error
                }
            })?;
            outputs.add(&job.signature, &job.file)?;
            refuse_beside_device(job)?;
            if !is_standard(&job.file) {
                // Checks the file before the program asks for a passphrase, and before it checks
                // the folder of the signature. Among several files, a missing file is reported when
                // its turn comes.
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

    /// Refuses a secret key among the named files: the user probably forgot `-k`, and another key
    /// would sign. The files named in a list are not checked.
    fn refuse_keys(&self, jobs: &[Pair]) -> Result<()> {
        let is_key = |job: &&Pair| self.list.is_none() && is_secret_key(&job.file);
        let Some(Pair { file, .. }) = jobs.iter().find(is_key) else {
            return Ok(());
        };
        let error = Error::at(file, "is a secret key, but is named as a file to sign");
        Err(error.hint(format_args!(
            "name the key that signs with -k: falcon-cli sign -k {} FILE; to sign the key file \
             itself, name it in a --list",
            quote(file)
        )))
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
            // Meanwhile, another program has signed the file, so it is skipped when its turn comes.
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
