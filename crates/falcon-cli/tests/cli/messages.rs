//! Messages to people and to programs, and silence on request.

use crate::sandbox::{Sandbox, json_lines, text, with};
use std::{io::Read, path::Path, process::Stdio};

#[test]
fn errors_are_json_when_asked_for() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["sign", "-k", "nothing", "m", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["path"], "nothing");
    assert!(error["error"].is_string());
}

#[test]
fn json_is_all_that_is_said_when_it_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    for arguments in [
        &["sign", "--json", "--key"][..],
        &["--json"],
        &["sing", "--json"],
        &["sign", "m", "--json", "--engine", "abacus"],
        &["verify", "-p", "k.pub", "m", "missing", "--json"],
    ] {
        let message = sandbox.refuses(arguments);
        for line in message.lines() {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            let told = object.get("error").or(object.get("warning"));
            assert!(told.unwrap().is_string(), "{line}");
        }
        assert!(!message.is_empty(), "{arguments:?}");
    }
    assert!(sandbox.succeeds(&["--json", "--help"]).stderr.is_empty());
}

/// `--passphrase` takes no value. A value that follows it may be a passphrase, so it is not shown.
#[test]
fn a_passphrase_in_the_wrong_place_is_not_shown() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["keygen", "x", "--passphrase", "hunter2"][..],
        &["keygen", "x", "--passphrase=hunter2"],
        &["sign", "m", "--passphrase=hunter2"],
        &["keygen", "x", "--passphrase", "--hunter2", "y"],
        &["keygen", "x", "--passphrase", "--hunter2=y"],
        &["keygen", "--passphrase", "my", "own", "hunter2"],
        &["keygen", "x", "--passphrase", "hunter2", "--json"],
    ] {
        let message = sandbox.refuses(arguments);
        assert!(message.contains("unexpected"), "{message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
    // A misspelled option is shown.
    for (arguments, typo) in [
        (&["sign", "m", "--pasword"][..], "--pasword"),
        (&["pubkey", "k", "other"], "'other'"),
        (&["bench", "sign"], "'sign'"),
        (&["keygen", "a", "b"], "'b'"),
        (&["demo", "m", "extra"], "'extra'"),
    ] {
        let message = sandbox.refuses(arguments);
        assert!(message.contains(typo), "{message}");
    }
}

#[test]
fn names_in_other_words_are_understood() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "-a", "1024"]);
    sandbox.succeeds(&["sign", "m"]);
    for option in ["-p", "-k", "--key", "--pub"] {
        sandbox.succeeds(&["verify", option, "falcon.key.pub", "m"]);
    }
    sandbox.succeeds(&["keygen", "positional", "-a", "Falcon-512"]);
    std::fs::rename(sandbox.path("m.sig"), sandbox.path("apart")).unwrap();
    let hint = sandbox.refuses(&["verify", "-p", "falcon.key.pub", "m", "apart"]);
    assert!(hint.contains("m -s apart"), "{hint}");
    let vectors = |name: &str| {
        let kat = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../kat");
        kat.join(name).display().to_string()
    };
    let checked = sandbox.succeeds(&[
        "kat",
        "check",
        &vectors("falcon-pqclean/nistkat_falcon-padded-512.txt"),
        &vectors("falcon-pqclean/nistkat_falcon-512.txt"),
        "--json",
    ]);
    assert_eq!(json_lines(&checked).len(), 2);
}

#[cfg(unix)]
#[test]
fn a_name_cannot_write_a_verdict() {
    let sandbox = Sandbox::new();
    let name = "m: OK\n\u{1b}[2K\u{9b}1A\u{202e}";
    sandbox.write(name, "x");
    sandbox.write("bad", "-----BEGIN \u{1b}[2J-----\n");
    for arguments in [
        &["sign", "-k", "k", name][..],
        &["verify", "-p", "k.pub", name],
        &["verify", "-p", "k.pub", name, "--json"],
        &["verify", "-p", name, "m"],
        &["verify", "-p", "bad", "m"],
        &["sign", "-k", "k", name],
        &["inspect", name, "--json"],
        &["inspect", &format!("{name}.sig")],
        &["kat", "check", name],
        &["keygen", &format!("{name}.key")],
        &["pubkey", &format!("{name}.key"), "--force"],
        &["demo", name],
    ] {
        let output = sandbox.run(arguments);
        for said in [&output.stdout, &output.stderr] {
            let odd = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(!text(said).contains(odd), "{arguments:?} {}", text(said));
            assert!(!text(said).contains("OK\n\\"), "{arguments:?}");
        }
    }
}

#[test]
fn colours_are_for_terminals_only() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let verify = ["verify", "-p", "k.pub", "m", "missing"];
    let plain = sandbox.run(&verify);
    assert!(!plain.stdout.contains(&0x1b) && !plain.stderr.contains(&0x1b));
    let forced = sandbox
        .command(&verify)
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(forced.stdout.contains(&0x1b) && forced.stderr.contains(&0x1b));
    let refused = sandbox
        .command(&verify)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    assert!(!refused.stdout.contains(&0x1b));

    let coloured = |arguments: &[&str], variable: &str| {
        let command = &mut sandbox.command(arguments);
        let output = command.env(variable, "1").output().unwrap();
        output.stdout.contains(&0x1b) || output.stderr.contains(&0x1b)
    };
    assert!(coloured(&with(&verify, ["--color", "always"]), "NO_COLOR"));
    assert!(!coloured(
        &with(&verify, ["--color=never"]),
        "CLICOLOR_FORCE"
    ));
    assert!(coloured(&with(&verify, ["--color=auto"]), "CLICOLOR_FORCE"));
    assert!(!coloured(&with(&verify, ["--color=auto"]), "NO_COLOR"));
    // The same choice of colours applies to errors of the command line and to the help.
    for wrong in [&["sing"][..], &["--help"], &["sign", "--kye", "x"]] {
        let always = [&["--color", "always"], wrong].concat();
        assert!(coloured(&always, "NO_COLOR"), "{always:?}");
        let never = [wrong, &["--color", "never"]].concat();
        assert!(!coloured(&never, "CLICOLOR_FORCE"), "{never:?}");
    }
    sandbox.refuses(&with(&verify, ["--color", "sometimes"]));
}

#[test]
fn falcon_and_fn_dsa_are_told_apart() {
    let help = Sandbox::empty().succeeds(&["--help"]);
    assert!(text(&help.stdout).contains("not compatible with FN-DSA"));
    assert!(!text(&help.stdout).contains("FN-DSA round 3"));
}

#[test]
fn a_reader_that_leaves_early_is_no_error_to_talk_about() {
    let sandbox = Sandbox::empty();
    let generate = ["kat", "generate", "-a", "falcon-512", "-n", "20"];
    let mut child = sandbox
        .command(&generate)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut message = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut message).unwrap();
    assert_eq!(message, "");
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// Writes to a full disk.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_an_error() {
    let sandbox = Sandbox::empty();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["-h"],
        &["help"],
        &["verify", "--help"],
        &["--help", "--json"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = sandbox.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = text(&output.stderr);
        assert!(
            message.contains("cannot write to standard output"),
            "{arguments:?}: {message}"
        );
        sandbox.succeeds(arguments);
    }
}

#[test]
fn a_proposed_command_names_the_same_signers() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m", "-o", "apart"]);
    sandbox.succeeds(&["keygen", "another key"]);
    let hint = sandbox.refuses(&[
        "verify",
        "-p",
        "k.pub",
        "-p",
        "another key.pub",
        "m",
        "apart",
    ]);
    let command = "falcon-cli verify -p k.pub -p 'another key.pub' m -s apart\n";
    assert!(hint.ends_with(command), "{hint}");
    sandbox.succeeds(&["verify", "-p", "k.pub", "m", "-s", "apart"]);
    sandbox.succeeds(&["trust", "add", "team", "Alice", "k.pub"]);
    let hint = sandbox.refuses(&["verify", "--trust", "team", "m", "apart"]);
    let command = "falcon-cli verify --trust team m -s apart\n";
    assert!(hint.ends_with(command), "{hint}");
    let verify = ["verify", "--trust", "team", "--accept-revoked"];
    let hint = sandbox.refuses(&with(&verify, ["m", "apart"]));
    let command = "verify --trust team --accept-revoked m -s apart\n";
    assert!(hint.ends_with(command), "{hint}");
}

#[test]
fn the_file_of_an_empty_passphrase_is_named_with_its_option() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    sandbox.write("empty", "");
    let passwd = ["passwd", "e", "--passphrase-file", "p"];
    let hint = sandbox.refuses(&with(&passwd, ["--new-passphrase-file", "empty"]));
    assert!(hint.contains("leave --new-passphrase-file out"), "{hint}");
    let hint = sandbox.refuses(&["passwd", "e", "--passphrase-file", "empty"]);
    assert!(hint.contains("leave --passphrase-file out"), "{hint}");
}
