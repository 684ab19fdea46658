//! Runs the programs of `leaks.S` in the emulator and checks the reports.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Assembles the programs into one file, and returns its path.
fn programs() -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("leaks");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/leaks.S");
    let assembled = Command::new("aarch64-linux-gnu-gcc")
        .args(["-static", "-nostdlib", "-no-pie", "-o"])
        .args([&program, &source])
        .status()
        .expect("aarch64-linux-gnu-gcc");
    assert!(assembled.success());
    program
}

#[test]
fn leaks_are_reported_and_nothing_else() {
    let program = programs();
    for (number, expected) in [
        (1, &["branch"][..]),
        (2, &["address"]),
        (3, &["division", "division"]),
        (4, &["branch"]),
        (5, &["branch"]),
        (6, &["branch"]),
        (7, &["branch"]),
        (8, &[]),
        (9, &["output", "output"]),
        (10, &["branch"]),
        (11, &["branch"]),
        (12, &["branch"]),
        (13, &["branch", "branch"]),
        (14, &[]),
        (15, &["branch"]),
        (16, &[]),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_falcon-emulated-taint"))
            .arg(&program)
            .args(vec!["x"; number])
            .output()
            .expect("the emulator runs");
        assert!(output.status.success(), "program {number}: {output:?}");
        let told = String::from_utf8(output.stderr).expect("text");
        let reports = told.lines().filter_map(|line| {
            let (what, _) = line.strip_prefix("taint: ")?.split_once(" in ")?;
            Some(what)
        });
        let reports: Vec<_> = reports.collect();
        assert_eq!(reports, expected, "program {number}: {told}");
    }
}
