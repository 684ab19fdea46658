//! `man`: the manual pages, made from the command line's own description.

use crate::{
    cli::Cli,
    error::{Error, Result, Status},
    escape::shown,
    ui::Ui,
};
use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;
use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
};

/// Print the manual page, or write the pages of all commands
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Write a page for every command into DIR, replacing older ones
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(self, ui: Ui) -> Result<Status> {
        match &self.dir {
            None => {
                let mut page = Vec::new();
                Page::new(Cli::command())
                    .render(&mut page)
                    .and_then(|()| io::stdout().write_all(&page))
                    .map_err(|error| Error::stdout(&error))?;
            }
            Some(dir) => {
                fs::create_dir_all(dir)
                    .and_then(|()| clap_mangen::generate_to(Cli::command(), dir))
                    .map_err(|error| Error::io(dir, "cannot write the manual pages", &error))?;
                ui.note(format_args!("manual pages written to {}", shown(dir)));
            }
        }
        Ok(Status::Valid)
    }
}
