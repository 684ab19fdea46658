//! Signals leave nothing half done.

use crate::sandbox::Sandbox;
use std::{
    fs,
    io::{ErrorKind, Write},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A socket into which nothing more can be written. Its reader is the second one.
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

/// The file is there while the program waits for the reader of the other output, who never reads.
#[test]
fn a_signal_removes_the_file_whose_other_half_was_not_printed() {
    for arguments in [
        ["encaps", "-p", "k.pub", "-o", "-", "--secret", "new"],
        ["encaps", "-p", "k.pub", "-o", "new", "--secret", "-"],
    ] {
        let sandbox = Sandbox::new();
        let before = sandbox.names();
        let (writer, _reader) = full();
        let mut child = sandbox
            .command(&arguments)
            .stdout(Stdio::from(OwnedFd::from(writer)))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !sandbox.path("new").exists() {
            assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(100));
        assert!(child.try_wait().unwrap().is_none(), "it does not wait");
        let pid = child.id().to_string();
        assert!(Command::new("kill").arg(&pid).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(143));
        assert_eq!(sandbox.names(), before, "{arguments:?}");
    }
}

/// Another file that has got the name meanwhile is not removed.
#[test]
fn a_signal_removes_no_file_of_another_program() {
    let sandbox = Sandbox::new();
    let (writer, _reader) = full();
    let mut child = sandbox
        .command(&["encaps", "-p", "k.pub", "-o", "-", "--secret", "new"])
        .stdout(Stdio::from(OwnedFd::from(writer)))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !sandbox.path("new").exists() {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(100));
    fs::rename(sandbox.path("new"), sandbox.path("saved")).unwrap();
    sandbox.write("new", "precious");
    let pid = child.id().to_string();
    assert!(Command::new("kill").arg(&pid).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(fs::read(sandbox.path("new")).unwrap(), b"precious");
}

/// With `--force` the old file is there until the other output has been printed.
#[test]
fn a_signal_leaves_the_old_file_whose_other_half_was_not_printed() {
    for arguments in [
        ["encaps", "-p", "k.pub", "-o", "-", "--secret", "old"],
        ["encaps", "-p", "k.pub", "-o", "old", "--secret", "-"],
    ] {
        let sandbox = Sandbox::new();
        sandbox.write("old", "precious");
        let before = sandbox.names();
        let (writer, _reader) = full();
        let mut child = sandbox
            .command(&arguments)
            .arg("--force")
            .stdout(Stdio::from(OwnedFd::from(writer)))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let unfinished = |name: &String| name.starts_with(".mceliece-");
        while !sandbox.names().iter().any(unfinished) {
            assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
            thread::sleep(Duration::from_millis(5));
        }
        thread::sleep(Duration::from_millis(300));
        assert!(child.try_wait().unwrap().is_none(), "it does not wait");
        let pid = child.id().to_string();
        assert!(Command::new("kill").arg(&pid).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(143));
        assert_eq!(sandbox.names(), before, "{arguments:?}");
        assert_eq!(sandbox.read("old"), b"precious", "{arguments:?}");
    }
}
