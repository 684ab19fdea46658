//! `completions`: scripts that complete the command line in a shell.

use crate::{
    cli::Cli,
    error::{Error, Result, Status},
};
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::{self, Write};

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  falcon-cli completions bash > ~/.local/share/bash-completion/completions/falcon-cli
  falcon-cli completions fish > ~/.config/fish/completions/falcon-cli.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<Status> {
        // Into memory first: the generator gives up the process on an error.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "falcon-cli", &mut script);
        io::stdout()
            .write_all(&script)
            .map_err(|error| Error::stdout(&error))?;
        Ok(Status::Valid)
    }
}
