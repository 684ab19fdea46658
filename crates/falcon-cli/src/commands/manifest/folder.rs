//! The files of a folder, hashed on all cores.

use crate::{
    error::{Error, Result},
    input::{cannot_read, open_regular},
    parallel::{Grouping, for_each_in_order},
    progress::Progress,
};
use falcon_envelope::{Digest, FilePath, Listing, list_files};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Lists the files of `folder` but the manifest, which may lie in it.
pub(super) fn list(folder: &Path, manifest: &Path) -> Result<Listing> {
    let mut listing =
        list_files(folder).map_err(|error| Error::at(folder, "cannot be listed").because(error))?;
    if let Some(own) = inside(folder, manifest) {
        listing.files.retain(|file| *file != own);
        listing
            .not_listed
            .retain(|other| other.path != Path::new(own.as_str()));
    }
    Ok(listing)
}

/// The path of the manifest in the folder, if it is there.
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

/// Where a file of the folder lies. The path is one that [`list`] found there.
pub(super) fn place(folder: &Path, file: &FilePath) -> PathBuf {
    folder.join(file.as_str())
}

/// Hashes each of the files, in their order, until `done` fails.
pub(super) fn hash_each<T: Sync>(
    files: &[T],
    place: impl Fn(&T) -> Option<PathBuf> + Sync,
    progress: &Progress,
    done: impl FnMut((&T, Option<Result<Digest>>)) -> Result<()>,
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
        |files| {
            files
                .iter()
                .map(|file| place(file).map(|path| hash(&path)))
                .collect()
        },
        |digest| {
            progress.add(1);
            match results.next() {
                Some(file) => done((file, digest)),
                None => Ok(()),
            }
        },
    )
}

fn hash(path: &Path) -> Result<Digest> {
    Digest::of_reader(open_regular(path)?).map_err(|error| cannot_read(path, &error))
}
