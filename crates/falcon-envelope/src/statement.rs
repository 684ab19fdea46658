//! Statements of signers: which key signs, when, and what.

use crate::{
    digest::Digest,
    error::ParseError,
    fingerprint::Fingerprint,
    text::{Lines, TextError, check_text},
    time::Time,
};
use falcon_core::hazmat::Cshake256HashToPoint;
use falcon_core::{AnyVerifyingKey, DecodeError, FaultError, ParameterSet};
use std::fmt;

/// The first line of an envelope.
pub(crate) const VERSION: &str = "falcon-envelope v1";

/// The parameter sets that version 1 of the formats has names for.
const SETS: [ParameterSet; 2] = [ParameterSet::Falcon512, ParameterSet::Falcon1024];

/// The signed content, and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The content of a file.
    File(Digest),
    /// The text of a [`Manifest`](crate::Manifest).
    Manifest(Digest),
}

/// Statement of a signer: key, time, subject and comment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Statement {
    algorithm: ParameterSet,
    key: Fingerprint,
    time: Time,
    comment: Option<String>,
    subject: Subject,
}

impl Statement {
    /// The hash of statements, with the customization `falcon-envelope v1`. So a signature of a
    /// plain message is not a signature of a statement, and the other way round.
    pub const HASH: Cshake256HashToPoint =
        Cshake256HashToPoint::new(VERSION.as_bytes()).expect("a length that is allowed");

    /// Makes the statement of the owner of `key`.
    ///
    /// # Errors
    /// [`StatementError::Comment`] if `comment` is not a line of at most
    /// [`MAX_TEXT_LEN`](crate::MAX_TEXT_LEN) bytes. [`StatementError::Algorithm`] if the parameter
    /// set of `key` is neither Falcon-512 nor Falcon-1024.
    pub fn new(
        key: &AnyVerifyingKey,
        time: Time,
        comment: Option<&str>,
        subject: Subject,
    ) -> Result<Self, StatementError> {
        comment
            .map_or(Ok(()), check_text)
            .map_err(StatementError::Comment)?;
        let algorithm = SETS.into_iter().find(|set| *set == key.set());
        Ok(Self {
            algorithm: algorithm.ok_or(StatementError::Algorithm)?,
            key: Fingerprint::of(key),
            time,
            comment: comment.map(str::to_owned),
            subject,
        })
    }

    /// The parameter set of the key.
    pub fn algorithm(&self) -> ParameterSet {
        self.algorithm
    }

    /// The fingerprint of the key that signs.
    pub fn key(&self) -> Fingerprint {
        self.key
    }

    /// Time of the signature, as the signer claims. Nobody else confirms it.
    pub fn time(&self) -> Time {
        self.time
    }

    /// The signer's comment.
    pub fn comment(&self) -> Option<&str> {
        self.comment.as_deref()
    }

    /// Subject of the statement.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The message that is signed, with the hash [`HASH`](Self::HASH): the text of the statement.
    pub fn to_signed_bytes(&self) -> Vec<u8> {
        self.to_string().into_bytes()
    }

    /// Reads a statement from its first line on.
    pub(crate) fn read(lines: &mut Lines<'_>) -> Result<Self, ParseError> {
        lines.take_version(VERSION)?;
        let name = lines.take_field("algorithm")?;
        let algorithm = SETS.into_iter().find(|set| set.name() == name);
        let algorithm = algorithm.ok_or(lines.expected("Falcon-512 or Falcon-1024"))?;
        let key = Fingerprint::parse(lines.take_field("key")?)
            .ok_or(lines.expected("a fingerprint of 64 hexadecimal digits"))?;
        let time = take_time(lines, "time")?;
        let comment = match lines.take_optional("comment") {
            Some(comment) => Some(checked(lines, comment)?),
            None => None,
        };
        let digest =
            |lines: &Lines<'_>, value| Digest::parse(value).ok_or(lines.expected(Digest::EXPECTED));
        let subject = match lines.take_optional("manifest") {
            Some(value) => Subject::Manifest(digest(lines, value)?),
            None => {
                let value = lines.take_field("file")?;
                Subject::File(digest(lines, value)?)
            }
        };
        Ok(Self {
            algorithm,
            key,
            time,
            comment,
            subject,
        })
    }
}

/// Reads the line of a time.
pub(crate) fn take_time(lines: &mut Lines<'_>, name: &'static str) -> Result<Time, ParseError> {
    let value = lines.take_field(name)?;
    Time::parse(value).ok_or(lines.expected("a time like 2025-06-01T12:00:00Z"))
}

/// Checks the text of a comment, a name or a reason. An error gives the number of the line that was
/// read last.
pub(crate) fn checked(lines: &Lines<'_>, text: &str) -> Result<String, ParseError> {
    check_text(text).map(|()| text.to_owned()).map_err(|_| {
        lines.expected("1 to 1024 bytes without invisible characters and without outer spaces")
    })
}

/// The lines of an envelope before its signature.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{VERSION}")?;
        writeln!(f, "algorithm: {}", self.algorithm.name())?;
        writeln!(f, "key: {}", self.key)?;
        writeln!(f, "time: {}", self.time)?;
        if let Some(comment) = &self.comment {
            writeln!(f, "comment: {comment}")?;
        }
        match &self.subject {
            Subject::File(digest) => writeln!(f, "file: {digest}"),
            Subject::Manifest(digest) => writeln!(f, "manifest: {digest}"),
        }
    }
}

/// Reason that a statement cannot be made or signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatementError {
    /// The comment is refused.
    Comment(TextError),
    /// The format has no name for the parameter set of the key.
    Algorithm,
    /// The signing key is not the one that the statement names.
    Key,
    /// The signature is not in the padded form.
    Signature(DecodeError),
    /// A hardware fault was detected, so there is no signature.
    Fault(FaultError),
}

impl fmt::Display for StatementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Comment(error) => write!(f, "the comment is refused: {error}"),
            Self::Algorithm => f.write_str("envelopes have no name for this parameter set"),
            Self::Key => f.write_str("the statement names another key"),
            Self::Signature(error) => write!(f, "not a padded signature: {error}"),
            Self::Fault(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StatementError {}
