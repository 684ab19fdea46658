//! A ledger: Parquet files that are divided into shards, and the outputs of the shards.

use super::{
    count,
    expansion::EXPANSION,
    folders::Folders,
    output::{Output, Place, appeared, digest, open_output},
    report::{Counts, Job, Report, Summary},
    shards::{
        Listed, Shard, Slice, Unreadable, check_names, divide, division, resolved, tables_at,
    },
    state::State,
    table::Table,
};
use crate::{
    error::{Error, Result, Status},
    escape::shown,
    output::Overwrite,
    parallel::for_each_in_order_on,
    progress::{Progress, Unit},
    shell::quote,
    ui::Ui,
};
use clap::Args;
use falcon_core::Threads;
use rayon::prelude::*;
use serde_json as json;
use sha2::{Digest, Sha256};
use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, Read},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread::available_parallelism,
};

/// Length in bytes of the longest summary that is read.
const LONGEST_SUMMARY: u64 = 1 << 20;

/// Length in bytes of the longest sum, such as `summary.json`, that is read. A sum can list every
/// table.
const LONGEST_SUM: u64 = 256 << 20;

/// Tables, and where their outputs go.
#[derive(Debug, Args)]
pub(crate) struct LedgerOptions {
    /// Parquet files, or folders of them
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    /// Folder of the outputs. Reports go to FOLDER.reports. Both are made if they are missing
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Process part I of N, for example 3/64. All parts have about as many rows. Row groups stay
    /// whole
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = count)]
    threads: Option<NonZeroUsize>,
    /// Replace existing outputs of this command
    #[arg(long)]
    force: bool,
    /// Skip tables whose output is complete and up to date; replace outdated outputs
    #[arg(long, conflicts_with = "force")]
    skip_existing: bool,
    /// Refuse a Parquet file whose pages, or whose values with the signatures that `sign-table`
    /// adds, take more than 1 GiB, and more than N times the bytes of the file
    #[arg(long, value_name = "N", default_value_t = EXPANSION)]
    pub(crate) max_expansion: u64,
}

/// The places of an output and of its summary.
struct Places {
    output: Place,
    summary: Place,
}

impl Places {
    /// Removes the files that were found. The summary goes first, so that it never stays without
    /// its output.
    fn clear(&self) -> Result<()> {
        self.summary.clear()?;
        self.output.clear()
    }
}

/// The outputs to make, and the path of their sum.
struct Plan<'l> {
    slices: Vec<(&'l Slice, Places)>,
    sum: Place,
}

/// States of an output and of its summary, if they exist.
type States = [Option<State>; 2];

/// Outputs that a run has made or skipped, by name.
#[derive(Default)]
struct Kept(Mutex<Vec<(String, States)>>);

impl Kept {
    fn keep(&self, slice: &Slice, states: States) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push((slice.name.clone(), states));
    }

    fn into_inner(self) -> Vec<(String, States)> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The work of a command: the slices of its shard, and the tables that cannot be read.
pub(crate) struct Ledger {
    folders: Folders,
    shard: Option<Shard>,
    files: usize,
    slices: Vec<Slice>,
    unreadable: Vec<Unreadable>,
    /// Number of rows of all tables.
    total: u64,
    /// Hash of everything that the division into shards depends on: see [`division`].
    division: String,
    overwrite: Overwrite,
    skip_existing: bool,
    threads: Option<NonZeroUsize>,
    /// Limit for each table: see [`Table::limit_expansion`].
    max_expansion: u64,
}

impl LedgerOptions {
    /// Returns the options as shell words, for a command that replaces the outputs.
    pub(crate) fn again(&self) -> String {
        let mut words: Vec<_> = self.tables.iter().map(|table| quote(table)).collect();
        words.extend(["-o".to_owned(), quote(&self.output), "--force".to_owned()]);
        if let Some(Shard { index, count }) = self.shard {
            words.push(format!("--shard {index}/{count}"));
        }
        if self.max_expansion != EXPANSION {
            words.push(format!("--max-expansion {}", self.max_expansion));
        }
        words.join(" ")
    }

    /// Lists the tables, and checks the names of the outputs. `inputs` are the files with keys.
    /// They must not be among the tables or the outputs.
    pub(crate) fn open(self, inputs: &[&Path]) -> Result<Ledger> {
        let inputs: HashSet<_> = inputs.iter().copied().map(resolved).collect();
        let mut names = HashMap::new();
        let mut listed = Vec::new();
        let folders = Folders::new(self.output)?;
        for table in &self.tables {
            for (path, name) in tables_at(table, [&folders.output, &folders.reports])? {
                if let Some(other) = names.insert(name.clone(), path.clone()) {
                    let (other, path) = (shown(&other), shown(&path));
                    let what = format_args!("would be written twice: for {other} and for {path}");
                    return Err(Error::at(&folders.output(&name), what)
                        .hint("name a folder that has both, or run the command for each"));
                }
                if inputs.contains(&resolved(&path)) {
                    let what = "holds the keys, and is also among the tables";
                    return Err(Error::at(&path, what)
                        .hint("name the folder or the files of the tables alone"));
                }
                let groups = Table::open(&path)
                    .map(|table| (table.groups().collect(), table.state().clone()));
                listed.push(Listed { path, name, groups });
            }
        }
        let shard = self.shard.unwrap_or(Shard::WHOLE);
        let groups = |file: &Listed| {
            file.groups
                .as_ref()
                .map_or(0, |(rows, _)| rows.iter().sum())
        };
        let total = listed.iter().map(groups).fold(0, u64::saturating_add);
        let (slices, unreadable) = divide(&listed, shard, total);
        check_names(&folders.output, &slices, &unreadable)?;
        let slices = slices
            .into_iter()
            .filter(|&(index, _)| index == shard.index);
        let slices = slices.map(|(_, slice)| slice).collect();
        let ledger = Ledger {
            shard: self.shard,
            files: listed.len(),
            slices,
            unreadable,
            total,
            division: division(&listed),
            overwrite: Overwrite::from_force(self.force || self.skip_existing),
            skip_existing: self.skip_existing,
            threads: self.threads,
            max_expansion: self.max_expansion,
            folders,
        };
        let tables = listed.iter().map(|file| file.path.as_path());
        let sources: HashSet<_> = tables.map(resolved).chain(inputs).collect();
        for slice in &ledger.slices {
            let folders = &ledger.folders;
            for output in [folders.output(&slice.name), folders.summary(&slice.name)] {
                if sources.contains(&resolved(&output)) {
                    return Err(Error::at(&output, "is an input and cannot be the output")
                        .hint("name another folder with -o"));
                }
            }
        }
        Ok(ledger)
    }
}

impl Ledger {
    /// Works on every slice. `work` writes the output of a slice to a file, which appears only if
    /// nothing failed. `T` are the counts of a slice.
    pub(crate) fn run<T: Counts>(
        self,
        job: &Job,
        ui: Ui,
        work: impl Fn(&Table, &Slice, &mut Output, Option<&Threads>, &Progress) -> Result<T> + Sync,
    ) -> Result<Status> {
        let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = Threads::new(self.threads.unwrap_or(cores));
        let unreadable = self.unreadable.iter().filter(|table| table.is_counted);
        let shards = self.slices.len() + unreadable.count();
        let parts = self.shard.map(|_| (self.division.clone(), self.total));
        let mut report = Report::new(ui, shards, parts);
        let kept = Kept::default();
        let plan = self.plan(job, &threads, &kept, &mut report)?;
        self.make(job, &threads, &plan.slices, &kept, &mut report, work)?;
        // Checks that no other run has replaced outputs that this run made or skipped.
        for (name, states) in kept.into_inner() {
            if self.states(&name) != states {
                let error = appeared(&self.folders.output(&name));
                report.fail(name, &error);
            }
        }
        for table in &self.unreadable {
            report.fail(shown(&table.path).to_string(), &table.error);
        }
        if let Err(error) = plan.sum.write_json(report.sum()) {
            report.error(&error);
        }
        // Another shard may have written outputs since this run began.
        if let Err(error) = self.check_division() {
            report.error(&error);
        }
        report.end(self.files > 1)
    }

    /// Finds the slices to work on, and reports the slices whose outputs exist. Removes sums, and
    /// outputs of tables that cannot be read.
    fn plan<T: Counts>(
        &self,
        job: &Job,
        threads: &Threads,
        kept: &Kept,
        report: &mut Report<T>,
    ) -> Result<Plan<'_>> {
        let finished = |slice| self.finished::<T>(slice, job);
        let finished: Vec<Option<(Summary<T>, _)>> = match threads.pool() {
            Some(pool) => pool.install(|| self.slices.par_iter().map(finished).collect()),
            None => self.slices.iter().map(finished).collect(),
        };
        let mut slices = Vec::new();
        for (slice, finished) in self.slices.iter().zip(finished) {
            if let Some((summary, states)) = finished {
                kept.keep(slice, states);
                report.skip(&slice.name, &summary);
                continue;
            }
            slices.push((slice, self.look::<T>(&slice.name)?));
        }
        let [older_sum, sum] = [None, self.shard].map(|shard| {
            let path = self.folders.sum(shard);
            look_at_sum(path, &self.folders.reports)
        });
        let (older_sum, sum) = (older_sum?, sum?);
        self.check_division()?;
        let outdated = self.unreadable.iter();
        let outdated =
            outdated.filter(|table| table.is_counted && self.overwrite == Overwrite::Force);
        let outdated = outdated.map(|table| self.look::<T>(&table.name));
        let outdated = outdated.collect::<Result<Vec<_>>>()?;
        self.folders.make()?;
        // From here on, no sum remains. Each output is removed before its table is read, but
        // outputs of unreadable tables are removed now.
        older_sum.clear()?;
        sum.clear()?;
        outdated.iter().try_for_each(Places::clear)?;
        Ok(Plan { slices, sum })
    }

    /// Makes the outputs of `slices` and reports them.
    fn make<T: Counts>(
        &self,
        job: &Job,
        threads: &Threads,
        slices: &[(&Slice, Places)],
        kept: &Kept,
        report: &mut Report<T>,
        work: impl Fn(&Table, &Slice, &mut Output, Option<&Threads>, &Progress) -> Result<T> + Sync,
    ) -> Result<()> {
        let rows = slices.iter().map(|(slice, _)| slice.rows);
        let rows = rows.fold(0, u64::saturating_add);
        let progress = Progress::new(report.ui, Unit::Items("rows"), Some(rows));
        let one = |(slice, places): &(&Slice, Places), threads: Option<&Threads>| {
            let work =
                |table: &Table, output: &mut Output| work(table, slice, output, threads, &progress);
            let outcome = self.one(slice, places, job, work);
            if outcome.is_ok() {
                kept.keep(slice, self.states(&slice.name));
            }
            (slice.name.clone(), outcome)
        };
        if slices.len() < threads.count() {
            for slice in slices {
                report.tell(&progress, one(slice, Some(threads)));
            }
            return Ok(());
        }
        let each: Vec<_> = slices.chunks(1).collect();
        let work =
            |group: &[(&Slice, Places)]| group.iter().map(|slice| one(slice, None)).collect();
        let done = |outcome| -> Result<()> {
            report.tell(&progress, outcome);
            Ok(())
        };
        for_each_in_order_on(threads.pool(), &each, work, done)
    }

    /// Returns the states of an output and of its summary.
    fn states(&self, name: &str) -> States {
        [self.folders.output(name), self.folders.summary(name)].map(|path| State::of_name(&path))
    }

    fn one<T: Counts>(
        &self,
        slice: &Slice,
        places: &Places,
        job: &Job,
        work: impl FnOnce(&Table, &mut Output) -> Result<T>,
    ) -> Result<Summary<T>> {
        let started = std::time::Instant::now();
        // The output is removed first, so that it is never older than its table.
        places.clear()?;
        let table = Table::open(&slice.table)?;
        table.limit_expansion(self.max_expansion);
        let groups = table
            .groups()
            .skip(slice.groups.start)
            .take(slice.groups.len());
        let is_same = *table.state() == slice.state
            && table.groups().count() >= slice.groups.end
            && groups.sum::<u64>() == slice.rows;
        if !is_same {
            return Err(Error::at(&slice.table, "changed since the command began")
                .hint("run the command again when nobody writes to the file"));
        }
        let mut output = places.output.create()?;
        let counts = work(&table, &mut output)?;
        table.check_unchanged()?;
        if counts.rows() != slice.rows {
            let (found, rows) = (counts.rows(), slice.rows);
            let what = format_args!("is damaged: {found} of {rows} rows can be read");
            return Err(Error::at(&slice.table, what).hint(
                "copy or write the file again, and compare its checksum with that of the original",
            ));
        }
        let output_sha256 = output.commit()?;
        let seconds = started.elapsed().as_secs_f64();
        let summary = slice.summary(counts, output_sha256, seconds, job);
        places.summary.write_json(&summary)?;
        Ok(summary)
    }

    /// With `--skip-existing`, returns the summary of a finished slice, and the
    /// [`states`](Self::states) of output and summary. A slice is finished if its output has the
    /// hash in its summary, and neither the table nor the options have changed since.
    fn finished<T: Counts>(&self, slice: &Slice, job: &Job) -> Option<(Summary<T>, States)> {
        if !self.skip_existing {
            return None;
        }
        let states = self.states(&slice.name);
        let found = read_json(&self.folders.summary(&slice.name), LONGEST_SUMMARY)?;
        let counts: T = json::from_value(found.clone()).ok()?;
        let path = self.folders.output(&slice.name);
        let output_sha256 = digest(&path, open_output(&path)?).ok()?;
        let seconds = found.get("seconds")?.as_f64()?;
        let summary = slice.summary(counts, output_sha256, seconds, job);
        let json::Value::Object(wanted) = json::to_value(&summary).ok()? else {
            return None;
        };
        let same = |(name, value): (&String, &json::Value)| {
            name == "seconds" || found.get(name) == Some(value)
        };
        let table = Table::of(&path, open_output(&path)?).ok()?;
        let is_output = T::is_output(&table)
            && table.groups().sum::<u64>() == slice.rows
            && summary.counts.rows() == slice.rows;
        (is_output && wanted.iter().all(same)).then_some((summary, states))
    }

    /// Looks up the paths of an output and of its summary. Refuses files there that are not a table
    /// and a summary of this command.
    fn look<T: Counts>(&self, name: &str) -> Result<Places> {
        let reports = &self.folders.reports;
        let look = |path| Place::look(path, self.overwrite, reports).map_err(advise);
        let places = Places {
            output: look(self.folders.output(name))?,
            summary: look(self.folders.summary(name))?,
        };
        let path = places.summary.path();
        let summary = || {
            let found = read_json(path, LONGEST_SUMMARY)?;
            found.get("rows")?.as_u64()?;
            let is_named = found.get("shard")?.as_str()? == name;
            (is_named && json::from_value::<T>(found).is_ok()).then_some(())
        };
        let has_summary = summary().is_some();
        if places.summary.is_taken() && !has_summary {
            return Err(not_ours(path));
        }
        let path = places.output.path();
        let is_output = || {
            let table = Table::of(path, open_output(path)?);
            Some(match table {
                Ok(table) => T::is_output(&table),
                Err(_) => has_summary && is_damaged_table(path),
            })
        };
        if places.output.is_taken() && is_output() != Some(true) {
            return Err(not_ours(path));
        }
        Ok(places)
    }

    /// Refuses an output folder if another shard there belongs to a different division of the
    /// tables. Rows could otherwise be in no output or in two.
    fn check_division(&self) -> Result<()> {
        let Some(Shard { index, count }) = self.shard else {
            return Ok(());
        };
        let reports = &self.folders.reports;
        let cannot = |error: io::Error| Error::io(reports, "cannot read", &error);
        let suffix = format!("-of-{count}.json");
        let entries = match fs::read_dir(reports) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(cannot)?,
        };
        for entry in entries {
            let name = entry.map_err(cannot)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("summary-"));
            let number = number.and_then(|name| name.strip_suffix(&*suffix));
            if !number.is_some_and(|text| text.parse().is_ok_and(|other: u64| other != index)) {
                continue;
            }
            let path = reports.join(name);
            let found = read_json(&path, LONGEST_SUM);
            let other = found
                .as_ref()
                .and_then(|found| found.get("division")?.as_str());
            if other.is_some_and(|other| other != self.division) {
                let what = "belongs to other tables than those that this job has found";
                return Err(Error::at(&path, what).hint(
                    "check that all jobs can read all tables, and start all jobs again with \
                     another folder -o",
                ));
            }
        }
        Ok(())
    }
}

/// Reads JSON from a regular file of at most `longest` bytes.
fn read_json(path: &Path, longest: u64) -> Option<json::Value> {
    let mut bytes = Vec::new();
    let mut file = open_output(path)?.take(longest + 1);
    file.read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > longest {
        return None;
    }
    json::from_slice(&bytes).ok()
}

/// Returns true if a file that cannot be read as a table begins like a table or is empty.
fn is_damaged_table(path: &Path) -> bool {
    let mut start = Vec::new();
    let file = open_output(path).map(|file| file.take(4).read_to_end(&mut start));
    matches!(file, Some(Ok(_))) && b"PAR1".starts_with(&start)
}

/// Looks up the path of a sum, which every run makes again. Refuses a file that is not a sum.
fn look_at_sum(path: PathBuf, reports: &Path) -> Result<Place> {
    let place = Place::look(path, Overwrite::Force, reports)?;
    let is_sum = || {
        let found = read_json(place.path(), LONGEST_SUM)?;
        (found.get("rows").is_some() && found.get("shards").is_some()).then_some(())
    };
    if place.is_taken() && is_sum().is_none() {
        return Err(not_ours(place.path()));
    }
    Ok(place)
}

fn not_ours(path: &Path) -> Error {
    Error::at(path, "exists already and is not an output of this command")
        .hint("move it away, or name another folder with -o")
}

/// Returns the SHA-256 of an encoded public key, in hexadecimal.
pub(crate) fn digest_of_key(encoded: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(encoded))
}

/// Adds advice to the error about an output that exists.
fn advise(error: Error) -> Error {
    if !error.is(io::ErrorKind::AlreadyExists) {
        return error;
    }
    error.hint("go on with --skip-existing, overwrite with --force, or name another folder with -o")
}
