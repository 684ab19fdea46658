//! Outputs. An output is new, or replaces the file that was found when the command began.

use super::state::State;
use crate::{
    PROGRAM,
    error::{Error, Result},
    input::{cannot_read, open_regular},
    output::{Content, Overwrite, Pending, check_target},
    place::folder,
};
use serde::Serialize;
use serde_json as json;
use sha2::{Digest, Sha256};
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Path of an output, and what was found there when the command began.
pub(crate) struct Place {
    path: PathBuf,
    found: Option<State>,
    /// Folder in which the output is written before it appears at the path.
    temporaries: PathBuf,
}

impl Place {
    /// Looks up a path. Refuses a file that `overwrite` does not allow to replace. The folder
    /// `temporaries` must exist when the output is created, on the file system of the path.
    pub(crate) fn look(path: PathBuf, overwrite: Overwrite, temporaries: &Path) -> Result<Self> {
        let found = State::of_name(&path);
        if found.is_some() {
            check_target(&PROGRAM, &path, Content::Table, overwrite)?;
        }
        Ok(Self {
            path,
            found,
            temporaries: temporaries.to_owned(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if something was found at the path.
    pub(crate) fn is_taken(&self) -> bool {
        self.found.is_some()
    }

    /// Removes the file at the path, if there is one. Fails if the file appeared or changed since
    /// [`look`](Self::look), or if it cannot be removed.
    pub(crate) fn clear(&self) -> Result<()> {
        match State::of_name(&self.path) {
            None => return Ok(()),
            now if now != self.found => return Err(appeared(&self.path)),
            _ => {}
        }
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::io(&self.path, "cannot remove", &error))
            }
            _ => Ok(()),
        }
    }

    /// Begins the output, after removing the file that was found.
    pub(crate) fn create(&self) -> Result<Output> {
        self.clear()?;
        // A file that appears at the path from now on must not be replaced.
        let pending = Pending::create_in(&self.temporaries, &PROGRAM, &self.path, Content::Table);
        Ok(Output {
            pending: pending.map_err(|error| explained(error, &self.path))?,
            hash: Sha256::new(),
        })
    }

    pub(crate) fn write_json(&self, value: &impl Serialize) -> Result<()> {
        let text = json::to_string_pretty(value)
            .map_err(|error| Error::at(&self.path, "cannot be encoded").because(error))?;
        let mut output = self.create()?;
        writeln!(output, "{text}")
            .map_err(|error| Error::io(&self.path, "cannot write", &error))?;
        output.commit().map(drop)
    }
}

/// An output that is being written. If it is dropped, nothing remains.
pub(crate) struct Output {
    pending: Pending,
    hash: Sha256,
}

impl Output {
    pub(crate) fn path(&self) -> &Path {
        self.pending.named()
    }

    /// Makes the file appear, and its folder if that is missing, unless another file has taken its
    /// name. Returns its SHA-256 in hexadecimal.
    pub(crate) fn commit(self) -> Result<String> {
        let path = self.path().to_owned();
        let parent = folder(&path);
        fs::create_dir_all(parent)
            .map_err(|error| Error::io(parent, "cannot make the folder", &error))?;
        let committed = self.pending.commit();
        committed.map_err(|error| explained(error, &path))?;
        Ok(hex(self.hash))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.pending.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pending.flush()
    }
}

/// Returns the error for a file that the command neither found nor made.
pub(crate) fn appeared(path: &Path) -> Error {
    Error::at(path, "appeared or changed since the command began").hint(
        "run the command again when no other program writes to the folder, or name another folder",
    )
}

fn explained(error: Error, path: &Path) -> Error {
    match error.is(io::ErrorKind::AlreadyExists) {
        true => appeared(path),
        false => error,
    }
}

/// Opens a file of an output folder for reading, if it is a regular file and not a link.
pub(crate) fn open_output(path: &Path) -> Option<File> {
    // Pipes must not be opened.
    let is_file = fs::symlink_metadata(path).ok()?.is_file();
    is_file.then(|| open_regular(path).ok())?
}

/// Returns the SHA-256 of an open file, in hexadecimal.
pub(crate) fn digest(path: &Path, mut file: impl Read) -> Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file
            .read(&mut buffer)
            .map_err(|error| cannot_read(path, &error))?;
        if read == 0 {
            return Ok(hex(hash));
        }
        hash.update(&buffer[..read]);
    }
}

fn hex(hash: Sha256) -> String {
    base16ct::lower::encode_string(&hash.finalize())
}
