//! Summaries of outputs, their sum, and the report of a run.

use super::{ColumnFormat, shards::Slice, state::State, table::Table};
use crate::{
    error::{Error, Result, Status},
    escape::{Escaped, shown},
    progress::Progress,
    ui::{Hints, Styled, Ui},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt, path::Path, time::Instant};

/// Summary of an output: a JSON file beside it. `T` are the counts of the command.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary<T> {
    shard: String,
    pub(crate) rows: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    row_groups: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_row: Option<u64>,
    #[serde(flatten)]
    pub(crate) counts: T,
    /// SHA-256 of the output, in hexadecimal.
    output_sha256: String,
    seconds: f64,
    #[serde(flatten)]
    state: State,
    #[serde(flatten)]
    job: Job,
}

/// Options that the outputs depend on. The outputs also depend on the tables.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Job {
    pub(crate) format: ColumnFormat,
    /// SHA-256 of the table of keys, or of the encoded public key.
    pub(crate) keys_sha256: Option<String>,
    pub(crate) program_version: &'static str,
}

impl Slice {
    pub(super) fn summary<T>(
        &self,
        counts: T,
        output_sha256: String,
        seconds: f64,
        job: &Job,
    ) -> Summary<T> {
        Summary {
            shard: self.name.clone(),
            rows: self.rows,
            row_groups: (!self.is_whole).then_some([self.groups.start, self.groups.end]),
            first_row: (!self.is_whole).then_some(self.first_row),
            counts,
            output_sha256,
            seconds,
            state: self.state.clone(),
            job: job.clone(),
        }
    }
}

/// Counts of an output, and their sum.
pub(crate) trait Counts:
    Clone + Default + fmt::Display + Serialize + DeserializeOwned + Send + Sync
{
    /// Adds the counts `other` of the output `name`.
    fn add(&mut self, name: &str, other: &Self);
    /// Number of rows.
    fn rows(&self) -> u64;
    /// True if a table is an output of the command.
    fn is_output(table: &Table) -> bool;
    /// Returns true if a checked row is not valid.
    fn is_bad(&self) -> bool;
    /// Returns the word that follows the name in the line of an output, if something was checked.
    fn verdict(&self) -> Option<Styled<&'static str>>;
}

impl<T: Counts> fmt::Display for Summary<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", Escaped(shown(Path::new(&self.shard))))?;
        if let Some(verdict) = self.counts.verdict() {
            write!(f, "{verdict}, ")?;
        }
        self.counts.fmt(f)
    }
}

/// Sum of a run's summaries.
#[derive(Serialize)]
pub(super) struct Sum<T> {
    shards: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    division: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_rows: Option<u64>,
    #[serde(skip)]
    done: usize,
    skipped: usize,
    rows: u64,
    #[serde(flatten)]
    counts: T,
    seconds: f64,
    errors: BTreeMap<String, String>,
}

impl<T: fmt::Display> fmt::Display for Sum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shards, done, .. } = self;
        let plural = if *shards == 1 { "" } else { "s" };
        write!(f, "{done} of {shards} output{plural}: {}", self.counts)?;
        match self.skipped {
            0 => Ok(()),
            1 => f.write_str("; 1 of these outputs was there already"),
            more => write!(f, "; {more} of these outputs were there already"),
        }
    }
}

/// Results of a run, printed as they arrive.
pub(super) struct Report<T> {
    pub(super) ui: Ui,
    started: Instant,
    status: Status,
    hints: Hints,
    sum: Sum<T>,
    /// First error of standard output. The work continues without it.
    lost: Option<Error>,
}

impl<T: Counts> Report<T> {
    /// Creates a report. `parts` has the hash of the division into shards, and the total number of
    /// rows.
    pub(super) fn new(ui: Ui, shards: usize, parts: Option<(String, u64)>) -> Self {
        let (division, total_rows) = parts.unzip();
        Self {
            ui,
            started: Instant::now(),
            status: Status::Valid,
            hints: Hints::default(),
            sum: Sum {
                shards,
                division,
                total_rows,
                done: 0,
                skipped: 0,
                rows: 0,
                counts: T::default(),
                seconds: 0.0,
                errors: BTreeMap::new(),
            },
            lost: None,
        }
    }

    fn print(&mut self, summary: &Summary<T>) {
        if self.lost.is_none() {
            self.lost = self.ui.report(summary).err();
        }
    }

    fn count(&mut self, name: &str, summary: &Summary<T>) {
        self.sum.rows += summary.rows;
        self.sum.done += 1;
        self.sum.counts.add(name, &summary.counts);
    }

    /// Adds an output that already existed.
    pub(super) fn skip(&mut self, name: &str, summary: &Summary<T>) {
        if self.ui.json || summary.counts.is_bad() {
            self.print(summary);
        }
        self.count(name, summary);
        self.sum.skipped += 1;
    }

    /// Adds an output that was made, or the reason why it was not made.
    pub(super) fn tell(
        &mut self,
        progress: &Progress,
        (name, outcome): (String, Result<Summary<T>>),
    ) {
        match outcome {
            Ok(summary) => {
                let is_bad = summary.counts.is_bad();
                if !self.ui.quiet || is_bad {
                    progress.clear_for_result();
                    self.print(&summary);
                }
                self.count(&name, &summary);
            }
            Err(error) => {
                progress.clear();
                self.fail(name, &error);
            }
        }
    }

    /// Adds the error of an output.
    pub(super) fn fail(&mut self, name: String, error: &Error) {
        self.error(error);
        self.sum.errors.insert(name, error.to_string());
    }

    pub(super) fn error(&mut self, error: &Error) {
        self.status = self.status.max(Status::Failure);
        self.ui.error_among(error, &mut self.hints);
    }

    /// Returns the sum of all added outputs.
    pub(super) fn sum(&mut self) -> &Sum<T> {
        self.sum.seconds = self.started.elapsed().as_secs_f64();
        &self.sum
    }

    /// Prints the sum if there are several files or skipped outputs. Returns the status of the
    /// command.
    pub(super) fn end(mut self, has_files: bool) -> Result<Status> {
        if self.sum.counts.is_bad() {
            self.status = self.status.max(Status::Invalid);
        }
        if has_files || self.sum.skipped > 0 {
            match self.status {
                Status::Valid => self.ui.note(&self.sum),
                _ => self.ui.warn(&self.sum),
            }
        }
        match self.lost {
            // An invalid row outweighs an error of standard output.
            Some(error) if self.status == Status::Invalid => {
                self.ui.error_among(&error, &mut self.hints);
                Ok(self.status)
            }
            Some(error) => Err(error),
            None => Ok(self.status),
        }
    }
}
