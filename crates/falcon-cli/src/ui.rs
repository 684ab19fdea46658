//! Standard output and standard error.
//!
//! A result is a value with two forms: `Display` for a person and `Serialize`
//! for `--json`, one object a line. Notes and warnings go to standard error, so
//! that output can be piped. Colours follow `NO_COLOR`, `CLICOLOR` and
//! whether a terminal listens.

use crate::{
    error::{Error, Result},
    escape::{self, Escaped},
};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use std::{
    collections::HashSet,
    fmt::{self, Display},
    io::{self, Write},
};

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const CAUTION: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const STRONG: Style = Style::new().bold();

/// Text in a style.
pub(crate) struct Styled<T>(pub(crate) Style, pub(crate) T);

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{:#}", self.0, self.1, self.0)
    }
}

/// What to do next, as far as it has been said.
#[derive(Default)]
pub(crate) struct Hints(HashSet<String>);

/// How to talk to the user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ui {
    /// One JSON object a line instead of text.
    pub(crate) json: bool,
    /// No notes, no progress.
    pub(crate) quiet: bool,
}

impl Ui {
    /// Prints a result.
    pub(crate) fn report(self, result: &(impl Display + Serialize)) -> Result<()> {
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

    /// Whether [`note`](Self::note) says anything.
    pub(crate) fn notes(self) -> bool {
        !self.quiet && !self.json
    }

    /// Says something that only a person wants to know.
    pub(crate) fn note(self, text: impl Display) {
        if self.notes() {
            self.stderr(STRONG, "note", &text);
        }
    }

    /// Says something that must be seen.
    pub(crate) fn warn(self, text: impl Display) {
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

    /// Says why something could not be done, and what to do next.
    pub(crate) fn error(self, error: &Error) {
        self.error_among(error, &mut Hints::default());
    }

    /// The same of one thing of many: what to do next is said once, except to a
    /// program.
    pub(crate) fn error_among(self, error: &Error, hints: &mut Hints) {
        // The reader of the output has gone: there is nobody to tell.
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

    /// Says what to do next, unless it has been said.
    pub(crate) fn hint_among(self, hint: &str, hints: &mut Hints) {
        if hints.0.insert(hint.to_owned()) {
            self.stderr(STRONG, " hint", &hint);
        }
    }

    // There is nowhere to report that standard error is closed.
    fn stderr(self, style: Style, label: &str, text: &dyn Display) {
        let mut out = anstream::stderr().lock();
        let _ = writeln!(out, "{}: {}", Styled(style, label), Escaped(text));
    }
}
