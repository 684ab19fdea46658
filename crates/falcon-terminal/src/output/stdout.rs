//! Writes results to standard output.

use crate::error::{Error, Result};
#[cfg(unix)]
use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal, Write};

/// Writes a result to standard output.
pub(super) fn print(bytes: &[u8]) -> Result<()> {
    refuse_closed_stdout()?;
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| Error::stdout(&error))
}

/// Refuses to print binary data to a terminal. `what` names the data.
///
/// `hint` says what to do instead.
pub fn refuse_terminal(what: &str, hint: &str) -> Result<()> {
    if io::stdout().is_terminal() {
        return Err(Error::new(format_args!("{what} cannot be shown on a terminal")).hint(hint));
    }
    Ok(())
}

/// Refuses to write a result to a closed standard output, since the result would be lost without an
/// error.
///
/// The Rust runtime replaces a closed output by the null device, opened for reading and writing.
/// Shells and most programs open the null device for writing only, so `> /dev/null` is not refused.
/// Reports and verdicts do not call this function, since the exit status gives the same
/// information.
#[cfg(unix)]
pub fn refuse_closed_stdout() -> Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl};
    use std::os::{fd::AsFd, unix::fs::MetadataExt};
    let out = io::stdout();
    let is_both = fcntl_getfl(&out).is_ok_and(|flags| flags & OFlags::ACCMODE == OFlags::RDWR);
    let device_of = |file: io::Result<Metadata>| file.ok().map(|file| file.rdev());
    let device = || {
        let out = out.as_fd().try_clone_to_owned().map(File::from);
        device_of(out.and_then(|out| out.metadata()))
    };
    let null = || device_of(fs::metadata("/dev/null"));
    // Files other than devices have the device number 0.
    let is_null = is_both && device().is_some_and(|device| device != 0 && Some(device) == null());
    if is_null {
        return Err(Error::new(
            "standard output is closed, or is the null device open for reading too",
        )
        .hint("name a file, or redirect standard output: > FILE"));
    }
    Ok(())
}

/// Does nothing, since other systems do not show whether standard output is closed.
#[cfg(not(unix))]
pub fn refuse_closed_stdout() -> Result<()> {
    Ok(())
}
