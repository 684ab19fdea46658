//! Limits on how many bytes a small file may decode to.

use super::{Column, example, text, verdicts, write, zstd};
use crate::sandbox::{Sandbox, with};
use parquet::{
    basic::{Compression, Encoding, Repetition, Type, ZstdLevel},
    file::metadata::{
        ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataWriter, RowGroupMetaData,
    },
    schema::types::{SchemaDescriptor, Type as SchemaType},
};
use std::{fs, path::Path, sync::Arc};

/// Uncompressed bytes of a padded page.
const PAGE: usize = 256 << 20;

fn varint(bytes: &mut Vec<u8>, mut value: usize) {
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Returns a page of `len` uncompressed bytes: `start`, and then zeros that belong to no value.
/// `kind` is the type in the header of the page, and `details` is the last field of the header.
fn page(kind: u8, details: &[u8], start: &[u8], len: usize) -> Vec<u8> {
    // A Zstandard frame with a window of 128 KiB. Its blocks are stored, or repeat one byte.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
    let mut block = |kind: usize, len: usize, left: usize, bytes: &[u8]| {
        let header = len << 3 | kind << 1 | usize::from(left == 0);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(bytes);
    };
    let mut left = len - start.len();
    block(0, start.len(), left, start);
    while left > 0 {
        let len = left.min(1 << 17);
        left -= len;
        block(1, len, left, &[0]);
    }
    let mut page = vec![0x15, kind << 1, 0x15];
    varint(&mut page, len << 1);
    page.push(0x15);
    varint(&mut page, frame.len() << 1);
    page.extend(details);
    page.push(0);
    page.extend(frame);
    page
}

/// Writes a file with `rows` rows that have the same value in each column. Each row group has one
/// row, in a page of [`PAGE`] bytes, or in a small page after a dictionary of [`PAGE`] bytes.
fn write_padded(path: &Path, columns: &[(&str, &[u8])], rows: usize, has_dictionary: bool) {
    let field = |name: &str| {
        let field = SchemaType::primitive_type_builder(name, Type::BYTE_ARRAY);
        Arc::new(field.with_repetition(Repetition::REQUIRED).build().unwrap())
    };
    let fields = columns.iter().map(|(name, _)| field(name)).collect();
    let schema = SchemaType::group_type_builder("schema").with_fields(fields);
    let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema.build().unwrap())));
    let mut bytes = b"PAR1".to_vec();
    let group = |_| {
        let column = |(number, (_, value)): (usize, &(&str, &[u8]))| {
            let value = [&(value.len() as u32).to_le_bytes()[..], value].concat();
            let start = bytes.len();
            // One value, stored plainly, or as an index of width 1 in a run of length 1. The levels
            // are run-length encoded, too.
            let plain = [0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, 0];
            let indexed = [0x2c, 0x15, 2, 0x15, 16, 0x15, 6, 0x15, 6, 0];
            let dictionary = has_dictionary.then(|| {
                bytes.extend(page(2, &[0x4c, 0x15, 2, 0x15, 0, 0], &value, PAGE - 3));
                start as i64
            });
            let data = bytes.len() as i64;
            bytes.extend(match has_dictionary {
                true => page(0, &indexed, &[1, 2, 0], 3),
                false => page(0, &plain, &value, PAGE),
            });
            ColumnChunkMetaData::builder(schema.column(number))
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_encodings(vec![Encoding::PLAIN, Encoding::RLE_DICTIONARY])
                .set_num_values(1)
                .set_total_compressed_size((bytes.len() - start) as i64)
                .set_total_uncompressed_size(PAGE as i64)
                .set_data_page_offset(data)
                .set_dictionary_page_offset(dictionary)
                .build()
                .unwrap()
        };
        let columns: Vec<_> = columns.iter().enumerate().map(column).collect();
        RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(1)
            .set_total_byte_size((PAGE * columns.len()) as i64)
            .set_column_metadata(columns)
            .build()
            .unwrap()
    };
    let groups: Vec<_> = (0..rows).map(group).collect();
    let file = FileMetaData::new(1, rows as i64, None, None, Arc::clone(&schema), None);
    let metadata = ParquetMetaData::new(file, groups);
    let writer = ParquetMetaDataWriter::new(&mut bytes, &metadata);
    writer.finish().unwrap();
    fs::write(path, bytes).unwrap();
}

/// Returns the value for `--max-expansion` that an error proposes.
pub(super) fn passing(message: &str) -> String {
    let (_, rest) = message
        .split_once("raise --max-expansion to ")
        .expect(message);
    rest.split_once(' ').expect(message).0.to_owned()
}

/// Pages of 256 MiB, and a value of 7 bytes in each: five of them exceed 1 GiB.
#[test]
fn bytes_that_belong_to_no_value_count_towards_the_expansion() {
    let sandbox = Sandbox::new();
    example(&sandbox, &["--rows", "10"]);
    let messages = [("message", &b"message"[..])];
    let signed = [messages[0], ("signature", b"none")];
    let keys = [("key_id", &b"one"[..]), ("key", b"none")];
    for has_dictionary in [false, true] {
        let write = |name: &str, columns: &[_], rows| {
            write_padded(&sandbox.path(name), columns, rows, has_dictionary);
            let bytes = fs::metadata(sandbox.path(name)).unwrap().len();
            assert!(bytes < 100_000, "{bytes}");
        };
        write("messages.parquet", &messages, 5);
        write("signed.parquet", &signed, 3);
        write("keys.parquet", &keys, 3);
        for (arguments, table, status, end) in [
            (
                "sign-table -k k messages.parquet -o",
                "messages",
                0,
                "5 signed\n",
            ),
            (
                "verify-table -p k.pub signed.parquet -o",
                "signed",
                1,
                "3 malformed; rows 0, 1, 2\n",
            ),
            (
                "verify-table --keys keys.parquet ex/ledger -o",
                "keys",
                1,
                "10 with an unknown key; rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n",
            ),
        ] {
            let command: Vec<_> = arguments.split(' ').collect();
            let command = with(&command, ["v", "--force", "--max-expansion"]);
            let message = sandbox.refuses(&with(&command, ["1"]));
            for told in [
                &*format!("{table}.parquet: has 1,342,177,2"),
                " bytes of pages; at most 1,073,741,824 are read (1 GiB, or 1 times the file if \
                 that is more)",
            ] {
                assert!(message.contains(told), "{message}");
            }
            if !has_dictionary {
                let run = sandbox.run(&with(&command, [&passing(&message)]));
                assert_eq!(run.status.code(), Some(status), "{run:?}");
                assert!(text(&run.stdout).ends_with(end), "{run:?}");
                assert!(!text(&run.stderr).contains("max-expansion"), "{run:?}");
            }
        }
    }
    // Exactly 1 GiB.
    write_padded(&sandbox.path("few.parquet"), &signed, 2, false);
    let few = ["verify-table", "-p", "k.pub", "few.parquet", "-o", "v"];
    let run = sandbox.run(&with(&few, ["--max-expansion", "1"]));
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert_eq!(verdicts(&sandbox.path("v/few.parquet")), [(0, 2), (1, 2)]);
}

/// The names of the keys decode to 1.3 GB, from one value in a dictionary.
#[test]
fn the_table_of_keys_may_be_larger_if_the_user_says_so() {
    let sandbox = Sandbox::new();
    example(&sandbox, &["--rows", "10"]);
    let name = vec![7; 1 << 20];
    let rows = 1300;
    let columns = [
        ("key_id", Column::of(std::iter::repeat_n(&name, rows))),
        ("key", Column::of(std::iter::repeat_n(b"none", rows))),
    ];
    let properties = zstd().set_dictionary_page_size_limit(16 << 20);
    write(
        &sandbox.path("keys.parquet"),
        &columns,
        rows,
        properties.build(),
    );
    let verify = [
        "verify-table",
        "--keys",
        "keys.parquet",
        "ex/ledger",
        "-o",
        "v",
    ];
    let message = sandbox.refuses(&verify);
    assert!(message.contains("keys.parquet: has 1,0"), "{message}");
    assert!(
        message.contains(" of 1,300 rows; at most 1,073,741,824 are read"),
        "{message}"
    );
    let run = sandbox.run(&with(&verify, ["--max-expansion", &passing(&message)]));
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(
        text(&run.stdout).contains("10 with an unknown key"),
        "{run:?}"
    );
}

/// Lists of 16,000,000 structs of one byte, for which the `parquet` crate would reserve 1.5 GB.
#[cfg(target_os = "linux")]
#[test]
fn a_footer_that_claims_many_structs_is_refused() {
    let sandbox = Sandbox::new();
    let count = 16_000_000;
    // Version 1, a column of bytes in the schema, no rows.
    let start = [
        &b"\x15\x02\x19\x2c\x48\x06schema\x15\x02\x00"[..],
        b"\x15\x0c\x25\x00\x18\x07message\x00\x16\x00",
    ]
    .concat();
    // A list of row groups, or an empty list of them and a list of key-value pairs.
    for before in [&b"\x19\xfc"[..], b"\x19\x0c\x19\xfc"] {
        let mut footer = [&start[..], before].concat();
        varint(&mut footer, count);
        footer.resize(footer.len() + count + 1, 0);
        let len = (footer.len() as u32).to_le_bytes();
        sandbox.write("t.parquet", [b"PAR1", &footer[..], &len, b"PAR1"].concat());
        let output = std::process::Command::new("sh")
            .args(["-c", "ulimit -v 400000; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_falcon-cli"))
            .args(["verify-table", "t.parquet", "-p", "k.pub", "-o", "v"])
            .args(["--threads", "1"])
            .env("MALLOC_ARENA_MAX", "1")
            .current_dir(&sandbox.0)
            .output();
        let message = crate::sandbox::said(&output.unwrap());
        assert!(
            message.contains("lists of more than 1048576 structs"),
            "{message}"
        );
    }
}
