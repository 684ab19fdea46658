//! Messages that are the signed part of a document are known as such.

mod common;

use common::{Kind, keys};
use falcon_core::pkcs8::{EncodePrivateKey, EncodePublicKey};
use falcon_core::{AnySigningKey, Falcon512, SigningKey};
use falcon_x509::SignedPart;
use falcon_x509::x509_cert::der::{self, Decode, Reader, SliceReader, asn1::AnyRef};

/// The signed part of a document.
fn signed_part(document: &[u8]) -> Vec<u8> {
    let mut reader = SliceReader::new(document).expect("a document");
    reader
        .sequence(|fields| {
            let signed = fields.tlv_bytes()?.to_vec();
            while !fields.is_finished() {
                fields.tlv_bytes()?;
            }
            Ok::<_, der::Error>(signed)
        })
        .expect("a sequence")
}

/// A sequence of fields that are encoded already. Its length has as many bytes as `digits`, at
/// least.
fn sequence(content: &[u8], digits: usize) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let needed = length.iter().skip_while(|&&byte| byte == 0).count();
    let digits = &length[length.len() - needed.max(digits)..];
    [&[0x30, 0x80 | digits.len() as u8], digits, content].concat()
}

/// The fields of a sequence.
fn fields(sequence: &[u8]) -> Vec<Vec<u8>> {
    let any = AnyRef::from_der(sequence).expect("an element");
    let mut reader = SliceReader::new(any.value()).expect("fields");
    let mut fields = Vec::new();
    while !reader.is_finished() {
        fields.push(reader.tlv_bytes().expect("a field").to_vec());
    }
    fields
}

/// Each kind of document, and its signed part.
fn signed_parts() -> Vec<(SignedPart, Vec<u8>)> {
    let kinds = [
        (SignedPart::Certificate, Kind::Certificate),
        (SignedPart::Request, Kind::Request),
        (SignedPart::RevocationList, Kind::RevocationList),
    ];
    let of_key =
        |key: &AnySigningKey| kinds.map(|(part, kind)| (part, signed_part(&kind.make(key))));
    keys().iter().flat_map(of_key).collect()
}

#[test]
fn signed_parts_are_known() {
    for (kind, part) in signed_parts() {
        assert_eq!(SignedPart::of_message(&part, true), Some(kind));
        // As far as it is visible, from the first fields on.
        for length in 60..part.len() {
            let start = &part[..length];
            let seen = SignedPart::of_message(start, false).expect("a signed part");
            // Before the names end, a list may be a certificate.
            assert!(seen == kind || length < 200, "{length}: {seen:?}");
            assert_eq!(SignedPart::of_message(start, true), None, "{length}");
        }
        let longer = [&part[..], b"\n"].concat();
        assert_eq!(SignedPart::of_message(&longer, true), None);
    }
}

/// Version 1 of certificates and lists has no version.
#[test]
fn signed_parts_without_a_version_are_known() {
    for (kind, part) in signed_parts() {
        if kind != SignedPart::Request {
            let part = sequence(&fields(&part)[1..].concat(), 1);
            assert_eq!(SignedPart::of_message(&part, true), Some(kind));
        }
    }
}

/// Some verifiers accept BER.
#[test]
fn other_spellings_of_lengths_are_known() {
    for (kind, part) in signed_parts() {
        let content = fields(&part).concat();
        assert_eq!(
            SignedPart::of_message(&sequence(&content, 4), true),
            Some(kind)
        );
        let indefinite = [&[0x30, 0x80][..], &content, &[0, 0]].concat();
        assert_eq!(SignedPart::of_message(&indefinite, true), Some(kind));
        let inner = [&[0x30, 0x80][..], &[0xa0, 0x80]].concat();
        assert!(SignedPart::of_message(&inner, true).is_some());
    }
}

#[test]
fn other_documents_are_other_messages() {
    let key = SigningKey::<Falcon512>::from_seed_boxed(&[1; 32]).expect("no fault");
    let secret = key.to_pkcs8_der().expect("a document");
    let public = key.verifying_key().to_public_key_der().expect("a document");
    let mut documents = vec![secret.as_bytes().to_vec(), public.as_bytes().to_vec()];
    for kind in Kind::ALL {
        documents.extend(keys().iter().map(|key| kind.make(key)));
    }
    documents.push(vec![0x30; 2000]);
    documents.push(sequence(&[2, 1, 5, 2, 1, 7], 1)); // a signature of ECDSA
    documents.push(Vec::new());
    for document in documents {
        assert_eq!(SignedPart::of_message(&document, true), None);
        // Except for lengths that are not visible.
        if document.len() > 60 {
            assert_eq!(SignedPart::of_message(&document[..60], false), None);
        }
    }
}

/// No bytes end the function, or take long.
#[test]
fn no_bytes_are_an_error() {
    for (_, part) in signed_parts() {
        for index in 0..120.min(part.len()) {
            for bit in 0..8 {
                let mut part = part.clone();
                part[index] ^= 1 << bit;
                SignedPart::of_message(&part, true);
                SignedPart::of_message(&part[..index + 1], false);
            }
        }
    }
    let huge = [&[0x30, 0xff][..], &[0xff; 200]].concat();
    assert_eq!(SignedPart::of_message(&huge, true), None);
}
