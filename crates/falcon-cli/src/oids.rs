//! Object identifiers of keys.

use falcon_core::ParameterSet;
use falcon_core::pkcs8::{self, ObjectIdentifier};

const fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new_unwrap(text)
}

/// The algorithms that documents of Falcon keys may name.
pub(crate) const FALCON_KEYS: [(ObjectIdentifier, ParameterSet); 6] = [
    (pkcs8::FALCON_512, ParameterSet::Falcon512),
    (pkcs8::FALCON_PADDED_512, ParameterSet::Falcon512),
    (oid("1.3.9999.3.6"), ParameterSet::Falcon512),
    (pkcs8::FALCON_1024, ParameterSet::Falcon1024),
    (pkcs8::FALCON_PADDED_1024, ParameterSet::Falcon1024),
    (oid("1.3.9999.3.9"), ParameterSet::Falcon1024),
];

/// True if `oid` is an algorithm that documents of Falcon keys may name.
pub(crate) fn is_falcon(oid: ObjectIdentifier) -> bool {
    FALCON_KEYS.iter().any(|(it, _)| *it == oid)
}

/// Scheme of encrypted documents, PBES2 of RFC 8018.
pub(crate) const PBES2: ObjectIdentifier = oid("1.2.840.113549.1.5.13");

/// The keys that are most often mistaken for Falcon keys. Messages put the article "an" before each
/// name.
pub(crate) const OTHER_KEYS: [(ObjectIdentifier, &str); 8] = [
    (oid("1.3.101.112"), "Ed25519"),
    (oid("1.3.101.113"), "Ed448"),
    (oid("1.3.101.110"), "X25519"),
    (oid("1.2.840.113549.1.1.1"), "RSA"),
    (oid("1.2.840.10045.2.1"), "EC"),
    (oid("2.16.840.1.101.3.4.3.17"), "ML-DSA-44"),
    (oid("2.16.840.1.101.3.4.3.18"), "ML-DSA-65"),
    (oid("2.16.840.1.101.3.4.3.19"), "ML-DSA-87"),
];
