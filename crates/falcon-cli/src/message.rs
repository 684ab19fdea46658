//! Reads messages. A short message is read as a whole, so that a batch can hold many of them. A
//! long message is hashed while it is read, in constant memory.

use crate::{
    error::{Error, Result},
    input::{cannot_read, is_standard, open, regular_length},
    progress::{Progress, ProgressReader},
};
use indicatif::HumanCount;
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Length in bytes of the longest message that is read as a whole.
const SHORT: usize = 64 * 1024;

/// Number of bytes of a long message that are read at a time.
const CHUNK: usize = 256 * 1024;

/// A file length that the system reports is trusted if it exceeds this number of bytes. Files of
/// /proc and /sys report false lengths, which are short.
const TRUSTED_LENGTH: u64 = 64 * 1024;

/// Returns true if the reported length alone shows that a regular file does not have `signed`
/// bytes. Files with a short reported length must be read.
pub(crate) fn length_differs(stated: u64, signed: u64) -> bool {
    stated > TRUSTED_LENGTH && stated != signed
}

/// Limits `reader` to one byte more than was signed, so that a longer input is noticed.
pub(crate) fn limit<R: Read>(reader: R, signed: u64) -> io::Take<R> {
    reader.take(signed.saturating_add(1))
}

/// Returns true if the file is probably a long message, or if it is not a regular file, so that
/// reading it might block. `Message::open` makes the final decision.
pub(crate) fn is_long(path: &Path) -> bool {
    let long = |file: std::fs::Metadata| !file.is_file() || file.len() > SHORT as u64;
    is_standard(path) || path.metadata().is_ok_and(long)
}

/// A message whose beginning has been read. A short message has been read as a whole.
pub(crate) struct Message<'p> {
    /// The beginning of the message, or all of it.
    start: Vec<u8>,
    rest: Option<Rest<'p>>,
}

/// Part of a message that has not been read yet.
struct Rest<'p> {
    path: PathBuf,
    input: ProgressReader<'p, Box<dyn Read + Send>>,
}

impl<'p> Message<'p> {
    /// Reads a short message, or the beginning of a long one.
    pub(crate) fn open(path: &Path, progress: &'p Progress) -> Result<Self> {
        Self::from_reader(path, open(path)?, progress)
    }

    /// Does the same as `open` for an open file: `input` reads the file at `path`.
    pub(crate) fn from_reader(
        path: &Path,
        input: Box<dyn Read + Send>,
        progress: &'p Progress,
    ) -> Result<Self> {
        let mut input = progress.reader(input);
        let mut start = Vec::new();
        (&mut input)
            .take(SHORT as u64 + 1)
            .read_to_end(&mut start)
            .map_err(|error| cannot_read(path, &error))?;
        let rest = (start.len() > SHORT).then(|| Rest {
            path: path.to_owned(),
            input,
        });
        Ok(Self { start, rest })
    }

    /// Makes a message of bytes in memory.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        Self {
            start: bytes,
            rest: None,
        }
    }

    /// Returns the beginning of the message, or all of it if it is short.
    pub(crate) fn start(&self) -> &[u8] {
        &self.start
    }

    /// Returns the whole message if it is short.
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        self.rest.is_none().then_some(&self.start)
    }

    /// Reads all of the message into memory, at most `max` bytes. The error about a longer message
    /// says that `signer` has this limit, and has the hint `otherwise`. A regular file that is too
    /// long is not read.
    pub(crate) fn into_bytes(self, max: usize, signer: &str, otherwise: &str) -> Result<Vec<u8>> {
        let Self {
            start: mut bytes,
            rest,
        } = self;
        if let Some(Rest { path, input }) = rest {
            let too_long = |more: &str, len: u64| {
                let (len, max) = (HumanCount(len), max >> 20);
                let what = format_args!("has {more}{len} bytes; {signer} takes at most {max} MiB");
                Error::at(&path, what).hint(otherwise)
            };
            if let Some(len) = regular_length(&path).filter(|&len| len > max as u64) {
                return Err(too_long("", len));
            }
            // Reads one byte more than is allowed, to notice a message that is too long.
            let more = (max + 1).saturating_sub(bytes.len());
            input
                .take(more as u64)
                .read_to_end(&mut bytes)
                .map_err(|error| cannot_read(&path, &error))?;
            if bytes.len() > max {
                return Err(too_long("more than ", max as u64));
            }
        }
        Ok(bytes)
    }

    /// Passes the message to `absorb`, piece by piece.
    pub(crate) fn read(self, mut absorb: impl FnMut(&[u8])) -> Result<()> {
        absorb(&self.start);
        let Some(Rest { path, mut input }) = self.rest else {
            return Ok(());
        };
        let mut buffer = vec![0; CHUNK];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(read) => absorb(&buffer[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(&path, &error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{progress::Unit, ui::Ui};

    #[test]
    fn a_message_that_must_fit_in_memory_is_whole_or_refused() {
        let ui = Ui {
            json: false,
            quiet: true,
        };
        let progress = Progress::new(ui, Unit::Items("files"), None);
        let bytes: Vec<u8> = (0..=255).cycle().take(SHORT + 1000).collect();
        let read = |max| {
            let reader = Box::new(io::Cursor::new(bytes.clone()));
            let message = Message::from_reader(Path::new("m"), reader, &progress)?;
            message.into_bytes(max, "a test", "shorten it")
        };
        for max in [bytes.len(), bytes.len() + 1] {
            assert!(read(max).is_ok_and(|read| read == bytes), "{max}");
        }
        let error = read(bytes.len() - 1).unwrap_err();
        let told = "m: has more than 66,535 bytes; a test takes at most 0 MiB";
        assert_eq!(error.to_string(), told);
        assert_eq!(error.next_step(), Some("shorten it"));
    }
}
