//! Paths of files in a manifest.

use falcon_invisible::is_invisible;
use std::{
    fmt,
    path::{Component, Path},
};

/// The path of a file relative to the folder of a manifest: names with `/` between them.
///
/// A path never leads out of the folder: no name is empty, `.` or `..`, and none has a backslash. A
/// path is UTF-8 without invisible characters, at most [`MAX_LEN`](Self::MAX_LEN) bytes long. Paths
/// are ordered by their bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(String);

impl FilePath {
    /// Length of the longest path in bytes.
    pub const MAX_LEN: usize = 4096;

    /// Reads a path.
    ///
    /// # Errors
    /// [`PathError`].
    pub fn parse(path: &str) -> Result<Self, PathError> {
        if path.len() > Self::MAX_LEN {
            return Err(PathError::TooLong);
        }
        if let Some(character) = path.chars().find(|&c| is_invisible(c) || c == '\\') {
            return Err(PathError::Character(character));
        }
        if path.split('/').any(|name| matches!(name, "" | "." | "..")) {
            return Err(PathError::Name);
        }
        Ok(Self(path.to_owned()))
    }

    /// Reads a path in the form of the operating system.
    ///
    /// # Errors
    /// [`PathError`].
    pub fn from_path(path: &Path) -> Result<Self, PathError> {
        let mut names = Vec::new();
        for component in path.components() {
            let Component::Normal(name) = component else {
                return Err(PathError::Name);
            };
            names.push(name.to_str().ok_or(PathError::Encoding)?);
        }
        Self::parse(&names.join("/"))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reason that a manifest cannot have a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathError {
    /// Path longer than [`FilePath::MAX_LEN`] bytes.
    TooLong,
    /// Path that is not UTF-8.
    Encoding,
    /// The path is absolute, or a name in it is empty, `.` or `..`.
    Name,
    /// Path with a backslash or a character that [`is_invisible`].
    Character(char),
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the path is longer than {} bytes", FilePath::MAX_LEN),
            Self::Encoding => f.write_str("the path is not UTF-8"),
            Self::Name => f.write_str("the path has an empty name, `.` or `..`"),
            Self::Character(character) => {
                write!(f, "the path contains {}", character.escape_unicode())
            }
        }
    }
}

impl std::error::Error for PathError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_its_folder() {
        for path in [
            "a",
            "a/b",
            "..a",
            "a/...",
            "a b/c:d",
            ".hidden",
            "für/\u{1f980}",
        ] {
            assert_eq!(FilePath::parse(path).unwrap().as_str(), path);
            assert_eq!(FilePath::from_path(Path::new(path)).unwrap().as_str(), path);
        }
        for path in [
            "", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/../b", "../a",
        ] {
            assert_eq!(FilePath::parse(path), Err(PathError::Name), "{path:?}");
        }
        for path in ["..", "../a", "/a", ""] {
            assert_eq!(FilePath::from_path(Path::new(path)), Err(PathError::Name));
        }
        for (path, character) in [("a\\b", '\\'), ("a\nb", '\n'), ("a\u{202e}b", '\u{202e}')] {
            assert_eq!(FilePath::parse(path), Err(PathError::Character(character)));
        }
        let long = "x".repeat(FilePath::MAX_LEN);
        assert!(FilePath::parse(&long).is_ok());
        assert_eq!(FilePath::parse(&(long + "x")), Err(PathError::TooLong));
    }

    #[cfg(unix)]
    #[test]
    fn a_path_is_text() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let path = Path::new(OsStr::from_bytes(b"a/\xff"));
        assert_eq!(FilePath::from_path(path), Err(PathError::Encoding));
    }
}
