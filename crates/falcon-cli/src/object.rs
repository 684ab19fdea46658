//! Decodes files with a key, a signature or a certificate, in any of its encodings.
//!
//! The user need not name the type, because encodings cannot be mistaken for each other. PEM has a
//! label, DER begins with `0x30`, and every other encoded object has its own header byte and
//! length.

use crate::error::{self, Error};
use crate::oids::{FALCON_KEYS, OTHER_KEYS, PBES2, is_falcon};
use crate::pem_text::{BEGIN, BYTE_ORDER_MARK, has_pem_of_key, pem_blocks};
use crate::program::{Program, Secret};
use crate::stored::{StoredKey, Use};
use crate::x509::{Document, Kind};
use ::pkcs8::EncryptedPrivateKeyInfoRef;
use clap::ValueEnum;
use falcon_core::det1024::{CT_LEN, CompressedSignature, CtSignature};
use falcon_core::pkcs8::{
    self, DecodePrivateKey, EncryptionError, LineEnding, ObjectIdentifier, PrivateKeyInfoRef,
    SecretDocument, SubjectPublicKeyInfoRef, decrypt_private_key,
    der::{
        self, Decode, Header, Reader, SliceReader, Tag,
        asn1::{AnyRef, OctetStringRef},
        pem,
    },
};
use falcon_core::{
    AnySignature, AnySigningKey, AnyVerifyingKey, DecodeError, Format, ParameterSet,
};
use falcon_envelope::{Envelope, ParseError};
use serde::Serialize;
use zeroize::Zeroizing;

/// Name and files of the program.
pub(crate) static PROGRAM: Program = Program {
    name: "falcon-cli",
    temporary: ".falcon-",
    locked: &["key", "trust list"],
    environment: &[
        (
            "FALCON_ENGINE",
            "Engine of the commands that sign, verify or measure, if --engine is auto. A wrong name is an error, except \
             for verify and verify-table, which warn and take the best engine.",
        ),
        (
            "TMPDIR",
            "Folder for temporary files and for the files of demo. Default: /tmp.",
        ),
    ],
    secret_in: |start| is_secret_key(start).then_some(Secret::Key),
};

/// Label of a signature in PEM.
const SIGNATURE_LABEL: &str = "FALCON SIGNATURE";

/// Length of the longest PEM label that is shown, in bytes.
const MAX_LABEL: usize = 64;

/// Form in which a file contains an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Container {
    /// Text with a label.
    Pem,
    /// ASN.1.
    Der,
    /// The encoding of the specification.
    #[serde(rename = "raw")]
    Encoded,
    /// Text whose first line names its format.
    Text,
}

/// A key, a signature, or an X.509 document.
pub(crate) enum Object {
    /// The DER of a secret key that needs a passphrase.
    Encrypted(Zeroizing<Vec<u8>>),
    /// A secret key.
    Secret(StoredKey),
    /// A public key.
    Public(AnyVerifyingKey),
    /// A signature and its format.
    Signature(AnySignature, Format),
    /// A deterministic signature and its format.
    Deterministic(Box<CompressedSignature>, Format),
    /// A signature with a statement of its signer.
    Envelope(Box<Envelope>),
    /// A certificate, a certificate request or a revocation list.
    X509(Box<Document>),
}

impl Object {
    /// Returns true for a secret key, encrypted or not.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_) | Self::Encrypted(_))
    }

    /// Returns the kind of the object with an article, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Encrypted(_) => "an encrypted secret key",
            Self::Secret(_) => "a secret key",
            Self::Public(_) => "a public key",
            Self::Signature(..) | Self::Deterministic(..) => "a signature",
            Self::Envelope(_) => "an envelope",
            Self::X509(document) => match document.kind {
                Kind::Certificate => "a certificate",
                Kind::Request => "a certificate request",
                Kind::RevocationList => "a revocation list",
            },
        }
    }
}

/// Reason why bytes are neither a key nor a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Undecodable {
    /// Description of the file's contents. It continues a sentence that begins with the file's
    /// name.
    Found(String),
    /// The file is neither a key nor a signature, and nothing else about it is known.
    Unknown(&'static str),
    /// Reason why an envelope is malformed.
    Envelope(ParseError),
}

impl Undecodable {
    fn found(text: impl Into<String>) -> Self {
        Self::Found(text.into())
    }
}

type Result<T> = std::result::Result<T, Undecodable>;

/// Decodes a file that holds one object.
pub(crate) fn decode(bytes: &[u8]) -> Result<(Object, Container)> {
    let (mut objects, container) = decode_all(bytes)?;
    match (objects.pop(), objects.len()) {
        (Some(object), 0) => Ok((object, container)),
        (_, others) => Err(Undecodable::Found(format!(
            "holds {} PEM blocks, and one is expected",
            others + 1
        ))),
    }
}

/// Decodes every object of a file: one object for each PEM block, or a single object.
pub(crate) fn decode_all(bytes: &[u8]) -> Result<(Vec<Object>, Container)> {
    if Envelope::is_likely(bytes) {
        let envelope = Envelope::parse(bytes).map_err(Undecodable::Envelope)?;
        return Ok((vec![Object::Envelope(Box::new(envelope))], Container::Text));
    }
    let blocks = pem_blocks(bytes).map_err(Undecodable::Found)?;
    if !blocks.is_empty() {
        let objects = blocks.iter().map(|pem| from_pem(pem));
        return Ok((objects.collect::<Result<_>>()?, Container::Pem));
    }
    let (object, container) = match bytes.first() {
        Some(0x30) => (from_der(bytes), Container::Der),
        Some(0xba | 0xda) => (deterministic_signature(bytes), Container::Encoded),
        _ => (from_encoded(bytes), Container::Encoded),
    };
    let object = object.map_err(|error| headerless(bytes).unwrap_or(error))?;
    Ok((vec![object], container))
}

/// Returns advice for a public key that may lack its header byte. Such a key is not read, since
/// only its length identifies it. A file that begins with the header byte may be a truncated key,
/// and gets no such advice.
fn headerless(bytes: &[u8]) -> Option<Undecodable> {
    let key = AnyVerifyingKey::from_headerless_bytes(bytes).ok()?;
    let header = key.to_bytes()[0];
    (bytes.first() != Some(&header)).then(|| {
        Undecodable::Found(format!(
            "{} bytes, as a {} public key without its header byte. To add the byte: (printf \
            '\\{header:03o}'; cat FILE) > FILE.pub",
            bytes.len(),
            key.name()
        ))
    })
}

/// Number of bytes of a file's beginning that [`may_be_secret_key`] needs.
pub(crate) const SECRET_KEY_START: usize = BYTE_ORDER_MARK.len() + BEGIN.len();

/// Returns true if a file with this beginning may be a secret key. PEM that follows other text is
/// not found.
pub(crate) fn may_be_secret_key(start: &[u8]) -> bool {
    let text = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    text.starts_with(BEGIN) || matches!(start.first(), Some(0x30 | 0x59 | 0x5a))
}

/// Returns true if a file that begins with these bytes is a secret key, even a damaged one. Damaged
/// PEM is not recognized here: `falcon_terminal` looks for the PEM labels of all programs.
pub(crate) fn is_secret_key(start: &[u8]) -> bool {
    may_be_secret_key(start)
        && (looks_like_secret_key(start)
            || decode_all(start).is_ok_and(|(objects, _)| objects.iter().any(Object::is_secret)))
}

/// Returns true if bytes begin like the document of a secret key, encrypted or not, or have the
/// first byte and about the length of a secret key in the encoding of the specification.
fn looks_like_secret_key(bytes: &[u8]) -> bool {
    let is_near = |len: usize| bytes.len().abs_diff(len) <= LOST_OR_ADDED && !bytes.is_ascii();
    match bytes.first() {
        Some(0x30) => begins_as_document(bytes) == Ok(true),
        Some(0x59 | 0x5a) => is_near(ParameterSet::of_encoding(bytes).signing_key_len()),
        _ => false,
    }
}

/// Largest number of bytes that a damaged secret key may have lost or gained. A constant-time
/// signature has the same first byte, and a length that is farther away.
const LOST_OR_ADDED: usize = 64;

/// Returns true if bytes begin like `SEQUENCE { INTEGER, SEQUENCE { Falcon` or, encrypted, like
/// `SEQUENCE { SEQUENCE { PBES2`. Lengths do not matter.
fn begins_as_document(bytes: &[u8]) -> der::Result<bool> {
    let mut reader = SliceReader::new(bytes)?;
    Header::decode(&mut reader)?
        .tag()
        .assert_eq(Tag::Sequence)?;
    let is_encrypted = reader.peek_byte() != Some(0x02);
    if !is_encrypted {
        AnyRef::decode(&mut reader)?;
    }
    Header::decode(&mut reader)?
        .tag()
        .assert_eq(Tag::Sequence)?;
    let algorithm = ObjectIdentifier::decode(&mut reader)?;
    Ok(match is_encrypted {
        true => algorithm == PBES2,
        // At this place, the signed part of a version 1 certificate has a name, not an octet
        // string.
        false => is_falcon(algorithm) && reader.peek_byte().is_none_or(|tag| tag == 0x04),
    })
}

/// Returns true if a file holds a key: an encoding that decodes, or PEM with the label of a key,
/// even if it is damaged or was written by another program.
pub(crate) fn is_key(bytes: &[u8]) -> bool {
    let is_object = |object: &Object| object.is_secret() || matches!(object, Object::Public(_));
    has_pem_of_key(bytes)
        || looks_like_secret_key(bytes)
        || decode_all(bytes).is_ok_and(|(objects, _)| objects.iter().any(is_object))
}

/// Returns the label of a PEM block, whatever its contents.
fn pem_label(pem: &[u8]) -> Option<&str> {
    let line = pem.split(|&byte| byte == b'\n').next()?;
    let label = line.strip_prefix(BEGIN)?.strip_suffix(b"-----")?;
    let is_printable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    let is_label = label.len() <= MAX_LABEL && label.iter().all(is_printable);
    str::from_utf8(label).ok().filter(|_| is_label)
}

fn from_pem(pem: &[u8]) -> Result<Object> {
    let damaged = || Undecodable::found("is damaged PEM: was it truncated or edited?");
    // Some programs write blocks that the decoder refuses: lines of different lengths, or headers.
    let label = pem_label(pem).ok_or_else(damaged)?;
    let decode: fn(&[u8]) -> Result<Object> = match label {
        SIGNATURE_LABEL => encoded_signature,
        // Either label is accepted for both, as in `OpenedKey::from_pem`.
        "PRIVATE KEY" | "ENCRYPTED PRIVATE KEY" => {
            |der| encrypted_from_der(der).or_else(|_| secret_from_der(der).map(Object::Secret))
        }
        "PUBLIC KEY" => |der| public_from_der(der).map(Object::Public),
        "CERTIFICATE" | "X509 CERTIFICATE" => |der| x509_from_der(Kind::Certificate, der),
        "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST" => {
            |der| x509_from_der(Kind::Request, der)
        }
        "X509 CRL" => |der| x509_from_der(Kind::RevocationList, der),
        _ => {
            return Err(Undecodable::Found(format!(
                "is PEM of the type {label}, not a Falcon key or signature"
            )));
        }
    };
    let mut decoder = pem::Decoder::new_detect_wrap(pem).map_err(|_| damaged())?;
    let mut content = Zeroizing::new(Vec::with_capacity(decoder.remaining_len()));
    decoder.decode_to_end(&mut content).map_err(|_| damaged())?;
    decode(&content)
}

fn x509_from_der(kind: Kind, der: &[u8]) -> Result<Object> {
    let document = Document::of_kind(kind, der).map(|it| Object::X509(Box::new(it)));
    document.ok_or_else(|| Undecodable::Found(format!("is a damaged {}", kind.name())))
}

fn from_der(der: &[u8]) -> Result<Object> {
    if PrivateKeyInfoRef::try_from(der).is_ok() {
        secret_from_der(der).map(Object::Secret)
    } else if SubjectPublicKeyInfoRef::try_from(der).is_ok() {
        public_from_der(der).map(Object::Public)
    } else if let Some(document) = Document::of_any_kind(der) {
        Ok(Object::X509(Box::new(document)))
    } else {
        encrypted_from_der(der).map_err(|_| Undecodable::Unknown("it is DER of another kind"))
    }
}

/// Replaces a decoding error by one that names the `kind` of document.
fn document<T, E>(decoded: std::result::Result<T, E>, kind: &str) -> Result<T> {
    decoded.map_err(|_| Undecodable::Found(format!("is a damaged {kind} document")))
}

fn encrypted_from_der(der: &[u8]) -> Result<Object> {
    document(EncryptedPrivateKeyInfoRef::try_from(der), "PKCS#8")?;
    Ok(Object::Encrypted(Zeroizing::new(der.to_vec())))
}

/// Decrypts a key that [`decode`] found to be encrypted. Returns `None` if the passphrase is wrong.
pub(crate) fn decrypt(der: &[u8], passphrase: &str) -> Result<Option<StoredKey>> {
    match decrypt_private_key(der, passphrase) {
        Ok(plain) => secret_from_der(plain.as_bytes()).map(Some),
        // A wrong passphrase gives wrong padding or, occasionally, right padding around bytes that
        // are not a document.
        Err(pkcs8::Error::EncryptedPrivateKey(EncryptionError::DecryptFailed))
        | Err(pkcs8::Error::Asn1(_)) => Ok(None),
        Err(_) => Err(Undecodable::found(
            "is encrypted with an algorithm or a cost that is not supported: \
            scrypt up to N r p = 2097152 or PBKDF2 up to 10,000,000 iterations \
            (1,428,571 with SHA-512), and AES-CBC",
        )),
    }
}

fn secret_from_der(der: &[u8]) -> Result<StoredKey> {
    let key = unmarked_from_der(der)?;
    SecretDocument::try_from(der)
        .map_err(pkcs8::Error::from)
        .and_then(|document| StoredKey::of_document(key, document))
        .map_err(|_| {
            Undecodable::found("holds a secret key with malformed attributes: was it damaged?")
        })
}

/// Decodes the key of a document and ignores its use.
fn unmarked_from_der(der: &[u8]) -> Result<AnySigningKey> {
    let info = document(PrivateKeyInfoRef::try_from(der), "PKCS#8")?;
    let key = key_under(info.algorithm.oid, |oid| {
        let mut info = info.clone();
        info.algorithm.oid = oid;
        let document = SecretDocument::try_from(info).ok()?;
        AnySigningKey::from_pkcs8_der(document.as_bytes()).ok()
    });
    // The error of the document does not say that the basis is too long.
    if key.is_err() && holds_too_long_a_key(info.private_key.as_bytes()) {
        return Err(Undecodable::Found(format!(
            "holds a Falcon secret key, but {}",
            DecodeError::KeyNorm
        )));
    }
    key
}

/// Returns true if the contents of a document are a secret key whose basis is too long for signing.
fn holds_too_long_a_key(contents: &[u8]) -> bool {
    let keys = <&OctetStringRef>::from_der(contents).map_or(contents, |wrapped| wrapped.as_bytes());
    let len = ParameterSet::of_encoding(keys).signing_key_len();
    let decoded = keys.get(..len).map(AnySigningKey::try_from);
    matches!(decoded, Some(Err(DecodeError::KeyNorm)))
}

fn public_from_der(der: &[u8]) -> Result<AnyVerifyingKey> {
    let info = document(
        SubjectPublicKeyInfoRef::try_from(der),
        "SubjectPublicKeyInfo",
    )?;
    key_under(info.algorithm.oid, |oid| {
        let mut info = info.clone();
        info.algorithm.oid = oid;
        AnyVerifyingKey::try_from(info).ok()
    })
}

/// Decodes the key of a document that names the algorithm `oid`. `decode` decodes the document as
/// if it named the algorithm in the argument.
fn key_under<K>(
    oid: ObjectIdentifier,
    decode: impl Fn(ObjectIdentifier) -> Option<K>,
) -> Result<K> {
    if let Some(key) = decode(oid) {
        return Ok(key);
    }
    let mut known = FALCON_KEYS.iter();
    let held = known.find(|(other, _)| decode(*other).is_some());
    let named = FALCON_KEYS.iter().find(|(it, _)| *it == oid);
    let other = OTHER_KEYS.iter().find(|(it, _)| *it == oid);
    Err(Undecodable::Found(match (held, named, other) {
        (Some((_, held)), Some((_, named)), _) => {
            format!("is marked as a {named} key, but holds a {held} key")
        }
        (Some((_, held)), None, _) => {
            format!("holds a {held} key, but names the algorithm {oid}")
        }
        (None, Some((_, named)), _) => {
            format!("is marked as a {named} key, but holds none: was it damaged?")
        }
        (None, None, Some((_, other))) => format!("is an {other} key, not a Falcon key"),
        (None, None, None) => format!("is a key of the algorithm {oid}, not a Falcon key"),
    }))
}

/// Decodes an encoded object. Its header and length identify the kind. The header alone is not
/// enough: `0x50 + logn` begins both a secret key and a constant-time signature.
fn from_encoded(bytes: &[u8]) -> Result<Object> {
    let Some(&header) = bytes.first() else {
        return Err(Undecodable::found("is empty"));
    };
    let unknown = Undecodable::Unknown("unknown file format");
    let set = ParameterSet::of_header(header).ok_or(unknown)?;
    let (len, secret_len) = (bytes.len(), set.signing_key_len());
    // The header of a secret key has two possible lengths. The nearer one was probably meant.
    let is_nearer = |other: usize| len.abs_diff(secret_len) < len.abs_diff(other);
    match header >> 4 {
        0 => AnyVerifyingKey::try_from(bytes)
            .map(Object::Public)
            .map_err(|error| match error {
                DecodeError::Length => {
                    let what = format!("{set} public key");
                    length_of(len, &what, set.verifying_key_len())
                }
                error => not_valid(set, "public key", error),
            }),
        5 if len == secret_len => AnySigningKey::try_from(bytes)
            .map(|key| Object::Secret(StoredKey::new(key, Use::Any)))
            .map_err(|error| not_valid(set, "secret key", error)),
        5 if set
            .signature_len(Format::ConstantTime)
            .is_none_or(is_nearer) =>
        {
            Err(length_of(len, &format!("{set} secret key"), secret_len))
        }
        _ => encoded_signature(bytes),
    }
}

fn encoded_signature(bytes: &[u8]) -> Result<Object> {
    let (set, format) = AnySignature::detect(bytes)
        .map_err(|_| Undecodable::Unknown("no signature has such a first byte"))?;
    let (name, fixed) = match format {
        Format::ConstantTime => ("constant-time", Format::ConstantTime),
        Format::Padded | Format::Compressed => ("padded", Format::Padded),
    };
    let len = set.signature_len(fixed).unwrap_or_default();
    match AnySignature::from_bytes(set, format, bytes) {
        Ok(signature) => Ok(Object::Signature(signature, format)),
        Err(DecodeError::Length) if bytes.len() != len => {
            let what = format!("{name} {set} signature");
            Err(length_of(bytes.len(), &what, len))
        }
        Err(error) => Err(not_valid(set, "signature", error)),
    }
}

/// Decodes a deterministic signature, which has header bytes of its own.
fn deterministic_signature(bytes: &[u8]) -> Result<Object> {
    let (decoded, format) = match bytes.first() {
        Some(0xda) => (
            CtSignature::try_from(bytes).map(CompressedSignature::from),
            Format::ConstantTime,
        ),
        _ => (CompressedSignature::try_from(bytes), Format::Compressed),
    };
    match decoded {
        Ok(signature) => Ok(Object::Deterministic(Box::new(signature), format)),
        Err(DecodeError::Length) if format == Format::ConstantTime => Err(length_of(
            bytes.len(),
            "constant-time Falcon-det1024 signature",
            CT_LEN,
        )),
        Err(error) => Err(Undecodable::Found(format!(
            "is not a valid Falcon-det1024 signature: {error}"
        ))),
    }
}

/// Returns the error for a wrong length of the object `what`.
fn length_of(found: usize, what: &str, expected: usize) -> Undecodable {
    let how = if found < expected {
        "Was it truncated?"
    } else {
        "Was something added?"
    };
    Undecodable::Found(format!("{found} bytes; a {what} has {expected}. {how}"))
}

fn not_valid(set: ParameterSet, kind: &str, error: DecodeError) -> Undecodable {
    Undecodable::Found(format!("is not a valid {set} {kind}: {error}"))
}

/// Format in which `sign` writes a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SignatureFormat {
    /// 666 bytes (Falcon-512) or 1280 bytes (Falcon-1024)
    Padded,
    /// Shortest: about 655 or 1271 bytes, varying
    Compressed,
    /// Constant-time format: 809 bytes (Falcon-512), 1577 (Falcon-1024) or 1538 (Falcon-det1024)
    Ct,
    /// The padded form as PEM text; whitespace is ignored
    Pem,
    /// Text with the padded form, the signer's fingerprint, the time and a comment, all signed
    Envelope,
}

/// Encodes a signature in a format. In the format of envelopes, returns the encoding that an
/// envelope contains.
pub(crate) fn encode_signature(
    signature: &AnySignature,
    format: SignatureFormat,
) -> error::Result<Vec<u8>> {
    let encoding = match format {
        SignatureFormat::Padded | SignatureFormat::Pem | SignatureFormat::Envelope => {
            Format::Padded
        }
        SignatureFormat::Compressed => Format::Compressed,
        SignatureFormat::Ct => Format::ConstantTime,
    };
    let cannot = || Error::new("the signature cannot be encoded");
    let bytes = signature
        .to_vec(encoding)
        .map_err(|error| cannot().because(error))?;
    if format != SignatureFormat::Pem {
        return Ok(bytes);
    }
    pem::encode_string(SIGNATURE_LABEL, LineEnding::LF, &bytes)
        .map(String::into_bytes)
        .map_err(|error| cannot().because(error))
}
