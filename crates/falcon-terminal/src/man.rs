//! `man`: manual pages, generated from the description of the command line.

use crate::{
    error::{Error, Result, Status},
    escape::shown,
    output::{Content, Overwrite, check_target, write_result},
    program::Program,
    ui::Ui,
};
use clap::{Args, Command};
use clap_mangen::Man as Page;
use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
};

/// Print the manual page, or write the pages of all commands
#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for every command into DIR, which is made if it does not exist
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Overwrite existing pages
    #[arg(long, requires = "dir")]
    force: bool,
}

impl Man {
    /// Prints or writes the pages of the program that `command` describes.
    ///
    /// # Errors
    /// If standard output or a page cannot be written.
    pub fn run(self, command: Command, program: &'static Program, ui: Ui) -> Result<Status> {
        match &self.dir {
            None => {
                let page = render(&Page::new(command))?;
                io::stdout()
                    .write_all(&page)
                    .map_err(|error| Error::stdout(&error))?;
            }
            Some(dir) => {
                fs::create_dir_all(dir)
                    .map_err(|error| Error::io(dir, "cannot write the manual pages", &error))?;
                let overwrite = Overwrite::from_force(self.force);
                let pages = pages(command);
                let paths = || pages.iter().map(|page| dir.join(page.get_filename()));
                // If one page must not be written, none is written.
                for path in paths() {
                    check_target(program, &path, Content::Result, overwrite).map_err(|error| {
                        if error.is(io::ErrorKind::AlreadyExists) {
                            error.hint("name another folder, or overwrite the pages with --force")
                        } else {
                            error
                        }
                    })?;
                }
                for (page, path) in pages.iter().zip(paths()) {
                    write_result(program, &path, &render(page)?, overwrite)?;
                }
                ui.note(format_args!("manual pages written to {}", shown(dir)));
            }
        }
        Ok(Status::Valid)
    }
}

fn render(page: &Page) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Error::new("cannot make a manual page").because(error))?;
    Ok(text)
}

/// Generates the pages of all commands.
fn pages(command: Command) -> Vec<Page> {
    fn add(command: &Command, pages: &mut Vec<Page>) {
        for inner in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            add(inner, pages);
        }
        pages.push(Page::new(command.clone()));
    }
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add(&command, &mut pages);
    pages
}
