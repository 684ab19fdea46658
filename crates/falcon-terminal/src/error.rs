//! Errors of commands, with a path and a hint, and the exit status.

use crate::escape::shown;
use serde::{Serialize, Serializer, ser::SerializeMap};
use std::{fmt, io, path::Path, process::ExitCode};

/// Result of a command. Among the results of several files, the greatest one counts, so that an
/// invalid file is not missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Everything was done, and everything that was checked is valid.
    Valid,
    /// Wrong usage, or a file that could not be read, decoded or written.
    Failure,
    /// A signature or a known answer that was checked is invalid.
    Invalid,
}

impl Status {
    /// Returns the exit status of the program.
    pub fn code(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::Invalid => 1,
            Self::Failure => 2,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

/// Error of a command, or of one of the files of a command.
#[derive(Clone, Debug, Serialize)]
pub struct Error {
    /// Description of the failure.
    #[serde(rename = "error")]
    what: String,
    /// The file that the error is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Cause, in the words of the system or of a decoder.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<String>,
    /// Advice to the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Kind of the I/O error, if the cause is one.
    #[serde(skip)]
    kind: Option<io::ErrorKind>,
}

/// Result with an [`Error`] for the user.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Makes an error that is not about a file.
    pub fn new(what: impl fmt::Display) -> Self {
        Self {
            what: what.to_string(),
            path: None,
            cause: None,
            hint: None,
            kind: None,
        }
    }

    /// Makes an error about the file at `path`. `what` continues a sentence that begins with the
    /// path.
    pub fn at(path: &Path, what: impl fmt::Display) -> Self {
        Self {
            path: Some(display(path)),
            ..Self::new(what)
        }
    }

    /// Makes an error about reading or writing. `what` names the operation, such as "cannot read".
    pub fn io(path: &Path, what: impl fmt::Display, cause: &io::Error) -> Self {
        let error = match cause.kind() {
            io::ErrorKind::NotFound => Self::at(path, "does not exist"),
            _ => Self::at(path, what).because(in_words(cause)),
        };
        error.of_kind(cause.kind())
    }

    /// Makes an error about writing results to standard output.
    pub fn stdout(cause: &io::Error) -> Self {
        Self {
            kind: Some(cause.kind()),
            ..Self::new("cannot write to standard output").because(in_words(cause))
        }
    }

    /// Adds the message of the system or of a decoder.
    pub fn because(self, cause: impl fmt::Display) -> Self {
        Self {
            cause: Some(cause.to_string()),
            ..self
        }
    }

    /// Names the file, if no file is named yet.
    pub fn of_path(self, path: &Path) -> Self {
        Self {
            path: self.path.or_else(|| Some(display(path))),
            ..self
        }
    }

    /// Sets the kind of input or output error.
    pub fn of_kind(self, kind: io::ErrorKind) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }

    /// Adds advice on what to do next.
    pub fn hint(self, hint: impl fmt::Display) -> Self {
        Self {
            hint: Some(hint.to_string()),
            ..self
        }
    }

    /// Returns true if the cause is an input or output error of this kind. A broken pipe means that
    /// nobody reads the output.
    pub fn is(&self, kind: io::ErrorKind) -> bool {
        self.kind == Some(kind)
    }

    /// Returns the advice to the user, if there is any.
    pub fn next_step(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// Formats the error as one line, without the hint.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.what)?;
        match &self.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// Returns the words of the system, without its error number.
pub fn in_words(cause: &io::Error) -> String {
    let text = cause.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

/// Formats a path for messages. `-` is shown as "standard input".
pub fn display(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        shown(path).to_string()
    }
}

/// Writes a path to JSON unchanged. A path that is not UTF-8 becomes `{"bytes": "61ff"}`, in
/// hexadecimal, because any text could be the name of another file.
pub fn serialize_path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    if let Some(text) = path.to_str() {
        return serializer.serialize_str(text);
    }
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let bytes: String = bytes.map(|byte| format!("{byte:02x}")).collect();
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry("bytes", &bytes)?;
    map.end()
}
