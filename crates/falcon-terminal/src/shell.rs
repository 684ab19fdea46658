//! Quotes paths in the commands of messages, since users copy these commands into a shell.

use crate::{escape::shown, input::is_standard};
use std::path::Path;

/// Formats the path as one shell word, which commands do not mistake for an option. `-`, which
/// means standard input, is not changed.
pub fn quote(path: &Path) -> String {
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") && !is_standard(path) {
        return quote(&Path::new(".").join(path));
    }
    let Some(text) = path.to_str() else {
        // In this form, shells interpret the escapes of `shown`.
        return format!("$'{}'", shown(path).replace('\'', "\\'"));
    };
    // Only NUL cannot be quoted, and paths do not contain it.
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

    #[test]
    fn a_word_is_no_option() {
        assert_eq!(quote(Path::new("-x y.key")), "'./-x y.key'");
        assert_eq!(quote(Path::new("-")), "-");
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_text_can_be_typed() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let name = OsStr::from_bytes(b"it's \\ \xff");
        assert_eq!(quote(Path::new(name)), "$'it\\'s \\\\ \\xff'");
    }
}
