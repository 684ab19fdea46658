//! NIST `.rsp` files: a title line, then records of eight `name = value` lines, with byte strings
//! in hexadecimal.
//!
//! Files are read as streams, so a file of any length needs the memory of one record. The contents
//! are checked strictly: each field once, in order, with the declared lengths. Line ends, blank
//! lines, comment lines, spaces around `=` and the case of digits do not matter. Writing gives the
//! exact bytes of the published files; see [`Style`].

mod error;
mod field;

pub use error::{ParseError, ParseErrorKind, ReadError};
pub use field::Field;

use std::{
    fmt,
    io::{self, BufRead, Read, Write},
    str::FromStr,
};

/// Number of characters of the longest line that is read: a message of half a megabyte. The longest
/// line of a published file has 9300.
const MAX_LINE: usize = 1 << 20;

/// One record. Lengths in the file are the lengths of these vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the record, from 0 in published files.
    pub count: u64,
    /// Entropy of the record's generator.
    pub seed: [u8; 48],
    /// The message.
    pub message: Vec<u8>,
    /// The public key.
    pub public_key: Vec<u8>,
    /// The secret key.
    pub secret_key: Vec<u8>,
    /// Signature and message, in the algorithm's attached form.
    pub signed_message: Vec<u8>,
}

/// Layout of a file: whether it has a title, and where blank lines are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Style of NIST's driver: a title and a blank line first, and a blank line after every record.
    #[default]
    Nist,
    /// Style of PQClean's `nistkat` driver (one record) and of liboqs (all records): no title, and
    /// a blank line between records.
    Pqclean,
}

impl FromStr for Style {
    type Err = UnknownStyle;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "nist" => Ok(Self::Nist),
            "pqclean" => Ok(Self::Pqclean),
            _ => Err(UnknownStyle(name.to_owned())),
        }
    }
}

/// No style of known-answer files has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStyle(String);

impl fmt::Display for UnknownStyle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown style `{}`, expected nist or pqclean", self.0)
    }
}

impl std::error::Error for UnknownStyle {}

/// Writes records one after the other.
///
/// ```
/// # use falcon_kat::rsp::{Reader, Style, Writer};
/// # fn copy(input: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
/// let mut writer = Writer::new(Vec::new(), Style::Nist, "Falcon-512")?;
/// for record in Reader::new(input) {
///     writer.write(&record?)?;
/// }
/// # Ok(writer.into_inner()) }
/// # assert_eq!(copy(b"# Falcon-512\n\n").unwrap(), b"# Falcon-512\n\n");
/// ```
pub struct Writer<W> {
    out: W,
    style: Style,
    first: bool,
}

impl<W: Write> Writer<W> {
    /// Writes the title, if the style has one.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn new(mut out: W, style: Style, title: &str) -> io::Result<Self> {
        if style == Style::Nist {
            write!(out, "# {title}\n\n")?;
        }
        Ok(Self {
            out,
            style,
            first: true,
        })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        if self.style == Style::Pqclean && !self.first {
            writeln!(self.out)?;
        }
        self.first = false;
        let out = &mut self.out;
        writeln!(out, "{} = {}", Field::Count, record.count)?;
        bytes_line(out, Field::Seed, &record.seed)?;
        writeln!(out, "{} = {}", Field::MessageLength, record.message.len())?;
        bytes_line(out, Field::Message, &record.message)?;
        bytes_line(out, Field::PublicKey, &record.public_key)?;
        bytes_line(out, Field::SecretKey, &record.secret_key)?;
        let length = record.signed_message.len();
        writeln!(out, "{} = {length}", Field::SignedMessageLength)?;
        bytes_line(out, Field::SignedMessage, &record.signed_message)?;
        if self.style == Style::Nist {
            writeln!(out)?;
        }
        Ok(())
    }

    /// Returns the writer.
    pub fn into_inner(self) -> W {
        self.out
    }
}

/// Writes a line of bytes. NIST's driver prints an empty string as `00`.
fn bytes_line(out: &mut impl Write, field: Field, bytes: &[u8]) -> io::Result<()> {
    let bytes = if bytes.is_empty() { &[0][..] } else { bytes };
    writeln!(out, "{field} = {}", hex_upper(bytes))
}

/// Formats bytes in upper-case hexadecimal.
pub fn hex_upper(bytes: &[u8]) -> String {
    base16ct::upper::encode_string(bytes)
}

/// Reads records one after the other. The iterator ends after an error.
pub struct Reader<R> {
    input: R,
    line_number: u64,
    title: Option<String>,
    done: bool,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader. It reads nothing yet.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line_number: 0,
            title: None,
            done: false,
        }
    }

    /// Returns the first comment line read so far, without `#`. In files of [`Style::Nist`] it
    /// names the algorithm.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    fn error(&self, kind: ParseErrorKind) -> ReadError {
        ReadError::Parse(ParseError {
            line: self.line_number,
            kind,
        })
    }

    /// Reads the next line that is neither blank nor a comment, and trims it.
    fn line(&mut self) -> Result<Option<String>, ReadError> {
        loop {
            let mut bytes = Vec::new();
            let read = (&mut self.input)
                .take(MAX_LINE as u64 + 1)
                .read_until(b'\n', &mut bytes)
                .map_err(ReadError::Io)?;
            if read == 0 {
                return Ok(None);
            }
            self.line_number += 1;
            if read > MAX_LINE {
                return Err(self.error(ParseErrorKind::LineTooLong { limit: MAX_LINE }));
            }
            let text = core::str::from_utf8(&bytes)
                .map_err(|_| self.error(ParseErrorKind::NotText))?
                .trim();
            match text.strip_prefix('#') {
                Some(title) if self.title.is_none() => self.title = Some(title.trim().to_owned()),
                Some(_) => {}
                None if text.is_empty() => {}
                None => return Ok(Some(text.to_owned())),
            }
        }
    }

    /// Reads the value of the next line, which must be `field`. Returns `None` at the end of the
    /// file.
    fn value_or_end(&mut self, field: Field) -> Result<Option<String>, ReadError> {
        let Some(line) = self.line()? else {
            return Ok(None);
        };
        match line.split_once('=') {
            Some((name, value)) if name.trim_end() == field.name() => {
                Ok(Some(value.trim_start().to_owned()))
            }
            _ => {
                let name = line.split('=').next().unwrap_or_default().trim_end();
                let found = Field::ALL.into_iter().find(|field| field.name() == name);
                Err(self.error(ParseErrorKind::ExpectedField { field, found }))
            }
        }
    }

    fn value(&mut self, field: Field) -> Result<String, ReadError> {
        match self.value_or_end(field)? {
            Some(value) => Ok(value),
            None => Err(self.error(ParseErrorKind::UnexpectedEnd { field })),
        }
    }

    fn number<T: FromStr>(&self, field: Field, value: &str) -> Result<T, ReadError> {
        // `from_str` of integers would accept a leading plus.
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        match value.parse() {
            Ok(number) if digits => Ok(number),
            _ => Err(self.error(ParseErrorKind::Number { field })),
        }
    }

    fn bytes(&mut self, field: Field) -> Result<Vec<u8>, ReadError> {
        let value = self.value(field)?;
        unhex(value.as_bytes()).map_err(|position| match position {
            Some(position) => self.error(ParseErrorKind::Digit { field, position }),
            None => self.error(ParseErrorKind::OddDigits { field }),
        })
    }

    fn bytes_of_length(&mut self, field: Field, declared: usize) -> Result<Vec<u8>, ReadError> {
        let bytes = self.bytes(field)?;
        if declared == 0 && bytes == [0] {
            return Ok(Vec::new());
        }
        if bytes.len() != declared {
            return Err(self.error(ParseErrorKind::Length {
                field,
                declared,
                actual: bytes.len(),
            }));
        }
        Ok(bytes)
    }

    fn length(&mut self, field: Field) -> Result<usize, ReadError> {
        let value = self.value(field)?;
        self.number(field, &value)
    }

    fn record(&mut self) -> Result<Option<Record>, ReadError> {
        let Some(count) = self.value_or_end(Field::Count)? else {
            return Ok(None);
        };
        let count = self.number(Field::Count, &count)?;
        let seed = self.bytes(Field::Seed)?;
        let seed = seed.as_slice().try_into().map_err(|_| {
            self.error(ParseErrorKind::Length {
                field: Field::Seed,
                declared: 48,
                actual: seed.len(),
            })
        })?;
        let length = self.length(Field::MessageLength)?;
        let message = self.bytes_of_length(Field::Message, length)?;
        let public_key = self.bytes(Field::PublicKey)?;
        let secret_key = self.bytes(Field::SecretKey)?;
        let length = self.length(Field::SignedMessageLength)?;
        let signed_message = self.bytes_of_length(Field::SignedMessage, length)?;
        Ok(Some(Record {
            count,
            seed,
            message,
            public_key,
            secret_key,
            signed_message,
        }))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let record = self.record();
        self.done = !matches!(record, Ok(Some(_)));
        record.transpose()
    }
}

/// Decodes hexadecimal digits. The error is the position of the first character that is not a
/// digit, or `None` if the number of digits is odd.
fn unhex(text: &[u8]) -> Result<Vec<u8>, Option<usize>> {
    if let Some(position) = text.iter().position(|byte| !byte.is_ascii_hexdigit()) {
        return Err(Some(position));
    }
    base16ct::mixed::decode_vec(text).map_err(|_| None)
}

#[cfg(test)]
mod tests;
