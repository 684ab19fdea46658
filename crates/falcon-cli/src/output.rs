//! Files that appear whole or not at all.
//!
//! The bytes go to a temporary file in the target's folder, reach the disk,
//! and are then renamed, so neither a crash nor another process ever sees half
//! a file. Without permission to overwrite, the rename itself refuses an
//! existing target: asking first and renaming later would leave a race.

use crate::error::{Error, Result};
use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Who may read the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Mode 0600.
    OwnerOnly,
    /// As the process's umask says.
    Default,
}

/// What may stand at the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// Nothing.
    Never,
    /// A file, which is replaced.
    Force,
}

impl Overwrite {
    /// From the value of `--force`.
    pub(crate) fn from_force(force: bool) -> Self {
        if force { Self::Force } else { Self::Never }
    }
}

/// Refuses early what [`Pending::commit`] would refuse late.
pub(crate) fn check_target(path: &Path, overwrite: Overwrite) -> Result<()> {
    match (fs::symlink_metadata(path), overwrite) {
        (Ok(_), Overwrite::Never) => Err(exists(path)),
        // Renaming over a device or a folder is never what was meant.
        (Ok(_), Overwrite::Force) if path.exists() && !path.is_file() => {
            Err(Error::at(path, "is not a regular file").hint("name another output file"))
        }
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> Error {
    Error::at(path, "exists already, not overwritten")
        .hint("name another output file, or overwrite with --force")
}

/// A file that is not there yet. Dropping it leaves no trace.
pub(crate) struct Pending {
    temporary: NamedTempFile,
    target: PathBuf,
    overwrite: Overwrite,
}

impl Pending {
    /// Prepares a file at `target`.
    pub(crate) fn create(target: &Path, access: Access, overwrite: Overwrite) -> Result<Self> {
        check_target(target, overwrite)?;
        // Through a link, the file it points to is replaced, not the link.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let temporary = builder(access)
            .tempfile_in(folder(&target))
            .map_err(|error| Error::io(&target, "cannot create", &error))?;
        Ok(Self {
            temporary,
            target,
            overwrite,
        })
    }

    /// Prepares a file with these bytes.
    pub(crate) fn with_bytes(
        target: &Path,
        bytes: &[u8],
        access: Access,
        overwrite: Overwrite,
    ) -> Result<Self> {
        let mut pending = Self::create(target, access, overwrite)?;
        pending
            .write_all(bytes)
            .map_err(|error| Error::io(target, "cannot write", &error))?;
        Ok(pending)
    }

    /// Makes the file appear.
    pub(crate) fn commit(self) -> Result<()> {
        let target = &self.target;
        let synced = self.temporary.as_file().sync_all();
        synced.map_err(|error| Error::io(target, "cannot write", &error))?;
        let persisted = match self.overwrite {
            Overwrite::Force => self.temporary.persist(target),
            Overwrite::Never => self.temporary.persist_noclobber(target),
        };
        persisted.map_err(|failure| {
            if failure.error.kind() == io::ErrorKind::AlreadyExists {
                exists(target)
            } else {
                Error::io(target, "cannot create", &failure.error)
            }
        })?;
        // The name is on the disk once its folder is. Some file systems
        // cannot do this; the file itself is complete all the same.
        let _ = File::open(folder(target)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.flush()
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(unix)]
fn builder(access: Access) -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match access {
        Access::OwnerOnly => 0o600,
        Access::Default => 0o666,
    };
    let mut builder = prefixed();
    builder.permissions(Permissions::from_mode(mode));
    builder
}

#[cfg(not(unix))]
fn builder(_: Access) -> tempfile::Builder<'static, 'static> {
    prefixed()
}

fn prefixed() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".falcon-").suffix(".tmp");
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn nothing_is_left_of_a_file_that_was_not_committed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let pending = Pending::with_bytes(&target, b"x", Access::Default, Overwrite::Never);
        assert_eq!(names(folder.path()).len(), 1);
        drop(pending);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_target_that_appears_meanwhile_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let pending =
            Pending::with_bytes(&target, b"ours", Access::Default, Overwrite::Never).unwrap();
        fs::write(&target, b"theirs").unwrap();
        assert!(pending.commit().is_err());
        assert_eq!(fs::read(&target).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["out"]);
    }

    #[test]
    fn force_replaces_a_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        fs::write(&target, b"old").unwrap();
        let write =
            |path: &Path| Pending::with_bytes(path, b"new", Access::Default, Overwrite::Force);
        write(&target).unwrap().commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(write(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_pointing_to_the_file_that_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("out"), folder.path().join("link"));
        fs::write(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        Pending::with_bytes(&link, b"new", Access::Default, Overwrite::Force)
            .unwrap()
            .commit()
            .unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), target);
        assert_eq!(fs::read(&target).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_a_secret() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |access| {
            let target = folder.path().join("out");
            Pending::with_bytes(&target, b"x", access, Overwrite::Force)
                .unwrap()
                .commit()
                .unwrap();
            fs::metadata(&target).unwrap().permissions().mode() & 0o777
        };
        assert_eq!(mode(Access::OwnerOnly), 0o600);
        assert_eq!(mode(Access::Default) & 0o600, 0o600);
        assert_eq!(mode(Access::Default) & 0o111, 0);
    }
}
