//! Mistakes of first-time users: no key is lost, and each message says what to do.

use crate::sandbox::{Sandbox, json_lines, text, with};
use falcon_core::pkcs8::der::pem;
use std::fs;

#[test]
fn a_secret_key_gets_no_name_of_a_public_key() {
    let sandbox = Sandbox::empty();
    for (name, proposed) in [
        ("bob.pub", "bob.key"),
        ("bob.key.pub", "bob.key"),
        ("b b.pub", "'b b.key'"),
    ] {
        let told = format!(
            "error: {name}: this name is for the public key\n \
             hint: name the secret key: falcon-cli keygen {proposed}\n"
        );
        for arguments in [&["keygen", name][..], &["keygen", "--force", "-o", name]] {
            assert_eq!(sandbox.refuses(arguments), told);
        }
    }
    assert!(sandbox.names().is_empty());
}

#[cfg(not(feature = "tables"))]
#[test]
fn a_program_without_tables_tells_how_to_build_one_with_them() {
    let sandbox = Sandbox::empty();
    for command in ["verify-table", "sign-table", "make-table"] {
        let told = sandbox.refuses(&[command, "t.parquet", "-o", "v"]);
        let hint = "cargo install --locked --path crates/falcon-cli --features tables";
        assert!(told.contains(hint), "{told}");
        assert!(!told.contains("a similar subcommand"), "{told}");
    }
    let told = sandbox.refuses(&["verify-tabel"]);
    assert!(!told.contains("cargo install"), "{told}");
}

#[test]
fn force_replaces_a_secret_key_only_by_another_one() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    sandbox.succeeds(&["keygen", "other"]);
    let pem = String::from_utf8(sandbox.read("k")).unwrap();
    sandbox.write("below text", format!("Ann's key:\r\n\r\n{pem}"));
    sandbox.write("two", format!("{pem}{pem}"));
    sandbox.write("damaged", &pem[..200]);
    let ssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n";
    sandbox.write("ssh", ssh);
    let raw = falcon_core::SigningKey::<falcon_core::Falcon512>::from_seed(&[7; 32])
        .expect("no fault")
        .to_bytes();
    sandbox.write("raw", &raw[..]);
    let mut keys = ["k", "e", "below text", "two", "damaged", "ssh", "raw"]
        .map(str::to_owned)
        .to_vec();
    // Secret keys in binary encodings, with one byte too many or too few.
    for key in ["k", "e", "raw"] {
        let bytes = match key {
            "raw" => raw.to_vec(),
            key => pem::decode_vec(&sandbox.read(key)).unwrap().1,
        };
        let end = bytes.len() - 1;
        let changed = [[&bytes[..], b"\n"].concat(), bytes[..end].to_vec()];
        for (what, bytes) in ["longer", "cut"].into_iter().zip(changed) {
            keys.push(format!("{key} {what}"));
            sandbox.write(&format!("{key} {what}"), bytes);
        }
    }
    fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.write("d/f", "x");
    for key in &keys {
        let key = key.as_str();
        let before = sandbox.read(key);
        for arguments in [
            &["sign", "-k", "other", "m", "-o", key, "--force"][..],
            &["pubkey", "other", "-o", key, "--force"],
            &["manifest", "sign", "-k", "other", "d", "-o", key, "--force"],
            &[
                "kat",
                "generate",
                "-a",
                "falcon-512",
                "-n",
                "1",
                "-o",
                key,
                "--force",
            ],
        ] {
            let message = sandbox.refuses(arguments);
            let told = format!("{key}: holds a secret key and was not overwritten\n hint: name an");
            assert!(message.contains(&told), "{arguments:?}: {message}");
            assert_eq!(sandbox.read(key), before);
        }
    }
    // Writes a secret key to a file with the name of a public key.
    sandbox.write("new.pub", sandbox.read("k"));
    let message = sandbox.refuses(&["keygen", "new", "--force"]);
    assert!(message.contains("new.pub: holds a secret key"), "{message}");
    assert!(!sandbox.path("new").exists());
    // Other files can be replaced, and a key can be replaced by a key.
    let part_of_a_certificate = [
        0x30, 14, 2, 1, 0, 0x30, 7, 6, 5, 0x2b, 0xce, 15, 3, 11, 0x30, 0,
    ];
    sandbox.write("part", part_of_a_certificate);
    sandbox.write("text", "Y".repeat(1281));
    for other in ["part", "text"] {
        sandbox.succeeds(&["sign", "-k", "other", "m", "-o", other, "--force"]);
    }
    let constant_time = [
        "sign", "-k", "other", "m", "--format", "ct", "-o", "ct", "--force",
    ];
    sandbox.succeeds(&constant_time);
    sandbox.succeeds(&constant_time);
    for damaged in ["k longer", "e cut", "raw longer"] {
        sandbox.succeeds(&["keygen", damaged, "--force"]);
    }
    sandbox.succeeds(&["sign", "-k", "other", "m", "-o", "k.pub", "--force"]);
    sandbox.succeeds(&["keygen", "e", "--force"]);
}

#[test]
fn force_replaces_no_secret_key_whose_pem_is_damaged() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    let [pem, encrypted] = ["k", "e"].map(|key| String::from_utf8(sandbox.read(key)).unwrap());
    let hexadecimal = |pem: &str| {
        let digits = base16ct::lower::encode_string(&pem::decode_vec(pem.as_bytes()).unwrap().1);
        let lines = digits.as_bytes().chunks(60);
        lines
            .flat_map(|line| [line, b"\n"])
            .collect::<Vec<_>>()
            .concat()
    };
    let utf16 = format!("\u{feff}{pem}");
    for (row, damaged) in [
        pem.replacen("-----BEGIN", "----BEGIN", 1).into_bytes(),
        pem.replace("-----BEGIN", "> -----BEGIN").into_bytes(),
        pem.lines()
            .flat_map(|line| ["> ", line, "\n"])
            .collect::<String>()
            .into_bytes(),
        pem.replacen("-----BEGIN PRIVATE KEY-----", "", 1)
            .into_bytes(),
        pem.replace("PRIVATE KEY", "PRIVATE  KEY").into_bytes(),
        pem.replace("BEGIN PRIVATE", "Begin Private").into_bytes(),
        pem.replace("PRIVATE", "PUBLIC").into_bytes(),
        encrypted
            .replace("ENCRYPTED PRIVATE", "PUBLIC")
            .into_bytes(),
        pem.lines()
            .filter(|line| !line.contains('-'))
            .collect::<String>()
            .into_bytes(),
        utf16.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        utf16.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        hexadecimal(&pem),
        hexadecimal(&encrypted),
    ]
    .into_iter()
    .enumerate()
    {
        sandbox.write("d", &damaged);
        let message = sandbox.refuses(&["sign", "-k", "k", "m", "-o", "d", "--force"]);
        let told = "d: holds a secret key and was not overwritten";
        assert!(message.contains(told), "{row}: {message}");
        assert_eq!(sandbox.read("d"), damaged, "{row}");
    }
    let public = String::from_utf8(sandbox.read("k.pub")).unwrap();
    for format in ["pem", "envelope"] {
        sandbox.succeeds(&["sign", "-k", "k", "m", "-o", format, "--format", format]);
    }
    for other in [
        &hexadecimal(&public)[..],
        public.as_bytes(),
        public.replace("-----BEGIN", "> ----BEGIN").as_bytes(),
        &sandbox.read("pem"),
        &sandbox.read("envelope"),
        b"The private key is lost -- make another.\n---\nSecret key: none\n",
    ] {
        sandbox.write("d", other);
        sandbox.succeeds(&["sign", "-k", "k", "m", "-o", "d", "--force"]);
    }
}

#[test]
fn keygen_replaces_keys_only() {
    let sandbox = Sandbox::new();
    sandbox.write("thesis.txt", "All that I know.");
    sandbox.write("page.pub", "A page.");
    for (name, file) in [("thesis.txt", "thesis.txt"), ("page", "page.pub")] {
        let before = sandbox.read(file);
        let message = sandbox.refuses(&["keygen", name, "--force"]);
        let told = format!("error: {file}: is not a key and was not overwritten\n hint: remove it");
        assert!(message.starts_with(&told), "{message}");
        assert_eq!(sandbox.read(file), before);
    }
    sandbox.write("damaged", &sandbox.read("k")[..100]);
    for key in ["k", "damaged"] {
        sandbox.succeeds(&["keygen", key, "--force"]);
    }
}

/// Writes the report to a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_report_says_that_the_work_is_done() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    sandbox.write("n", "another message");
    fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.write("d/f", "x");
    let run = |arguments: &[&str]| {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = sandbox.command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        text(&output.stderr).to_owned()
    };
    for (arguments, written) in [
        (
            &["keygen", "full.key"][..],
            "full.key and full.key.pub were",
        ),
        (&["pubkey", "k", "-o", "again.pub"], "again.pub was"),
        (
            &["passwd", "e", "--passphrase-file", "p", "--remove"],
            "e was",
        ),
        (&["sign", "-k", "k", "m"], "m.sig was"),
        (
            &["sign", "-k", "k", "m", "n", "--force"],
            "2 signatures were",
        ),
        (&["manifest", "sign", "-k", "k", "d"], "d.manifest was"),
        (&["trust", "add", "team", "Ann", "k.pub"], "team was"),
        (
            &["trust", "revoke", "team", "Ann", "--reason", "lost"],
            "team was",
        ),
    ] {
        let message = run(arguments);
        let told = format!("\n hint: only the report is missing: {written} written\n");
        assert!(
            message.contains("cannot write to standard output"),
            "{message}"
        );
        assert!(message.ends_with(&told), "{arguments:?}: {message}");
    }
    sandbox.succeeds(&["verify", "-p", "k.pub", "m", "n"]);
    // The folder of the demonstration must be gone: it has a secret key, and nobody would find it.
    let names = sandbox.names();
    assert!(!run(&["demo", "m"]).contains("hint"));
    assert_eq!(sandbox.names(), names);
}

#[test]
fn a_name_that_the_trust_list_has_gets_another_one() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "new"]);
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    let add = ["trust", "add", "team", "Ann", "new.pub"];
    let message = sandbox.refuses(&add);
    assert!(
        message.contains("the list has a key of this name\n"),
        "{message}"
    );
    assert!(
        message.contains(" hint: names are unique: for example 'Ann 2"),
        "{message}"
    );
    assert!(!message.contains("revoked"), "{message}");
    sandbox.succeeds(&["trust", "revoke", "team", "Ann", "--reason", "lost"]);
    let message = sandbox.refuses(&add);
    assert!(
        message.ends_with("'; the revoked entry stays\n"),
        "{message}"
    );
    let (_, rest) = message.split_once("for example '").unwrap();
    let (name, _) = rest.split_once('\'').unwrap();
    sandbox.succeeds(&["trust", "add", "team", name, "new.pub"]);
}

#[test]
fn the_file_to_sign_is_looked_at_before_the_folder_of_its_signature() {
    let sandbox = Sandbox::new();
    let told = "error: no/such.txt: does not exist\n";
    assert_eq!(sandbox.refuses(&["sign", "-k", "k", "no/such.txt"]), told);
    let message = sandbox.refuses(&["sign", "-k", "k", "m", "no/such.txt"]);
    assert!(message.starts_with(told), "{message}");
    assert!(sandbox.path("m.sig").exists());
    // If the file to sign exists, the folder of the output is checked.
    let message = sandbox.refuses(&["sign", "-k", "k", "m", "-o", "no/s"]);
    assert!(
        message.starts_with("error: no: is not a folder"),
        "{message}"
    );
}

#[test]
fn inspect_lists_the_keys_of_a_trust_list() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "l", "-a", "falcon-1024", "--seed-file", "seed"]);
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    let (from, until) = ("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z");
    let add = [
        "trust",
        "add",
        "team",
        "Bob B.",
        "l.pub",
        "--valid-from",
        from,
    ];
    sandbox.succeeds(&with(&add, ["--valid-until", until]));
    let at = "2025-06-01T12:00:00Z";
    sandbox.succeeds(&[
        "trust",
        "revoke",
        "team",
        "Bob B.",
        "--at",
        at,
        "--reason",
        "it was lost",
    ]);
    let fingerprints = ["k.pub", "l.pub"].map(|key| {
        let line = json_lines(&sandbox.succeeds(&["fingerprint", key, "--json"])).remove(0);
        line["fingerprint"].as_str().unwrap().to_owned()
    });
    let told = sandbox.succeeds(&["inspect", "team"]);
    let lines = format!(
        "team: trust list, not signed (text)\n  keys 2\n  \
         Ann: key {}..., valid without limit\n  \
         Bob B.: key {}..., valid from {from} until {until}, revoked {at}: it was lost\n",
        &fingerprints[0][..16],
        &fingerprints[1][..16]
    );
    assert_eq!(text(&told.stdout), lines);
    let told = json_lines(&sandbox.succeeds(&["inspect", "team", "--json"])).remove(0);
    let keys = told["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0]["name"], "Ann");
    assert_eq!(keys[0]["fingerprint"], fingerprints[0]);
    assert_eq!(keys[0].get("revoked"), None);
    assert_eq!(keys[1]["valid_from"], from);
    assert_eq!(keys[1]["valid_until"], until);
    assert_eq!(keys[1]["revoked"], at);
    assert_eq!(keys[1]["reason"], "it was lost");
}

#[test]
fn an_unknown_name_is_answered_with_the_known_ones() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    let revoke = ["trust", "revoke", "team", "Anne", "--reason", "lost"];
    let message = sandbox.refuses(&revoke);
    assert!(
        message.contains("team: has no key of the name Anne\n"),
        "{message}"
    );
    assert!(message.ends_with(" hint: the list has: Ann\n"), "{message}");
    for index in 1..=11 {
        sandbox.write("seed", [200 + index; 32]);
        let name = format!("k{index}");
        sandbox.succeeds(&["keygen", &name, "--seed-file", "seed"]);
        sandbox.succeeds(&["trust", "add", "team", &name, &format!("{name}.pub")]);
    }
    let message = sandbox.refuses(&revoke);
    let known = "the list has: Ann, k1, k2, k3, k4, k5, k6, k7, k8, k9, and 2 more\n";
    assert!(message.ends_with(known), "{message}");
}

#[test]
fn a_signature_whose_file_is_missing_names_the_file() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let message = sandbox.refuses(&["verify", "-p", "k.pub", "m.sig"]);
    assert!(
        message.contains("the file is itself a signature"),
        "{message}"
    );
    fs::remove_file(sandbox.path("m")).unwrap();
    let message = sandbox.refuses(&["verify", "-p", "k.pub", "m.sig"]);
    let told = "error: m.sig: is a signature, and m, which it signs, is missing\n";
    assert!(message.starts_with(told), "{message}");
}

#[test]
fn one_thing_has_one_name() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.write("d/f", "x");
    for option in ["-k", "--key", "--secret-key", "--private-key", "--sk"] {
        sandbox.succeeds(&["sign", option, "k", "m", "--force"]);
        sandbox.succeeds(&["manifest", "sign", option, "k", "d", "--force"]);
    }
    for option in ["-p", "-k", "--key", "--pub"] {
        sandbox.succeeds(&["manifest", "verify", option, "k.pub", "d"]);
        sandbox.succeeds(&["check", option, "k.pub", "m"]);
    }
    for arguments in [&["pubkey", "-k", "k"][..], &["pubkey", "--key", "k"]] {
        let public = sandbox.succeeds(&with(arguments, ["-o", "-"])).stdout;
        assert_eq!(public, sandbox.read("k.pub"));
    }
    for (command, algorithm) in [("generate", "falcon512"), ("genkey", "Falcon1024")] {
        let made = sandbox.succeeds(&[command, "-a", algorithm, command, "--json"]);
        let made = json_lines(&made)[0]["algorithm"]
            .to_string()
            .replace('-', "");
        assert_eq!(made.trim_matches('"'), algorithm.to_lowercase());
    }
}

#[test]
fn passwd_names_the_option_of_the_new_passphrase() {
    let sandbox = Sandbox::new();
    sandbox.write("p", "secret\n");
    let message = sandbox.refuses(&["passwd", "k", "--add", "--passphrase-file", "p"]);
    assert!(message.contains(" hint: "), "{message}");
    assert!(message.contains("--new-passphrase-file"), "{message}");
    sandbox.succeeds(&["passwd", "k", "--add", "--new-passphrase-file", "p"]);
}

#[test]
fn a_folder_is_signed_by_another_command() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("docs")).unwrap();
    sandbox.write("docs/f", "x");
    let hint = "or sign the whole folder: falcon-cli manifest sign docs -k k\n";
    for arguments in [
        &["sign", "-k", "k", "docs"][..],
        &["sign", "-k", "k", "m", "docs"],
    ] {
        let message = sandbox.refuses(arguments);
        assert!(
            message.starts_with("error: docs: is a folder\n"),
            "{message}"
        );
        assert!(message.contains(hint), "{message}");
    }
    sandbox.succeeds(&["manifest", "sign", "docs", "-k", "k"]);
    sandbox.succeeds(&["keygen"]);
    let message = sandbox.refuses(&["sign", "docs"]);
    assert!(
        message.ends_with("falcon-cli manifest sign docs\n"),
        "{message}"
    );
}

#[test]
fn the_key_is_looked_at_before_the_outputs() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let message = sandbox.refuses(&["sign", "-k", "gone", "m"]);
    assert!(
        message.starts_with("error: gone: does not exist\n"),
        "{message}"
    );
    let message = sandbox.refuses(&["sign", "-k", "k.pub", "m"]);
    assert!(
        message.starts_with("error: k.pub: is a public key, not a secret key\n"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_read_only_gets_a_hint() {
    use std::os::unix::{
        fs::{MetadataExt, PermissionsExt, chown},
        process::CommandExt,
    };
    let sandbox = Sandbox::new();
    let nobody = 65534;
    let superuser = fs::metadata(sandbox.0.path()).is_ok_and(|folder| folder.uid() == 0);
    let set_mode = |name: &str, mode| {
        fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir(sandbox.path("d")).unwrap();
    for name in ["a", "b", "a.sig"] {
        sandbox.write(&format!("d/{name}"), "");
    }
    if superuser {
        chown(sandbox.path("k"), Some(nobody), Some(nobody)).unwrap();
        set_mode(".", 0o755);
    }
    set_mode("d", 0o555);
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        if superuser {
            command.uid(nobody).gid(nobody);
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        text(&output.stderr).to_owned()
    };
    let sign = ["sign", "-k", "k", "--force", "d/a"];
    let one = run(&sign);
    let two = run(&with(&sign, ["d/b"]));
    let list = run(&["trust", "add", "d/team", "Ann", "k.pub"]);
    set_mode("d", 0o755);
    let told = "error: d/a.sig: cannot create: Permission denied\n";
    assert_eq!(
        one,
        format!("{told} hint: -o names another place for the signature\n")
    );
    assert!(
        two.starts_with(&format!("{told} hint: a --list names another place")),
        "{two}"
    );
    assert!(
        list.ends_with("name an output file in a folder that you may write to\n"),
        "{list}"
    );
}

#[cfg(unix)]
#[test]
fn a_proposed_name_is_no_option() {
    let sandbox = Sandbox::empty();
    let made = sandbox.succeeds(&["keygen", "--", "-x y.key"]);
    let (_, command) = text(&made.stderr)
        .split_once("to encrypt it: falcon-cli ")
        .unwrap();
    assert_eq!(command, "passwd --add './-x y.key'\n");
    sandbox.write("p", "secret\n");
    let passwd = [
        "passwd",
        "--add",
        "./-x y.key",
        "--new-passphrase-file",
        "p",
    ];
    sandbox.succeeds(&passwd);
}

#[test]
fn changed_line_ends_are_explained() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.write("d/f", "x");
    sandbox.succeeds(&["sign", "-k", "k", "m", "--format", "envelope"]);
    sandbox.succeeds(&["trust", "add", "team", "Ann", "k.pub"]);
    sandbox.succeeds(&["manifest", "sign", "-k", "k", "d"]);
    for name in ["m.sig", "team", "d.manifest"] {
        let content = String::from_utf8(sandbox.read(name)).unwrap();
        sandbox.write(name, content.replace('\n', "\r\n"));
    }
    for (name, arguments) in [
        ("m.sig", &["verify", "-p", "k.pub", "m"][..]),
        ("m.sig", &["inspect", "m.sig"]),
        ("team", &["verify", "--trust", "team", "m"]),
        ("d.manifest", &["manifest", "verify", "-p", "k.pub", "d"]),
    ] {
        let message = sandbox.refuses(arguments);
        let hint = format!(
            " hint: mail programs and git change line ends; to change them back: \
             tr -d '\\r' < {name} > NEW\n"
        );
        assert!(message.ends_with(&hint), "{message}");
        // If something else is wrong, the advice is left out.
        let content = String::from_utf8(sandbox.read(name)).unwrap();
        sandbox.write(name, content.replace("\r\n", "\n").replacen("v1", "v2", 1));
        let message = sandbox.refuses(arguments);
        assert!(
            message.contains("line 1") && !message.contains("tr -d"),
            "{message}"
        );
        sandbox.write(name, content);
    }
}

/// A shell replaces `*` with file names, and a file name may begin with dashes.
#[test]
fn an_argument_cannot_overwrite_the_message_about_it() {
    let sandbox = Sandbox::new();
    let name = "--z\r\u{1b}[2K\u{1b}[32mm: VALID\u{1b}[0m";
    for arguments in [
        &["verify", name][..],
        &["verify", "m", "--engine", &name[2..]],
        &["verify", "m", "--engine", &name[2..], "--json"],
        &[&name[2..]],
    ] {
        let output = sandbox.run(arguments);
        let told = [text(&output.stdout), text(&output.stderr)].concat();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("VALID"), "{told}");
        assert!(!told.contains(['\r', '\u{1b}']), "{told:?}");
    }
}
