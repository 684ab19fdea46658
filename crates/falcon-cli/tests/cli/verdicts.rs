//! Signatures: their formats, and the verdicts of verification.

use crate::sandbox::{Sandbox, json_lines, text, with};
use falcon_envelope::{Digest, Subject, Time};
use std::fs;

#[test]
fn every_format_verifies_and_has_its_length() {
    for (algorithm, padded, ct) in [("falcon-512", 666, 809), ("falcon-1024", 1280, 1577)] {
        let sandbox = Sandbox::empty();
        sandbox.write("m", b"");
        sandbox.succeeds(&["keygen", "-o", "k", "-a", algorithm]);
        for format in ["padded", "compressed", "ct", "pem"] {
            sandbox.succeeds(&["sign", "-k", "k", "m", "--format", format, "--force"]);
            sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
            let signature = sandbox.read("m.sig");
            match format {
                "padded" => assert_eq!(signature.len(), padded),
                "ct" => assert_eq!(signature.len(), ct),
                "compressed" => assert!(signature.len() <= padded),
                _ => assert!(signature.starts_with(b"-----BEGIN FALCON SIGNATURE-----\n")),
            }
        }
    }
}

#[test]
fn exit_status_tells_invalid_from_undecodable() {
    let sandbox = Sandbox::new();
    let verify = ["verify", "-p", "k.pub", "m"];
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    assert_eq!(sandbox.status(&verify), 0);

    sandbox.flip("m.sig", 20);
    assert_eq!(sandbox.status(&verify), 1, "nonce changed");
    sandbox.flip("m.sig", 20);
    sandbox.flip("m", 0);
    assert_eq!(sandbox.status(&verify), 1, "message changed");
    sandbox.flip("m", 0);
    assert_eq!(sandbox.status(&verify), 0);

    sandbox.flip("m.sig", 665);
    assert_eq!(sandbox.status(&verify), 2, "padding changed");
    fs::remove_file(sandbox.path("m.sig")).unwrap();
    assert_eq!(sandbox.status(&verify), 2, "no signature");
}

#[test]
fn a_key_of_the_other_degree_cannot_check_a_signature() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "-o", "big", "-a", "falcon-1024"]);
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    assert_eq!(sandbox.status(&["verify", "-p", "big.pub", "m"]), 2);
    sandbox.succeeds(&["keygen", "-o", "other"]);
    assert_eq!(sandbox.status(&["verify", "-p", "other.pub", "m"]), 1);

    // With keys of both degrees, files are verified one at a time and together.
    sandbox.write("n", b"");
    sandbox.succeeds(&["sign", "-k", "big", "n"]);
    for files in [&["m"][..], &["n"], &["m", "n", "m", "n"]] {
        for keys in [["k.pub", "big.pub"], ["big.pub", "k.pub"]] {
            let verify = ["verify", "-p", keys[0], "-p", keys[1]];
            sandbox.succeeds(&with(&verify, files));
        }
    }
}

#[test]
fn a_corrupted_signature_is_called_a_signature() {
    let sandbox = Sandbox::new();
    sandbox.write("m.sig", "\x12");
    let message = sandbox.refuses(&["verify", "-p", "k.pub", "m"]);
    assert!(message.contains("m.sig: is not a signature"), "{message}");
}

#[test]
fn quiet_verification_prints_failures_only() {
    let sandbox = Sandbox::new();
    let files = sandbox.files(3);
    sandbox.succeeds(&with(&["sign", "-k", "k"], &files));
    let verify = with(&["verify", "-p", "k.pub", "-q"], &files);
    for verify in [&verify, &with(&verify, ["--json"])] {
        let quiet = sandbox.succeeds(verify);
        assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
    }
    let mut command = sandbox.command(&verify);
    let quiet = command.env("FALCON_ENGINE", "gpu").output().unwrap();
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    sandbox.write("f0001", "changed");
    let output = sandbox.run(&verify);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "f0001: INVALID\n");
    let count = "warning: 2 valid, 1 invalid\n";
    assert!(text(&output.stderr).ends_with(count), "{output:?}");
    let output = sandbox.run(&with(&verify, ["--json"]));
    assert_eq!(json_lines(&output).len(), 1);
}

#[test]
fn many_files_end_with_a_count() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let count = |files: usize| {
        sandbox.write("list", "m\n".repeat(files));
        let checked = sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list"]);
        assert_eq!(text(&checked.stdout), "m: OK\n".repeat(files));
        text(&checked.stderr).to_owned()
    };
    assert_eq!(count(1234), "note: 1,234 valid\n");
    assert_eq!(count(1), "");
}

#[test]
fn an_invalid_signature_is_explained_as_far_as_it_can_be() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    sandbox.succeeds(&["keygen", "other"]);
    let hint = "the file, its signature or the key was changed, or another key signed it";
    let output = sandbox.run(&["verify", "-p", "other.pub", "m"]);
    assert!(text(&output.stderr).contains(hint), "{output:?}");
    let verify = ["verify", "-p", "other.pub", "m", "--json"];
    let verdict = &json_lines(&sandbox.run(&verify))[0];
    assert!(verdict["hint"].as_str().unwrap().starts_with(hint));
}

#[test]
fn the_default_key_is_named() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let message = sandbox.refuses(&["verify", "m"]);
    assert!(
        message.contains("falcon.key.pub: does not exist"),
        "{message}"
    );
    assert!(message.contains("name it with --public-key"), "{message}");
    fs::copy(sandbox.path("k.pub"), sandbox.path("falcon.key.pub")).unwrap();
    let valid = sandbox.succeeds(&["verify", "m"]);
    assert_eq!(text(&valid.stdout), "m: OK, key falcon.key.pub\n");
    let verdict = &json_lines(&sandbox.succeeds(&["verify", "m", "--json"]))[0];
    assert_eq!(verdict["key"], "falcon.key.pub");
    assert_eq!(verdict["fingerprint"].as_str().unwrap().len(), 64);
    sandbox.write("m", "changed");
    let invalid = sandbox.run(&["verify", "m"]);
    assert_eq!(text(&invalid.stdout), "m: INVALID\n");
    let hint = "another key than falcon.key.pub signed it";
    assert!(text(&invalid.stderr).contains(hint), "{invalid:?}");
}

#[test]
fn a_signed_time_in_the_future_gives_a_warning() {
    let sandbox = Sandbox::new();
    let subject = Subject::File(Digest::of(b"message"));
    let now = Time::now().unwrap().as_unix();
    let verify = ["verify", "-p", "k.pub", "m", "-q"];
    for (ahead, warned) in [(0, false), (200, false), (1000, true), (1_000_000, true)] {
        let time = Time::from_unix(now + ahead).unwrap().to_string();
        sandbox.write("m.sig", Sandbox::envelope(&time, subject));
        let told = sandbox.succeeds(&verify);
        let warning = format!("warning: m: the signed time, {time}, is in the future");
        assert_eq!(text(&told.stderr).starts_with(&warning), warned, "{told:?}");
        assert!(warned || told.stderr.is_empty());
    }
}

#[test]
fn a_missing_file_is_said_to_be_missing_and_a_folder_to_be_one() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("folder")).unwrap();
    for (file, told) in [
        ("missing", "error: missing: "),
        ("folder", "error: folder: is a folder"),
        ("m", "error: m.sig: "),
    ] {
        let message = sandbox.refuses(&["verify", "-p", "k.pub", file]);
        assert!(message.starts_with(told), "{message}");
    }
}

/// Verifies signatures of both degrees, with short and long files. Some of the files were signed by
/// none of the named keys.
#[test]
fn every_key_is_tried_and_the_output_names_the_right_one() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "other"]);
    sandbox.succeeds(&["keygen", "large", "-a", "falcon-1024"]);
    sandbox.succeeds(&["keygen", "stranger"]);
    let files = sandbox.files(8);
    sandbox.write("f0004", vec![4; 100_000]);
    sandbox.write("f0005", vec![5; 100_000]);
    let keys = [
        "k", "other", "large", "stranger", "other", "stranger", "k", "k",
    ];
    for (file, key) in files.iter().zip(keys) {
        sandbox.succeeds(&["sign", "-k", key, file]);
    }
    let named = [
        "verify",
        "-p",
        "k.pub",
        "-p",
        "other.pub",
        "-p",
        "large.pub",
    ];
    let output = sandbox.run(&with(&named, &files));
    assert_eq!(output.status.code(), Some(1));
    let lines = "\
f0000: OK, key k.pub
f0001: OK, key other.pub
f0002: OK, key large.pub
f0003: INVALID
f0004: OK, key other.pub
f0005: INVALID
f0006: OK, key k.pub
f0007: OK, key k.pub
";
    assert_eq!(text(&output.stdout), lines);

    let pem = ["k.pub", "other.pub"].map(|key| sandbox.read(key));
    sandbox.write("keys", pem.concat());
    let verify = ["verify", "-p", "keys", "f0000", "f0001"];
    let output = sandbox.succeeds(&verify);
    let lines = "f0000: OK, key 1 of keys\nf0001: OK, key 2 of keys\n";
    assert_eq!(text(&output.stdout), lines);
    let verdict = &json_lines(&sandbox.succeeds(&with(&verify, ["--json"])))[1];
    assert_eq!(verdict["key"], "keys");
    assert_eq!(verdict["key_number"], 2);
    let inspected = sandbox.succeeds(&["inspect", "keys", "--json"]);
    let inspected = json_lines(&inspected);
    assert_eq!(inspected.len(), 2);
    assert_eq!(verdict["fingerprint"], inspected[1]["fingerprint"]);
}

#[test]
fn no_second_key_is_left_out_silently() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m", "--format", "pem"]);
    let twice = |name| [sandbox.read(name), sandbox.read(name)].concat();
    for name in ["k", "k.pub", "m.sig"] {
        sandbox.write("twice", twice(name));
        for arguments in [
            &["sign", "-k", "twice", "m", "--force"][..],
            &["pubkey", "twice"],
            &["verify", "-p", "k.pub", "-s", "twice", "m"],
        ] {
            let message = sandbox.refuses(arguments);
            assert!(message.contains("holds 2 PEM blocks"), "{message}");
        }
    }
    sandbox.write("mixed", [sandbox.read("k.pub"), sandbox.read("k")].concat());
    let message = sandbox.refuses(&["verify", "-p", "mixed", "m"]);
    let told = "mixed: PEM block 2 is a secret key, not a public key\n \
                hint: name a file that holds public keys only\n";
    assert!(message.ends_with(told), "{message}");
    sandbox.write(
        "broken",
        [&sandbox.read("k.pub"), &b"-----BEGIN PUBLIC KEY-----\n"[..]].concat(),
    );
    sandbox.refuses(&["verify", "-p", "broken", "m"]);
}

#[test]
fn the_default_public_key_belongs_to_the_default_secret_key() {
    let sandbox = Sandbox::new();
    let message = sandbox.refuses(&["verify", "m"]);
    assert!(message.contains("falcon.key.pub"), "{message}");
    sandbox.succeeds(&["keygen"]);
    sandbox.succeeds(&["sign", "m"]);
    sandbox.succeeds(&["verify", "m"]);
    fs::remove_file(sandbox.path("falcon.key.pub")).unwrap();
    sandbox.succeeds(&["pubkey"]);
    sandbox.succeeds(&["verify", "m"]);
}
