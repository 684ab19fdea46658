//! The files of a folder, with one signature.

use crate::{
    digest::{Digest, Hasher},
    envelope::{Envelope, VerifyError},
    error::{ParseError, Problem},
    path::FilePath,
    statement::{Statement, Subject},
    text::Lines,
};
use falcon_core::AnyVerifyingKey;
use std::{
    cmp::Ordering,
    fmt::{self, Write},
    str::FromStr,
};

/// The first line of a manifest.
pub(crate) const VERSION: &str = "falcon-manifest v1";

/// Description of a line of a manifest in error messages.
pub(crate) const ENTRY: &str = "a hash, a length and a path within the folder";

/// A file of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Path within the folder.
    pub path: FilePath,
    /// Digest of the content.
    pub digest: Digest,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.digest, self.path)
    }
}

/// The files of a folder, sorted by the bytes of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Manifest {
    entries: Vec<Entry>,
}

impl Manifest {
    /// Largest number of files in a manifest.
    pub const MAX_FILES: usize = 1 << 20;

    /// Sorts the files.
    ///
    /// # Errors
    /// [`ManifestError`] if two files have the same path, there are too many files, or the text
    /// would be too long.
    pub fn new(mut entries: Vec<Entry>) -> Result<Self, ManifestError> {
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        if let Some(pair) = entries.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(ManifestError::Duplicate(pair[0].path.clone()));
        }
        if entries.len() > Self::MAX_FILES {
            return Err(ManifestError::TooManyFiles);
        }
        let manifest = Self { entries };
        // Makes sure that a written manifest can be read again.
        if manifest.digest().length() > (SignedManifest::MAX_LEN - Envelope::MAX_LEN) as u64 {
            return Err(ManifestError::TooLong);
        }
        Ok(manifest)
    }

    /// The files, sorted by the bytes of their paths.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Subject of a statement about the manifest.
    pub fn subject(&self) -> Subject {
        Subject::Manifest(self.digest())
    }

    /// Hashes the text while it is written, so that the whole text is never in memory.
    fn digest(&self) -> Digest {
        struct Text(Hasher);
        impl Write for Text {
            fn write_str(&mut self, piece: &str) -> fmt::Result {
                self.0.update(piece.as_bytes());
                Ok(())
            }
        }
        let mut text = Text(Hasher::new());
        let written = write!(text, "{self}");
        debug_assert!(written.is_ok(), "the hasher takes everything");
        text.0.finish()
    }

    /// Compares the paths with the paths in `found`, which must be sorted. A file whose path is in
    /// both may still be changed, so compare its digest.
    pub fn compare<'a>(&'a self, found: &'a [FilePath]) -> Vec<Difference<'a>> {
        let mut differences = Vec::with_capacity(self.entries.len());
        let (mut entries, mut found) = (&self.entries[..], found);
        loop {
            let (difference, signed_taken, found_taken) = match (entries, found) {
                ([], []) => return differences,
                ([entry, ..], []) => (Difference::Missing(entry), true, false),
                ([], [path, ..]) => (Difference::Extra(path), false, true),
                ([entry, ..], [path, ..]) => match entry.path.cmp(path) {
                    Ordering::Less => (Difference::Missing(entry), true, false),
                    Ordering::Greater => (Difference::Extra(path), false, true),
                    Ordering::Equal => (Difference::Present(entry), true, true),
                },
            };
            differences.push(difference);
            entries = &entries[usize::from(signed_taken)..];
            found = &found[usize::from(found_taken)..];
        }
    }

    /// Reads a manifest up to the envelope that follows it.
    fn read(lines: &mut Lines<'_>) -> Result<Self, ParseError> {
        lines.take_version(VERSION)?;
        let mut entries: Vec<Entry> = Vec::new();
        // Stops at an envelope of any version. The reader of envelopes refuses unknown versions.
        while !Envelope::is_likely(lines.rest().as_bytes()) {
            let line = lines.take()?;
            if entries.len() == Self::MAX_FILES {
                return Err(lines.expected("no more than 1048576 files"));
            }
            let entry = read_entry(line).ok_or(lines.expected(ENTRY))?;
            match entries.last().map(|last| last.path.cmp(&entry.path)) {
                None | Some(Ordering::Less) => entries.push(entry),
                Some(Ordering::Equal) => {
                    return Err(lines.refused(Problem::Duplicate { what: "path" }));
                }
                Some(Ordering::Greater) => return Err(lines.refused(Problem::Order)),
            }
        }
        Ok(Self { entries })
    }
}

fn read_entry(line: &str) -> Option<Entry> {
    let (hash, rest) = line.split_once(' ')?;
    let (length, path) = rest.split_once(' ')?;
    Some(Entry {
        digest: Digest::parse(&line[..hash.len() + 1 + length.len()])?,
        path: FilePath::parse(path).ok()?,
    })
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{VERSION}")?;
        self.entries
            .iter()
            .try_for_each(|entry| writeln!(f, "{entry}"))
    }
}

/// Relation between a path of a manifest and a path that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference<'a> {
    /// The file was signed, but is not there.
    Missing(&'a Entry),
    /// The file is there, but was not signed.
    Extra(&'a FilePath),
    /// The file was signed and is there. Compare its digest to find out whether it has changed.
    Present(&'a Entry),
}

/// A manifest and the envelope that signs it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignedManifest {
    manifest: Manifest,
    envelope: Envelope,
}

impl SignedManifest {
    /// Length of the longest signed manifest in bytes.
    pub const MAX_LEN: usize = 256 << 20;

    /// Combines a manifest and its envelope. [`verify`](Self::verify) checks that they belong
    /// together.
    pub fn new(manifest: Manifest, envelope: Envelope) -> Self {
        Self { manifest, envelope }
    }

    /// Returns true if `bytes` begin like a signed manifest of any version.
    pub fn is_likely(bytes: &[u8]) -> bool {
        let name = VERSION.trim_end_matches(|c: char| c.is_ascii_digit());
        bytes.starts_with(name.as_bytes())
    }

    /// Reads a signed manifest. Verifies nothing.
    ///
    /// # Errors
    /// [`ParseError`] if `bytes` are not exactly what [`to_string`](ToString::to_string) of a
    /// signed manifest gives.
    pub fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut lines = Lines::new(bytes, Self::MAX_LEN)?;
        let manifest = Manifest::read(&mut lines)?;
        let envelope = Envelope::read(&mut lines)?;
        lines.finish()?;
        Ok(Self { manifest, envelope })
    }

    /// The envelope.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Verifies that `key` signed the manifest. Returns the manifest and the signer's statement.
    ///
    /// # Errors
    /// [`VerifyError`].
    pub fn verify(&self, key: &AnyVerifyingKey) -> Result<(&Manifest, &Statement), VerifyError> {
        let statement = self
            .envelope
            .verify_subject(key, &self.manifest.subject())?;
        Ok((&self.manifest, statement))
    }
}

impl FromStr for SignedManifest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text.as_bytes())
    }
}

impl fmt::Display for SignedManifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.manifest, self.envelope)
    }
}

/// Reason that files do not make a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManifestError {
    /// Two files have this path.
    Duplicate(FilePath),
    /// There are more than [`Manifest::MAX_FILES`] files.
    TooManyFiles,
    /// With the longest envelope, the text would be longer than [`SignedManifest::MAX_LEN`].
    TooLong,
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate(path) => write!(f, "two files have the path {path}"),
            Self::TooManyFiles => write!(f, "there are more than {} files", Manifest::MAX_FILES),
            Self::TooLong => f.write_str("the manifest would be longer than 256 MiB"),
        }
    }
}

impl std::error::Error for ManifestError {}
