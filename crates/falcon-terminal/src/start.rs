//! Sets up and ends the process of every command.

use crate::{
    error::{Result, Status},
    interrupt,
    ui::Ui,
};
use std::process::ExitCode;

/// Runs a command, prints its error, and returns the exit status of the program.
pub fn run(ui: Ui, command: impl FnOnce() -> Result<Status>) -> ExitCode {
    forbid_memory_image();
    // If this fails, a signal still ends the program, but temporary files remain.
    let _ = interrupt::watch();
    let result = command();
    // If a signal is being handled, the program ends here without printing the error, since the
    // error may come from the files that the signal removes.
    let _hold = interrupt::hold();
    let status = result.unwrap_or_else(|error| {
        ui.error(&error);
        Status::Failure
    });
    status.into()
}

/// Forbids the system to write a core dump of a crashed program, which may contain secrets. The
/// system may instead pipe core dumps to a program (`|` in Linux's `core_pattern`). That program
/// gets this limit and decides itself.
#[cfg(unix)]
fn forbid_memory_image() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = Rlimit {
        current: Some(0),
        ..getrlimit(Resource::Core)
    };
    // Lowering a limit is always allowed.
    let _ = setrlimit(Resource::Core, limit);
}

/// Does nothing, since other systems have no such limit.
#[cfg(not(unix))]
fn forbid_memory_image() {}
