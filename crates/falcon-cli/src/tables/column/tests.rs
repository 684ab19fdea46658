//! Tests of what a damaged or unusual page costs and means.

use super::*;
use parquet::{
    basic::Repetition,
    schema::types::{ColumnPath, Type as SchemaType},
};
use std::result::Result;

const JUNK: usize = 1 << 20;

/// A number of equal pages.
struct EqualPages(usize, Page);

impl Iterator for EqualPages {
    type Item = parquet::errors::Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for EqualPages {
    fn get_next_page(&mut self) -> parquet::errors::Result<Option<Page>> {
        let Some(left) = self.0.checked_sub(1) else {
            return Ok(None);
        };
        self.0 = left;
        Ok(Some(self.1.clone()))
    }

    fn peek_next_page(&mut self) -> parquet::errors::Result<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> parquet::errors::Result<()> {
        Ok(())
    }
}

/// A page of `num_values` values. Its levels are RLE.
fn page(buf: Vec<u8>, num_values: u32, encoding: Encoding) -> Page {
    Page::DataPage {
        buf: buf.into(),
        num_values,
        encoding,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    }
}

/// A page with a value for each length, and bytes that nothing reads.
fn filled_page(lengths: &[usize]) -> Page {
    let mut bytes = Vec::new();
    for &len in lengths {
        bytes.extend((len as u32).to_le_bytes());
        bytes.resize(bytes.len() + len, 7);
    }
    bytes.resize(JUNK, 0);
    page(bytes, lengths.len() as u32, Encoding::PLAIN)
}

/// A required column without a logical type.
fn column(physical: Type, converted: ConvertedType) -> Arc<ColumnDescriptor> {
    let column = SchemaType::primitive_type_builder("message", physical)
        .with_repetition(Repetition::REQUIRED)
        .with_converted_type(converted)
        .build();
    let path = ColumnPath::from("message");
    let column = Arc::new(column.expect("a type"));
    Arc::new(ColumnDescriptor::new(column, 0, 0, path))
}

fn checked(physical: Type, pages: EqualPages) -> CheckedPages<EqualPages> {
    CheckedPages {
        pages,
        spent: Arc::new(Spent::default()),
        descriptor: column(physical, ConvertedType::NONE),
    }
}

/// A reader of pages that each have values of these lengths.
fn reader(pages: usize, lengths: &[usize]) -> ColumnReader {
    let pages = checked(Type::BYTE_ARRAY, EqualPages(pages, filled_page(lengths)));
    let spent = Arc::clone(&pages.spent);
    let descriptor = Arc::clone(&pages.descriptor);
    ColumnReader {
        typed: Typed::Bytes(ColumnReaderImpl::new(descriptor, Box::new(pages))),
        defined: 0,
        unsigned: false,
        step: 1,
        spent,
        is_counted: false,
        levels: Vec::new(),
    }
}

#[test]
fn pages_that_long_values_keep_are_counted_once() -> Result<(), Box<dyn std::error::Error>> {
    let mut reader = reader(4, &[LONG, 1]);
    let mut values = Values::default();
    // Reads the long value of the first page, then its short value.
    assert_eq!(reader.read(1, &mut values)?, 1);
    assert_eq!(values.size, LONG + JUNK);
    assert_eq!(reader.read(1, &mut values)?, 1);
    assert_eq!(values.size, LONG + 1 + JUNK);
    // Reads all of the second page at once, then the third page and half of the fourth.
    assert_eq!(reader.read(2, &mut values)?, 2);
    assert_eq!(values.size, 2 * (LONG + 1 + JUNK));
    assert_eq!(reader.read(3, &mut values)?, 3);
    assert_eq!(values.size, 4 * (LONG + JUNK) + 3);
    Ok(())
}

#[test]
fn a_page_whose_first_value_is_short_is_counted_with_its_long_value()
-> Result<(), Box<dyn std::error::Error>> {
    let mut reader = reader(1, &[1, LONG]);
    let mut values = Values::default();
    assert_eq!(reader.read(1, &mut values)?, 1);
    assert_eq!(values.size, 1);
    assert_eq!(reader.read(1, &mut values)?, 1);
    assert_eq!(values.size, 1 + LONG + JUNK);
    Ok(())
}

#[test]
fn cleared_values_take_no_bytes() {
    let mut values = Values::default();
    values.push(&vec![7; LONG - 1].into());
    values.push(&vec![7; LONG].into());
    values.clear();
    let Values {
        bytes,
        rows,
        size,
        longs,
    } = values;
    assert_eq!((bytes.len(), rows.len(), size, longs), (0, 0, 0, 0));
}

/// Old files have converted types, but no logical types.
#[test]
fn times_and_decimals_are_no_integers() {
    let kind = |physical, converted| Kind::of(&column(physical, converted));
    for (physical, converted) in [
        (Type::INT32, ConvertedType::NONE),
        (Type::INT32, ConvertedType::UINT_8),
        (Type::INT64, ConvertedType::INT_64),
    ] {
        assert_eq!(kind(physical, converted), Some(Kind::Integers));
    }
    for (physical, converted) in [
        (Type::INT32, ConvertedType::DATE),
        (Type::INT32, ConvertedType::TIME_MILLIS),
        (Type::INT64, ConvertedType::TIME_MICROS),
        (Type::INT64, ConvertedType::TIMESTAMP_MILLIS),
        (Type::INT64, ConvertedType::TIMESTAMP_MICROS),
    ] {
        assert_eq!(kind(physical, converted), None, "{converted}");
    }
}

#[test]
fn a_dictionary_has_room_for_its_values() {
    for (physical, len) in [(Type::INT64, 8), (Type::INT32, 4), (Type::BYTE_ARRAY, 4)] {
        let dictionary = |bytes, num_values| {
            let page = Page::DictionaryPage {
                buf: vec![0; bytes].into(),
                num_values,
                encoding: Encoding::PLAIN,
                is_sorted: false,
            };
            checked(physical, EqualPages(1, page)).get_next_page()
        };
        assert!(dictionary(100 * len, 100).is_ok());
        let refused = dictionary(100 * len - 1, 100).unwrap_err().to_string();
        assert!(refused.contains("more values than it has"), "{refused}");
    }
}

#[test]
fn lengths_are_counted() {
    // Blocks of 128 values in 4 groups; 3 values, of which the first is 5; then one block.
    let mut bytes = vec![0x80, 1, 4, 3, 10, 0, 3, 9, 9, 9];
    bytes.extend([0; 12]);
    bytes.push(7);
    assert_eq!(after_lengths(&bytes, 3), Some(&[7][..]));
    assert_eq!(after_lengths(&bytes, 2), None);
    for end in 0..bytes.len() - 1 {
        assert_eq!(after_lengths(&bytes[..end], 3), None);
    }
    assert_eq!(after_lengths(&[0x80, 1, 4, 1, 10, 7], 1), Some(&[7][..]));
    assert_eq!(after_lengths(&[0x80, 1, 0, 1, 10, 7], 1), None);
}

#[test]
fn a_page_of_lengths_has_no_more_than_its_header() {
    let delta = Encoding::DELTA_LENGTH_BYTE_ARRAY;
    let lengths = |count| vec![2, 0, 0, 0, 2, 1, 0x80, 1, 4, count, 0, 7];
    let page = |count, num_values| page(lengths(count), num_values, delta);
    assert!(!has_too_many_values(&page(1, 1), 1));
    assert!(!has_too_many_values(&page(1, 9), 1));
    assert!(has_too_many_values(&page(2, 1), 1));
    assert!(has_too_many_values(&page(2, 9), 1));
    assert!(has_too_many_values(&page(1, 1), 0));
}

/// The list of the lengths of suffixes is as long as the list of the lengths of prefixes.
#[test]
fn both_lists_of_lengths_are_checked() {
    let both = |prefixes, suffixes| {
        let list = |count| [0x80, 1, 4, count, 0];
        let bytes = [list(prefixes), list(suffixes)].concat();
        let page = page(bytes, 1, Encoding::DELTA_BYTE_ARRAY);
        let too_many = has_too_many_values(&page, 0);
        let read = checked(Type::BYTE_ARRAY, EqualPages(1, page)).get_next_page();
        assert_eq!(read.is_err(), too_many);
        too_many
    };
    assert!(!both(1, 1));
    assert!(both(2, 1));
    assert!(both(1, 2));
}
