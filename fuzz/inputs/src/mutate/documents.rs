//! Key documents: DER as a tree, and PEM around it.

use super::objects::{object, stored_object};
use super::tlv::{self, Length, Node, Value};
use super::{Rng, damage, one_in, pick};
use falcon_core::pkcs8::{
    LineEnding, ObjectIdentifier,
    der::pem::{decode_vec, encode_string},
};

/// Object identifiers: first those of keys, then those of encryption algorithms.
const IDENTIFIERS: [&str; 21] = [
    "1.3.9999.3.11",
    "1.3.9999.3.14",
    "1.3.9999.3.16",
    "1.3.9999.3.19",
    "1.3.9999.3.6",
    "1.3.9999.3.9",
    "1.3.9999.3.12",
    "1.2.840.113549.1.5.13",
    "1.2.840.113549.1.5.12",
    "1.3.6.1.4.1.11591.4.11",
    "1.2.840.113549.2.7",
    "1.2.840.113549.2.8",
    "1.2.840.113549.2.9",
    "1.2.840.113549.2.10",
    "1.2.840.113549.2.11",
    "2.16.840.1.101.3.4.1.2",
    "2.16.840.1.101.3.4.1.22",
    "2.16.840.1.101.3.4.1.42",
    "2.16.840.1.101.3.4.1.6",
    "2.16.840.1.101.3.4.1.46",
    "1.3.14.3.2.7",
];

/// Tags that occur in documents, and some tags that do not.
const TAGS: [u8; 16] = [
    0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0c, 0x24, 0x30, 0x31, 0x80, 0x81, 0x82, 0xa0, 0xa1, 0xbf,
];

const LABELS: [&str; 8] = [
    "PUBLIC KEY",
    "PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "CERTIFICATE",
    "CERTIFICATE REQUEST",
    "X509 CRL",
    "public key",
    "RSA PRIVATE KEY",
];

/// Changes a document, DER or PEM. Sometimes converts one to the other.
pub fn mutate(rng: &mut Rng, bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"-----BEGIN ") {
        let der = mutate_der(rng, bytes)?;
        if !one_in(rng, 8) {
            return Some(der);
        }
        let label = pick(rng, &LABELS);
        return encode_string(label, LineEnding::LF, &der)
            .ok()
            .map(Into::into);
    }
    let (label, mut der) = decode_vec(bytes).ok()?;
    if !one_in(rng, 4) {
        der = mutate_der(rng, &der)?;
    }
    if one_in(rng, 8) {
        return Some(der);
    }
    let label = if one_in(rng, 8) {
        pick(rng, &LABELS)
    } else {
        label
    };
    let ending = pick(
        rng,
        &[
            LineEnding::LF,
            LineEnding::LF,
            LineEnding::CRLF,
            LineEnding::CR,
        ],
    );
    let mut text = encode_string(label, ending, &der).ok()?.into_bytes();
    let lines = text.split(|&byte| byte == b'\n').count();
    match rng.u8(..8) {
        // Joins two lines.
        0 => {
            let at = rng.usize(..lines);
            let place = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            if let Some((place, _)) = place.clone().nth(at) {
                text.remove(place);
            }
        }
        1 => text.insert(rng.usize(..text.len()), pick(rng, b" \n\r\t=-+/A")),
        2 => damage(rng, &mut text),
        3 => text = [b"Text before the document.\n", &text[..]].concat(),
        _ => {}
    }
    Some(text)
}

/// Changes the tree of a document. Sometimes damages its encoding.
pub fn mutate_der(rng: &mut Rng, der: &[u8]) -> Option<Vec<u8>> {
    let mut nodes = tlv::read(der)?;
    for _ in 0..=rng.u8(..3) {
        let count = tlv::count(&nodes);
        if count == 0 {
            return None;
        }
        let mut at = rng.usize(..count);
        tlv::change_at(&mut nodes, &mut at, &mut |siblings, i| {
            change(rng, siblings, i);
        });
    }
    let mut der = tlv::write(&nodes);
    if one_in(rng, 16) {
        damage(rng, &mut der);
    }
    Some(der)
}

/// Changes, moves, wraps, copies or removes a node, or inserts another one.
fn change(rng: &mut Rng, siblings: &mut Vec<Node>, i: usize) {
    match rng.u8(..16) {
        0 => drop(siblings.remove(i)),
        1 => siblings.insert(i, siblings[i].clone()),
        2 => {
            let j = rng.usize(..siblings.len());
            siblings.swap(i, j);
        }
        3 => siblings[i].tag = pick(rng, &TAGS),
        4 => {
            let outer = Node::nodes(pick(rng, &[0x04, 0x30, 0xa0]), vec![siblings[i].clone()]);
            siblings[i] = outer;
        }
        5 => {
            if let Value::Nodes(inner) = siblings[i].value.clone() {
                siblings.splice(i..=i, inner);
            }
        }
        6 | 7 => {
            let node = any_node(rng);
            siblings.insert(i + usize::from(rng.bool()), node);
        }
        8 => {
            let lengths = [
                Length::Long,
                Length::Indefinite,
                Length::Wrong(1),
                Length::Wrong(-1),
                Length::Wrong(0x7fff),
            ];
            siblings[i].length = pick(rng, &lengths);
        }
        _ => change_value(rng, &mut siblings[i]),
    }
}

/// Makes a node that can occur in a document.
fn any_node(rng: &mut Rng) -> Node {
    match rng.u8(..8) {
        0 => Node::bytes(0x05, []),
        1 => Node::bytes(0x06, identifier(rng)),
        2 => Node::bytes(0x02, integer(rng)),
        3 => Node::bytes(0x04, stored_object(rng)),
        4 => Node::bytes(0x03, [vec![0], stored_object(rng)].concat()),
        // The fields `publicKey` and `attributes` of PKCS#8.
        5 => Node::bytes(0x81, [vec![0], stored_object(rng)].concat()),
        6 => Node::nodes(0xa0, vec![]),
        _ => Node::nodes(0x30, vec![]),
    }
}

fn identifier(rng: &mut Rng) -> Vec<u8> {
    let identifier = ObjectIdentifier::new_unwrap(pick(rng, &IDENTIFIERS));
    identifier.as_bytes().to_vec()
}

/// Makes the contents of an `INTEGER`: versions, costs, numbers at an edge, and malformed numbers.
fn integer(rng: &mut Rng) -> Vec<u8> {
    let value = match rng.u8(..4) {
        0 => rng.u64(..4),
        1 => 1 << rng.u8(..64),
        2 => (1u64 << rng.u8(1..64)) - 1,
        _ => rng.u64(..),
    };
    let bytes = value.to_be_bytes();
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count().min(7);
    let digits = &bytes[zeros..];
    match rng.u8(..8) {
        0 => vec![],
        1 => [&[0, 0], digits].concat(),
        2 => digits.to_vec(),
        _ if digits[0] < 0x80 => digits.to_vec(),
        _ => [&[0], digits].concat(),
    }
}

/// Changes the contents of a node.
fn change_value(rng: &mut Rng, node: &mut Node) {
    let Value::Bytes(bytes) = &mut node.value else {
        return node.tag = pick(rng, &TAGS);
    };
    match node.tag {
        0x06 => *bytes = identifier(rng),
        0x02 => *bytes = integer(rng),
        0x03 | 0x81 if !bytes.is_empty() && !one_in(rng, 8) => {
            let unused = if one_in(rng, 8) { rng.u8(..9) } else { 0 };
            let inner = object(rng, &bytes[1..]).unwrap_or_else(|| stored_object(rng));
            *bytes = [vec![unused], inner].concat();
        }
        0x04 if !one_in(rng, 8) => {
            // The bytes are a signing key, perhaps followed by its verifying key.
            let len = match bytes.first() {
                Some(0x59) => 1281,
                Some(0x5a) => 2305,
                _ => bytes.len(),
            };
            let (secret, public) = bytes.split_at(len.min(bytes.len()));
            let (secret, public) = (secret.to_vec(), public.to_vec());
            *bytes = match rng.u8(..4) {
                0 => secret,
                1 => [secret, stored_object(rng)].concat(),
                2 => {
                    let public = object(rng, &public).unwrap_or(public);
                    [secret, public].concat()
                }
                _ => match object(rng, &secret) {
                    Some(secret) => [secret, public].concat(),
                    None => {
                        damage(rng, bytes);
                        return;
                    }
                },
            };
        }
        _ => damage(rng, bytes),
    }
}
