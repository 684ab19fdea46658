//! Key pairs and passphrases.

use crate::sandbox::{Sandbox, with};
use std::{fs, process::Stdio, thread, time::Duration};

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
    let read = |name| sandbox.read(name);
    assert_eq!(read("k"), read("same"));
    assert_eq!(read("k.pub"), read("same.pub"));
    assert_ne!(read("k"), read("other"));
}

#[test]
fn a_seed_of_text_is_refused() {
    let sandbox = Sandbox::empty();
    sandbox.write("seed", "0123456789abcdef0123456789abcdef");
    let message = sandbox.refuses(&["keygen", "k", "--seed-file", "seed"]);
    assert!(message.contains("text"), "{message}");
    assert_eq!(sandbox.names(), ["seed"]);
}

#[test]
fn keygen_writes_both_files_or_neither() {
    for taken in ["k", "k.pub"] {
        let sandbox = Sandbox::empty();
        sandbox.write(taken, "precious");
        assert_eq!(sandbox.status(&["keygen", "-o", "k"]), 2);
        assert_eq!(sandbox.names(), [taken]);
        assert_eq!(sandbox.read(taken), b"precious");
        sandbox.succeeds(&["keygen", "-o", "k", "--force"]);
        assert_eq!(sandbox.names(), ["k", "k.pub"]);
    }
}

#[test]
fn a_secret_key_is_to_be_moved_away() {
    let sandbox = Sandbox::new();
    let hint = sandbox.refuses(&["keygen", "k"]);
    assert!(hint.contains("move it away first"), "{hint}");
}

/// Two at once would each replace one file of the other's pair, and a public key
/// that is made again could be that of the key before.
#[cfg(unix)]
#[test]
fn only_one_pair_at_a_time_is_written_in_a_folder() {
    let sandbox = Sandbox::new();
    let keys = || ["k", "k.pub"].map(|name| sandbox.read(name));
    // Runs a command while another writes keys, who does so before it ends.
    let meanwhile = |arguments: &[&str], other: &dyn Fn()| {
        let before = keys();
        let folder = fs::File::open(sandbox.0.path()).unwrap();
        folder.lock().unwrap();
        let mut second = sandbox
            .command(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(500));
        assert!(second.try_wait().unwrap().is_none(), "{arguments:?}");
        assert_eq!(keys(), before, "{arguments:?}");
        other();
        folder.unlock().unwrap();
        second.wait().unwrap().success()
    };
    let before = keys();
    assert!(meanwhile(&["pubkey", "k", "--force"], &|| {}));
    assert_eq!(keys(), before);
    sandbox.succeeds(&["keygen", "new"]);
    assert!(!meanwhile(&["pubkey", "k", "--force"], &|| {
        for (from, to) in [("new", "k"), ("new.pub", "k.pub")] {
            fs::copy(sandbox.path(from), sandbox.path(to)).unwrap();
        }
    }));
    assert_eq!(keys(), ["new", "new.pub"].map(|name| sandbox.read(name)));
    let before = keys();
    assert!(meanwhile(&["keygen", "k", "--force"], &|| {}));
    assert_ne!(keys(), before);
    let pair = sandbox.succeeds(&["pubkey", "k", "-o", "-"]);
    assert_eq!(pair.stdout, sandbox.read("k.pub"));
}

#[test]
fn a_lost_public_key_is_made_again() {
    let sandbox = Sandbox::new();
    let public = sandbox.read("k.pub");
    fs::remove_file(sandbox.path("k.pub")).unwrap();
    let hint = sandbox.refuses(&["verify", "-p", "k.pub", "m"]);
    assert!(hint.contains("falcon-cli pubkey k"), "{hint}");
    sandbox.succeeds(&["pubkey", "k"]);
    assert_eq!(sandbox.read("k.pub"), public);
    assert_eq!(sandbox.succeeds(&["pubkey", "k", "-o", "-"]).stdout, public);
    sandbox.refuses(&["pubkey", "k"]);
    sandbox.refuses(&["pubkey", "k", "-o", "k", "--force"]);
}

#[test]
fn nobody_is_told_to_make_a_key_where_one_is_to_be_had() {
    let sandbox = Sandbox::new();
    let hint = sandbox.refuses(&["verify", "-p", "alice.pub", "m"]);
    assert!(hint.contains("ask the signer"), "{hint}");
    assert!(!hint.contains("keygen"), "{hint}");
    let hint = sandbox.refuses(&["sign", "-k", "k/k", "m"]);
    assert!(!hint.contains("keygen"), "{hint}");
}

#[test]
fn an_encrypted_key_opens_with_its_passphrase_only() {
    let sandbox = Sandbox::new();
    sandbox.write("right", "correct horse\n");
    sandbox.write("wrong", "battery staple\n");
    let keygen = ["keygen", "-o", "e", "--seed-file", "seed"];
    sandbox.succeeds(&with(&keygen, ["--passphrase-file", "right"]));
    let pem = fs::read_to_string(sandbox.path("e")).unwrap();
    assert!(pem.starts_with("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));

    let sign = ["sign", "-k", "e", "m", "--passphrase-file"];
    assert_eq!(sandbox.status(&with(&sign, ["wrong"])), 2);
    assert!(!sandbox.path("m.sig").exists());
    sandbox.succeeds(&with(&sign, ["right"]));
    sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
}

#[test]
fn a_passphrase_may_come_through_a_pipe() {
    let sandbox = Sandbox::new();
    let keygen = ["keygen", "e", "--passphrase-file", "-"];
    assert!(sandbox.piped(&keygen, b"secret\n").status.success());
    let sign = ["sign", "-k", "e", "m", "--passphrase-file", "-"];
    assert_eq!(sandbox.piped(&sign, b"guess\n").status.code(), Some(2));
    assert!(sandbox.piped(&sign, b"secret\n").status.success());
    sandbox.write("p", "secret\n");
    let message = sandbox.refuses(&["sign", "-k", "k", "m", "--force", "--passphrase-file", "p"]);
    assert!(message.contains("not encrypted"), "{message}");
}

#[test]
fn pem_survives_mail_and_editors() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let pem = String::from_utf8(sandbox.read("k.pub")).unwrap();
    for changed in [
        format!("\u{feff}{pem}"),
        format!("Dear Bob,\n\n{pem}\n\nAlice\n"),
        pem.replace('\n', "\r\n"),
        pem.replace('\n', "\n\n"),
        pem.replace('\n', " \n"),
        pem.trim_end().to_owned(),
    ] {
        sandbox.write("changed.pub", &changed);
        sandbox.succeeds(&["verify", "-p", "changed.pub", "m"]);
    }
    sandbox.write("changed.pub", pem.replacen('A', "*", 1));
    sandbox.refuses(&["verify", "-p", "changed.pub", "m"]);
}
