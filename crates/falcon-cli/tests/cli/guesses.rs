//! Commands, options and operands that newcomers guess: each is understood, or answered with the
//! right one.

use crate::sandbox::{Sandbox, said, text, with};
use std::fs;

/// Asserts that a refused command is answered with a tip or a hint.
fn answers(sandbox: &Sandbox, arguments: &[&str], advice: &str) {
    let told = sandbox.refuses(arguments);
    let lines = [format!("  tip: {advice}"), format!(" hint: {advice}")];
    let has = |line: &str| lines.iter().any(|expected| expected == line);
    assert!(told.lines().any(has), "{arguments:?}: {told}");
    assert!(!told.contains("as a value"), "{arguments:?}: {told}");
}

#[test]
fn guessed_commands_are_understood_or_answered() {
    let sandbox = Sandbox::new();
    for command in ["info", "show"] {
        sandbox.succeeds(&[command, "k.pub"]);
    }
    let engines = "to list the engines: falcon-cli inspect --engines";
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    sandbox.succeeds(&["trust", "show", "team"]);
    answers(&sandbox, &["engines"], engines);
    let version = "to print the version: falcon-cli --version";
    answers(&sandbox, &["version"], version);
    // The names that the help shows are suggested.
    let told = sandbox.refuses(&["gen"]);
    assert!(told.contains("'keygen'"), "{told}");
    assert!(
        !told.contains("gener") && !told.contains("genkey"),
        "{told}"
    );
    let told = sandbox.refuses(&["keygen", "--genkey"]);
    assert!(!told.contains("tip:"), "{told}");
    let told = sandbox.refuses(&["sign", "m", "--secrt-key", "k"]);
    assert!(
        told.contains("tip: a similar argument exists: '--key'"),
        "{told}"
    );
}

#[test]
fn guessed_options_are_understood_or_answered() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "-k", "x"]);
    sandbox.succeeds(&["keygen", "--key", "y"]);
    sandbox.succeeds(&["sign", "-k", "x", "m"]);
    sandbox.succeeds(&["verify", "--pk", "x.pub", "m"]);
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    let revoke = ["trust", "revoke", "team", "Ann", "--reason", "lost"];
    let revoked = sandbox.succeeds(&with(&revoke, ["--since", "2025-06-01T12:00:00Z"]));
    assert!(text(&revoked.stdout).ends_with("revoked 2025-06-01T12:00:00Z: lost\n"));
    let message = "a message comes from a file, or from `-`, which is standard input";
    answers(&sandbox, &["sign", "-m", "hello"], message);
    answers(&sandbox, &["verify", "-i", "m"], message);
    for option in ["-r", "--recursive", "--all"] {
        for command in ["sign", "verify"] {
            let advice = format!("for all files of a folder: falcon-cli manifest {command} FOLDER");
            answers(&sandbox, &[command, option, "."], &advice);
        }
    }
    let told = sandbox.refuses(&["sign", "--all", "."]);
    assert!(!told.contains("x509"), "{told}");
    // An option that nothing resembles gets no advice, unless it is the name of a file.
    let told = sandbox.refuses(&["pubkey", "-z", "k"]);
    assert!(!told.contains("tip:"), "{told}");
    sandbox.write("-z", "");
    let told = sandbox.refuses(&["pubkey", "-z"]);
    assert!(told.contains("'-- -z'"), "{told}");
}

#[test]
fn a_hint_in_json_is_one_sentence() {
    let sandbox = Sandbox::new();
    for (arguments, hint) in [
        (
            &["sign", "--forc", "k", "m"][..],
            "a similar argument exists: '--force'",
        ),
        (
            &["manifest", "sign"],
            "see: falcon-cli manifest sign --help",
        ),
        (&["sign", "-z", "m"], "see: falcon-cli sign --help"),
        (
            &["keygen", "-a", "rsa"],
            "For more information, try '--help'.",
        ),
        (&[], "see: falcon-cli --help"),
    ] {
        let told = sandbox.refuses(&with(arguments, ["--json"]));
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["hint"], hint, "{arguments:?}");
    }
}

#[test]
fn what_is_named_in_the_wrong_place_is_recognised() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("docs")).unwrap();
    answers(
        &sandbox,
        &["verify", "-p", "k.pub", "docs"],
        "name the files in it, or verify the whole folder: falcon-cli manifest verify -p k.pub docs",
    );
    answers(&sandbox, &["sign", "-k", ".", "m"], "name the key file");
    answers(&sandbox, &["verify", "-p", ".", "m"], "name the key file");
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let hint = "name the key of the signer with -p: falcon-cli verify -p k.pub FILE";
    answers(&sandbox, &["verify", "k.pub", "m", "m.sig"], hint);
    // A key that is signed is a file like any other.
    sandbox.succeeds(&["keygen"]);
    sandbox.succeeds(&["sign", "k.pub", "m", "--force"]);
    sandbox.succeeds(&["verify", "k.pub", "m"]);
    let told = sandbox.refuses(&["verify", "falcon.key.pub", "m"]);
    assert!(
        told.starts_with("error: falcon.key.pub.sig: does not exist"),
        "{told}"
    );

    let mut demo = sandbox.command(&["demo", "m"]);
    let told = said(&demo.env("TMPDIR", "/nonexist").output().unwrap());
    assert!(
        told.ends_with(" hint: name a folder in the environment variable TMPDIR\n"),
        "{told}"
    );
}
