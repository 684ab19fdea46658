//! Trust lists and manifests in files, which may be long.

use crate::{
    error::{Error, Result},
    input::{cannot_read, is_standard, open, regular_length},
    keys::malformed,
    shell::quote,
};
use falcon_envelope::{ParseError, ReadError, SignedManifest, TrustList, UnreadManifest};
use std::{
    fs::File,
    io::{self, BufReader, Read, Seek},
    path::Path,
};

/// Reads a trust list.
pub(crate) fn read_trust_list(path: &Path) -> Result<TrustList> {
    trust_list_of(path, open(path)?)
}

/// Reads a trust list from the reader of the file at `path`.
pub(crate) fn trust_list_of(path: &Path, reader: impl Read) -> Result<TrustList> {
    let mut bytes = Vec::new();
    // Reads one byte more than is allowed, so that the parser notices a list that is too long.
    reader
        .take(TrustList::MAX_LEN as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| cannot_read(path, &error))?;
    parse_trust_list(path, &bytes)
}

/// Parses a trust list that was read from `path`.
pub(crate) fn parse_trust_list(path: &Path, bytes: &[u8]) -> Result<TrustList> {
    parse(path, "a trust list", TrustList::parse(bytes))
}

/// A manifest that is read twice: first in constant memory to verify the signature, and then as a
/// whole. So a forged manifest costs no memory.
pub(crate) struct ManifestFile<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> ManifestFile<'a> {
    /// Opens a manifest. A stream is copied to a temporary file that has no name.
    pub(crate) fn open(path: &'a Path) -> Result<Self> {
        let cannot = |error| cannot_read(path, &error);
        let is_file = !is_standard(path) && path.metadata().is_ok_and(|file| file.is_file());
        let file = if is_file {
            File::open(path).map_err(cannot)?
        } else {
            let mut file = tempfile::tempfile().map_err(cannot)?;
            io::copy(&mut open(path)?.take(MAX_MANIFEST), &mut file).map_err(cannot)?;
            file
        };
        Ok(Self { path, file })
    }

    /// Hashes the manifest up to the envelope.
    pub(crate) fn unread(&mut self) -> Result<UnreadManifest> {
        let path = self.path;
        read_unread(path, self.start()?)
    }

    /// Reads the manifest.
    pub(crate) fn read(&mut self) -> Result<SignedManifest> {
        let mut bytes = Vec::new();
        let mut file = self.start()?.take(MAX_MANIFEST);
        file.read_to_end(&mut bytes)
            .map_err(|error| cannot_read(self.path, &error))?;
        parse(self.path, "a manifest", SignedManifest::parse(&bytes))
    }

    fn start(&mut self) -> Result<&File> {
        self.file
            .rewind()
            .map_err(|error| cannot_read(self.path, &error))?;
        Ok(&self.file)
    }
}

/// Reads a manifest in constant memory. Its lines are not parsed.
pub(crate) fn read_unread(path: &Path, reader: impl Read) -> Result<UnreadManifest> {
    let reader = BufReader::new(reader.take(MAX_MANIFEST));
    UnreadManifest::read(reader).map_err(|error| match error {
        ReadError::Io(error) => cannot_read(path, &error),
        ReadError::Parse(error) => malformed(path, "is not a manifest", error),
        error => Error::at(path, "is not a manifest").because(error),
    })
}

/// Returns true if a regular file begins like a manifest, and false if it cannot be read.
pub(crate) fn is_manifest(path: &Path) -> bool {
    let mut start = Vec::new();
    let mut read = || {
        let file = open(path)?;
        file.take(MANIFEST_START)
            .read_to_end(&mut start)
            .map_err(|error| cannot_read(path, &error))
    };
    regular_length(path).is_some() && read().is_ok() && SignedManifest::is_likely(&start)
}

/// Number of bytes at the beginning of a file that are enough to recognise a manifest.
const MANIFEST_START: u64 = 32;

/// Returns the command that verifies the folder of a manifest. `signers` are the options of the
/// command that name the signers.
pub(crate) fn command_to_verify(manifest: &Path, signers: &str) -> String {
    let folder = manifest.with_extension("");
    let is_beside = manifest.extension().is_some_and(|it| it == "manifest") && folder.is_dir();
    let operands = if is_beside {
        quote(&folder)
    } else {
        format!("FOLDER --manifest {}", quote(manifest))
    };
    format!("falcon-cli manifest verify{signers} {operands}")
}

/// Length limit for reading a manifest in bytes: one byte more than a manifest may have, so that
/// the parser notices a manifest that is too long.
const MAX_MANIFEST: u64 = SignedManifest::MAX_LEN as u64 + 1;

fn parse<T>(path: &Path, kind: &str, parsed: std::result::Result<T, ParseError>) -> Result<T> {
    parsed.map_err(|error| malformed(path, format_args!("is not {kind}"), error))
}
