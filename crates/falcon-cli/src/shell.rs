//! Paths in commands that a message proposes, to be copied into a shell.

use std::path::Path;

/// The path as one word of a shell.
pub(crate) fn quote(path: &Path) -> String {
    let path = path.to_string_lossy();
    // Only a NUL cannot be quoted, and no path has one.
    shlex::try_quote(&path).map_or_else(|_| path.to_string(), |word| word.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quote(Path::new("my.key")), "my.key");
        assert_eq!(quote(Path::new("a b")), "'a b'");
    }
}
