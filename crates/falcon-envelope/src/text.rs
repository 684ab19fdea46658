//! Lines, fields and values: the common grammar of the three formats.

use crate::error::{ParseError, Problem};
use base64ct::{Base64, Encoding};
use falcon_invisible::is_invisible;
use std::fmt;

/// Length of the longest comment, name or reason in bytes.
pub const MAX_TEXT_LEN: usize = 1024;

/// Reason for refusing a comment, a name or a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextError {
    /// Empty text.
    Empty,
    /// Text longer than [`MAX_TEXT_LEN`] bytes.
    TooLong,
    /// Text that begins or ends with white space.
    OuterSpace,
    /// Text with a character that [`is_invisible`].
    Character(char),
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the text is empty"),
            Self::TooLong => write!(f, "the text is longer than {MAX_TEXT_LEN} bytes"),
            Self::OuterSpace => f.write_str("the text begins or ends with a space"),
            Self::Character(character) => {
                write!(f, "the text contains {}", character.escape_unicode())
            }
        }
    }
}

impl std::error::Error for TextError {}

/// Checks a comment, a name or a reason.
///
/// # Errors
/// [`TextError`].
pub fn check_text(text: &str) -> Result<(), TextError> {
    if text.is_empty() {
        Err(TextError::Empty)
    } else if text.len() > MAX_TEXT_LEN {
        Err(TextError::TooLong)
    } else if text.trim().len() != text.len() {
        Err(TextError::OuterSpace)
    } else {
        match text.chars().find(|&character| is_invisible(character)) {
            Some(character) => Err(TextError::Character(character)),
            None => Ok(()),
        }
    }
}

/// The lines of a text that are still to be read.
pub(crate) struct Lines<'a> {
    rest: &'a str,
    /// Number of lines that were read.
    taken: usize,
}

impl<'a> Lines<'a> {
    /// Checks the rules of all formats: length, UTF-8, no carriage return.
    pub(crate) fn new(bytes: &'a [u8], max: usize) -> Result<Self, ParseError> {
        if bytes.len() > max {
            return Err(ParseError::new(1, Problem::TooLong { max }));
        }
        let at = |position: usize, problem| {
            let ends = bytes[..position].iter().filter(|&&byte| byte == b'\n');
            ParseError::new(ends.count() + 1, problem)
        };
        let rest =
            str::from_utf8(bytes).map_err(|error| at(error.valid_up_to(), Problem::Encoding))?;
        if let Some(position) = rest.find('\r') {
            return Err(at(position, Problem::CarriageReturn));
        }
        Ok(Self { rest, taken: 0 })
    }

    /// Reads the next line, without its line end.
    pub(crate) fn take(&mut self) -> Result<&'a str, ParseError> {
        self.taken += 1;
        let (line, rest) = self
            .rest
            .split_once('\n')
            .ok_or(ParseError::new(self.taken, Problem::Truncated))?;
        self.rest = rest;
        Ok(line)
    }

    /// Reads the first line of a format, which names its version.
    pub(crate) fn take_version(&mut self, known: &'static str) -> Result<(), ParseError> {
        let line = self.take()?;
        let name = known.trim_end_matches(|c: char| c.is_ascii_digit());
        if line == known {
            Ok(())
        } else if line.starts_with(name) {
            Err(self.refused(Problem::Version { known }))
        } else {
            Err(self.refused(Problem::Format { expected: known }))
        }
    }

    /// Reads the line `name: value` and returns its value.
    pub(crate) fn take_field(&mut self, name: &'static str) -> Result<&'a str, ParseError> {
        let line = self.take()?;
        value_of(line, name).ok_or(self.refused(Problem::Field { expected: name }))
    }

    /// Reads the line `name: value` if the next line has this name.
    pub(crate) fn take_optional(&mut self, name: &'static str) -> Option<&'a str> {
        let (line, rest) = self.rest.split_once('\n')?;
        let value = value_of(line, name)?;
        self.rest = rest;
        self.taken += 1;
        Some(value)
    }

    /// The text from the next line on.
    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    /// Makes an error about the line that was read last.
    pub(crate) fn refused(&self, problem: Problem) -> ParseError {
        ParseError::new(self.taken, problem)
    }

    /// Makes an error about a value in the line that was read last.
    pub(crate) fn expected(&self, expected: &'static str) -> ParseError {
        self.refused(Problem::Value { expected })
    }

    /// Returns true if all lines were read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Checks that all lines were read.
    pub(crate) fn finish(self) -> Result<(), ParseError> {
        if self.is_at_end() {
            Ok(())
        } else {
            Err(ParseError::new(self.taken + 1, Problem::TrailingLine))
        }
    }
}

fn value_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.strip_prefix(name)?.strip_prefix(": ")
}

/// Reads lower-case hexadecimal digits.
pub(crate) fn from_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let read = base16ct::lower::decode(digits, &mut bytes).ok()?.len();
    (read == N).then_some(bytes)
}

/// Reads a decimal number without sign and leading zeros.
pub(crate) fn from_decimal(digits: &str) -> Option<u64> {
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'));
    canonical.then(|| digits.parse().ok())?
}

/// Reads Base64 with padding, and with zeros in the bits that encode nothing.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    Base64::decode_vec(text).ok()
}

/// Writes Base64 with padding.
pub(crate) fn to_base64(bytes: &[u8]) -> String {
    Base64::encode_string(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_spelling() {
        assert_eq!(from_decimal("0"), Some(0));
        assert_eq!(from_decimal("18446744073709551615"), Some(u64::MAX));
        for other in [
            "",
            "00",
            "01",
            "+1",
            "-1",
            " 1",
            "1 ",
            "18446744073709551616",
            "\u{663}",
        ] {
            assert_eq!(from_decimal(other), None, "{other:?}");
        }
    }

    #[test]
    fn hexadecimal_has_one_spelling() {
        assert_eq!(from_hex("00ff"), Some([0, 255]));
        for other in ["00FF", "00f", "00ff0", "00ff00", "0g00", ""] {
            assert_eq!(from_hex::<2>(other), None, "{other:?}");
        }
    }

    #[test]
    fn base64_has_one_spelling() {
        assert_eq!(from_base64("AAE="), Some(vec![0, 1]));
        for other in [
            "AAE", "AAF=", "AAE=\n", "AA E=", "AAE==", "AAE-", "A", "====",
        ] {
            assert_eq!(from_base64(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_text_is_one_visible_line() {
        assert_eq!(check_text("release 1.2, für alle \u{1f980}"), Ok(()));
        assert_eq!(check_text(&"x".repeat(MAX_TEXT_LEN)), Ok(()));
        assert_eq!(
            check_text(&"x".repeat(MAX_TEXT_LEN + 1)),
            Err(TextError::TooLong)
        );
        assert_eq!(check_text(""), Err(TextError::Empty));
        for text in [" a", "a ", "\u{a0}a"] {
            assert_eq!(check_text(text), Err(TextError::OuterSpace), "{text:?}");
        }
        for character in [
            '\n', '\r', '\t', '\0', '\u{1b}', '\u{7f}', '\u{85}', '\u{202e}',
        ] {
            let text = format!("a{character}b");
            assert_eq!(check_text(&text), Err(TextError::Character(character)));
        }
    }
}
