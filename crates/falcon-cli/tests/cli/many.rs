//! Many files: lists, order, batches, threads.

use crate::sandbox::{Sandbox, json_lines, said, text, with};
use std::{collections::HashSet, fs};

#[test]
fn a_list_is_checked_to_its_end() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c", "d"] {
        sandbox.write(name, name);
    }
    sandbox.succeeds(&["sign", "-k", "k", "a", "b", "c"]);
    fs::rename(sandbox.path("c.sig"), sandbox.path("elsewhere")).unwrap();
    sandbox.write("list", "# files\na\nb\nc\telsewhere\n");
    let check = ["verify", "-p", "k.pub", "--check", "list"];
    let good = sandbox.succeeds(&check);
    assert_eq!(text(&good.stdout), "a: OK\nb: OK\nc: OK\n");
    assert_eq!(text(&good.stderr), "note: 3 valid\n");

    sandbox.write("list", "a\nd\nb\nc\telsewhere\n");
    assert_eq!(sandbox.status(&check), 2, "d has no signature");
    sandbox.write("b", "changed");
    let bad = sandbox.run(&check);
    assert_eq!(bad.status.code(), Some(1), "an invalid signature outweighs");
    let lines = "a: OK\nd: NOT CHECKED\nb: INVALID\nc: OK\n";
    assert_eq!(text(&bad.stdout), lines);
    let count = "warning: 2 valid, 1 invalid, 1 not checked\n";
    assert!(text(&bad.stderr).ends_with(count), "{bad:?}");
}

#[test]
fn what_a_list_signs_the_same_list_verifies() {
    let sandbox = Sandbox::new();
    sandbox.write("n", "another");
    sandbox.write("list", "# files\nm\nn\telsewhere\n");
    let sign = ["sign", "-k", "k", "--list", "list"];
    sandbox.succeeds(&sign);
    assert!(sandbox.path("elsewhere").exists() && !sandbox.path("n.sig").exists());
    sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list"]);
    sandbox.write("list", "m\tlist\n");
    sandbox.refuses(&with(&sign, ["--force"]));
    let listed = sandbox.piped(&["sign", "-k", "k", "--list", "-"], b"-\n");
    assert!(said(&listed).contains("more than once"));
}

#[test]
fn a_list_with_a_byte_order_mark_works() {
    let sandbox = Sandbox::new();
    sandbox.write("list", "\u{feff}m\r\n");
    sandbox.succeeds(&["sign", "-k", "k", "--list", "list"]);
    sandbox.succeeds(&["verify", "-p", "k.pub", "--check", "list"]);
    assert!(sandbox.path("m.sig").exists());
}

#[test]
fn two_inputs_have_no_output_in_common() {
    let sandbox = Sandbox::new();
    sandbox.write("n", "another");
    let sign = ["sign", "-k", "k", "--force"];
    for list in ["m\ts\nn\ts\n", "m\ts\nn\t./s\n"] {
        sandbox.write("list", list);
        let message = sandbox.refuses(&with(&sign, ["--list", "list"]));
        let told = "s: would be written twice: for m and for n";
        assert!(message.contains(told), "{message}");
        assert!(!sandbox.path("s").exists());
    }
    let message = sandbox.refuses(&with(&sign, ["m", "n", "m"]));
    assert!(message.contains("m: is named more than once"), "{message}");
    assert!(!sandbox.path("n.sig").exists());
}

#[test]
fn signatures_among_the_files_are_not_signed() {
    let sandbox = Sandbox::new();
    sandbox.write("n", "another");
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let names = ["m", "m.sig", "n"];
    let told = "is the signature of m, which is also named";
    let message = sandbox.refuses(&with(&["sign", "-k", "k", "--force"], names));
    assert!(message.contains(&format!("m.sig: {told}")), "{message}");
    let signed = sandbox.succeeds(&with(&["sign", "-k", "k", "--skip-existing"], names));
    let notes = "note: skipped 1 of 3 files: they have signatures, which were not checked\n\
        note: skipped 1 signature of a named file\n";
    assert_eq!(text(&signed.stderr), notes);
    assert!(sandbox.path("n.sig").exists() && !sandbox.path("m.sig.sig").exists());
}

/// Checks that `--skip-existing` never signs a signature whose file is gone.
#[test]
fn skip_existing_signs_no_sig_files() {
    let sandbox = Sandbox::new();
    sandbox.write("gone", "a file");
    sandbox.succeeds(&["sign", "-k", "k", "gone"]);
    fs::remove_file(sandbox.path("gone")).unwrap();
    sandbox.write("other.sig", "of another program");
    sandbox.write("m.sig", "");
    sandbox.write("list", "gone.sig\tapart\nm\n");
    let sign = ["sign", "-k", "k", "--skip-existing"];
    let note = "note: skipped 3 .sig files; to sign such a file, leave out --skip-existing\n";
    let signed = sandbox.succeeds(&with(&sign, ["gone.sig", "m", "m.sig", "other.sig"]));
    assert_eq!(text(&signed.stderr), note);
    assert_eq!(text(&signed.stdout), "m.sig: 666 bytes, Falcon-512\n");
    let alone = sandbox.succeeds(&with(&sign, ["gone.sig"]));
    let note = note.replace("3 .sig files", "1 .sig file");
    assert_eq!(text(&alone.stderr), note);
    let listed = sandbox.succeeds(&with(&sign, ["--list", "list"]));
    assert!(text(&listed.stderr).ends_with(&note), "{listed:?}");
    for name in ["gone.sig.sig", "m.sig.sig", "other.sig.sig", "apart"] {
        assert!(!sandbox.path(name).exists(), "{name}");
    }
    // Without the option, a named file is signed.
    sandbox.succeeds(&["sign", "-k", "k", "other.sig"]);
}

/// A power failure may leave empty signature files. Other damaged files are left to the user.
#[test]
fn skip_existing_replaces_empty_signatures_and_no_others() {
    let sandbox = Sandbox::new();
    sandbox.write("n", "another");
    let sign = ["sign", "-k", "k", "--skip-existing", "m", "n"];
    sandbox.write("m.sig", "");
    sandbox.succeeds(&sign);
    sandbox.succeeds(&["verify", "-p", "k.pub", "m", "n"]);

    let whole = sandbox.read("m.sig");
    sandbox.write("m.sig", &whole[..600]);
    let told = sandbox.refuses(&sign);
    assert!(told.contains("m.sig: exists already"), "{told}");
    assert!(told.contains("it is no whole signature"), "{told}");
    assert_eq!(sandbox.read("m.sig"), &whole[..600]);
    sandbox.write("m.sig", "");
    sandbox.refuses(&["sign", "-k", "k", "m"]);
    assert!(sandbox.read("m.sig").is_empty());
}

/// Counts of more than a thousand files have a comma.
#[test]
fn many_files_and_their_signatures_are_counted() {
    let sandbox = Sandbox::new();
    let files = sandbox.files(1001);
    let sign = ["sign", "-k", "k"];
    let skip = ["sign", "-k", "k", "--skip-existing"];
    let verify = ["verify", "-p", "k.pub"];
    let signed = sandbox.succeeds(&with(&sign, &files));
    assert_eq!(text(&signed.stderr), "note: 1,001 signed\n");
    assert_eq!(text(&signed.stdout).lines().count(), 1001);
    let again = sandbox.succeeds(&with(&skip, &files));
    let count =
        "note: skipped 1,001 of 1,001 files: they have signatures, which were not checked\n";
    assert_eq!(text(&again.stderr), count);

    // The arguments are every file with its signature, as with `DIR/*`, and then a new file.
    let named = |count: usize| -> Vec<String> {
        let pair = |file: &String| [file.clone(), format!("{file}.sig")];
        files[..count].iter().flat_map(pair).collect()
    };
    let all = named(1001);
    let notes = "note: skipped 1,001 of 2,002 files: they have signatures, which were not checked\n\
        note: skipped 1,001 signatures of named files\n";
    let none = sandbox.succeeds(&with(&skip, &all));
    assert_eq!(text(&none.stderr), notes);
    assert!(none.stdout.is_empty());
    sandbox.write("new", "new");
    let one = sandbox.succeeds(&with(&with(&skip, &all), ["new"]));
    assert_eq!(text(&one.stderr), notes.replace("2,002", "2,003"));
    assert_eq!(text(&one.stdout), "new.sig: 666 bytes, Falcon-512\n");

    let valid = sandbox.succeeds(&with(&verify, &all));
    let count = "note: 1,001 valid\nnote: skipped 1,001 signatures of named files\n";
    assert_eq!(text(&valid.stderr), count);
    let lines: String = files.iter().map(|file| format!("{file}: OK\n")).collect();
    assert_eq!(text(&valid.stdout), lines);
    let one = sandbox.succeeds(&with(&verify, &named(1)));
    let note = "note: skipped 1 signature of a named file\n";
    assert_eq!(text(&one.stderr), note);
    let json = sandbox.succeeds(&with(&with(&verify, ["--json"]), &named(3)));
    assert_eq!(json_lines(&json).len(), 3);

    // A signature that has a signature itself is verified as a file.
    sandbox.succeeds(&["sign", "-k", "k", "f0000.sig"]);
    let signed = sandbox.succeeds(&with(&verify, &named(1)));
    assert_eq!(text(&signed.stdout), "f0000: OK\nf0000.sig: OK\n");
    // A signature is not skipped if the file that it signs is missing.
    let message = sandbox.refuses(&with(&verify, ["f0001.sig"]));
    assert!(message.contains("is itself a signature"), "{message}");
}

#[test]
fn quiet_commands_show_only_failures() {
    let sandbox = Sandbox::new();
    let files = sandbox.files(3);
    sandbox.succeeds(&with(&["sign", "-k", "k"], &files));
    let quiet = ["sign", "-k", "k", "-q", "--force"];
    let signed = sandbox.succeeds(&with(&quiet, &files));
    assert!(signed.stdout.is_empty() && signed.stderr.is_empty());
    let failed = sandbox.run(&with(&quiet, ["missing", "m"]));
    assert!(failed.stdout.is_empty());
    let told = "error: missing: does not exist\nwarning: 1 signed, 1 not signed\n";
    assert_eq!(said(&failed), told);
    // The signature itself is still printed.
    let piped = sandbox.piped(&["sign", "-k", "k", "-q", "-"], b"m");
    assert_eq!(piped.stdout.len(), 666);
    assert!(piped.stderr.is_empty());

    let signatures = files.iter().map(|file| format!("{file}.sig"));
    let all: Vec<String> = files.iter().cloned().chain(signatures).collect();
    let verified = sandbox.succeeds(&with(&["verify", "-p", "k.pub", "-q"], &all));
    assert!(verified.stdout.is_empty() && verified.stderr.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_that_is_none_is_refused_at_bounded_cost_and_not_shown() {
    let sandbox = Sandbox::new();
    sandbox.write("p", "my passphrase\n");
    for (list, told) in [
        ("p", "p: names no file that exists"),
        ("/dev/zero", "more than 1,048,576 files or 64 MiB"),
    ] {
        let message = sandbox.refuses(&["verify", "-p", "k.pub", "--check", list]);
        assert!(message.contains(told), "{message}");
        assert!(!message.contains("my passphrase"), "{message}");
        let message = sandbox.refuses(&["verify", "-p", "missing", "--check", list]);
        assert!(message.contains("missing: does not exist"), "{message}");
    }
    let many = b"\nm".repeat((1 << 20) + 1);
    let listed = sandbox.piped(&["sign", "-k", "k", "--list", "-"], &many);
    assert!(said(&listed).contains("more than 1,048,576 files"));
    sandbox.write("seed.hex", "00112233\n");
    let message = sandbox.refuses(&["kat", "check", "seed.hex"]);
    assert!(!message.contains("0011"), "{message}");
}

#[test]
fn many_files_come_out_in_their_order() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..40).map(|i| format!("file{i:02}")).collect();
    for (i, name) in names.iter().enumerate() {
        sandbox.write(name, vec![i as u8; i * 5000]);
    }
    let signed = sandbox.succeeds(&with(&["sign", "-k", "k", "--json"], &names));
    let signed = json_lines(&signed);
    assert!(signed.iter().map(|line| &line["file"]).eq(&names));
    let verified = sandbox.succeeds(&with(&["verify", "-p", "k.pub", "--json"], &names));
    let verified = json_lines(&verified);
    assert!(verified.iter().map(|line| &line["file"]).eq(&names));
    assert!(verified.iter().all(|line| line["status"] == "valid"));
}

/// Mixes messages of all kinds, with engines of one lane and of many lanes.
#[test]
fn each_of_many_files_has_its_own_result() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "large", "-a", "falcon-1024"]);
    let mut files = sandbox.files(150);
    // Lengths on both sides of the longest message that is read as a whole, and an empty file.
    for (i, len) in [(20, 65536), (21, 65537), (22, 0), (90, 300_000)] {
        sandbox.write(&files[i], vec![7; len]);
    }
    files[40] = "missing".to_owned();
    for (engine, options) in [("scalar", &[][..]), ("auto", &["--force"])] {
        let sign = with(&["sign", "-k", "k", "--json", "--engine", engine], options);
        let signed = sandbox.run(&with(&sign, &files));
        assert_eq!(signed.status.code(), Some(2));
        assert_eq!(json_lines(&signed).len(), files.len() - 1);
    }
    let mut nonces = HashSet::new();
    for file in files.iter().filter(|file| *file != "missing") {
        assert!(nonces.insert(sandbox.read(&format!("{file}.sig"))[1..41].to_vec()));
    }

    let mut expected = vec!["valid"; files.len()];
    expected[40] = "unchecked";
    // The flipped bits are in the nonce, so that the signatures still decode.
    for (i, index) in [(5, 20), (20, 1), (21, 40), (90, 7), (149, 3)] {
        sandbox.flip(&format!("{}.sig", files[i]), index);
        expected[i] = "invalid";
    }
    for (i, what) in [(70, &b""[..]), (71, b"no signature"), (72, &[0x39; 666])] {
        sandbox.write(&format!("{}.sig", files[i]), what);
        expected[i] = "unchecked";
    }
    sandbox.succeeds(&["sign", "-k", "large", "--force", &files[100]]);
    expected[100] = "unchecked";
    fs::remove_file(sandbox.path(&format!("{}.sig", files[101]))).unwrap();
    expected[101] = "unchecked";
    sandbox.write(&files[102], "changed");
    expected[102] = "invalid";

    for engine in ["scalar", "auto"] {
        let verify = ["verify", "-p", "k.pub", "--json", "--engine", engine];
        let verified = sandbox.run(&with(&verify, &files));
        assert_eq!(verified.status.code(), Some(1));
        let lines = json_lines(&verified);
        assert!(lines.iter().map(|line| &line["file"]).eq(&files));
        let found: Vec<_> = lines.iter().map(|line| &line["status"]).collect();
        assert_eq!(found, expected, "{engine}");
    }
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.status(&["sign", "-k", "k", "missing", "m"]), 2);
    sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    assert!(!sandbox.path("missing.sig").exists());
}

#[test]
fn signing_goes_on_where_it_was_left() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.write(name, name);
    }
    sandbox.succeeds(&["sign", "-k", "k", "a"]);
    let first = sandbox.read("a.sig");
    sandbox.write("b.sig", "half");
    let sign = ["sign", "-k", "k", "--skip-existing", "a", "b", "c"];
    let message = sandbox.refuses(&sign);
    assert!(
        message.contains("b.sig"),
        "half a signature is none: {message}"
    );
    fs::remove_file(sandbox.path("b.sig")).unwrap();
    sandbox.succeeds(&sign);
    assert_eq!(sandbox.read("a.sig"), first);
    sandbox.succeeds(&["verify", "-p", "k.pub", "a", "b", "c"]);
    sandbox.succeeds(&sign);
    let piped = sandbox.piped(&["sign", "-k", "k", "--skip-existing", "-"], b"a");
    assert_eq!(piped.stdout.len(), 666);
}

#[cfg(target_os = "linux")]
#[test]
fn without_threads_the_work_is_done_all_the_same() {
    let sandbox = Sandbox::new();
    let generate = ["kat", "generate", "-a", "falcon-512", "-n", "2", "-o", "f"];
    sandbox.succeeds(&generate);
    // There are enough files for several threads.
    let files = sandbox.files(200);
    for arguments in [
        with(&["sign", "-k", "k"], &files),
        with(&["verify", "-p", "k.pub"], &files),
        vec!["verify", "-p", "k.pub", &files[0]],
        vec!["bench", "-a", "512", "--seconds", "0", "--engine", "scalar"],
        vec!["kat", "check", "f"],
    ] {
        // The allowed memory is too small for the stack of a thread.
        let done = std::process::Command::new("sh")
            .args(["-c", "ulimit -v 400000; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_falcon-cli"))
            .args(&arguments)
            .env("RUST_MIN_STACK", (1u64 << 30).to_string())
            .current_dir(&sandbox.0)
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?} {done:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn sizes_that_do_not_add_up_stop_nothing() {
    let sandbox = Sandbox::new();
    // Few file systems allow files of this length. /dev/shm does, but not every system has it.
    let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
        return;
    };
    let files = ["a", "b", "c"].map(|name| folder.path().join(name));
    for path in &files {
        let file = fs::File::create(path).unwrap();
        if file.set_len(i64::MAX as u64).is_err() {
            return;
        }
    }
    let [a, b, c] = files.each_ref().map(|path| path.to_str().unwrap());
    let message = sandbox.run(&["verify", "-p", "k.pub", a, b, c]);
    assert_eq!(text(&message.stdout).lines().count(), 3, "{message:?}");
}

#[test]
fn what_to_do_next_is_said_once_for_many_files() {
    let sandbox = Sandbox::new();
    sandbox.files(3);
    let verify = ["verify", "-p", "k.pub", "f0000", "f0001", "f0002"];
    let message = sandbox.refuses(&verify);
    assert_eq!(message.matches("error:").count(), 3, "{message}");
    assert_eq!(
        message.matches("hint: sign the file first").count(),
        1,
        "{message}"
    );
    // Each line of the output is a JSON object of its own.
    let verdicts = sandbox.run(&with(&verify, ["--json"]));
    let verdicts = json_lines(&verdicts);
    assert!(verdicts.iter().all(|verdict| verdict["hint"].is_string()));
}

/// Another program signs the file while this one waits for its passphrase.
#[cfg(unix)]
#[test]
fn a_file_that_is_signed_meanwhile_is_skipped_if_that_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    sandbox.succeeds(&["sign", "-k", "k", "m", "-o", "other"]);
    let whole = sandbox.read("other");
    let meanwhile = |options: &[&str], signature: &[u8]| {
        let _ = fs::remove_file(sandbox.path("m.sig"));
        let _ = fs::remove_file(sandbox.path("pipe"));
        let pipe = sandbox.pipe("pipe");
        let sign = ["sign", "-k", "e", "m", "--passphrase-file", "pipe"];
        let child = sandbox
            .command(&with(&sign, options))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Opening the pipe for writing blocks until the program opens it.
        let mut pipe = fs::File::create(pipe).unwrap();
        sandbox.write("m.sig", signature);
        std::io::Write::write_all(&mut pipe, b"secret\n").unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!(sandbox.read("m.sig"), signature);
        assert!(output.stdout.is_empty());
        output
    };
    let skipped = meanwhile(&["--skip-existing"], &whole);
    assert!(skipped.status.success(), "{skipped:?}");
    let note = "note: skipped 1 of 1 files: they have signatures, which were not checked\n";
    assert_eq!(text(&skipped.stderr), note);
    let half = said(&meanwhile(&["--skip-existing"], b"half"));
    assert!(half.contains("it is no whole signature"), "{half}");
    let refused = said(&meanwhile(&[], &whole));
    assert!(refused.contains("or keep such signatures"), "{refused}");
}

#[test]
fn signing_with_the_default_key_names_it() {
    let sandbox = Sandbox::new();
    fs::copy(sandbox.path("k"), sandbox.path("falcon.key")).unwrap();
    let signed = sandbox.succeeds(&["sign", "-q", "m"]);
    assert!(signed.stdout.is_empty(), "{signed:?}");
    let signed = sandbox.succeeds(&["sign", "m", "--force"]);
    let told = "m.sig: 666 bytes, Falcon-512, key falcon.key\n";
    assert_eq!(text(&signed.stdout), told);
    let fingerprint = sandbox.succeeds(&["fingerprint", "k.pub", "--json"]);
    let fingerprint = &json_lines(&fingerprint)[0]["fingerprint"];
    let signed = sandbox.succeeds(&["sign", "m", "--force", "--json"]);
    let signed = &json_lines(&signed)[0];
    assert_eq!(signed["key"], "falcon.key");
    assert_eq!(&signed["fingerprint"], fingerprint);
    let signed = sandbox.succeeds(&["sign", "-k", "k", "m", "--force"]);
    assert_eq!(text(&signed.stdout), "m.sig: 666 bytes, Falcon-512\n");
}

#[test]
fn a_secret_key_is_not_signed_where_an_option_was_forgotten() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    fs::copy(sandbox.path("k"), sandbox.path("falcon.key")).unwrap();
    let raw =
        falcon_core::SigningKey::<falcon_core::Falcon512>::from_seed(&[7; 32]).expect("no fault");
    sandbox.write("raw", *raw.to_bytes());
    for key in ["k", "e", "raw", "falcon.key"] {
        let message = sandbox.refuses(&["sign", key, "m"]);
        let told = format!("{key}: is a secret key, but is named as a file to sign");
        assert!(message.contains(&told), "{message}");
        let hint = format!("falcon-cli sign -k {key} FILE");
        assert!(message.contains(&hint), "{message}");
        assert!(!sandbox.path("m.sig").exists());
    }
    sandbox.succeeds(&["sign", "k.pub", "m"]);
    sandbox.write("list", "k\n");
    sandbox.succeeds(&["sign", "--list", "list"]);
    assert!(sandbox.path("k.sig").exists());
}
