//! Real paths and related names of files.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// Follows the links of a path. So all links that lead to a file give the same path. The file
/// itself need not exist yet.
pub fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|error| {
            let name = path.file_name().ok_or(error)?;
            Ok::<_, io::Error>(fs::canonicalize(folder(path))?.join(name))
        })
        .unwrap_or_else(|_| path.to_owned())
}

/// Returns the folder of a file.
pub fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Appends `suffix` to the name of a path.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// True if a path has the ending of public keys.
pub fn is_name_of_public(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b".pub")
}

/// Returns the name of the secret key for a public key: `my.key` for `my.key.pub` and for `my.pub`.
pub fn name_of_secret(public: &Path) -> PathBuf {
    let stem = public.with_extension("");
    match stem.extension() {
        Some(_) => stem,
        None => public.with_extension("key"),
    }
}
