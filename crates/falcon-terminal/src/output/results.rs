//! Writes the result files of commands that have several.

use super::{Content, Outputs, Overwrite, Pending, check_target, write_result};
use crate::{
    error::{Error, Result},
    escape::shown,
    input::is_standard,
    program::Program,
    ui::Ui,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Result files that options may name.
pub struct ResultFiles<'a, const N: usize> {
    program: &'static Program,
    files: [(&'static str, Option<&'a Path>); N],
    overwrite: Overwrite,
}

impl<'a, const N: usize> ResultFiles<'a, N> {
    /// Stores each option, such as `--svg`, with its file. The file is `None` if the option was not
    /// given.
    pub fn new(
        program: &'static Program,
        files: [(&'static str, &'a Option<PathBuf>); N],
        overwrite: Overwrite,
    ) -> Self {
        Self {
            program,
            files: files.map(|(option, path)| (option, path.as_deref())),
            overwrite,
        }
    }

    /// Returns the names of the files, for a report.
    pub fn names(&self) -> Vec<String> {
        let files = self.files.into_iter().filter_map(|(_, path)| path);
        files.map(|path| shown(path).into_owned()).collect()
    }

    /// Returns true if one of the files is standard output. Refuses two results there.
    pub fn to_standard(&self) -> Result<bool> {
        let standard = self
            .files
            .iter()
            .filter(|(_, path)| path.is_some_and(is_standard));
        let standard: Vec<&str> = standard.map(|(option, _)| *option).collect();
        match standard[..] {
            [one, other, ..] => Err(Error::new(format_args!(
                "only one of {one} and {other} can go to standard output"
            ))),
            _ => Ok(!standard.is_empty()),
        }
    }

    /// Refuses targets that cannot be written, before the work begins.
    pub fn check(&self) -> Result<()> {
        let mut outputs = Outputs::default();
        for (option, path) in self.files {
            if let Some(path) = path.filter(|path| !is_standard(path)) {
                outputs.add(path, Path::new(option))?;
                check_target(self.program, path, Content::Result, self.overwrite)?;
            }
        }
        Ok(())
    }

    /// Writes one file, or standard output for `-`, and reports it.
    pub fn write(&self, path: &Path, bytes: &[u8], ui: Ui) -> Result<()> {
        write_result(self.program, path, bytes, self.overwrite)?;
        if !is_standard(path) {
            ui.note(format_args!("{} written", shown(path)));
        }
        Ok(())
    }
}

/// Writes `files`, each a name and its bytes, into a folder, which is created if it does not exist.
/// If a file exists and may not be replaced, no file is written. Returns their names for a report.
pub fn write_folder<'a>(
    program: &'static Program,
    folder: &Path,
    files: impl Iterator<Item = (&'a str, &'a [u8])>,
    overwrite: Overwrite,
) -> Result<Vec<String>> {
    if is_standard(folder) {
        return Err(Error::new(
            "standard output cannot take several files: name a folder with --output",
        ));
    }
    if folder.exists() && !folder.is_dir() {
        return Err(Error::at(folder, "is a file, not a folder"));
    }
    fs::create_dir_all(folder)
        .map_err(|error| Error::io(folder, "cannot create this folder", &error))?;
    let files: Vec<_> = files
        .map(|(name, bytes)| (folder.join(name), bytes))
        .collect();
    for (path, _) in &files {
        check_target(program, path, Content::Result, overwrite)?;
    }
    // Writes all temporary files before it renames the first one.
    let pending = files
        .iter()
        .map(|(path, bytes)| Pending::with_bytes(program, path, bytes, Content::Result, overwrite));
    let pending: Vec<_> = pending.collect::<Result<_>>()?;
    pending.into_iter().try_for_each(Pending::commit)?;
    let names = files.iter().map(|(path, _)| shown(path).into_owned());
    Ok(names.collect())
}
