//! Facts about the program that is running, for messages and for names of temporary files.

/// Description of a program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Name that is typed in a shell.
    pub name: &'static str,
    /// Beginning of the names of temporary files, such as `.falcon-`. They end with `.tmp`.
    pub temporary: &'static str,
    /// Kinds of files that are changed under a lock, such as `key`.
    pub locked: &'static [&'static str],
    /// Whether a file with these first 64 KiB (the whole file, if it is shorter) holds a secret key
    /// in a form that is not PEM. Such a file is never replaced by something else.
    pub is_secret_key: fn(&[u8]) -> bool,
}

/// End of the names of temporary files.
pub(crate) const SUFFIX: &str = ".tmp";

impl Program {
    /// Whether a file has the name of a temporary file, which an ended command may have left.
    pub fn is_temporary(&self, name: &str) -> bool {
        name.strip_prefix(self.temporary)
            .is_some_and(|rest| rest.ends_with(SUFFIX))
    }

    /// The kinds of locked files, each after `article`: "a key or a trust list".
    pub(crate) fn locked(&self, article: &str, conjunction: &str) -> String {
        let kinds = self.locked.iter().map(|kind| format!("{article} {kind}"));
        kinds.collect::<Vec<_>>().join(&format!(" {conjunction} "))
    }
}

/// Program of the unit tests.
#[cfg(test)]
pub(crate) static TESTS: Program = Program {
    name: "tests",
    temporary: ".unfinished-",
    locked: &["file"],
    is_secret_key: |bytes| bytes.starts_with(b"raw key"),
};
