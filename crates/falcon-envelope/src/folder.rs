//! The files of a folder.

use crate::{
    manifest::Manifest,
    path::{FilePath, PathError},
};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// Content of a folder and of the folders in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The regular files, sorted by the bytes of their paths.
    pub files: Vec<FilePath>,
    /// Things that a manifest cannot have: links, devices, names that are not allowed. They are
    /// sorted.
    pub not_listed: Vec<NotListed>,
}

/// Something that a manifest cannot have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotListed {
    /// Path relative to the folder.
    pub path: PathBuf,
    /// Reason that a manifest cannot have it.
    pub reason: Reason,
}

/// Reason that a manifest cannot have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Symbolic link, which may lead anywhere.
    SymbolicLink,
    /// Device, pipe or socket.
    SpecialFile,
    /// Name that is not allowed in a manifest. The content of a folder with such a name is not
    /// listed.
    Name(PathError),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SymbolicLink => f.write_str("is a symbolic link"),
            Self::SpecialFile => f.write_str("is not a regular file"),
            Self::Name(error) => write!(f, "has a name that a manifest cannot have: {error}"),
        }
    }
}

/// Lists the files in a folder and in the folders in it. Symbolic links are not followed, except
/// that `folder` itself may be one. Empty folders are not listed.
///
/// # Errors
/// If a folder cannot be read; the message names it. Also if there are more than
/// [`Manifest::MAX_FILES`] files and folders.
pub fn list_files(folder: &Path) -> io::Result<Listing> {
    list_at_most(folder, Manifest::MAX_FILES)
}

/// Lists a folder as [`list_files`] does. Fails if it has more than `left` files and folders.
fn list_at_most(folder: &Path, mut left: usize) -> io::Result<Listing> {
    let mut listing = Listing::default();
    let mut waiting = vec![PathBuf::new()];
    while let Some(inner) = waiting.pop() {
        let place = folder.join(&inner);
        let in_place = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", place.display()))
        };
        for entry in fs::read_dir(&place).map_err(in_place)? {
            left = left.checked_sub(1).ok_or_else(too_many)?;
            let entry = entry.map_err(in_place)?;
            let kind = entry.file_type().map_err(in_place)?;
            let path = inner.join(entry.file_name());
            let reason = match FilePath::from_path(&path) {
                _ if kind.is_symlink() => Reason::SymbolicLink,
                _ if !kind.is_dir() && !kind.is_file() => Reason::SpecialFile,
                Err(error) => Reason::Name(error),
                Ok(_) if kind.is_dir() => {
                    waiting.push(path);
                    continue;
                }
                Ok(path) => {
                    listing.files.push(path);
                    continue;
                }
            };
            listing.not_listed.push(NotListed { path, reason });
        }
    }
    listing.files.sort_unstable();
    listing
        .not_listed
        .sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(listing)
}

fn too_many() -> io::Error {
    let message = format!("more than {} files and folders", Manifest::MAX_FILES);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).expect("a folder");
        fs::write(inner.join("c"), "").expect("a file");
        for left in 0..3 {
            let error = list_at_most(folder.path(), left).expect_err("more");
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{left}");
        }
        let listing = list_at_most(folder.path(), 3).expect("as many as there may be");
        assert_eq!(listing.files[0].as_str(), "a/b/c");
    }
}
