//! Files that appear complete or not at all.
//!
//! The bytes are written to a temporary file in the target's folder, which is then renamed. So no
//! other process ever sees an incomplete file. Without permission to overwrite, the rename itself
//! refuses an existing target: checking first and renaming later would be a race. A key is on the
//! disk before a command reports it. For results that can be made again, the system decides when
//! they reach the disk, because waiting for the disk takes longer than signing.

mod results;
mod stdout;
mod target;

use crate::{
    error::{Error, Result},
    escape::shown,
    input::is_standard,
    interrupt::{self, Hold, Identity},
    lock::lock_folder,
    place::folder,
    program::{Program, SUFFIX},
    shell::quote,
    snapshot::Snapshot,
    ui::Ui,
};
pub use results::{ResultFiles, write_folder};
use std::{
    fs::{self, File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
};
use stdout::print;
pub use stdout::{refuse_closed_stdout, refuse_terminal};
use target::exists;
pub use target::{Content, Inputs, Outputs, Overwrite, check_target};
use tempfile::NamedTempFile;

/// A file that has not appeared yet. Dropping it leaves no trace.
pub struct Pending {
    program: &'static Program,
    temporary: NamedTempFile,
    target: PathBuf,
    /// The target as the caller named it, for messages.
    named: PathBuf,
    content: Content,
    overwrite: Overwrite,
}

impl Pending {
    /// Prepares a file at `target`. The temporary file lies in the same folder.
    pub fn create(
        program: &'static Program,
        target: &Path,
        content: Content,
        overwrite: Overwrite,
    ) -> Result<Self> {
        check_target(program, target, content, overwrite)?;
        let real = match overwrite {
            // If the target is a link, the file behind the link is replaced, not the link.
            Overwrite::Force => fs::canonicalize(target).unwrap_or_else(|_| target.to_owned()),
            // If a link appears at the target from now on, it is refused like a file.
            Overwrite::Never => target.to_owned(),
        };
        let temporaries = folder(&real).to_owned();
        Self::begin(&temporaries, program, real, target, content, overwrite)
    }

    /// Prepares a new file at `target`. The temporary file lies in the folder `temporaries`, which
    /// must be on the same file system. The folder of the target may be missing until
    /// [`commit`](Self::commit).
    pub fn create_in(
        temporaries: &Path,
        program: &'static Program,
        target: &Path,
        content: Content,
    ) -> Result<Self> {
        let never = Overwrite::Never;
        if folder(target).exists() {
            check_target(program, target, content, never)?;
        }
        let real = target.to_owned();
        Self::begin(temporaries, program, real, target, content, never)
    }

    fn begin(
        temporaries: &Path,
        program: &'static Program,
        target: PathBuf,
        named: &Path,
        content: Content,
        overwrite: Overwrite,
    ) -> Result<Self> {
        let named = named.to_owned();
        let mut hold = interrupt::hold();
        let temporary = builder(program, content)
            .tempfile_in(temporaries)
            .map_err(|error| cannot_create(&named, &error))?;
        hold.add(temporary.path());
        drop(hold);
        if content == Content::TrustList
            && let Ok(old) = fs::metadata(&target)
        {
            keep_access(&old, temporary.as_file())
                .map_err(|error| Error::io(&named, "cannot keep the mode and group of", &error))?;
        }
        Ok(Self {
            program,
            temporary,
            target,
            named,
            content,
            overwrite,
        })
    }

    /// Prepares a file with these contents.
    pub fn with_bytes(
        program: &'static Program,
        target: &Path,
        bytes: &[u8],
        content: Content,
        overwrite: Overwrite,
    ) -> Result<Self> {
        let mut pending = Self::create(program, target, content, overwrite)?;
        pending
            .write_all(bytes)
            .map_err(|error| cannot_write(target, &error))?;
        Ok(pending)
    }

    /// Prepares a file with these bytes to replace the file that was read. Commit it with
    /// [`commit_over`](Self::commit_over).
    pub fn over(
        program: &'static Program,
        read: &Snapshot,
        bytes: &[u8],
        content: Content,
        overwrite: Overwrite,
    ) -> Result<Self> {
        let pending = Self::with_bytes(program, read.real(), bytes, content, overwrite);
        pending.map_err(|error| match overwrite {
            Overwrite::Force => how_to_replace(read.real(), error),
            Overwrite::Never => error,
        })
    }

    /// The target, as the caller named it.
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// Makes the file appear.
    pub fn commit(self) -> Result<()> {
        self.sync()?;
        let on_disk = self.on_disk();
        let target = self.rename(&mut interrupt::hold())?;
        if on_disk {
            sync_folder(&target);
        }
        Ok(())
    }

    /// Makes the file appear and writes `bytes` to standard output, since each of them is useless
    /// without the other.
    ///
    /// With [`Overwrite::Never`], makes the file appear first, since another program may take its
    /// name. Removes the file if `bytes` cannot be written or a signal arrives. With
    /// [`Overwrite::Force`], writes `bytes` first, so that an old file is replaced only afterwards.
    pub fn commit_and_print(self, bytes: &[u8]) -> Result<()> {
        refuse_closed_stdout()?;
        self.sync()?;
        let on_disk = self.on_disk();
        if self.overwrite == Overwrite::Force {
            // A signal that has arrived ends the program here. A later one removes the temporary
            // file.
            drop(interrupt::hold());
            print(bytes)?;
            let target = self.rename(&mut interrupt::hold())?;
            if on_disk {
                sync_folder(&target);
            }
            return Ok(());
        }
        let mut hold = interrupt::hold();
        // Another file may have this name later.
        let file = Identity::of(self.temporary.as_file());
        let target = self.rename(&mut hold)?;
        hold.add_file(&target, file);
        // Printing may wait for a reader, and a signal must be able to end this wait.
        drop(hold);
        if on_disk {
            sync_folder(&target);
        }
        // A signal that has arrived ends the program here, before anything is printed.
        drop(interrupt::hold());
        let printed = print(bytes);
        if printed.is_err() && file.is_at(&target) {
            let _ = fs::remove_file(&target);
        }
        interrupt::hold().remove(&target);
        printed
    }

    /// Replaces the file that was read, if it has not changed.
    pub fn commit_over(self, read: &Snapshot) -> Result<()> {
        self.sync()?;
        // The file is checked as late as possible, since a program that takes no lock may write to
        // it until the rename.
        read.check()?;
        let renamed = self.rename(&mut interrupt::hold());
        let target = renamed.map_err(|error| how_to_replace(read.real(), error))?;
        sync_folder(&target);
        Ok(())
    }

    /// Makes both files appear, or neither. With [`Overwrite::Force`], the first file may also
    /// appear alone. This is also true after signals and failures, and if other programs do this in
    /// the same folder at the same time.
    ///
    /// The second file always belongs to the first, even if the program is killed between two
    /// steps: before the first is replaced, an old second file is renamed to a temporary name. If
    /// the first cannot be replaced, the old second file gets its name back. If only the first is
    /// replaced, and is a secret key, the hint says how to make the second.
    pub fn commit_pair(first: Self, second: Self, ui: Ui) -> Result<()> {
        first.sync()?;
        second.sync()?;
        let _lock = lock_folder(&first.target, first.program, ui)?;
        let mut hold = interrupt::hold();
        // Another program may have made these files during the wait for the lock.
        for file in [&first, &second] {
            check_target(file.program, &file.named, file.content, file.overwrite)?;
        }
        let overwrite = first.overwrite;
        let is_new = first.content == Content::SecretKey && overwrite == Overwrite::Force;
        let hint = is_new.then(|| {
            let (key, word, name) = (shown(&first.named), quote(&first.named), first.program.name);
            format!("{key} is the new key already; to make its public key: {name} pubkey {word}")
        });
        let mut aside = None;
        if overwrite == Overwrite::Force && second.target.exists() {
            let temporary = builder(second.program, second.content)
                .tempfile_in(folder(&second.target))
                .map_err(|error| cannot_write(&second.named, &error))?
                .into_temp_path();
            fs::rename(&second.target, &temporary)
                .map_err(|error| cannot_write(&second.named, &error))?;
            aside = Some(temporary);
        }
        let target = first.rename(&mut hold).inspect_err(|_| {
            if let Some(old) = &aside {
                let _ = fs::rename(old, &second.target);
            }
        })?;
        let renamed = second.rename(&mut hold);
        if renamed.is_err() && overwrite == Overwrite::Never {
            let _ = fs::remove_file(&target);
        }
        sync_folder(&target);
        renamed.map(|_| ()).map_err(|error| match hint {
            Some(hint) => error.hint(hint),
            None => error,
        })
    }

    /// Returns true if the file must be on the disk before it is reported.
    fn on_disk(&self) -> bool {
        match self.content {
            Content::SecretKey
            | Content::SharedSecret
            | Content::PublicKey
            | Content::TrustList
            | Content::Table => true,
            Content::Result => false,
        }
    }

    fn sync(&self) -> Result<()> {
        if !self.on_disk() {
            return Ok(());
        }
        let synced = self.temporary.as_file().sync_all();
        synced.map_err(|error| cannot_write(&self.named, &error))
    }

    /// Renames the temporary file to its final name. Returns the path.
    fn rename(self, hold: &mut Hold) -> Result<PathBuf> {
        let target = &self.target;
        if self.overwrite == Overwrite::Force {
            // Meanwhile, another program may have made a secret key at this path.
            check_target(self.program, &self.named, self.content, self.overwrite)?;
        }
        hold.remove(self.temporary.path());
        let persisted = match self.overwrite {
            Overwrite::Force => self.temporary.persist(target),
            Overwrite::Never => self.temporary.persist_noclobber(target),
        };
        persisted.map_err(|failure| {
            if failure.error.kind() == io::ErrorKind::AlreadyExists {
                exists(&self.named, self.content)
            } else {
                cannot_create(&self.named, &failure.error)
            }
        })?;
        Ok(self.target)
    }
}

/// Checks that the user may make files in a folder, as far as the modes of the folder say.
pub fn check_writable(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use rustix::fs::Access;
        rustix::fs::access(folder, Access::WRITE_OK | Access::EXEC_OK)?;
    }
    let _ = folder;
    Ok(())
}

/// Writes the folder to the disk, and with it the name of the file. If the file system cannot do
/// this, the file itself is still complete.
fn sync_folder(file: &Path) {
    let _ = File::open(folder(file)).and_then(|folder| folder.sync_all());
}

/// Returns the error without the name of the temporary file, which may stand behind the words and
/// the number of the system. Without a number, only the kind of error is told.
fn cannot_create(path: &Path, error: &io::Error) -> Error {
    let has_number = error.to_string().contains(" (os error ");
    let cause = if has_number {
        error
    } else {
        &error.kind().into()
    };
    let told = Error::io(path, "cannot create", cause);
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            told.hint("name an output file in a folder that you may write to")
        }
        _ => told,
    }
}

/// Advice for a file that cannot be changed because its file system is read-only.
pub const READ_ONLY_FILE_SYSTEM: &str =
    "its file system is read-only; copy the file to another one, and change the copy";

/// Sets the hint for a file that is changed in place, where another output file would not help.
fn how_to_replace(path: &Path, error: Error) -> Error {
    if error.is(io::ErrorKind::ReadOnlyFilesystem) {
        error.hint(READ_ONLY_FILE_SYSTEM)
    } else if error.is(io::ErrorKind::PermissionDenied) {
        error.hint(format_args!(
            "the new file is made beside the old one; if you are allowed to change the folder: \
             chmod u+w {}",
            quote(folder(path))
        ))
    } else {
        error
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::io(path, "cannot write", error)
}

impl Write for Pending {
    // Writes to the inner file, since errors of the temporary file would contain its name.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temporary.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temporary.as_file_mut().flush()
    }
}

/// Writes a result to a file that appears complete, or to standard output for `-`.
pub fn write_result(
    program: &'static Program,
    path: &Path,
    bytes: &[u8],
    overwrite: Overwrite,
) -> Result<()> {
    if is_standard(path) {
        return print(bytes);
    }
    Pending::with_bytes(program, path, bytes, Content::Result, overwrite)?.commit()
}

#[cfg(unix)]
fn builder(program: &Program, content: Content) -> tempfile::Builder<'static, 'static> {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};
    let mode = match content {
        Content::SecretKey | Content::SharedSecret => 0o600,
        Content::PublicKey | Content::TrustList | Content::Table | Content::Result => 0o666,
    };
    let mut builder = prefixed(program);
    builder.permissions(Permissions::from_mode(mode));
    builder
}

/// Gives a new file the mode, the group and, if the system permits, the owner of an old one.
#[cfg(unix)]
fn keep_access(old: &Metadata, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    if let Err(error) = fchown(new, Some(old.uid()), Some(old.gid())) {
        // If the user may not change the owner, the user becomes the owner.
        if error.kind() != io::ErrorKind::PermissionDenied {
            return Err(error);
        }
        // The mode gives rights to the group, so the group must be the same.
        fchown(new, None, Some(old.gid()))?;
    }
    new.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn keep_access(old: &Metadata, new: &File) -> io::Result<()> {
    new.set_permissions(old.permissions())
}

#[cfg(not(unix))]
fn builder(program: &Program, _: Content) -> tempfile::Builder<'static, 'static> {
    prefixed(program)
}

fn prefixed(program: &Program) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(program.temporary).suffix(SUFFIX);
    builder
}

#[cfg(test)]
mod tests;
