//! Reading and writing: files, standard input and output. Nothing is destroyed.

use crate::sandbox::{Sandbox, json_lines, said, text};
use std::fs;

#[test]
fn standard_input_has_one_reader() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    for arguments in [
        &["sign", "-k", "-", "-"][..],
        &["sign", "-k", "k", "-", "-"],
        &["sign", "-k", "k", "-", "--passphrase-file", "-"],
        &["verify", "-p", "-", "-s", "m.sig", "-"],
        &["verify", "-p", "k.pub", "-s", "-", "-"],
        &["verify", "-p", "-", "--check", "-"],
        &["inspect", "-", "-"],
        &["kat", "check", "-", "-"],
        &["pubkey", "-", "--passphrase-file", "-", "-o", "x"],
        &["keygen", "x", "--seed-file", "-", "--passphrase-file", "-"],
    ] {
        let message = sandbox.refuses(arguments);
        assert!(
            message.contains("more than once"),
            "{arguments:?} {message}"
        );
    }
    let listed = sandbox.piped(&["verify", "-p", "k.pub", "--check", "-"], b"m\n-\n");
    assert!(said(&listed).contains("more than once"));
}

#[test]
fn standard_input_is_signed_to_standard_output() {
    let sandbox = Sandbox::new();
    let signed = sandbox.piped(&["sign", "-k", "k", "-"], b"piped");
    assert!(signed.status.success(), "{signed:?}");
    assert_eq!(signed.stdout.len(), 666);
    sandbox.write("s", &signed.stdout);
    let verify = ["verify", "-p", "k.pub", "-s", "s", "-"];
    assert_eq!(sandbox.piped(&verify, b"piped").status.code(), Some(0));
    assert_eq!(sandbox.piped(&verify, b"piper").status.code(), Some(1));
    let signature = ["verify", "-p", "k.pub", "-s", "-", "m"];
    assert_eq!(
        sandbox.piped(&signature, &signed.stdout).status.code(),
        Some(1)
    );
}

/// A terminal interprets binary data as commands.
#[cfg(target_os = "linux")]
#[test]
fn no_binary_signature_is_shown_on_a_terminal() {
    let sandbox = Sandbox::new();
    let (_terminal, open) = crate::sandbox::terminal();
    let sign = |format| {
        let mut command = sandbox.command(&["sign", "-k", "k", "m", "-o", "-", "--format", format]);
        let child = command.stdout(open()).stderr(std::process::Stdio::piped());
        child.spawn().unwrap().wait_with_output().unwrap()
    };
    let ran = sign("padded");
    assert_eq!(ran.status.code(), Some(2));
    assert!(text(&ran.stderr).contains("on a terminal"), "{ran:?}");
    assert!(sign("pem").status.success());
}

#[test]
fn a_dash_is_standard_output_or_refused() {
    let sandbox = Sandbox::new();
    let message = sandbox.refuses(&["keygen", "-o", "-"]);
    assert!(message.contains("two files"), "{message}");
    let kat = ["kat", "generate", "-a", "FALCON-512", "-n", "1", "-o", "-"];
    assert!(text(&sandbox.succeeds(&kat).stdout).contains("count = 0"));
    assert!(!sandbox.path("-").exists() && !sandbox.path("-.pub").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn names_are_bytes() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let sandbox = Sandbox::new();
    let odd = OsStr::from_bytes(b"\xff");
    fs::write(sandbox.0.path().join(odd), "x").unwrap();
    let signed = sandbox
        .command(&["sign", "-k", "k", "--json", "m"])
        .arg(odd)
        .output()
        .unwrap();
    assert_eq!(signed.status.code(), Some(0), "{signed:?}");
    let bytes = serde_json::json!({ "bytes": "ff" });
    assert_eq!(json_lines(&signed)[1]["file"], bytes);
    sandbox.write("list", b"m\n\xff\nm\n");
    let checked = sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list", "--json"]);
    let lines = json_lines(&checked);
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[1]["file"], bytes);
    assert_eq!(
        lines[1]["signature"],
        serde_json::json!({ "bytes": "ff2e736967" })
    );
    // This name is valid UTF-8 and looks like the escaped form of the other name.
    sandbox.write("\\xff", "y");
    sandbox.succeeds(&["sign", "-k", "k", "\\xff"]);
    let like = json_lines(&sandbox.succeeds(&["verify", "-p", "k.pub", "--json", "\\xff"]));
    assert_eq!(like[0]["file"], "\\xff");
    let shown = sandbox
        .command(&["demo", "--json"])
        .arg(odd)
        .output()
        .unwrap();
    assert_eq!(shown.status.code(), Some(0), "{shown:?}");
}

#[test]
fn an_input_is_never_the_output() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "m.key"]);
    for arguments in [
        &["sign", "-k", "k", "m", "-o", "k"][..],
        &["sign", "-k", "k", "m", "-o", "./m"],
        &["sign", "-k", "m.key", "m", "-o", "m.key"],
        &["keygen", "seed", "--seed-file", "seed"],
        &["keygen", "seed", "--reference-seed-file", "seed"],
        &["keygen", "-o", "x", "--seed-file", "x.pub"],
    ] {
        sandbox.write("x.pub", [7; 32]);
        let before: Vec<_> = ["k", "m", "m.key", "seed", "x.pub"]
            .map(|name| sandbox.read(name))
            .into();
        let message = sandbox.refuses(&[arguments, &["--force"]].concat());
        assert!(message.contains("is an input"), "{arguments:?} {message}");
        let after: Vec<_> = ["k", "m", "m.key", "seed", "x.pub"]
            .map(|name| sandbox.read(name))
            .into();
        assert_eq!(before, after);
    }
}

#[test]
fn signatures_are_not_overwritten_without_force() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let first = sandbox.read("m.sig");
    assert_eq!(sandbox.status(&["sign", "-k", "k", "m"]), 2);
    assert_eq!(sandbox.read("m.sig"), first);
    sandbox.succeeds(&["sign", "-k", "k", "m", "--force"]);
    assert_ne!(sandbox.read("m.sig"), first);
}

#[cfg(unix)]
#[test]
fn an_output_that_cannot_be_is_refused_before_the_passphrase() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    for (output, told) in [
        ("/dev/null", "not a regular file"),
        (".", "is a folder"),
        ("new/", "is a folder"),
        ("no/file", "is not a folder"),
    ] {
        let message = sandbox.refuses(&["sign", "-k", "e", "m", "-o", output]);
        assert!(message.contains(told), "{output}: {message}");
    }
    let message = sandbox.refuses(&["sign", "-k", "e", "missing"]);
    assert!(
        message.starts_with("error: missing: does not exist"),
        "{message}"
    );
}

/// Checks that a pipe is not closed early, since that would end the program that writes to it.
#[test]
#[cfg(target_os = "linux")]
fn a_pipe_is_opened_once() {
    let sandbox = Sandbox::new();
    // The key is encrypted, so deriving its key takes time between the checks and reading the
    // message.
    sandbox.encrypted_key();
    let pipe = sandbox.pipe("pipe");
    let mut child = sandbox
        .command(&["sign", "-k", "e", "--passphrase-file", "p", "pipe"])
        .spawn()
        .unwrap();
    let mut writer = fs::OpenOptions::new().write(true).open(pipe).unwrap();
    for _ in 0..20 {
        std::io::Write::write_all(&mut writer, b"message").unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    drop(writer);
    assert!(child.wait().unwrap().success());
    sandbox.write("message", "message".repeat(20));
    sandbox.succeeds(&["verify", "-p", "e.pub", "-s", "pipe.sig", "message"]);
}

#[test]
fn a_signature_appears_only_when_the_key_has_loaded() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.status(&["sign", "-k", "k.pub", "m"]), 2);
    assert_eq!(sandbox.status(&["sign", "-k", "nothing", "m"]), 2);
    assert_eq!(sandbox.names(), ["k", "k.pub", "m", "seed"]);
}

/// If the superuser runs this test, a faulty program could write to `/dev`.
#[cfg(target_os = "linux")]
#[test]
fn no_signature_is_written_beside_a_device() {
    /// Removes the file that a faulty program would write.
    struct Removed;
    impl Drop for Removed {
        fn drop(&mut self) {
            for name in ["/dev/stdin.sig", "/dev/null.sig"] {
                let _ = fs::remove_file(name);
            }
        }
    }
    let _removed = Removed;
    let sandbox = Sandbox::new();
    for device in ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/null"] {
        let told = sandbox.refuses(&["sign", "-k", "k", device]);
        assert_eq!(
            told,
            format!(
                "error: {device}: has no place for a signature beside it\n hint: name standard \
                 input `-`: falcon-cli sign - < FILE > FILE.sig; for another device, name the \
                 signature with --output\n"
            )
        );
    }
    assert!(!std::path::Path::new("/dev/stdin.sig").exists());
    sandbox.succeeds(&["sign", "-k", "k", "/dev/null", "-o", "empty.sig"]);
    sandbox.write("empty", "");
    sandbox.succeeds(&["verify", "-p", "k.pub", "empty"]);
}

/// If standard output is closed, the program must report an error, since its output would be lost.
#[cfg(unix)]
#[test]
fn a_closed_standard_output_takes_no_result() {
    use std::process::{Command, Stdio};
    let sandbox = Sandbox::new();
    for arguments in [
        &["sign", "-k", "k", "m", "-o", "-"][..],
        &["sign", "-k", "k", "-"],
        &["pubkey", "k", "-o", "-"],
        &["kat", "generate", "-a", "FALCON-512", "-n", "1", "-o", "-"],
    ] {
        let ran = Command::new("sh")
            .args([
                "-c",
                "exec \"$@\" >&-",
                "sh",
                env!("CARGO_BIN_EXE_falcon-cli"),
            ])
            .args(arguments)
            .current_dir(&sandbox.0)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(2), "{arguments:?} {ran:?}");
        let message = text(&ran.stderr);
        assert!(message.contains("standard output is closed"), "{message}");
        // The null device is allowed, since a user may intend it, for example in a measurement.
        let mut command = sandbox.command(arguments);
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "{arguments:?}");
    }
}
