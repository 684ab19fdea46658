//! Reads bytes of a Parquet file. Lengths and counts in the file are not trusted until they are
//! checked.

use super::{
    expansion::{Expansion, TooLarge},
    thrift::{DEEPEST, MOST_FIELDS, MOST_PATH_BYTES, MOST_STRUCTS, is_small, uncompressed_size},
};
use crate::{
    error::{Error, Result},
    input::cannot_read,
};
use bytes::Bytes;
use parquet::{
    errors::ParquetError,
    file::{
        metadata::{FooterTail, ParquetMetaData, ParquetMetaDataReader},
        reader::{ChunkReader, Length},
    },
};
use std::{
    cell::Cell,
    fs::File,
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    panic::{self, AssertUnwindSafe},
    path::Path,
    sync::Once,
};

/// Length in bytes of the longest footer, which describes a file.
const LONGEST_FOOTER: usize = 16 << 20;

/// Length in bytes of the longest page, both compressed and uncompressed. A value lies within one
/// page.
const LONGEST_PAGE: usize = 256 << 20;

/// Length in bytes of the longest page header. The statistics in a page header take a few
/// kilobytes.
const LONGEST_HEADER: usize = 32 << 10;

/// A Parquet file whose lengths are checked before its bytes are read into memory.
pub(super) struct Source {
    file: File,
    /// Largest number of bytes that is read at once.
    longest: usize,
}

impl Source {
    /// Makes a source that reads the footer.
    pub(super) fn of_footer(file: File) -> Self {
        Self {
            file,
            longest: LONGEST_FOOTER,
        }
    }
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Source {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(BufReader::with_capacity(LONGEST_HEADER, file))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        check_size(length as u64, self.longest)?;
        self.file.get_bytes(start, length)
    }
}

/// Pages of a file. Each is counted before it is decompressed.
pub(super) struct Pages {
    pub(super) source: Source,
    pub(super) expansion: Expansion,
}

impl Pages {
    pub(super) fn new(source: Source, expansion: Expansion) -> Self {
        let source = Source {
            longest: LONGEST_PAGE,
            ..source
        };
        Self { source, expansion }
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    /// Checks and counts a page, and returns a reader that starts at its header.
    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let mut read = self.source.get_read(start)?;
        let uncompressed = uncompressed_size(read.fill_buf()?).ok_or_else(|| {
            ParquetError::General("the header of a page is malformed or too long".into())
        })?;
        check_size(uncompressed, LONGEST_PAGE)?;
        let taken = self.expansion.take_page(uncompressed);
        taken.map_err(|error| ParquetError::External(Box::new(error)))?;
        Ok(read)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        self.source.get_bytes(start, length)
    }
}

fn check_size(size: u64, longest: usize) -> parquet::errors::Result<()> {
    if size <= longest as u64 {
        return Ok(());
    }
    let what = format!("a part of {size} bytes; at most {longest} are read at once");
    Err(ParquetError::NYI(what))
}

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Calls the `parquet` crate on the file at `path`. A damaged file can break assertions of the
/// crate. Such a panic becomes an error of the file and prints nothing.
pub(super) fn contained<T>(
    path: &Path,
    work: impl FnOnce() -> parquet::errors::Result<T>,
) -> Result<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let print = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !CONTAINED.get() {
                print(panic);
            }
        }));
    });
    CONTAINED.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    CONTAINED.set(false);
    match outcome {
        Ok(outcome) => outcome.map_err(|error| unreadable(path, error)),
        Err(_) => Err(damaged(path, "its parts contradict each other")),
    }
}

pub(super) fn damaged(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::at(path, "is a damaged Parquet file, or none")
        .because(why)
        .hint("copy or write the file again, and compare its checksum with that of the original")
}

/// Converts an error of the `parquet` crate about an input.
fn unreadable(path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => damaged(path, text),
        ParquetError::NYI(text) => Error::at(path, "cannot be read")
            .because(text)
            .hint("write the file again with pages of about 1 MiB and fewer columns"),
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => cannot_read(path, &error),
            Err(error) => match error.downcast::<TooLarge>() {
                Ok(error) => error.at(path),
                Err(error) => damaged(path, error),
            },
        },
        other => damaged(path, other),
    }
}

/// Reads the footer of a file.
pub(super) fn read_footer(source: &Source) -> parquet::errors::Result<ParquetMetaData> {
    let general = |what: &str| ParquetError::General(what.to_owned());
    let len = source.len();
    let Some(end) = len.checked_sub(8).filter(|&end| end >= 4) else {
        return Err(general("the file is too short"));
    };
    let tail = source.get_bytes(end, 8)?;
    let tail = <[u8; 8]>::try_from(&tail[..]);
    let tail = tail.map_err(|_| general("the file is too short"))?;
    let tail = FooterTail::try_new(&tail)?;
    if tail.is_encrypted_footer() {
        return Err(ParquetError::NYI("an encrypted footer".to_owned()));
    }
    let footer = tail.metadata_length();
    let start = end.checked_sub(footer as u64);
    let start = start.ok_or_else(|| general("the footer is longer than the file"))?;
    let footer = source.get_bytes(start, footer)?;
    match is_small(&footer) {
        Some(true) => ParquetMetaDataReader::decode_metadata(&footer),
        Some(false) => {
            let what = format!(
                "a struct of more than {MOST_FIELDS} fields, structs deeper than {DEEPEST}, lists \
                 of more than {MOST_STRUCTS} structs, or paths of more than {} MiB together",
                MOST_PATH_BYTES >> 20
            );
            Err(ParquetError::NYI(what))
        }
        None => Err(general("the footer is malformed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, io::Write, process::Command};

    /// The test starts itself again, and looks at what the second process prints.
    #[test]
    fn only_panics_of_the_parquet_crate_are_hidden() {
        const AGAIN: &str = "TEST_PANICS_HERE";
        if env::var_os(AGAIN).is_some() {
            let within = || -> parquet::errors::Result<()> { panic!("within") };
            contained(Path::new("t"), within).unwrap_err();
            panic!("outside");
        }
        let name = "tables::source::tests::only_panics_of_the_parquet_crate_are_hidden";
        let mut again = Command::new(env::current_exe().unwrap());
        let again = again.args([name, "--exact", "--nocapture"]).env(AGAIN, "");
        let ran = again.output().unwrap();
        let shown = String::from_utf8(ran.stderr).unwrap();
        assert!(!ran.status.success());
        assert!(
            shown.contains("outside") && !shown.contains("within"),
            "{shown}"
        );
    }

    /// The file is sparse: it has only its last eight bytes.
    #[test]
    fn a_footer_that_is_too_long_is_not_read() {
        let refused = |footer: u32| {
            let mut file = tempfile::tempfile().unwrap();
            file.seek(SeekFrom::Start(1 << 30)).unwrap();
            file.write_all(&footer.to_le_bytes()).unwrap();
            file.write_all(b"PAR1").unwrap();
            read_footer(&Source::of_footer(file)).unwrap_err()
        };
        let told = refused(LONGEST_FOOTER as u32).to_string();
        assert!(!told.contains("at once"), "{told}");
        let told = refused(LONGEST_FOOTER as u32 + 1).to_string();
        let expected = "a part of 16777217 bytes; at most 16777216 are read at once";
        assert!(told.contains(expected), "{told}");
    }

    /// The header of a page claims an uncompressed size.
    #[test]
    fn a_page_that_is_too_long_is_not_read() {
        let read = |size: u64| {
            let mut header = vec![0x15, 0, 0x15];
            let mut zigzag = size << 1;
            while zigzag >= 0x80 {
                header.push(zigzag as u8 | 0x80);
                zigzag >>= 7;
            }
            header.extend([zigzag as u8, 0]);
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&header).unwrap();
            let expansion = Expansion::new(header.len() as u64, 1, size);
            Pages::new(Source::of_footer(file), expansion).get_read(0)
        };
        assert!(read(LONGEST_PAGE as u64).is_ok());
        let told = read(LONGEST_PAGE as u64 + 1).unwrap_err().to_string();
        let expected = "a part of 268435457 bytes; at most 268435456 are read at once";
        assert!(told.contains(expected), "{told}");
    }
}
