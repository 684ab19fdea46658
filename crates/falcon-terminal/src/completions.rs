//! `completions`: scripts that complete the command line in a shell.

use crate::error::{Error, Result, Status};
use clap::{Args, Command};
use clap_complete::Shell;
use std::io::{self, Write};

/// Print a completion script for a shell
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script for the program that `command` describes.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn run(self, mut command: Command) -> Result<Status> {
        let name = command.get_name().to_owned();
        // The script is written to memory first, because the generator ends the process on an
        // error.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        io::stdout()
            .write_all(&script)
            .map_err(|error| Error::stdout(&error))?;
        Ok(Status::Valid)
    }
}
