//! Signature files that existed before the command. The command replaces, keeps or refuses them.

use crate::{
    error::Error,
    input::is_standard,
    keys::load_signature,
    list::{Pair, note_skipped_signatures, signed_path},
    output::Overwrite,
    ui::Ui,
};
use indicatif::HumanCount;
use std::{collections::HashSet, fs, io, mem, path::Path};

/// Existing signature files that a run replaces.
#[derive(Clone, Copy)]
pub(super) enum Replace {
    None,
    /// Empty files, which a power failure can leave.
    Empty,
    All,
}

impl Replace {
    pub(super) fn of(self, path: &Path) -> Overwrite {
        let is_empty = |file: fs::Metadata| file.is_file() && file.len() == 0;
        Overwrite::from_force(match self {
            Self::None => false,
            Self::Empty => fs::symlink_metadata(path).is_ok_and(is_empty),
            Self::All => true,
        })
    }

    /// Returns true if a job that fails with `error` is skipped because another program has signed
    /// its file.
    pub(super) fn skips(self, job: &Pair, error: &Error) -> bool {
        matches!(self, Self::Empty) && error.is(io::ErrorKind::AlreadyExists) && is_signed(job)
    }

    /// Adds advice to an error about a file that exists at the signature's path.
    pub(super) fn advise(self, error: Error) -> Error {
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

/// Returns true if a job has a signature that can be read. A truncated signature does not count.
fn is_signed(job: &Pair) -> bool {
    !is_standard(&job.signature) && load_signature(&job.signature).is_ok()
}

/// Counts for the notes about jobs that `--skip-existing` left out.
#[derive(Default)]
pub(super) struct Skipped {
    /// Number of jobs before any was left out.
    named: usize,
    /// Number of files that already have a signature, except those counted in `signatures`.
    pub(super) signed: usize,
    /// Number of files that are signatures of other named files.
    signatures: usize,
    /// Number of other files named `*.sig`. The files that they sign may be gone.
    others: usize,
}

impl Skipped {
    /// Removes signed files and all files named `*.sig` from the jobs.
    pub(super) fn take_from(jobs: &mut Vec<Pair>) -> Self {
        let named = jobs.len();
        let (signed, open): (Vec<Pair>, Vec<Pair>) =
            mem::take(jobs).into_iter().partition(is_signed);
        let signatures: HashSet<&Path> = signed.iter().map(|job| &*job.signature).collect();
        let is_signature = |job: &Pair| signatures.contains(&*job.file);
        let all = signed.iter().chain(&open);
        let signatures = all.filter(|job| is_signature(job)).count();
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

    pub(super) fn tell(&self, ui: Ui) {
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
