//! A ledger: Parquet files, divided into shards by row groups, and the outputs of the shards.

use super::{
    output::{Output, Place, appeared, digest, open_output},
    source::{State, Table},
};
use crate::{
    error::{Error, Result, Status},
    escape::{Escaped, shown},
    output::Overwrite,
    parallel::for_each_in_order_on,
    place::with_suffix,
    progress::{Progress, Unit},
    ui::{Hints, Styled, Ui},
};
use clap::Args;
use falcon_core::Threads;
use rayon::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json as json;
use sha2::{Digest, Sha256};
use std::{
    collections::{HashMap, HashSet},
    fmt, fs,
    io::{self, Read},
    num::NonZeroUsize,
    ops::Range,
    path::{Component, Path, PathBuf},
    str::FromStr,
    sync::{Mutex, PoisonError},
    thread::available_parallelism,
};

/// Bytes of the longest summary of an output that is read.
const LONGEST_SUMMARY: u64 = 1 << 20;

/// Bytes of the longest sum that is read. A sum can list every table.
const LONGEST_SUM: u64 = 256 << 20;

/// Tables, and where their outputs go.
#[derive(Debug, Args)]
pub(crate) struct LedgerOptions {
    /// Parquet files, or folders of them
    #[arg(value_name = "TABLE", required = true)]
    tables: Vec<PathBuf>,
    /// Folder of the outputs; made if it is missing
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Take part I of N, for example 3/64: about as many rows as every other part. Row groups stay
    /// whole
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Replace existing outputs of this command
    #[arg(long)]
    force: bool,
    /// Skip tables whose output is complete and up to date; replace outdated outputs
    #[arg(long, conflicts_with = "force")]
    skip_existing: bool,
}

/// Part `index` of `count`, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u64,
    count: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |text: &str| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse()
                .ok()
                .filter(|&number: &u32| digits && number > 0)
        };
        let (index, count) = text.split_once('/').unwrap_or((text, ""));
        match (number(index), number(count)) {
            (Some(index), Some(count)) if index <= count => Ok(Self {
                index: index.into(),
                count: count.into(),
            }),
            (Some(_), Some(count)) => Err(format!("I is 1 to {count}, since N is {count}")),
            _ => Err("write I/N with numbers from 1 on, for example 3/64".to_owned()),
        }
    }
}

impl Shard {
    const WHOLE: Self = Self { index: 1, count: 1 };

    /// Index of the shard, of `count` shards, that has the rows `start` to `start + rows` of
    /// `total`: where their middle is decides.
    fn of(start: u64, rows: u64, total: u64, count: u64) -> u64 {
        let middle = 2 * u128::from(start) + u128::from(rows);
        let place = middle * u128::from(count) / (2 * u128::from(total.max(1)));
        place.min(u128::from(count - 1)) as u64 + 1
    }
}

/// Row groups of one table, all or some. They have one output.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    pub(crate) table: PathBuf,
    /// Name of the output in its folder.
    name: String,
    pub(crate) groups: Range<usize>,
    /// Number of the first row in the table.
    pub(crate) first_row: u64,
    pub(crate) rows: u64,
    is_whole: bool,
    /// State of the table when it was listed.
    state: State,
}

impl Slice {
    fn summary<T>(&self, counts: T, output_sha256: String, seconds: f64, job: &Job) -> Summary<T> {
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

/// The places of an output and of its summary.
struct Places {
    output: Place,
    summary: Place,
}

impl Places {
    /// Removes what was found. A summary never stays without its output.
    fn clear(&self) -> Result<()> {
        self.summary.clear()?;
        self.output.clear()
    }
}

/// A file of the ledger, as it was when the work began.
struct Listed {
    path: PathBuf,
    /// Name in the output folder.
    name: String,
    /// Rows of each row group and the state of the file, or the reason why they are unknown.
    groups: Result<(Vec<u64>, State)>,
}

/// A table that cannot be read.
struct Unreadable {
    path: PathBuf,
    /// Name of the output of the whole table.
    name: String,
    error: Error,
    /// Whether it counts among the outputs of this shard. Every shard tells it.
    is_counted: bool,
}

/// The work of a command: the slices of its shard, and tables that cannot be read.
pub(crate) struct Ledger {
    output: PathBuf,
    shard: Option<Shard>,
    files: usize,
    slices: Vec<Slice>,
    unreadable: Vec<Unreadable>,
    /// Rows of all tables.
    total: u64,
    /// SHA-256 of the names of all tables and the rows of their row groups.
    division: String,
    overwrite: Overwrite,
    skip_existing: bool,
    threads: Option<NonZeroUsize>,
}

/// Summary of an output: a JSON file beside it. `T` is what the command counts.
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

/// Options that outputs depend on, besides the tables.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Job {
    pub(crate) format: super::ColumnFormat,
    /// SHA-256 of the table of keys or of the encoded public key.
    pub(crate) keys_sha256: Option<String>,
    pub(crate) falcon_sign: &'static str,
}

impl LedgerOptions {
    /// Lists the tables, checks the outputs, and makes the output folder. `inputs` are files that
    /// must not be replaced.
    pub(crate) fn open(self, inputs: &[&Path]) -> Result<Ledger> {
        let mut names = HashMap::new();
        let mut listed = Vec::new();
        let output = resolved(&self.output);
        for table in &self.tables {
            for (path, name) in tables_at(table, &output)? {
                if let Some(other) = names.insert(name.clone(), path.clone()) {
                    let (other, path) = (shown(&other), shown(&path));
                    let what = format_args!("would be written twice: for {other} and for {path}");
                    return Err(Error::at(&self.output.join(name), what)
                        .hint("name a folder that has both, or run the command for each"));
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
        check_names(&self.output, &slices, &unreadable)?;
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
            output: self.output,
        };
        let tables = listed.iter().map(|file| file.path.as_path());
        let sources: HashSet<_> = tables.chain(inputs.iter().copied()).map(resolved).collect();
        for slice in &ledger.slices {
            for output in [ledger.path(slice), ledger.summary_path(slice)] {
                if sources.contains(&resolved(&output)) {
                    return Err(Error::at(&output, "is an input and cannot be the output")
                        .hint("name another folder with -o"));
                }
            }
        }
        fs::create_dir_all(&ledger.output)
            .map_err(|error| Error::io(&ledger.output, "cannot make the folder", &error))?;
        Ok(ledger)
    }
}

/// The Parquet files of a path, each with the name of its output.
fn tables_at(path: &Path, output: &Path) -> Result<Vec<(PathBuf, String)>> {
    let metadata = path
        .metadata()
        .map_err(|error| Error::io(path, "cannot read", &error))?;
    if !metadata.is_dir() {
        let name = path.file_name().unwrap_or(path.as_os_str());
        return Ok(vec![(path.to_owned(), utf8(Path::new(name))?)]);
    }
    let folder = resolved(path);
    if output.starts_with(&folder) || folder.starts_with(output) {
        let what = format_args!("lies in the folder {} or contains it", shown(path));
        return Err(Error::at(output, what).hint("name another folder with -o"));
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let cannot = |error: io::Error| Error::io(&folder, "cannot read", &error);
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let (file, name) = (entry.path(), entry.file_name());
            let name = name.as_encoded_bytes();
            if name.starts_with(b".") || name.starts_with(b"_") {
                continue;
            }
            let is_link = entry.file_type().map_err(cannot)?.is_symlink();
            // It may be a folder of tables, or a link to one.
            let target = file
                .metadata()
                .map_err(|error| Error::io(&file, "cannot read", &error))?;
            if target.is_dir() && is_link {
                return Err(Error::at(&file, "is a link to a folder")
                    .hint("copy the folder, or mount it there"));
            } else if target.is_dir() {
                folders.push(file);
            } else if name.ends_with(b".parquet") {
                if !target.is_file() {
                    return Err(Error::at(&file, "is not a regular file"));
                }
                let name = utf8(file.strip_prefix(path).unwrap_or(&file))?;
                found.push((file, name));
            }
        }
    }
    if found.is_empty() {
        return Err(Error::at(path, "has no Parquet files (*.parquet)")
            .hint("name a folder that has Parquet files, or the files"));
    }
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    Ok(found)
}

/// The name of a table, with slashes on every system.
fn utf8(name: &Path) -> Result<String> {
    let text = name
        .to_str()
        .ok_or_else(|| Error::at(name, "has a name that is not UTF-8").hint("rename the file"))?;
    Ok(text.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Follows the links of a path, of which any part may be missing.
fn resolved(path: &Path) -> PathBuf {
    let mut found = match path.is_absolute() {
        true => PathBuf::new(),
        false => fs::canonicalize(".").unwrap_or_default(),
    };
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(found.pop()),
            other => {
                found.push(other);
                found = fs::canonicalize(&found).unwrap_or(found);
            }
        }
    }
    found
}

/// The slices of all shards, each with the index of its shard, and the tables that cannot be read.
fn divide(listed: &[Listed], shard: Shard, total: u64) -> (Vec<(u64, Slice)>, Vec<Unreadable>) {
    let (mut slices, mut unreadable) = (Vec::new(), Vec::new());
    let mut start: u64 = 0;
    for file in listed {
        let (groups, state) = match &file.groups {
            Ok(groups) => groups,
            Err(error) => {
                unreadable.push(Unreadable {
                    path: file.path.clone(),
                    name: file.name.clone(),
                    error: error.clone(),
                    is_counted: Shard::of(start, 0, total, shard.count) == shard.index,
                });
                continue;
            }
        };
        let slice = |group, first_row| Slice {
            table: file.path.clone(),
            name: file.name.clone(),
            groups: group..group,
            first_row,
            rows: 0,
            is_whole: true,
            state: state.clone(),
        };
        let first = slices.len();
        if groups.is_empty() {
            slices.push((Shard::of(start, 0, total, shard.count), slice(0, 0)));
        }
        let mut first_row = 0;
        for (group, &rows) in groups.iter().enumerate() {
            let index = Shard::of(start, rows, total, shard.count);
            // Indices ascend with the rows.
            if slices[first..]
                .last()
                .is_none_or(|&(last, _)| last != index)
            {
                slices.push((index, slice(group, first_row)));
            }
            if let Some((_, slice)) = slices.last_mut() {
                slice.groups.end = group + 1;
                slice.rows += rows;
            }
            first_row += rows;
            start = start.saturating_add(rows);
        }
        let is_whole = slices.len() - first == 1;
        for (_, slice) in slices[first..].iter_mut().filter(|_| !is_whole) {
            let stem = file.name.strip_suffix(".parquet").unwrap_or(&file.name);
            let groups = &slice.groups;
            slice.name = format!("{stem}.groups-{}-{}.parquet", groups.start, groups.end - 1);
            slice.is_whole = false;
        }
    }
    (slices, unreadable)
}

/// SHA-256 of what the division into shards depends on, in hexadecimal.
fn division(listed: &[Listed]) -> String {
    let mut hash = Sha256::new();
    let number = |hash: &mut Sha256, number: u64| hash.update(number.to_be_bytes());
    for file in listed {
        number(&mut hash, file.name.len() as u64);
        hash.update(&file.name);
        match &file.groups {
            Ok((groups, _)) => {
                number(&mut hash, groups.len() as u64);
                groups.iter().for_each(|&rows| number(&mut hash, rows));
            }
            Err(_) => number(&mut hash, u64::MAX),
        }
    }
    base16ct::lower::encode_string(&hash.finalize())
}

/// Refuses two outputs of one name, of whatever shards.
fn check_names(output: &Path, slices: &[(u64, Slice)], unreadable: &[Unreadable]) -> Result<()> {
    let slices = slices.iter().map(|(_, slice)| (&slice.name, &slice.table));
    let tables = slices.chain(unreadable.iter().map(|table| (&table.name, &table.path)));
    let mut names: HashMap<String, &Path> = HashMap::new();
    for (name, path) in tables {
        if is_sum(name) {
            return Err(Error::at(path, "has the name of a sum").hint("rename the table"));
        }
        for name in [name.clone(), format!("{name}.json")] {
            if let Some(other) = names.insert(name.clone(), path) {
                let (other, path) = (shown(other), shown(path));
                let what = format_args!("would be written twice: for {other} and for {path}");
                return Err(Error::at(&output.join(name), what)
                    .hint("rename one of the tables, or name another folder for each with -o"));
            }
        }
    }
    Ok(())
}

/// Whether a file has this name that holds the sum of a run.
fn is_sum(name: &str) -> bool {
    let stem = name
        .strip_suffix(".json")
        .and_then(|name| name.strip_prefix("summary"));
    stem.is_some_and(|stem| {
        let numbers = stem
            .strip_prefix('-')
            .and_then(|stem| stem.split_once("-of-"));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        stem.is_empty()
            || numbers.is_some_and(|(index, count)| is_number(index) && is_number(count))
    })
}

impl Ledger {
    /// The output of a slice.
    fn path(&self, slice: &Slice) -> PathBuf {
        self.output.join(&slice.name)
    }

    fn summary_path(&self, slice: &Slice) -> PathBuf {
        with_suffix(&self.path(slice), ".json")
    }

    /// Works on every slice: `work` writes its output to a file that appears if nothing failed.
    /// `T` are the counts of a slice, `is_bad` tells those that a reader must see.
    pub(crate) fn run<T: Counts>(
        self,
        job: &Job,
        ui: Ui,
        work: impl Fn(&Table, &Slice, &mut Output, Option<&Threads>, &Progress) -> Result<T> + Sync,
    ) -> Result<Status> {
        let started = std::time::Instant::now();
        let mut total = T::default();
        let (mut rows, mut done, mut skipped) = (0, 0, 0);
        let cores = available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = Threads::new(self.threads.unwrap_or(cores));
        let finished = |slice| self.finished::<T>(slice, job);
        let finished: Vec<Option<(T, _)>> = match threads.pool() {
            Some(pool) => pool.install(|| self.slices.par_iter().map(finished).collect()),
            None => self.slices.iter().map(finished).collect(),
        };
        let mut slices = Vec::new();
        let kept = Mutex::new(Vec::new());
        let keep = |slice: &Slice, states| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push((slice.name.clone(), states));
        };
        for (slice, finished) in self.slices.iter().zip(finished) {
            if let Some((counts, states)) = finished {
                keep(slice, states);
                total.add(&slice.name, &counts);
                rows += slice.rows;
                skipped += 1;
                continue;
            }
            let path = self.path(slice);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)
                    .map_err(|error| Error::io(folder, "cannot make the folder", &error))?;
            }
            slices.push((slice, self.look::<T>(&slice.name)?));
        }
        let older_sum = look_at_sum(self.output.join("summary.json"))?;
        let sum_place = look_at_sum(self.sum_path())?;
        self.check_division()?;
        let outdated = self.unreadable.iter();
        let outdated =
            outdated.filter(|table| table.is_counted && self.overwrite == Overwrite::Force);
        let outdated = outdated.map(|table| self.look::<T>(&table.name));
        let outdated = outdated.collect::<Result<Vec<_>>>()?;
        // From here on, no output of this job is older than its table, and no sum of it remains.
        older_sum.clear()?;
        sum_place.clear()?;
        outdated.iter().try_for_each(Places::clear)?;
        let progress = Progress::new(
            ui,
            Unit::Items("rows"),
            Some(
                slices
                    .iter()
                    .fold(0, |rows, (slice, _)| slice.rows.saturating_add(rows)),
            ),
        );
        let mut status = Status::Valid;
        let mut hints = Hints::default();
        let mut errors = Vec::new();
        let mut tell = |(name, outcome): (String, Result<Summary<T>>)| -> Result<()> {
            match outcome {
                Ok(summary) => {
                    let is_bad = summary.counts.is_bad();
                    if is_bad {
                        status = status.max(Status::Invalid);
                    }
                    if !ui.quiet || is_bad {
                        progress.clear_for_result();
                        ui.report(&summary)?;
                    }
                    rows += summary.rows;
                    done += 1;
                    total.add(&name, &summary.counts);
                }
                Err(error) => {
                    status = status.max(Status::Failure);
                    progress.clear();
                    ui.error_among(&error, &mut hints);
                    errors.push((name, error.to_string()));
                }
            }
            Ok(())
        };
        let one = |(slice, places): &(&Slice, Places), threads: Option<&Threads>| {
            let work =
                |table: &Table, output: &mut Output| work(table, slice, output, threads, &progress);
            let outcome = self.one(slice, places, job, work);
            if outcome.is_ok() {
                keep(slice, self.states(&slice.name));
            }
            (slice.name.clone(), outcome)
        };
        if slices.len() < threads.count() {
            for slice in &slices {
                tell(one(slice, Some(&threads)))?;
            }
        } else {
            let each: Vec<_> = slices.chunks(1).collect();
            let work =
                |group: &[(&Slice, Places)]| group.iter().map(|slice| one(slice, None)).collect();
            for_each_in_order_on(threads.pool(), &each, work, &mut tell)?;
        }
        drop(progress);
        // Another run may have replaced what this one has made or skipped.
        for (name, states) in kept.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if self.states(&name) != states {
                let error = appeared(&self.output.join(&name));
                status = status.max(Status::Failure);
                ui.error_among(&error, &mut hints);
                errors.push((name, error.to_string()));
            }
        }
        for table in &self.unreadable {
            status = status.max(Status::Failure);
            ui.error_among(&table.error, &mut hints);
            errors.push((shown(&table.path).to_string(), table.error.to_string()));
        }
        if total.is_bad() {
            status = status.max(Status::Invalid);
        }
        let unreadable = self.unreadable.iter().filter(|table| table.is_counted);
        let sum = Sum {
            shards: self.slices.len() + unreadable.count(),
            division: self.shard.map(|_| self.division.clone()),
            total_rows: self.shard.map(|_| self.total),
            done: done + skipped,
            skipped,
            rows,
            counts: total,
            seconds: started.elapsed().as_secs_f64(),
            errors: errors.into_iter().collect(),
        };
        sum_place.write_json(&sum)?;
        // Another job may have ended since this one began.
        if let Err(error) = self.check_division() {
            status = status.max(Status::Failure);
            ui.error_among(&error, &mut hints);
        }
        if self.files > 1 || sum.skipped > 0 {
            match status {
                Status::Valid => ui.note(&sum),
                _ => ui.warn(&sum),
            }
        }
        Ok(status)
    }

    /// States of an output and of its summary.
    fn states(&self, name: &str) -> [Option<State>; 2] {
        let path = self.output.join(name);
        [
            State::of_name(&path),
            State::of_name(&with_suffix(&path, ".json")),
        ]
    }

    fn sum_path(&self) -> PathBuf {
        self.output.join(match self.shard {
            None => "summary.json".to_owned(),
            Some(Shard { index, count }) => format!("summary-{index}-of-{count}.json"),
        })
    }

    fn one<T: Counts>(
        &self,
        slice: &Slice,
        places: &Places,
        job: &Job,
        work: impl FnOnce(&Table, &mut Output) -> Result<T>,
    ) -> Result<Summary<T>> {
        let started = std::time::Instant::now();
        // An output is never older than its table.
        places.clear()?;
        let table = Table::open(&slice.table)?;
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

    /// The counts of a slice, with `--skip-existing`, if its output is the one that its summary
    /// names, and is not older than the table. Also the [`states`](Self::states) of both.
    fn finished<T: Counts>(&self, slice: &Slice, job: &Job) -> Option<(T, [Option<State>; 2])> {
        if !self.skip_existing {
            return None;
        }
        let states = self.states(&slice.name);
        let found = read_json(&self.summary_path(slice), LONGEST_SUMMARY)?;
        let counts: T = json::from_value(found.clone()).ok()?;
        let path = self.path(slice);
        let output_sha256 = digest(&path, open_output(&path)?).ok()?;
        let wanted = slice.summary(counts.clone(), output_sha256, 0.0, job);
        let json::Value::Object(wanted) = json::to_value(&wanted).ok()? else {
            return None;
        };
        let same = |(name, value): (&String, &json::Value)| {
            name == "seconds" || found.get(name) == Some(value)
        };
        let table = Table::of(&path, open_output(&path)?).ok()?;
        let is_output = T::is_output(&table)
            && table.groups().sum::<u64>() == slice.rows
            && counts.rows() == slice.rows;
        (is_output && wanted.iter().all(same)).then_some((counts, states))
    }

    /// Looks at the places of an output and of its summary. Refuses a table and a summary that are
    /// none of this command.
    fn look<T: Counts>(&self, name: &str) -> Result<Places> {
        let path = self.output.join(name);
        let look = |path| Place::look(path, self.overwrite).map_err(advise);
        let summary = with_suffix(&path, ".json");
        let places = Places {
            output: look(path)?,
            summary: look(summary)?,
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

    /// Refuses an output folder in which another shard divided other row groups: rows could be in
    /// no output, or in two.
    fn check_division(&self) -> Result<()> {
        let Some(Shard { index, count }) = self.shard else {
            return Ok(());
        };
        let cannot = |error: io::Error| Error::io(&self.output, "cannot read", &error);
        let suffix = format!("-of-{count}.json");
        for entry in fs::read_dir(&self.output).map_err(cannot)? {
            let name = entry.map_err(cannot)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("summary-"));
            let number = number.and_then(|name| name.strip_suffix(&*suffix));
            if !number.is_some_and(|text| text.parse().is_ok_and(|other: u64| other != index)) {
                continue;
            }
            let path = self.output.join(name);
            let found = read_json(&path, LONGEST_SUM);
            let other = found
                .as_ref()
                .and_then(|found| found.get("division")?.as_str());
            if other.is_some_and(|other| other != self.division) {
                let what = "belongs to other tables than those that this job has found";
                return Err(Error::at(&path, what).hint(
                    "check that all jobs can read all tables, and start all jobs again with an \
                     empty folder -o",
                ));
            }
        }
        Ok(())
    }
}

/// The JSON of a regular file of at most `longest` bytes.
fn read_json(path: &Path, longest: u64) -> Option<json::Value> {
    let mut bytes = Vec::new();
    let mut file = open_output(path)?.take(longest + 1);
    file.read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > longest {
        return None;
    }
    json::from_slice(&bytes).ok()
}

/// Whether a file that cannot be read as a table begins like one, or is empty.
fn is_damaged_table(path: &Path) -> bool {
    let mut start = Vec::new();
    let file = open_output(path).map(|file| file.take(4).read_to_end(&mut start));
    matches!(file, Some(Ok(_))) && b"PAR1".starts_with(&start)
}

/// Looks at the place of a sum, which every run makes again. Refuses a file that is no sum.
fn look_at_sum(path: PathBuf) -> Result<Place> {
    let place = Place::look(path, Overwrite::Force)?;
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

/// SHA-256 of an encoded public key, in hexadecimal.
pub(crate) fn digest_of_key(encoded: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(encoded))
}

/// Says what to do about an output that exists.
fn advise(error: Error) -> Error {
    if !error.is(io::ErrorKind::AlreadyExists) {
        return error;
    }
    error.hint("go on with --skip-existing, overwrite with --force, or name another folder with -o")
}

/// Counts of an output, and their sum.
pub(crate) trait Counts:
    Clone + Default + fmt::Display + Serialize + DeserializeOwned + Send + Sync
{
    /// Adds the counts of the output `name`.
    fn add(&mut self, name: &str, other: &Self);
    /// Number of rows.
    fn rows(&self) -> u64;
    /// Whether a table is an output of the command.
    fn is_output(table: &Table) -> bool;
    /// Whether something that was checked is not valid.
    fn is_bad(&self) -> bool;
    /// The word that begins the line of an output, if something was checked.
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

/// Sum of a run.
#[derive(Serialize)]
struct Sum<T> {
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
    errors: std::collections::BTreeMap<String, String>,
}

impl<T: fmt::Display> fmt::Display for Sum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shards, done, .. } = self;
        write!(f, "{done} of {shards} outputs: {}", self.counts)?;
        if self.skipped > 0 {
            write!(f, "; {} of these outputs were there already", self.skipped)?;
        }
        Ok(())
    }
}
