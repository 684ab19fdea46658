//! Key pairs and passphrases.

use crate::sandbox::{Sandbox, json_lines, text, with};
use falcon_core::{
    Falcon512, Falcon1024, Parameters, SigningKey,
    pkcs8::{LineEnding, der::pem},
};
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

/// Checks keys from wallets' seeds. `tests/interop` compares them with those of other libraries.
#[test]
fn a_wallet_s_seed_gives_the_key_of_the_reference() {
    let sandbox = Sandbox::empty();
    let seed: [u8; 48] = std::array::from_fn(|i| 0xf0 ^ i as u8);
    let small = SigningKey::<Falcon512>::from_reference_seed(&seed).expect("no fault");
    let large = SigningKey::<Falcon1024>::from_reference_seed(&seed).expect("no fault");
    sandbox.write("seed", seed);
    sandbox.write("digits", base16ct::lower::encode_string(&seed) + "\n");
    for (algorithm, expected) in [
        ("falcon-512", small.verifying_key().fingerprint()),
        ("falcon-1024", large.verifying_key().fingerprint()),
    ] {
        for file in ["seed", "digits"] {
            let keygen = ["keygen", "k", "-a", algorithm, "--force", "--json"];
            let made = sandbox.succeeds(&with(&keygen, ["--reference-seed-file", file]));
            let expected = base16ct::lower::encode_string(&expected);
            assert_eq!(json_lines(&made)[0]["fingerprint"], expected);
        }
    }
}

#[test]
fn a_seed_of_another_length_is_refused() {
    let sandbox = Sandbox::empty();
    sandbox.write("32", [0xf0; 32]);
    sandbox.write("48", [0xf0; 48]);
    sandbox.write("40", [0xf0; 40]);
    sandbox.write("text", "0123456789abcdef".repeat(3));
    for (option, file, told) in [
        (
            "--seed-file",
            "48",
            "48: is not a seed: neither 32 bytes nor 64 hexadecimal digits\n \
             hint: name it with --reference-seed-file",
        ),
        (
            "--reference-seed-file",
            "32",
            "32: is not a seed: neither 48 bytes nor 96 hexadecimal digits\n \
             hint: name it with --seed-file",
        ),
        (
            "--reference-seed-file",
            "40",
            "40: is not a seed: neither 48 bytes nor 96 hexadecimal digits\n \
             hint: make one with: (umask 077; head -c 48 /dev/urandom > FILE)",
        ),
        (
            "--reference-seed-file",
            "text",
            "text: is 48 characters of text: too easy to guess for a seed\n hint: a seed is 48 \
             random bytes or 96 hexadecimal digits; 48 digits are 24 bytes",
        ),
    ] {
        let message = sandbox.refuses(&["keygen", "k", option, file]);
        assert_eq!(message, format!("error: {told}\n"));
    }
    let both = ["--seed-file", "32", "--reference-seed-file", "48"];
    let message = sandbox.refuses(&with(&["keygen", "k"], both));
    assert!(message.contains("cannot be used with"), "{message}");
    assert_eq!(sandbox.names(), ["32", "40", "48", "text"]);
}

/// A key without its header byte is identified only by its length, so the program refuses it.
#[cfg(unix)]
#[test]
fn a_public_key_without_header_is_explained() {
    fn check<P: Parameters>(printf: &str) {
        let sandbox = Sandbox::empty();
        let key = SigningKey::<P>::from_seed(&[7; 32]).expect("no fault");
        let bytes = key.verifying_key().to_headerless_bytes();
        let bytes = bytes.as_ref();
        sandbox.write("k", (*key.to_bytes()).as_ref());
        sandbox.write("m", "message");
        sandbox.succeeds(&["sign", "-k", "k", "m"]);
        // Such a key can begin with the first byte of DER, of an encoded key or of a signature.
        for first in [bytes[0], 0x30, 0x39, 0x3a, 0x59, 0x5a, 0xba] {
            let mut other = bytes.to_vec();
            other[0] = first;
            sandbox.write("other", &other);
            for arguments in [&["inspect", "other"][..], &["verify", "-p", "other", "m"]] {
                let message = sandbox.refuses(arguments);
                let expected = format!(
                    "error: other: {} bytes, as a {} public key without its header byte. To add \
                     the byte: (printf '{printf}'; cat FILE) > FILE.pub\n",
                    bytes.len(),
                    P::NAME
                );
                assert_eq!(message, expected, "{first:x}");
            }
        }
        // The advised command works.
        sandbox.write("bare", bytes);
        let command = format!("(printf '{printf}'; cat bare) > bare.pub");
        let mut shell = std::process::Command::new("sh");
        let made = shell
            .args(["-c", &command])
            .current_dir(&sandbox.0)
            .status();
        assert!(made.unwrap().success());
        sandbox.succeeds(&["verify", "-p", "bare.pub", "m"]);

        let mut large = bytes.to_vec();
        large[..2].fill(0xff);
        sandbox.write("large", &large);
        let message = sandbox.refuses(&["inspect", "large"]);
        assert!(
            message.contains("neither a key nor a signature"),
            "{message}"
        );
    }
    check::<Falcon512>(r"\011");
    check::<Falcon1024>(r"\012");
}

#[test]
fn keygen_writes_both_files_or_neither() {
    for taken in ["k", "k.pub"] {
        let sandbox = Sandbox::empty();
        sandbox.write(taken, "precious");
        assert_eq!(sandbox.status(&["keygen", "-o", "k"]), 2);
        assert_eq!(sandbox.names(), [taken]);
        assert_eq!(sandbox.read(taken), b"precious");
        fs::remove_file(sandbox.path(taken)).unwrap();
        sandbox.succeeds(&["keygen", "-o", "k"]);
        fs::remove_file(sandbox.path(taken)).unwrap();
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

/// Without the public key, old signatures could not be verified any more.
#[test]
fn nobody_is_told_to_overwrite_a_public_key_whose_secret_key_is_missing() {
    let sandbox = Sandbox::new();
    fs::remove_file(sandbox.path("k")).unwrap();
    let public = sandbox.read("k.pub");
    let hint = sandbox.refuses(&["keygen", "k"]);
    assert!(hint.contains("k.pub: exists already"), "{hint}");
    assert!(hint.contains("its secret key k is missing"), "{hint}");
    assert!(hint.contains("--force would destroy the key"), "{hint}");
    assert!(hint.contains("falcon-cli keygen NEW.key"), "{hint}");
    assert_eq!(sandbox.read("k.pub"), public);
    sandbox.succeeds(&["keygen", "NEW.key"]);
    // If the secret key exists, replacing the public key loses nothing.
    fs::remove_file(sandbox.path("NEW.key.pub")).unwrap();
    let hint = sandbox.refuses(&["keygen", "NEW.key"]);
    assert!(!hint.contains("is missing"), "{hint}");
}

/// If two commands ran at once, each could replace one file of the other's pair, and `pubkey` could
/// write a public key that belongs to the previous secret key.
#[cfg(unix)]
#[test]
fn only_one_pair_at_a_time_is_written_in_a_folder() {
    let sandbox = Sandbox::new();
    let keys = || ["k", "k.pub"].map(|name| sandbox.read(name));
    // Runs a command. While it waits, another command writes keys.
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
    fs::remove_file(sandbox.path("k")).unwrap();
    let lost = sandbox.refuses(&["pubkey", "k"]);
    assert!(!lost.contains("k.pub: exists already"), "{lost}");
}

/// `keygen` refuses the name of a lost key if its public key exists.
#[test]
fn the_hint_for_a_lost_secret_key_can_be_typed() {
    let sandbox = Sandbox::new();
    fs::remove_file(sandbox.path("k")).unwrap();
    let commands: [&[&str]; 4] = [
        &["sign", "-k", "k", "m"],
        &["pubkey", "k"],
        &["passwd", "k"],
        &["convert", "k", "--to", "oqs", "-o", "x"],
    ];
    for command in commands {
        let told = sandbox.refuses(command);
        let hint = "hint: k.pub is there, but no secret key can be made from a public key; \
                    restore the secret key from a copy, or make another key pair: falcon-cli \
                    keygen NEW.key\n";
        assert!(told.ends_with(hint), "{command:?}: {told}");
    }
    sandbox.succeeds(&["keygen", "NEW.key"]);
    // Without the public key, the name can be used again.
    fs::remove_file(sandbox.path("k.pub")).unwrap();
    for command in commands {
        let told = sandbox.refuses(command);
        assert!(
            told.contains("falcon-cli keygen k\n"),
            "{command:?}: {told}"
        );
    }
    sandbox.succeeds(&["keygen", "k"]);
}

/// Bouncy Castle 1.87 wrote `bouncy-castle-512.pem`.
#[test]
fn keys_are_converted_for_bouncy_castle_and_back() {
    let sandbox = Sandbox::new();
    let theirs = include_bytes!("../../../../kat/pkcs8/bouncy-castle-512.pem");
    sandbox.write("theirs", theirs);
    let convert = |from, form, to| sandbox.succeeds(&["convert", from, "--to", form, "-o", to]);
    let told = convert("theirs", "oqs", "ours");
    assert_eq!(text(&told.stdout), "Falcon-512 secret key: ours\n");
    assert!(text(&told.stderr).contains("not encrypted"), "{told:?}");
    assert!(
        sandbox
            .read("ours")
            .starts_with(b"-----BEGIN PRIVATE KEY-----\nMIIIlgIBADAH")
    );
    let told = convert("ours", "bouncy-castle", "again");
    assert_eq!(
        text(&told.stdout),
        "Falcon-512 secret key for Bouncy Castle: again\n"
    );
    assert_eq!(sandbox.read("again"), theirs);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(sandbox.path("again"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // Both forms can be used to sign.
    sandbox.succeeds(&["pubkey", "ours", "-o", "p.pub"]);
    sandbox.succeeds(&["sign", "-k", "again", "m"]);
    sandbox.succeeds(&["verify", "-p", "p.pub", "m"]);
    // A key with a passphrase can be converted, too.
    sandbox.encrypted_key();
    let encrypted = ["convert", "e", "--to", "bouncy-castle", "-o", "plain"];
    sandbox.succeeds(&with(&encrypted, ["--passphrase-file", "p"]));
    convert("plain", "oqs", "k2");
    assert_eq!(sandbox.read("k2"), sandbox.read("k"));

    let json = sandbox.succeeds(&[
        "convert",
        "k",
        "--to",
        "bouncy-castle",
        "-o",
        "mine",
        "--force",
        "--json",
    ]);
    assert_eq!(json_lines(&json)[0]["form"], "bouncy-castle");
    assert_eq!(json_lines(&json)[0]["encrypted"], false);
    for arguments in [
        &["convert", "k", "--to", "oqs", "-o", "again"][..],
        &["convert", "k", "--to", "oqs", "-o", "k", "--force"],
        &["convert", "k", "--to", "oqs", "-o", "-"],
        &["convert", "k.pub", "--to", "oqs", "-o", "x"],
        &["convert", "k", "-o", "x"],
    ] {
        sandbox.refuses(arguments);
    }
}

/// A copy may replace an older copy of the same key, but no other file.
#[test]
fn a_copy_of_a_key_replaces_no_other_file() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "other"]);
    sandbox.write("message", b"one");
    let convert = |form, to| ["convert", "k", "--to", form, "--force", "-o", to];
    sandbox.succeeds(&convert("oqs", "copy"));
    sandbox.succeeds(&convert("bouncy-castle", "copy"));
    for to in ["other", "other.pub", "k.pub", "message"] {
        let before = sandbox.read(to);
        sandbox.refuses(&convert("oqs", to));
        assert_eq!(sandbox.read(to), before, "{to}");
    }
    // The output has the name of a public key.
    sandbox.refuses(&["convert", "k", "--to", "oqs", "-o", "new.pub"]);
    assert!(!sandbox.path("new.pub").exists());
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

#[cfg(unix)]
#[test]
fn a_secret_key_that_others_can_read_gets_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.write("bob's key", sandbox.read("k"));
    let key = sandbox.path("bob's key");
    for mode in [0o640, 0o604, 0o620] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        for arguments in [
            &["sign", "-k", "bob's key", "m", "--force"][..],
            &["pubkey", "bob's key", "-o", "-"],
            &["inspect", "bob's key"],
        ] {
            let warned = sandbox.succeeds(arguments);
            let told = "other users have access to this secret key; to end that: chmod 600 ";
            assert!(text(&warned.stderr).contains(told), "{warned:?}");
        }
    }
    // The command in the warning removes the cause.
    let warned = sandbox.succeeds(&["inspect", "bob's key"]);
    let command = text(&warned.stderr)
        .trim()
        .split_once("to end that: ")
        .unwrap()
        .1;
    let typed = std::process::Command::new("sh")
        .args(["-c", command])
        .current_dir(&sandbox.0)
        .status();
    assert!(typed.unwrap().success());
    let quiet = sandbox.succeeds(&["inspect", "bob's key"]);
    assert_eq!(text(&quiet.stderr), "");
    let public = sandbox.succeeds(&["inspect", "k.pub"]);
    assert_eq!(text(&public.stderr), "");
}

#[cfg(unix)]
#[test]
fn keygen_gives_up_on_a_locked_folder_and_says_what_it_waits_for() {
    let sandbox = Sandbox::empty();
    let folder = fs::File::open(sandbox.0.path()).unwrap();
    folder.lock().unwrap();
    let message = sandbox.refuses(&["keygen", "k"]);
    let (note, error) = message.split_once('\n').unwrap();
    assert!(
        note.contains("waiting up to 5 seconds for another program"),
        "{message}"
    );
    assert!(
        error.contains("another program has locked this folder"),
        "{message}"
    );
    assert!(sandbox.names().is_empty());
    folder.unlock().unwrap();
    let made = sandbox.succeeds(&["keygen", "k"]);
    assert!(!text(&made.stderr).contains("waiting"), "{made:?}");
}

/// The error is one line in the program's own words.
#[test]
fn a_wrong_key_is_named_in_one_line() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let block = |label: &str, der: &[u8]| {
        let body = base64(der);
        format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n")
    };
    // Keys in the encoding of `openssl genpkey -algorithm ed25519`.
    let ed25519 = "302e020100300506032b657004220420";
    let secret = [&hex(ed25519)[..], &[7; 32]].concat();
    sandbox.write("ed25519", block("PRIVATE KEY", &secret));
    sandbox.write("ed25519.der", &secret);
    let public = [&hex("302a300506032b6570032100")[..], &[7; 32]].concat();
    sandbox.write("ed25519.pub", block("PUBLIC KEY", &public));
    sandbox.write("ssh", block("OPENSSH PRIVATE KEY", b"openssh-key-v1"));
    // The identifier 1.3.9999.3.11 becomes 1.3.9999.3.14.
    for name in ["k", "k.pub"] {
        let mut der = der(&sandbox.read(name));
        let place = der
            .windows(5)
            .position(|it| it == [0xce, 0x0f, 3, 11, 4] || it == [0xce, 0x0f, 3, 11, 3]);
        der[place.unwrap() + 3] = 14;
        sandbox.write(&format!("marked-{name}"), der);
    }
    let mut damaged = der(&sandbox.read("k"));
    let encoded = damaged.windows(3).position(|it| it == [0x08, 0x82, 0x59]);
    let header = encoded.unwrap() + 2;
    // Makes a basis that solves the NTRU equation, but has an orthogonalised norm above the bound.
    let mut long = damaged.clone();
    let too_long = include_str!("../../../../kat/keys/too_long_512.hex");
    let too_long = hex(&too_long.replace('\n', ""));
    long[header..header + 1281].copy_from_slice(&too_long);
    sandbox.write("long", long);
    // All coefficients of f and g become 31, with six bits each. The norm is then even larger, and
    // the polynomials are not a basis.
    damaged[header + 1..header + 769].copy_from_slice(&[0x7d, 0xf7, 0xdf].repeat(256));
    sandbox.write("damaged", damaged);
    sandbox.write("unknown", "message");
    sandbox.write("empty", "");
    sandbox.write("alone", sandbox.read("k"));
    for (arguments, told) in [
        (
            &["sign", "-k", "ed25519", "m"][..],
            "ed25519: is an Ed25519 key, not a Falcon key",
        ),
        (
            &["sign", "-k", "ed25519.der", "m"],
            "ed25519.der: is an Ed25519 key, not a Falcon key",
        ),
        (
            &["verify", "-p", "ed25519.pub", "m"],
            "ed25519.pub: is an Ed25519 key, not a Falcon key",
        ),
        (
            &["sign", "-k", "ssh", "m"],
            "ssh: is PEM of the type OPENSSH PRIVATE KEY, not a Falcon key or signature",
        ),
        (
            &["sign", "-k", "marked-k", "m"],
            "marked-k: is marked as a Falcon-1024 key, but holds a Falcon-512 key",
        ),
        (
            &["verify", "-p", "marked-k.pub", "m"],
            "marked-k.pub: is marked as a Falcon-1024 key, but holds a Falcon-512 key",
        ),
        (
            &["sign", "-k", "long", "m"],
            "long: holds a Falcon secret key, but the secret basis is too long to sign with",
        ),
        (
            &["sign", "-k", "damaged", "m"],
            "damaged: is marked as a Falcon-512 key, but holds none: was it damaged?",
        ),
        (
            &["pubkey", "k.pub", "-o", "x"],
            "k.pub: is a public key, not a secret key\n hint: name k instead",
        ),
        (
            &["verify", "-p", "k", "m"],
            "k: is a secret key, not a public key\n hint: name k.pub instead",
        ),
        (
            &["verify", "-p", "alone", "m"],
            "alone: is a secret key, not a public key\n \
             hint: make the public key with: falcon-cli pubkey alone",
        ),
        (
            &["verify", "-p", "m.sig", "m"],
            "m.sig: is a signature, not a public key",
        ),
        (&["sign", "-k", "empty", "m"], "empty: is empty"),
        (
            &["sign", "-k", "unknown", "m"],
            "unknown: is not a secret key: unknown file format",
        ),
    ] {
        let message = sandbox.refuses(&with(
            arguments,
            if arguments[0] == "sign" {
                &["--force"][..]
            } else {
                &[]
            },
        ));
        assert_eq!(message, format!("error: {told}\n"), "{arguments:?}");
    }
}

/// Key from `ssh-keygen -t ed25519`, made for this test. It has lines of 70 columns.
const SSH_KEY: &str = "\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACB0QoKk9/UNWwy+gREHtFGGpbaUfE3pbC1EEJvi46k97AAAAIgi6Q9SIukP
UgAAAAtzc2gtZWQyNTUxOQAAACB0QoKk9/UNWwy+gREHtFGGpbaUfE3pbC1EEJvi46k97A
AAAEASIfQuir1CfiAUJqEGMvfHtNl4OkVLkkWcGeelYMi6E3RCgqT39Q1bDL6BEQe0UYal
tpR8TelsLUQQm+LjqT3sAAAABHRlc3QB
-----END OPENSSH PRIVATE KEY-----
";

/// Key from `openssl genrsa -aes128 -traditional`, made for this test. The block has headers.
const TRADITIONAL_KEY: &str = "\
-----BEGIN RSA PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,73F090C9E7FF4751C4CF39B4E1C253B4

FZmtUbEUSWsw99miItefJd7Q40dYvKTenSBvq2DpXC4hlP6EKkZcQKSeuwpsuRXe
2GZ7SFbOU08pAdqMbbkhSb1GDT9hDoxOcaAu9BKKdjTZqZ8CCcfjbPTHjF4x3uTQ
HD2VF5fI8M6AN+b8Apv9LdvZS02ZagaqVY2oznOK9KNjUp7B/hxY8yJ9FBV64BY3
b7cW0ebl3Aa3TXFVrj2oUhoVZlUnw1PY8r0cSlkVINrHyOh75UZT4dGHqiX6fC0D
niIpuTMJIL3YtAbptEjK0jkKyD8f70AOgDv58YYyWvZ5hHclw5NGfUOG54sJMCfl
3zHGzga0KRIT5t5xraeBi3rAjuATN0AuaFt+nzsZ7VjTyeCeX1sWYSgDDxkwu2NF
n5XdDjoSWoYgRbGX/PGqfAGymttXIr+Xlv8UtLKrcVIAf2dVb5rLdG/4gfv9Faja
UZQI811A1mpBp1otTg06Mnks9DNYolFd+Rkkil/RLhfJzuWW4HaZ1VHzkTpA8bIt
CUnDawSDxKrtezr0xsptYphXY+Y8SbhCuNZrR0a8Kvjrxtni2HclLDcpTmuBcXWl
HH+UrIFPoq8SuNCHpJ9tTKWCme8YlwZ8EJdV/4iJCRkE66bAx594m+lJ/wxvM5M+
e8fXj8MH73YncLXYLhvKgfLjfNoJRiT+CYkmEgDGNJDm9YWQsHjwRX/ulPnGKqto
0MNvn7HHoskH8CAQFteY/GVWPnHF5sRZgel2ytBe8p0QCafx0cK5WqypS5dI4aj2
RijPJ6o+cicda/JBAEKIrZOXFHlUxIYmFfJkx3duMly3n9sMPVeP+EnxLdvJjlHE
-----END RSA PRIVATE KEY-----
";

#[test]
fn keys_of_other_programs_are_named_though_their_pem_is_not_strict() {
    let sandbox = Sandbox::new();
    for (key, label) in [
        (SSH_KEY, "OPENSSH PRIVATE KEY"),
        (TRADITIONAL_KEY, "RSA PRIVATE KEY"),
        (&SSH_KEY[..200], "OPENSSH PRIVATE KEY"),
    ] {
        sandbox.write("other", key);
        let told =
            format!("error: other: is PEM of the type {label}, not a Falcon key or signature\n");
        assert_eq!(sandbox.refuses(&["sign", "-k", "other", "m"]), told);
        assert_eq!(sandbox.refuses(&["inspect", "other"]), told);
    }
    // A Falcon key in such a layout, or with a malformed first line, is reported as damaged.
    let key = String::from_utf8(sandbox.read("k")).unwrap();
    let header = key.replacen('\n', "\nProc-Type: 4,CLEAR\n", 1);
    let cut = key.replacen("KEY-----", "KEY", 1);
    let long = key.replacen("PRIVATE", &"X".repeat(100), 1);
    for key in [header, cut, long, key[..200].to_owned()] {
        sandbox.write("other", key);
        let told = "error: other: is damaged PEM: was it truncated or edited?\n";
        assert_eq!(sandbox.refuses(&["sign", "-k", "other", "m"]), told);
    }
}

#[test]
fn the_label_of_a_secret_key_need_not_tell_whether_it_is_encrypted() {
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    let [plain, encrypted] = ["k", "e"].map(|key| String::from_utf8(sandbox.read(key)).unwrap());
    sandbox.write("plain", plain.replace("PRIVATE", "ENCRYPTED PRIVATE"));
    sandbox.write("encrypted", encrypted.replace("ENCRYPTED ", ""));
    let sign = ["sign", "m", "--force", "-k"];
    for (key, options) in [
        ("plain", &[][..]),
        ("encrypted", &["--passphrase-file", "p"]),
    ] {
        sandbox.succeeds(&[&sign, &[key][..], options].concat());
        sandbox.succeeds(&["verify", "-p", "k.pub", "m"]);
    }
    for label in ["PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
        let pem = pem::encode_string(label, LineEnding::LF, b"key").unwrap();
        sandbox.write("damaged", pem);
        let told = "error: damaged: is a damaged PKCS#8 document\n";
        assert_eq!(sandbox.refuses(&with(&sign, ["damaged"])), told);
    }
}

#[test]
fn a_second_key_with_a_changed_boundary_is_not_left_out() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["keygen", "other"]);
    sandbox.succeeds(&["sign", "-k", "other", "m"]);
    let [first, second] =
        ["k.pub", "other.pub"].map(|name| String::from_utf8(sandbox.read(name)).unwrap());
    let quoted: String = second.lines().map(|line| format!("> {line}\r\n")).collect();
    let spaced = second.replace("-----BEGIN", "----- BEGIN");
    let verify = ["verify", "-p", "keys", "m"];
    let count = first.lines().count();
    for (keys, line) in [
        (format!("{first}{spaced}"), count + 1),
        (format!("{first}{quoted}"), count + 1),
        (format!("From: me\r\n\r\n{quoted}{first}"), 3),
        (
            format!("{first}-----END PUBLIC KEY-----\n{second}"),
            count + 1,
        ),
    ] {
        sandbox.write("keys", keys);
        let told = format!(
            "error: keys: has dashes (-----) in line {line}, outside of the PEM blocks: \
            remove the line, or repair the block that begins or ends there\n"
        );
        assert_eq!(sandbox.refuses(&verify), told);
        assert_eq!(sandbox.refuses(&["inspect", "keys"]), told);
    }
    // Other text around the block is still allowed.
    sandbox.write(
        "keys",
        format!("Ann:\n{first}---- Bob --\n{second}-- \nme\n"),
    );
    sandbox.succeeds(&verify);
}

#[test]
fn a_truncated_file_says_how_long_it_should_be() {
    let sandbox = Sandbox::new();
    sandbox.succeeds(&["sign", "-k", "k", "m"]);
    let signature = sandbox.read("m.sig");
    sandbox.write("m.sig", &signature[..600]);
    let message = sandbox.refuses(&["verify", "-p", "k.pub", "m"]);
    let told =
        "error: m.sig: 600 bytes; a padded Falcon-512 signature has 666. Was it truncated?\n";
    assert_eq!(message, told);
    for (name, header, len, told) in [
        (
            "a",
            0x09,
            896,
            "896 bytes; a Falcon-512 public key has 897. Was it truncated?",
        ),
        (
            "b",
            0x5a,
            2306,
            "2306 bytes; a Falcon-1024 secret key has 2305. Was something added?",
        ),
        (
            "c",
            0x59,
            800,
            "800 bytes; a constant-time Falcon-512 signature has 809. Was it truncated?",
        ),
    ] {
        let mut bytes = vec![0; len];
        bytes[0] = header;
        sandbox.write(name, bytes);
        let message = sandbox.refuses(&["inspect", name]);
        assert_eq!(message, format!("error: {name}: {told}\n"));
    }
}

fn hex(digits: &str) -> Vec<u8> {
    let digit = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(digit).collect()
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let digits = bytes.chunks(3).flat_map(|group| {
        let value = (0..3).fold(0, |value, i| {
            value << 8 | u32::from(*group.get(i).unwrap_or(&0))
        });
        (0..4).map(move |i| {
            if i <= group.len() {
                char::from(BASE64[(value >> (18 - 6 * i) & 63) as usize])
            } else {
                '='
            }
        })
    });
    let digits: Vec<char> = digits.collect();
    let lines = digits.chunks(64).map(|line| line.iter().collect());
    lines.collect::<Vec<String>>().join("\n")
}

/// Returns the content of a PEM block.
fn der(pem: &[u8]) -> Vec<u8> {
    let body = text(pem).lines().filter(|line| !line.starts_with('-'));
    let digits: Vec<u32> = body
        .flat_map(str::bytes)
        .filter(|digit| *digit != b'=')
        .map(|digit| BASE64.iter().position(|it| *it == digit).unwrap() as u32)
        .collect();
    let group = |group: &[u32]| {
        let value = (0..4).fold(0, |value, i| value << 6 | group.get(i).unwrap_or(&0));
        value.to_be_bytes()[1..group.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

#[cfg(unix)]
#[test]
fn a_seed_that_others_can_read_gets_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::empty();
    for (option, len) in [("--seed-file", 32), ("--reference-seed-file", 48)] {
        for (mode, warned) in [(0o640, true), (0o620, true), (0o600, false)] {
            sandbox.write("seed", vec![0xf3; len]);
            let seed = sandbox.path("seed");
            fs::set_permissions(&seed, fs::Permissions::from_mode(mode)).unwrap();
            let made = sandbox.succeeds(&["keygen", "k", option, "seed", "--force"]);
            let told = "warning: seed: other users have access to this secret seed; to end that: \
                        chmod 600 seed\n";
            assert_eq!(
                text(&made.stderr).contains(told),
                warned,
                "{option} {mode:o}"
            );
        }
    }
}

/// Checks that `--force` replaces an old key in any encoding, but no other file.
#[test]
fn a_key_without_text_is_replaced_as_a_key() {
    let sandbox = Sandbox::new();
    let key = SigningKey::<Falcon512>::from_seed(&[9; 32]).expect("no fault");
    sandbox.write("r.pub", key.verifying_key().to_bytes());
    let told = &json_lines(&sandbox.succeeds(&["inspect", "r.pub", "--json"]))[0];
    assert_eq!(told["encoding"], "round 3");
    sandbox.succeeds(&["keygen", "-o", "r", "--force"]);
    sandbox.write("r.pub", "no key");
    let message = sandbox.refuses(&["keygen", "-o", "r", "--force"]);
    assert!(message.contains("r.pub: is not a key"), "{message}");
}

/// Both commands that ask for a passphrase, and the new passphrase of `passwd`.
#[cfg(unix)]
#[test]
fn a_passphrase_file_that_others_can_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.encrypted_key();
    sandbox.write_secret("q", "another secret\n");
    let sign = ["sign", "-k", "e", "m", "--force", "--passphrase-file", "p"];
    let passwd = [
        "passwd",
        "e",
        "--passphrase-file",
        "p",
        "--new-passphrase-file",
    ];
    let keygen = ["keygen", "f", "--force", "--passphrase-file", "p"];
    for (command, file) in [
        (&sign[..], "p"),
        (&keygen, "p"),
        (&["inspect", "e", "--passphrase-file", "p"], "p"),
        (&["fingerprint", "e", "--passphrase-file", "p"], "p"),
        (&with(&passwd, ["q"]), "q"),
    ] {
        let told = format!(
            "warning: {file}: other users have access to this passphrase; to end that: chmod 600 {file}\n"
        );
        for (mode, warned) in [(0o600, false), (0o640, true), (0o604, true)] {
            for name in ["e", "e.pub"] {
                let _ = fs::remove_file(sandbox.path(name));
            }
            sandbox.encrypted_key();
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(sandbox.path(file), permissions).unwrap();
            let output = sandbox.succeeds(command);
            let said = text(&output.stderr);
            assert_eq!(said.contains(&told), warned, "{mode:o} {command:?}: {said}");
        }
        fs::set_permissions(sandbox.path(file), fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn a_quiet_command_does_not_report_the_files_that_it_wrote() {
    let sandbox = Sandbox::new();
    sandbox.write_secret("p", "secret\n");
    for command in [
        &["keygen", "l"][..],
        &["pubkey", "l", "-o", "l2.pub"],
        &["passwd", "l", "--add", "--new-passphrase-file", "p"],
        &["convert", "k", "--to", "oqs", "-o", "raw"],
        &["sign", "-k", "k", "m"],
        &["trust", "add", "team", "Ann", "l.pub"],
        &["trust", "revoke", "team", "Ann", "--reason", "lost"],
        &["trust", "add", "team", "Bob", "k.pub"],
        &["trust", "remove", "team", "Bob"],
    ] {
        let output = sandbox.succeeds(&with(command, ["-q"]));
        assert!(
            output.stdout.is_empty() && output.stderr.is_empty(),
            "{command:?}: {output:?}"
        );
    }
    assert!(sandbox.path("l.pub").exists() && sandbox.path("team").exists());
}
