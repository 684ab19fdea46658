//! The folders that a command on tables writes to: outputs, and the reports beside them.
//!
//! Readers of data sets, such as pandas and polars, take every file below a folder as a table, or
//! fail at a file that is none. So the folder of outputs contains only finished tables. Summaries,
//! sums and unfinished files are in the folder of reports, whose name ends in `.reports`.

use super::shards::{Shard, resolved};
use crate::{
    error::{Error, Result},
    escape::shown,
    output::check_writable,
    place::with_suffix,
};
use std::{
    fs::{self, Metadata},
    path::{Component, Path, PathBuf},
};

/// Folder of outputs, and folder of reports.
pub(super) struct Folders {
    pub(super) output: PathBuf,
    pub(super) reports: PathBuf,
}

impl Folders {
    /// Names the folder of reports of the folder `output`. Both must be on one file system, since
    /// an output is renamed from one into the other. Makes neither of them.
    pub(super) fn new(output: PathBuf) -> Result<Self> {
        // Without a slash at the end.
        let named: PathBuf = output.components().collect();
        let has_name = matches!(named.components().next_back(), Some(Component::Normal(_)));
        let is_link = named.symlink_metadata().is_ok_and(|it| it.is_symlink());
        // Every name of a folder gives the same reports.
        let named = match has_name && !is_link {
            true => named,
            false => resolved(&output),
        };
        let within = "name a folder in it with -o, for example verdicts";
        if named.file_name().is_none() {
            let what = "has no folder beside it, which the reports need";
            return Err(Error::at(&output, what).hint(within));
        }
        let reports = with_suffix(&named, ".reports");
        let existing = [&output, &reports].map(|folder| nearest(folder));
        for (folder, found) in [&output, &reports].into_iter().zip(&existing) {
            if let Some((path, _)) = found.as_ref().filter(|(_, found)| !found.is_dir()) {
                let what = format_args!("cannot make the folder: {} is a file", shown(path));
                return Err(Error::at(folder, what).hint("name another folder with -o"));
            }
        }
        if let [Some((_, output_found)), Some((_, found))] = &existing
            && !are_on_one_device(output_found, found)
        {
            let reports = shown(&reports);
            let what = format_args!("is on another file system than its reports, {reports}");
            return Err(Error::at(&output, what).hint(within));
        }
        Ok(Self { output, reports })
    }

    /// Makes the folder of reports, and checks that the folder of outputs can be written to. That
    /// folder is made when the first output is finished.
    pub(super) fn make(&self) -> Result<()> {
        fs::create_dir_all(&self.reports)
            .map_err(|error| Error::io(&self.reports, "cannot make the folder", &error))?;
        let Some((existing, _)) = nearest(&self.output) else {
            return Ok(());
        };
        check_writable(&existing)
            .map_err(|error| Error::io(&self.output, "cannot write to the folder", &error))
    }

    /// Returns the path of an output.
    pub(super) fn output(&self, name: &str) -> PathBuf {
        self.output.join(name)
    }

    /// Returns the path of the summary of an output.
    pub(super) fn summary(&self, name: &str) -> PathBuf {
        with_suffix(&self.reports.join(name), ".json")
    }

    /// Returns the path of the sum of a shard, or of all tables.
    pub(super) fn sum(&self, shard: Option<Shard>) -> PathBuf {
        self.reports.join(match shard {
            None => "summary.json".to_owned(),
            Some(Shard { index, count }) => format!("summary-{index}-of-{count}.json"),
        })
    }
}

/// Returns the folder, or the nearest one above it that exists.
fn nearest(folder: &Path) -> Option<(PathBuf, Metadata)> {
    let folder = resolved(folder);
    let mut above = folder.ancestors();
    above.find_map(|path| Some((path.to_owned(), path.metadata().ok()?)))
}

#[cfg(unix)]
fn are_on_one_device(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    a.dev() == b.dev()
}

#[cfg(not(unix))]
fn are_on_one_device(_: &Metadata, _: &Metadata) -> bool {
    true
}
