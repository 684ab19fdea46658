//! `sign`: one signature a file.

use crate::{
    engine::Signer,
    error::{Error, Result, Status},
    input::{is_standard, total_size},
    keys::load_secret,
    list::signature_path,
    message,
    object::{SignatureFormat, encode_signature},
    output::{Access, Overwrite, Pending, check_target},
    parallel::for_each_in_order,
    passphrase::PassphraseSource,
    progress::{Progress, Unit},
    scheme::Algorithm,
    ui::Ui,
};
use clap::Args;
use falcon::Engine;
use serde::Serialize;
use std::{
    fmt,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

/// Sign files: FILE.sig for every FILE
#[derive(Debug, Args)]
pub(crate) struct Sign {
    /// The secret key
    #[arg(short, long)]
    key: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Files to sign; `-` signs standard input to standard output
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// How the signature is written
    #[arg(short, long, value_enum, default_value = "padded")]
    format: SignatureFormat,
    /// Write the signature of the only FILE to SIG; `-` is standard output
    #[arg(short, long, value_name = "SIG")]
    output: Option<PathBuf>,
    /// Overwrite existing signatures
    #[arg(long)]
    force: bool,
}

/// A file and where its signature goes.
struct Job {
    file: PathBuf,
    signature: PathBuf,
}

impl Sign {
    pub(crate) fn run(self, engine: Engine, ui: Ui) -> Result<Status> {
        let jobs = self.jobs()?;
        let overwrite = Overwrite::from_force(self.force);
        for job in &jobs {
            self.check(job, overwrite)?;
        }
        let key = load_secret(&self.key, &self.passphrase)?;
        let signer = Signer::new(engine, &key);
        let size = total_size(jobs.iter().map(|job| job.file.as_path()));
        let progress = Progress::new(ui, Unit::Bytes, Some(size));
        let mut status = Status::Valid;
        for_each_in_order(
            &jobs,
            |job| self.sign(&signer, job, overwrite, &progress),
            |signed| {
                progress.suspend(|| match signed {
                    // Standard output has the signature.
                    Ok(signed) if is_standard(&signed.signature) => Ok(()),
                    Ok(signed) => ui.report(&signed),
                    Err(error) => {
                        status = Status::Failure;
                        ui.error(&error);
                        Ok(())
                    }
                })
            },
        )?;
        Ok(status)
    }

    fn jobs(&self) -> Result<Vec<Job>> {
        if self.files.len() > 1 && self.output.is_some() {
            return Err(Error::new("--output is for one file, not for several")
                .hint("leave it out: each signature goes to FILE.sig"));
        }
        if self.files.iter().filter(|file| is_standard(file)).count() > 1 {
            return Err(Error::new("standard input can be signed once only"));
        }
        let place = |file: &PathBuf| match &self.output {
            Some(path) => path.clone(),
            None if is_standard(file) => file.clone(),
            None => signature_path(file),
        };
        let job = |file: &PathBuf| Job {
            file: file.clone(),
            signature: place(file),
        };
        Ok(self.files.iter().map(job).collect())
    }

    /// Everything that can be refused before the key is read.
    fn check(&self, job: &Job, overwrite: Overwrite) -> Result<()> {
        if !is_standard(&job.signature) {
            check_target(&job.signature, overwrite)
        } else if self.format != SignatureFormat::Pem && io::stdout().is_terminal() {
            Err(Error::new("a binary signature is not for a terminal")
                .hint("redirect standard output, or use --format pem"))
        } else {
            Ok(())
        }
    }

    fn sign(
        &self,
        signer: &Signer,
        job: &Job,
        overwrite: Overwrite,
        progress: &Progress,
    ) -> Result<Signed> {
        let mut stream = signer.begin()?;
        message::read(&job.file, progress, |part| stream.update(part))?;
        let signature = stream.finish()?;
        let bytes = encode_signature(&signature, self.format)?;
        write(&job.signature, &bytes, overwrite)?;
        Ok(Signed {
            file: job.file.clone(),
            signature: job.signature.clone(),
            algorithm: signature.algorithm(),
            format: self.format,
            bytes: bytes.len(),
        })
    }
}

fn write(path: &Path, bytes: &[u8], overwrite: Overwrite) -> Result<()> {
    if is_standard(path) {
        let mut out = io::stdout().lock();
        return out
            .write_all(bytes)
            .and_then(|()| out.flush())
            .map_err(|error| Error::stdout(&error));
    }
    Pending::with_bytes(path, bytes, Access::Default, overwrite)?.commit()
}

/// A signature that was written.
#[derive(Serialize)]
struct Signed {
    file: PathBuf,
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
            self.signature.display(),
            self.bytes,
            self.algorithm
        )
    }
}
