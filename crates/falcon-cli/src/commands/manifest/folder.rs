//! Lists the files of a folder, and hashes them on all cores.

use crate::{
    error::{Error, Result, in_words},
    input::{cannot_read, open_regular},
    message::{length_differs, limit},
    parallel::{Grouping, for_each_in_order},
    place::with_suffix,
    progress::Progress,
    shell::quote,
};
use falcon_envelope::{Digest, FilePath, Listing, list_files};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Lists the files of `folder` except the manifest, which may lie in the folder.
pub(super) fn list(folder: &Path, manifest: &Path) -> Result<Listing> {
    if folder.is_file() {
        let file = quote(folder);
        return Err(
            Error::at(folder, "is a file, not a folder").hint(format_args!(
                "for one file: falcon-cli sign {file}, falcon-cli verify {file}"
            )),
        );
    }
    let mut listing = list_files(folder).map_err(|error| cannot_list(folder, &error))?;
    if let Some(own) = inside(folder, manifest) {
        listing.files.retain(|file| *file != own);
        listing
            .not_listed
            .retain(|other| other.path != Path::new(own.as_str()));
    }
    Ok(listing)
}

fn cannot_list(folder: &Path, error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound && !folder.exists() {
        return Error::io(folder, "cannot be listed", error);
    }
    // The error names the folder that cannot be read, which may be `folder` itself.
    let words = in_words(error);
    let own = format!("{}: ", folder.join("").display());
    let cause = words.strip_prefix(&own).unwrap_or(&words);
    Error::at(folder, "cannot be listed")
        .because(cause)
        .of_kind(error.kind())
}

/// Returns the path of the manifest within the folder, if it lies there.
pub(super) fn inside(folder: &Path, manifest: &Path) -> Option<FilePath> {
    let (name, place) = (manifest.file_name()?, manifest.parent()?);
    let place = if place.as_os_str().is_empty() {
        Path::new(".")
    } else {
        place
    };
    let place = fs::canonicalize(place).ok()?.join(name);
    let path = place.strip_prefix(fs::canonicalize(folder).ok()?).ok()?;
    FilePath::from_path(path).ok()
}

/// True if `files`, which [`list`] found in `folder`, contains the existing file at `path`.
pub(super) fn is_listed(folder: &Path, files: &[FilePath], path: &Path) -> bool {
    let (Ok(folder), Ok(path)) = (fs::canonicalize(folder), fs::canonicalize(path)) else {
        return false;
    };
    path.strip_prefix(folder)
        .is_ok_and(|path| FilePath::from_path(path).is_ok_and(|path| files.contains(&path)))
}

/// Returns the path of a file that [`list`] found in `folder`.
pub(super) fn place(folder: &Path, file: &FilePath) -> PathBuf {
    folder.join(file.as_str())
}

/// Applies `read` to each of the files. `done` gets the results in the order of the files. If
/// `done` fails, the work ends.
pub(super) fn read_each<T: Sync, R: Send>(
    files: &[T],
    read: impl Fn(&T) -> R + Sync,
    progress: &Progress,
    done: impl FnMut((&T, R)) -> Result<()>,
) -> Result<()> {
    let mut done = done;
    let mut results = files.iter();
    let grouping = Grouping {
        lanes: 1,
        alone: |_: &T| true,
    };
    for_each_in_order(
        files,
        grouping,
        |files| files.iter().map(&read).collect(),
        |result| {
            progress.add(1);
            match results.next() {
                Some(file) => done((file, result)),
                None => Ok(()),
            }
        },
    )
}

/// Returns the hash of a file.
pub(super) fn hash(path: &Path) -> Result<Digest> {
    Digest::of_reader(open_regular(path)?).map_err(|error| cannot_read(path, &error))
}

/// Returns true if a file has the signed content. If the length of a long file differs, the file is
/// not read.
pub(super) fn is_unchanged(path: &Path, signed: &Digest) -> Result<bool> {
    let file = open_regular(path)?;
    let cannot = |error| cannot_read(path, &error);
    if length_differs(file.metadata().map_err(cannot)?.len(), signed.length()) {
        return Ok(false);
    }
    let found = Digest::of_reader(limit(file, signed.length())).map_err(cannot)?;
    Ok(found == *signed)
}

/// Returns `FOLDER.manifest`, beside the folder. The path may end with a separator. If the path has
/// no name, such as `.`, the hint of the error proposes a command. `command` returns its beginning.
pub(super) fn manifest_path(folder: &Path, command: impl Fn() -> String) -> Result<PathBuf> {
    let name_of = |folder: &Path| Some(with_suffix(Path::new(folder.file_name()?), ".manifest"));
    if let Some(name) = name_of(folder) {
        return Ok(folder.with_file_name(name));
    }
    let error = Error::at(folder, "has no name to add .manifest to");
    let real = fs::canonicalize(folder).ok();
    let Some(name) = real.as_deref().and_then(name_of) else {
        return Err(error.hint("name the manifest: sign has --output, verify has --manifest"));
    };
    // The folder above `.` is `..`, and that above `..` is `../..`.
    let above = match folder == Path::new(".") {
        true => PathBuf::from(".."),
        false => folder.join(".."),
    };
    Err(error.hint(format_args!(
        "name the manifest: falcon-cli manifest {} {} {}",
        command(),
        quote(&above.join(name)),
        quote(folder)
    )))
}
