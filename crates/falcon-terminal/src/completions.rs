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
    /// Standard output cannot be written.
    pub fn run(self, mut command: Command) -> Result<Status> {
        let name = command.get_name().to_owned();
        // Into memory first: the generator gives up the process on an error.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        io::stdout()
            .write_all(&script)
            .map_err(|error| Error::stdout(&error))?;
        Ok(Status::Valid)
    }
}
