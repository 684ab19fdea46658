//! The library refuses an envelope or a manifest after any flipped bit, any cut and any appended
//! byte.

mod common;

use common::{FILE, alice, bob, envelope, signed_manifest};
use falcon_core::AnySigningKey;
use falcon_envelope::{Digest, Envelope, SignedManifest, UnreadManifest};

/// Checks that `accepts` refuses `text` after every flipped bit, after every cut, and with any byte
/// added at either end.
fn check(text: &str, accepts: impl Fn(&[u8]) -> bool) {
    let mut bytes = text.as_bytes().to_vec();
    assert!(accepts(&bytes));
    for position in 0..bytes.len() {
        for bit in 0..8 {
            bytes[position] ^= 1 << bit;
            assert!(!accepts(&bytes), "bit {bit} of byte {position}");
            bytes[position] ^= 1 << bit;
        }
        assert!(!accepts(&bytes[..position]), "cut at {position}");
    }
    for byte in 0..=u8::MAX {
        assert!(!accepts(&[&bytes[..], &[byte]].concat()), "{byte} appended");
        assert!(!accepts(&[&[byte], &bytes[..]].concat()), "{byte} before");
    }
}

fn check_envelope(key: &AnySigningKey) {
    let (public, digest) = (key.verifying_key(), Digest::of(FILE));
    check(&envelope(key).to_string(), |bytes| {
        Envelope::parse(bytes).is_ok_and(|envelope| envelope.verify_file(&public, &digest).is_ok())
    });
}

fn check_manifest(key: &AnySigningKey) {
    let public = key.verifying_key();
    check(&signed_manifest(key).to_string(), |bytes| {
        let read = SignedManifest::parse(bytes).is_ok_and(|it| it.verify(&public).is_ok());
        let unread = UnreadManifest::read(bytes).is_ok_and(|it| it.verify(&public).is_ok());
        assert_eq!(read, unread);
        read
    });
}

#[test]
fn of_an_envelope_512() {
    check_envelope(&alice());
}

#[test]
fn of_an_envelope_1024() {
    check_envelope(&bob());
}

#[test]
fn of_a_manifest_512() {
    check_manifest(&alice());
}

#[test]
fn of_a_manifest_1024() {
    check_manifest(&bob());
}

/// Flips bits of the file that is signed.
#[test]
fn of_the_file() {
    let (key, envelope) = (alice().verifying_key(), envelope(&alice()));
    let mut file = FILE.to_vec();
    for position in 0..file.len() {
        for bit in 0..8 {
            file[position] ^= 1 << bit;
            assert!(envelope.verify_file(&key, &Digest::of(&file)).is_err());
            file[position] ^= 1 << bit;
        }
    }
    assert!(envelope.verify_file(&key, &Digest::of(&file)).is_ok());
}
