//! The frame in which every command runs.

use crate::{
    error::{Result, Status},
    interrupt,
    ui::Ui,
};
use std::process::ExitCode;

/// Runs a command, prints its error, and returns the exit status of the program.
pub fn run(ui: Ui, command: impl FnOnce() -> Result<Status>) -> ExitCode {
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
