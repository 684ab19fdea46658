//! Crates that are mutated, with the files that are not, and the reason.

mod cli;
mod core;
mod envelope;
mod keccak;
mod mceliece;
mod x509;

use std::path::{Path, PathBuf};

/// A crate that is mutated.
pub struct Package {
    /// Name of the package, and of its folder in `crates`.
    pub name: &'static str,
    /// Features that the build turns on, for `--features`.
    pub features: &'static [&'static str],
    /// Arguments of cargo that choose the tests. A mutant counts as killed by these only.
    pub tests: &'static [&'static str],
    /// Tests that do not run.
    pub skipped: &'static [&'static str],
    /// Number of mutants that are drawn, beside those that are always taken.
    pub sample: usize,
    /// Files that are mutated.
    pub files: &'static [&'static str],
    /// Files that are not mutated, with the reason, and folders of them, whose names end with `/`.
    /// Tests are not named.
    pub not_mutated: &'static [(&'static str, &'static str)],
}

/// All of them, the quickest first.
pub const PACKAGES: [Package; 6] = [
    keccak::PACKAGE,
    x509::PACKAGE,
    envelope::PACKAGE,
    mceliece::PACKAGE,
    cli::PACKAGE,
    core::PACKAGE,
];

/// A sample of all mutants.
const ALL: usize = usize::MAX;

/// Known answers and equal bytes pin every result. They say nothing about wipes, so the wipes of
/// these files are removed.
const PINNED: &str = "known answers pin every result";
/// Tests compare every operation with another implementation.
const COMPARED: &str = "compared with another implementation";
/// Nothing runs that a switch could change: tables, constants, `const` functions.
const CONSTANTS: &str = "constants, tables and functions for them";
/// Entries of one call each, traits, and functions that are empty outside the constant-time check.
const TABLE: &str = "one call each";
/// Compiled for builds without an instruction set, whose tests `.ci/run engines` runs.
const OTHER_BUILDS: &str = "not compiled where the mutants run";
/// Accepts and refuses nothing, and keeps no earlier output: other files of the program do.
const NO_VERDICT: &str = "decides no verdict";
/// Texts only.
const TEXTS: &str = "texts of errors";

impl Package {
    /// Folder of the sources, in the workspace.
    pub fn sources(&self) -> String {
        format!("crates/{}/src", self.name)
    }

    /// Files of which wipes are removed, and nothing else is changed.
    pub fn wipes_only(&self) -> impl Iterator<Item = &'static str> {
        let pinned = self.not_mutated.iter();
        let pinned = pinned.filter(|(_, reason)| *reason == PINNED);
        pinned.map(|(file, _)| *file)
    }

    /// Every source file is either mutated or has a reason why not. `root` is the workspace.
    ///
    /// # Errors
    /// Names a file that is in neither list or in both, or is gone.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_in_one_list() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for package in PACKAGES {
            let sources = crate::tree::sources(&root.join(package.sources())).unwrap();
            package.check(&root, &sources).unwrap();
        }
        let package = core::PACKAGE;
        let folder = root.join(package.sources());
        let mut sources = crate::tree::sources(&folder).unwrap();
        sources.push(folder.join("new.rs"));
        let error = package.check(&root, &sources).unwrap_err();
        assert!(error.starts_with("falcon-core: new.rs: "), "{error}");
        sources.retain(|path| !path.ends_with("new.rs") && !path.ends_with("norm.rs"));
        let error = package.check(&root, &sources).unwrap_err();
        assert!(error.starts_with("falcon-core: norm.rs: "), "{error}");
    }
}
