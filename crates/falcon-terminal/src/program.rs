//! Facts about the running program, for messages and for names of temporary files.

/// Description of a program.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Name that users type in a shell.
    pub name: &'static str,
    /// Prefix of the names of temporary files, such as `.falcon-`. They end with `.tmp`.
    pub temporary: &'static str,
    /// Kinds of files that are changed under a lock, such as `key`.
    pub locked: &'static [&'static str],
    /// Environment variables that the program reads besides those of colours, each with what it
    /// does, for the manual pages.
    pub environment: &'static [(&'static str, &'static str)],
    /// Returns the secret in a file that is not PEM. The argument is the first 4 MiB of the file,
    /// or all of it if it is shorter, or a part of it that is decoded from Base64 or hexadecimal.
    pub secret_in: fn(&[u8]) -> Option<Secret>,
}

/// Kind of secret in a file. It decides what may replace the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Secret key. Only another secret key may replace it.
    Key,
    /// Secret key, or shared secret of this length in bytes. The file does not show which of the
    /// two it is. A file beside its public key is a secret key. Any other such file may be replaced
    /// by a shared secret, too.
    KeyOrShared(usize),
}

/// Ending of the names of temporary files.
pub(crate) const SUFFIX: &str = ".tmp";

impl Program {
    /// Returns true if `name` is the name of a temporary file. A killed command may have left such
    /// a file.
    pub fn is_temporary(&self, name: &str) -> bool {
        name.strip_prefix(self.temporary)
            .is_some_and(|rest| rest.ends_with(SUFFIX))
    }

    /// Lists the kinds of locked files, each after `article`: "a key or a trust list".
    pub(crate) fn locked(&self, article: &str, conjunction: &str) -> String {
        let kinds = self.locked.iter().map(|kind| format!("{article} {kind}"));
        kinds.collect::<Vec<_>>().join(&format!(" {conjunction} "))
    }
}

/// Description of a program for the unit tests.
#[cfg(test)]
pub(crate) static TESTS: Program = Program {
    name: "tests",
    temporary: ".unfinished-",
    locked: &["file"],
    environment: &[],
    secret_in: |bytes| match bytes {
        b"raw key or shared" => Some(Secret::KeyOrShared(bytes.len())),
        _ => bytes.starts_with(b"raw key").then_some(Secret::Key),
    },
};
