//! Facts about the program that is running, for messages and for names of temporary files.

use std::sync::OnceLock;

/// Description of a program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Name that is typed in a shell.
    pub name: &'static str,
    /// Beginning of the names of temporary files, such as `.falcon-`. They end with `.tmp`.
    pub temporary: &'static str,
    /// Kinds of files that are changed under a lock, such as `key`.
    pub locked: &'static [&'static str],
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// Description of a program that has not been declared, as in unit tests.
const UNDECLARED: Program = Program {
    name: "the program",
    temporary: ".unfinished-",
    locked: &["file"],
};

/// Declares which program is running. The first call counts.
pub fn declare(program: Program) {
    let _ = PROGRAM.set(program);
}

/// The program that is running.
pub(crate) fn program() -> Program {
    *PROGRAM.get().unwrap_or(&UNDECLARED)
}

impl Program {
    /// The kinds of locked files, each after `article`: "a key or a trust list".
    pub(crate) fn locked(&self, article: &str, conjunction: &str) -> String {
        let kinds = self.locked.iter().map(|kind| format!("{article} {kind}"));
        kinds.collect::<Vec<_>>().join(&format!(" {conjunction} "))
    }
}
