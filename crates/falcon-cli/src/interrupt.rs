//! Ctrl-C and SIGTERM: unfinished files are removed, then the program ends
//! with the status that shells expect, 128 and the signal's number.
//!
//! A thread waits for the signal, so it does not matter what the others wait
//! for. Whoever makes or renames a temporary file holds the list of them; while
//! the thread has it, nothing can appear any more.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Keeps signals from ending the program, for as short as possible.
pub(crate) struct Hold(MutexGuard<'static, BTreeSet<PathBuf>>);

/// Holds signals back.
pub(crate) fn hold() -> Hold {
    Hold(UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Hold {
    /// The file is to be removed if a signal comes.
    pub(crate) fn add(&mut self, path: &Path) {
        self.0.insert(path.to_owned());
    }

    /// The file is finished.
    pub(crate) fn remove(&mut self, path: &Path) {
        self.0.remove(path);
    }
}

/// Begins to wait for signals.
#[cfg(unix)]
pub(crate) fn watch() -> std::io::Result<()> {
    use signal_hook::{
        consts::{SIGINT, SIGTERM},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let unfinished = hold();
                for path in unfinished.0.iter() {
                    let _ = std::fs::remove_file(path);
                }
                std::process::exit(128 + signal);
            }
        })?;
    Ok(())
}

/// Elsewhere a signal ends the program as the system does it.
#[cfg(not(unix))]
pub(crate) fn watch() -> std::io::Result<()> {
    Ok(())
}
