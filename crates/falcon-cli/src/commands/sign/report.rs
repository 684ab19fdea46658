//! The report: the result of each file.

use super::existing::Skipped;
use crate::{
    commands::verify::KeyName,
    error::{Error, Result, Status, serialize_path},
    escape::{Escaped, shown},
    input::is_standard,
    list::Pair,
    object::SignatureFormat,
    progress::Progress,
    scheme::SignatureAlgorithm,
    ui::{Hints, Ui, only_report_is_missing},
};
use indicatif::HumanCount;
use serde::Serialize;
use std::{fmt, io, path::PathBuf};

/// Results of the files, printed as they arrive.
#[derive(Default)]
pub(super) struct Report {
    pub(super) skipped: Skipped,
    signed: u64,
    failed: u64,
    hints: Hints,
    /// First error of standard output. The work continues even if nobody reads the lines.
    lost: Option<Error>,
}

impl Report {
    /// Prints the result of a file. `None` means that another program signed the file during the
    /// run.
    pub(super) fn add(&mut self, signed: Result<Option<Signed>>, progress: &Progress, ui: Ui) {
        progress.add(1);
        match signed {
            Ok(None) => self.skipped.signed += 1,
            Ok(Some(signed)) => {
                self.signed += 1;
                // Standard output may contain the signature itself.
                let shown = !ui.quiet && !is_standard(&signed.signature);
                if shown && self.lost.is_none() {
                    progress.clear_for_result();
                    self.lost = ui.report(&signed).err();
                }
            }
            Err(error) => {
                self.failed += 1;
                progress.clear();
                ui.error_among(&error, &mut self.hints);
            }
        }
    }

    /// Prints the summary of the work on `jobs`, and returns the status.
    pub(super) fn end(self, jobs: &[Pair], ui: Ui) -> Result<Status> {
        let status = match self.failed {
            0 => Status::Valid,
            _ => Status::Failure,
        };
        ui.sum_up(self.signed + self.failed, status, &self);
        self.skipped.tell(ui);
        match self.lost {
            None => Ok(status),
            Some(error) if error.is(io::ErrorKind::BrokenPipe) => {
                ui.warn("standard output was closed; signing went on without it");
                Ok(status)
            }
            Some(error) => {
                let written = match (jobs, self.signed) {
                    ([job], 1) => shown(&job.signature).to_string(),
                    (_, 1) => "1 signature".to_owned(),
                    (_, signed) => format!("{} signatures", HumanCount(signed)),
                };
                Err(error.hint(only_report_is_missing(&written, self.signed as usize)))
            }
        }
    }
}

impl fmt::Display for Report {
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
pub(super) struct Signed {
    #[serde(serialize_with = "serialize_path")]
    pub(super) file: PathBuf,
    #[serde(serialize_with = "serialize_path")]
    pub(super) signature: PathBuf,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) format: SignatureFormat,
    pub(super) bytes: usize,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<KeyName>,
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signature = Escaped(shown(&self.signature));
        write!(f, "{signature}: {} bytes, {}", self.bytes, self.algorithm)?;
        match &self.key {
            Some(key) => write!(f, ", {key}"),
            None => Ok(()),
        }
    }
}
