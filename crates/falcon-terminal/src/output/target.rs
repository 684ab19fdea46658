//! Checks files before they are written. A target must not be an input, the output of another
//! input, or a secret key.

use crate::{
    error::{Error, Result},
    escape::shown,
    input::{is_standard, read_start, regular_length},
    pem_text::{has_pem_of_secret_key, has_text_of_secret_key},
    place::{folder, real, with_suffix},
    program::{Program, Secret},
};
use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf, is_separator},
};

/// Kind of content. Determines who may read the file, and whether it is synced to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Secret key: mode 0600, written to the disk at once.
    SecretKey,
    /// Secret that two parties share: mode 0600, written to the disk at once.
    SharedSecret,
    /// Public key: written to the disk at once.
    PublicKey,
    /// Trust list: written to the disk at once. The new list has the mode, the group and, if the
    /// system permits, the owner of the old one.
    TrustList,
    /// Table or its summary: written to the disk at once, since a restart relies on it.
    Table,
    /// Result that can be made again. The system decides when it reaches the disk.
    Result,
}

/// Permission to replace a file at the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// Refuse to write if the target exists.
    Never,
    /// Replace an existing file.
    Force,
}

impl Overwrite {
    /// Converts the value of `--force`.
    pub fn from_force(force: bool) -> Self {
        if force { Self::Force } else { Self::Never }
    }
}

/// The files that a command reads. The command must not replace them.
pub struct Inputs(HashSet<PathBuf>);

impl Inputs {
    /// Collects the paths that exist.
    pub fn new<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let files = paths.into_iter().filter(|path| !is_standard(path));
        Self(
            files
                .filter_map(|path| fs::canonicalize(path).ok())
                .collect(),
        )
    }

    /// Refuses an output that is one of the inputs. Only the names are compared, since replacing
    /// one name of a file does not affect its other names.
    pub fn spare(&self, output: &Path) -> Result<()> {
        if self.0.is_empty() || is_standard(output) {
            return Ok(());
        }
        match fs::canonicalize(output) {
            Ok(name) if self.0.contains(&name) => {
                Err(Error::at(output, "is an input and cannot be the output")
                    .hint("name another output file"))
            }
            _ => Ok(()),
        }
    }
}

/// The files that a command writes, each with its input.
#[derive(Default)]
pub struct Outputs<'a>(HashMap<PathBuf, &'a Path>);

impl<'a> Outputs<'a> {
    /// Refuses an output that another input already has, since one of the two outputs would be
    /// lost. Standard output may be used any number of times.
    pub fn add(&mut self, output: &Path, input: &'a Path) -> Result<()> {
        if is_standard(output) {
            return Ok(());
        }
        match self.0.insert(real(output), input) {
            None => Ok(()),
            Some(other) if other == input => {
                Err(Error::at(input, "is named more than once").hint("name each file once"))
            }
            Some(other) => {
                let (other, input) = (shown(other), shown(input));
                let what = format_args!("would be written twice: for {other} and for {input}");
                Err(Error::at(output, what).hint("give each file an output of its own"))
            }
        }
    }
}

/// Number of bytes of an existing file that are read to find out whether it holds a secret key.
/// Keys are shorter.
const LOOKED_AT: u64 = 4 << 20;

/// Refuses to replace a file that holds a secret key or has a public key beside it. Only a secret
/// key may replace such a file. If the file may also be a shared secret and has no public key
/// beside it, a shared secret may replace it, too.
fn spare_secret_key(program: &Program, path: &Path, content: Content) -> Result<()> {
    // Skips empty files, and files that are not regular, since reading a pipe would block.
    let Some(len) = regular_length(path).filter(|&len| len > 0 && content != Content::SecretKey)
    else {
        return Ok(());
    };
    let (start, _) = read_start(path, LOOKED_AT.min(len))?;
    let is_key = |bytes: &[u8]| (program.secret_in)(bytes) == Some(Secret::Key);
    let secret = match has_pem_of_secret_key(&start) || has_text_of_secret_key(&start, is_key) {
        true => Some(Secret::Key),
        false => (program.secret_in)(&start),
    };
    let public = [with_suffix(path, ".pub"), with_suffix(&real(path), ".pub")];
    let public = public.iter().find(|path| path.exists());
    match secret {
        // A secret key may be damaged, or in an unknown form.
        None => match public {
            Some(public) => Err(Error::at(
                path,
                format_args!(
                    "was not overwritten: {} is beside it, so it may be a secret key",
                    shown(public)
                ),
            )
            .hint("name another output file, or remove this one first")),
            None => Ok(()),
        },
        Some(Secret::KeyOrShared(len)) if public.is_none() => {
            if content == Content::SharedSecret {
                return Ok(());
            }
            let what = format_args!(
                "holds {len} bytes, a shared secret or a secret key, and was not overwritten"
            );
            Err(Error::at(path, what).hint(
                "name another output file, or remove this one first: --force replaces it only by \
                 another secret",
            ))
        }
        Some(Secret::Key | Secret::KeyOrShared(_)) => Err(Error::at(
            path,
            "holds a secret key and was not overwritten",
        )
        .hint(
            "name another output file; --force replaces no secret key, since it would be lost \
             for good",
        )),
    }
}

/// Checks the target early. Refuses every target that [`Pending::commit`](super::Pending::commit)
/// would refuse later.
pub fn check_target(
    program: &Program,
    path: &Path,
    content: Content,
    overwrite: Overwrite,
) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(_) if path.is_dir() => Err(is_folder(path)),
        // A user never intends to replace a device.
        Ok(_) if path.exists() && !path.is_file() => Err(Error::at(path, "is not a regular file")
            .hint(
                "name another output file, or `-` if the help of the command says that it is \
                 standard output",
            )),
        Ok(_) if overwrite == Overwrite::Never => Err(exists(path, content)),
        Ok(_) => spare_secret_key(program, path, content),
        Err(_) => check_folder(path),
    }
}

fn check_folder(path: &Path) -> Result<()> {
    let last = path.as_os_str().as_encoded_bytes().last();
    if last.is_some_and(|&byte| is_separator(char::from(byte))) {
        return Err(is_folder(path));
    }
    let folder = folder(path);
    if folder.is_dir() {
        Ok(())
    } else {
        Err(Error::at(folder, "is not a folder").hint("make it first, or name another output file"))
    }
}

fn is_folder(path: &Path) -> Error {
    Error::at(path, "is a folder").hint("name a file in it")
}

pub(super) fn exists(path: &Path, content: Content) -> Error {
    let hint = match content {
        Content::SecretKey => "move it away first; --force would destroy the old key for good",
        Content::SharedSecret
        | Content::PublicKey
        | Content::TrustList
        | Content::Table
        | Content::Result => "name another output file, or overwrite with --force",
    };
    Error::at(path, "exists already and was not overwritten")
        .of_kind(io::ErrorKind::AlreadyExists)
        .hint(hint)
}
