//! Description of a mutated crate, and reasons for files that are not mutated.

use std::path::{Path, PathBuf};

/// A crate that is mutated.
pub struct Package {
    /// Name of the package, and of its folder in `crates`.
    pub name: &'static str,
    /// Values of `--features` for the build.
    pub features: &'static [&'static str],
    /// Arguments of cargo that select the tests. Only these can kill a mutant.
    pub tests: &'static [&'static str],
    /// Names of tests to skip.
    pub skipped: &'static [&'static str],
    /// Number of mutants to draw, in addition to those that are always taken.
    pub sample: usize,
    /// Files that are mutated.
    pub files: &'static [&'static str],
    /// Files that are not mutated, with the reason, and folders of such files, whose names end with
    /// `/`. Tests are not listed.
    pub not_mutated: &'static [(&'static str, &'static str)],
}

/// Sample size that takes all mutants.
pub(super) const ALL: usize = usize::MAX;

/// Known answers and equal bytes pin every result. They do not cover wipes, so mutants remove the
/// wipes in these files.
pub(super) const PINNED: &str = "known answers pin every result";
/// Tests compare every operation with another implementation.
pub(super) const COMPARED: &str = "compared with another implementation";
/// Only tables, constants and `const` functions, whose mutants cannot be switched at run time.
pub(super) const CONSTANTS: &str = "constants, tables and functions for them";
/// Functions that only make one call, traits, and functions that are empty outside the
/// constant-time check.
pub(super) const TABLE: &str = "one call each";
/// Files that are compiled only without an instruction set. `.ci/run engines` tests such builds.
pub(super) const OTHER_BUILDS: &str = "not compiled where the mutants run";
/// Files that accept and refuse nothing, and keep no earlier output: other files of the program do.
/// A unit test checks that they create no errors.
pub(super) const NO_VERDICT: &str = "decides no verdict";
/// Files that refuse only arguments and files of their command. Other files of the program judge
/// signatures, and decide whether an earlier output is kept.
pub(super) const ARGUMENTS: &str = "refuses arguments of its command only";
/// Texts only.
pub(super) const TEXTS: &str = "texts of errors";

impl Package {
    /// Folder of the sources, in the workspace.
    pub fn sources(&self) -> String {
        format!("crates/{}/src", self.name)
    }

    /// Returns the files whose mutants only remove wipes.
    pub fn wipes_only(&self) -> impl Iterator<Item = &'static str> {
        let pinned = self.not_mutated.iter();
        let pinned = pinned.filter(|(_, reason)| *reason == PINNED);
        pinned.map(|(file, _)| *file)
    }

    /// Checks that every source file is either mutated or has a reason why not. `root` is the
    /// workspace.
    ///
    /// # Errors
    /// Names a file that is in neither list, in both, or does not exist.
    pub fn check(&self, root: &Path, sources: &[PathBuf]) -> Result<(), String> {
        let folder = root.join(self.sources());
        let name = |path: &PathBuf| {
            let name = path.strip_prefix(&folder).unwrap_or(path);
            name.to_string_lossy().replace('\\', "/")
        };
        let names: Vec<_> = sources.iter().map(name).collect();
        let is_test = |name: &str| name.contains("/tests/") || name.ends_with("tests.rs");
        let covers = |listed: &str, name: &str| {
            listed == name || listed.ends_with('/') && name.starts_with(listed)
        };
        let listed = || {
            let excused = self.not_mutated.iter().map(|(file, _)| *file);
            self.files.iter().copied().chain(excused)
        };
        for name in names.iter().filter(|name| !is_test(name)) {
            if listed().filter(|listed| covers(listed, name)).count() != 1 {
                return Err(format!(
                    "{}: {name}: name it once, in the lists of tests/mutants/src/packages",
                    self.name
                ));
            }
        }
        let gone = |listed: &&str| !names.iter().any(|name| covers(listed, name));
        match listed().find(gone) {
            Some(file) => Err(format!("{}: {file}: is in a list, but gone", self.name)),
            None => Ok(()),
        }
    }
}
