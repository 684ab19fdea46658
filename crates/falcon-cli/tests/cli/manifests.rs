//! Manifests: a folder under one signature.

use crate::sandbox::{Sandbox, json_lines, said, text, with};
use falcon_envelope::{Digest, Subject};
use std::fs;

const VERIFY: [&str; 4] = ["manifest", "verify", "-p", "k.pub"];

/// Returns a folder with a subfolder `d` of three files, and its manifest.
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
    // Permissions, empty folders and the path of the folder do not matter.
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

/// If a file cannot be read, the folder does not verify.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_not_checked() {
    use std::os::unix::{
        fs::{MetadataExt, PermissionsExt},
        process::CommandExt,
    };
    let sandbox = signed();
    let set_mode = |path: &str, mode| {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(".", 0o755);
    set_mode("d/one", 0);
    let verify = |arguments: &[&str]| {
        let mut verify = sandbox.command(&with(&VERIFY, arguments));
        // The superuser can read any file.
        if fs::metadata(sandbox.0.path()).is_ok_and(|folder| folder.uid() == 0) {
            verify.uid(65534).gid(65534);
        }
        verify.output().unwrap()
    };
    let output = verify(&["d"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let lines = "one: NOT CHECKED\nsub-three: OK\nsub/two: OK\n\
        d.manifest: NOT CHECKED, 2 unchanged, 1 not checked, signed at ";
    assert!(text(&output.stdout).starts_with(lines), "{output:?}");
    let error = text(&output.stderr);
    assert!(
        error.contains("one") && error.contains("Permission denied"),
        "{error}"
    );
    // A changed file determines the exit status, even if another file is unreadable.
    sandbox.write("d/sub/two", "3");
    let output = verify(&["d", "-q"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = "one: NOT CHECKED\nsub/two: CHANGED\n\
        d.manifest: INVALID, 1 unchanged, 1 changed, 1 not checked, signed at ";
    assert!(text(&output.stdout).starts_with(lines), "{output:?}");
}

/// A folder in the place of a file is not listed, so the file counts as missing, not as changed.
#[test]
fn a_folder_in_the_place_of_a_file_is_a_missing_file() {
    let sandbox = signed();
    fs::remove_file(sandbox.path("d/one")).unwrap();
    fs::create_dir(sandbox.path("d/one")).unwrap();
    sandbox.write("d/one/inside", "1");
    let output = sandbox.run(&with(&VERIFY, ["d", "-q"]));
    assert_eq!(output.status.code(), Some(1));
    let lines = "one: MISSING\none/inside: EXTRA\nd.manifest: INVALID, 2 unchanged, 1 missing";
    assert!(text(&output.stdout).starts_with(lines), "{output:?}");
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
    changed(" 1 one\n", " 1 ../one\n");
    assert_eq!(cause(&with(&VERIFY, ["d"])), "changed");
    for (from, to) in [
        ("v1", "v2"),
        ("falcon-envelope v1", "falcon-envelope v2"),
        ("falcon-envelope v1\n", ""),
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

    // The envelope of a file that looks like a manifest is not valid for a manifest.
    let end = text(&manifest).find("falcon-envelope").unwrap();
    sandbox.write("list", &manifest[..end]);
    sandbox.succeeds(&["sign", "-k", "k", "--format", "envelope", "list"]);
    sandbox.write(
        "d.manifest",
        [&manifest[..end], &sandbox.read("list.sig")].concat(),
    );
    assert_eq!(cause(&with(&VERIFY, ["d"])), "subject");
}

/// Signs malformed lines with the same key. Only the owner of the key can make such a manifest.
#[test]
fn malformed_lines_that_are_signed_are_refused() {
    let sandbox = signed();
    let manifest = format!("falcon-manifest v1\n{} ../m\n", Digest::of(b"message"));
    let subject = Subject::Manifest(Digest::of(manifest.as_bytes()));
    let envelope = Sandbox::envelope("2025-06-01T12:00:00Z", subject);
    sandbox.write("d.manifest", manifest + &envelope);
    let message = sandbox.refuses(&with(&VERIFY, ["d"]));
    assert!(
        message.contains("d.manifest: is not a manifest: line 2: expected a hash"),
        "{message}"
    );
}

#[test]
fn the_default_key_and_a_time_in_the_future_are_told() {
    let sandbox = signed();
    fs::copy(sandbox.path("k.pub"), sandbox.path("falcon.key.pub")).unwrap();
    let manifest = sandbox.read("d.manifest");
    let manifest = text(&manifest);
    let start = &manifest[..manifest.find("falcon-envelope").unwrap()];
    let subject = Subject::Manifest(Digest::of(start.as_bytes()));
    let envelope = Sandbox::envelope("2999-01-01T00:00:00Z", subject);
    sandbox.write("d.manifest", format!("{start}{envelope}"));
    let output = sandbox.succeeds(&["manifest", "verify", "d"]);
    let told = "d.manifest: OK, 3 unchanged, key falcon.key.pub, signed at 2999-01-01T00:00:00Z\n";
    assert!(text(&output.stdout).ends_with(told), "{output:?}");
    let warning = "warning: d.manifest: the signed time, 2999-01-01T00:00:00Z, is in the future";
    assert!(text(&output.stderr).starts_with(warning), "{output:?}");
}

/// The file has 8 TiB. Reading all of it would take hours.
#[cfg(target_os = "linux")]
#[test]
fn a_long_file_of_another_length_is_changed_without_being_read() {
    let sandbox = signed();
    let file = fs::File::create(sandbox.path("d/sub-three")).unwrap();
    file.set_len(8 << 40).unwrap();
    let output = sandbox.run_briefly(&with(&VERIFY, ["d", "-q"]));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines = "sub-three: CHANGED\nd.manifest: INVALID, 2 unchanged, 1 changed, signed at ";
    assert!(text(&output.stdout).starts_with(lines), "{output:?}");
}

/// A stream cannot be read twice, so the program copies it.
#[test]
fn a_manifest_comes_from_standard_input() {
    let sandbox = signed();
    let manifest = sandbox.read("d.manifest");
    let verified = sandbox.piped(&with(&VERIFY, ["d", "-m", "-"]), &manifest);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    assert!(
        text(&verified.stdout).contains("3 unchanged"),
        "{verified:?}"
    );
    let both = sandbox.refuses(&["manifest", "verify", "-p", "-", "d", "-m", "-"]);
    assert!(both.contains("is named more than once"), "{both}");
}

#[test]
fn a_signer_who_is_not_in_the_list_gets_a_hint() {
    let sandbox = signed();
    sandbox.succeeds(&["keygen", "other"]);
    sandbox.succeeds(&["trust", "add", "team", "Bob", "other.pub"]);
    let output = sandbox.run(&["manifest", "verify", "--trust", "team", "d"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let hint = "hint: ask the signer for the public key, then add it: falcon-cli trust add LIST \
        NAME KEY.pub";
    assert!(text(&output.stderr).contains(hint), "{output:?}");
}

/// Limits the data memory to less than the size of the manifest.
#[cfg(target_os = "linux")]
#[test]
fn a_large_forged_manifest_costs_no_memory() {
    let sandbox = signed();
    let manifest = sandbox.read("d.manifest");
    let manifest = text(&manifest);
    let (start, rest) = manifest.split_once('\n').unwrap();
    let mut forged = format!("{start}\n");
    let hash = "0".repeat(128);
    for index in 0..800_000 {
        forged += &format!("{hash} 0 {index:08}\n");
    }
    forged += &rest[rest.find("falcon-envelope").unwrap()..];
    sandbox.write("d.manifest", &forged);
    assert!(forged.len() > 96 << 20);
    let refused = std::process::Command::new("sh")
        .args(["-c", "ulimit -d 65536; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_falcon-cli"))
        .args(VERIFY)
        .arg("d")
        .current_dir(&sandbox.0)
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let told = "d.manifest: INVALID, the content was changed";
    assert!(text(&refused.stdout).starts_with(told), "{refused:?}");
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
    // Another manifest in the folder counts as an unlisted file.
    assert_eq!(sandbox.status(&with(&VERIFY, ["d"])), 1);
}

#[test]
fn what_cannot_be_signed_is_named_and_nothing_is_written() {
    let sandbox = signed();
    fs::create_dir(sandbox.path("none")).unwrap();
    for (arguments, told) in [
        (&["d"][..], "d.manifest: exists already"),
        (&["none"], "none: has no files"),
        (&["missing"], "error: missing: does not exist\n"),
        (&["m"], "error: m: is a file, not a folder\n"),
        (&["m"], "hint: for one file: falcon-cli sign m, "),
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

/// Secret keys must not be in the folder, since a signed folder will probably be published.
#[test]
fn secrets_are_not_listed() {
    let sandbox = Sandbox::empty();
    fs::create_dir_all(sandbox.path("d/sub")).unwrap();
    sandbox.write("d/one", "1");
    sandbox.write("d/p", "secret\n");
    sandbox.write("p", "secret\n");
    let keygen = with(&["keygen", "d/falcon.key"], ["--passphrase-file", "p"]);
    sandbox.succeeds(&keygen);
    let refused = |arguments: &[&str], told: &str| {
        let message = sandbox.refuses(&with(&["manifest", "sign"], arguments));
        assert!(message.contains(told), "{arguments:?}: {message}");
        assert!(!sandbox.path("manifest").exists());
    };
    let key = "falcon.key: is the secret key, and the manifest would list it";
    let hint = "hint: move it out of the folder, and name its new place with --key";
    let sign = ["d/", "-o", "manifest", "-k", "d/sub/../falcon.key"];
    refused(&sign, key);
    refused(&sign, hint);
    fs::rename(sandbox.path("d/falcon.key"), sandbox.path("k")).unwrap();
    #[cfg(unix)]
    {
        let (key, link) = (sandbox.path("d/key"), sandbox.path("link"));
        fs::copy(sandbox.path("k"), &key).unwrap();
        std::os::unix::fs::symlink(&key, link).unwrap();
        let sign = [
            "d",
            "-o",
            "manifest",
            "-k",
            "link",
            "--passphrase-file",
            "p",
        ];
        refused(&sign, "link: is the secret key");
        fs::remove_file(key).unwrap();
    }
    let sign = ["d", "-o", "manifest", "-k", "k", "--passphrase-file"];
    refused(&with(&sign, ["d/p"]), "d/p: is the passphrase file");
    fs::remove_file(sandbox.path("d/p")).unwrap();
    sandbox.write("d/sub/.falcon-a1b2c3.tmp", "");
    let temporary = ".falcon-a1b2c3.tmp: is a temporary file of falcon-cli";
    refused(&with(&sign, ["p"]), temporary);
    fs::remove_file(sandbox.path("d/sub/.falcon-a1b2c3.tmp")).unwrap();
    sandbox.write("d/sub/.falcon.tmp", "");
    let sign = with(&["manifest", "sign"], sign);
    sandbox.succeeds(&with(&sign, ["p"]));
}

/// The superuser can read every folder, so then the command succeeds.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_named_once() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = signed();
    let sign = ["manifest", "sign", "-k", "k", "d", "--force"];
    for (folder, told) in [
        (
            "d/sub",
            "error: d: cannot be listed: d/sub: Permission denied\n",
        ),
        ("d", "error: d: cannot be listed: Permission denied\n"),
    ] {
        let mode = |mode| {
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(sandbox.path(folder), mode).unwrap();
        };
        mode(0);
        let readable = fs::read_dir(sandbox.path(folder)).is_ok();
        let output = sandbox.run(&sign);
        mode(0o700);
        if readable {
            assert!(output.status.success(), "{output:?}");
        } else {
            assert_eq!(text(&output.stderr), told);
        }
    }
}

#[cfg(unix)]
#[test]
fn links_are_not_signed_and_not_followed() {
    use std::os::unix::fs::symlink;
    let sandbox = signed();
    // The new file has the same content, but is not the file that was signed.
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
    // This name could imitate a verdict.
    fs::remove_file(sandbox.path("d/link")).unwrap();
    sandbox.write("d/a: OK\nb", "");
    let output = sandbox.run(&with(&VERIFY, ["d", "-q"]));
    assert!(
        text(&output.stdout).contains("a: OK\\u{a}b: EXTRA\n"),
        "{output:?}"
    );
}

#[test]
fn a_manifest_in_the_place_of_its_folder_is_understood() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("docs")).unwrap();
    sandbox.write("docs/a", "a");
    sandbox.succeeds(&["manifest", "sign", "-k", "k", "docs"]);
    fs::copy(sandbox.path("docs.manifest"), sandbox.path("elsewhere")).unwrap();
    let signers = ["-p", "k.pub"];
    for command in [&["verify"][..], &["manifest", "verify"]] {
        let refuses = |file| sandbox.refuses(&[command, &signers, &[file]].concat());
        let hint = refuses("docs.manifest");
        assert!(hint.contains("manifest"), "{hint}");
        let proposed = "falcon-cli manifest verify -p k.pub docs\n";
        assert!(hint.ends_with(proposed), "{hint}");
        let hint = refuses("elsewhere");
        let proposed = "manifest verify -p k.pub FOLDER --manifest elsewhere\n";
        assert!(hint.ends_with(proposed), "{hint}");
    }
    sandbox.succeeds(&["manifest", "verify", "-p", "k.pub", "docs"]);
    let message = sandbox.refuses(&["manifest", "verify", "-p", "k.pub", "m"]);
    assert!(message.contains("m: is a file, not a folder"), "{message}");
    // A signature of the manifest itself is verified like that of any file.
    sandbox.succeeds(&["sign", "-k", "k", "docs.manifest"]);
    sandbox.succeeds(&["verify", "-p", "k.pub", "docs.manifest"]);
    fs::remove_dir_all(sandbox.path("docs")).unwrap();
    let hint = sandbox.refuses(&["manifest", "verify", "-p", "k.pub", "docs.manifest"]);
    let proposed = "manifest verify -p k.pub FOLDER --manifest docs.manifest\n";
    assert!(hint.ends_with(proposed), "{hint}");
}

#[test]
fn trust_lists_and_manifests_are_inspected() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "other", "-a", "falcon-1024"]);
    sandbox.succeeds(&["trust", "add", "team", "Alice", "k.pub"]);
    sandbox.succeeds(&["trust", "add", "team", "Bob", "other.pub"]);
    let told = sandbox.succeeds(&["inspect", "team"]);
    let expected = "team: trust list, not signed (text)\n  keys 2\n  Alice: key ";
    assert!(text(&told.stdout).starts_with(expected), "{told:?}");
    let told = sandbox.succeeds(&["inspect", "team", "--json"]);
    let told = &json_lines(&told)[0];
    assert_eq!(told["kind"], "trust list");
    assert_eq!(told["keys"].as_array().unwrap().len(), 2);

    // The file is longer than any key or signature.
    fs::create_dir(sandbox.path("docs")).unwrap();
    for index in 0..700 {
        sandbox.write(&format!("docs/{index}"), "a");
    }
    sandbox.succeeds(&["manifest", "sign", "-k", "k", "--comment", "final", "docs"]);
    let manifest = sandbox.read("docs.manifest");
    assert!(manifest.len() > 64 * 1024);
    let fingerprint = sandbox.succeeds(&["fingerprint", "k.pub", "--json"]);
    let fingerprint = &json_lines(&fingerprint)[0]["fingerprint"];
    let inspected = [
        sandbox.succeeds(&["inspect", "docs.manifest", "--json"]),
        sandbox.piped(&["inspect", "-", "--json"], &manifest),
    ];
    for told in inspected {
        let told = &json_lines(&told)[0];
        assert_eq!(
            (&told["kind"], &told["files"]),
            (&"manifest".into(), &700.into())
        );
        assert_eq!(&told["fingerprint"], fingerprint);
        assert_eq!(told["comment"], "final");
    }
    let told = sandbox.succeeds(&["inspect", "docs.manifest"]);
    let expected = "docs.manifest: Falcon-512 manifest, not verified (text)\n  files 700\n  \
        fingerprint ";
    assert!(text(&told.stdout).starts_with(expected), "{told:?}");

    sandbox.write("docs.manifest", &manifest[..manifest.len() / 2]);
    let message = sandbox.refuses(&["inspect", "docs.manifest"]);
    assert!(
        message.contains("docs.manifest: is not a manifest: line "),
        "{message}"
    );
    sandbox.write("team", "falcon-trust v1\n");
    let message = sandbox.refuses(&["inspect", "team"]);
    assert!(
        message.contains("team: is not a trust list: line "),
        "{message}"
    );
}

#[test]
fn a_manifest_named_as_a_signature_is_told() {
    let sandbox = signed();
    let verify = ["verify", "-p", "k.pub", "d/one", "-s", "d.manifest"];
    let message = sandbox.refuses(&verify);
    let told = "d.manifest: is a manifest, not a signature of one file";
    assert!(message.contains(told), "{message}");
    let hint = "to verify the folder that it lists: falcon-cli manifest verify -p k.pub d\n";
    assert!(message.ends_with(hint), "{message}");
    sandbox.write("list", "d/one\td.manifest\n");
    let message = sandbox.refuses(&["verify", "-p", "k.pub", "--check", "list"]);
    assert!(
        message.contains(told) && message.contains(hint),
        "{message}"
    );
}

/// The program lists the folder, waits for the passphrase, and then reads the files.
#[cfg(unix)]
#[test]
fn a_folder_that_changes_before_the_passphrase_comes_is_refused() {
    use std::{io::Write, os::unix::fs::symlink, process::Stdio};
    for is_link in [false, true] {
        let sandbox = Sandbox::new();
        sandbox.encrypted_key();
        fs::create_dir(sandbox.path("d")).unwrap();
        sandbox.write("d/one", "1");
        let pipe = sandbox.pipe("pipe");
        let sign = ["manifest", "sign", "-k", "e", "--passphrase-file", "pipe"];
        let mut command = sandbox.command(&with(&sign, ["d"]));
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        // Opening blocks until the program reads.
        let mut passphrase = fs::File::options().write(true).open(&pipe).unwrap();
        if is_link {
            symlink("one", sandbox.path("d/link")).unwrap();
        } else {
            sandbox.write("d/two", "2");
        }
        passphrase.write_all(b"secret\n").unwrap();
        drop(passphrase);
        let message = said(&child.wait_with_output().unwrap());
        let told = "d: has changed while it was read";
        assert!(message.contains(told), "{message}");
        assert!(!sandbox.path("d.manifest").exists());
    }
}

#[test]
fn inputs_and_outputs_of_a_manifest_are_checked_before_the_key_is_read() {
    let sandbox = signed();
    sandbox.encrypted_key();
    let sign = ["manifest", "sign", "d", "-k"];
    let both = sandbox.refuses(&with(&sign, ["-", "--passphrase-file", "-"]));
    assert!(both.contains("is named more than once"), "{both}");
    let missing = sandbox.refuses(&with(&sign, ["missing"]));
    assert!(missing.contains("d.manifest: exists already"), "{missing}");
    let replaced = ["e", "--passphrase-file", "p", "-o", "p", "--force"];
    let message = sandbox.refuses(&with(&sign, replaced));
    assert!(message.contains("p: is an input"), "{message}");
    assert_eq!(sandbox.read("p"), b"secret\n");
}

#[cfg(unix)]
#[test]
fn a_manifest_in_its_folder_may_be_a_link_and_no_other_file() {
    use std::os::unix::fs::symlink;
    let sandbox = signed();
    symlink("../d.manifest", sandbox.path("d/link")).unwrap();
    let verify = with(&VERIFY, ["d", "-m", "d/link"]);
    sandbox.succeeds(&verify);
    symlink("one", sandbox.path("d/other")).unwrap();
    let verified = sandbox.run(&verify);
    assert_eq!(verified.status.code(), Some(1), "{verified:?}");
    assert!(text(&verified.stdout).contains("other: "), "{verified:?}");
}

#[test]
fn a_folder_that_holds_another_secret_key_is_not_signed() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    fs::create_dir_all(sandbox.path("d/inner")).unwrap();
    for (key, place) in [("k", "d/notes.txt"), ("e", "d/inner/old.key")] {
        sandbox.write(place, sandbox.read(key));
        let told = sandbox.refuses(&["manifest", "sign", "-k", "k", "d"]);
        let expected = format!(
            "error: {place}: is a secret key, and the manifest would list it\n \
             hint: move it out of the folder; to sign the key file itself, name it in a list: \
             falcon-cli sign --list LIST\n"
        );
        assert_eq!(told, expected);
        fs::remove_file(sandbox.path(place)).unwrap();
    }
    sandbox.write("d/k.pub", sandbox.read("k.pub"));
    sandbox.succeeds(&["manifest", "sign", "-k", "k", "d"]);
    sandbox.succeeds(&["manifest", "verify", "-p", "k.pub", "d"]);
}

#[test]
fn the_manifest_of_the_current_folder_is_named() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("my docs/inner")).unwrap();
    sandbox.write("my docs/f", "x");
    for (place, folder, sign, verify) in [
        (
            "my docs",
            ".",
            "sign -k ../k -o '../my docs.manifest' .",
            "verify -p ../k.pub -m '../my docs.manifest' .",
        ),
        (
            "my docs/inner",
            "..",
            "sign -k ../k -o '../../my docs.manifest' ..",
            "verify -p ../k.pub -m '../../my docs.manifest' ..",
        ),
    ] {
        for (arguments, hint) in [
            (["sign", "-k", "../k"], sign),
            (["verify", "-p", "../k.pub"], verify),
        ] {
            let arguments = [&["manifest"][..], &arguments, &[folder]].concat();
            let mut command = sandbox.command(&arguments);
            let told = said(&command.current_dir(sandbox.path(place)).output().unwrap());
            let expected = format!(
                "error: {folder}: has no name to add .manifest to\n \
                 hint: name the manifest: falcon-cli manifest {hint}\n"
            );
            assert_eq!(told, expected);
        }
    }
    let told = sandbox.refuses(&["manifest", "sign", "/"]);
    assert!(told.contains("sign has --output"), "{told}");
}
