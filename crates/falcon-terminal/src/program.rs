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
    /// Secret that a file with these first 4 MiB (the whole file, if it is shorter) holds in a
    /// form that is not PEM.
    pub secret_in: fn(&[u8]) -> Option<Secret>,
}

/// Secret in a file, by what may replace the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Secret key, which another secret key alone may replace.
    Key,
    /// Secret key or shared secret of this length in bytes; the file does not say which. A file
    /// beside its public key is a secret key. Another one may be replaced by a shared secret too.
    KeyOrShared(usize),
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
    secret_in: |bytes| match bytes {
        b"raw key or shared" => Some(Secret::KeyOrShared(bytes.len())),
        _ => bytes.starts_with(b"raw key").then_some(Secret::Key),
    },
};
