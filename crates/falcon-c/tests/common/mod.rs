//! Compiles programs in C and C++ with the library that was built beside the test.
#![allow(dead_code, reason = "each test uses some of it")]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Language and standard of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C99,
    Cpp17,
}

use Language::{C99, Cpp17};

/// Way to link a program with the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    Shared,
    Static,
}

/// Warnings that are errors.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"];

/// Libraries that programs need beside the static one.
const SYSTEM_LIBRARIES: [&str; 3] = ["-lpthread", "-ldl", "-lm"];

/// Folder of this package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads a file of this package.
pub fn read(name: &str) -> String {
    fs::read_to_string(package().join(name)).expect("a file of this package")
}

/// Folder of the libraries, which cargo builds for the tests.
pub fn libraries() -> PathBuf {
    let test = env::current_exe().expect("a path");
    let folder = test.parent().expect("a folder").to_owned();
    for name in ["libfalconsign.so", "libfalconsign.a"] {
        assert!(folder.join(name).exists(), "no {name} beside the test");
    }
    folder
}

/// Whether a program exists.
pub fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Names the compilers of this machine: the usual ones, and clang if it exists.
pub fn compilers() -> Vec<(OsString, Language)> {
    let named = |variable, default: &str| env::var_os(variable).unwrap_or_else(|| default.into());
    let mut found = vec![(named("CC", "cc"), C99), (named("CXX", "c++"), Cpp17)];
    for (program, language) in [("clang", C99), ("clang++", Cpp17)] {
        if exists(program) {
            found.push((program.into(), language));
        } else {
            eprintln!("{program} does not exist: not tested");
        }
    }
    found
}

/// Starts a command of a compiler that finds the header and ends at warnings.
pub fn compiler(program: &OsString, language: Language) -> Command {
    let mut command = Command::new(program);
    match language {
        C99 => command.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L"]),
        Cpp17 => command.args(["-std=c++17", "-x", "c++"]),
    };
    command
        .args(WARNINGS)
        .arg("-I")
        .arg(package().join("include"));
    command
}

/// A folder for programs, with the shared library under the name that programs look for.
pub struct Programs {
    pub folder: TempDir,
}

impl Programs {
    pub fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let name = format!("libfalconsign.so.{}", interface());
        let library = libraries().join("libfalconsign.so");
        symlink(library, folder.path().join(name)).expect("a link");
        Self { folder }
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles `NAME.c` and returns the program.
    pub fn build(&self, name: &str, language: Language, linked: Linked, more: &[&str]) -> PathBuf {
        let (program, _) = compilers()
            .into_iter()
            .find(|(_, of)| *of == language)
            .expect("a compiler");
        let name_of = name.replace('/', "-");
        let out = self.path(&format!("{name_of}-{language:?}-{linked:?}-{}", more.len()));
        let mut command = compiler(&program, language);
        command.args(["-g", "-O1"]).args(more).arg("-o").arg(&out);
        command.arg(package().join(format!("{name}.c")));
        if language == Cpp17 {
            command.args(["-x", "none"]);
        }
        match linked {
            Linked::Shared => command.arg(libraries().join("libfalconsign.so")),
            Linked::Static => command
                .arg(libraries().join("libfalconsign.a"))
                .args(SYSTEM_LIBRARIES),
        };
        succeeds(&mut command);
        out
    }

    /// Starts a command that finds the shared library.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", self.folder.path());
        command
    }
}

/// Version of the interface, as in the name of the shared library.
pub fn interface() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match version.split('.').collect::<Vec<_>>()[..] {
        ["0", minor, _] => format!("0.{minor}"),
        [major, ..] => major.to_owned(),
        [] => unreachable!("a version has parts"),
    }
}

/// Runs a command that must succeed, and returns its output.
pub fn succeeds(command: &mut Command) -> Output {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}
