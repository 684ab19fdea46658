//! Envelopes: signer, time, and permission of the key; trust lists; fingerprints.

use crate::sandbox::{Sandbox, json_lines, said, text, with};
use falcon_envelope::{Digest, Subject};
use std::{fs, process::Output};

/// Returns a folder in which the key `k` has signed `m` and the Falcon-1024 key `large` has signed
/// `n`.
fn signed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("n", "another message");
    sandbox.write("large seed", [8; 32]);
    let keygen = [
        "keygen",
        "large",
        "-a",
        "falcon-1024",
        "--seed-file",
        "large seed",
    ];
    sandbox.succeeds(&keygen);
    sandbox.succeeds(&["sign", "-k", "k", "--comment", "paid in full", "m"]);
    sandbox.succeeds(&["sign", "-k", "large", "--format", "envelope", "n"]);
    sandbox
}

/// Returns the only verdict of a command, which must be a refusal.
fn refused(sandbox: &Sandbox, arguments: &[&str]) -> serde_json::Value {
    let output = sandbox.run(&with(arguments, ["--json"]));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let mut verdicts = json_lines(&output);
    assert_eq!(verdicts.len(), 1);
    assert_eq!(verdicts[0]["status"], "invalid");
    verdicts.remove(0)
}

fn replace(sandbox: &Sandbox, file: &str, from: &str, to: &str) {
    let content = sandbox.read(file);
    let content = text(&content);
    assert!(content.contains(from), "{content}");
    sandbox.write(file, content.replacen(from, to, 1));
}

fn fingerprint(output: &Output) -> String {
    json_lines(output)[0]["fingerprint"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn an_envelope_says_when_and_what() {
    let sandbox = signed();
    let envelope = sandbox.read("m.sig");
    let envelope = text(&envelope);
    assert!(envelope.starts_with("falcon-envelope v1\nalgorithm: Falcon-512\nkey: "));
    assert!(envelope.contains("\ncomment: paid in full\n"));
    let output = sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    let line = text(&output.stdout);
    assert!(line.starts_with("m: OK, signed at 20"), "{line}");
    assert!(line.ends_with("Z, comment \"paid in full\"\n"), "{line}");

    let verify = [
        "verify",
        "-p",
        "large.pub",
        "-p",
        "k.pub",
        "m",
        "n",
        "--json",
    ];
    let verdicts = json_lines(&sandbox.succeeds(&verify));
    assert_eq!(verdicts[0]["key"], "k.pub");
    assert_eq!(verdicts[1]["key"], "large.pub");
    assert_eq!(verdicts[1].get("comment"), None);
    let key = sandbox.succeeds(&["fingerprint", "k", "--json"]);
    assert_eq!(verdicts[0]["signed_with"], fingerprint(&key));

    let inspected = sandbox.succeeds(&["inspect", "m.sig", "--json"]);
    let inspected = &json_lines(&inspected)[0];
    assert_eq!(inspected["kind"], "envelope");
    assert_eq!(inspected["comment"], "paid in full");
    assert_eq!(inspected["fingerprint"], verdicts[0]["signed_with"]);
}

#[test]
fn a_wrong_key_a_changed_file_and_a_forgery_are_told_apart() {
    let sandbox = signed();
    let verify = ["verify", "-p", "k.pub", "m"];
    let wrong = refused(&sandbox, &["verify", "-p", "large.pub", "m"]);
    assert_eq!(wrong["cause"], "wrong-key");
    let output = sandbox.run(&["verify", "-p", "large.pub", "m"]);
    let line = text(&output.stdout);
    assert!(
        line.starts_with("m: INVALID, wrong key: signed with "),
        "{line}"
    );

    // If a stranger made the signature, the file is not even read.
    sandbox.write("m", "massage");
    assert_eq!(
        refused(&sandbox, &["verify", "-p", "large.pub", "m"])["cause"],
        "wrong-key"
    );
    let changed = refused(&sandbox, &verify);
    assert_eq!(
        (&changed["cause"], &changed["reason"]),
        (&"changed".into(), &"the content was changed".into())
    );
    sandbox.write("m", "messages");
    let longer = refused(&sandbox, &verify);
    assert_eq!(
        longer["reason"],
        "the content was changed: 7 bytes were signed, 8 are there"
    );
    sandbox.write("m", "message");
    sandbox.succeeds(&verify);

    replace(&sandbox, "m.sig", "paid in full", "paid in part");
    assert_eq!(refused(&sandbox, &verify)["cause"], "forged");
    replace(&sandbox, "m.sig", "paid in part", "paid  in full");
    assert_eq!(refused(&sandbox, &verify)["cause"], "forged");
    replace(&sandbox, "m.sig", "comment: ", "comment:");
    let message = sandbox.refuses(&verify);
    assert!(
        message.contains("m.sig: is a malformed envelope: line 5: "),
        "{message}"
    );
    replace(&sandbox, "m.sig", "envelope v1", "envelope v2");
    let message = sandbox.refuses(&verify);
    assert!(message.contains("line 1: unknown version"), "{message}");
}

/// The file must not be read: reading all of its 8 TiB would take hours, and a stream may have no
/// end.
#[cfg(target_os = "linux")]
#[test]
fn a_file_is_read_no_further_than_its_signed_length_tells() {
    let sandbox = signed();
    let reason = |arguments: &[&str]| {
        let output = sandbox.run_briefly(&with(arguments, ["-p", "k.pub", "--json"]));
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let verdict = json_lines(&output).remove(0);
        assert_eq!(verdict["cause"], "changed");
        verdict["reason"].as_str().unwrap().to_owned()
    };
    let longer = "the content was changed: 7 bytes were signed, more are there";
    assert_eq!(reason(&["verify", "/dev/zero", "-s", "m.sig"]), longer);
    let file = fs::File::create(sandbox.path("m")).unwrap();
    file.set_len(8 << 40).unwrap();
    let sparse = "the content was changed: 7 bytes were signed, 8796093022208 are there";
    assert_eq!(reason(&["verify", "m"]), sparse);
    // If a long file has the signed length, it is read to its end, also from a stream.
    let long = vec![5; 200_000];
    sandbox.write("m", &long);
    sandbox.succeeds(&["sign", "-k", "k", "--format", "envelope", "--force", "m"]);
    let verify = ["verify", "-p", "k.pub", "-s", "m.sig"];
    sandbox.succeeds(&with(&verify, ["m"]));
    let verify = with(&verify, ["-"]);
    assert_eq!(sandbox.piped(&verify, &long).status.code(), Some(0));
    assert_eq!(sandbox.piped(&verify, &long[1..]).status.code(), Some(1));
}

/// Files of /proc report the length 0, whatever their contents.
#[cfg(target_os = "linux")]
#[test]
fn a_file_with_a_false_length_is_read() {
    let sandbox = signed();
    fs::copy("/proc/version", sandbox.path("version")).unwrap();
    sandbox.succeeds(&["sign", "-k", "k", "--format", "envelope", "version"]);
    sandbox.succeeds(&[
        "verify",
        "-p",
        "k.pub",
        "-s",
        "version.sig",
        "/proc/version",
    ]);
    let verify = ["verify", "-p", "k.pub", "-s", "m.sig", "/proc/version"];
    assert_eq!(
        refused(&sandbox, &verify)["reason"],
        "the content was changed: 7 bytes were signed, more are there"
    );
}

/// A wrong length is reported only if the statement is genuine.
#[test]
fn a_forgery_is_told_before_a_long_file_is_read() {
    let sandbox = signed();
    sandbox.write("m", vec![5; 200_000]);
    let verify = ["verify", "-p", "k.pub", "m"];
    assert_eq!(refused(&sandbox, &verify)["cause"], "changed");
    replace(&sandbox, "m.sig", "paid in full", "paid in part");
    assert_eq!(refused(&sandbox, &verify)["cause"], "forged");
}

#[test]
fn a_comment_does_not_imitate_the_words_of_the_program() {
    let sandbox = Sandbox::new();
    let comment = "x\", key k.pub, comment \\\"y";
    let sign = ["sign", "-k", "k", "m", "--comment", comment];
    sandbox.succeeds(&sign);
    let output = sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    let shown = "Z, comment \"x\\\", key k.pub, comment \\\\\\\"y\"\n";
    assert!(text(&output.stdout).ends_with(shown), "{output:?}");
    let output = sandbox.succeeds(&["verify", "-p", "k.pub", "m", "--json"]);
    assert_eq!(json_lines(&output)[0]["comment"], comment);
}

/// Verifies long files, many files, a list, and bare signatures mixed with envelopes.
#[test]
fn envelopes_and_bare_signatures_are_verified_together() {
    let sandbox = Sandbox::new();
    let files = sandbox.files(9);
    sandbox.write("f0004", vec![4; 200_000]);
    sandbox.succeeds(&with(
        &["sign", "-k", "k", "--comment", "first"],
        &files[..5],
    ));
    let all = with(&["sign", "-k", "k", "--skip-existing"], &files);
    let note = sandbox.succeeds(&all);
    assert!(text(&note.stderr).contains("5 of 9"), "{note:?}");
    assert!(
        sandbox
            .read("f0004.sig")
            .starts_with(b"falcon-envelope v1\n")
    );
    assert_eq!(sandbox.read("f0005.sig").len(), 666);
    sandbox.write("list", files.join("\n"));
    let output = sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list"]);
    let lines: Vec<_> = text(&output.stdout).lines().map(str::to_owned).collect();
    for (index, (line, file)) in lines.iter().zip(&files).enumerate() {
        let said = if index < 5 {
            ": OK, signed at "
        } else {
            ": OK"
        };
        assert!(line.starts_with(&format!("{file}{said}")), "{line}");
        assert_eq!(line.ends_with(", comment \"first\""), index < 5, "{line}");
    }
    sandbox.write("f0004", vec![5; 200_000]);
    sandbox.write("f0006", "changed");
    let output = sandbox.run(&with(&["verify", "-p", "k.pub", "-q"], &files));
    assert_eq!(
        text(&output.stdout),
        "f0004: INVALID, the content was changed\nf0006: INVALID\n"
    );
}

#[test]
fn standard_input_and_output_take_envelopes() {
    let sandbox = Sandbox::new();
    let output = sandbox.piped(&["sign", "-k", "k", "--comment", "piped", "-"], b"message");
    assert!(output.status.success(), "{output:?}");
    sandbox.write("m.sig", &output.stdout);
    sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    let output = sandbox.piped(&["verify", "-p", "k.pub", "-s", "m.sig", "-"], b"message");
    assert!(
        text(&output.stdout).starts_with("-: OK, signed at "),
        "{output:?}"
    );
    let output = sandbox.piped(
        &["verify", "-p", "k.pub", "-s", "-", "m"],
        &sandbox.read("m.sig"),
    );
    assert!(
        text(&output.stdout).starts_with("m: OK, signed at "),
        "{output:?}"
    );
}

#[test]
fn what_cannot_be_a_comment_is_refused_before_a_passphrase_is_asked_for() {
    let sandbox = Sandbox::new();
    for comment in ["", " a", "a\nsignature: b", "\u{1b}[1A", "a\u{202e}b"] {
        let message = sandbox.refuses(&["sign", "-k", "none", "--comment", comment, "m"]);
        assert!(message.contains("--comment"), "{message}");
        assert!(!message.contains('\u{202e}') || comment.contains('\u{202e}'));
    }
    let message = sandbox.refuses(&["sign", "-k", "none", "--comment", "a", "-f", "pem", "m"]);
    assert!(
        message.contains("only an envelope has a comment"),
        "{message}"
    );
    assert_eq!(sandbox.names(), ["k", "k.pub", "m", "seed"]);
}

/// The author of a file cannot turn a bare signature of that file into an envelope, because
/// envelopes use another hash.
#[test]
fn a_bare_signature_of_a_statement_is_no_envelope() {
    let sandbox = signed();
    fs::create_dir(sandbox.path("folder")).unwrap();
    sandbox.write("folder/file", "content");
    sandbox.succeeds(&["manifest", "sign", "-k", "k", "folder"]);
    for (name, is_folder) in [("m.sig", false), ("folder.manifest", true)] {
        let bytes = sandbox.read(name);
        let content = text(&bytes);
        let (before, envelope) = content.split_at(content.find("falcon-envelope v1").unwrap());
        let envelope: falcon_envelope::Envelope = envelope.parse().unwrap();
        let statement = envelope.unverified().clone();
        sandbox.write("statement", statement.to_signed_bytes());
        let sign = [
            "sign",
            "-k",
            "k",
            "--format",
            "padded",
            "--force",
            "statement",
        ];
        sandbox.succeeds(&sign);
        sandbox.succeeds(&["verify", "-p", "k.pub", "statement"]);
        let forged = statement.with_signature(&sandbox.read("statement.sig"));
        sandbox.write(name, format!("{before}{}", forged.unwrap()));
        let verify: &[&str] = if is_folder {
            &["manifest", "verify", "-p", "k.pub", "folder"]
        } else {
            &["verify", "-p", "k.pub", "m"]
        };
        let verdict = refused(&sandbox, verify);
        assert_eq!(verdict["cause"], "forged", "{name}");
    }
}

/// An envelope cut into a message and a signature does not verify.
#[test]
fn the_bytes_of_an_envelope_are_not_a_signed_file() {
    let sandbox = signed();
    for (file, key) in [("m", "k.pub"), ("n", "large.pub")] {
        let envelope = sandbox.read(&format!("{file}.sig"));
        let envelope = falcon_envelope::Envelope::parse(&envelope).unwrap();
        sandbox.write("cut", envelope.unverified().to_signed_bytes());
        sandbox.write("cut.sig", envelope.signature());
        refused(&sandbox, &["verify", "-p", key, "cut"]);
    }
}

#[test]
fn a_trust_list_says_whose_key_signed() {
    let sandbox = signed();
    sandbox.succeeds(&["trust", "add", "team", "Alice A.", "k.pub"]);
    let verify = ["verify", "--trust", "team", "m"];
    let line = sandbox.succeeds(&verify);
    let line = text(&line.stdout);
    assert!(
        line.starts_with("m: OK, signed by Alice A. at 20"),
        "{line}"
    );
    let verdict = &json_lines(&sandbox.succeeds(&with(&verify, ["--json"])))[0];
    assert_eq!(
        (&verdict["signer"], &verdict["comment"]),
        (&"Alice A.".into(), &"paid in full".into())
    );

    let unknown = refused(&sandbox, &["verify", "--trust", "team", "n"]);
    assert_eq!(unknown["cause"], "unknown-key");
    replace(&sandbox, "m.sig", "paid in full", "paid in part");
    assert_eq!(refused(&sandbox, &verify)["cause"], "forged");

    let both = sandbox.refuses(&with(&verify, ["-p", "k.pub"]));
    assert!(both.contains("cannot be used with"), "{both}");
    replace(&sandbox, "team", "Alice A.", "Alice  A. ");
    let message = sandbox.refuses(&verify);
    assert!(
        message.contains("team: is not a trust list: line 3: "),
        "{message}"
    );
}

/// A bare signature does not tell who signed. Both commands of the hint work.
#[test]
fn a_bare_signature_is_refused_with_a_trust_list() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    sandbox.succeeds(&["sign", "-k", "k", "m", "-o", "apart"]);
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    for (signature, output, option) in [("m.sig", "", ""), ("apart", " -o apart", " -s apart")] {
        let verify = ["verify", "--trust", "team", "m", "-s", signature];
        let told = sandbox.refuses(&verify);
        let sign = format!("sign --force --format envelope -k KEY{output} m");
        let alone = format!("verify -p KEY.pub{option} m");
        assert_eq!(
            told,
            format!(
                "error: {signature}: is a bare signature, which says neither who made it nor \
                 when\n hint: the signer can make an envelope instead: falcon-cli {sign}; to \
                 verify with one key: falcon-cli {alone}\n"
            )
        );
        for command in [alone.replace("KEY", "k"), sign.replace("KEY", "k")] {
            sandbox.succeeds(&command.split(' ').collect::<Vec<_>>());
        }
        sandbox.succeeds(&verify);
    }
}

#[test]
fn a_certain_signer_of_a_trust_list_can_be_demanded() {
    let sandbox = signed();
    sandbox.succeeds(&["keygen", "l"]);
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    sandbox.succeeds(&["trust", "add", "team", "Bob", "l.pub"]);
    fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.write("d/f", "a file");
    sandbox.succeeds(&["manifest", "sign", "-k", "k", "d"]);
    for command in [&["verify", "m"][..], &["manifest", "verify", "d"]] {
        let verify = with(command, ["--trust", "team", "--signer"]);
        sandbox.succeeds(&with(&verify, ["Ann"]));
        let verdict = refused(&sandbox, &with(&verify, ["Bob"]));
        assert_eq!(verdict["cause"], "wrong-signer");
        assert_eq!(verdict["reason"], "signed by Ann, not by Bob");
        let told = sandbox.refuses(&with(&verify, ["Cy"]));
        assert!(told.contains("team: has no key of the name Cy\n"), "{told}");
        assert!(told.ends_with(" hint: the list has: Ann, Bob\n"), "{told}");
        // Without a list, no key has a name.
        sandbox.refuses(&with(command, ["-p", "k.pub", "--signer", "Ann"]));
    }
}

#[test]
fn a_key_signs_within_its_time_only() {
    let sandbox = signed();
    let add = |name: &str, period: &[&str]| {
        sandbox.succeeds(&with(&["trust", "add", name, "Alice", "k.pub"], period));
        refused(&sandbox, &["verify", "--trust", name, "m"])["cause"].clone()
    };
    assert_eq!(
        add("old", &["--valid-until", "2020-01-01T00:00:00Z"]),
        "expired"
    );
    assert_eq!(
        add("new", &["--valid-from", "9000-01-01T00:00:00Z"]),
        "not-yet-valid"
    );
    let period = [
        "--valid-from",
        "2020-01-01T00:00:00Z",
        "--valid-until",
        "2019-01-01T00:00:00Z",
    ];
    let message = sandbox.refuses(&with(&["trust", "add", "none", "Alice", "k.pub"], period));
    assert!(
        message.contains("the validity ends before it begins"),
        "{message}"
    );
    let message = sandbox.refuses(&["trust", "add", "none", "A", "k.pub", "--valid-from", "2020"]);
    assert!(message.contains("expected a time like"), "{message}");
    assert!(!sandbox.path("none").exists());
}

#[test]
fn a_revoked_key_is_refused_unless_asked_and_signed_before() {
    let sandbox = signed();
    sandbox.succeeds(&["trust", "add", "team", "Alice", "k.pub"]);
    let verify = ["verify", "--trust", "team", "m"];
    let accept = with(&verify, ["--accept-revoked"]);
    let revoke = [
        "trust",
        "revoke",
        "team",
        "Alice",
        "--reason",
        "laptop stolen",
    ];

    sandbox.succeeds(&with(&revoke, ["--at", "9000-01-01T00:00:00Z"]));
    let verdict = refused(&sandbox, &verify);
    assert_eq!(verdict["cause"], "revoked");
    assert!(
        verdict["reason"]
            .as_str()
            .unwrap()
            .ends_with("laptop stolen")
    );
    let hint = verdict["hint"].as_str().unwrap();
    assert!(hint.contains("--accept-revoked"), "{hint}");
    sandbox.succeeds(&accept);

    sandbox.succeeds(&with(&revoke, ["--at", "2020-01-01T00:00:00Z"]));
    for verify in [&verify[..], &accept] {
        let verdict = refused(&sandbox, verify);
        assert_eq!(
            (&verdict["cause"], verdict.get("hint")),
            (&"revoked".into(), None)
        );
    }

    // If a later time were allowed, signatures made in between would be accepted again.
    let later = sandbox.refuses(&with(&revoke, ["--at", "2099-01-01T00:00:00Z"]));
    assert!(later.contains("is revoked since 2020-01-01"), "{later}");
    let alone = ["verify", "-p", "k.pub", "m", "--accept-revoked"];
    sandbox.refuses(&alone);
}

/// Times are whole seconds, so the order of two events in one second is unknown.
#[test]
fn the_second_of_the_revocation_counts_as_revoked() {
    let sandbox = signed();
    let file = Subject::File(Digest::of(b"message"));
    let [before, then] = ["2025-06-01T11:59:59Z", "2025-06-01T12:00:00Z"];
    sandbox.succeeds(&["trust", "add", "team", "Alice", "k.pub"]);
    let revoke = ["trust", "revoke", "team", "Alice", "--reason", "lost"];
    sandbox.succeeds(&with(&revoke, ["--at", then]));
    let accept = ["verify", "--trust", "team", "m", "--accept-revoked"];
    sandbox.write("m.sig", Sandbox::envelope(then, file));
    let verdict = refused(&sandbox, &accept);
    assert_eq!(verdict["cause"], "revoked");
    let hint = "the envelope has the second of the revocation, which counts as revoked";
    assert_eq!(verdict["hint"], hint);
    sandbox.write("m.sig", Sandbox::envelope(before, file));
    sandbox.succeeds(&accept);
}

#[test]
fn the_rules_of_a_trust_list_are_where_verify_says() {
    let sandbox = Sandbox::empty();
    let verify = sandbox.succeeds(&["verify", "-h"]);
    let words: Vec<_> = text(&verify.stdout).split_whitespace().collect();
    assert!(words.join(" ").contains("see `trust --help`"));
    let rules = sandbox.succeeds(&["trust", "--help"]);
    for rule in [
        "bare signature",
        "--valid-from",
        "revoked",
        "--accept-revoked",
    ] {
        assert!(text(&rules.stdout).contains(rule), "{rule}");
    }
}

#[test]
fn what_is_too_long_is_told_as_such() {
    let sandbox = signed();
    sandbox.write(
        "team",
        format!("falcon-trust v1\n{}", "\n".repeat(16 << 20)),
    );
    let message = sandbox.refuses(&["verify", "--trust", "team", "m"]);
    assert!(message.contains("longer than 16777216 bytes"), "{message}");
    sandbox.write("key", "x".repeat((64 << 10) + 1));
    let message = sandbox.refuses(&["inspect", "key"]);
    let told = "key: is too large to be a key or a signature";
    assert!(message.contains(told), "{message}");
}

#[test]
fn a_trust_list_is_changed_whole_or_not_at_all() {
    let sandbox = signed();
    let added = sandbox.succeeds(&["trust", "add", "team", "Alice", "k.pub", "--json"]);
    let shown = sandbox.succeeds(&["fingerprint", "k.pub", "--json"]);
    assert_eq!(fingerprint(&added), fingerprint(&shown));
    let before = sandbox.read("team");
    sandbox.write(
        "both.pub",
        [sandbox.read("k.pub"), sandbox.read("large.pub")].concat(),
    );
    for (arguments, told) in [
        (
            &["add", "team", "Alice", "large.pub"][..],
            "a key of this name",
        ),
        (&["add", "team", "Bob", "k.pub"], "the list has this key"),
        (&["add", "team", "a\nb", "large.pub"], "the text contains"),
        (&["add", "team", "Bob", "large"], "is a secret key"),
        (&["add", "team", "Bob", "both.pub"], "holds several keys"),
        (
            &["add", "team", "Bob", "missing.pub"],
            "missing.pub: does not exist\n hint: ask the signer for the public key, and name its file",
        ),
        (&["add", "k.pub", "Bob", "k.pub"], "is an input"),
        (&["add", "m", "Bob", "large.pub"], "is not a trust list"),
        (&["add", "-", "Bob", "large.pub"], "changed in place"),
        (&["revoke", "-", "Bob", "--reason", "x"], "changed in place"),
        (
            &["revoke", "team", "Bob", "--reason", "x"],
            "has no key of the name Bob",
        ),
        (
            &["revoke", "team", "Alice", "--reason", ""],
            "the text is empty",
        ),
        (
            &["revoke", "missing", "Alice", "--reason", "x"],
            "missing: is not there",
        ),
    ] {
        let message = sandbox.refuses(&with(&["trust"], arguments));
        assert!(message.contains(told), "{arguments:?}: {message}");
        assert_eq!(sandbox.read("team"), before);
    }
    assert_eq!(sandbox.read("m"), b"message");
    assert!(!sandbox.path("missing").exists());
    sandbox.succeeds(&["trust", "add", "team", "Bob", "large.pub"]);
    let entries = text(&before).strip_suffix("\nend: 1\n").unwrap();
    let after = sandbox.read("team");
    assert!(text(&after).starts_with(entries) && text(&after).ends_with("\nend: 2\n"));
    assert!(
        sandbox
            .names()
            .iter()
            .all(|name| !name.contains(".falcon-"))
    );
}

#[test]
fn a_fingerprint_is_the_same_of_every_form_of_a_key() {
    let sandbox = signed();
    sandbox.encrypted_key();
    let same = ["k", "k.pub", "e", "e.pub"];
    let print = with(&["fingerprint", "--passphrase-file", "p"], same);
    let output = sandbox.succeeds(&print);
    let lines: Vec<_> = text(&output.stdout).lines().collect();
    let (first, _) = lines[0].split_once("  ").unwrap();
    assert_eq!(first.len(), 64);
    let expected = same.map(|name| format!("{first}  {name}"));
    assert_eq!(lines, expected);
    let inspected = sandbox.succeeds(&["inspect", "k", "--json"]);
    assert_eq!(fingerprint(&inspected), first);

    let output = sandbox.run(&["fingerprint", "m", "m.sig", "large.pub"]);
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let message = said(&output);
    assert!(
        message.contains("m.sig: is an envelope, not a key"),
        "{message}"
    );
}

/// Checks that the program accepts the test vectors of the library.
#[test]
fn the_vectors_verify() {
    let sandbox = Sandbox::empty();
    let kat = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kat/envelope");
    for entry in fs::read_dir(kat).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(
            &path,
            sandbox.path(path.file_name().unwrap().to_str().unwrap()),
        )
        .unwrap();
    }
    let verify = ["verify", "--trust", "trust", "order.txt", "-s"];
    let output = sandbox.succeeds(&with(&verify, ["order-512.sig"]));
    let line = "order.txt: OK, signed by Alice <alice@example.org> at 2025-06-01T12:00:00Z, comment \
        \"paid in full, für alle Zeit\"\n";
    assert_eq!(text(&output.stdout), line);
    assert_eq!(
        refused(&sandbox, &with(&verify, ["order-1024.sig"]))["cause"],
        "revoked"
    );
    let accept = ["order-1024.sig", "--accept-revoked"];
    sandbox.succeeds(&with(&verify, accept));
}
