//! Signatures: their formats, and what verification says.

use crate::sandbox::Sandbox;
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
}

#[test]
fn a_corrupted_signature_is_called_a_signature() {
    let sandbox = Sandbox::new();
    sandbox.write("m.sig", "\x12");
    let message = sandbox.refuses(&["verify", "-p", "k.pub", "m"]);
    assert!(message.contains("m.sig: is not a signature"), "{message}");
}
