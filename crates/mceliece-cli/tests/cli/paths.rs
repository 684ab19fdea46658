//! Names of input and output files, standard input and output, JSON, and help.

use crate::sandbox::{QUICK, Sandbox, json_lines};

#[test]
fn standard_input_has_one_reader() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["decaps", "-k", "-", "-", "--secret", "x"][..],
        &["inspect", "-", "-"],
    ] {
        let message = sandbox.refuses(arguments);
        assert!(message.contains("more than once"), "{message}");
    }
}

#[test]
fn two_outputs_are_two_files() {
    let sandbox = Sandbox::new();
    for (output, secret) in [("x", "x"), ("x", "./x"), ("-", "-")] {
        let arguments = ["encaps", "-p", "k.pub", "-o", output, "--secret", secret];
        let message = sandbox.refuses(&arguments);
        assert!(message.contains("the same name"), "{message}");
    }
    let message = sandbox.refuses(&["keygen", "--parameters", QUICK, "-"]);
    assert!(message.contains("two files"), "{message}");
    assert_eq!(sandbox.names(), ["c", "k", "k.pub", "s"]);
}

#[test]
fn an_input_is_never_the_output() {
    let sandbox = Sandbox::new();
    sandbox.write("seed", [0xf3; 32]);
    let files = || ["c", "k", "k.pub", "s", "seed"].map(|name| sandbox.read(name));
    let before = files();
    for arguments in [
        &["encaps", "-p", "k.pub", "-o", "k.pub", "--secret", "x"][..],
        &["encaps", "-p", "k.pub", "-o", "x", "--secret", "./k.pub"],
        &["decaps", "-k", "k", "c", "--secret", "k"],
        &["decaps", "-k", "k", "c", "--secret", "c"],
        &[
            "keygen",
            "--parameters",
            QUICK,
            "seed",
            "--seed-file",
            "seed",
        ],
        &["pubkey", "k", "-o", "k"],
    ] {
        let message = sandbox.refuses(&[arguments, &["--force"]].concat());
        assert!(message.contains("is an input"), "{arguments:?} {message}");
        assert_eq!(files(), before, "{arguments:?}");
    }
}

#[test]
fn force_replaces_no_secret_key() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "--parameters", QUICK, "other"]);
    sandbox.succeeds(&[
        "keygen",
        "--parameters",
        QUICK,
        "--raw",
        "--form",
        "full",
        "raw",
    ]);
    for key in ["other", "raw"] {
        let before = sandbox.read(key);
        for arguments in [
            &["encaps", "-p", "k.pub", "-o", key, "--secret", "x"][..],
            &["encaps", "-p", "k.pub", "-o", "x", "--secret", key],
            &["decaps", "-k", "k", "c", "--secret", key],
            &["pubkey", "k", "-o", key],
        ] {
            let message = sandbox.refuses(&[arguments, &["--force"]].concat());
            assert!(
                message.contains("holds a secret key"),
                "{arguments:?} {message}"
            );
            assert_eq!(sandbox.read(key), before, "{arguments:?}");
        }
    }
    sandbox.succeeds(&["keygen", "--parameters", QUICK, "other", "--force"]);
}

/// A raw key in its shortest form has the length of a shared secret. If no public key is beside it,
/// `--force` may replace it by another secret, but not by a ciphertext or a public key.
#[test]
fn force_replaces_32_bytes_only_by_a_shared_secret() {
    let sandbox = Sandbox::new();
    let seed = ["--raw", "--form", "seed"];
    sandbox.succeeds(&[&["keygen", "--parameters", QUICK, "raw"][..], &seed].concat());
    let before = sandbox.read("raw");
    assert_eq!(before.len(), 32);
    let as_public = [
        &["encaps", "-p", "k.pub", "-o", "raw", "--secret", "x"][..],
        &["pubkey", "k", "-o", "raw"],
    ];
    let as_secret = [
        &["encaps", "-p", "k.pub", "-o", "x", "--secret", "raw"][..],
        &["decaps", "-k", "k", "c", "--secret", "raw"],
    ];
    let refused = |arguments: &[&str], told: &str| {
        let message = sandbox.refuses(&[arguments, &["--force"]].concat());
        assert!(message.contains(told), "{arguments:?} {message}");
        assert_eq!(sandbox.read("raw"), before, "{arguments:?}");
    };
    for arguments in as_public.iter().chain(&as_secret) {
        refused(arguments, "holds a secret key and was not overwritten");
    }
    std::fs::remove_file(sandbox.path("raw.pub")).unwrap();
    for arguments in as_public {
        refused(arguments, "holds 32 bytes, a shared secret or a secret key");
    }
    for arguments in as_secret {
        sandbox.succeeds(&[arguments, &["--force"]].concat());
        assert_ne!(sandbox.read("raw"), before, "{arguments:?}");
        sandbox.write("raw", &before);
    }
}

#[test]
fn standard_output_takes_one_output_and_no_report() {
    let sandbox = Sandbox::new();
    for json in [&[][..], &["--json"]] {
        let with = |arguments: &[&str]| sandbox.succeeds(&[arguments, json].concat()).stdout;
        let sent = with(&[
            "encaps", "-p", "k.pub", "-o", "-", "--secret", "t", "--force",
        ]);
        assert!(sent.starts_with(b"-----BEGIN ") && sent.ends_with(b" CIPHERTEXT-----\n"));
        let secret = with(&[
            "encaps", "-p", "k.pub", "-o", "x", "--secret", "-", "--force",
        ]);
        assert_eq!(secret.len(), 32);
        assert_eq!(with(&["decaps", "-k", "k", "x", "--secret", "-"]), secret);
        assert_eq!(with(&["pubkey", "k", "-o", "-"]), sandbox.read("k.pub"));
    }
}

#[cfg(unix)]
#[test]
fn an_output_that_cannot_be_is_refused() {
    let sandbox = Sandbox::new();
    for (output, told) in [
        ("/dev/null", "not a regular file"),
        (".", "is a folder"),
        ("new/", "is a folder"),
        ("no/file", "is not a folder"),
    ] {
        for arguments in [
            ["encaps", "-p", "k.pub", "-o", "x", "--secret", output],
            ["encaps", "-p", "k.pub", "--secret", "x", "-o", output],
        ] {
            let message = sandbox.refuses(&arguments);
            assert!(message.contains(told), "{output}: {message}");
        }
        let message = sandbox.refuses(&["decaps", "-k", "k", "c", "--secret", output]);
        assert!(message.contains(told), "{output}: {message}");
        // The output was given as `--secret`, so the advice must not name `-o`.
        assert!(!message.contains("-o"), "{output}: {message}");
    }
    assert_eq!(sandbox.names(), ["c", "k", "k.pub", "s"]);
}

/// A control character in the name of a file could overwrite earlier output.
#[cfg(unix)]
#[test]
fn names_cannot_play_with_the_terminal() {
    let sandbox = Sandbox::new();
    let name = "c\u{1b}[1A";
    std::fs::rename(sandbox.path("c"), sandbox.path(name)).unwrap();
    let shown = sandbox.succeeds(&["inspect", name]);
    assert!(
        shown.stdout.starts_with(b"c\\u{1b}[1A: mceliece348864f"),
        "{shown:?}"
    );
    assert_eq!(
        json_lines(&sandbox.succeeds(&["inspect", name, "--json"]))[0]["file"],
        name
    );
}

#[test]
fn json_is_one_object_a_line() {
    let sandbox = Sandbox::empty();
    let made = sandbox.succeeds(&["keygen", "--parameters", QUICK, "k", "--json"]);
    let made = &json_lines(&made)[0];
    assert_eq!(made["secret_key"], "k");
    assert_eq!(made["public_key"], "k.pub");
    assert_eq!(made["parameters"], QUICK);
    let sent = [
        "encaps", "-p", "k.pub", "-o", "c", "--secret", "s", "--json",
    ];
    let sent = sandbox.succeeds(&sent);
    assert_eq!(json_lines(&sent)[0]["ciphertext"], "c");
    let opened = ["decaps", "-k", "k", "c", "--secret", "t", "--json"];
    assert_eq!(json_lines(&sandbox.succeeds(&opened))[0]["secret"], "t");
    let refused = sandbox.run(&["inspect", "missing", "--json"]);
    let error: serde_json::Value = serde_json::from_slice(&refused.stderr).unwrap();
    assert_eq!(error["path"], "missing");
    let usage = sandbox.run(&["encaps", "--json"]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(
        serde_json::from_slice::<serde_json::Value>(&usage.stderr).is_ok(),
        "{usage:?}"
    );
}

#[test]
fn every_command_has_a_help_and_a_page() {
    let sandbox = Sandbox::empty();
    sandbox.succeeds(&["man", "--dir", "pages"]);
    for command in [
        "keygen",
        "pubkey",
        "encaps",
        "decaps",
        "inspect",
        "kat",
        "bench",
        "completions",
        "man",
    ] {
        for help in ["--help", "-h"] {
            assert!(!sandbox.succeeds(&[command, help]).stdout.is_empty());
        }
        assert!(
            sandbox
                .path(&format!("pages/mceliece-cli-{command}.1"))
                .exists()
        );
    }
    assert_eq!(sandbox.run(&["abacus"]).status.code(), Some(2));
    assert_eq!(sandbox.run(&[]).status.code(), Some(2));
}
