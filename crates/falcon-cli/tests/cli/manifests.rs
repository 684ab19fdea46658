//! Manifests: a folder under one signature.

use crate::sandbox::{Sandbox, json_lines, text, with};
use std::fs;

const VERIFY: [&str; 4] = ["manifest", "verify", "-p", "k.pub"];

/// A folder `d` with three files and a manifest.
fn signed() -> Sandbox {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("d/sub/empty")).unwrap();
    sandbox.write("d/one", "1");
    sandbox.write("d/sub/two", "2");
    sandbox.write("d/sub-three", vec![3; 300_000]);
    sandbox.succeeds(&["manifest", "sign", "-k", "k", "--comment", "release 1", "d"]);
    sandbox
}

#[test]
fn a_folder_is_verified_against_its_manifest() {
    let sandbox = signed();
    let verify = with(&VERIFY, ["d"]);
    let output = sandbox.succeeds(&verify);
    let (files, summary) =
        text(&output.stdout).split_at("one: OK\nsub-three: OK\nsub/two: OK\n".len());
    assert_eq!(files, "one: OK\nsub-three: OK\nsub/two: OK\n");
    assert!(
        summary.starts_with("d.manifest: OK, 3 unchanged, signed at 20"),
        "{summary}"
    );
    assert!(summary.ends_with(", comment \"release 1\"\n"), "{summary}");
    let quiet = sandbox.succeeds(&with(&verify, ["-q"]));
    assert!(
        quiet.stdout.is_empty() && quiet.stderr.is_empty(),
        "{quiet:?}"
    );
    // Permissions, empty folders and the way to the folder do not matter.
    fs::remove_dir(sandbox.path("d/sub/empty")).unwrap();
    sandbox.succeeds(&with(&VERIFY, ["./d/"]));
}

#[test]
fn missing_changed_and_extra_files_are_named() {
    let sandbox = signed();
    fs::remove_file(sandbox.path("d/one")).unwrap();
    let mut large = vec![3; 300_000];
    large[299_999] ^= 1;
    sandbox.write("d/sub-three", large);
    sandbox.write("d/sub/zero", "0");
    let output = sandbox.run(&with(&VERIFY, ["d"]));
    assert_eq!(output.status.code(), Some(1));
    let lines = "one: MISSING\nsub-three: CHANGED\nsub/two: OK\nsub/zero: EXTRA\n\
        d.manifest: INVALID, 1 unchanged, 1 changed, 1 missing, 1 extra, signed at ";
    assert!(text(&output.stdout).starts_with(lines), "{output:?}");

    let output = sandbox.run(&with(&VERIFY, ["d", "-q", "--json"]));
    let lines = json_lines(&output);
    let told: Vec<_> = lines
        .iter()
        .map(|line| (&line["file"], &line["status"]))
        .collect();
    assert_eq!(told.len(), 4);
    assert_eq!(told[0], (&"one".into(), &"missing".into()));
    assert_eq!(told[1], (&"sub-three".into(), &"changed".into()));
    assert_eq!(told[2], (&"sub/zero".into(), &"extra".into()));
    let summary = &lines[3];
    assert_eq!(
        (&summary["status"], &summary["extra"]),
        (&"invalid".into(), &1.into())
    );
}

#[test]
fn the_signature_comes_first() {
    let sandbox = signed();
    sandbox.succeeds(&["keygen", "other"]);
    let cause = |arguments: &[&str]| {
        let output = sandbox.run(&with(arguments, ["--json"]));
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let lines = json_lines(&output);
        assert_eq!(lines.len(), 1, "no file is looked at");
        lines[0]["cause"].clone()
    };
    assert_eq!(
        cause(&["manifest", "verify", "-p", "other.pub", "d"]),
        "wrong-key"
    );
    sandbox.succeeds(&["manifest", "verify", "-p", "other.pub", "-p", "k.pub", "d"]);

    let manifest = sandbox.read("d.manifest");
    let changed = |from: &str, to: &str| {
        let text = text(&manifest).replacen(from, to, 1);
        assert_ne!(text.as_bytes(), manifest);
        sandbox.write("d.manifest", text);
    };
    changed("release 1", "release 2");
    assert_eq!(cause(&with(&VERIFY, ["d"])), "forged");
    changed(" 1 one\n", " 1 none\n");
    assert_eq!(cause(&with(&VERIFY, ["d"])), "changed");
    for (from, to) in [
        (" 1 one\n", " 1 ../one\n"),
        (" 1 one\n", " 1 /one\n"),
        ("v1", "v2"),
    ] {
        changed(from, to);
        let message = sandbox.refuses(&with(&VERIFY, ["d"]));
        assert!(
            message.contains("d.manifest: is not a manifest: line "),
            "{message}"
        );
    }
    sandbox.write("d.manifest", &manifest);
    sandbox.succeeds(&with(&VERIFY, ["d"]));

    // The envelope of a file that looks like a manifest is not a manifest's.
    let end = text(&manifest).find("falcon-envelope").unwrap();
    sandbox.write("list", &manifest[..end]);
    sandbox.succeeds(&["sign", "-k", "k", "--format", "envelope", "list"]);
    sandbox.write(
        "d.manifest",
        [&manifest[..end], &sandbox.read("list.sig")].concat(),
    );
    assert_eq!(cause(&with(&VERIFY, ["d"])), "subject");
}

#[test]
fn a_trust_list_says_who_signed_a_folder() {
    let sandbox = signed();
    sandbox.succeeds(&["trust", "add", "team", "Alice", "k.pub"]);
    let verify = ["manifest", "verify", "--trust", "team", "d"];
    let output = sandbox.succeeds(&verify);
    assert!(
        text(&output.stdout).contains(", signed by Alice at "),
        "{output:?}"
    );
    sandbox.succeeds(&["trust", "revoke", "team", "Alice", "--reason", "lost"]);
    let output = sandbox.run(&verify);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout).contains("INVALID, the key of Alice was revoked"),
        "{output:?}"
    );
}

#[test]
fn a_manifest_in_its_own_folder_does_not_list_itself() {
    let sandbox = signed();
    let sign = ["manifest", "sign", "-k", "k", "d", "-o", "d/MANIFEST"];
    sandbox.succeeds(&sign);
    let verify = with(&VERIFY, ["d", "-m", "d/MANIFEST"]);
    let output = sandbox.succeeds(&verify);
    assert!(text(&output.stdout).contains("3 unchanged"), "{output:?}");
    sandbox.refuses(&sign);
    sandbox.succeeds(&with(&sign, ["--force"]));
    sandbox.succeeds(&verify);
    // Another manifest finds it.
    assert_eq!(sandbox.status(&with(&VERIFY, ["d"])), 1);
}

#[test]
fn what_cannot_be_signed_is_named_and_nothing_is_written() {
    let sandbox = signed();
    fs::create_dir(sandbox.path("none")).unwrap();
    for (arguments, told) in [
        (&["d"][..], "d.manifest: exists already"),
        (&["none"], "none: has no files"),
        (&["missing"], "missing: cannot be listed"),
        (&["m"], "m: cannot be listed"),
        (&["."], "has no name to add .manifest to"),
        (&["d", "-o", "d/one", "--force"], "is a file of the folder"),
        (&["d", "-o", "new/place"], "is not a folder"),
    ] {
        let sign = with(&["manifest", "sign", "-k", "k"], arguments);
        let message = sandbox.refuses(&sign);
        assert!(message.contains(told), "{arguments:?}: {message}");
    }
    assert_eq!(sandbox.read("d/one"), b"1");
    assert!(!sandbox.path("none.manifest").exists());
    let message = sandbox.refuses(&with(&VERIFY, ["none"]));
    assert!(message.contains("none.manifest: "), "{message}");
}

#[cfg(unix)]
#[test]
fn links_are_not_signed_and_not_followed() {
    use std::os::unix::fs::symlink;
    let sandbox = signed();
    // The same content, but not the file that was signed.
    sandbox.write("copy", "1");
    fs::remove_file(sandbox.path("d/one")).unwrap();
    symlink("../copy", sandbox.path("d/one")).unwrap();
    symlink("sub", sandbox.path("d/link")).unwrap();
    let output = sandbox.run(&with(&VERIFY, ["d", "-q"]));
    assert_eq!(output.status.code(), Some(1));
    let lines = "one: CHANGED\nlink: EXTRA\nd.manifest: INVALID, 2 unchanged, 1 changed, 1 extra";
    assert!(text(&output.stdout).starts_with(lines), "{output:?}");
    let message = sandbox.refuses(&["manifest", "sign", "-k", "k", "d", "--force"]);
    assert!(message.contains("d/link: is a symbolic link"), "{message}");
    // A name that could write a verdict of its own.
    fs::remove_file(sandbox.path("d/link")).unwrap();
    sandbox.write("d/a: OK\nb", "");
    let output = sandbox.run(&with(&VERIFY, ["d", "-q"]));
    assert!(
        text(&output.stdout).contains("a: OK\\u{a}b: EXTRA\n"),
        "{output:?}"
    );
}
