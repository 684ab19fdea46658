//! Keys, statements and envelopes that are the same in every run.
#![allow(dead_code, reason = "each test uses some of it")]

use falcon_core::{AnySigningKey, Falcon512, Falcon1024, SigningKey};
use falcon_envelope::{
    Digest, Entry, Envelope, FilePath, Manifest, SignedManifest, Statement, Subject, Time,
    TrustList, TrustedKey,
};
use falcon_kat::Again;

/// The file that is signed.
pub const FILE: &[u8] = b"order #42\n";

/// Comment of the signer of [`envelope`].
pub const COMMENT: &str = "paid in full, für alle Zeit";

/// The signer of Falcon-512 envelopes.
pub fn alice() -> AnySigningKey {
    SigningKey::<Falcon512>::from_seed_boxed(&[1; 32])
        .expect("no fault")
        .into()
}

/// The signer of Falcon-1024 envelopes.
pub fn bob() -> AnySigningKey {
    SigningKey::<Falcon1024>::from_seed_boxed(&[2; 32])
        .expect("no fault")
        .into()
}

/// Parses a time, which must be valid.
pub fn at(time: &str) -> Time {
    Time::parse(time).expect("a time")
}

/// The time of all signatures.
pub fn noon() -> Time {
    at("2025-06-01T12:00:00Z")
}

/// Signs with a repeatable generator, so that vectors can be written again.
pub fn sign(key: &AnySigningKey, comment: Option<&str>, subject: Subject) -> Envelope {
    sign_at(key, noon(), comment, subject)
}

/// Signs as [`sign`] does, but at `time`.
pub fn sign_at(
    key: &AnySigningKey,
    time: Time,
    comment: Option<&str>,
    subject: Subject,
) -> Envelope {
    Statement::new(&key.verifying_key(), time, comment, subject)
        .and_then(|statement| statement.sign_with_rng(&mut Again([0x5a]), key))
        .expect("a statement of this key")
}

/// Makes the envelope of [`FILE`].
pub fn envelope(key: &AnySigningKey) -> Envelope {
    sign(key, Some(COMMENT), Subject::File(Digest::of(FILE)))
}

/// Makes a manifest of three files.
pub fn manifest() -> Manifest {
    let files: [(&str, &[u8]); 3] = [
        ("sub/order.txt", FILE),
        ("empty", b""),
        ("a file: größer", b"larger\n"),
    ];
    let entry = |(path, content): (&str, &[u8])| Entry {
        path: FilePath::parse(path).expect("a path"),
        digest: Digest::of(content),
    };
    Manifest::new(files.map(entry).to_vec()).expect("different paths")
}

/// Makes a manifest of three files, with its signature.
pub fn signed_manifest(key: &AnySigningKey) -> SignedManifest {
    let manifest = manifest();
    let envelope = sign(key, Some(COMMENT), manifest.subject());
    SignedManifest::new(manifest, envelope)
}

/// Makes a list with the keys of both signers. Bob's key is revoked.
pub fn trust_list() -> TrustList {
    let valid = at("2025-01-01T00:00:00Z")..=at("2025-12-31T23:59:59Z");
    let key = |name, key: AnySigningKey| TrustedKey::new(name, key.verifying_key(), valid.clone());
    let mut list = TrustList::default();
    list.add(key("Alice <alice@example.org>", alice()).expect("an entry"))
        .expect("an empty list");
    let mut bob = key("Bob", bob()).expect("an entry");
    bob.revoke(at("2025-07-01T00:00:00Z"), "laptop stolen")
        .expect("a reason");
    list.add(bob).expect("another key");
    list
}
