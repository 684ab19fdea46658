//! Writes Parquet files.

use super::{SIGNATURE, output::Output, source::contained, table::Table};
use crate::error::{Error, Result, in_words};
use falcon_core::batch::Verdict;
use parquet::{
    basic::{Compression, ConvertedType, Encoding, LogicalType, Repetition, Type, ZstdLevel},
    column::writer::ColumnCloseResult,
    data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{
        metadata::KeyValue,
        properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder},
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::{ColumnPath, Type as SchemaType, TypePtr},
};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Name of the program, as it is stored in the files that it writes.
const CREATED_BY: &str = concat!("falcon-cli ", env!("CARGO_PKG_VERSION"));

/// Smallest number of rows of a row group of verdicts, except the last.
const VERDICTS: usize = 1 << 20;

/// Number of rows that are written at a time.
const STEP: usize = 1 << 16;

/// Metadata key under which Arrow describes each column.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// Metadata key that names the command that wrote a table.
const COMMAND: &str = "falcon-cli:command";
const SIGN_TABLE: &str = "sign-table";

/// True if a table has exactly the columns of verdicts.
pub(crate) fn has_verdicts(table: &Table) -> bool {
    let fields = table.schema().root_schema().get_fields();
    let columns: Vec<_> = table.schema().columns().iter().collect();
    let [row, verdict] = columns[..] else {
        return false;
    };
    fields.len() == 2
        && (row.name(), row.physical_type()) == ("row", Type::INT64)
        && (verdict.name(), verdict.physical_type()) == ("verdict", Type::INT32)
        && verdict.logical_type_ref() == Some(&LogicalType::integer(8, false))
        && columns
            .iter()
            .all(|column| column.path().parts().len() == 1)
}

/// True if `sign-table` has written the table.
pub(crate) fn is_signed(table: &Table) -> bool {
    let entries = table.metadata().file_metadata().key_value_metadata();
    let is_mark =
        |entry: &KeyValue| entry.key == COMMAND && entry.value.as_deref() == Some(SIGN_TABLE);
    let fields = table.schema().root_schema().get_fields();
    entries.is_some_and(|entries| entries.iter().any(is_mark))
        && fields.last().is_some_and(|field| field.name() == SIGNATURE)
}

/// Returns properties without compression, since signatures are random bytes, which do not shrink.
pub(crate) fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by(CREATED_BY.to_owned())
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
}

/// Makes the type of a column of bytes or text.
pub(crate) fn binary(name: &str, repetition: Repetition, is_text: bool) -> Result<TypePtr> {
    let builder = SchemaType::primitive_type_builder(name, Type::BYTE_ARRAY);
    let builder = match is_text {
        true => builder
            .with_logical_type(Some(LogicalType::String))
            .with_converted_type(ConvertedType::UTF8),
        false => builder,
    };
    built(builder.with_repetition(repetition).build())
}

/// Makes the schema of a file with these columns.
pub(crate) fn schema(columns: Vec<TypePtr>) -> Result<TypePtr> {
    built(
        SchemaType::group_type_builder("schema")
            .with_fields(columns)
            .build(),
    )
}

fn built(schema: parquet::errors::Result<SchemaType>) -> Result<TypePtr> {
    schema
        .map(Arc::new)
        .map_err(|error| Error::new("cannot describe the columns").because(error))
}

/// A Parquet file that is being written.
pub(crate) struct Writer<'p> {
    writer: SerializedFileWriter<&'p mut Output>,
    /// Path of the output, for error messages.
    path: PathBuf,
}

/// A row group that is being written, one column after the other.
pub(crate) struct Group<'w, 'p> {
    group: SerializedRowGroupWriter<'w, &'p mut Output>,
    path: &'w Path,
}

impl<'p> Writer<'p> {
    pub(crate) fn new(
        output: &'p mut Output,
        schema: TypePtr,
        properties: WriterProperties,
    ) -> Result<Self> {
        let path = output.path().to_owned();
        let writer = SerializedFileWriter::new(output, schema, Arc::new(properties));
        Ok(Self {
            writer: writer.map_err(|error| unwritable(&path, error))?,
            path,
        })
    }

    pub(crate) fn group(&mut self) -> Result<Group<'_, 'p>> {
        let group = self.writer.next_row_group();
        Ok(Group {
            group: group.map_err(|error| unwritable(&self.path, error))?,
            path: &self.path,
        })
    }

    pub(crate) fn close(self) -> Result<()> {
        let closed = self.writer.close();
        closed
            .map(drop)
            .map_err(|error| unwritable(&self.path, error))
    }
}

impl Group<'_, '_> {
    /// Writes a column of bytes. `next` returns some values at a time, and `None` at the end. A
    /// value `None` is a null in an optional column.
    pub(crate) fn binary(
        &mut self,
        mut next: impl FnMut() -> Result<Option<Vec<Option<Vec<u8>>>>>,
    ) -> Result<()> {
        let wrong = |error| unwritable(self.path, error);
        let column = self.group.next_column().map_err(wrong)?;
        let mut column = column.ok_or_else(|| missing(self.path))?;
        while let Some(values) = next()? {
            let levels: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
            let values = values.into_iter().flatten().map(ByteArray::from);
            let values: Vec<_> = values.collect();
            let writer = column.typed::<ByteArrayType>();
            let written = writer.write_batch(&values, Some(&levels), None);
            written.map_err(wrong)?;
        }
        column.close().map_err(wrong)
    }

    /// Writes an optional column of numbers without nulls. `batches` has at most [`STEP`] numbers
    /// at a time.
    fn numbers<T: DataType>(&mut self, batches: impl Iterator<Item = Vec<T::T>>) -> Result<()> {
        let wrong = |error| unwritable(self.path, error);
        let column = self.group.next_column().map_err(wrong)?;
        let mut column = column.ok_or_else(|| missing(self.path))?;
        let levels = vec![1; STEP];
        for values in batches {
            let writer = column.typed::<T>();
            let written = writer.write_batch(&values, Some(&levels[..values.len()]), None);
            written.map_err(wrong)?;
        }
        column.close().map_err(wrong)
    }

    /// Copies all columns of a row group of `table`, byte by byte.
    pub(crate) fn copy(&mut self, table: &Table, group: usize) -> Result<()> {
        let metadata = table.metadata().row_group(group);
        for column in metadata.columns() {
            let copied = contained(table.path(), || {
                let (start, len) = column.byte_range();
                if start.checked_add(len).is_none_or(|end| end > table.len()) {
                    return Err(ParquetError::EOF("a column ends after the file".into()));
                }
                let close = ColumnCloseResult {
                    bytes_written: len,
                    rows_written: metadata.num_rows() as u64,
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                // Reports an error of the output with the output's path, not with the path of the
                // table.
                Ok(self.group.append_column(table.source(), close))
            })?;
            copied.map_err(|error| unwritable(self.path, error))?;
        }
        Ok(())
    }

    pub(crate) fn close(self) -> Result<()> {
        let closed = self.group.close();
        closed
            .map(drop)
            .map_err(|error| unwritable(self.path, error))
    }
}

/// Converts an error of the system or of the `parquet` crate about an output.
fn unwritable(path: &Path, error: ParquetError) -> Error {
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

fn missing(path: &Path) -> Error {
    Error::at(path, "cannot write").because("a column is missing")
}

/// Returns the columns of `table` with a column of signatures, which may have nulls, and the
/// properties to write them with.
pub(crate) fn with_signatures(table: &Table) -> Result<(TypePtr, WriterProperties)> {
    let metadata = table.metadata().file_metadata();
    let mut columns = table.schema().root_schema().get_fields().to_vec();
    columns.push(binary(SIGNATURE, Repetition::OPTIONAL, false)?);
    let entries = metadata.key_value_metadata().into_iter().flatten();
    let kept = entries.filter(|entry| entry.key != ARROW_SCHEMA && entry.key != COMMAND);
    let mut kept: Vec<KeyValue> = kept.cloned().collect();
    kept.push(KeyValue::new(COMMAND.to_owned(), SIGN_TABLE.to_owned()));
    let properties = properties().set_key_value_metadata(Some(kept)).build();
    let root = SchemaType::group_type_builder(table.schema().name());
    Ok((built(root.with_fields(columns).build())?, properties))
}

/// Writes the columns `row` and `verdict`.
pub(crate) struct Verdicts<'p> {
    writer: Writer<'p>,
    /// Row number of the first verdict in memory.
    row: u64,
    kept: Vec<Verdict>,
}

impl<'p> Verdicts<'p> {
    /// Begins the verdicts of the rows from `row` on.
    pub(crate) fn new(output: &'p mut Output, row: u64) -> Result<Self> {
        let optional = |builder: parquet::schema::types::PrimitiveTypeBuilder<'_>| {
            built(builder.with_repetition(Repetition::OPTIONAL).build())
        };
        let columns = vec![
            optional(SchemaType::primitive_type_builder("row", Type::INT64))?,
            optional(
                SchemaType::primitive_type_builder("verdict", Type::INT32)
                    .with_logical_type(Some(LogicalType::integer(8, false))),
            )?,
        ];
        let properties = properties()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_column_encoding(ColumnPath::from("row"), Encoding::DELTA_BINARY_PACKED)
            .set_column_dictionary_enabled(ColumnPath::from("verdict"), true)
            .build();
        Ok(Self {
            writer: Writer::new(output, schema(columns)?, properties)?,
            row,
            kept: Vec::new(),
        })
    }

    pub(crate) fn add(&mut self, verdicts: &[Verdict]) -> Result<()> {
        self.kept.extend_from_slice(verdicts);
        if self.kept.len() >= VERDICTS {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let mut group = self.writer.group()?;
        let mut row = self.row as i64;
        group.numbers::<Int64Type>(self.kept.chunks(STEP).map(|kept| {
            let rows = row..row + kept.len() as i64;
            row = rows.end;
            rows.collect()
        }))?;
        let verdicts = self.kept.chunks(STEP);
        group.numbers::<Int32Type>(
            verdicts.map(|kept| kept.iter().map(|&it| it as i32).collect()),
        )?;
        group.close()?;
        self.row += self.kept.len() as u64;
        self.kept.clear();
        Ok(())
    }

    pub(crate) fn close(mut self) -> Result<()> {
        self.flush()?;
        self.writer.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{output::Overwrite, tables::output::Place};

    #[test]
    fn each_verdict_is_written_once_in_groups_of_a_million() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v.parquet");
        let place = Place::look(path.clone(), Overwrite::Never, folder.path()).unwrap();
        let mut output = place.create().unwrap();
        let mut verdicts = Verdicts::new(&mut output, 7).unwrap();
        for count in [VERDICTS, 5] {
            verdicts.add(&vec![Verdict::Valid; count]).unwrap();
        }
        verdicts.close().unwrap();
        output.commit().unwrap();
        let table = Table::open(&path).unwrap();
        assert!(has_verdicts(&table));
        assert_eq!(table.groups().collect::<Vec<_>>(), [VERDICTS as u64, 5]);
    }
}
