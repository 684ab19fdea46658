//! Manifests that are verified before their lines are read.

use crate::{
    digest::Hasher,
    envelope::{Envelope, VerifyError},
    error::{ParseError, Problem},
    manifest::{ENTRY, SignedManifest, VERSION},
    path::FilePath,
    statement::{Statement, Subject},
    text::Lines,
};
use falcon_core::AnyVerifyingKey;
use std::{
    fmt,
    io::{self, BufRead, Read},
};

/// Length of the longest line of a file in bytes: hash, length, path and line end.
const MAX_LINE: usize = 128 + 1 + 20 + 1 + FilePath::MAX_LEN + 1;

/// A signed manifest whose lines were hashed but not parsed.
///
/// A manifest may be long, and anybody can write one. So hash it first, in constant memory, and
/// call [`SignedManifest::parse`] only if the signature is valid:
///
/// ```
/// use falcon_envelope::{SignedManifest, UnreadManifest};
/// # use falcon_core::{AnySigningKey, Falcon512, SigningKey};
/// # use falcon_envelope::{Manifest, Statement, Time};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let key = AnySigningKey::from(SigningKey::<Falcon512>::from_seed(&[7; 32])?);
/// # let public = key.verifying_key();
/// # let manifest = Manifest::new(Vec::new())?;
/// # let time = Time::parse("2025-06-01T12:00:00Z").unwrap();
/// # let statement = Statement::new(&public, time, None, manifest.subject())?;
/// # let envelope = statement.sign_with_rng(&mut rand::rng(), &key)?;
/// # let text = SignedManifest::new(manifest, envelope).to_string();
/// UnreadManifest::read(text.as_bytes())?.verify(&public)?;
/// let signed = SignedManifest::parse(text.as_bytes())?;
/// // If the text comes from a file, it may have changed since.
/// let (manifest, said) = signed.verify(&public)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UnreadManifest {
    found: Subject,
    envelope: Envelope,
    files: usize,
}

impl UnreadManifest {
    /// Reads a signed manifest to its end. Verifies nothing, and accepts malformed lines of files.
    ///
    /// # Errors
    /// [`ReadError::Parse`] if the first line is not that of a manifest, a line is too long for a
    /// file, the text is longer than [`SignedManifest::MAX_LEN`], or it does not end with an
    /// envelope. [`ReadError::Io`] if `reader` fails.
    pub fn read(mut reader: impl BufRead) -> Result<Self, ReadError> {
        let mut hasher = Hasher::new();
        let mut line = Vec::with_capacity(MAX_LINE);
        let (mut taken, mut left) = (0, SignedManifest::MAX_LEN);
        loop {
            line.clear();
            let most = MAX_LINE.min(left);
            // Reads one byte more than allowed, to detect a longer text.
            let mut rest = reader.by_ref().take(most as u64 + 1);
            rest.read_until(b'\n', &mut line)?;
            if line.len() > most {
                let max = SignedManifest::MAX_LEN;
                let problem = match (most < MAX_LINE, taken) {
                    (true, _) => Problem::TooLong { max },
                    (false, 0) => Problem::Format { expected: VERSION },
                    (false, _) => Problem::Value { expected: ENTRY },
                };
                return Err(ParseError::new(taken + 1, problem).into());
            }
            if taken > 0 && Envelope::is_likely(&line) {
                break;
            }
            if line.last() != Some(&b'\n') {
                return Err(ParseError::new(taken + 1, Problem::Truncated).into());
            }
            if taken == 0 {
                Lines::new(&line, MAX_LINE)?.take_version(VERSION)?;
            }
            hasher.update(&line);
            left -= line.len();
            taken += 1;
        }
        let mut rest = reader.take((Envelope::MAX_LEN + 1) as u64);
        rest.read_to_end(&mut line)?;
        Ok(Self {
            found: Subject::Manifest(hasher.finish()),
            envelope: Envelope::parse(&line).map_err(|error| error.after(taken))?,
            files: taken - 1,
        })
    }

    /// Number of lines that should each name a file. [`SignedManifest::parse`] checks that they
    /// do.
    pub fn files(&self) -> usize {
        self.files
    }

    /// The envelope.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Verifies that `key` signed the text before the envelope, and returns the signer's statement.
    ///
    /// # Errors
    /// [`VerifyError`].
    pub fn verify(&self, key: &AnyVerifyingKey) -> Result<&Statement, VerifyError> {
        self.envelope.verify_subject(key, &self.found)
    }
}

/// Reason that a manifest cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The reader failed.
    Io(io::Error),
    /// The text is not a signed manifest.
    Parse(ParseError),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ParseError> for ReadError {
    fn from(error: ParseError) -> Self {
        Self::Parse(error)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Parse(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Parse(error) => Some(error),
        }
    }
}
