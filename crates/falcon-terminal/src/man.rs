//! `man`: manual pages, generated from the description of the command line.

use crate::{
    color,
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
                let page = render(&Page::new(built(command)), program)?;
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
                    write_result(program, &path, &render(page, program)?, overwrite)?;
                }
                ui.note(format_args!("manual pages written to {}", shown(dir)));
            }
        }
        Ok(Status::Valid)
    }
}

/// Renders a page, and adds the section of the environment variables.
fn render(page: &Page, program: &Program) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Error::new("cannot make a manual page").because(error))?;
    let text = String::from_utf8_lossy(&text);
    // The generator calls the text after the options so.
    let text = text.replace(".SH EXTRA\n", ".SH NOTES\n");
    let end = text.rfind(".SH VERSION\n").unwrap_or(text.len());
    let (sections, version) = text.split_at(end);
    Ok([sections, &environment(program), version].concat().into())
}

/// Renders the section of the environment variables.
fn environment(program: &Program) -> String {
    let variables = program.environment.iter().chain(&color::ENVIRONMENT);
    variables.fold(".SH ENVIRONMENT\n".to_owned(), |section, (name, effect)| {
        let effect = effect.replace('-', "\\-");
        section + ".TP\n\\fB" + name + "\\fR\n" + &effect + "\n"
    })
}

/// Completes the description of the command line. The subcommand `help` gets no page.
fn built(command: Command) -> Command {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    command
}

/// Generates the pages of all commands.
fn pages(command: Command) -> Vec<Page> {
    fn add(command: &Command, pages: &mut Vec<Page>) {
        for inner in command.get_subcommands().filter(|it| !it.is_hide_set()) {
            add(inner, pages);
        }
        pages.push(Page::new(command.clone()));
    }
    let mut pages = Vec::new();
    add(&built(command), &mut pages);
    pages
}
