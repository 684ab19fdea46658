//! Deterministic Falcon-1024.

use crate::sandbox::{Sandbox, json_lines, text, with};
use falcon_core::det1024::{CompressedSignature, CtSignature, SigningKey};
use falcon_core::{Falcon1024, Signature};

const SIGN: [&str; 6] = ["sign", "-a", "falcon-det1024", "-k", "d", "m"];

/// Returns a folder with a Falcon-1024 key pair `d`, `d.pub`, and the key itself.
fn sandbox() -> (Sandbox, SigningKey) {
    let sandbox = Sandbox::new();
    let keygen = ["keygen", "d", "-a", "falcon-det1024", "--seed-file", "seed"];
    let told = sandbox.succeeds(&keygen);
    let note = text(&told.stderr);
    assert!(
        note.contains("sign --algorithm falcon-det1024 -k d FILE"),
        "{note}"
    );
    assert!(text(&told.stdout).starts_with("Falcon-1024 secret key: d\n"));
    (sandbox, SigningKey::from_seed(&[7; 32]).expect("no fault"))
}

#[test]
fn the_bytes_are_those_of_the_library() {
    let (sandbox, key) = sandbox();
    let signature = key.sign(b"message").unwrap();
    let told = sandbox.succeeds(&SIGN);
    let expected = format!(
        "m.sig: {} bytes, Falcon-det1024\n",
        signature.to_bytes().len()
    );
    assert_eq!(text(&told.stdout), expected);
    assert_eq!(sandbox.read("m.sig"), signature.to_bytes()[..]);
    sandbox.succeeds(&["verify", "-p", "d.pub", "m"]);
    // Signs again, and names the default format.
    sandbox.succeeds(&with(&SIGN, ["--force", "--format", "compressed"]));
    assert_eq!(sandbox.read("m.sig"), signature.to_bytes()[..]);

    sandbox.succeeds(&with(&SIGN, ["--force", "--format", "ct"]));
    assert_eq!(
        sandbox.read("m.sig"),
        CtSignature::from(signature).to_bytes()
    );
    sandbox.succeeds(&["verify", "-p", "d.pub", "m"]);
    sandbox.write("m", "massage");
    assert_eq!(sandbox.status(&["verify", "-p", "d.pub", "m"]), 1);
}

/// Long messages are hashed in pieces for verification.
#[test]
fn a_long_message_is_signed_and_verified() {
    let (sandbox, key) = sandbox();
    let mut message = vec![7; 300_000];
    sandbox.write("m", &message);
    sandbox.succeeds(&SIGN);
    let signature = sandbox.read("m.sig");
    assert_eq!(signature, key.sign(&message).unwrap().to_bytes()[..]);
    sandbox.succeeds(&["verify", "-p", "d.pub", "m"]);
    message[299_999] ^= 1;
    sandbox.write("m", &message);
    assert_eq!(sandbox.status(&["verify", "-p", "d.pub", "m"]), 1);
}

#[test]
fn a_file_that_is_too_long_is_refused_before_it_is_read() {
    let (sandbox, _) = sandbox();
    let long = std::fs::File::create(sandbox.path("m")).unwrap();
    long.set_len(3 << 30).unwrap();
    assert_eq!(
        sandbox.refuses(&SIGN),
        "error: m: has 3,221,225,472 bytes; a Falcon-det1024 signature takes at most 256 MiB\n \
         hint: sign the hash of the file, or use another algorithm\n"
    );
}

/// The header bytes distinguish deterministic signatures from ordinary ones of the same key.
#[test]
fn both_kinds_of_signatures_of_a_key_verify() {
    let (sandbox, _) = sandbox();
    sandbox.succeeds(&with(&SIGN, ["-o", "deterministic"]));
    sandbox.succeeds(&["sign", "-k", "d", "m", "-o", "ordinary"]);
    sandbox.succeeds(&["sign", "-k", "d", "m", "-a", "falcon-1024", "-o", "named"]);
    for signature in ["deterministic", "ordinary", "named"] {
        sandbox.succeeds(&["verify", "-p", "d.pub", "m", "-s", signature]);
        let message = sandbox.refuses(&["verify", "-p", "k.pub", "m", "-s", signature]);
        assert!(message.contains("the key is a Falcon-512 key"), "{message}");
    }
    // With the nonce inserted again, the signature is an ordinary one.
    let bytes = sandbox.read("deterministic");
    let signature = CompressedSignature::try_from(&bytes[..]).unwrap();
    let signature = Signature::<Falcon1024>::from(signature).to_bytes();
    sandbox.write("salted", signature);
    sandbox.succeeds(&["verify", "-p", "d.pub", "m", "-s", "salted"]);
}

#[test]
fn signatures_are_inspected() {
    let (sandbox, _) = sandbox();
    for (format, name) in [("compressed", "compressed"), ("ct", "constant-time")] {
        sandbox.succeeds(&with(&SIGN, ["--force", "--format", format]));
        let told = sandbox.succeeds(&["inspect", "m.sig"]);
        let expected = format!("m.sig: Falcon-det1024 signature, {name} (raw)\n  salt version 0\n");
        assert_eq!(text(&told.stdout), expected);
        let told = &json_lines(&sandbox.succeeds(&["inspect", "m.sig", "--json"]))[0];
        assert_eq!(told["algorithm"], "falcon-det1024");
        assert_eq!(told["salt_version"], 0);
        assert!(told.get("nonce").is_none());
    }
    // The key is described like any other Falcon-1024 key.
    let told = sandbox.succeeds(&["inspect", "d.pub", "--json"]);
    assert_eq!(json_lines(&told)[0]["algorithm"], "falcon-1024");
}

#[test]
fn damaged_signatures_are_explained() {
    let (sandbox, _) = sandbox();
    sandbox.succeeds(&with(&SIGN, ["--format", "ct"]));
    let mut bytes = sandbox.read("m.sig");
    bytes.pop();
    sandbox.write("m.sig", &bytes);
    let told = "error: m.sig: 1537 bytes; a constant-time Falcon-det1024 signature has 1538. \
                Was it truncated?\n";
    assert_eq!(sandbox.refuses(&["inspect", "m.sig"]), told);
    assert_eq!(sandbox.refuses(&["verify", "-p", "d.pub", "m"]), told);

    sandbox.succeeds(&with(&SIGN, ["--force"]));
    let bytes = sandbox.read("m.sig");
    sandbox.write("m.sig", &bytes[..900]);
    let told = "error: m.sig: is not a valid Falcon-det1024 signature: wrong length for this \
                encoding, or truncated\n";
    assert_eq!(sandbox.refuses(&["inspect", "m.sig"]), told);
    sandbox.write("m.sig", [0xba]);
    assert_eq!(sandbox.refuses(&["inspect", "m.sig"]), told);
}

#[test]
fn what_deterministic_signatures_do_not_have_is_refused() {
    let (sandbox, _) = sandbox();
    for (arguments, told) in [
        (
            &["-a", "falcon-det1024", "-k", "k"][..],
            "k: is a Falcon-512 key, but --algorithm names Falcon-det1024\n \
             hint: name a Falcon-1024 key with -k, or leave --algorithm out",
        ),
        (
            &["-a", "falcon-512", "-k", "d"],
            "d: is a Falcon-1024 key, but --algorithm names Falcon-512\n \
             hint: name a Falcon-512 key with -k, or leave --algorithm out",
        ),
        (
            &["-a", "falcon-det1024", "-k", "d", "--format", "padded"],
            "a Falcon-det1024 signature is compressed or constant-time\n \
             hint: use --format compressed or --format ct",
        ),
        (
            &["-a", "falcon-det1024", "-k", "d", "--format", "pem"],
            "a Falcon-det1024 signature is compressed or constant-time\n \
             hint: use --format compressed or --format ct",
        ),
        (
            &["-a", "falcon-det1024", "-k", "d", "--comment", "paid"],
            "a Falcon-det1024 signature has no envelope\n \
             hint: leave out --comment and --format envelope, or --algorithm",
        ),
        (
            &["-a", "falcon-det1024", "-k", "d", "--format", "envelope"],
            "a Falcon-det1024 signature has no envelope\n \
             hint: leave out --comment and --format envelope, or --algorithm",
        ),
    ] {
        let message = sandbox.refuses(&with(&["sign", "m"], arguments));
        assert_eq!(message, format!("error: {told}\n"), "{arguments:?}");
    }
    // The message is the signed part of a certificate request. A deterministic signature of it can
    // be converted to an ordinary one.
    sandbox.write("m", [0x30, 9, 2, 1, 0, 0x30, 0, 0x30, 2, 0x30, 0]);
    let message = sandbox.refuses(&SIGN);
    assert!(
        message.contains("looks like the signed part of a certificate request"),
        "{message}"
    );
    assert!(!sandbox.path("m.sig").exists());
}

/// The format is called `ct` for every algorithm, and the help shows all three lengths.
#[test]
fn the_help_tells_the_length_of_the_constant_time_format() {
    let (sandbox, _) = sandbox();
    let help = sandbox.succeeds(&["sign", "--help"]);
    let help = text(&help.stdout);
    let words: Vec<_> = help.split_whitespace().collect();
    let told = "ct: Constant-time format: 809 bytes (Falcon-512), 1577 (Falcon-1024) or 1538 \
                (Falcon-det1024)";
    assert!(words.join(" ").contains(told), "{help}");
    sandbox.succeeds(&with(&SIGN, ["--format", "ct"]));
    assert_eq!(sandbox.read("m.sig").len(), 1538);
}
