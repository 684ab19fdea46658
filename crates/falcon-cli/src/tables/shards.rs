//! The shards of a ledger: lists the Parquet files, assigns row groups to shards, and names the
//! outputs.

use super::state::State;
use crate::{
    error::{Error, Result},
    escape::shown,
};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    ffi::OsStr,
    fs, io,
    ops::Range,
    path::{Component, Path, PathBuf},
    str::FromStr,
};

/// A shard, such as 3/64: number `index`, from 1 on, of `count` shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(super) index: u64,
    pub(super) count: u64,
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
    pub(super) const WHOLE: Self = Self { index: 1, count: 1 };

    /// Returns the index of the shard, of `count` shards, that gets the rows `start` to
    /// `start + rows` of `total`. The shard is the one that contains the middle of these rows.
    pub(super) fn of(start: u64, rows: u64, total: u64, count: u64) -> u64 {
        let middle = 2 * u128::from(start) + u128::from(rows);
        let place = middle * u128::from(count) / (2 * u128::from(total.max(1)));
        place.min(u128::from(count - 1)) as u64 + 1
    }
}

/// Some or all row groups of one table. A slice has one output.
#[derive(Clone, Debug)]
pub(crate) struct Slice {
    pub(crate) table: PathBuf,
    /// Name of the output, in the output folder.
    pub(super) name: String,
    pub(crate) groups: Range<usize>,
    /// Number of the slice's first row in the table.
    pub(crate) first_row: u64,
    pub(crate) rows: u64,
    pub(super) is_whole: bool,
    /// State of the table when it was listed.
    pub(super) state: State,
}

/// A file of the ledger, with its state when the work began.
pub(super) struct Listed {
    pub(super) path: PathBuf,
    /// Name of the output, in the output folder.
    pub(super) name: String,
    /// Rows of each row group and the state of the file, or the reason why they are unknown.
    pub(super) groups: Result<(Vec<u64>, State)>,
}

/// A table that cannot be read.
pub(super) struct Unreadable {
    pub(super) path: PathBuf,
    /// Name of the output of the whole table.
    pub(super) name: String,
    pub(super) error: Error,
    /// True if the table counts among the outputs of this shard. Every shard reports the table.
    pub(super) is_counted: bool,
}

/// Returns the Parquet files at a path, each with the name of its output. The path must not overlap
/// the folders that are `written`.
pub(super) fn tables_at(path: &Path, written: [&Path; 2]) -> Result<Vec<(PathBuf, String)>> {
    let metadata = path
        .metadata()
        .map_err(|error| Error::io(path, "cannot read", &error))?;
    if !metadata.is_dir() {
        let name = path.file_name().unwrap_or(path.as_os_str());
        return Ok(vec![(path.to_owned(), utf8(Path::new(name))?)]);
    }
    let folder = resolved(path);
    for written in written.map(resolved) {
        if written.starts_with(&folder) || folder.starts_with(&written) {
            let what = format_args!("lies in the folder {} or contains it", shown(path));
            return Err(Error::at(&written, what).hint("name another folder with -o"));
        }
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let cannot = |error: io::Error| Error::io(&folder, "cannot read", &error);
        for entry in fs::read_dir(&folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let (file, name) = (entry.path(), entry.file_name());
            if is_hidden(&name) {
                continue;
            }
            let name = name.as_encoded_bytes();
            let is_link = entry.file_type().map_err(cannot)?.is_symlink();
            // The entry may be a folder of tables, or a link to a folder.
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

/// True if a file or folder of this name is ignored in a folder of tables.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") || name.starts_with(b"_")
}

/// Returns the name of a table, with slashes on every system.
fn utf8(name: &Path) -> Result<String> {
    let text = name
        .to_str()
        .ok_or_else(|| Error::at(name, "has a name that is not UTF-8").hint("rename the file"))?;
    Ok(text.replace(std::path::MAIN_SEPARATOR, "/"))
}

/// Follows the links of a path. Any part of the path may be missing.
pub(super) fn resolved(path: &Path) -> PathBuf {
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

/// Returns the slices of all shards, each with the index of its shard, and the tables that cannot
/// be read.
pub(super) fn divide(
    listed: &[Listed],
    shard: Shard,
    total: u64,
) -> (Vec<(u64, Slice)>, Vec<Unreadable>) {
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
            // The index never decreases from one row group to the next.
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

/// Returns the SHA-256, in hexadecimal, of everything that the division into shards depends on.
pub(super) fn division(listed: &[Listed]) -> String {
    let mut hash = Sha256::new();
    let number = |hash: &mut Sha256, number: u64| hash.update(number.to_be_bytes());
    for file in listed {
        number(&mut hash, file.name.len() as u64);
        hash.update(&file.name);
        match &file.groups {
            Ok((groups, state)) => {
                number(&mut hash, groups.len() as u64);
                groups.iter().for_each(|&rows| number(&mut hash, rows));
                // Hashes the state of the table, too. If the table changes between two jobs, their
                // divisions differ.
                let [bytes, modified_ns] = state.contents();
                number(&mut hash, bytes);
                number(&mut hash, modified_ns);
            }
            Err(_) => number(&mut hash, u64::MAX),
        }
    }
    base16ct::lower::encode_string(&hash.finalize())
}

/// Refuses two outputs of the same name, even in different shards.
pub(super) fn check_names(
    output: &Path,
    slices: &[(u64, Slice)],
    unreadable: &[Unreadable],
) -> Result<()> {
    let slices = slices.iter().map(|(_, slice)| (&slice.name, &slice.table));
    let tables = slices.chain(unreadable.iter().map(|table| (&table.name, &table.path)));
    let mut names: HashMap<&String, &Path> = HashMap::new();
    for (name, path) in tables {
        // The name of a summary must not be the name of a sum.
        if is_sum(&format!("{name}.json")) {
            return Err(Error::at(path, "has the name of a sum").hint("rename the table"));
        }
        if let Some(other) = names.insert(name, path) {
            let (other, path) = (shown(other), shown(path));
            let what = format_args!("would be written twice: for {other} and for {path}");
            return Err(Error::at(&output.join(name), what)
                .hint("rename one of the tables, or name another folder for each with -o"));
        }
    }
    Ok(())
}

/// Returns true if `name` is the name of a file for the sum of a run.
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
