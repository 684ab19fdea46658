//! What a transcript cannot show: modes, pipes, races, colours, many files.

mod sandbox;

use sandbox::{Sandbox, json_lines, text};
use std::{fs, io::Read, path::Path, process::Stdio};

fn flip(path: &Path, index: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[index] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[cfg(unix)]
#[test]
fn a_secret_key_has_mode_0600() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let mode = fs::metadata(sandbox.path("k"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_seed_restores_the_same_key_and_no_seed_makes_another() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "-o", "same", "--seed-file", "seed"]);
    sandbox.succeeds(&["keygen", "-o", "other"]);
    let read = |name| fs::read(sandbox.path(name)).unwrap();
    assert_eq!(read("k"), read("same"));
    assert_eq!(read("k.pub"), read("same.pub"));
    assert_ne!(read("k"), read("other"));
}

#[test]
fn keygen_writes_both_files_or_neither() {
    for taken in ["k", "k.pub"] {
        let sandbox = Sandbox::empty();
        fs::write(sandbox.path(taken), "precious").unwrap();
        assert_eq!(sandbox.status(&["keygen", "-o", "k"]), 2);
        assert_eq!(sandbox.names(), [taken]);
        assert_eq!(fs::read(sandbox.path(taken)).unwrap(), b"precious");
        sandbox.succeeds(&["keygen", "-o", "k", "--force"]);
        assert_eq!(sandbox.names(), ["k", "k.pub"]);
    }
}

#[test]
fn signatures_are_not_overwritten_without_force() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let first = fs::read(sandbox.path("m.sig")).unwrap();
    assert_eq!(sandbox.status(&["sign", "-k", "k", "m"]), 2);
    assert_eq!(fs::read(sandbox.path("m.sig")).unwrap(), first);
    sandbox.succeeds(&["sign", "-k", "k", "m", "--force"]);
    assert_ne!(fs::read(sandbox.path("m.sig")).unwrap(), first);
}

#[test]
fn every_format_verifies_and_has_its_length() {
    for (algorithm, padded, ct) in [("falcon-512", 666, 809), ("falcon-1024", 1280, 1577)] {
        let sandbox = Sandbox::empty();
        fs::write(sandbox.path("m"), b"").unwrap();
        sandbox.succeeds(&["keygen", "-o", "k", "-a", algorithm]);
        for format in ["padded", "compressed", "ct", "pem"] {
            sandbox.succeeds(&["sign", "-k", "k", "m", "--format", format, "--force"]);
            sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
            let signature = fs::read(sandbox.path("m.sig")).unwrap();
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

    flip(&sandbox.path("m.sig"), 20);
    assert_eq!(sandbox.status(&verify), 1, "nonce changed");
    flip(&sandbox.path("m.sig"), 20);
    flip(&sandbox.path("m"), 0);
    assert_eq!(sandbox.status(&verify), 1, "message changed");
    flip(&sandbox.path("m"), 0);
    assert_eq!(sandbox.status(&verify), 0);

    flip(&sandbox.path("m.sig"), 665);
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
}

#[test]
fn standard_input_is_signed_to_standard_output() {
    let sandbox = Sandbox::new();
    let signed = sandbox.piped(&["sign", "-k", "k", "-"], b"piped");
    assert!(signed.status.success(), "{signed:?}");
    assert_eq!(signed.stdout.len(), 666);
    fs::write(sandbox.path("s"), &signed.stdout).unwrap();
    let verify = ["verify", "-p", "k.pub", "-s", "s", "-"];
    assert_eq!(sandbox.piped(&verify, b"piped").status.code(), Some(0));
    assert_eq!(sandbox.piped(&verify, b"piper").status.code(), Some(1));
    let signature = ["verify", "-p", "k.pub", "-s", "-", "m"];
    assert_eq!(
        sandbox.piped(&signature, &signed.stdout).status.code(),
        Some(1)
    );
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_only() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("right"), "correct horse\n").unwrap();
    fs::write(sandbox.path("wrong"), "battery staple\n").unwrap();
    let keygen = ["keygen", "-o", "e", "--seed-file", "seed"];
    sandbox.succeeds(&[&keygen[..], &["--passphrase-file", "right"]].concat());
    let pem = fs::read_to_string(sandbox.path("e")).unwrap();
    assert!(pem.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));

    let sign = ["sign", "-k", "e", "m", "--passphrase-file"];
    assert_eq!(sandbox.status(&[&sign[..], &["wrong"]].concat()), 2);
    assert!(!sandbox.path("m.sig").exists());
    sandbox.succeeds(&[&sign[..], &["right"]].concat());
    sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
}

#[test]
fn a_list_is_checked_to_its_end() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c", "d"] {
        fs::write(sandbox.path(name), name).unwrap();
    }
    sandbox.succeeds(&["sign", "-k", "k", "a", "b", "c"]);
    fs::rename(sandbox.path("c.sig"), sandbox.path("elsewhere")).unwrap();
    fs::write(sandbox.path("list"), "# files\na\nb\nc\telsewhere\n").unwrap();
    let check = ["verify", "-p", "k.pub", "--check", "list"];
    let good = sandbox.succeeds(&check);
    assert_eq!(text(&good.stdout), "a: OK\nb: OK\nc: OK\n");
    assert_eq!(text(&good.stderr), "");

    fs::write(sandbox.path("list"), "a\nd\nb\nc\telsewhere\n").unwrap();
    assert_eq!(sandbox.status(&check), 2, "d has no signature");
    fs::write(sandbox.path("b"), "changed").unwrap();
    let bad = sandbox.run(&check);
    assert_eq!(bad.status.code(), Some(1), "an invalid signature outweighs");
    let lines = "a: OK\nd: NOT CHECKED\nb: INVALID\nc: OK\n";
    assert_eq!(text(&bad.stdout), lines);
    let warnings = text(&bad.stderr);
    assert!(warnings.contains("1 of 4 signatures invalid"), "{warnings}");
    assert!(
        warnings.contains("1 of 4 files could not be checked"),
        "{warnings}"
    );
}

#[test]
fn many_files_come_out_in_their_order() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..40).map(|i| format!("file{i:02}")).collect();
    for (i, name) in names.iter().enumerate() {
        fs::write(sandbox.path(name), vec![i as u8; i * 5000]).unwrap();
    }
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let signed = sandbox.succeeds(&[&["sign", "-k", "k", "--json"], &files[..]].concat());
    let signed = json_lines(&signed);
    assert!(signed.iter().map(|line| &line["file"]).eq(&names));
    let verified = sandbox.succeeds(&[&["verify", "-p", "k.pub", "--json"], &files[..]].concat());
    let verified = json_lines(&verified);
    assert!(verified.iter().map(|line| &line["file"]).eq(&names));
    assert!(verified.iter().all(|line| line["status"] == "valid"));
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.status(&["sign", "-k", "k", "missing", "m"]), 2);
    sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    assert!(!sandbox.path("missing.sig").exists());
}

#[test]
fn a_signature_appears_only_when_the_key_has_loaded() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.status(&["sign", "-k", "k.pub", "m"]), 2);
    assert_eq!(sandbox.status(&["sign", "-k", "nothing", "m"]), 2);
    assert_eq!(sandbox.names(), ["k", "k.pub", "m", "seed"]);
}

#[test]
fn every_engine_signs_what_every_engine_verifies() {
    let sandbox = Sandbox::new();
    let engines = json_lines(&sandbox.succeeds(&["inspect", "--engines", "--json"]));
    assert!(engines.len() >= 2);
    assert_eq!(
        engines
            .iter()
            .filter(|engine| engine["chosen"] == true)
            .count(),
        1
    );
    for engine in &engines {
        let name = engine["engine"].as_str().unwrap();
        sandbox.succeeds(&["sign", "-k", "k", "m", "--force", "--engine", name]);
        sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    }
    assert_eq!(
        sandbox.status(&["sign", "-k", "k", "m", "--engine", "abacus"]),
        2
    );
}

#[test]
fn the_environment_names_the_engine_unless_the_command_line_does() {
    let sandbox = Sandbox::new();
    let chosen = |arguments: &[&str]| {
        let arguments = [&["inspect", "--engines", "--json"], arguments].concat();
        let mut command = sandbox.command(&arguments);
        let output = command.env("FALCON_ENGINE", "soft").output().unwrap();
        let lines = json_lines(&output);
        let chosen = lines.iter().find(|line| line["chosen"] == true).unwrap();
        chosen["engine"].as_str().unwrap().to_owned()
    };
    assert_eq!(chosen(&[]), "soft");
    assert_eq!(chosen(&["--engine", "scalar"]), "scalar");
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

#[test]
fn known_answers_are_generated_and_checked() {
    let sandbox = Sandbox::empty();
    for algorithm in ["falcon-512", "falcon-padded-512"] {
        let generate = [
            "kat", "generate", "-a", algorithm, "-n", "3", "-o", "f", "--force",
        ];
        sandbox.succeeds(&generate);
        let checked = sandbox.succeeds(&["kat", "check", "f", "--json"]);
        let answer = &json_lines(&checked)[0];
        assert_eq!(answer["algorithm"], algorithm);
        assert_eq!(answer["records"], 3);
        assert_eq!(answer["matches"], true);
    }
    // The last digit of the last signature, before the two line ends.
    let mut file = fs::read(sandbox.path("f")).unwrap();
    let digit = file.iter_mut().rev().nth(2).unwrap();
    *digit = if *digit == b'0' { b'1' } else { b'0' };
    fs::write(sandbox.path("f"), file).unwrap();
    let differs = sandbox.run(&["kat", "check", "f", "--json"]);
    assert_eq!(differs.status.code(), Some(1));
    let answer = &json_lines(&differs)[0];
    assert_eq!(answer["records"], 2);
    assert!(
        answer["finding"]
            .as_str()
            .unwrap()
            .contains("record 2: `sm`")
    );
}

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
fn the_demo_refuses_a_flipped_bit() {
    let sandbox = Sandbox::new();
    let output = sandbox
        .command(&["demo", "m", "--json"])
        .env("TMPDIR", sandbox.0.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let shown = &json_lines(&output)[0];
    assert_eq!(shown["valid"], true);
    assert_eq!(shown["flipped_bit_refused"], true);
    let (key, signature) = (&shown["public_key"], &shown["signature"]);
    let (key, signature) = (key.as_str().unwrap(), signature.as_str().unwrap());
    sandbox.succeeds(&["verify", "-p", key, "-s", signature, "m"]);
}

#[test]
fn bench_prints_one_object_a_line() {
    let sandbox = Sandbox::empty();
    let bench = ["bench", "--json", "--seconds", "0", "-a", "falcon-512"];
    let scalar = ["--engine", "scalar", "--threads", "2"];
    let lines = json_lines(&sandbox.succeeds(&[&bench[..], &scalar].concat()));
    for (operation, mode, threads) in [
        ("keygen", "seed", 1),
        ("sign", "key", 1),
        ("sign", "expanded", 1),
        ("sign", "batch", 1),
        ("sign", "batch", 2),
        ("verify", "decode", 1),
        ("verify", "prepared", 1),
        ("verify", "batch", 1),
        ("verify", "batch", 2),
    ] {
        let is_it = |line: &&serde_json::Value| {
            line["operation"] == operation && line["mode"] == mode && line["threads"] == threads
        };
        let line = lines
            .iter()
            .find(is_it)
            .unwrap_or_else(|| panic!("{operation} {mode} {threads}"));
        assert_eq!(line["parameters"], "Falcon-512");
        assert!(line["engine"].is_string());
        assert!(line["median_ns"].as_u64().unwrap() > 0);
        assert!(line["ops_per_s"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn shells_and_man_get_their_pages() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.succeeds(&["completions", shell]);
        assert!(text(&script.stdout).contains("keygen"), "{shell}");
    }
    let page = sandbox.succeeds(&["man"]);
    assert!(text(&page.stdout).starts_with(".ie"));
    sandbox.succeeds(&["man", "--dir", "pages"]);
    for page in ["kat-check", "pubkey"] {
        let page = format!("pages/falcon-cli-{page}.1");
        assert!(sandbox.path(&page).exists(), "{page}");
    }
}
