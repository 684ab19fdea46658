//! Signals that end the program: SIGHUP, SIGINT (Ctrl-C), SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM,
//! SIGTERM and SIGXCPU. The program removes unfinished files, restores the terminal and ends
//! with the status that shells expect: 128 plus the number of the signal.
//!
//! A separate thread waits for the signals. Code that makes or renames a temporary file locks the
//! list of unfinished files. After a signal, this thread locks the list until the program ends, so
//! no other file can appear.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished {
    paths: BTreeMap::new(),
    terminal: None,
});

/// Work to do before the program ends.
struct Unfinished {
    /// Files and folders to remove. If a path has an identity, the file is removed only if it still
    /// has this identity.
    paths: BTreeMap<PathBuf, Option<Identity>>,
    /// A terminal whose echo is switched off.
    terminal: Option<terminal::Terminal>,
}

impl Unfinished {
    fn clean(&mut self) {
        if let Some(terminal) = self.terminal.take() {
            terminal.restore();
        }
        for (path, identity) in &self.paths {
            if identity.is_some_and(|identity| !identity.is_at(path)) {
                continue;
            }
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
        }
    }
}

/// Identity of a file, independent of its name. Unknown if the system does not number files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(Option<[u64; 2]>);

impl Identity {
    /// Returns the identity of an open file.
    pub fn of(file: &File) -> Self {
        Self(file.metadata().ok().and_then(|file| numbers(&file)))
    }

    /// Returns true if `path` is a name of the file.
    pub fn is_at(self, path: &Path) -> bool {
        fs::symlink_metadata(path).is_ok_and(|there| numbers(&there) == self.0)
    }
}

/// Device and inode number of a file.
#[cfg(unix)]
fn numbers(file: &fs::Metadata) -> Option<[u64; 2]> {
    use std::os::unix::fs::MetadataExt;
    Some([file.dev(), file.ino()])
}

#[cfg(not(unix))]
fn numbers(_: &fs::Metadata) -> Option<[u64; 2]> {
    None
}

/// A lock that keeps signals from ending the program while this value exists. Hold it only briefly.
pub struct Hold(MutexGuard<'static, Unfinished>);

/// Locks the list of unfinished files, so that signals do not end the program.
pub fn hold() -> Hold {
    Hold(UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Hold {
    /// Adds a file or folder to be removed after a signal.
    pub fn add(&mut self, path: &Path) {
        self.0.paths.insert(path.to_owned(), None);
    }

    /// Adds a file to be removed after a signal, unless another file has its name by then.
    pub fn add_file(&mut self, path: &Path, identity: Identity) {
        self.0.paths.insert(path.to_owned(), Some(identity));
    }

    /// Removes a finished file or folder from the list.
    pub fn remove(&mut self, path: &Path) {
        self.0.paths.remove(path);
    }
}

/// While this value exists, a signal restores the terminal before it ends the program. The prompt
/// for a passphrase switches the echo off, and otherwise the echo would stay off.
pub struct TerminalGuard(());

/// Saves the modes of the terminal.
pub fn guard_terminal() -> TerminalGuard {
    hold().0.terminal = terminal::Terminal::of_process();
    TerminalGuard(())
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        hold().0.terminal = None;
    }
}

#[cfg(unix)]
mod terminal {
    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
    use std::fs::File;

    /// A terminal and its saved modes.
    pub(super) struct Terminal {
        device: File,
        modes: Termios,
    }

    impl Terminal {
        /// Returns the terminal of the process, if there is one.
        pub(super) fn of_process() -> Option<Self> {
            let device = File::open("/dev/tty").ok()?;
            let modes = tcgetattr(&device).ok()?;
            Some(Self { device, modes })
        }

        pub(super) fn restore(&self) {
            let _ = tcsetattr(&self.device, OptionalActions::Now, &self.modes);
        }
    }
}

/// Does nothing, since systems without signals need not restore anything.
#[cfg(not(unix))]
mod terminal {
    pub(super) struct Terminal;

    impl Terminal {
        pub(super) fn of_process() -> Option<Self> {
            None
        }

        pub(super) fn restore(&self) {}
    }
}

/// Handles a Ctrl-C that was read as a character, like SIGINT.
pub fn end() -> ! {
    end_with(SIGINT)
}

/// Cleans up and ends the program.
fn end_with(signal: i32) -> ! {
    let mut hold = hold();
    hold.0.clean();
    std::process::exit(128 + signal)
}

/// Number of SIGINT, which is the same on all systems.
const SIGINT: i32 = 2;

/// Starts to wait for signals.
#[cfg(unix)]
pub fn watch() -> std::io::Result<()> {
    use signal_hook::{
        consts::{SIGALRM, SIGHUP, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ},
        flag,
        iterator::Signals,
    };
    use std::sync::{Arc, atomic::AtomicBool, mpsc};
    // Nobody reads the flag. Catching the signal is enough: if a file grows beyond the limit, the
    // write fails, the error is reported, and the file is removed.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let mut waited_for = vec![SIGINT, SIGQUIT, SIGTERM];
    // The parent process may have set some signals to be ignored. Those signals stay ignored.
    let ignorable = [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];
    waited_for.extend(ignorable.into_iter().filter(|&it| !is_ignored(it)));
    // The thread itself registers the signals. If it cannot start, they keep their default effect.
    let (ready, started) = mpsc::channel();
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let signals = Signals::new(waited_for);
            let _ = ready.send(());
            if let Ok(mut signals) = signals
                && let Some(signal) = signals.forever().next()
            {
                end_with(signal);
            }
        })?;
    let _ = started.recv();
    Ok(())
}

/// Returns true if the program was started with the signal ignored, as by `nohup`. Only Linux shows
/// this without an `unsafe` call.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Does nothing: on other systems, signals keep their default effect.
#[cfg(not(unix))]
pub fn watch() -> std::io::Result<()> {
    Ok(())
}
