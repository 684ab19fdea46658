//! Reasons for refusing a text, with the number of the line.

use std::fmt;

/// Reason that a text is not an envelope, a trust list or a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    line: usize,
    problem: Problem,
}

impl ParseError {
    pub(crate) fn new(line: usize, problem: Problem) -> Self {
        Self { line, problem }
    }

    /// Adds `lines` to the number of the line, for a text that follows after other lines.
    pub(crate) fn after(self, lines: usize) -> Self {
        Self::new(self.line + lines, self.problem)
    }

    /// Number of the line that is refused; the first line is 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Problem of the line.
    pub fn problem(&self) -> Problem {
        self.problem
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for ParseError {}

/// Problem of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The whole text is longer than the format allows.
    TooLong {
        /// Number of bytes that the format allows.
        max: usize,
    },
    /// The line is not UTF-8.
    Encoding,
    /// The line has a carriage return: line ends were converted.
    CarriageReturn,
    /// The text ends before or within the line.
    Truncated,
    /// The first line names another format.
    Format {
        /// The first line of the format.
        expected: &'static str,
    },
    /// The first line names a version that this library does not know.
    Version {
        /// The first line of the known version.
        known: &'static str,
    },
    /// The line does not begin with the name of the expected field.
    Field {
        /// Name of the field.
        expected: &'static str,
    },
    /// The value is malformed, or is not in the only spelling that the format allows.
    Value {
        /// Description of a correct value.
        expected: &'static str,
    },
    /// The line comes after the end of the format.
    TrailingLine,
    /// The fingerprint in the text is not that of the public key.
    FingerprintOfAnotherKey,
    /// Another entry has the same name, key or path.
    Duplicate {
        /// Name of the value that is the same.
        what: &'static str,
    },
    /// The path comes before that of the previous line.
    Order,
    /// The key's last second of validity is before its first one.
    EmptyPeriod,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { max } => write!(f, "the text is longer than {max} bytes"),
            Self::Encoding => f.write_str("not UTF-8"),
            Self::CarriageReturn => f.write_str("ends with a carriage return; line ends are LF"),
            Self::Truncated => f.write_str("the text ends here; a part is missing"),
            Self::Format { expected } => write!(f, "expected `{expected}`"),
            Self::Version { known } => write!(f, "unknown version; `{known}` is known"),
            Self::Field { expected } => write!(f, "expected `{expected}: ...`"),
            Self::Value { expected } => write!(f, "expected {expected}"),
            Self::TrailingLine => f.write_str("comes after the end"),
            Self::FingerprintOfAnotherKey => {
                f.write_str("the fingerprint is not that of the public key")
            }
            Self::Duplicate { what } => write!(f, "an earlier entry has the same {what}"),
            Self::Order => f.write_str("the paths are not sorted by their bytes"),
            Self::EmptyPeriod => f.write_str("valid-until is before valid-from"),
        }
    }
}
