//! Errors in known-answer files, with line numbers.

use super::field::Field;
use std::{fmt, io};

/// A record could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The input could not be read.
    Io(io::Error),
    /// The input is not a known-answer file.
    Parse(ParseError),
}

/// Error in a file, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Number of the line, from 1.
    pub line: u64,
    /// Kind of the error.
    pub kind: ParseErrorKind,
}

/// Kinds of errors in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// Another field was expected.
    ExpectedField {
        /// The field that was expected.
        field: Field,
        /// The field that was found instead. The error does not keep other lines: the file may be
        /// of another kind, and its content may be secret.
        found: Option<Field>,
    },
    /// The input ends within a record.
    UnexpectedEnd {
        /// The field that was expected.
        field: Field,
    },
    /// The value is not a decimal number, or it is too large.
    Number {
        /// The field.
        field: Field,
    },
    /// A character is not a hexadecimal digit.
    Digit {
        /// The field.
        field: Field,
        /// Position in the value, from 0.
        position: usize,
    },
    /// The number of hexadecimal digits is odd.
    OddDigits {
        /// The field.
        field: Field,
    },
    /// The number of bytes differs from the declared one.
    Length {
        /// The field.
        field: Field,
        /// Declared number of bytes.
        declared: usize,
        /// Actual number of bytes.
        actual: usize,
    },
    /// The line has more characters than any record needs.
    LineTooLong {
        /// The largest number of characters that is read.
        limit: usize,
    },
    /// The line is not UTF-8.
    NotText,
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExpectedField { field, found } => {
                write!(f, "expected `{field} = ...`, found ")?;
                match found {
                    Some(found) => write!(f, "`{found}`"),
                    None => f.write_str("none of the fields"),
                }
            }
            Self::UnexpectedEnd { field } => {
                write!(f, "the file ends here, expected `{field} = ...`")
            }
            Self::Number { field } => write!(f, "`{field}` is not a decimal number"),
            Self::Digit { field, position } => write!(
                f,
                "`{field}` has a character that is no hexadecimal digit, at position {position}"
            ),
            Self::OddDigits { field } => {
                write!(f, "`{field}` has an odd number of hexadecimal digits")
            }
            Self::Length {
                field,
                declared,
                actual,
            } => write!(f, "`{field}` has {actual} bytes, not {declared}"),
            Self::LineTooLong { limit } => write!(f, "line longer than {limit} characters"),
            Self::NotText => f.write_str("line is not text"),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.kind)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Parse(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ParseError {}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Parse(_) => None,
        }
    }
}
