//! Key pairs.

use crate::sandbox::{QUICK, Sandbox};
use std::fs;

const KEYGEN: [&str; 4] = ["keygen", "--parameters", QUICK, "k"];

#[test]
fn there_is_no_default_set() {
    let sandbox = Sandbox::empty();
    let message = sandbox.refuses(&["keygen", "k"]);
    assert!(message.contains("--parameters is missing"), "{message}");
    for set in ["mceliece348864, ", "mceliece8192128pcf"] {
        assert!(message.contains(set), "{message}");
    }
    let message = sandbox.refuses(&["keygen", "k", "--parameters", "mceliece"]);
    assert!(message.contains("mceliece460896f"), "{message}");
    assert!(sandbox.names().is_empty());
}

#[test]
fn keygen_says_what_is_known_about_the_scheme() {
    let sandbox = Sandbox::empty();
    let made = sandbox.succeeds(&KEYGEN);
    let said = String::from_utf8(made.stderr).unwrap();
    assert!(
        said.contains("do not use it as the only protection"),
        "{said}"
    );
}

#[test]
fn keygen_writes_both_files_or_neither() {
    for taken in ["k", "k.pub"] {
        let sandbox = Sandbox::empty();
        sandbox.write(taken, "precious");
        let message = sandbox.refuses(&KEYGEN);
        assert!(message.contains("exists already"), "{message}");
        assert_eq!(sandbox.names(), [taken]);
        assert_eq!(sandbox.read(taken), b"precious");
    }
}

#[test]
fn force_replaces_a_key_pair_and_nothing_else() {
    let forced = [&KEYGEN[..], &["--force"]].concat();
    for raw in [&[][..], &["--raw"], &["--raw", "--form", "seed"]] {
        let sandbox = Sandbox::empty();
        sandbox.succeeds(&[&KEYGEN[..], raw].concat());
        let before = ["k", "k.pub"].map(|name| sandbox.read(name));
        sandbox.succeeds(&[&forced[..], raw].concat());
        for (name, before) in ["k", "k.pub"].iter().zip(before) {
            assert_ne!(sandbox.read(name), before, "{name}");
        }
        assert_eq!(sandbox.names(), ["k", "k.pub"]);
    }
    for taken in ["k", "k.pub"] {
        let sandbox = Sandbox::empty();
        sandbox.write(taken, "precious");
        let message = sandbox.refuses(&forced);
        assert!(message.contains("is not a key"), "{message}");
        assert_eq!(sandbox.names(), [taken]);
        assert_eq!(sandbox.read(taken), b"precious");
    }
}

#[test]
fn a_public_key_without_its_secret_key_is_not_to_be_replaced() {
    let sandbox = Sandbox::new();
    fs::remove_file(sandbox.path("k")).unwrap();
    let hint = sandbox.refuses(&KEYGEN);
    assert!(hint.contains("its secret key k is missing"), "{hint}");
}

#[test]
fn the_name_of_a_public_key_is_not_for_a_secret_one() {
    let sandbox = Sandbox::empty();
    for (name, told) in [
        (
            "x.pub",
            "mceliece-cli keygen --parameters mceliece348864f x.key",
        ),
        (
            "x.y.pub",
            "mceliece-cli keygen --parameters mceliece348864f x.y",
        ),
    ] {
        let message = sandbox.refuses(&["keygen", "--parameters", QUICK, name]);
        assert!(
            message.contains("this name is for the public key"),
            "{message}"
        );
        assert!(message.contains(told), "{message}");
        assert!(sandbox.names().is_empty());
    }
}

#[test]
fn other_names_of_commands_options_and_sets_are_understood() {
    let sandbox = Sandbox::empty();
    for (command, option, set, key) in [
        ("generate", "--parameters", "348864f", "a"),
        ("genkey", "--set", "MCELIECE348864F", "b"),
        ("keygen", "-a", "348864F", "c"),
        ("keygen", "--algorithm", "mceliece348864f", "d"),
    ] {
        sandbox.succeeds(&[command, option, set, "-o", key]);
        let begin = b"-----BEGIN MCELIECE348864F SECRET KEY-----";
        assert!(sandbox.read(key).starts_with(begin), "{command} {set}");
    }
    for option in ["-p", "-k", "--key", "--pub"] {
        let encapsulate = ["encapsulate", option, "a.pub", "-o", "x", "--secret", "s"];
        sandbox.succeeds(&[&encapsulate[..], &["--force"]].concat());
    }
    for (option, output) in [
        ("-k", "-o"),
        ("--sk", "--output"),
        ("--secret-key", "--secret"),
    ] {
        let decapsulate = ["decapsulate", option, "a", "x", output, "t", "--force"];
        sandbox.succeeds(&decapsulate);
        assert_eq!(sandbox.read("t"), sandbox.read("s"), "{option}");
    }
    let public = sandbox.succeeds(&["public", "-k", "a", "-o", "-"]).stdout;
    assert_eq!(public, sandbox.read("a.pub"));
    let unknown = sandbox.refuses(&["keygen", "--parameters", "348", "z"]);
    assert!(unknown.contains("mceliece348864"), "{unknown}");
}

#[test]
fn a_secret_key_is_to_be_moved_away() {
    let sandbox = Sandbox::new();
    let hint = sandbox.refuses(&KEYGEN);
    assert!(hint.contains("move it away first"), "{hint}");
}

#[test]
fn a_lost_public_key_is_made_again() {
    let sandbox = Sandbox::new();
    let public = sandbox.read("k.pub");
    fs::remove_file(sandbox.path("k.pub")).unwrap();
    let encaps = ["encaps", "-p", "k.pub", "-o", "x", "--secret", "y"];
    let hint = sandbox.refuses(&encaps);
    assert!(hint.contains("mceliece-cli pubkey k"), "{hint}");
    sandbox.succeeds(&["pubkey", "k"]);
    assert_eq!(sandbox.read("k.pub"), public);
    sandbox.refuses(&["pubkey", "k"]);
    sandbox.refuses(&["pubkey", "k", "-o", "k", "--force"]);
    sandbox.succeeds(&["pubkey", "k", "--force"]);
}

#[test]
fn a_missing_file_is_named() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["decaps", "-k", "missing", "c", "--secret", "x"][..],
        &["decaps", "-k", "k", "missing", "--secret", "x"],
        &["encaps", "-p", "missing", "-o", "x", "--secret", "y"],
        &["inspect", "missing"],
        &["pubkey", "missing"],
        &[
            "keygen",
            "--parameters",
            QUICK,
            "x",
            "--seed-file",
            "missing",
        ],
    ] {
        let message = sandbox.refuses(arguments);
        assert!(
            message.starts_with("error: missing: does not exist"),
            "{message}"
        );
    }
    let hint = sandbox.refuses(&["decaps", "-k", "missing", "c", "--secret", "x"]);
    assert!(
        hint.contains("a new key cannot replace a lost one"),
        "{hint}"
    );
    assert_eq!(sandbox.names(), ["c", "k", "k.pub", "s"]);
}

#[test]
fn a_seed_of_text_or_of_another_length_is_refused() {
    let sandbox = Sandbox::empty();
    let keygen = [&KEYGEN[..], &["--seed-file", "seed"]].concat();
    for (seed, told) in [
        (&b"0123456789abcdef0123456789abcdef"[..], "text"),
        (&[0xf3; 31], "neither 32 bytes nor 64"),
        (&[0xf3; 33], "neither 32 bytes nor 64"),
        (b"", "neither 32 bytes nor 64"),
    ] {
        sandbox.write("seed", seed);
        let message = sandbox.refuses(&keygen);
        assert!(message.contains(told), "{message}");
        assert_eq!(sandbox.names(), ["seed"]);
    }
}

#[test]
fn inspect_goes_on_after_a_failure() {
    let sandbox = Sandbox::new();
    let described = sandbox.run(&["inspect", "missing", "c"]);
    assert_eq!(described.status.code(), Some(2));
    let shown = String::from_utf8(described.stdout).unwrap();
    assert!(
        shown.starts_with("c: mceliece348864f ciphertext"),
        "{shown}"
    );
}
