//! The identity of the content of a file: its hash and its length.

use crate::text::{from_decimal, from_hex};
use falcon_keccak::Shake256;
use std::{
    fmt,
    io::{self, Read},
};

/// Number of bytes that [`Digest::of_reader`] reads at a time.
const CHUNK: usize = 64 * 1024;

/// Hash and length of the content of a file, written as 128 hexadecimal digits, a space and the
/// number of bytes.
///
/// The hash is the first 64 bytes of SHAKE256: `openssl dgst -shake256 -xoflen 64 FILE` prints it.
///
/// ```
/// use falcon_envelope::Digest;
///
/// let digest = Digest::of(b"order #42");
/// assert_eq!(digest.length(), 9);
/// assert!(digest.to_string().ends_with(" 9"));
/// assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest {
    shake256: [u8; 64],
    length: u64,
}

impl Digest {
    /// Description of a digest in error messages.
    pub(crate) const EXPECTED: &'static str = "128 hexadecimal digits, a space and a length";

    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Hashes everything that can be read, in constant memory.
    ///
    /// # Errors
    /// The error of `reader`.
    pub fn of_reader(mut reader: impl Read) -> io::Result<Self> {
        let mut hasher = Hasher::new();
        let mut buffer = vec![0; CHUNK];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(read) => hasher.update(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The first 64 bytes of SHAKE256 of the content.
    pub fn shake256(&self) -> &[u8; 64] {
        &self.shake256
    }

    /// Number of bytes of the content.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads a digest. Accepts only one spelling.
    pub fn parse(text: &str) -> Option<Self> {
        let (hash, length) = text.split_once(' ')?;
        Some(Self {
            shake256: from_hex(hash)?,
            length: from_decimal(length)?,
        })
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = base16ct::lower::encode_string(&self.shake256);
        write!(f, "{hash} {}", self.length)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// Computes the [`Digest`] of content that arrives in pieces.
#[derive(Clone)]
pub struct Hasher {
    shake256: Shake256,
    length: u64,
}

impl Hasher {
    /// Starts with empty content.
    pub fn new() -> Self {
        Self {
            shake256: Shake256::new(),
            length: 0,
        }
    }

    /// Appends a piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.shake256.update(piece);
        self.length += piece.len() as u64;
    }

    /// Returns the digest of all pieces.
    pub fn finish(self) -> Digest {
        Digest {
            shake256: self.shake256.finalize().read_array(),
            length: self.length,
        }
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}
