//! Files that are read first and replaced later. If another program changes a file in between, its
//! change is not lost.

use crate::{
    error::{Error, Result},
    lock::{Lock, lock_folder},
    place,
    program::Program,
    ui::Ui,
};
use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Content of a file when the command began to read it.
///
/// The command may ask for a passphrase after it has read a file and before it replaces the file.
/// Other commands of this program wait for the lock of the folder. Other programs do not wait, so
/// the content is compared before the file is replaced.
pub struct Snapshot {
    real: PathBuf,
    /// Length in bytes of the longest file that is compared in full.
    longest: u64,
    content: Option<Zeroizing<Vec<u8>>>,
}

impl Snapshot {
    /// Remembers the content of a regular file. The program replaces only files of at most
    /// `longest` bytes.
    pub fn take(path: &Path, longest: u64) -> Self {
        Self::at(place::real(path), longest)
    }

    /// Locks the folder of a file, and then remembers the content as [`take`](Self::take) does.
    pub fn take_locked(
        path: &Path,
        longest: u64,
        program: &Program,
        ui: Ui,
    ) -> Result<(Self, Lock)> {
        let real = place::real(path);
        let lock = lock_folder(&real, program, ui)?;
        Ok((Self::at(real, longest), lock))
    }

    fn at(real: PathBuf, longest: u64) -> Self {
        Self {
            content: content(&real, longest),
            real,
            longest,
        }
    }

    /// Real path of the file. Its links were followed once, at the beginning.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Returns the content, unless the file is missing, unreadable or not a regular file. Content
    /// that is too long is truncated.
    pub fn content(&self) -> Option<&[u8]> {
        self.content.as_deref().map(Vec::as_slice)
    }

    /// Locks the folder of the file.
    pub fn lock(&self, program: &Program, ui: Ui) -> Result<Lock> {
        lock_folder(&self.real, program, ui)
    }

    /// Refuses a file with several names: the change would reach only one of them.
    #[cfg(unix)]
    pub fn check_names(&self) -> Result<()> {
        use std::os::unix::fs::MetadataExt;
        let file = self.real.metadata().ok().filter(|file| file.is_file());
        match file.map_or(1, |file| file.nlink()) {
            0 | 1 => Ok(()),
            names => Err(Error::at(
                &self.real,
                format_args!(
                    "has {names} names (hard links); the change would reach only this one"
                ),
            )
            .hint("make the others symbolic links")),
        }
    }

    /// Accepts every file: names are not counted here.
    #[cfg(not(unix))]
    pub fn check_names(&self) -> Result<()> {
        Ok(())
    }

    /// Refuses to go on if another program has changed the file since it was read.
    pub fn check(&self) -> Result<()> {
        if content(&self.real, self.longest) == self.content {
            return Ok(());
        }
        Err(
            Error::at(&self.real, "was replaced by another program meanwhile")
                .hint("run the command again to use the new file"),
        )
    }
}

/// Reads the content of a regular file into memory that does not grow and is wiped, since it may be
/// a secret key. Reads one byte more than its length, so that a file that grows meanwhile counts as
/// changed.
fn content(path: &Path, longest: u64) -> Option<Zeroizing<Vec<u8>>> {
    // The kind of file is checked before opening, since opening a pipe would wait.
    let len = path.metadata().ok().filter(|file| file.is_file())?.len();
    let len = len.min(longest) + 1;
    let mut bytes = Zeroizing::new(Vec::with_capacity(len as usize));
    let file = File::open(path).ok()?;
    file.take(len).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
