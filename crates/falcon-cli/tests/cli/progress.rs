//! Progress bars, on a terminal.

use crate::sandbox::{Sandbox, terminal};
use std::{fs, io::Read, io::Write, process::Stdio, thread, time::Duration};

/// Signs the files. The file `pipe` arrives slowly. Returns what the program prints to standard
/// error, which is a terminal.
fn shown(files: &[&str]) -> String {
    let sandbox = Sandbox::new();
    sandbox.files(3);
    let pipe = sandbox.pipe("pipe");
    let (mut terminal, open) = terminal();
    let mut child = sandbox
        .command(&["sign", "-k", "k"])
        .args(files)
        .env("TERM", "xterm")
        .stdout(Stdio::null())
        .stderr(open())
        .spawn()
        .unwrap();
    let mut slow = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    for _ in 0..3 {
        slow.write_all(&[0; 50_000]).unwrap();
        thread::sleep(Duration::from_millis(300));
    }
    drop(slow);
    assert!(child.wait().unwrap().success());
    let mut shown = vec![0; 1 << 16];
    let read = terminal.read(&mut shown).unwrap();
    String::from_utf8_lossy(&shown[..read]).into_owned()
}

#[test]
fn one_file_is_counted_in_bytes_and_named() {
    let shown = shown(&["pipe"]);
    assert!(shown.contains("pipe ") && shown.contains("KiB"), "{shown}");
    assert!(!shown.contains("files"), "{shown}");
}

#[test]
fn many_files_are_counted() {
    let shown = shown(&["f0000", "pipe", "f0001", "f0002"]);
    // The bar is also shown while the program reads the second file.
    assert!(shown.contains("1/4 files"), "{shown}");
    assert!(!shown.contains("KiB"), "{shown}");
}
