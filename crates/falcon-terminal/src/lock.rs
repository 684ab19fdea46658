//! Locks folders, so that programs do not change the same files at the same time.

use crate::{
    error::{Error, Result, in_words},
    escape::shown,
    place::folder,
    program::Program,
    shell::quote,
    ui::Ui,
};
use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    time::{Duration, Instant},
};

/// The lock of a folder. Dropping it releases the lock.
#[must_use]
pub struct Lock(
    // `None` if the folder cannot be locked.
    #[expect(dead_code, reason = "held, not read")] Option<File>,
);

/// Time after which a command gives up waiting for the lock of a folder.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time between two attempts to lock a folder.
const POLL: Duration = Duration::from_millis(20);

/// Locks the folder of a file. If another program has the lock, prints a note and waits.
///
/// A program holds the lock only while it changes files, so a long wait means that it is suspended.
/// The wait ends after `PATIENCE`. If the system cannot lock the folder, the command prints a
/// warning with the reason and continues, because the command could otherwise never work in this
/// folder.
pub fn lock_folder(file: &Path, program: &Program, ui: Ui) -> Result<Lock> {
    let folder = folder(file);
    let not_locked = |cause: &io::Error| {
        ui.warn(format_args!(
            "{}: cannot be locked: {}; until this command ends, change {} there with another one",
            shown(folder),
            in_words(cause),
            program.locked("no", "and")
        ));
        Ok(Lock(None))
    };
    let lock = match File::open(folder) {
        Ok(lock) => lock,
        Err(error) => return not_locked(&error),
    };
    let start = Instant::now();
    let mut told = false;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Lock(Some(lock))),
            Err(TryLockError::Error(error)) => return not_locked(&error),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::at(folder, "another program has locked this folder")
                    .hint(format_args!("find it with: fuser -v {}", quote(folder))));
            }
        }
        if !told {
            told = true;
            ui.note(format_args!(
                "waiting up to {} seconds for another program that writes {} in {}",
                PATIENCE.as_secs(),
                program.locked("a", "or"),
                shown(folder)
            ));
        }
        std::thread::sleep(POLL);
    }
}
