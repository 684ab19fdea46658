//! `verify`: are these the signatures of these files?

use crate::{
    engine::{self, Claim, Compute},
    error::{Error, Result, Status},
    escape::Escaped,
    input::{at_most_one_standard, is_standard, total_size},
    keys::{load_public, load_signature},
    list::{self, Pair, signature_path},
    message::{Message, is_long},
    parallel::{Grouping, for_each_in_order},
    progress::{Progress, Unit},
    scheme::{Degree, PublicKey, either},
    shell::quote,
    ui::{BAD, GOOD, Hints, Styled, Ui},
};
use clap::Args;
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Verify files against their signatures
#[derive(Debug, Args)]
#[command(after_help = "\
A line of LIST is a file, whose signature is FILE.sig, or a file and its
signature with a tab between them; blank lines and lines with # do not count.
Names are relative to the working folder, not to the folder of LIST. A list has
at most 1048576 files in 64 MiB.

Exit status: 0 all valid; 1 at least one invalid; 2 none invalid, but some
could not be checked.")]
pub(crate) struct Verify {
    /// The public key
    #[arg(short, long, value_name = "KEY.pub", visible_aliases = ["key", "pub"], visible_short_alias = 'k')]
    public_key: PathBuf,
    /// Files to verify; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "check")]
    files: Vec<PathBuf>,
    /// The signature of the only FILE [default: FILE.sig]
    #[arg(short, long, value_name = "SIG")]
    signature: Option<PathBuf>,
    /// Verify every file of a list, going on after failures
    #[arg(short, long, value_name = "LIST", conflicts_with_all = ["files", "signature"])]
    check: Option<PathBuf>,
}

impl Verify {
    pub(crate) fn run(self, engine: &Compute, ui: Ui) -> Result<Status> {
        let options = [Some(self.public_key.as_path()), self.check.as_deref()];
        let files = self.files.iter().chain(&self.signature);
        let named = files.map(PathBuf::as_path);
        at_most_one_standard(named.chain(options.into_iter().flatten()))?;
        let key = load_public(&self.public_key)?;
        let pairs = self.pairs()?;
        let files = pairs.iter().flat_map(|pair| [&pair.file, &pair.signature]);
        let files = files.map(PathBuf::as_path);
        at_most_one_standard(files.chain(options.into_iter().flatten()))?;
        let size = total_size(pairs.iter().map(|pair| pair.file.as_path()));
        let progress = Progress::new(ui, Unit::Bytes, Some(size));
        let mut count = Count::default();
        let mut hints = Hints::default();
        let grouping = Grouping {
            lanes: engine.lanes(),
            alone: |pair: &Pair| is_long(&pair.file),
        };
        for_each_in_order(
            &pairs,
            grouping,
            |pairs| {
                let outcomes = verify(engine, &key, pairs, &progress);
                let verdicts = pairs.iter().zip(outcomes);
                verdicts
                    .map(|(pair, outcome)| Verdict::new(pair, outcome))
                    .collect()
            },
            |verdict| {
                count.add(&verdict);
                progress.clear_for_result();
                if verdict.error.is_some() {
                    progress.clear();
                }
                verdict.tell(ui, &mut hints)
            },
        )?;
        drop(progress);
        count.warn(ui);
        Ok(count.status)
    }

    fn pairs(&self) -> Result<Vec<Pair>> {
        if let Some(path) = &self.check {
            return list::read(path);
        }
        match (&self.files[..], &self.signature) {
            ([file], Some(signature)) => Ok(vec![Pair {
                file: file.clone(),
                signature: signature.clone(),
            }]),
            (_, Some(_)) => Err(Error::new("--signature is for one file, not for several")
                .hint("put the signatures beside the files, or use --check")),
            ([file, other], None) if is_signature_alone(other) => Err(Error::at(
                other,
                "looks like a signature, and is named as a file to verify",
            )
            .hint(format_args!(
                "name a signature with --signature: {} -s {}",
                quote(file),
                quote(other)
            ))),
            (files, None) if files.iter().any(|file| is_standard(file)) => {
                Err(Error::new("standard input has no signature beside it")
                    .hint("name it with --signature"))
            }
            (files, None) => Ok(files.iter().map(|file| Pair::beside(file)).collect()),
        }
    }
}

/// Whether the path is a signature rather than a file that has one.
fn is_signature_alone(path: &Path) -> bool {
    !signature_path(path).exists() && !is_standard(path) && load_signature(path).is_ok()
}

/// Whether each pair verifies; an error if that cannot be found out.
pub(crate) fn verify(
    engine: &Compute,
    key: &PublicKey,
    pairs: &[Pair],
    progress: &Progress,
) -> Vec<Result<bool>> {
    either!(key, key => {
        let claims = pairs.iter().map(|pair| claim(pair, progress));
        engine::verify(engine, key, claims.collect())
    })
}

/// Reads both files, the signature first.
fn claim<'p, P: Degree>(pair: &Pair, progress: &'p Progress) -> Result<Claim<'p, P>> {
    let (signature, _) = load_signature(&pair.signature).map_err(|error| {
        if pair.signature.exists() || pair.signature != signature_path(&pair.file) {
            error
        } else if load_signature(&pair.file).is_ok() {
            error.hint("the file is a signature itself: leave it out")
        } else {
            error.hint("sign the file first, or name its signature with --signature")
        }
    })?;
    let signature = P::from_any(signature).map_err(|signature| {
        let (signature, key) = (signature.algorithm(), P::ALGORITHM);
        Error::at(
            &pair.signature,
            format_args!("is a {signature} signature, the key is for {key}"),
        )
    })?;
    Ok(Claim {
        message: Message::open(&pair.file, progress)?,
        signature,
    })
}

/// What came out for one file.
#[derive(Serialize)]
struct Verdict {
    file: String,
    signature: String,
    status: FileStatus,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum FileStatus {
    Valid,
    Invalid,
    Unchecked,
}

impl Verdict {
    fn new(pair: &Pair, outcome: Result<bool>) -> Self {
        let (status, error) = match outcome {
            Ok(true) => (FileStatus::Valid, None),
            Ok(false) => (FileStatus::Invalid, None),
            Err(error) => (FileStatus::Unchecked, Some(error)),
        };
        Self {
            file: pair.file.to_string_lossy().into_owned(),
            signature: pair.signature.to_string_lossy().into_owned(),
            status,
            error,
        }
    }

    fn tell(&self, ui: Ui, hints: &mut Hints) -> Result<()> {
        ui.report(self)?;
        match &self.error {
            // In JSON the object itself has it.
            Some(error) if !ui.json => ui.error_among(error, hints),
            _ => {}
        }
        Ok(())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (style, text) = match self.status {
            FileStatus::Valid => (GOOD, "OK"),
            FileStatus::Invalid => (BAD, "INVALID"),
            FileStatus::Unchecked => (BAD, "NOT CHECKED"),
        };
        write!(f, "{}: {}", Escaped(&self.file), Styled(style, text))
    }
}

/// Files by outcome.
struct Count {
    files: usize,
    invalid: usize,
    unchecked: usize,
    status: Status,
}

impl Default for Count {
    fn default() -> Self {
        Self {
            files: 0,
            invalid: 0,
            unchecked: 0,
            status: Status::Valid,
        }
    }
}

impl Count {
    fn add(&mut self, verdict: &Verdict) {
        self.files += 1;
        let status = match verdict.status {
            FileStatus::Valid => Status::Valid,
            FileStatus::Invalid => {
                self.invalid += 1;
                Status::Invalid
            }
            FileStatus::Unchecked => {
                self.unchecked += 1;
                Status::Failure
            }
        };
        self.status = self.status.max(status);
    }

    /// The last word on a list that was too long to be read line by line.
    fn warn(&self, ui: Ui) {
        if self.files > 1 && self.invalid > 0 {
            let (invalid, files) = (self.invalid, self.files);
            ui.warn(format_args!("{invalid} of {files} signatures invalid"));
        }
        if self.files > 1 && self.unchecked > 0 {
            let (unchecked, files) = (self.unchecked, self.files);
            ui.warn(format_args!(
                "{unchecked} of {files} files could not be checked"
            ));
        }
    }
}
