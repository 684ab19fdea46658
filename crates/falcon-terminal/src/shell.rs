//! Paths in commands that a message proposes, to be copied into a shell.

use crate::escape::shown;
use std::path::Path;

/// The path as one word of a shell.
pub fn quote(path: &Path) -> String {
    let Some(text) = path.to_str() else {
        // Shells read the escapes of `shown` in this form.
        return format!("$'{}'", shown(path).replace('\'', "\\'"));
    };
    // Only a NUL cannot be quoted, and no path has one.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), |word| word.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word() {
        assert_eq!(quote(Path::new("my.key")), "my.key");
        assert_eq!(quote(Path::new("a b")), "'a b'");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_text_can_be_typed() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let name = OsStr::from_bytes(b"it's \\ \xff");
        assert_eq!(quote(Path::new(name)), "$'it\\'s \\\\ \\xff'");
    }
}
