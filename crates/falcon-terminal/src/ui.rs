//! Writes to standard output and standard error.
//!
//! A result has two forms: `Display` for people, and `Serialize` for `--json`, which prints one
//! object on each line. Notes and warnings go to standard error, so that output can be piped.
//! Colours depend on `--color`, then on `NO_COLOR` and `CLICOLOR`, then on whether the output is a
//! terminal.

use crate::{
    error::{Error, Result, Status},
    escape::{self, Escaped, shown},
};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::{
    collections::HashSet,
    fmt::{self, Display},
    io::{self, Write},
    path::Path,
};

/// Style of success.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// Style of an error.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Style of a warning.
pub const CAUTION: Style = AnsiColor::Yellow.on_default().bold();
/// Style of a name or heading.
pub const STRONG: Style = Style::new().bold();

/// Text in a style.
pub struct Styled<T>(pub Style, pub T);

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{:#}", self.0, self.1, self.0)
    }
}

/// A result with a given text for people, and the files that were written.
#[derive(Serialize)]
pub struct Answer<T> {
    /// The form for programs.
    #[serde(flatten)]
    pub form: T,
    /// The written files, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The text for people.
    #[serde(skip)]
    pub text: String,
}

impl<T> Display for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Hints that have been printed.
#[derive(Default)]
pub struct Hints(HashSet<String>);

/// Returns the hint for a failure of standard output after the work was done.
pub fn only_report_is_missing(written: &str, count: usize) -> String {
    let verb = if count == 1 { "was" } else { "were" };
    format!("only the report is missing: {written} {verb} written")
}

/// The options that control the output.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    /// Print one JSON object on each line instead of text.
    pub json: bool,
    /// Print no notes, no progress and no reports of written files.
    pub quiet: bool,
}

impl Ui {
    /// Prints a result.
    pub fn report(self, result: &(impl Display + Serialize)) -> Result<()> {
        let mut out = anstream::stdout().lock();
        let written = if self.json {
            serde_json::to_string(result)
                .map_err(Into::into)
                .and_then(|line| writeln!(out, "{}", escape::json(&line)))
        } else {
            writeln!(out, "{result}")
        };
        written
            .and_then(|()| out.flush())
            .map_err(|error| Error::stdout(&error))
    }

    /// Prints the report on `files`, which were written, unless `--quiet` is given. If printing
    /// fails, the hint says that the files were written.
    pub fn report_written(
        self,
        result: &(impl Display + Serialize),
        files: &[&Path],
    ) -> Result<()> {
        if self.quiet {
            return Ok(());
        }
        self.report(result).map_err(|error| {
            let files: Vec<_> = files.iter().map(|file| shown(file).to_string()).collect();
            error.hint(only_report_is_missing(&files.join(" and "), files.len()))
        })
    }

    /// Prints the heading of a table, except in JSON.
    pub fn heading(self, text: &str) -> Result<()> {
        if self.json {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        writeln!(out, "{}", Styled(STRONG, text)).map_err(|error| Error::stdout(&error))
    }

    /// True if [`note`](Self::note) prints anything.
    pub fn notes(self) -> bool {
        !self.quiet && !self.json
    }

    /// Prints a note for people, unless `--quiet` or `--json` is given.
    pub fn note(self, text: impl Display) {
        if self.notes() {
            self.stderr(STRONG, "note", &text);
        }
    }

    /// Prints the summary of a command on several files: a note if all went well, otherwise a
    /// warning. Prints nothing for one file.
    pub fn sum_up(self, files: u64, status: Status, sum: impl Display) {
        match (files, status) {
            (0 | 1, _) => {}
            (_, Status::Valid) => self.note(sum),
            _ => self.warn(sum),
        }
    }

    /// Prints a warning, whatever the options are.
    pub fn warn(self, text: impl Display) {
        if self.json {
            let line = serde_json::json!({ "warning": text.to_string() });
            let _ = writeln!(
                anstream::stderr().lock(),
                "{}",
                escape::json(&line.to_string())
            );
        } else {
            self.stderr(CAUTION, "warning", &text);
        }
    }

    /// Prints an error and its hint.
    pub fn error(self, error: &Error) {
        self.error_among(error, &mut Hints::default());
    }

    /// Prints the error of one of several files. A hint that was printed before is not repeated,
    /// except in JSON.
    pub fn error_among(self, error: &Error, hints: &mut Hints) {
        // Nobody reads the output any more.
        if error.is(io::ErrorKind::BrokenPipe) {
            return;
        }
        if self.json
            && let Ok(line) = serde_json::to_string(error)
        {
            let _ = writeln!(anstream::stderr().lock(), "{}", escape::json(&line));
            return;
        }
        self.stderr(BAD, "error", error);
        if let Some(hint) = error.next_step() {
            self.hint_among(hint, hints);
        }
    }

    /// Prints a hint, unless it was printed before.
    pub fn hint_among(self, hint: &str, hints: &mut Hints) {
        if hints.0.insert(hint.to_owned()) {
            self.stderr(STRONG, " hint", &hint);
        }
    }

    // If standard error is closed, nothing can be reported.
    fn stderr(self, style: Style, label: &str, text: &dyn Display) {
        let mut out = anstream::stderr().lock();
        let _ = writeln!(out, "{}: {}", Styled(style, label), Escaped(text));
    }
}
