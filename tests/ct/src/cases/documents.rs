//! Private keys in PKCS#8 documents.

use super::case::{check_key, place, secret_key, stored_key};
use crate::valgrind::classify;
use falcon_core::pkcs8::der::Encode;
use falcon_core::pkcs8::der::asn1::OctetStringRef;
use falcon_core::pkcs8::spki::AssociatedAlgorithmIdentifier;
use falcon_core::pkcs8::{DecodePrivateKey, EncodePrivateKey, PrivateKeyInfoRef};
use falcon_core::seams::lanes::Baseline;
use falcon_core::{Parameters, SigningKey};
use falcon_kat::Again;
use std::hint::black_box;

/// Writes a key as both kinds of documents, and reads them.
pub(super) fn written<P: Parameters>() {
    let key = secret_key::<P, _>(Baseline);
    for document in [key.to_pkcs8_der(), key.to_pkcs8_polynomials_der()] {
        let document = document.expect("a key has a document");
        let read = SigningKey::<P>::from_pkcs8_der(document.as_bytes());
        check_key(&read.expect("a written document"));
    }
}

/// Writes a key as a document with a passphrase. The passphrase is public here, since scrypt's
/// addresses depend on it by design.
pub(super) fn written_under_a_passphrase<P: Parameters>() {
    let key = secret_key::<P, _>(Baseline);
    let document = key.to_pkcs8_encrypted_der_with_rng(&mut Again([1]), "correct horse");
    black_box(document.expect("a key has a document"));
}

/// Reads a document in Bouncy Castle's form: one `OCTET STRING` for each polynomial, without `h`.
pub(super) fn of_polynomials<P: Parameters>() {
    let bytes = stored_key::<P>();
    let (fg, capital_f) = bytes[1..].split_at(bytes.len() - 1 - P::N);
    let (f, g) = fg.split_at(fg.len() / 2);
    let polynomials = [f, g, capital_f];
    let octets = polynomials.map(|bytes| octet_string(bytes).to_der().expect("short enough"));
    let fields = [&[2, 1, 0], &*octets.concat()].concat();
    let length = u16::try_from(fields.len()).expect("short enough");
    let contents = [&[0x30, 0x82], &length.to_be_bytes()[..], &fields].concat();
    let algorithm = SigningKey::<P>::ALGORITHM_IDENTIFIER;
    let document = PrivateKeyInfoRef::new(algorithm, octet_string(&contents));
    let document = document.to_der().expect("short enough");
    for place in polynomials.map(|polynomial| place(&document, polynomial)) {
        classify(&document[place]);
    }
    check_key(&SigningKey::<P>::from_pkcs8_der(&document).expect("a key in a document"));
}

fn octet_string(bytes: &[u8]) -> &OctetStringRef {
    OctetStringRef::new(bytes).expect("short enough")
}
