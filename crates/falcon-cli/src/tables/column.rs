//! Reads columns of a table.

use super::{source::Pages, thrift::Thrift};
use parquet::{
    basic::{ConvertedType, Encoding, LogicalType, Type},
    column::{
        page::{Page, PageMetadata, PageReader},
        reader::{ColumnReader as AnyReader, ColumnReaderImpl, get_column_reader},
    },
    data_type::{ByteArray, DataType},
    errors::ParquetError,
    file::{metadata::RowGroupMetaData, serialized_reader::SerializedPageReader},
    schema::types::{ColumnDescPtr, ColumnDescriptor},
};
use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Largest number of rows that are read from one column before the next column's turn.
const STEP_ROWS: usize = 64;

/// Intended total length in bytes of the values of a step.
const STEP_BYTES: i64 = 16 << 20;

/// Upper bound on the total length in bytes of the pages that contain the rows of a step.
const STEP_PAGES: usize = 512 << 20;

/// Number of values of the longest dictionary. Each value takes 32 bytes of memory besides its own
/// bytes.
const LONGEST_DICTIONARY: u32 = 1 << 22;

/// Length in bytes of the longest page in the encoding DELTA_BYTE_ARRAY, in which a value can share
/// a prefix with the value before it. So the values of a step have at most `STEP_ROWS` times this
/// length.
const LONGEST_DELTA_PAGE: usize = 4 << 20;

/// Kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bytes,
    Text,
    Integers,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bytes => "binary",
            Self::Text => "text",
            Self::Integers => "integers",
        }
    }

    /// Returns the kind of a column, if there is one for its type.
    pub(super) fn of(column: &ColumnDescriptor) -> Option<Self> {
        let (logical, converted) = (column.logical_type_ref(), column.converted_type());
        match (column.physical_type(), logical, converted) {
            (Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY, None, ConvertedType::NONE) => {
                Some(Self::Bytes)
            }
            (Type::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Uuid), _) => Some(Self::Bytes),
            (Type::BYTE_ARRAY, Some(LogicalType::Bson), _)
            | (Type::BYTE_ARRAY, None, ConvertedType::BSON) => Some(Self::Bytes),
            (
                Type::BYTE_ARRAY,
                Some(LogicalType::String | LogicalType::Json | LogicalType::Enum),
                _,
            )
            | (
                Type::BYTE_ARRAY,
                None,
                ConvertedType::UTF8 | ConvertedType::JSON | ConvertedType::ENUM,
            ) => Some(Self::Text),
            (Type::INT32 | Type::INT64, None | Some(LogicalType::Integer(_)), converted)
                if !matches!(
                    converted,
                    ConvertedType::DECIMAL
                        | ConvertedType::DATE
                        | ConvertedType::TIME_MILLIS
                        | ConvertedType::TIME_MICROS
                        | ConvertedType::TIMESTAMP_MILLIS
                        | ConvertedType::TIMESTAMP_MICROS
                ) =>
            {
                Some(Self::Integers)
            }
            _ => None,
        }
    }
}

/// Value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Bytes(&'a [u8]),
    Integer(i128),
}

impl<'a> Value<'a> {
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// A value of at least this many bytes is not copied. A dictionary can store one long value that
/// many rows share.
const LONG: usize = 64 << 10;

/// Values of a column in a batch.
#[derive(Default)]
pub(crate) struct Values {
    bytes: Vec<u8>,
    rows: Vec<Row>,
    /// Total bytes of all values, and of the pages that long values keep in memory.
    pub(super) size: usize,
    /// Number of long values.
    longs: usize,
}

enum Row {
    Null,
    Bytes(Range<usize>),
    /// A value that stays in its page.
    Long(ByteArray),
    Integer(i128),
}

impl Values {
    pub(crate) fn get(&self, row: usize) -> Value<'_> {
        match &self.rows[row] {
            Row::Null => Value::Null,
            Row::Bytes(range) => Value::Bytes(&self.bytes[range.clone()]),
            Row::Long(value) => Value::Bytes(value.data()),
            Row::Integer(number) => Value::Integer(*number),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Drops the values but keeps the memory for new ones.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
        (self.size, self.longs) = (0, 0);
    }

    fn push(&mut self, value: &ByteArray) {
        self.size += value.len();
        if value.len() >= LONG {
            self.longs += 1;
            self.rows.push(Row::Long(value.clone()));
            return;
        }
        let start = self.bytes.len();
        // A value without a buffer is empty.
        if !value.is_empty() {
            self.bytes.extend_from_slice(value.data());
        }
        self.rows.push(Row::Bytes(start..self.bytes.len()));
    }
}

enum Typed {
    Bytes(ColumnReaderImpl<parquet::data_type::ByteArrayType>),
    Fixed(ColumnReaderImpl<parquet::data_type::FixedLenByteArrayType>),
    Int32(ColumnReaderImpl<parquet::data_type::Int32Type>),
    Int64(ColumnReaderImpl<parquet::data_type::Int64Type>),
}

/// Bytes of pages that were read.
#[derive(Default)]
struct Spent {
    /// Number of bytes in this step.
    step: AtomicUsize,
    /// Number of bytes of the page that was read last.
    last: AtomicUsize,
}

/// Reader of a column of a row group.
pub(crate) struct ColumnReader {
    typed: Typed,
    /// Definition level of values that are not null.
    defined: i16,
    unsigned: bool,
    /// Number of rows to read at a time.
    pub(super) step: usize,
    spent: Arc<Spent>,
    /// True if the size of the batch includes the page that was read last.
    pub(super) is_counted: bool,
    levels: Vec<i16>,
}

impl ColumnReader {
    pub(super) fn new(
        pages: &Arc<Pages>,
        group: &RowGroupMetaData,
        column: usize,
    ) -> parquet::errors::Result<Self> {
        let chunk = group.column(column);
        let rows = usize::try_from(group.num_rows())?;
        let spent = Arc::new(Spent::default());
        let descriptor = chunk.column_descr_ptr();
        let pages = CheckedPages {
            pages: SerializedPageReader::new(Arc::clone(pages), chunk, rows, None)?,
            spent: Arc::clone(&spent),
            descriptor: chunk.column_descr_ptr(),
        };
        let average = chunk.uncompressed_size() / group.num_rows().max(1);
        let step = (STEP_BYTES / average.max(1)).clamp(1, STEP_ROWS as i64) as usize;
        let unsigned = matches!(
            descriptor.logical_type_ref(),
            Some(LogicalType::Integer(integer)) if !integer.is_signed
        ) || matches!(
            descriptor.converted_type(),
            ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64
        );
        let defined = descriptor.max_def_level();
        let typed = match get_column_reader(descriptor, Box::new(pages)) {
            AnyReader::ByteArrayColumnReader(reader) => Typed::Bytes(reader),
            AnyReader::FixedLenByteArrayColumnReader(reader) => Typed::Fixed(reader),
            AnyReader::Int32ColumnReader(reader) => Typed::Int32(reader),
            AnyReader::Int64ColumnReader(reader) => Typed::Int64(reader),
            _ => return Err(ParquetError::General("a column changed its type".into())),
        };
        Ok(Self {
            typed,
            defined,
            unsigned,
            step,
            spent,
            is_counted: false,
            levels: Vec::new(),
        })
    }

    /// Appends the next rows, at most `rows`, to `values`. Returns their number.
    pub(super) fn read(
        &mut self,
        rows: usize,
        values: &mut Values,
    ) -> parquet::errors::Result<usize> {
        let (longs, before) = (values.longs, self.spent.last.load(Ordering::Relaxed));
        self.spent.step.store(0, Ordering::Relaxed);
        let count = self.read_values(rows, values)?;
        let spent = self.spent.step.load(Ordering::Relaxed);
        if values.longs > longs {
            values.size += spent + if self.is_counted { 0 } else { before };
            self.is_counted = true;
        } else if spent > 0 {
            self.is_counted = false;
        }
        Ok(count)
    }

    fn read_values(&mut self, rows: usize, values: &mut Values) -> parquet::errors::Result<usize> {
        self.levels.clear();
        let (levels, defined, unsigned) = (&mut self.levels, self.defined, self.unsigned);
        match &mut self.typed {
            Typed::Bytes(reader) => read(reader, rows, levels, defined, values, |values, value| {
                values.push(value);
            }),
            Typed::Fixed(reader) => read(reader, rows, levels, defined, values, |values, value| {
                values.push(value);
            }),
            Typed::Int32(reader) => {
                read(reader, rows, levels, defined, values, |values, &value| {
                    let number = match unsigned {
                        true => i128::from(value as u32),
                        false => i128::from(value),
                    };
                    values.rows.push(Row::Integer(number));
                })
            }
            Typed::Int64(reader) => {
                read(reader, rows, levels, defined, values, |values, &value| {
                    let number = match unsigned {
                        true => i128::from(value as u64),
                        false => i128::from(value),
                    };
                    values.rows.push(Row::Integer(number));
                })
            }
        }
    }
}

fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    defined: i16,
    values: &mut Values,
    push: impl Fn(&mut Values, &T::T),
) -> parquet::errors::Result<usize> {
    let mut found = Vec::with_capacity(rows);
    let (count, ..) = reader.read_records(rows, Some(levels), None, &mut found)?;
    if defined == 0 {
        for value in &found {
            push(values, value);
        }
        return Ok(found.len());
    }
    let mut found = found.iter();
    for &level in levels.iter() {
        if level == defined {
            let value = found.next();
            push(
                values,
                value.ok_or_else(|| ParquetError::EOF("a value is missing".into()))?,
            );
        } else {
            values.rows.push(Row::Null);
        }
    }
    Ok(count)
}

/// Pages of a column. Their claimed sizes are checked before they are decoded.
struct CheckedPages<P> {
    pages: P,
    spent: Arc<Spent>,
    descriptor: ColumnDescPtr,
}

impl<P: PageReader> Iterator for CheckedPages<P> {
    type Item = parquet::errors::Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<P: PageReader> PageReader for CheckedPages<P> {
    fn get_next_page(&mut self) -> parquet::errors::Result<Option<Page>> {
        let Some(page) = self.pages.get_next_page()? else {
            return Ok(None);
        };
        let len = page.buffer().len();
        let refuse = |what: String| Err(ParquetError::NYI(what));
        if page.encoding() == Encoding::DELTA_BYTE_ARRAY && len > LONGEST_DELTA_PAGE {
            return refuse(format!(
                "a page of {len} bytes in the encoding DELTA_BYTE_ARRAY; at most \
                 {LONGEST_DELTA_PAGE} are read"
            ));
        }
        let general = |what: &str| Err(ParquetError::General(what.to_owned()));
        // Length in bytes of the shortest possible value in a dictionary.
        let shortest = match self.descriptor.physical_type() {
            Type::INT64 => 8,
            Type::FIXED_LEN_BYTE_ARRAY => self.descriptor.type_length().max(1) as usize,
            _ => 4,
        };
        if page.is_dictionary_page() && page.num_values() as usize > len / shortest {
            return general("a dictionary claims more values than it has");
        }
        if page.is_dictionary_page() && page.num_values() > LONGEST_DICTIONARY {
            return refuse(format!(
                "a dictionary of {} values; at most {LONGEST_DICTIONARY} are read",
                page.num_values()
            ));
        }
        if has_too_many_values(&page, self.descriptor.max_def_level()) {
            return general("a page has more values than its header claims");
        }
        self.spent.last.store(len, Ordering::Relaxed);
        let spent = self.spent.step.fetch_add(len, Ordering::Relaxed) + len;
        if spent > STEP_PAGES {
            return refuse(format!(
                "few rows lie in pages of {spent} bytes; at most {STEP_PAGES} are read"
            ));
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> parquet::errors::Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> parquet::errors::Result<()> {
        self.pages.skip_next_page()
    }
}

/// Returns true if a page that stores lengths claims more lengths than its header claims values, or
/// if it is malformed. The `parquet` crate reserves memory for the claimed number.
fn has_too_many_values(page: &Page, max_def_level: i16) -> bool {
    let is_delta = matches!(
        page.encoding(),
        Encoding::DELTA_BYTE_ARRAY | Encoding::DELTA_LENGTH_BYTE_ARRAY
    );
    let values = || {
        let bytes = &page.buffer()[..];
        match page {
            Page::DataPage { .. } if max_def_level == 0 => Some(bytes),
            Page::DataPage {
                def_level_encoding: Encoding::RLE,
                ..
            } => {
                let (len, rest) = bytes.split_first_chunk::<4>()?;
                rest.get(u32::from_le_bytes(*len) as usize..)
            }
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => bytes.get(*def_levels_byte_len as usize + *rep_levels_byte_len as usize..),
            _ => None,
        }
    };
    let most = page.num_values().into();
    let is_right = || {
        let values = values()?;
        let rest = after_lengths(values, most)?;
        if page.encoding() == Encoding::DELTA_BYTE_ARRAY {
            // The lengths of the shared prefixes come first, and then the lengths of the suffixes.
            after_lengths(rest, most)?;
        }
        Some(())
    };
    is_delta && is_right().is_none()
}

/// Returns the bytes after a list of at most `most` lengths in the encoding DELTA_BINARY_PACKED.
fn after_lengths(bytes: &[u8], most: u64) -> Option<&[u8]> {
    let mut rest = Thrift(bytes);
    let [block, groups, count, _first] = [(); 4].map(|()| rest.varint());
    let (block, groups, count) = (block?, groups?, count?);
    if count > most || groups == 0 || block / groups == 0 {
        return None;
    }
    let group = block / groups;
    let mut left = count.saturating_sub(1);
    while left > 0 {
        rest.varint()?;
        let widths = rest.0.split_off(..usize::try_from(groups).ok()?)?;
        for &width in widths {
            // The width of a group without values is meaningless.
            let width = if left == 0 { 0 } else { u64::from(width) };
            let len = width.checked_mul(group)? / 8;
            rest.0.split_off(..usize::try_from(len).ok()?)?;
            left = left.saturating_sub(group);
        }
    }
    Some(rest.0)
}

#[cfg(test)]
mod tests;
