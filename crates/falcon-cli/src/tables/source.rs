//! A Parquet file to read. Its lengths and counts are claims until they are checked.

use super::column::{ColumnReader, Kind};
use crate::error::{Error, Result, in_words};
use crate::input::{cannot_read, open_linked};
use bytes::Bytes;
use parquet::{
    basic::{Compression, LogicalType},
    errors::ParquetError,
    file::{
        metadata::{FooterTail, ParquetMetaData, ParquetMetaDataReader},
        reader::{ChunkReader, Length},
    },
    schema::types::SchemaDescriptor,
};
use serde::Serialize;
use std::{
    cell::Cell,
    fs::{File, Metadata},
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{
        Arc, Once,
        atomic::{AtomicU64, Ordering},
    },
};

/// Bytes of the longest description of a file, its footer.
const LONGEST_FOOTER: usize = 16 << 20;

/// Bytes of the longest page, compressed and uncompressed. A value lies in one page.
pub(super) const LONGEST_PAGE: usize = 256 << 20;

/// Bytes of the longest header of a page. Statistics in it have a few kilobytes.
const LONGEST_HEADER: usize = 32 << 10;

/// Most columns of a file, or fields of a struct. The `parquet` crate reserves memory for as many
/// as the footer claims.
const MOST_FIELDS: u64 = 4096;

/// Depth of the deepest struct. The `parquet` crate recurses as deep.
const DEEPEST: usize = 64;

/// Most bytes of the paths of all fields together. The `parquet` crate copies the names of the
/// structs around a field into the path of the field.
const MOST_PATH_BYTES: u64 = 16 << 20;

/// Bytes that a name in a path takes besides its text.
const NAME_BYTES: u64 = 64;

/// Number of columns that an error lists.
const LISTED: usize = 20;

/// Bytes of a file that are checked before they are read into memory.
pub(super) struct Source {
    file: File,
    /// Most bytes at a time.
    longest: usize,
    /// Whether pages are read, and not the footer.
    reads_pages: bool,
}

impl Length for Source {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Source {
    type T = BufReader<File>;

    /// Reads from the header of a page on, unless the footer is read.
    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let mut read = BufReader::with_capacity(LONGEST_HEADER, file);
        if !self.reads_pages {
            return Ok(read);
        }
        let uncompressed = uncompressed_size(read.fill_buf()?).ok_or_else(|| {
            ParquetError::General("the header of a page is malformed or too long".into())
        })?;
        check_size(uncompressed, self.longest)?;
        Ok(read)
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        check_size(length as u64, self.longest)?;
        self.file.get_bytes(start, length)
    }
}

fn check_size(size: u64, longest: usize) -> parquet::errors::Result<()> {
    if size <= longest as u64 {
        return Ok(());
    }
    let what = format!("a part of {size} bytes; at most {longest} are read at once");
    Err(ParquetError::NYI(what))
}

/// The uncompressed size that the header of a page claims, if each field occurs once.
///
/// The `parquet` crate reserves this many bytes before it decompresses. The header is a struct of
/// Thrift's compact protocol, which the crate reads once more.
fn uncompressed_size(header: &[u8]) -> Option<u64> {
    let mut rest = Thrift(header);
    let mut size = None;
    let mut last = 0;
    loop {
        let field = rest.byte()?;
        if field == 0 {
            return size;
        }
        // Field numbers ascend, so that none occurs twice. The long form of a number is for
        // those that do not.
        let step = field >> 4;
        if step == 0 {
            return None;
        }
        last += u32::from(step);
        match (last, field & 15) {
            (2, 5) => {
                let zigzag = rest.varint()?;
                size = (zigzag & 1 == 0).then_some(zigzag >> 1);
                size?;
            }
            (2, _) => return None,
            (_, kind) => rest.skip(kind, 4)?,
        }
    }
}

/// Whether the schema in a footer claims so few fields and structs, with so short names, that the
/// `parquet` crate can read it, if the footer is well-formed.
fn has_small_schema(footer: &[u8]) -> Option<bool> {
    let mut rest = Thrift(footer);
    let mut last = 0;
    loop {
        let (step, kind) = rest.field()?;
        if kind == 0 {
            return Some(true);
        }
        last += step;
        if last != 2 {
            rest.skip(kind, 32)?;
            continue;
        }
        let (9, (12, count)) = (kind, rest.list()?) else {
            return None;
        };
        // Of each struct around an element: how many of its fields follow, and the bytes of its
        // path.
        let mut around: Vec<(u64, u64)> = Vec::new();
        let mut path_bytes: u64 = 0;
        for _ in 0..count {
            let (name, fields) = rest.element()?;
            while around.last().is_some_and(|&(following, _)| following == 0) {
                around.pop();
            }
            let mut path = name + NAME_BYTES;
            if let Some((following, outer)) = around.last_mut() {
                *following -= 1;
                path += *outer;
            }
            path_bytes = path_bytes.saturating_add(path);
            if fields > 0 {
                around.push((fields, path));
            }
            if fields > MOST_FIELDS || around.len() > DEEPEST || path_bytes > MOST_PATH_BYTES {
                return Some(false);
            }
        }
    }
}

/// Bytes in Thrift's compact protocol.
pub(super) struct Thrift<'a>(pub(super) &'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.0.split_off_first().copied()
    }

    /// The step from the number of the last field to this one, and its kind. The kind 0 is the
    /// end. The long form of a number is refused.
    fn field(&mut self) -> Option<(u32, u8)> {
        let field = self.byte()?;
        (field == 0 || field >> 4 > 0).then_some((u32::from(field >> 4), field & 15))
    }

    /// Kind and number of the elements of a list.
    fn list(&mut self) -> Option<(u8, u64)> {
        let header = self.byte()?;
        let count = match header >> 4 {
            15 => self.varint()?,
            count => count.into(),
        };
        Some((header & 15, count))
    }

    /// The bytes of the name of an element of a schema, and the number of fields that it claims to
    /// have.
    fn element(&mut self) -> Option<(u64, u64)> {
        let (mut name, mut fields) = (0, 0);
        let mut last = 0;
        loop {
            let (step, kind) = self.field()?;
            if kind == 0 {
                return Some((name, fields));
            }
            last += step;
            match (last, kind) {
                (4, 8) => {
                    let before = self.0.len();
                    self.skip(kind, 0)?;
                    name = (before - self.0.len()) as u64;
                }
                (5, 5) => {
                    let zigzag = self.varint()?;
                    fields = (zigzag & 1 == 0).then_some(zigzag >> 1)?;
                }
                (5, _) => return None,
                (_, kind) => self.skip(kind, 32)?,
            }
        }
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        match kind {
            // True and false.
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => drop(self.0.split_off(..8)?),
            8 => {
                let len = usize::try_from(self.varint()?).ok()?;
                self.0.split_off(..len)?;
            }
            // No list of Parquet has elements without bytes. Sets and maps do not occur.
            9 if depth > 0 => {
                let (kind, count) = self.list()?;
                if count > 0 && matches!(kind, 1 | 2) {
                    return None;
                }
                for _ in 0..count {
                    self.skip(kind, depth - 1)?;
                }
            }
            12 if depth > 0 => loop {
                let field = self.byte()?;
                if field == 0 {
                    break;
                }
                if field >> 4 == 0 {
                    self.varint()?;
                }
                self.skip(field & 15, depth - 1)?;
            },
            _ => return None,
        }
        Some(())
    }
}

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// Calls the `parquet` crate on the file at `path`. A panic is an error of the file, and prints
/// nothing: the crate asserts some things that a damaged file breaks.
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

fn damaged(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::at(path, "is a damaged Parquet file, or none")
        .because(why)
        .hint("copy or write the file again, and compare its checksum with that of the original")
}

/// Error of the `parquet` crate, for a file that is read.
fn unreadable(path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::General(text) | ParquetError::EOF(text) => damaged(path, text),
        ParquetError::NYI(text) => Error::at(path, "cannot be read")
            .because(text)
            .hint("write the file again with pages of about 1 MiB and fewer columns"),
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => cannot_read(path, &error),
            Err(error) => damaged(path, error),
        },
        other => damaged(path, other),
    }
}

/// Reads the description of a file.
fn read_footer(source: &Source) -> parquet::errors::Result<ParquetMetaData> {
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
    match has_small_schema(&footer) {
        Some(true) => ParquetMetaDataReader::decode_metadata(&footer),
        Some(false) => {
            let what = format!(
                "a struct of more than {MOST_FIELDS} fields, structs deeper than {DEEPEST}, or \
                 paths of more than {} MiB together",
                MOST_PATH_BYTES >> 20
            );
            Err(ParquetError::NYI(what))
        }
        None => Err(general("the footer is malformed")),
    }
}

/// State of a file. If it changes, results of the file are outdated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct State {
    bytes: u64,
    modified_ns: i64,
    changed_ns: i64,
}

/// Nanoseconds since 1970. From 2262 on they exceed 64 bits and are reduced: states are only
/// compared.
#[cfg(unix)]
fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.wrapping_mul(1_000_000_000).wrapping_add(rest)
}

impl State {
    /// State of the file at `path`, if it is there.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().as_ref().map(Self::of)
    }

    /// Length and time of the last change of the contents, which a copy keeps (`cp -p`).
    pub(super) fn contents(&self) -> [u64; 2] {
        [self.bytes, self.modified_ns as u64]
    }

    /// State of what has the name `path`, itself if it is a link.
    pub(crate) fn of_name(path: &Path) -> Option<Self> {
        path.symlink_metadata().ok().as_ref().map(Self::of)
    }

    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            bytes: metadata.len(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = since.map_or(0, |since| since.as_nanos() as i64);
        Self {
            bytes: metadata.len(),
            modified_ns,
            changed_ns: modified_ns,
        }
    }
}

/// A Parquet file that is open.
pub(crate) struct Table {
    path: PathBuf,
    source: Arc<Source>,
    metadata: ParquetMetaData,
    state: State,
    /// Bytes that may still be decoded: see [`Table::limit_expansion`].
    allowance: AtomicU64,
}

/// Bytes that every table may decode to.
const SMALL: u64 = 1 << 30;

/// Bytes that a table may decode to for each of its own, unless the user says otherwise.
pub(crate) const EXPANSION: u64 = 1000;

/// Bytes that a row counts for beside its values: a column of nulls takes time, too.
const ROW: u64 = 8;

impl Table {
    /// Opens an input, also through a link.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::of(path, open_linked(path)?)
    }

    /// The table in a file that is open.
    pub(crate) fn of(path: &Path, file: File) -> Result<Self> {
        let metadata = file.metadata().map_err(|error| cannot_read(path, &error))?;
        let state = State::of(&metadata);
        let mut source = Source {
            file,
            longest: LONGEST_FOOTER,
            reads_pages: false,
        };
        let metadata = contained(path, || read_footer(&source))?;
        source.longest = LONGEST_PAGE;
        source.reads_pages = true;
        let table = Self {
            path: path.to_owned(),
            source: Arc::new(source),
            metadata,
            state,
            allowance: AtomicU64::new(0),
        };
        table.limit_expansion(EXPANSION);
        table.check_counts()?;
        Ok(table)
    }

    /// Refuses counts that no file has, so that sums of them do not overflow. Columns that share
    /// bytes of the file would be copied and read many times.
    fn check_counts(&self) -> Result<()> {
        let columns = self.schema().num_columns();
        let mut rows: i64 = 0;
        let mut bytes: u64 = 0;
        for group in self.metadata.row_groups() {
            let count = group.num_rows();
            let sum = rows.checked_add(count).filter(|_| count >= 0);
            rows = sum.ok_or_else(|| damaged(&self.path, "its number of rows is impossible"))?;
            if group.num_columns() != columns {
                return Err(damaged(&self.path, "a row group lacks a column"));
            }
            for column in group.columns() {
                let size = u64::try_from(column.compressed_size()).unwrap_or(u64::MAX);
                bytes = bytes.saturating_add(size);
            }
        }
        if bytes > self.state.bytes {
            return Err(damaged(&self.path, "its columns are longer than the file"));
        }
        Ok(())
    }

    /// Sets how many times its own bytes the table may decode to, with the signatures that are made
    /// of its rows. A dictionary can have one long value for any number of rows: else, a small file
    /// could take hours, or fill a disk with signatures.
    pub(crate) fn limit_expansion(&self, times: u64) {
        let allowance = self.state.bytes.saturating_mul(times).max(SMALL);
        self.allowance.store(allowance, Ordering::Relaxed);
    }

    /// Counts values that were decoded. They are an error once they are too many.
    pub(super) fn count_decoded(&self, rows: usize, bytes: usize) -> Result<()> {
        self.spend((bytes as u64).saturating_add(ROW.saturating_mul(rows as u64)))
    }

    /// Counts the bytes of signatures that were made of rows of the table.
    pub(crate) fn count_signed(&self, bytes: usize) -> Result<()> {
        self.spend(bytes as u64)
    }

    fn spend(&self, bytes: u64) -> Result<()> {
        let taken = |left: u64| left.checked_sub(bytes);
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        match self.allowance.fetch_update(set, get, taken) {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::at(
                &self.path,
                "has values and signatures of more than 1 GiB, and of more than --max-expansion \
                 times the bytes of the file",
            )
            .hint("raise --max-expansion if you trust whoever wrote the file")),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Refuses a file that was changed since it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        let metadata = self.path.metadata();
        let now = metadata.map_err(|error| cannot_read(&self.path, &error))?;
        if State::of(&now) == self.state {
            return Ok(());
        }
        Err(Error::at(&self.path, "changed while it was read")
            .hint("run the command again when nobody writes to the file"))
    }

    pub(crate) fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// Bytes of the file.
    pub(super) fn len(&self) -> u64 {
        self.state.bytes
    }

    /// Number of rows of each row group.
    pub(crate) fn groups(&self) -> impl Iterator<Item = u64> {
        let groups = self.metadata.row_groups().iter();
        groups.map(|group| group.num_rows() as u64)
    }

    pub(crate) fn schema(&self) -> &SchemaDescriptor {
        self.metadata.file_metadata().schema_descr()
    }

    /// Whether a column, or a group of columns, has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let fields = self.schema().root_schema().get_fields();
        fields.iter().any(|field| field.name() == name)
    }

    /// Number of the column `name`. An error lists the columns that there are.
    fn find(&self, name: &str, wanted: &str) -> Result<usize> {
        let fields = self.schema().root_schema().get_fields();
        let mut named = fields.iter().filter(|field| field.name() == name);
        if let (Some(_), None) = (named.next(), named.next()) {
            let columns = self.schema().columns().iter();
            let places = columns
                .enumerate()
                .filter(|(_, column)| column.path().parts().first().is_some_and(|it| it == name));
            let places: Vec<_> = places.collect();
            return match places[..] {
                [(place, column)]
                    if column.path().parts().len() == 1 && column.max_rep_level() == 0 =>
                {
                    Ok(place)
                }
                _ => Err(self.wrong_type(name, "a nested type", wanted)),
            };
        }
        let mut found: Vec<_> = fields
            .iter()
            .take(LISTED)
            .map(|it| cut(it.name()))
            .collect();
        if found.is_empty() {
            found.push("none".to_owned());
        }
        let more = match fields.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Err(Error::at(
            &self.path,
            format_args!(
                "needs one column {name} ({wanted}); columns found: {}{more}",
                found.join(", ")
            ),
        )
        .hint(format_args!(
            "rename the column to {name} where the file is written"
        )))
    }

    fn wrong_type(&self, name: &str, found: &str, wanted: &str) -> Error {
        let what = format_args!("the column {name} has the type {found} and needs {wanted}");
        Error::at(&self.path, what).hint("convert the column where the file is written")
    }

    /// Number and kind of the column `name`, which must be one of `kinds`.
    pub(crate) fn column(&self, name: &str, kinds: &[Kind]) -> Result<(usize, Kind)> {
        let wanted = kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>();
        let wanted = wanted.join(" or ");
        let place = self.find(name, &wanted)?;
        let column = self.schema().column(place);
        match Kind::of(&column) {
            Some(kind) if kinds.contains(&kind) => Ok((place, kind)),
            _ => {
                let logical = column.logical_type_ref();
                let found = match logical {
                    Some(logical) => {
                        format!("{} ({})", column.physical_type(), in_a_word(logical))
                    }
                    None => column.physical_type().to_string(),
                };
                Err(self.wrong_type(name, &found, &wanted))
            }
        }
    }

    /// Reader of a column of a row group.
    pub(crate) fn reader(&self, group: usize, column: usize) -> Result<ColumnReader> {
        let chunk = self.metadata.row_group(group).column(column);
        if !matches!(
            chunk.compression(),
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_)
        ) {
            let name = chunk.compression().to_string();
            let name = name.split('(').next().unwrap_or_default();
            let what = format_args!("has the compression {name}, which is not read");
            return Err(Error::at(&self.path, what)
                .hint("write the file with the compression zstd or snappy, or with none"));
        }
        contained(&self.path, || {
            let group = self.metadata.row_group(group);
            ColumnReader::new(&self.source, group, column)
        })
    }
}

/// The name of a logical type, without its parameters.
fn in_a_word(logical: &LogicalType) -> String {
    let text = format!("{logical:?}");
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric());
    text[..end.unwrap_or(text.len())].to_owned()
}

/// A name from a file, for one line of text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Error of the system or of the `parquet` crate, for an output.
pub(crate) fn unwritable(path: &Path, error: ParquetError) -> Error {
    let words = |error: &io::Error| {
        Error::at(path, "cannot write")
            .because(in_words(error))
            .of_kind(error.kind())
    };
    match error {
        ParquetError::External(error) => match error.downcast_ref::<io::Error>() {
            Some(error) => words(error),
            None => Error::at(path, "cannot write").because(error),
        },
        other => Error::at(path, "cannot write").because(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A footer whose schema has elements with these numbers of fields.
    fn footer(fields: &[u64]) -> Vec<u8> {
        let varint = |bytes: &mut Vec<u8>, mut value: u64| {
            while value > 0x7f {
                bytes.push(value as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
        };
        // version 1, a list of structs
        let mut bytes = vec![0x15, 2, 0x19, 0xfc];
        varint(&mut bytes, fields.len() as u64);
        for &fields in fields {
            // name, number of fields
            bytes.extend([0x48, 1, b'x', 0x15]);
            varint(&mut bytes, fields << 1);
            bytes.push(0);
        }
        // number of rows, no row groups
        bytes.extend([0x16, 0, 0x19, 0, 0]);
        bytes
    }

    #[test]
    fn a_schema_that_claims_too_much_is_found() {
        let small = footer(&[2, 1, 0, 2, 0, 0]);
        assert_eq!(has_small_schema(&small), Some(true));
        for end in 0..small.len() {
            assert_eq!(has_small_schema(&small[..end]), None);
        }
        assert_eq!(has_small_schema(&footer(&[4096])), Some(true));
        assert_eq!(has_small_schema(&footer(&[4097])), Some(false));
        assert_eq!(
            has_small_schema(&footer(&[2, i32::MAX as u64])),
            Some(false)
        );
        assert_eq!(has_small_schema(&footer(&[1; 64])), Some(true));
        assert_eq!(has_small_schema(&footer(&[1; 65])), Some(false));
        // Many structs, none in another.
        let flat: Vec<u64> = [100].into_iter().chain([1, 0].repeat(100)).collect();
        assert_eq!(has_small_schema(&footer(&flat)), Some(true));
    }

    #[test]
    fn the_size_of_a_page_is_found_and_told_once() {
        // type 0, 300 and 200 bytes, a struct with a binary of one byte
        let header = [
            0x15, 0, 0x15, 0xd8, 4, 0x15, 0x90, 3, 0x2c, 0x18, 1, 7, 0, 0,
        ];
        assert_eq!(uncompressed_size(&header), Some(300));
        for end in 0..header.len() {
            assert_eq!(uncompressed_size(&header[..end]), None);
        }
        // The field once more, in the long form.
        let mut twice = header.to_vec();
        twice.splice(8..8, [5, 4, 0xd8, 4]);
        assert_eq!(uncompressed_size(&twice), None);
        // A negative size.
        assert_eq!(uncompressed_size(&[0x15, 0, 0x15, 1, 0]), None);
    }
}
