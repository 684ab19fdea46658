//! After a signal, nothing is left half-done.

use crate::sandbox::Sandbox;
use std::{
    fs,
    io::{ErrorKind, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Returns a socket whose buffer is full, and its reader.
fn full() -> (UnixStream, UnixStream) {
    let (mut writer, reader) = UnixStream::pair().unwrap();
    writer.set_nonblocking(true).unwrap();
    let full = loop {
        if let Err(error) = writer.write(b"x") {
            break error;
        }
    };
    assert_eq!(full.kind(), ErrorKind::WouldBlock);
    writer.set_nonblocking(false).unwrap();
    (writer, reader)
}

/// Starts a command, and never reads its standard output. Waits until `is_ready` and a little
/// longer, so that the command is blocked while it prints. Then calls `meanwhile`, and ends the
/// command with a signal.
fn interrupted(
    sandbox: &Sandbox,
    arguments: &[&str],
    is_ready: impl Fn() -> bool,
    meanwhile: impl FnOnce(),
) {
    let (writer, _reader) = full();
    let mut child = sandbox
        .command(arguments)
        .stdout(Stdio::from(OwnedFd::from(writer)))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_ready() {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it does not wait");
    meanwhile();
    let pid = child.id().to_string();
    assert!(Command::new("kill").arg(&pid).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

/// The file already exists while the program prints the other output, which nobody reads.
#[test]
fn a_signal_removes_the_file_whose_other_half_was_not_printed() {
    for arguments in [
        ["encaps", "-p", "k.pub", "-o", "-", "--secret", "new"],
        ["encaps", "-p", "k.pub", "-o", "new", "--secret", "-"],
    ] {
        let sandbox = Sandbox::new();
        let before = sandbox.names();
        interrupted(&sandbox, &arguments, || sandbox.path("new").exists(), || ());
        assert_eq!(sandbox.names(), before, "{arguments:?}");
    }
}

/// If another file has taken the name before the signal, the program does not remove that file.
#[test]
fn a_signal_removes_no_file_of_another_program() {
    let sandbox = Sandbox::new();
    let arguments = ["encaps", "-p", "k.pub", "-o", "-", "--secret", "new"];
    let meanwhile = || {
        fs::rename(sandbox.path("new"), sandbox.path("saved")).unwrap();
        sandbox.write("new", "precious");
    };
    interrupted(
        &sandbox,
        &arguments,
        || sandbox.path("new").exists(),
        meanwhile,
    );
    assert_eq!(sandbox.read("new"), b"precious");
}

/// With `--force`, the old file exists until the program has printed the other output.
#[test]
fn a_signal_leaves_the_old_file_whose_other_half_was_not_printed() {
    for arguments in [
        [
            "encaps", "-p", "k.pub", "-o", "-", "--secret", "old", "--force",
        ],
        [
            "encaps", "-p", "k.pub", "-o", "old", "--secret", "-", "--force",
        ],
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("old", "precious");
        let before = sandbox.names();
        let is_unfinished = |name: &String| name.starts_with(".mceliece-");
        let is_ready = || sandbox.names().iter().any(is_unfinished);
        interrupted(&sandbox, &arguments, is_ready, || ());
        assert_eq!(sandbox.names(), before, "{arguments:?}");
        assert_eq!(sandbox.read("old"), b"precious", "{arguments:?}");
    }
}
