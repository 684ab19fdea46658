//! Parquet files of signatures: every type of column, shards, restarts, damaged files.

mod expansion;
#[cfg(unix)]
mod outputs;

use crate::certificates::{certificate, fields_of};
use crate::sandbox::{Sandbox, json_lines, said, text, with};
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey};
use parquet::{
    basic::{Compression, Encoding, LogicalType, Repetition, TimeUnit, Type, ZstdLevel},
    data_type::{
        ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
    },
    file::{
        metadata::{KeyValue, ParquetMetaData, ParquetMetaDataWriter},
        properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion},
        reader::{FileReader, SerializedFileReader},
        writer::SerializedFileWriter,
    },
    record::RowAccessor,
    schema::types::Type as SchemaType,
};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

const VERIFY: [&str; 2] = ["verify-table", "-o"];

/// Arguments to verify the output of `make-table ex`.
const VERIFY_EXAMPLE: [&str; 6] = [
    "verify-table",
    "ex/ledger",
    "--keys",
    "ex/keys.parquet",
    "-o",
    "v",
];

/// A column, as Parquet stores it.
#[derive(Clone)]
enum Column {
    Bytes(Vec<Option<Vec<u8>>>),
    Text(Vec<Option<Vec<u8>>>),
    Fixed(Vec<Option<Vec<u8>>>),
    Int32(Vec<Option<i32>>, Option<LogicalType>),
    Int64(Vec<Option<i64>>, Option<LogicalType>),
}

impl Column {
    fn of<T: AsRef<[u8]>>(values: impl IntoIterator<Item = T>) -> Self {
        let values = values.into_iter();
        Self::Bytes(values.map(|value| Some(value.as_ref().to_vec())).collect())
    }
}

fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|value| value.is_some().into()).collect()
}

/// Writes a file whose row groups have `group` rows.
fn write(path: &Path, columns: &[(&str, Column)], group: usize, properties: WriterProperties) {
    let fields = columns.iter().map(|(name, column)| {
        let (kind, logical, len) = match column {
            Column::Bytes(_) => (Type::BYTE_ARRAY, None, -1),
            Column::Text(_) => (Type::BYTE_ARRAY, Some(LogicalType::String), -1),
            Column::Fixed(values) => {
                let len = values.iter().flatten().next().unwrap().len();
                (Type::FIXED_LEN_BYTE_ARRAY, None, len as i32)
            }
            Column::Int32(_, logical) => (Type::INT32, logical.clone(), -1),
            Column::Int64(_, logical) => (Type::INT64, logical.clone(), -1),
        };
        let field = SchemaType::primitive_type_builder(name, kind)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .with_length(len);
        Arc::new(field.build().unwrap())
    });
    let schema = SchemaType::group_type_builder("schema").with_fields(fields.collect());
    let schema = Arc::new(schema.build().unwrap());
    let file = File::create(path).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let rows = match &columns[0].1 {
        Column::Bytes(values) | Column::Text(values) | Column::Fixed(values) => values.len(),
        Column::Int32(values, _) => values.len(),
        Column::Int64(values, _) => values.len(),
    };
    for start in (0..rows).step_by(group) {
        let rows = start..rows.min(start + group);
        let mut writer = writer.next_row_group().unwrap();
        for (_, column) in columns {
            let mut writer = writer.next_column().unwrap().unwrap();
            macro_rules! put {
                ($type:ty, $values:expr, $value:expr) => {{
                    let values = &$values[rows.clone()];
                    let present: Vec<_> = values.iter().flatten().map($value).collect();
                    let levels = levels(values);
                    let column = writer.typed::<$type>();
                    column.write_batch(&present, Some(&levels), None).unwrap();
                }};
            }
            match column {
                Column::Bytes(values) | Column::Text(values) => {
                    put!(ByteArrayType, values, |value| ByteArray::from(
                        value.clone()
                    ));
                }
                Column::Fixed(values) => put!(FixedLenByteArrayType, values, |value| {
                    FixedLenByteArray::from(ByteArray::from(value.clone()))
                }),
                Column::Int32(values, _) => put!(Int32Type, values, |value| *value),
                Column::Int64(values, _) => put!(Int64Type, values, |value| *value),
            }
            writer.close().unwrap();
        }
        writer.close().unwrap();
    }
    writer.close().unwrap();
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_dictionary_enabled(false)
}

fn zstd() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()))
}

/// Reads the rows and verdicts of an output.
fn verdicts(path: &Path) -> Vec<(i64, u32)> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(|row| {
        let row = row.unwrap();
        (
            row.get_long(0).unwrap(),
            u32::from(row.get_ubyte(1).unwrap()),
        )
    });
    rows.collect()
}

fn only_verdicts(path: &Path) -> Vec<u32> {
    let found = verdicts(path);
    assert!(found.iter().map(|&(row, _)| row).eq(0..found.len() as i64));
    found.into_iter().map(|(_, verdict)| verdict).collect()
}

fn key<P: Parameters>(number: u8) -> SigningKey<P> {
    SigningKey::from_seed(&[number; 32]).expect("no fault")
}

fn sign<P: Parameters>(key: &SigningKey<P>, message: &[u8], format: Format) -> Vec<u8> {
    let mut stream = key.sign_stream_from_seed(&[1; 32]);
    stream.update(message);
    let signature: Signature<P> = stream.finish().expect("no fault");
    signature.to_vec(format).unwrap()
}

/// Returns messages of 9 bytes, their signatures by the keys 0 to 2, and the number of each row's
/// key.
fn signed(rows: usize) -> (Vec<Vec<u8>>, Vec<Vec<u8>>, Vec<usize>) {
    let keys: Vec<SigningKey<Falcon512>> = (0..3).map(key).collect();
    let messages: Vec<_> = (0..rows)
        .map(|row| format!("row {row:05}").into_bytes())
        .collect();
    let signers: Vec<_> = (0..rows).map(|row| row % 3).collect();
    let signatures = messages.iter().zip(&signers);
    let signatures =
        signatures.map(|(message, &signer)| sign(&keys[signer], message, Format::Padded));
    let signatures = signatures.collect();
    (messages, signatures, signers)
}

fn public() -> Vec<Vec<u8>> {
    (0..3)
        .map(|number| key::<Falcon512>(number).verifying_key().to_bytes().to_vec())
        .collect()
}

fn example(sandbox: &Sandbox, options: &[&str]) {
    let make = ["make-table", "ex", "--keys", "5", "--forge"];
    sandbox.succeeds(&with(&make, options));
}

fn expected(sandbox: &Sandbox) -> BTreeMap<String, BTreeMap<i64, u32>> {
    let expected: serde_json::Value =
        serde_json::from_slice(&sandbox.read("ex/expected.json")).unwrap();
    let rows = |rows: &serde_json::Value| {
        let rows = rows.as_object().unwrap().iter();
        rows.map(|(row, verdict)| (row.parse().unwrap(), verdict.as_u64().unwrap() as u32))
            .collect()
    };
    let shards = expected["shards"].as_object().unwrap().iter();
    shards
        .map(|(name, forged)| (name.clone(), rows(forged)))
        .collect()
}

fn outputs(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// Names of the tables in a folder of outputs, then those of the reports, as `reports/NAME`.
fn written(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let mut names = outputs(&sandbox.path(folder));
    let reports = outputs(&sandbox.path(&format!("{folder}.reports")));
    names.extend(reports.iter().map(|name| format!("reports/{name}")));
    names
}

#[test]
fn forged_rows_are_found_by_the_whole_and_by_every_shard() {
    let sandbox = Sandbox::empty();
    example(
        &sandbox,
        &["--tables", "3", "--rows", "500", "--group-rows", "64"],
    );
    let verify = ["verify-table", "ex/ledger", "--keys", "ex/keys.parquet"];
    let whole = sandbox.run(&with(&verify, ["-o", "v"]));
    assert_eq!(whole.status.code(), Some(1), "{whole:?}");
    let summary: serde_json::Value =
        serde_json::from_slice(&sandbox.read("v.reports/summary.json")).unwrap();
    let mut all = BTreeMap::new();
    for (name, forged) in expected(&sandbox) {
        assert_eq!(forged.len(), 3);
        let rows: Vec<_> = forged.keys().collect();
        assert_eq!(summary["not_valid"][&name], serde_json::json!(rows));
        let found = verdicts(&sandbox.path(&format!("v/{name}")));
        assert!(found.iter().map(|&(row, _)| row).eq(0..500));
        for (row, verdict) in found {
            assert_eq!(verdict, *forged.get(&row).unwrap_or(&0), "{name} {row}");
            all.insert((name.clone(), row), verdict);
        }
    }
    // `make-table` forges the first, the middle and the last row of each table.
    for shards in [3, 1, 5, 24, 100] {
        let mut union = BTreeMap::new();
        let output = format!("s{shards}");
        let mut rows = Vec::new();
        for shard in 1..=shards {
            let shard = format!("{shard}/{shards}");
            let run = sandbox.run(&with(&verify, ["-o", &output, "--shard", &shard, "--json"]));
            assert!(matches!(run.status.code(), Some(0 | 1)), "{run:?}");
            let lines = json_lines(&run);
            rows.push(
                lines
                    .iter()
                    .map(|line| line["rows"].as_u64().unwrap())
                    .sum::<u64>(),
            );
            for line in &lines {
                let is_part = line["shard"].as_str().unwrap().contains(".groups-");
                for field in ["row_groups", "first_row"] {
                    assert_eq!(line.get(field).is_some(), is_part, "{line}");
                }
            }
            if shards == 3 {
                assert_eq!(run.status.code(), Some(1));
                assert_eq!(
                    lines[0]["first_not_valid"],
                    serde_json::json!([0, 250, 499])
                );
            }
        }
        // The parts differ by at most a full row group and the last row group of a table.
        let (least, most) = (rows.iter().min().unwrap(), rows.iter().max().unwrap());
        assert!(most - least <= 64 + 52, "{rows:?}");
        for name in outputs(&sandbox.path(&output)) {
            if let Some(stem) = name.strip_suffix(".parquet") {
                let table = format!("{}.parquet", stem.split('.').next().unwrap());
                for (row, verdict) in verdicts(&sandbox.path(&output).join(&name)) {
                    assert!(union.insert((table.clone(), row), verdict).is_none());
                }
            }
        }
        assert!(union == all, "{shards} shards");
    }
}

#[test]
fn columns_of_every_type_are_read() {
    let sandbox = Sandbox::empty();
    let (mut messages, mut signatures, signers) = signed(60);
    let public = public();
    messages[7][0] = b'R';
    signatures[11][0] ^= 0x40;
    let expected: Vec<u32> = (0..60)
        .map(|row| match row {
            7 => 1,
            11 => 2,
            _ => 0,
        })
        .collect();
    let options = |values: &[Vec<u8>]| values.iter().cloned().map(Some).collect::<Vec<_>>();
    let (messages, signatures) = (options(&messages), options(&signatures));
    let integers = |width, signed| Some(LogicalType::integer(width, signed));
    let ids: Vec<(Column, Column)> = {
        let texts = |signers: &[usize]| {
            let name = |signer: &usize| Some(format!("signer {signer}").into_bytes());
            signers.iter().map(name).collect::<Vec<_>>()
        };
        let small = |signers: &[usize]| {
            signers
                .iter()
                .map(|&it| Some(it as i32 - 1))
                .collect::<Vec<_>>()
        };
        let large = |signers: &[usize]| {
            signers
                .iter()
                .map(|&it| Some(it as i64 - 1))
                .collect::<Vec<_>>()
        };
        let all = [0, 1, 2];
        vec![
            (Column::Text(texts(&signers)), Column::Text(texts(&all))),
            (Column::Bytes(texts(&signers)), Column::Text(texts(&all))),
            (Column::Fixed(texts(&signers)), Column::Bytes(texts(&all))),
            (
                Column::Int32(small(&signers), None),
                Column::Int64(large(&all), None),
            ),
            (
                Column::Int64(large(&signers), None),
                Column::Int32(small(&all), integers(8, true)),
            ),
            (
                Column::Int32(small(&signers), integers(32, false)),
                // -1, read as an unsigned 32-bit integer.
                Column::Int64(
                    vec![Some(i64::from(u32::MAX)), Some(0), Some(1)],
                    integers(64, false),
                ),
            ),
        ]
    };
    let properties = [
        plain().build(),
        WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .build(),
        zstd()
            .set_writer_version(WriterVersion::PARQUET_2_0)
            .build(),
        plain()
            .set_encoding(Encoding::DELTA_LENGTH_BYTE_ARRAY)
            .set_data_page_size_limit(2000)
            .set_write_batch_size(5)
            .build(),
        plain()
            .set_encoding(Encoding::DELTA_BYTE_ARRAY)
            .set_writer_version(WriterVersion::PARQUET_2_0)
            .build(),
        plain()
            .set_data_page_size_limit(1)
            .set_write_batch_size(1)
            .build(),
    ];
    let keys = Column::of(signers.iter().map(|&signer| &public[signer]));
    for (number, properties) in properties.into_iter().enumerate() {
        for (turn, (named, listed)) in ids.iter().enumerate() {
            // DELTA_LENGTH_BYTE_ARRAY, number 3 above, cannot encode values of a fixed length.
            let fixed = match number {
                3 => Column::Bytes,
                _ => Column::Fixed,
            };
            let named = match named {
                Column::Fixed(values) => fixed(values.clone()),
                other => other.clone(),
            };
            let message = match turn % 3 {
                0 => Column::Bytes(messages.clone()),
                1 => Column::Text(messages.clone()),
                _ => fixed(messages.clone()),
            };
            let signature = match turn % 2 {
                0 => Column::Bytes(signatures.clone()),
                _ => fixed(signatures.clone()),
            };
            // Integers cannot have the encodings for bytes.
            let is_plain = number < 3 || number == 5;
            if !is_plain && matches!(named, Column::Int32(..) | Column::Int64(..)) {
                continue;
            }
            let columns = [
                ("other", Column::Bytes(messages.clone())),
                ("signature", signature),
                ("key", keys.clone()),
                ("message", message),
                ("key_id", named),
            ];
            write(&sandbox.path("t.parquet"), &columns, 25, properties.clone());
            let listed = [("key", Column::of(&public)), ("key_id", listed.clone())];
            write(&sandbox.path("keys.parquet"), &listed, 2, plain().build());
            for keys in [&["--keys", "keys.parquet"][..], &[]] {
                let run = sandbox.run(&with(
                    &["verify-table", "t.parquet", "-o", "v", "--force"],
                    keys,
                ));
                assert_eq!(run.status.code(), Some(1), "{number} {turn} {run:?}");
                assert_eq!(
                    only_verdicts(&sandbox.path("v/t.parquet")),
                    expected,
                    "{number} {turn}"
                );
            }
        }
    }
}

#[test]
fn nulls_and_unknown_keys_have_verdicts_of_their_own() {
    let sandbox = Sandbox::empty();
    let (messages, signatures, signers) = signed(12);
    let public = public();
    let mut columns =
        [messages, signatures].map(|values| values.into_iter().map(Some).collect::<Vec<_>>());
    let mut keys: Vec<_> = signers.iter().map(|&it| Some(public[it].clone())).collect();
    let mut names: Vec<_> = signers
        .iter()
        .map(|&it| Some(vec![b'0' + it as u8]))
        .collect();
    columns[0][1] = None;
    columns[1][2] = None;
    columns[1][3] = Some(Vec::new());
    (keys[4], names[4]) = (None, None);
    (keys[5], names[5]) = (Some(b"no key".to_vec()), Some(b"bad".to_vec()));
    (keys[6], names[6]) = (Some(Vec::new()), Some(b"nobody".to_vec()));
    // If the key is unknown, other errors of the row are not reported.
    (columns[0][7], keys[7], names[7]) = (None, None, None);
    let [messages, signatures] = columns;
    let table = [
        ("message", Column::Bytes(messages)),
        ("signature", Column::Bytes(signatures)),
        ("key", Column::Bytes(keys)),
        ("key_id", Column::Text(names)),
    ];
    write(&sandbox.path("t.parquet"), &table, 100, plain().build());
    let names = [
        Some(b"0".to_vec()),
        Some(b"1".to_vec()),
        Some(b"2".to_vec()),
        Some(b"bad".to_vec()),
        None,
    ];
    let mut listed = public.clone();
    listed.extend([b"no key".to_vec(), public[0].clone()]);
    let listed = [
        ("key_id", Column::Text(names.to_vec())),
        ("key", Column::of(&listed)),
    ];
    write(&sandbox.path("keys.parquet"), &listed, 100, plain().build());
    for keys in [&["--keys", "keys.parquet"][..], &[]] {
        let run = sandbox.run(&with(
            &["verify-table", "t.parquet", "-o", "v", "--force"],
            keys,
        ));
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        let told = "t.parquet: INVALID, 5 valid, 3 malformed, 4 with an unknown key; rows 1, 2, 3, 4, 5, 6, 7\n";
        assert_eq!(text(&run.stdout), told);
        assert_eq!(
            only_verdicts(&sandbox.path("v/t.parquet")),
            [0, 2, 2, 2, 3, 3, 3, 3, 0, 0, 0, 0]
        );
    }
}

#[test]
fn formats_and_parameter_sets_may_differ() {
    let sandbox = Sandbox::empty();
    let (small, large) = (key::<Falcon512>(1), key::<Falcon1024>(2));
    for (name, format) in [
        ("padded", Format::Padded),
        ("compressed", Format::Compressed),
        ("ct", Format::ConstantTime),
    ] {
        let messages: Vec<_> = (0..20).map(|row| vec![row; usize::from(row)]).collect();
        let signatures = messages
            .iter()
            .enumerate()
            .map(|(row, message)| match row % 2 {
                0 => sign(&small, message, format),
                _ => sign(&large, message, format),
            });
        let mut signatures: Vec<_> = signatures.collect();
        signatures[4] = sign(&small, b"other", format);
        signatures[5] = vec![1];
        let keys = [
            small.verifying_key().to_bytes().to_vec(),
            large.verifying_key().to_bytes().to_vec(),
        ];
        let columns = [
            ("message", Column::of(&messages)),
            ("signature", Column::of(&signatures)),
            ("key", Column::of((0..20).map(|row| &keys[row % 2]))),
        ];
        write(&sandbox.path("t.parquet"), &columns, 7, plain().build());
        let verify = [
            "verify-table",
            "t.parquet",
            "-o",
            name,
            "--format",
            name,
            "--threads",
            "2",
        ];
        assert_eq!(sandbox.status(&verify), 1);
        let expected = (0..20).map(|row| match row {
            4 => 1,
            5 => 2,
            _ => 0,
        });
        let found = only_verdicts(&sandbox.path(&format!("{name}/t.parquet")));
        assert!(found.iter().copied().eq(expected), "{name} {found:?}");
    }
}

#[test]
fn a_signed_table_has_its_columns_and_valid_signatures() {
    let sandbox = Sandbox::new();
    let messages: Vec<_> = (0..70_u8)
        .map(|row| (row != 3).then(|| vec![row; 30]))
        .collect();
    let other: Vec<_> = (0..70_i64)
        .map(|row| (row % 5 != 0).then_some(row * row))
        .collect();
    let columns = [
        ("other", Column::Int64(other, None)),
        ("message", Column::Bytes(messages)),
    ];
    let compressed = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    write(&sandbox.path("t.parquet"), &columns, 32, compressed);
    for format in ["padded", "compressed", "ct"] {
        let sign = [
            "sign-table",
            "-k",
            "k",
            "t.parquet",
            "-o",
            format,
            "--format",
            format,
        ];
        let signed = sandbox.succeeds(&sign);
        assert_eq!(
            text(&signed.stdout),
            "t.parquet: 69 signed, 1 without a message\n"
        );
        let table = format!("{format}/t.parquet");
        let verify = [
            "verify-table",
            "-p",
            "k.pub",
            &table,
            "-o",
            "v",
            "--force",
            "--format",
            format,
        ];
        assert_eq!(sandbox.status(&verify), 1);
        let found = only_verdicts(&sandbox.path("v/t.parquet"));
        let expected = (0..70).map(|row| if row == 3 { 2 } else { 0 });
        assert!(found.iter().copied().eq(expected), "{found:?}");
        let reader = |name: &str| {
            SerializedFileReader::new(File::open(sandbox.path(name)).unwrap()).unwrap()
        };
        let (before, after) = (reader("t.parquet"), reader(&table));
        assert_eq!(after.metadata().num_row_groups(), 3);
        let rows = before
            .get_row_iter(None)
            .unwrap()
            .zip(after.get_row_iter(None).unwrap());
        let mut count = 0;
        for (before, after) in rows {
            let (before, after) = (before.unwrap(), after.unwrap());
            let [before, after] = [before, after].map(|row| row.into_columns());
            assert_eq!(before, after[..2]);
            count += 1;
        }
        assert_eq!(count, 70);
        // A table that already has signatures is refused, and no table is written.
        let again = sandbox.refuses(&["sign-table", "-k", "k", &table, "-o", "again"]);
        assert!(again.contains("has a column signature already"), "{again}");
        assert_eq!(written(&sandbox, "again"), ["reports/summary.json"]);
        assert!(!sandbox.path("again").exists(), "an empty folder is left");
    }
    for shard in ["1/2", "2/2"] {
        sandbox.succeeds(&[
            "sign-table",
            "-k",
            "k",
            "t.parquet",
            "-o",
            "parts",
            "--shard",
            shard,
        ]);
    }
    assert_eq!(
        sandbox.status(&["verify-table", "-p", "k.pub", "parts", "-o", "v2"]),
        1
    );
    let summary: serde_json::Value =
        serde_json::from_slice(&sandbox.read("v2.reports/summary.json")).unwrap();
    assert_eq!(
        (summary["valid"].as_u64(), summary["malformed"].as_u64()),
        (Some(69), Some(1))
    );
}

#[test]
fn finished_outputs_are_skipped_and_outdated_ones_made_again() {
    let sandbox = Sandbox::empty();
    let make = [
        "make-table",
        "ex",
        "--keys",
        "2",
        "--rows",
        "40",
        "--tables",
        "3",
    ];
    sandbox.succeeds(&make);
    let verify = VERIFY_EXAMPLE;
    sandbox.succeeds(&verify);
    let message = sandbox.refuses(&verify);
    assert!(message.contains("--skip-existing"), "{message}");
    let names: Vec<_> = (0..3)
        .map(|table| format!("v/part-{table:05}.parquet"))
        .collect();
    let times = || {
        let time = |name: &String| sandbox.path(name).metadata().unwrap().modified().unwrap();
        names.iter().map(time).collect::<Vec<_>>()
    };
    let before = times();
    let skip = with(&verify, ["--skip-existing"]);
    let skipped = sandbox.succeeds(&skip);
    assert!(
        text(&skipped.stderr).contains("3 of these outputs were there already"),
        "{skipped:?}"
    );
    assert_eq!(times(), before);

    // Removes the summary of one output, and writes the table of another output again, so that its
    // time changes.
    fs::remove_file(sandbox.path("v.reports/part-00001.parquet.json")).unwrap();
    let table = "ex/ledger/part-00002.parquet";
    let bytes = sandbox.read(table);
    fs::remove_file(sandbox.path(table)).unwrap();
    thread::sleep(Duration::from_millis(20));
    sandbox.write(table, bytes);
    let again = sandbox.succeeds(&skip);
    assert!(
        text(&again.stderr).contains("1 of these outputs was there already"),
        "{again:?}"
    );
    let after = times();
    assert_eq!(after[0], before[0]);
    assert!(after[1] > before[1] && after[2] > before[2]);
    // With another format, all outputs are outdated.
    let other = sandbox.run(&with(&skip, ["--format", "ct"]));
    assert_eq!(other.status.code(), Some(1));
    assert!(!text(&other.stderr).contains("already"), "{other:?}");

    // A file of another program is not removed.
    sandbox.write("v.reports/summary.json", "{}");
    let message = sandbox.refuses(&skip);
    assert!(
        message.contains("v.reports/summary.json: exists already and is not an output"),
        "{message}"
    );
    fs::remove_file(sandbox.path("v.reports/summary.json")).unwrap();
    sandbox.write(&names[0], "something else");
    fs::remove_file(sandbox.path("v.reports/part-00000.parquet.json")).unwrap();
    let message = sandbox.refuses(&skip);
    assert!(
        message.contains("is not an output of this command"),
        "{message}"
    );
    assert_eq!(sandbox.read(&names[0]), b"something else");
}

fn wait_for_temporary(folder: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !outputs(folder)
        .iter()
        .any(|name| name.starts_with(".falcon-"))
    {
        assert!(Instant::now() < deadline);
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
#[test]
fn a_killed_program_leaves_whole_outputs_and_can_go_on() {
    let sandbox = Sandbox::empty();
    example(&sandbox, &["--tables", "2", "--rows", "12000"]);
    let verify = [
        "verify-table",
        "ex/ledger",
        "--keys",
        "ex/keys.parquet",
        "-o",
        "v",
        "--skip-existing",
        "--threads",
        "1",
    ];
    for signal in ["KILL", "TERM", "KILL"] {
        let mut child = sandbox
            .command(&verify)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait_for_temporary(&sandbox.path("v.reports"));
        let sent = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        child.wait().unwrap();
        // What a killed program leaves does not disturb those who read the folder of outputs.
        for name in outputs(&sandbox.path("v")) {
            assert_eq!(verdicts(&sandbox.path("v").join(name)).len(), 12000);
        }
        for name in outputs(&sandbox.path("v.reports")) {
            if name.starts_with(".falcon-") {
                assert_eq!(signal, "KILL");
                fs::remove_file(sandbox.path("v.reports").join(name)).unwrap();
            }
        }
    }
    assert_eq!(sandbox.status(&verify), 1);
    for (name, forged) in expected(&sandbox) {
        let found = only_verdicts(&sandbox.path(&format!("v/{name}")));
        let bad = (0..).zip(found).filter(|&(_, verdict)| verdict != 0);
        assert_eq!(bad.collect::<BTreeMap<i64, u32>>(), forged);
    }
}

/// Runs the command on damaged bytes. The command must exit with a status, and leave a complete
/// output or no output.
fn survives(sandbox: &Sandbox, bytes: &[u8], rows: usize, how: &str) -> i32 {
    sandbox.write("d.parquet", bytes);
    let run = sandbox.run(&[
        "verify-table",
        "d.parquet",
        "--keys",
        "ex/keys.parquet",
        "-o",
        "d",
        "--threads",
        "1",
    ]);
    let status = run.status.code();
    let told = text(&run.stderr);
    assert!(matches!(status, Some(0..=2)), "{how}: {run:?}");
    assert!(!told.contains("panicked"), "{how}: {told}");
    let mut left = written(sandbox, "d");
    left.retain(|name| name != "reports/summary.json");
    if status == Some(2) {
        assert!(
            told.contains("d.parquet: ") && left.is_empty(),
            "{how}: {left:?} {told}"
        );
    } else {
        assert_eq!(left, ["d.parquet", "reports/d.parquet.json"], "{how}");
        assert_eq!(verdicts(&sandbox.path("d/d.parquet")).len(), rows, "{how}");
    }
    for folder in ["d", "d.reports"] {
        let _ = fs::remove_dir_all(sandbox.path(folder));
    }
    status.unwrap()
}

#[test]
fn damaged_files_are_told_and_leave_nothing() {
    let sandbox = Sandbox::empty();
    let make = [
        "make-table",
        "ex",
        "--keys",
        "2",
        "--rows",
        "9",
        "--group-rows",
        "5",
        "--message-bytes",
        "8",
    ];
    sandbox.succeeds(&make);
    let whole = sandbox.read("ex/ledger/part-00000.parquet");
    assert_eq!(survives(&sandbox, &whole, 9, "whole"), 0);
    // Damages many places in the footer and a few places before it.
    let footer = u32::from_le_bytes(whole[whole.len() - 8..][..4].try_into().unwrap()) as usize + 8;
    let footer = whole.len() - footer;
    for end in (0..footer)
        .step_by(footer / 20)
        .chain((footer..whole.len()).step_by(9))
    {
        assert_eq!(
            survives(&sandbox, &whole[..end], 9, &format!("{end} bytes")),
            2
        );
    }
    let mut statuses = [0; 3];
    let headers = (0..120).chain((0..footer).step_by(101));
    for (turn, place) in headers.chain((footer..whole.len()).step_by(2)).enumerate() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (turn * 3 % 8);
        let status = survives(
            &sandbox,
            &bytes,
            9,
            &format!("bit {} of byte {place}", turn * 3 % 8),
        );
        statuses[status as usize] += 1;
    }
    // Some bits have no meaning for the reader, but most damage is noticed.
    assert!(statuses[1] > 20 && statuses[2] > 100, "{statuses:?}");
    assert!(statuses[0] < statuses[2], "{statuses:?}");
    assert_eq!(survives(&sandbox, b"", 9, "nothing"), 2);
    assert_eq!(survives(&sandbox, b"PAR1PAR1", 9, "no footer"), 2);
    assert_eq!(survives(&sandbox, &[0xff; 1000], 9, "no magic"), 2);
}

#[test]
fn one_bad_table_does_not_stop_the_others() {
    let sandbox = Sandbox::empty();
    example(&sandbox, &["--tables", "3", "--rows", "30"]);
    sandbox.write("ex/ledger/part-00001.parquet", "no table");
    let verify = VERIFY_EXAMPLE;
    let run = sandbox.run(&verify);
    // Invalid rows determine the exit status, even if other tables could not be checked.
    assert_eq!(run.status.code(), Some(1));
    assert_eq!(text(&run.stdout).lines().count(), 2);
    assert!(
        text(&run.stderr).contains("part-00001.parquet: is a damaged Parquet file"),
        "{run:?}"
    );
    fs::remove_dir_all(sandbox.path("ex")).unwrap();
    let make = [
        "make-table",
        "ex",
        "--keys",
        "2",
        "--rows",
        "9",
        "--tables",
        "2",
    ];
    sandbox.succeeds(&make);
    sandbox.write("ex/ledger/part-00001.parquet", "no table");
    assert_eq!(sandbox.status(&with(&verify, ["--force"])), 2);
    let mut shards = 0;
    for shard in 1..=4 {
        let shard = format!("{shard}/4");
        let run = sandbox.run(&with(&verify, ["--force", "--shard", &shard]));
        // The number of rows of the damaged table is unknown, so it cannot be assigned to a shard.
        assert_eq!(run.status.code(), Some(2), "{run:?}");
        assert!(text(&run.stderr).contains("part-00001"), "{run:?}");
        let sum = sandbox.read(&format!(
            "v.reports/summary-{}.json",
            shard.replace('/', "-of-")
        ));
        let sum: serde_json::Value = serde_json::from_slice(&sum).unwrap();
        assert_eq!(sum["total_rows"], 9);
        shards += sum["shards"].as_u64().unwrap();
    }
    assert_eq!(shards, 2, "each table counts once");
}

#[test]
fn a_table_that_cannot_be_verified_any_more_loses_its_old_output() {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["make-table", "ex", "--keys", "1", "--rows", "9"]);
    let verify = VERIFY_EXAMPLE;
    sandbox.succeeds(&verify);
    let table = "ex/ledger/part-00000.parquet";
    let mut bytes = sandbox.read(table);
    // Damages the header of the first page.
    bytes[4..20].fill(0xff);
    sandbox.write(table, bytes);
    for option in ["--skip-existing", "--force"] {
        let message = sandbox.refuses(&with(&verify, [option]));
        assert!(message.contains("is a damaged Parquet file"), "{message}");
        assert_eq!(written(&sandbox, "v"), ["reports/summary.json"]);
    }
    for option in ["--skip-existing", "--force"] {
        sandbox.succeeds(&["make-table", "ex", "--keys", "1", "--rows", "9", "--force"]);
        sandbox.succeeds(&with(&verify, ["--force"]));
        sandbox.write(table, "no footer");
        let message = sandbox.refuses(&with(&verify, [option]));
        assert!(message.contains("is a damaged Parquet file"), "{message}");
        assert_eq!(written(&sandbox, "v"), ["reports/summary.json"]);
    }
}

#[test]
fn another_compression_is_named() {
    let sandbox = Sandbox::new();
    let columns = [
        ("message", Column::of([b"1"])),
        ("signature", Column::of([b"2"])),
    ];
    write(&sandbox.path("t.parquet"), &columns, 9, plain().build());
    // The codec is a number in the description of each column: 0 is no compression, 2 is gzip.
    let bytes = sandbox.read("t.parquet");
    let codec = |bytes: &[u8]| bytes.windows(4).position(|at| at == [0x15, 0, 0x16, 2]);
    let mut changed = bytes.clone();
    let place = codec(&bytes[20..]).unwrap() + 20;
    changed[place + 1] = 4;
    sandbox.write("t.parquet", changed);
    let message = sandbox.refuses(&["verify-table", "t.parquet", "-p", "k.pub", "-o", "v"]);
    assert!(
        message.contains("t.parquet: has the compression GZIP"),
        "{message}"
    );
}

#[test]
fn wrong_columns_are_named() {
    let sandbox = Sandbox::empty();
    let bytes = || Column::of([b"1", b"2"]);
    let numbers = || Column::Int64(vec![Some(1), Some(2)], None);
    let day = || Column::Int32(vec![Some(1), Some(2)], Some(LogicalType::Date));
    let words = || Column::Text(vec![Some(b"a".to_vec()), None]);
    write(
        &sandbox.path("keys.parquet"),
        &[("key_id", numbers()), ("key", bytes())],
        9,
        plain().build(),
    );
    type Case<'a> = (&'a [(&'a str, Column)], &'a [&'a str], &'a str);
    let time = Some(LogicalType::timestamp(false, TimeUnit::MICROS));
    let cases: [Case<'_>; 9] = [
        (
            &[
                ("message", Column::Int64(vec![Some(1), Some(2)], time)),
                ("signature", bytes()),
                ("key", bytes()),
            ],
            &[],
            "the column message has the type INT64 (Timestamp) and needs binary or text",
        ),
        (
            &[("text", words()), ("signature", bytes())],
            &[],
            "needs one column message (binary or text); columns found: text, signature",
        ),
        (
            &[
                ("message", words()),
                ("signature", words()),
                ("key", bytes()),
            ],
            &[],
            "the column signature has the type BYTE_ARRAY (String) and needs binary",
        ),
        (
            &[
                ("message", numbers()),
                ("signature", bytes()),
                ("key", bytes()),
            ],
            &[],
            "the column message has the type INT64 and needs binary or text",
        ),
        (
            &[("message", bytes()), ("message", bytes())],
            &[],
            "needs one column message",
        ),
        (
            &[
                ("message", bytes()),
                ("signature", bytes()),
                ("key_id", bytes()),
            ],
            &[],
            "has a column key_id, but no column key",
        ),
        (
            &[("message", bytes()), ("signature", bytes())],
            &[],
            "needs one column key (binary)",
        ),
        (
            &[
                ("message", bytes()),
                ("signature", bytes()),
                ("key_id", bytes()),
            ],
            &["--keys", "keys.parquet"],
            "the column key_id has binary, and that of the table of keys has integers",
        ),
        (
            &[
                ("message", bytes()),
                ("signature", bytes()),
                ("key_id", day()),
            ],
            &["--keys", "keys.parquet"],
            "the column key_id has the type INT32 (Date) and needs integers or text or binary",
        ),
    ];
    for (columns, options, told) in cases {
        write(&sandbox.path("t.parquet"), columns, 9, plain().build());
        let message = sandbox.refuses(&with(&["verify-table", "t.parquet", "-o", "v"], options));
        assert!(
            message.contains(told) && message.contains(" hint: "),
            "{told}: {message}"
        );
        assert_eq!(written(&sandbox, "v"), ["reports/summary.json"]);
    }
    let twice = [
        ("key_id", Column::of([b"1", b"1"])),
        ("key", Column::of(&public()[..2])),
    ];
    write(&sandbox.path("twice.parquet"), &twice, 9, plain().build());
    let message = sandbox.refuses(&[
        "verify-table",
        "t.parquet",
        "-o",
        "v",
        "--keys",
        "twice.parquet",
    ]);
    assert!(message.contains("the key_id 1 has two keys"), "{message}");
}

#[test]
fn one_key_for_a_table_with_keys_is_told() {
    let sandbox = Sandbox::empty();
    let (messages, signatures, numbers) = signed(9);
    let keys = public();
    sandbox.write("k.pub", &keys[0]);
    let listed: [(&str, Column); 2] = [
        (
            "key_id",
            Column::Int64(vec![Some(0), Some(1), Some(2)], None),
        ),
        ("key", Column::of(&keys)),
    ];
    write(&sandbox.path("KEYS.parquet"), &listed, 9, plain().build());
    let names = numbers.iter().map(|&number| Some(number as i64)).collect();
    for (column, of_rows) in [
        ("key_id", Column::Int64(names, None)),
        (
            "key",
            Column::of(numbers.iter().map(|&number| &keys[number])),
        ),
    ] {
        let columns = [
            ("message", Column::of(&messages)),
            ("signature", Column::of(&signatures)),
            (column, of_rows),
        ];
        let table = format!("a {column}.parquet");
        write(&sandbox.path(&table), &columns, 9, plain().build());
        let verify = ["verify-table", "-p", "k.pub", &table, "-o", column];
        let options = ["--shard", "1/1", "--max-expansion", "2000"];
        let run = sandbox.run(&with(&verify, options));
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        let told = text(&run.stderr);
        assert!(
            told.contains(&format!("the column {column} was ignored")),
            "{told}"
        );
        let (_, command) = told.trim_end().rsplit_once(": falcon-cli ").unwrap();
        assert!(command.contains(&options.join(" ")), "{command}");
        // The command in the message works.
        let words = command.replace(&format!("'{table}'"), "TABLE");
        let words = words.split(' ');
        let words = words.map(|word| if word == "TABLE" { &table } else { word });
        sandbox.succeeds(&words.collect::<Vec<_>>());
        // If every row is valid with the named key, no note is printed.
        let one = [
            ("message", Column::of(&messages[..1])),
            ("signature", Column::of(&signatures[..1])),
        ];
        let with_key = [&one[..], &[("key", Column::of(&keys[..1]))]].concat();
        write(&sandbox.path("one.parquet"), &with_key, 9, plain().build());
        let run = sandbox.run(&[
            "verify-table",
            "-p",
            "k.pub",
            "one.parquet",
            "-o",
            "o",
            "--force",
        ]);
        assert_eq!(run.status.code(), Some(0), "{run:?}");
        assert!(!text(&run.stderr).contains("ignored"), "{run:?}");
    }
}

#[test]
fn made_tables_and_their_list_are_of_one_run() {
    let sandbox = Sandbox::new();
    let make = ["make-table", "ex", "--keys", "1", "--rows", "9", "--tables"];
    sandbox.succeeds(&with(&make, &["3"]));
    // With fewer tables, the third table would remain.
    let message = sandbox.refuses(&with(&make, &["2", "--force"]));
    assert!(
        message.contains("part-00002.parquet: would stay beside the tables of this run"),
        "{message}"
    );
    fs::create_dir(sandbox.path("ex/ledger/sub")).unwrap();
    let message = sandbox.refuses(&with(&make, &["3", "--force"]));
    assert!(message.contains("sub: would stay"), "{message}");
    fs::remove_dir(sandbox.path("ex/ledger/sub")).unwrap();
    assert_eq!(expected(&sandbox).len(), 3);
    fs::remove_file(sandbox.path("ex/ledger/part-00002.parquet")).unwrap();
    sandbox.succeeds(&with(&make, &["2", "--force"]));
    assert_eq!(expected(&sandbox).len(), 2);
}

#[test]
fn long_names_of_keys_are_refused() {
    let sandbox = Sandbox::new();
    // Thirteen names of 5 MiB exceed 64 MiB, and twelve do not.
    for (count, is_refused) in [(12u8, false), (13, true)] {
        let names = (0..count).map(|number| vec![number; 5 << 20]);
        let keys = [
            ("key_id", Column::of(names)),
            ("key", Column::of(vec![public()[0].clone(); count.into()])),
        ];
        write(&sandbox.path("keys.parquet"), &keys, 1, plain().build());
        let (messages, signatures, _) = signed(1);
        let columns = [
            ("message", Column::of(messages)),
            ("signature", Column::of(signatures)),
            ("key_id", Column::of([b"a"])),
        ];
        write(&sandbox.path("t.parquet"), &columns, 9, plain().build());
        let command = [
            "verify-table",
            "t.parquet",
            "-o",
            "v",
            "--keys",
            "keys.parquet",
        ];
        if is_refused {
            let message = sandbox.refuses(&command);
            assert!(
                message.contains("the names in key_id have more than 64 MiB together"),
                "{message}"
            );
        } else {
            assert_eq!(sandbox.status(&command), 1);
        }
    }
}

#[test]
fn wrong_places_are_refused() {
    let sandbox = Sandbox::empty();
    example(&sandbox, &["--rows", "9"]);
    fs::create_dir_all(sandbox.path("ex/led.reports/in")).unwrap();
    let keys = ["--keys", "ex/keys.parquet"];
    for (arguments, told) in [
        (
            &["ex/ledger", "-o", "ex/ledger/v"][..],
            "lies in the folder ex/ledger",
        ),
        (
            &["ex/ledger", "-o", "ex/ledger/new/v"],
            "lies in the folder ex/ledger",
        ),
        (
            &["ex/ledger", "-o", "new/../ex/ledger/new/v"],
            "lies in the folder ex/ledger",
        ),
        (&["ex/ledger", "-o", "ex"], "or contains it"),
        (
            &["ex/ledger/part-00000.parquet", "-o", "ex/ledger"],
            "is an input",
        ),
        (&["ex/keys.parquet", "-o", "ex"], "holds the keys"),
        (&["missing", "-o", "v"], "missing: does not exist"),
        (&["ex/ledger", "-o", "v", "--shard", "0/4"], "write I/N"),
        (&["ex/ledger", "-o", "v", "--shard", "5/4"], "I is 1 to 4"),
        (&["ex/ledger", "-o", "v", "--shard", "+1/4"], "write I/N"),
        (
            &["ex/ledger", "-o", "ex/expected.json"],
            "cannot make the folder",
        ),
        (
            &["ex/ledger", "-o", "ex/expected.json/v"],
            "expected.json is a file",
        ),
        // The folder of reports would be the folder of tables, or one around it.
        (
            &["ex/led.reports", "-o", "ex/led"],
            "lies in the folder ex/led.reports",
        ),
        (
            &["ex/led.reports/in", "-o", "ex/led"],
            "lies in the folder ex/led.reports/in or contains it",
        ),
        (&["ex/ledger", "-o", "/"], "has no folder beside it"),
    ] {
        let message = sandbox.refuses(&with(&with(&["verify-table"], arguments), keys));
        assert!(message.contains(told), "{told}: {message}");
    }
    fs::create_dir(sandbox.path("named")).unwrap();
    let table = sandbox.read("ex/ledger/part-00000.parquet");
    sandbox.write("named/keys.parquet", table);
    let arguments = ["verify-table", "named", "-o", "ex", "--force"];
    let message = sandbox.refuses(&with(&arguments, keys));
    let told = "ex/keys.parquet: is an input and cannot be the output";
    assert!(message.contains(told), "{message}");
    fs::create_dir(sandbox.path("empty")).unwrap();
    let message = sandbox.refuses(&with(&VERIFY, ["v", "empty"]));
    assert!(message.contains("has no Parquet files"), "{message}");
    fs::create_dir(sandbox.path("other")).unwrap();
    fs::copy(
        sandbox.path("ex/ledger/part-00000.parquet"),
        sandbox.path("other/part-00000.parquet"),
    )
    .unwrap();
    let message = sandbox.refuses(&with(
        &VERIFY,
        [
            "v",
            "ex/ledger/part-00000.parquet",
            "other/part-00000.parquet",
        ],
    ));
    assert!(message.contains("would be written twice"), "{message}");
}

#[test]
fn tables_of_other_commands_are_not_replaced() {
    let sandbox = Sandbox::new();
    example(&sandbox, &["--rows", "9"]);
    let columns = [("message", Column::of([b"1", b"2"]))];
    write(&sandbox.path("t.parquet"), &columns, 9, plain().build());
    let sign = ["sign-table", "-k", "k", "t.parquet", "-o", "s"];
    sandbox.succeeds(&sign);
    fs::create_dir(sandbox.path("in")).unwrap();
    let made = "ex/ledger/part-00000.parquet";
    fs::copy(sandbox.path("s/t.parquet"), sandbox.path("in/t.parquet")).unwrap();
    fs::copy(sandbox.path(made), sandbox.path("in/part-00000.parquet")).unwrap();
    sandbox.write("s/text.parquet", "text");
    sandbox.write("in/text.parquet", sandbox.read(made));
    for (table, kept) in [
        ("in/t.parquet", "s/t.parquet"),
        ("in/part-00000.parquet", made),
        ("in/text.parquet", "s/text.parquet"),
    ] {
        let folder = kept.rsplit_once('/').unwrap().0;
        for has_summary in [true, false] {
            let before = sandbox.read(kept);
            let verify = ["verify-table", table, "-o", folder];
            let verify = with(&verify, ["--keys", "ex/keys.parquet"]);
            for option in ["--skip-existing", "--force"] {
                let message = sandbox.refuses(&with(&verify, [option]));
                assert!(
                    message.contains("is not an output of this command"),
                    "{message}"
                );
                assert_eq!(sandbox.read(kept), before);
            }
            if has_summary {
                let name = kept.rsplit_once('/').unwrap().1;
                let summary = format!("{folder}.reports/{name}.json");
                let _ = fs::remove_file(sandbox.path(&summary));
            }
        }
    }
    // An output of the same command is replaced.
    let signed = sandbox.read("s/t.parquet");
    for option in ["--skip-existing", "--force"] {
        sandbox.succeeds(&with(&sign, [option]));
        assert_ne!(sandbox.read("s/t.parquet"), signed);
    }
    // Verdicts under the same name are not replaced.
    sandbox.succeeds(&["verify-table", "-p", "k.pub", "in/t.parquet", "-o", "v"]);
    for option in ["--skip-existing", "--force"] {
        let sign = ["sign-table", "-k", "k", "t.parquet", "-o", "v", option];
        let message = sandbox.refuses(&sign);
        assert!(
            message.contains("is not an output of this command"),
            "{message}"
        );
    }
}

#[test]
fn a_file_that_is_no_summary_is_not_replaced() {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["make-table", "ex", "--keys", "1", "--rows", "9"]);
    let table = "ex/ledger/part-00000.parquet";
    let verify = [
        "verify-table",
        table,
        "--keys",
        "ex/keys.parquet",
        "-o",
        "v",
    ];
    fs::create_dir(sandbox.path("v.reports")).unwrap();
    let mut own = serde_json::json!({
        "shard": "part-00000.parquet", "rows": 9,
        "valid": 9, "invalid": 0, "malformed": 0, "unknown_key": 0,
    });
    let long = format!("{own}{}", " ".repeat(1 << 20));
    let mut without_rows = own.clone();
    without_rows.as_object_mut().unwrap().remove("rows");
    for foreign in [
        r#"{"shard": "part-00000.parquet", "rows": 9}"#,
        &without_rows.to_string(),
        "{}",
        "text",
        &long,
    ] {
        sandbox.write("v.reports/part-00000.parquet.json", foreign);
        for option in ["--skip-existing", "--force"] {
            let message = sandbox.refuses(&with(&verify, [option]));
            assert!(
                message.contains("part-00000.parquet.json: exists already and is not an output"),
                "{message}"
            );
            assert_eq!(
                sandbox.read("v.reports/part-00000.parquet.json"),
                foreign.as_bytes()
            );
        }
    }
    for option in ["--skip-existing", "--force"] {
        own["seconds"] = 1.into();
        sandbox.write("v.reports/part-00000.parquet.json", own.to_string());
        sandbox.succeeds(&with(&verify, [option]));
    }
}

/// The first table takes a second. Meanwhile the second table is replaced.
#[test]
fn a_table_that_is_replaced_during_the_work_is_an_error_of_its_own() {
    let sandbox = Sandbox::new();
    let signing = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let message = vec![7; 1 << 20];
    let signature = sign(&signing, &message, Format::Padded);
    let table = |name: &str, rows, group| {
        let columns = [
            ("message", Column::of(std::iter::repeat_n(&message, rows))),
            (
                "signature",
                Column::of(std::iter::repeat_n(&signature, rows)),
            ),
        ];
        let properties = WriterProperties::builder().set_dictionary_page_size_limit(16 << 20);
        write(&sandbox.path(name), &columns, group, properties.build());
    };
    fs::create_dir(sandbox.path("in")).unwrap();
    table("in/a.parquet", 500, 500);
    table("in/b.parquet", 6, 2);
    table("other", 1, 1);
    let sum = "v.reports/summary.json";
    fs::create_dir(sandbox.path("v.reports")).unwrap();
    sandbox.write(sum, r#"{"rows": 1, "shards": 1}"#);
    let verify = [
        "verify-table",
        "in",
        "-p",
        "k.pub",
        "-o",
        "v",
        "--threads",
        "1",
    ];
    let mut child = sandbox.command(&verify);
    let child = child
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_temporary(&sandbox.path("v.reports"));
    assert!(!sandbox.path(sum).exists());
    fs::rename(sandbox.path("other"), sandbox.path("in/b.parquet")).unwrap();
    let run = child.wait_with_output().unwrap();
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    let told = text(&run.stderr);
    assert!(
        told.contains("in/b.parquet: changed since the command began"),
        "{told}"
    );
    assert!(
        text(&run.stdout).starts_with("a.parquet: OK, 500 valid"),
        "{run:?}"
    );
    let left = [
        "a.parquet",
        "reports/a.parquet.json",
        "reports/summary.json",
    ];
    assert_eq!(written(&sandbox, "v"), left);
}

#[test]
fn two_outputs_of_one_name_are_refused() {
    let sandbox = Sandbox::empty();
    // Half of the table's rows are in three of its row groups.
    let make = [
        "make-table",
        "ex",
        "--keys",
        "1",
        "--rows",
        "12",
        "--group-rows",
        "2",
    ];
    sandbox.succeeds(&make);
    sandbox.succeeds(&["make-table", "few", "--keys", "1", "--rows", "1"]);
    fs::create_dir(sandbox.path("in")).unwrap();
    let table = "ex/ledger/part-00000.parquet";
    for (second, told) in [
        (
            "in/part-00000.groups-0-2.parquet",
            "v/part-00000.groups-0-2.parquet: would be written twice",
        ),
        (
            "in/summary-1-of-2",
            "in/summary-1-of-2: has the name of a sum",
        ),
        ("in/summary", "in/summary: has the name of a sum"),
    ] {
        let few = sandbox.path("few/ledger/part-00000.parquet");
        fs::copy(few, sandbox.path(second)).unwrap();
        for shard in ["1/2", "2/2"] {
            let verify = ["verify-table", table, second, "--keys", "ex/keys.parquet"];
            let message = sandbox.refuses(&with(&verify, ["-o", "v", "--shard", shard]));
            assert!(message.contains(told), "{told}: {message}");
        }
        assert!(written(&sandbox, "v").is_empty());
    }
}

#[test]
fn shards_of_other_tables_do_not_share_a_folder() {
    let sandbox = Sandbox::empty();
    let options = ["--keys", "1", "--rows", "20", "--group-rows", "5"];
    sandbox.succeeds(&with(&["make-table", "ex", "--tables", "3"], options));
    let verify = |shard| {
        let verify = VERIFY_EXAMPLE;
        with(&verify, ["--shard", shard])
    };
    sandbox.succeeds(&verify("1/2"));
    let added = "ex/ledger/part-00003.parquet";
    fs::copy(
        sandbox.path("ex/ledger/part-00000.parquet"),
        sandbox.path(added),
    )
    .unwrap();
    let before = written(&sandbox, "v");
    let message = sandbox.refuses(&verify("2/2"));
    assert!(
        message.contains("v.reports/summary-1-of-2.json: belongs to other tables"),
        "{message}"
    );
    assert_eq!(written(&sandbox, "v"), before);
    fs::remove_file(sandbox.path(added)).unwrap();
    // Renames a table and keeps its rows and times.
    let rename = |from: &str, to: &str| {
        let path = |name| sandbox.path(&format!("ex/ledger/{name}.parquet"));
        fs::rename(path(from), path(to)).unwrap();
    };
    rename("part-00002", "part-00009");
    let message = sandbox.refuses(&verify("2/2"));
    assert!(message.contains("belongs to other tables"), "{message}");
    rename("part-00009", "part-00002");
    // Keeps the name and the bytes, and changes the time.
    let table = sandbox.path("ex/ledger/part-00002.parquet");
    let table = File::options().append(true).open(table).unwrap();
    let time = table.metadata().unwrap().modified().unwrap();
    table.set_modified(time + Duration::from_secs(1)).unwrap();
    let message = sandbox.refuses(&verify("2/2"));
    assert!(message.contains("belongs to other tables"), "{message}");
    table.set_modified(time).unwrap();
    sandbox.succeeds(&verify("2/2"));
}

#[cfg(unix)]
#[test]
fn a_dead_link_among_tables_is_an_error() {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["make-table", "ex", "--keys", "1", "--rows", "9"]);
    std::os::unix::fs::symlink("missing", sandbox.path("ex/ledger/more")).unwrap();
    let message = sandbox.refuses(&VERIFY_EXAMPLE);
    assert!(
        message.contains("ex/ledger/more: does not exist"),
        "{message}"
    );
}

#[test]
fn keys_are_read_once_and_named_by_their_public_key() {
    let sandbox = Sandbox::new();
    let columns = [("message", Column::of([b"1", b"2"]))];
    write(&sandbox.path("t.parquet"), &columns, 9, plain().build());
    let signed = sandbox.piped(
        &["sign-table", "-k", "-", "t.parquet", "-o", "s"],
        &sandbox.read("k"),
    );
    assert!(signed.status.success(), "{signed:?}");
    let verified = sandbox.piped(
        &["verify-table", "-p", "-", "s/t.parquet", "-o", "v"],
        &sandbox.read("k.pub"),
    );
    assert!(verified.status.success(), "{verified:?}");
    let digest = |name: &str| {
        let summary: serde_json::Value = serde_json::from_slice(&sandbox.read(name)).unwrap();
        summary["keys_sha256"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        digest("s.reports/t.parquet.json"),
        digest("v.reports/t.parquet.json")
    );
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    example(&sandbox, &["--rows", "400"]);
    let limited = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        // The limit counts blocks of 512 bytes.
        command.args(["-c", "ulimit -f 100; exec \"$0\" \"$@\""]);
        command
            .arg(env!("CARGO_BIN_EXE_falcon-cli"))
            .args(arguments)
            .current_dir(&sandbox.0);
        said(&command.output().unwrap())
    };
    let columns = [(
        "message",
        Column::of((0..400_u16).map(|row| row.to_le_bytes())),
    )];
    write(&sandbox.path("m.parquet"), &columns, 1000, plain().build());
    let message = limited(&["sign-table", "-k", "k", "m.parquet", "-o", "s"]);
    assert!(
        message.contains("s/m.parquet: cannot write: File too large"),
        "{message}"
    );
    assert_eq!(written(&sandbox, "s"), ["reports/summary.json"]);
    let message = limited(&["make-table", "new", "--keys", "5", "--rows", "400"]);
    assert!(
        message.contains("part-00000.parquet: cannot write: File too large"),
        "{message}"
    );
    assert!(outputs(&sandbox.path("new/ledger")).is_empty());
}

/// Two files of a few kilobytes contain 256 MB of messages in one row group: many pages, or one
/// long message that all rows share. The test limits the address space to 200 MB.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_a_row_group() {
    let sandbox = Sandbox::new();
    let signing = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    for (bytes, rows, properties) in [
        (64 << 10, 4096, zstd().set_dictionary_enabled(false)),
        (4 << 20, 64, zstd().set_dictionary_page_size_limit(16 << 20)),
    ] {
        let message = vec![7; bytes];
        let signature = sign(&signing, &message, Format::Padded);
        let columns = [
            ("message", Column::of(std::iter::repeat_n(&message, rows))),
            (
                "signature",
                Column::of(std::iter::repeat_n(&signature, rows)),
            ),
        ];
        write(
            &sandbox.path("t.parquet"),
            &columns,
            rows,
            properties.build(),
        );
        drop(columns);
        let output = Command::new("sh")
            .args(["-c", "ulimit -v 200000; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_falcon-cli"))
            .args([
                "verify-table",
                "t.parquet",
                "-p",
                "k.pub",
                "-o",
                "v",
                "--force",
            ])
            .args(["--threads", "1", "--json"])
            .env("MALLOC_ARENA_MAX", "1")
            .current_dir(&sandbox.0)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(json_lines(&output)[0]["valid"], rows);
    }
}

/// A footer claims a struct of 2^31 - 1 columns, which would not fit in memory.
#[cfg(target_os = "linux")]
#[test]
fn a_footer_that_claims_many_columns_is_refused() {
    let sandbox = Sandbox::new();
    let columns = [
        ("message", Column::of([b"1"])),
        ("signature", Column::of([b"2"])),
    ];
    write(&sandbox.path("t.parquet"), &columns, 9, plain().build());
    let mut bytes = sandbox.read("t.parquet");
    // The bytes are the name of the root and the number of its columns.
    let root = b"\x48\x06schema\x15\x04";
    let place = bytes.windows(root.len()).position(|at| at == root).unwrap() + root.len() - 1;
    bytes.splice(place..=place, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
    let end = bytes.len() - 8;
    let footer = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) + 4;
    bytes[end..end + 4].copy_from_slice(&footer.to_le_bytes());
    sandbox.write("t.parquet", bytes);
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 200000; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_falcon-cli"))
        .args(["verify-table", "t.parquet", "-p", "k.pub", "-o", "v"])
        .args(["--threads", "1"])
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(&sandbox.0)
        .output();
    let message = said(&output.unwrap());
    assert!(
        message.contains("a struct of more than 4096 fields"),
        "{message}"
    );
}

/// The path of each field repeats the name of the struct around it.
#[test]
fn long_names_around_many_columns_are_refused() {
    let sandbox = Sandbox::new();
    let leaf = |number: usize| {
        let name = number.to_string();
        let field = SchemaType::primitive_type_builder(&name, Type::INT32);
        Arc::new(field.with_repetition(Repetition::REQUIRED).build().unwrap())
    };
    for (columns, is_refused) in [(60, false), (70, true)] {
        let name = "x".repeat(250_000);
        let group = SchemaType::group_type_builder(&name)
            .with_repetition(Repetition::REQUIRED)
            .with_fields((0..columns).map(leaf).collect())
            .build();
        let schema = SchemaType::group_type_builder("schema")
            .with_fields(vec![Arc::new(group.unwrap())])
            .build();
        let file = File::create(sandbox.path("t.parquet")).unwrap();
        let properties = Arc::new(plain().build());
        let writer = SerializedFileWriter::new(file, Arc::new(schema.unwrap()), properties);
        writer.unwrap().close().unwrap();
        let message = sandbox.refuses(&["verify-table", "t.parquet", "-p", "k.pub", "-o", "v"]);
        let told = "paths of more than 16 MiB together";
        assert_eq!(message.contains(told), is_refused, "{message}");
    }
}

#[test]
fn the_same_options_make_the_same_tables() {
    let sandbox = Sandbox::empty();
    let make = |folder, seed| {
        let options = [
            "--rows",
            "50",
            "--keys",
            "3",
            "--forge",
            "--encoded-keys",
            "--seed",
            seed,
        ];
        sandbox.succeeds(&with(&["make-table", folder], options));
        let table = format!("{folder}/ledger/part-00000.parquet");
        let verified = sandbox.run(&["verify-table", &table, "-o", folder, "--threads", "1"]);
        assert_eq!(verified.status.code(), Some(1), "{verified:?}");
        sandbox.read(&table)
    };
    let [one, two, three] =
        [("a", "5"), ("b", "5"), ("c", "6")].map(|(folder, seed)| make(folder, seed));
    assert!(one == two && one != three);
}

#[test]
fn a_table_that_changes_between_two_shards_is_noticed() {
    let sandbox = Sandbox::empty();
    let options = ["--keys", "1", "--rows", "20", "--group-rows", "10"];
    sandbox.succeeds(&with(&["make-table", "ex"], options));
    let verify = |shard| {
        let keys = ["--keys", "ex/keys.parquet", "--shard", shard];
        with(
            &["verify-table", "ex/ledger", "-o", "v", "--skip-existing"],
            keys,
        )
    };
    sandbox.succeeds(&verify("1/2"));
    // Writes the same rows, with the first, the middle and the last one forged.
    thread::sleep(Duration::from_millis(20));
    sandbox.succeeds(&with(&["make-table", "ex", "--force", "--forge"], options));
    let message = sandbox.refuses(&verify("2/2"));
    assert!(message.contains("belongs to other tables"), "{message}");
}

#[test]
fn skipped_outputs_with_invalid_rows_are_reported_again() {
    let sandbox = Sandbox::empty();
    let options = ["--keys", "1", "--rows", "20", "--tables", "2"];
    sandbox.succeeds(&with(&["make-table", "ex", "--forge"], options));
    let verify = VERIFY_EXAMPLE;
    let first = sandbox.run(&verify);
    let again = sandbox.run(&with(&verify, ["--skip-existing"]));
    for ran in [&first, &again] {
        assert_eq!(ran.status.code(), Some(1));
        for table in ["part-00000.parquet: INVALID", "part-00001.parquet: INVALID"] {
            assert!(text(&ran.stdout).contains(table), "{ran:?}");
        }
    }
    let json = with(&verify, ["--skip-existing", "--json"]);
    let lines = json_lines(&sandbox.run(&json));
    assert_eq!(lines.len(), 2);
    for (table, line) in lines.iter().enumerate() {
        let file = format!("v.reports/part-{table:05}.parquet.json");
        let file: serde_json::Value = serde_json::from_slice(&sandbox.read(&file)).unwrap();
        assert_eq!(*line, file);
    }
}

#[test]
fn quiet_commands_show_invalid_tables_only() {
    let sandbox = Sandbox::empty();
    let make = ["make-table", "ex", "--keys", "1", "--rows", "20", "-q"];
    let verify = with(&VERIFY_EXAMPLE, ["-q", "--force"]);
    sandbox.succeeds(&make);
    let valid = sandbox.succeeds(&verify);
    assert!(valid.stdout.is_empty() && valid.stderr.is_empty());
    sandbox.succeeds(&with(&make, ["--force", "--forge"]));
    let forged = sandbox.run(&verify);
    assert_eq!(forged.status.code(), Some(1));
    let shown = text(&forged.stdout);
    assert!(shown.starts_with("part-00000.parquet: INVALID"), "{shown}");
    assert_eq!(shown.lines().count(), 1, "{shown}");
}

/// Writes the reports to a full disk.
#[cfg(target_os = "linux")]
#[test]
fn all_tables_are_verified_if_standard_output_is_full() {
    let sandbox = Sandbox::empty();
    let options = ["--keys", "1", "--rows", "20", "--tables", "3"];
    for (forge, status) in [(&["--force"][..], 2), (&["--force", "--forge"], 1)] {
        sandbox.succeeds(&[&["make-table", "ex"], &options[..], forge].concat());
        let verify = ["verify-table", "ex/ledger", "--keys", "ex/keys.parquet"];
        for threads in ["1", "8"] {
            let arguments = with(&verify, ["-o", "v", "--force", "--threads", threads]);
            let full = File::create("/dev/full").unwrap();
            let mut command = sandbox.command(&arguments);
            let child = command.stdout(full).stderr(Stdio::piped());
            let ran = child.spawn().unwrap().wait_with_output().unwrap();
            assert_eq!(ran.status.code(), Some(status), "{ran:?}");
            assert!(text(&ran.stderr).contains("standard output"), "{ran:?}");
            assert_eq!(written(&sandbox, "v").len(), 7, "{ran:?}");
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let sandbox = Sandbox::empty();
    for option in ["--keys", "--tables", "--group-rows", "--threads"] {
        for number in ["0", "1048577", "99999999999999999", "-1", "x"] {
            let number = format!("{option}={number}");
            let message = sandbox.refuses(&["make-table", "ex", &number]);
            assert!(message.contains("from 1 to 1048576"), "{message}");
        }
    }
    assert!(sandbox.names().is_empty());
}

#[test]
fn help_says_what_verdicts_and_the_status_are() {
    let help = |command| {
        let help = Sandbox::empty().succeeds(&[command, "--help"]);
        text(&help.stdout).replace('\n', " ")
    };
    let verify = help("verify-table");
    assert!(
        verify.contains("1 if one is not (verdicts 1 to 3)"),
        "{verify}"
    );
    let sign = help("sign-table");
    assert!(
        sign.contains("null is null, and `verify-table` calls such a row malformed"),
        "{sign}"
    );
}

/// Row groups that share their bytes would be copied many times.
#[test]
fn columns_longer_than_the_file_are_refused() {
    let sandbox = Sandbox::empty();
    let messages = Column::of((0..50).map(|row| format!("a message {row}")));
    let columns = [("message", messages)];
    write(&sandbox.path("t.parquet"), &columns, 50, plain().build());
    let bytes = sandbox.read("t.parquet");
    let file = SerializedFileReader::new(File::open(sandbox.path("t.parquet")).unwrap()).unwrap();
    let group = file.metadata().row_group(0).clone();
    let footer = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap());
    let data = &bytes[..bytes.len() - 8 - footer as usize];
    for count in [1, 2] {
        let groups = vec![group.clone(); count];
        let metadata = ParquetMetaData::new(file.metadata().file_metadata().clone(), groups);
        let mut shared = data.to_vec();
        let writer = ParquetMetaDataWriter::new(&mut shared, &metadata);
        writer.finish().unwrap();
        sandbox.write("shared.parquet", &shared);
        sandbox.succeeds(&["keygen", &format!("k{count}")]);
        let key = format!("k{count}");
        let sign = [
            "sign-table",
            "-k",
            &key,
            "shared.parquet",
            "-o",
            &format!("s{count}"),
        ];
        if count == 1 {
            sandbox.succeeds(&sign);
        } else {
            let message = sandbox.refuses(&sign);
            assert!(
                message.contains("columns are longer than the file"),
                "{message}"
            );
        }
    }
}

/// A signature of a row is never valid for an envelope of a file, and vice versa.
#[test]
fn rows_are_no_envelopes() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "--format", "envelope", "m"]);
    let bytes = sandbox.read("m.sig");
    let envelope = falcon_envelope::Envelope::parse(&bytes).unwrap();
    let statement = envelope.unverified().clone();
    let text = statement.to_signed_bytes();

    let columns = [("message", Column::of([&text]))];
    write(&sandbox.path("t.parquet"), &columns, 1, plain().build());
    sandbox.succeeds(&["sign-table", "-k", "k", "t.parquet", "-o", "signed"]);
    let file = File::open(sandbox.path("signed/t.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
    let signature = row.get_bytes(1).unwrap();
    let forged = statement.with_signature(signature.data()).unwrap();
    sandbox.write("m.sig", forged.to_string());
    assert_eq!(sandbox.status(&["verify", "-p", "k.pub", "m"]), 1);

    let signature = envelope.signature();
    let columns = [
        ("message", Column::of([&text])),
        ("signature", Column::of([signature])),
    ];
    write(&sandbox.path("cut.parquet"), &columns, 1, plain().build());
    let verify = ["verify-table", "-p", "k.pub", "cut.parquet", "-o", "v"];
    assert_eq!(sandbox.status(&verify), 1);
}

/// A table is refused if one row has the signed part of an X.509 document.
#[test]
fn tables_that_would_make_certificates_are_refused() {
    let sandbox = Sandbox::new();
    // The signed part of a certificate request.
    let content = [0x30, 9, 2, 1, 0, 0x30, 0, 0x30, 2, 0x30, 0];
    let columns = [("message", Column::of([&b"one"[..], &content]))];
    write(&sandbox.path("t.parquet"), &columns, 2, plain().build());
    let sign = ["sign-table", "-k", "k", "t.parquet", "-o", "signed"];
    let message = sandbox.refuses(&sign);
    assert!(
        message.contains("looks like the signed part of a certificate request"),
        "{message}"
    );
    assert!(message.contains("leave out row 1"), "{message}");
    assert!(!sandbox.path("signed/t.parquet").exists());
    #[cfg(unix)]
    assert!(outputs::errors(&sandbox, "signed").contains_key("t.parquet"));
    sandbox.succeeds(&with(&sign, ["--allow-x509"]));
}

/// With a key for certificates only, every row must be a signed part, and the option must be given.
#[test]
fn tables_of_messages_are_not_signed_with_a_key_for_certificates() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "c", "--use", "certificates"]);
    let content = fields_of(&certificate("CN=Root".parse().unwrap())).remove(0);
    // The first fields of a request, followed by an order instead of further fields.
    let order = b"\x30\x17\x02\x01\x00\x30\x00\x30\x02\x30\x00PAY 1000 EUR\n\n";
    for (table, rows) in [
        ("mixed.parquet", [&content[..], b"one"]),
        ("order.parquet", [&content[..], order]),
        ("content.parquet", [&content[..], &content]),
    ] {
        let columns = [("message", Column::of(rows))];
        write(&sandbox.path(table), &columns, 2, plain().build());
    }
    let sign = |table| ["sign-table", "-k", "c", table, "-o", "signed"];
    for table in ["mixed.parquet", "content.parquet"] {
        let message = sandbox.refuses(&sign(table));
        assert!(message.contains("add --allow-x509"), "{message}");
    }
    for table in ["mixed.parquet", "order.parquet"] {
        let message = sandbox.refuses(&with(&sign(table), ["--allow-x509"]));
        assert!(
            message.contains("is not the signed part of a certificate"),
            "{message}"
        );
        assert!(message.contains("leave out row 1 (the first"), "{message}");
        assert!(!sandbox.path("signed").join(table).exists());
    }
    sandbox.succeeds(&with(&sign("content.parquet"), ["--allow-x509"]));
    // Signatures of certificates are compressed.
    let verify = [
        "verify-table",
        "signed/content.parquet",
        "-p",
        "c.pub",
        "-o",
    ];
    let verify = |folder, format| with(&verify, [folder, "--format", format]);
    sandbox.succeeds(&verify("compressed", "compressed"));
    assert_eq!(sandbox.status(&verify("ct", "ct")), 1);
    // Both keys refuse rows of several row groups.
    let rows = [&content[..], b"one", b"two", &content, b"three"];
    let columns = [("message", Column::of(rows))];
    write(&sandbox.path("many.parquet"), &columns, 2, plain().build());
    let message = sandbox.refuses(&with(&sign("many.parquet"), ["--allow-x509"]));
    let told = "leave out row 1 and 2 more (the first one is row 0)";
    assert!(message.contains(told), "{message}");
    let sign = ["sign-table", "-k", "k", "many.parquet", "-o", "signed"];
    let message = sandbox.refuses(&sign);
    let told = "leave out row 0 and 1 more (the first one is row 0)";
    assert!(message.contains(told), "{message}");
    assert!(!sandbox.path("signed/many.parquet").exists());
}

/// In this table, a dictionary stores one value of a megabyte for all rows.
#[test]
fn small_files_do_not_take_hours() {
    let sandbox = Sandbox::new();
    let signing = SigningKey::<Falcon512>::from_seed(&[7; 32]).expect("no fault");
    let message = vec![7; 1 << 20];
    let signature = sign(&signing, &message, Format::Padded);
    let rows = 1100;
    let columns = [
        ("message", Column::of(std::iter::repeat_n(&message, rows))),
        (
            "signature",
            Column::of(std::iter::repeat_n(&signature, rows)),
        ),
    ];
    let properties = zstd().set_dictionary_page_size_limit(16 << 20);
    write(
        &sandbox.path("t.parquet"),
        &columns,
        rows,
        properties.build(),
    );
    let bytes = fs::metadata(sandbox.path("t.parquet")).unwrap().len();
    assert!(bytes < 100_000, "{bytes}");
    let verify = ["verify-table", "-p", "k.pub", "t.parquet", "-o", "v"];
    let message = sandbox.refuses(&verify);
    assert!(
        message.contains("t.parquet: has 1,0")
            && message.contains(" bytes of values and signatures in 1,0"),
        "{message}"
    );
    let told = " of 1,100 rows; at most 1,073,741,824 are read (1 GiB, or 1000 times the file if \
        that is more)";
    assert!(message.contains(told), "{message}");
    let more = expansion::passing(&message);
    sandbox.succeeds(&with(&verify, ["--max-expansion", &more]));
}

#[test]
fn a_signed_table_keeps_the_metadata_of_its_table() {
    let sandbox = Sandbox::new();
    let columns = [("message", Column::of([b"1"]))];
    let entry = |key: &str| KeyValue::new(key.to_owned(), "here".to_owned());
    let entries = ["origin", "ARROW:schema"].map(entry).to_vec();
    let properties = plain().set_key_value_metadata(Some(entries));
    write(&sandbox.path("t.parquet"), &columns, 1, properties.build());
    sandbox.succeeds(&["sign-table", "-k", "k", "t.parquet", "-o", "s"]);
    let file = File::open(sandbox.path("s/t.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let entries = reader.metadata().file_metadata().key_value_metadata();
    let keys = entries.unwrap().iter().map(|entry| entry.key.as_str());
    assert_eq!(keys.collect::<Vec<_>>(), ["origin", "falcon-cli:command"]);
}

/// A table that decodes to slightly less than 1 GiB exceeds the limit with signatures of
/// Falcon-1024.
#[test]
fn signatures_count_towards_the_expansion() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "large", "-a", "falcon-1024"]);
    // With the signatures of Falcon-512, the table is just within the limit.
    let (message, rows) = (vec![7; 60_000], 17_600);
    let decoded = rows as u64 * (60_000 + 8);
    assert!(decoded + 666 * rows as u64 <= 1 << 30 && decoded + 1280 * rows as u64 > 1 << 30);
    // All values share one buffer.
    let values = vec![ByteArray::from(message); rows];
    let field = SchemaType::primitive_type_builder("message", Type::BYTE_ARRAY)
        .with_repetition(Repetition::OPTIONAL)
        .build();
    let schema = SchemaType::group_type_builder("schema")
        .with_fields(vec![Arc::new(field.unwrap())])
        .build();
    let properties = zstd().build();
    let file = File::create(sandbox.path("t.parquet")).unwrap();
    let schema = Arc::new(schema.unwrap());
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let typed = column.typed::<ByteArrayType>();
    typed
        .write_batch(&values, Some(&vec![1; rows]), None)
        .unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let sign = ["sign-table", "t.parquet", "-k"];
    let signed = sandbox.succeeds(&with(&sign, ["k", "-o", "small"]));
    assert_eq!(text(&signed.stdout), "t.parquet: 17,600 signed\n");
    let message = sandbox.refuses(&with(&sign, ["large", "-o", "s"]));
    let told = " bytes of values and signatures in 17,600 of 17,600 rows; at most 1,073,741,824 ";
    assert!(message.contains(told), "{message}");
    assert!(!sandbox.path("s/t.parquet").exists());
    let more = ["large", "-o", "s", "--max-expansion"];
    let sign = with(&sign, more);
    sandbox.succeeds(&with(&sign, [&expansion::passing(&message)]));
}

/// `make-table` writes the table of keys beside the folder of the tables, not in it.
#[test]
fn a_table_of_keys_among_the_tables_is_refused() {
    let sandbox = Sandbox::new();
    example(&sandbox, &["--rows", "10"]);
    let told = "keys.parquet: holds the keys, and is also among the tables";
    for tables in [
        &["ex"][..],
        &["ex/ledger", "ex/keys.parquet"],
        &["ex/ledger", "ex/ledger/../keys.parquet"],
    ] {
        let verify = ["verify-table", "--keys", "ex/keys.parquet", "-o", "v"];
        let message = sandbox.refuses(&with(&verify, tables));
        assert!(message.contains(told), "{message}");
        let hint = "name the folder or the files of the tables alone";
        assert!(message.contains(hint), "{message}");
        assert!(!sandbox.path("v").exists());
    }

    // A column `key` alone does not make a table of keys.
    let columns = [("key", Column::of([b"1"]))];
    write(&sandbox.path("t.parquet"), &columns, 9, plain().build());
    let message = sandbox.refuses(&["verify-table", "t.parquet", "-o", "v"]);
    assert!(message.contains("needs one column message"), "{message}");

    // Here no option names this table as the table of keys.
    let told = "keys.parquet: is a table of keys: it has the columns key_id and key, but no \
        column message";
    for command in [
        &["verify-table", "-p", "k.pub"][..],
        &["verify-table"],
        &["sign-table", "-k", "k"],
    ] {
        let ran = sandbox.run(&with(command, ["ex/keys.parquet", "-o", "v"]));
        assert!(said(&ran).contains(told), "{ran:?}");
    }
}

#[test]
fn outputs_lie_in_folders_as_their_tables_do() {
    let sandbox = Sandbox::empty();
    example(&sandbox, &["--rows", "9"]);
    fs::create_dir_all(sandbox.path("t/a/b")).unwrap();
    let table = sandbox.read("ex/ledger/part-00000.parquet");
    for name in ["t/a/b/c.parquet", "t/a/d.parquet"] {
        sandbox.write(name, &table);
    }
    let verify = ["verify-table", "t", "--keys", "ex/keys.parquet", "-o", "v"];
    let run = sandbox.run(&verify);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(text(&run.stderr).contains("2 of 2 outputs: "), "{run:?}");
    for name in ["v/a/b/c.parquet", "v/a/d.parquet"] {
        assert_eq!(verdicts(&sandbox.path(name)).len(), 9, "{name}");
    }
}

/// When a shard replaces outputs, the `summary.json` of an earlier run that counts them is wrong.
#[test]
fn a_shard_removes_the_sum_of_the_whole() {
    let sandbox = Sandbox::empty();
    example(&sandbox, &["--rows", "9"]);
    assert_eq!(sandbox.status(&VERIFY_EXAMPLE), 1);
    assert!(sandbox.path("v.reports/summary.json").exists());
    let shard = ["--shard", "1/1", "--force"];
    assert_eq!(sandbox.status(&with(&VERIFY_EXAMPLE, shard)), 1);
    assert!(!sandbox.path("v.reports/summary.json").exists());
    assert!(sandbox.path("v.reports/summary-1-of-1.json").exists());
}
