//! A Parquet file from which columns are read.

use super::{
    column::{ColumnReader, Kind},
    expansion::Expansion,
    source::{Pages, Source, contained, damaged, read_footer},
    state::State,
};
use crate::{
    error::{Error, Result},
    input::{cannot_read, open_linked},
};
use parquet::{
    basic::{Compression, LogicalType},
    file::metadata::ParquetMetaData,
    schema::types::SchemaDescriptor,
};
use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Number of columns that an error lists.
const LISTED: usize = 20;

/// An open Parquet file.
pub(crate) struct Table {
    path: PathBuf,
    pages: Arc<Pages>,
    metadata: ParquetMetaData,
    state: State,
}

impl Table {
    /// Opens an input. Follows links.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        Self::of(path, open_linked(path)?)
    }

    /// Reads the footer of an open file.
    pub(crate) fn of(path: &Path, file: File) -> Result<Self> {
        let metadata = file.metadata().map_err(|error| cannot_read(path, &error))?;
        let state = State::of(&metadata);
        let source = Source::of_footer(file);
        let metadata = contained(path, || read_footer(&source))?;
        check_counts(path, &metadata, state.bytes)?;
        let groups = metadata.row_groups();
        let rows = groups.iter().map(|group| group.num_rows() as u64).sum();
        let columns = groups.iter().flat_map(|group| group.columns());
        let pages = columns.map(|column| u64::try_from(column.uncompressed_size()).unwrap_or(0));
        let pages = pages.fold(0, u64::saturating_add);
        let expansion = Expansion::new(state.bytes, rows, pages);
        Ok(Self {
            path: path.to_owned(),
            pages: Arc::new(Pages::new(source, expansion)),
            metadata,
            state,
        })
    }

    /// Limits the bytes that the table may decode to, including new signatures, to `times` the
    /// bytes of its file, or to 1 GiB if that is more: see [`Expansion`].
    pub(crate) fn limit_expansion(&self, times: u64) {
        self.pages.expansion.limit(times);
    }

    /// Counts decoded values. Returns an error if they exceed the limit.
    pub(super) fn count_decoded(&self, rows: usize, bytes: usize) -> Result<()> {
        let taken = self.pages.expansion.take_values(rows, bytes);
        taken.map_err(|error| error.at(&self.path))
    }

    /// Counts `rows` rows whose new signatures have `bytes` bytes in total.
    pub(crate) fn count_signed(&self, rows: usize, bytes: usize) -> Result<()> {
        let taken = self.pages.expansion.take_signatures(rows, bytes);
        taken.map_err(|error| error.at(&self.path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Refuses a file that has changed since it was opened.
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
        &self.pages.source
    }

    /// Length of the file in bytes.
    pub(super) fn len(&self) -> u64 {
        self.state.bytes
    }

    /// Returns the number of rows of each row group.
    pub(crate) fn groups(&self) -> impl Iterator<Item = u64> {
        let groups = self.metadata.row_groups().iter();
        groups.map(|group| group.num_rows() as u64)
    }

    pub(crate) fn schema(&self) -> &SchemaDescriptor {
        self.metadata.file_metadata().schema_descr()
    }

    /// Returns true if a column or a group of columns has this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        let fields = self.schema().root_schema().get_fields();
        fields.iter().any(|field| field.name() == name)
    }

    /// Returns the number of the column `name`. The error lists the existing columns.
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

    /// Returns the number and kind of the column `name`, which must have one of `kinds`.
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

    /// Returns a reader of a column of a row group.
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
            ColumnReader::new(&self.pages, group, column)
        })
    }
}

/// Refuses counts that no file has, so that sums of them do not overflow. Also refuses columns that
/// share bytes of the file, since they would be copied and read many times.
fn check_counts(path: &Path, metadata: &ParquetMetaData, len: u64) -> Result<()> {
    let columns = metadata.file_metadata().schema_descr().num_columns();
    let mut rows: i64 = 0;
    let mut bytes: u64 = 0;
    for group in metadata.row_groups() {
        let count = group.num_rows();
        let sum = rows.checked_add(count).filter(|_| count >= 0);
        rows = sum.ok_or_else(|| damaged(path, "its number of rows is impossible"))?;
        if group.num_columns() != columns {
            return Err(damaged(path, "a row group lacks a column"));
        }
        for column in group.columns() {
            let size = u64::try_from(column.compressed_size()).unwrap_or(u64::MAX);
            bytes = bytes.saturating_add(size);
        }
    }
    if bytes > len {
        return Err(damaged(path, "its columns are longer than the file"));
    }
    Ok(())
}

/// The name of a logical type, without its parameters.
fn in_a_word(logical: &LogicalType) -> String {
    let text = format!("{logical:?}");
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric());
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Shortens a name from a file, so that it fits on a line.
fn cut(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::keys::tests::write, *};

    #[test]
    fn columns_are_at_most_as_long_as_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write(&path, &[("a", vec![vec![7; 9]]), ("b", vec![vec![8]])]);
        let table = Table::open(&path).unwrap();
        let columns = table.metadata().row_group(0).columns().iter();
        let len: i64 = columns.map(|column| column.compressed_size()).sum();
        assert!(check_counts(&path, table.metadata(), len as u64).is_ok());
        let refused = check_counts(&path, table.metadata(), len as u64 - 1);
        let told = refused.unwrap_err().to_string();
        assert!(told.contains("columns are longer than the file"), "{told}");
    }

    #[test]
    fn a_table_without_columns_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        write(&path, &[]);
        let table = Table::open(&path).unwrap();
        let refused = table.column("key", &[Kind::Bytes]).unwrap_err();
        let told = refused.to_string();
        let expected = "needs one column key (binary); columns found: none";
        assert!(told.ends_with(expected), "{told}");
    }
}
