//! The frame in which every command runs.

use crate::{
    error::{Result, Status},
    interrupt,
    ui::Ui,
};
use std::process::ExitCode;

/// Runs a command, prints its error, and returns the exit status of the program.
pub fn run(ui: Ui, command: impl FnOnce() -> Result<Status>) -> ExitCode {
    forbid_memory_image();
    // If this fails, a signal still ends the program, but temporary files stay.
    let _ = interrupt::watch();
    let result = command();
    // A signal that is being handled has the last word: what it removes may be
    // the cause of an error.
    let _hold = interrupt::hold();
    let status = result.unwrap_or_else(|error| {
        ui.error(&error);
        Status::Failure
    });
    status.into()
}

/// Forbids the system to write the memory of a crashed program to a file: it may hold secrets. A
/// program that the system calls instead (`|` in `core_pattern` of Linux) is told of this limit and
/// decides itself.
#[cfg(unix)]
fn forbid_memory_image() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = Rlimit {
        current: Some(0),
        ..getrlimit(Resource::Core)
    };
    // A lower limit is always allowed.
    let _ = setrlimit(Resource::Core, limit);
}

/// Elsewhere there is no such limit.
#[cfg(not(unix))]
fn forbid_memory_image() {}
