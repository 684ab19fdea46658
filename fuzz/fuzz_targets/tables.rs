//! `falcon-cli` reads a Parquet file in three ways: as a table to verify, as a table to sign, and
//! as a table of keys. Each command must exit with a status, and leave complete outputs or no
//! outputs.
#![no_main]

use libfuzzer_sys::fuzz_target;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::{
    fs::{self, File},
    path::Path,
    sync::LazyLock,
};
use tempfile::TempDir;

/// A folder with a key pair, a table of one other key, and a table that this key has signed.
/// `fuzz_one` removes the folder, since nothing drops a static.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("seed"), [7; 32]).expect("a file");
    let at = |name: &str| path(&folder, name);
    let run = |arguments: &[&str]| assert_eq!(falcon_cli::fuzz(arguments), 0, "{arguments:?}");
    run(&["keygen", "-o", &at("k"), "--seed-file", &at("seed")]);
    run(&["make-table", &at("ex"), "--keys", "1", "--rows", "2"]);
    folder
});

fn path(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    path.to_str().expect("a path of UTF-8").to_owned()
}

/// Runs a command on one table, and checks the files in the folder of outputs.
fn check(table: &str, arguments: &[&str]) {
    let out = path(&FOLDER, "out");
    let arguments = [arguments, &["-o", &out, "--threads", "1", "--quiet"]].concat();
    let status = falcon_cli::fuzz(&arguments);
    assert!(status <= 2, "status {status}");
    let name = Path::new(table).file_name().expect("a name");
    let output = Path::new(&out).join(name);
    let reports = path(&FOLDER, "out.reports");
    let name = name.to_str().expect("a name of UTF-8");
    let summary = Path::new(&reports).join(format!("{name}.json"));
    let entries = [&out, &reports].map(|folder| fs::read_dir(folder).into_iter().flatten());
    let entries = entries.into_iter().flatten().flatten();
    for entry in entries.map(|entry| entry.path()) {
        let is_known = [&output, &summary].contains(&&entry) || entry.ends_with("summary.json");
        assert!(is_known, "{} is left", entry.display());
    }
    assert_eq!(output.exists(), summary.exists());
    assert_eq!(output.exists(), status < 2);
    if output.exists() {
        let summary = fs::read(&summary).expect("a summary");
        let summary: serde_json::Value = serde_json::from_slice(&summary).expect("JSON");
        let output = SerializedFileReader::new(File::open(&output).expect("an output"));
        let rows = output
            .expect("a whole table")
            .metadata()
            .file_metadata()
            .num_rows();
        assert_eq!(Some(rows), summary["rows"].as_i64());
    }
    for folder in [&out, &reports] {
        let _ = fs::remove_dir_all(folder);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let at = |name: &str| path(&FOLDER, name);
    let (table, ledger) = (at("d.parquet"), at("ex/ledger/part-00000.parquet"));
    fs::write(&table, bytes).expect("a file");
    check(
        &table,
        &["verify-table", &table, "--keys", &at("ex/keys.parquet")],
    );
    check(&table, &["verify-table", &table]);
    check(&table, &["sign-table", &table, "-k", &at("k")]);
    check(&ledger, &["verify-table", &ledger, "--keys", &table]);
});
