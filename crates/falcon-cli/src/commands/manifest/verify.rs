//! `manifest verify`.

use super::folder::{self, manifest_path};
use crate::{
    commands::verify::{KeyName, Refusal, Said, Signers, TrustOption},
    documents::{ManifestFile, command_to_verify, is_manifest},
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::at_most_one_standard,
    keys::DEFAULT_PUBLIC_KEY,
    progress::{Progress, Unit},
    ui::{BAD, GOOD, Hints, Styled, Ui},
};
use clap::Args;
use falcon_envelope::{Difference, Manifest, NotListed};
use indicatif::HumanCount;
use serde::Serialize;
use std::{
    collections::HashSet,
    fmt,
    path::{Path, PathBuf},
};

/// Verify the files of a folder against FOLDER.manifest
#[derive(Debug, Args)]
#[command(after_help = "\
The signature is verified first, then every file. Files that are missing, were changed, or
were not signed are named. With --quiet only those are.

Exit status: 0 if the folder is as it was signed; 1 if it is not, or the signature is
refused; 2 if something could not be checked.")]
pub(crate) struct VerifyManifest {
    /// Public key of the signer; repeat the option to try several keys
    #[arg(short, long, value_name = "KEY.pub", default_value = DEFAULT_PUBLIC_KEY,
        aliases = ["key", "pub", "pk"], short_alias = 'k')]
    public_key: Vec<PathBuf>,
    #[command(flatten)]
    trust: TrustOption,
    /// The folder to verify
    folder: PathBuf,
    /// The manifest [default: FOLDER.manifest]
    #[arg(short, long, value_name = "MANIFEST")]
    manifest: Option<PathBuf>,
}

impl VerifyManifest {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        self.check_folder()?;
        let keys = match self.trust.trust {
            Some(_) => &[],
            None => &self.public_key[..],
        };
        let path = match &self.manifest {
            Some(path) => path.clone(),
            None => manifest_path(&self.folder, || {
                format!("verify{} -m", self.trust.repeated(&self.public_key))
            })?,
        };
        let named = keys.iter().chain(&self.trust.trust).chain([&path]);
        at_most_one_standard(named.map(PathBuf::as_path))?;
        let signers = Signers::load(keys, &self.trust)?;
        let mut file = ManifestFile::open(&path)?;
        let unread = file.unread()?;
        let verified = signers.signer_of(unread.envelope()).and_then(|signer| {
            let said = signer.said(unread.verify(signer.key)?);
            Ok((signer, said))
        });
        let (signer, said) = match verified {
            Ok(verified) => verified,
            Err(refusal) => {
                let hint = refusal.hint;
                ui.report(&Refused {
                    manifest: path.clone(),
                    status: "invalid",
                    refusal,
                })?;
                if let (Some(hint), false) = (hint, ui.json) {
                    ui.hint_among(hint, &mut Hints::default());
                }
                return Ok(Status::Invalid);
            }
        };

        let signed = file.read()?;
        // The file may have been replaced after it was hashed, so it is verified again.
        let (manifest, _) = signed
            .verify(signer.key)
            .map_err(|error| Error::at(&path, "has changed while it was read").because(error))?;

        let count = self.compare(manifest, &path, ui)?;
        let status = count.status();
        if !ui.quiet || status != Status::Valid {
            ui.report(&Summary {
                manifest: path.clone(),
                status: match status {
                    Status::Valid => "valid",
                    Status::Invalid => "invalid",
                    Status::Failure => "unchecked",
                },
                count,
                key: signers.key_name(signer.index),
                said: &said,
            })?;
        }
        if let Some(warning) = said.warning(&shown(&path)) {
            ui.warn(warning);
        }
        Ok(status)
    }

    /// Compares the folder with its manifest at `path`. Reports and counts the result of each file.
    fn compare(&self, manifest: &Manifest, path: &Path, ui: Ui) -> Result<Count> {
        let listing = folder::list(&self.folder, path)?;
        let progress = Progress::new(ui, Unit::Items("files"), Some(listing.files.len() as u64));
        let mut told = Told::new(ui, &progress);
        // Paths of things that a manifest cannot list, such as links. A signed file at such a path
        // has changed.
        let replaced: HashSet<_> = listing
            .not_listed
            .iter()
            .map(|other| other.path.as_path())
            .collect();
        let differences = manifest.compare(&listing.files);
        let read = |difference: &Difference<'_>| match difference {
            Difference::Present(entry) => {
                let path = folder::place(&self.folder, &entry.path);
                Some(folder::is_unchanged(&path, &entry.digest))
            }
            Difference::Missing(_) | Difference::Extra(_) => None,
        };
        folder::read_each(&differences, read, &progress, |(difference, unchanged)| {
            let (path, status) = match difference {
                Difference::Missing(entry) => {
                    let path = entry.path.as_str();
                    let status = match replaced.contains(Path::new(path)) {
                        true => FileStatus::Changed,
                        false => FileStatus::Missing,
                    };
                    (path, status)
                }
                Difference::Extra(path) => (path.as_str(), FileStatus::Extra),
                Difference::Present(entry) => {
                    let status = match unchanged {
                        Some(Ok(true)) => FileStatus::Valid,
                        Some(Ok(false)) => FileStatus::Changed,
                        Some(Err(error)) => return told.fail(entry.path.as_str(), error),
                        None => FileStatus::Unchecked,
                    };
                    (entry.path.as_str(), status)
                }
            };
            told.tell(Path::new(path), status)
        })?;
        let is_signed = |other: &NotListed| {
            let path = other.path.to_str();
            let entries = manifest.entries();
            path.is_some_and(|path| {
                entries
                    .binary_search_by(|entry| entry.path.as_str().cmp(path))
                    .is_ok()
            })
        };
        for other in listing.not_listed.iter().filter(|other| !is_signed(other)) {
            told.tell(&other.path, FileStatus::Extra)?;
        }
        let count = told.count;
        drop(progress);
        Ok(count)
    }

    /// Refuses a path that names a file instead of a folder. The file is probably the manifest.
    fn check_folder(&self) -> Result<()> {
        let file = &self.folder;
        if !file.is_file() {
            return Ok(());
        }
        if self.manifest.is_some() || !is_manifest(file) {
            return Err(Error::at(file, "is a file, not a folder").hint("name the folder"));
        }
        let signers = self.trust.repeated(&self.public_key);
        let command = command_to_verify(file, &signers);
        Err(Error::at(file, "is a manifest, not a folder")
            .hint(format_args!("name the folder that it lists: {command}")))
    }
}

/// Result of comparing a file with its manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum FileStatus {
    Valid,
    Changed,
    Missing,
    Extra,
    Unchecked,
}

/// Reports the outcomes and counts them.
struct Told<'p> {
    ui: Ui,
    progress: &'p Progress,
    hints: Hints,
    count: Count,
}

impl<'p> Told<'p> {
    fn new(ui: Ui, progress: &'p Progress) -> Self {
        Self {
            ui,
            progress,
            hints: Hints::default(),
            count: Count::default(),
        }
    }

    fn tell(&mut self, file: &Path, status: FileStatus) -> Result<()> {
        self.count.add(status);
        if self.ui.quiet && status == FileStatus::Valid {
            return Ok(());
        }
        self.progress.clear_for_result();
        self.ui.report(&Verdict { file, status })
    }

    fn fail(&mut self, file: &str, error: Error) -> Result<()> {
        self.tell(Path::new(file), FileStatus::Unchecked)?;
        self.progress.clear();
        self.ui.error_among(&error, &mut self.hints);
        Ok(())
    }
}

/// The verdict on one file.
#[derive(Serialize)]
struct Verdict<'a> {
    #[serde(serialize_with = "serialize_path")]
    file: &'a Path,
    status: FileStatus,
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (style, text) = match self.status {
            FileStatus::Valid => (GOOD, "OK"),
            FileStatus::Changed => (BAD, "CHANGED"),
            FileStatus::Missing => (BAD, "MISSING"),
            FileStatus::Extra => (BAD, "EXTRA"),
            FileStatus::Unchecked => (BAD, "NOT CHECKED"),
        };
        write!(f, "{}: {}", Escaped(shown(self.file)), Styled(style, text))
    }
}

/// Number of files for each outcome.
#[derive(Clone, Copy, Default, Serialize)]
struct Count {
    unchanged: u64,
    changed: u64,
    missing: u64,
    extra: u64,
    unchecked: u64,
}

impl Count {
    fn add(&mut self, status: FileStatus) {
        *match status {
            FileStatus::Valid => &mut self.unchanged,
            FileStatus::Changed => &mut self.changed,
            FileStatus::Missing => &mut self.missing,
            FileStatus::Extra => &mut self.extra,
            FileStatus::Unchecked => &mut self.unchecked,
        } += 1;
    }

    fn status(&self) -> Status {
        if self.changed + self.missing + self.extra > 0 {
            Status::Invalid
        } else if self.unchecked > 0 {
            Status::Failure
        } else {
            Status::Valid
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} unchanged", HumanCount(self.unchanged))?;
        for (number, name) in [
            (self.changed, "changed"),
            (self.missing, "missing"),
            (self.extra, "extra"),
            (self.unchecked, "not checked"),
        ] {
            if number > 0 {
                write!(f, ", {} {name}", HumanCount(number))?;
            }
        }
        Ok(())
    }
}

/// The last line: the result and the signer.
#[derive(Serialize)]
struct Summary<'a> {
    #[serde(serialize_with = "serialize_path")]
    manifest: PathBuf,
    status: &'static str,
    #[serde(flatten)]
    count: Count,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    key: Option<&'a KeyName>,
    #[serde(flatten)]
    said: &'a Said,
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (style, text) = match self.status {
            "valid" => (GOOD, "OK"),
            "invalid" => (BAD, "INVALID"),
            _ => (BAD, "NOT CHECKED"),
        };
        let manifest = Escaped(shown(&self.manifest));
        write!(f, "{manifest}: {}, {}, ", Styled(style, text), self.count,)?;
        if let Some(key) = self.key {
            write!(f, "{key}, ")?;
        }
        write!(f, "{}", self.said)
    }
}

/// A manifest whose signature is refused.
#[derive(Serialize)]
struct Refused {
    #[serde(serialize_with = "serialize_path")]
    manifest: PathBuf,
    status: &'static str,
    #[serde(flatten)]
    refusal: Refusal,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let manifest = Escaped(shown(&self.manifest));
        write!(
            f,
            "{manifest}: {}, {}",
            Styled(BAD, "INVALID"),
            self.refusal
        )
    }
}
