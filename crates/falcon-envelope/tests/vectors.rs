//! The files in `kat/envelope` are what this library writes, and they verify.
//! `FALCON_WRITE_TABLES=1` writes the files.

mod common;

use common::{COMMENT, FILE, alice, bob, envelope, noon, signed_manifest, trust_list};
use falcon_envelope::{Digest, Envelope, Revoked, SignedManifest, TrustError, TrustList};
use std::{env, fs, path::PathBuf};

fn path(name: &str) -> PathBuf {
    let kat = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kat/envelope");
    kat.join(name)
}

/// Compares `expected` with the stored file, and returns the file.
fn stored(name: &str, expected: &[u8]) -> Vec<u8> {
    let path = path(name);
    if env::var_os("FALCON_WRITE_TABLES").is_some() {
        fs::write(&path, expected).expect("the vectors can be written");
    }
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(bytes, expected, "{name} is not what this library writes");
    bytes
}

#[test]
fn envelopes() {
    let file = stored("order.txt", FILE);
    for (name, key) in [("order-512.sig", alice()), ("order-1024.sig", bob())] {
        let bytes = stored(name, envelope(&key).to_string().as_bytes());
        let envelope = Envelope::parse(&bytes).expect(name);
        let statement = envelope
            .verify_file(&key.verifying_key(), &Digest::of(&file))
            .expect(name);
        assert_eq!(statement.comment(), Some(COMMENT));
        assert_eq!(statement.time(), noon());
    }
}

#[test]
fn manifests() {
    for (name, key) in [
        ("folder-512.manifest", alice()),
        ("folder-1024.manifest", bob()),
    ] {
        let bytes = stored(name, signed_manifest(&key).to_string().as_bytes());
        let signed = SignedManifest::parse(&bytes).expect(name);
        let (manifest, _) = signed.verify(&key.verifying_key()).expect(name);
        let paths: Vec<_> = manifest
            .entries()
            .iter()
            .map(|entry| entry.path.as_str())
            .collect();
        assert_eq!(paths, ["a file: größer", "empty", "sub/order.txt"]);
    }
}

#[test]
fn trust_lists() {
    let bytes = stored("trust", trust_list().to_string().as_bytes());
    let list = TrustList::parse(&bytes).expect("trust");
    let signer = list.signer_of(&envelope(&alice()), Revoked::Refuse);
    assert_eq!(
        signer.expect("a known key").name(),
        "Alice <alice@example.org>"
    );
    let revoked = list.signer_of(&envelope(&bob()), Revoked::Refuse);
    assert!(matches!(
        revoked,
        Err(TrustError::Revoked {
            signed_before: true,
            ..
        })
    ));
}

#[test]
fn the_digest_is_what_openssl_prints() {
    // This hash was printed by: openssl dgst -shake256 -xoflen 64 kat/envelope/order.txt
    let expected = include_str!("../../../kat/envelope/order.txt.shake256");
    let digest = Digest::of(FILE);
    assert_eq!(
        digest.to_string(),
        format!("{} {}", expected.trim_end(), FILE.len())
    );
}
