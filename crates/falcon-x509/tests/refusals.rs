//! Tests each check with a document that only this check refuses.

mod common;

use common::{Kind, certificate, keys, name, new_year, revocations, years};
use falcon_core::pkcs8::{
    AlgorithmIdentifierRef, FALCON_512, FALCON_1024, FALCON_PADDED_512, ObjectIdentifier,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey, DecodeError, Falcon512, Format, Signature};
use falcon_kat::Again;
use falcon_x509::x509_cert::Certificate;
use falcon_x509::x509_cert::der::asn1::{AnyRef, BitStringRef};
use falcon_x509::x509_cert::der::{self, Decode, Encode, Reader, SliceReader, Tag};
use falcon_x509::{CertificateSigner, Error, verify_certificate, verify_self_signed};

/// The parts of a document.
#[derive(Clone)]
struct Parts {
    content: Vec<u8>,
    algorithm: Vec<u8>,
    signature: Vec<u8>,
}

impl Parts {
    fn of(der: &[u8]) -> Self {
        let mut reader = SliceReader::new(der).unwrap();
        let parts = reader.sequence(|fields| {
            Ok::<_, der::Error>(Self {
                content: fields.tlv_bytes()?.to_vec(),
                algorithm: fields.tlv_bytes()?.to_vec(),
                signature: fields.tlv_bytes()?.to_vec(),
            })
        });
        parts.unwrap()
    }

    /// Replaces the first occurrence of `from` in the signed part, and signs the changed part.
    fn with_content(&self, from: &[u8], to: &[u8], key: &AnySigningKey) -> Self {
        let content = replace(&self.content, from, to);
        Self {
            signature: sign(key, &content),
            content,
            algorithm: self.algorithm.clone(),
        }
    }

    fn to_der(&self) -> Vec<u8> {
        sequence(&[&self.content[..], &self.algorithm, &self.signature].concat())
    }
}

fn sequence(fields: &[u8]) -> Vec<u8> {
    let sequence = AnyRef::new(Tag::Sequence, fields).unwrap();
    sequence.to_der().unwrap()
}

/// Replaces the first occurrence of `from` in a sequence, and repairs the length of the sequence.
fn replace(der: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let fields = AnyRef::from_der(der).unwrap();
    sequence(&replace_in(fields.value(), from, to))
}

fn small(key: &AnySigningKey) -> &falcon_core::SigningKey<Falcon512> {
    match key {
        AnySigningKey::Falcon512(key) => key,
        _ => panic!("a key of the other parameter set"),
    }
}

/// Signs as for a certificate, and returns the DER of the bit string.
fn sign(key: &AnySigningKey, content: &[u8]) -> Vec<u8> {
    let signature = small(key)
        .sign_with_rng(&mut Again([0x5a]), content)
        .expect("no fault");
    bits(0, &signature.to_vec(Format::Compressed).unwrap())
}

fn bits(unused: u8, bytes: &[u8]) -> Vec<u8> {
    BitStringRef::new(unused, bytes).unwrap().to_der().unwrap()
}

fn algorithm(oid: ObjectIdentifier, parameters: Option<AnyRef<'_>>) -> Vec<u8> {
    AlgorithmIdentifierRef { oid, parameters }.to_der().unwrap()
}

/// Makes a certificate and a revocation list of the smaller key. Both have an algorithm in the
/// signed part.
fn both() -> (AnySigningKey, [(Kind, Parts); 2]) {
    let [key, _] = keys();
    let parts =
        [Kind::Certificate, Kind::RevocationList].map(|kind| (kind, Parts::of(&kind.make(&key))));
    (key, parts)
}

#[test]
fn the_parts_are_the_document() {
    let (key, parts) = both();
    for (kind, parts) in parts {
        assert_eq!(parts.to_der(), kind.make(&key));
        // Signing the same content again gives a valid document.
        let own = algorithm(FALCON_512, None);
        let again = parts.with_content(&own, &own, &key);
        kind.verify(&again.to_der(), &key.public_key()).unwrap();
    }
}

#[test]
fn the_algorithm_in_the_signed_part_is_that_of_the_signature() {
    let (key, parts) = both();
    let own = algorithm(FALCON_512, None);
    for (kind, parts) in parts {
        let verify = |parts: &Parts| kind.verify(&parts.to_der(), &key.public_key());
        for other in [
            algorithm(FALCON_1024, None),
            algorithm(FALCON_PADDED_512, None),
            algorithm(FALCON_512, Some(AnyRef::NULL)),
        ] {
            // Changes the algorithm only in the signed part, with a new signature, or only beside
            // the signature.
            let inside = parts.with_content(&own, &other, &key);
            assert!(matches!(verify(&inside), Err(Error::AlgorithmsDiffer)));
            let outside = Parts {
                algorithm: other,
                ..parts.clone()
            };
            assert!(matches!(verify(&outside), Err(Error::AlgorithmsDiffer)));
        }
    }
}

#[test]
fn the_algorithm_is_that_of_the_key() {
    let (key, parts) = both();
    let own = algorithm(FALCON_512, None);
    let rsa = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
    let former = ObjectIdentifier::new_unwrap("1.3.9999.3.6");
    for (kind, parts) in parts {
        for oid in [FALCON_1024, FALCON_PADDED_512, former, rsa] {
            let other = algorithm(oid, None);
            let mut named = parts.with_content(&own, &other, &key);
            named.algorithm = other;
            let refused = kind.verify(&named.to_der(), &key.public_key());
            assert!(
                matches!(refused, Err(Error::Algorithm(it)) if it == oid),
                "{refused:?}"
            );
        }
    }
    // A request names its algorithm only once.
    let request = Parts::of(&Kind::Request.make(&key));
    let named = Parts {
        algorithm: algorithm(FALCON_1024, None),
        ..request
    };
    let refused = Kind::Request.verify(&named.to_der(), &key.public_key());
    assert!(matches!(refused, Err(Error::Algorithm(FALCON_1024))));
}

#[test]
fn the_algorithm_has_no_parameters() {
    let (key, parts) = both();
    let own = algorithm(FALCON_512, None);
    let with_null = algorithm(FALCON_512, Some(AnyRef::NULL));
    for (kind, parts) in parts {
        let mut named = parts.with_content(&own, &with_null, &key);
        named.algorithm = with_null.clone();
        let refused = kind.verify(&named.to_der(), &key.public_key());
        assert!(matches!(refused, Err(Error::Parameters)), "{refused:?}");
    }
    let mut request = Parts::of(&Kind::Request.make(&key));
    request.algorithm = with_null;
    let refused = Kind::Request.verify(&request.to_der(), &key.public_key());
    assert!(matches!(refused, Err(Error::Parameters)), "{refused:?}");
}

#[test]
fn the_signature_is_compressed_and_whole_bytes() {
    let [key, _] = keys();
    for kind in Kind::ALL {
        let parts = Parts::of(&kind.make(&key));
        let compressed = BitStringRef::from_der(&parts.signature).unwrap();
        let compressed = compressed.as_bytes().unwrap();
        let signature = Signature::<Falcon512>::from_bytes(Format::Compressed, compressed).unwrap();
        let with = |signature: Vec<u8>| {
            let named = Parts {
                signature,
                ..parts.clone()
            };
            kind.verify(&named.to_der(), &key.public_key())
        };
        with(bits(0, compressed)).unwrap();

        // Marks bits as unused: zeros at the end of the last byte, or the bits of an added byte.
        let zeros = compressed.last().unwrap().trailing_zeros().min(7) as u8;
        let further = [compressed, &[0]].concat();
        for refused in [
            (zeros > 0).then(|| with(bits(zeros, compressed))),
            Some(with(bits(7, &further))),
            Some(with(bits(1, &further))),
        ] {
            assert!(
                matches!(refused, None | Some(Err(Error::UnusedBits))),
                "{refused:?}"
            );
        }
        let padded = signature.to_vec(Format::Padded).unwrap();
        for bytes in [
            &padded,
            &further,
            &compressed[..compressed.len() - 1].to_vec(),
            &vec![],
        ] {
            let refused = with(bits(0, bytes));
            assert!(
                matches!(refused, Err(Error::MalformedSignature(_))),
                "{refused:?}"
            );
        }
        let mut header = compressed.to_vec();
        header[0] = 0x3a;
        let refused = with(bits(0, &header));
        let is_header = |it| matches!(it, Err(Error::MalformedSignature(DecodeError::Header)));
        assert!(is_header(refused));
    }
}

#[test]
fn another_key_is_refused() {
    let (key, parts) = both();
    let other = falcon_core::SigningKey::<Falcon512>::from_seed_boxed(&[3; 32]).expect("no fault");
    for (kind, parts) in parts {
        let refused = kind.verify(&parts.to_der(), &other.public_key());
        assert!(matches!(refused, Err(Error::InvalidSignature)));
        let large = keys()[1].public_key();
        let refused = kind.verify(&parts.to_der(), &large);
        assert!(matches!(refused, Err(Error::Algorithm(FALCON_512))));
        kind.verify(&parts.to_der(), &key.public_key()).unwrap();
    }
    // Exchanges the key of a request. The signature then does not show that anybody has the secret
    // key.
    let request = Kind::Request.make(&key);
    let [own, other] = [key.public_key(), other.public_key()].map(|it| it.to_bytes());
    let parts = Parts::of(&request);
    let exchanged = Parts {
        content: replace(&parts.content, &own, &other),
        ..parts
    };
    let refused = Kind::Request.verify(
        &exchanged.to_der(),
        &AnyVerifyingKey::from(small(&key).verifying_key().clone()),
    );
    assert!(
        matches!(refused, Err(Error::InvalidSignature)),
        "{refused:?}"
    );
}

#[test]
fn self_signed_means_issuer_and_subject_are_one() {
    let [key, _] = keys();
    let der = certificate(&key).to_der().unwrap();
    let from = name("CN=Falcon Root").to_der().unwrap();
    let (from, to) = (&from[2..], b"Falcon Boot");
    let to = replace_in(from, b"Falcon Root", to);
    let parts = Parts::of(&der).with_content(from, &to, &key);
    let der = parts.to_der();
    verify_certificate(&der, &key.public_key()).unwrap();
    assert!(matches!(
        verify_self_signed(&der),
        Err(Error::NotSelfIssued)
    ));
}

fn replace_in(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at = text
        .windows(from.len())
        .position(|it| it == from)
        .expect("an occurrence");
    [&text[..at], to, &text[at + from.len()..]].concat()
}

/// Checks that the signature is verified over the received bytes. If encoding the decoded fields
/// gives other bytes, the document is refused.
#[test]
fn the_bytes_that_were_received_are_verified() {
    let [key, _] = keys();
    let der = certificate(&key).to_der().unwrap();
    // The validity starts with a time that has a four-digit year. This is DER but violates RFC
    // 5280.
    let short = b"\x17\x0d250101000000Z";
    let long = b"\x18\x0f20250101000000Z";
    let pair = |first: &[u8]| {
        let second = b"\x18\x0f20500101000000Z";
        let len = u8::try_from(first.len() + second.len()).unwrap();
        [&[0x30, len][..], first, second].concat()
    };
    let parts = Parts::of(&der).with_content(&pair(short), &pair(long), &key);
    let der = parts.to_der();
    let refused = verify_certificate(&der, &key.public_key());
    assert!(matches!(refused, Err(Error::NotDer)), "{refused:?}");
    let read = Certificate::from_der(&der).unwrap();
    let start = read.tbs_certificate().validity().not_before;
    assert_eq!(start.to_date_time(), new_year(2025).to_date_time());
    assert_ne!(read.to_der().unwrap(), der);
    // A signature of the re-encoded fields is also refused.
    let other = Parts {
        signature: sign(&key, &read.tbs_certificate().to_der().unwrap()),
        ..parts
    };
    let refused = verify_certificate(&other.to_der(), &key.public_key());
    assert!(matches!(refused, Err(Error::InvalidSignature)));
}

/// Checks documents that the decoder accepts although they are not DER: elements of a `SET` in any
/// order, and a default value that is written.
#[test]
fn signed_fields_that_are_not_der_are_refused() {
    let [key, _] = keys();
    let refused = |kind: Kind, der: &[u8], from: &[u8], to: &[u8]| {
        kind.verify(der, &key.public_key()).unwrap();
        let der = Parts::of(der).with_content(from, to, &key).to_der();
        let refused = kind.verify(&der, &key.public_key());
        assert!(matches!(refused, Err(Error::NotDer)), "{refused:?}");
    };
    // Makes two attributes of one name, in the order of DER and in the reversed order.
    let [country, unit]: [&[u8]; 2] = [
        b"\x30\x09\x06\x03\x55\x04\x06\x13\x02DE",
        b"\x30\x0a\x06\x03\x55\x04\x0b\x0c\x03abc",
    ];
    let both = || name("C=DE+OU=abc");
    let issuer = key
        .self_signed_certificate(both(), years(), &mut Again([0x5a]))
        .unwrap();
    let request = key.certificate_request(both(), &mut Again([0x5a])).unwrap();
    let list = key
        .revocation_list(&issuer, revocations(), &mut Again([0x5a]))
        .unwrap();
    let der = issuer.to_der().unwrap();
    let [of_der, other] = [[country, unit], [unit, country]].map(|it| it.concat());
    for (kind, der) in [
        (Kind::Certificate, &der),
        (Kind::Request, &request.to_der().unwrap()),
        (Kind::RevocationList, &list.to_der().unwrap()),
    ] {
        refused(kind, der, &of_der, &other);
    }
    // Writes version 1, which is the default, in place of version 3.
    let version = b"\xa0\x03\x02\x01\x02";
    refused(Kind::Certificate, &der, version, b"\xa0\x03\x02\x01\x00");
}

#[test]
fn every_flipped_bit_of_a_document_is_refused() {
    for key in keys() {
        for kind in Kind::ALL {
            let mut der = kind.make(&key);
            let public = key.public_key();
            kind.verify(&der, &public).unwrap();
            for bit in 0..8 * der.len() {
                der[bit / 8] ^= 1 << (bit % 8);
                assert!(kind.verify(&der, &public).is_err(), "{kind:?}, bit {bit}");
                der[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}

#[test]
fn nothing_follows_a_document_and_nothing_is_missing() {
    for key in keys() {
        let public = key.public_key();
        for kind in Kind::ALL {
            let der = kind.make(&key);
            for more in [&[0][..], &[0, 0], &der] {
                let refused = kind.verify(&[&der, more].concat(), &public);
                assert!(matches!(refused, Err(Error::Der(_))), "{kind:?}");
            }
            for len in 0..der.len() {
                let refused = kind.verify(&der[..len], &public);
                assert!(matches!(refused, Err(Error::Der(_))), "{kind:?}, {len}");
            }
            // Adds a fourth field to the outer sequence.
            let parts = Parts::of(&der);
            let fourth = Parts {
                signature: [&parts.signature[..], &[5, 0]].concat(),
                ..parts
            };
            let refused = kind.verify(&fourth.to_der(), &public);
            assert!(matches!(refused, Err(Error::Der(_))), "{kind:?}");
        }
    }
}

#[test]
fn a_document_is_of_one_kind() {
    let [key, _] = keys();
    for made in Kind::ALL {
        let der = made.make(&key);
        for kind in Kind::ALL.into_iter().filter(|&kind| kind != made) {
            let refused = kind.verify(&der, &key.public_key());
            assert!(
                matches!(refused, Err(Error::Der(_))),
                "{made:?} as {kind:?}"
            );
        }
    }
    assert!(Certificate::from_der(&Kind::Certificate.make(&key)).is_ok());
}

/// Checks documents that must be refused according to FORMATS.md.
#[test]
fn lists_of_version_1_and_requests_without_attributes_are_refused() {
    let [key, _] = keys();
    let public = key.public_key();
    let version = [2, 1, 1];
    let list = Parts::of(&Kind::RevocationList.make(&key));
    let list = list.with_content(&version, &[], &key).to_der();
    let refused = Kind::RevocationList.verify(&list, &public);
    assert!(matches!(refused, Err(Error::Der(_))), "{refused:?}");

    let request = Parts::of(&Kind::Request.make(&key));
    let fields = AnyRef::from_der(&request.content).unwrap();
    let content = sequence(fields.value().strip_suffix(&[0xa0, 0]).unwrap());
    let request = Parts {
        signature: sign(&key, &content),
        content,
        ..request
    };
    let refused = Kind::Request.verify(&request.to_der(), &public);
    assert!(matches!(refused, Err(Error::Der(_))), "{refused:?}");
}

/// Changes, removes, doubles and moves bytes. No decoder panics, and no changed document verifies.
#[test]
fn mutated_documents_are_refused_without_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    let key = &keys()[0];
    let public = key.public_key();
    let documents = Kind::ALL.map(|kind| (kind, kind.make(key)));
    for round in 0..30_000 {
        let (kind, der) = &documents[round % 3];
        let mut mutated = der.clone();
        for _ in 0..=draw(4) {
            // Most of the structure precedes the public key and the signature.
            let bound = if draw(2) == 0 {
                mutated.len().min(200)
            } else {
                mutated.len()
            };
            let (at, len) = (draw(bound), 1 + draw(8));
            let end = (at + len).min(mutated.len());
            match draw(5) {
                0 => mutated[at] = [0, 1, 0x30, 0x31, 0x7f, 0x80, 0x84, 0xff][draw(8)],
                1 => mutated[at] = draw(256) as u8,
                2 => drop(mutated.drain(at..end)),
                3 => {
                    let copy = mutated[at..end].to_vec();
                    mutated.splice(at..at, copy);
                }
                _ => {
                    let other = draw(mutated.len());
                    mutated.swap(at, other);
                }
            }
        }
        for reader in Kind::ALL {
            let verdict = reader.verify(&mutated, &public);
            let is_same = reader == *kind && mutated == *der;
            assert_eq!(verdict.is_ok(), is_same, "{kind:?} {mutated:02x?}");
        }
    }
}
