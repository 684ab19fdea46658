//! Tests that messages which are the signed part of a document are recognized.

mod common;

use common::{ISSUER, Kind, keys, name, new_year};
use falcon_core::pkcs8::{EncodePrivateKey, EncodePublicKey};
use falcon_core::{AnySigningKey, Falcon512, SigningKey};
use falcon_kat::Again;
use falcon_x509::x509_cert::der::{self, Decode, Encode, Reader, SliceReader, asn1::AnyRef};
use falcon_x509::x509_cert::time::Validity;
use falcon_x509::{CertificateSigner, Error, SignedPart};

/// Returns the signed part of a document.
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

/// Makes a sequence of encoded fields. Its length is written in at least `digits` bytes.
fn sequence(content: &[u8], digits: usize) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let needed = length.iter().skip_while(|&&byte| byte == 0).count();
    let digits = &length[length.len() - needed.max(digits)..];
    [&[0x30, 0x80 | digits.len() as u8], digits, content].concat()
}

/// Returns the fields of a sequence.
fn fields(sequence: &[u8]) -> Vec<Vec<u8>> {
    let any = AnyRef::from_der(sequence).expect("an element");
    let mut reader = SliceReader::new(any.value()).expect("fields");
    let mut fields = Vec::new();
    while !reader.is_finished() {
        fields.push(reader.tlv_bytes().expect("a field").to_vec());
    }
    fields
}

/// Makes documents of each kind with both keys, and returns their signed parts.
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

/// Returns what a server signs in the handshake of TLS 1.3.
fn handshake() -> Vec<u8> {
    let mut message = vec![b' '; 64];
    message.extend(b"TLS 1.3, server CertificateVerify\0");
    message.extend([7; 32]);
    message
}

#[test]
fn handshakes_are_known_and_are_no_documents() {
    let message = handshake();
    let other = |context: &[u8]| [&message[..64], context].concat();
    for message in [
        message.clone(),
        other(b"TLS 1.3, client CertificateVerify\0"),
        other(b"TLS, server delegated credentials\0"),
        other(b"Exported Authenticator\0"),
    ] {
        assert_eq!(
            SignedPart::of_message(&message),
            Some(SignedPart::Handshake)
        );
        let part = SignedPart::of_beginning(&message[..86]);
        assert_eq!(part, Some(SignedPart::Handshake));
        let error = SignedPart::from_der(&message).expect_err("no document");
        assert!(matches!(error, Error::NotSignedPart), "{error}");
    }
    assert_eq!(SignedPart::of_message(&message[1..]), None);
    assert_eq!(SignedPart::of_message(&message[..66]), None);
    assert_eq!(SignedPart::of_message(&other(b" TLS 1.3")), None);
    assert_eq!(SignedPart::of_message(&other(b"a table")), None);
}

#[test]
fn signed_parts_are_known() {
    for (kind, part) in signed_parts() {
        assert_eq!(SignedPart::of_message(&part), Some(kind));
        // A beginning of at least 60 bytes is recognized, too.
        for length in 60..part.len() {
            let start = &part[..length];
            let seen = SignedPart::of_beginning(start).expect("a signed part");
            // Until the names end, a list may look like a certificate.
            assert!(seen == kind || length < 200, "{length}: {seen:?}");
            assert_eq!(SignedPart::of_message(start), None, "{length}");
        }
        let longer = [&part[..], b"\n"].concat();
        assert_eq!(SignedPart::of_message(&longer), None);
    }
}

/// Certificates and lists of version 1 have no version field.
#[test]
fn signed_parts_without_a_version_are_known() {
    for (kind, part) in signed_parts() {
        if kind != SignedPart::Request {
            let part = sequence(&fields(&part)[1..].concat(), 1);
            assert_eq!(SignedPart::of_message(&part), Some(kind));
        }
    }
}

/// Checks encodings in BER, which some verifiers accept.
#[test]
fn other_spellings_of_lengths_are_known() {
    for (kind, part) in signed_parts() {
        let content = fields(&part).concat();
        assert_eq!(SignedPart::of_message(&sequence(&content, 4)), Some(kind));
        let indefinite = [&[0x30, 0x80][..], &content, &[0, 0]].concat();
        assert_eq!(SignedPart::of_message(&indefinite), Some(kind));
        let open = [0x30, 0x80, 0xa0, 0x80];
        assert!(SignedPart::of_beginning(&open).is_some());
        assert_eq!(SignedPart::of_message(&open), None, "no end");
    }
}

/// Replaces the tag of an element, which is one byte, by `tag`.
fn with_tag(element: &[u8], tag: &[u8]) -> Vec<u8> {
    [tag, &element[1..]].concat()
}

/// Wraps a short element in a constructed element of indefinite length, as its only piece.
fn in_pieces(element: &[u8]) -> Vec<u8> {
    [&[element[0] | 0x20, 0x80][..], element, &[0, 0]].concat()
}

/// OpenSSL 3.0 accepts tags in the high form, strings in pieces, and empty names of indefinite
/// length.
#[test]
fn other_spellings_of_tags_are_known() {
    let high = |element: &[u8]| {
        let tag = element[0];
        with_tag(element, &[tag | 0x1f, tag & 0x1f])
    };
    let longer = |element: &[u8]| {
        let tag = element[0];
        with_tag(element, &[tag | 0x1f, 0x80, 0x80, tag & 0x1f])
    };
    let empty_name = [0x30, 0x80, 0, 0].to_vec();
    for (kind, part) in signed_parts() {
        let known = |part: &[u8]| {
            assert_eq!(SignedPart::of_message(part), Some(kind), "{part:02x?}");
        };
        known(&high(&part));
        known(&longer(&part));
        let of_kind = fields(&part);
        let (name, time) = match kind {
            SignedPart::Certificate => (3, Some(4)),
            SignedPart::Request => (1, None),
            _ => (2, Some(3)),
        };
        // Changes each field that the function examines.
        for index in 0..=time.unwrap_or(name + 1) {
            for spelling in [high, longer] {
                let mut fields = of_kind.clone();
                fields[index] = spelling(&fields[index]);
                known(&sequence(&fields.concat(), 1));
            }
        }
        let mut with_empty_name = of_kind.clone();
        with_empty_name[name] = empty_name.clone();
        known(&sequence(&with_empty_name.concat(), 1));
        // The end of an inner element must not be mistaken for the end of the whole.
        let indefinite = [&[0x30, 0x80][..], &with_empty_name.concat(), &[0, 0]].concat();
        known(&indefinite);
        if let Some(time) = time {
            let mut in_time = of_kind.clone();
            in_time[time] = match kind {
                SignedPart::Certificate => {
                    let mut times = fields(&in_time[time]);
                    times[0] = in_pieces(&times[0]);
                    sequence(&times.concat(), 1)
                }
                _ => in_pieces(&in_time[time]),
            };
            known(&sequence(&in_time.concat(), 1));
        }
    }
}

/// Checks times from 2050 on, which are written with four-digit years.
#[test]
fn later_certificates_are_known() {
    for key in keys() {
        let later = Validity::new(new_year(2050), new_year(2060));
        let later = key.self_signed_certificate(name(ISSUER), later, &mut Again([0x5a]));
        let later = later.and_then(|later| Ok(later.to_der()?));
        let part = signed_part(&later.expect("a certificate"));
        assert_eq!(SignedPart::of_message(&part), Some(SignedPart::Certificate));
    }
}

/// Changes a single field. The message is then not recognized.
#[test]
fn messages_that_differ_in_one_field_are_others() {
    for (kind, part) in signed_parts() {
        let other = |part: &[u8]| {
            let found = SignedPart::of_message(part);
            assert_eq!(found, None, "{kind:?} {part:02x?}");
        };
        other(&with_tag(&part, &[0x31])); // a set
        let of_kind = fields(&part);
        let (integer, rest) = match kind {
            SignedPart::Certificate => (1, 2),
            _ => (0, 1),
        };
        // These tags do not mean an integer, although the last byte of each is the tag of an
        // integer.
        for tag in [&[0x1e, 2][..], &[0x1f, 0x81, 2], &[0x1f, 0xff, 0xff, 2]] {
            let mut fields = of_kind.clone();
            fields[integer] = with_tag(&[2, 1, 0], tag);
            other(&sequence(&fields.concat(), 1));
        }
        // Makes a sequence without its required fields.
        let empty = if kind == SignedPart::Request { 2 } else { rest };
        let mut fields = of_kind.clone();
        fields[empty] = vec![0x30, 0];
        other(&sequence(&fields.concat(), 1));
    }
}

/// Identifier of the contents of a PKCS#12 file. Such a file may begin like a certificate.
const DATA: [u8; 11] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1];

#[test]
fn pkcs12_is_another_message_if_it_is_whole() {
    let safe = [&DATA[..], &[0xa0, 0x82, 0xff, 0xf0], &[4; 0xfff0]].concat();
    let mac = sequence(&[0x30, 0, 4, 0], 1);
    let version = [2, 1, 3];
    let file = sequence(&[&version[..], &sequence(&safe, 1), &mac].concat(), 3);
    assert_eq!(SignedPart::of_message(&file), None);
    let seen = SignedPart::of_beginning(&file[..1000]);
    assert_eq!(seen, Some(SignedPart::Certificate));
}

/// Changes the algorithm in a signed part. Some verifiers ignore this algorithm, so a signed part
/// must be recognized whatever its algorithm.
#[test]
fn no_algorithm_hides_a_signed_part() {
    let long = [&[0xa0, 0x83, 1, 0x11, 0x70][..], &[4; 70_000]].concat();
    for (kind, part) in signed_parts() {
        let place = match kind {
            SignedPart::Certificate => 2,
            SignedPart::RevocationList => 1,
            _ => continue,
        };
        let mut fields = fields(&part);
        // Uses the version of PKCS#12, with the algorithm of the key.
        fields[place - 1] = vec![2, 1, 3];
        let third = sequence(&fields.concat(), 1);
        assert_eq!(SignedPart::of_message(&third), Some(kind));
        for content in [&[][..], &[5, 0], &[0xa0, 2, 4, 0], &long] {
            fields[place] = sequence(&[&DATA[..], content].concat(), 3);
            let part = sequence(&fields.concat(), 3);
            assert_eq!(SignedPart::of_message(&part), Some(kind));
            assert!(SignedPart::of_beginning(&part[..60]).is_some());
            let start = &part[..part.len().min(65_537)];
            assert!(SignedPart::of_beginning(start).is_some());
        }
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
    documents.push(sequence(&[2, 1, 5, 2, 1, 7], 1)); // an ECDSA signature
    documents.push(Vec::new());
    for document in documents {
        assert_eq!(SignedPart::of_message(&document), None);
        // The beginning of a longer document is not recognized either.
        if document.len() > 60 {
            assert_eq!(SignedPart::of_beginning(&document[..60]), None);
        }
    }
}

#[test]
fn whole_signed_parts_in_der_are_decoded() {
    for (kind, part) in signed_parts() {
        assert_eq!(SignedPart::from_der(&part).expect("a signed part"), kind);
        let refused = |message: &[u8]| {
            let error = SignedPart::from_der(message).expect_err("not a signed part");
            let expected = match SignedPart::of_message(message) {
                Some(_) => matches!(error, Error::Der(_) | Error::NotDer),
                None => matches!(error, Error::NotSignedPart),
            };
            assert!(expected, "{error:?}");
        };
        for length in 0..part.len() {
            refused(&part[..length]);
        }
        refused(&[&part[..], &[0]].concat());
        let fields = fields(&part);
        // Tries another length, an indefinite length, an extra field, and missing last fields.
        refused(&sequence(&fields.concat(), 4));
        refused(&[&[0x30, 0x80][..], &fields.concat(), &[0, 0]].concat());
        refused(&sequence(&[&fields.concat()[..], &[5, 0]].concat(), 1));
        refused(&sequence(&fields[..fields.len() - 2].concat(), 1));
        let order = b"PAY 1000000 EUR TO MALLORY\n".repeat(8);
        for known in 3..fields.len() {
            refused(&sequence(
                &[&fields[..known].concat(), &order[..]].concat(),
                1,
            ));
        }
        // The whole document is not a signed part.
        refused(&sequence(&[&part[..], &[0x30, 0], &[3, 1, 0]].concat(), 1));
    }
    for message in [&b""[..], b"order #42", &[0x30, 0]] {
        let error = SignedPart::from_der(message);
        assert!(matches!(error, Err(Error::NotSignedPart)));
    }
}

/// Checks a default value that is encoded. It can be decoded, but is not DER.
#[test]
fn signed_parts_that_are_not_der_are_refused() {
    let (kind, part) = signed_parts().remove(0);
    assert_eq!(kind, SignedPart::Certificate);
    let mut fields = fields(&part);
    // Version 1 has no extensions.
    fields.pop();
    fields[0] = vec![0xa0, 3, 2, 1, 0];
    let written = SignedPart::from_der(&sequence(&fields.concat(), 1));
    assert!(
        matches!(written, Err(Error::NotDer | Error::Der(_))),
        "{written:?}"
    );
    let left_out = SignedPart::from_der(&sequence(&fields[1..].concat(), 1));
    assert_eq!(left_out.expect("version 1"), kind);
}

/// Checks a set in another order. It can be decoded, but is not DER.
#[test]
fn names_that_are_not_der_are_refused() {
    let name = |first: u8, second: u8| {
        let part = |letter| {
            let name = [0x30, 8, 6, 3, 0x55, 4, 3, 0x0c, 1, letter];
            name.to_vec()
        };
        let set = [part(first), part(second)].concat();
        let set = [&[0x31, set.len() as u8][..], &set].concat();
        [&[0x30, set.len() as u8][..], &set].concat()
    };
    for (kind, part) in signed_parts() {
        let place = match kind {
            SignedPart::Certificate => 3,
            SignedPart::Request => 1,
            _ => 2,
        };
        let with = |name: Vec<u8>| {
            let mut fields = fields(&part);
            fields[place] = name;
            sequence(&fields.concat(), 1)
        };
        let sorted = SignedPart::from_der(&with(name(b'a', b'b')));
        assert_eq!(sorted.expect("a signed part"), kind);
        let unsorted = SignedPart::from_der(&with(name(b'b', b'a')));
        assert!(
            matches!(unsorted, Err(Error::NotDer | Error::Der(_))),
            "{unsorted:?}"
        );
    }
}

/// Checks that arbitrary bytes cause neither a panic nor a long computation.
#[test]
fn no_bytes_are_an_error() {
    for (_, part) in signed_parts() {
        for index in 0..120.min(part.len()) {
            for bit in 0..8 {
                let mut part = part.clone();
                part[index] ^= 1 << bit;
                SignedPart::of_message(&part);
                SignedPart::of_beginning(&part[..index + 1]);
                SignedPart::from_der(&part).ok();
            }
        }
    }
    let huge = [&[0x30, 0xff][..], &[0xff; 200]].concat();
    assert_eq!(SignedPart::of_message(&huge), None);
}
