//! What a file holds: a key or a signature, in any of its encodings.
//!
//! Nothing has to be said beforehand, because no two encodings can be
//! mistaken for each other: PEM says what it is, DER begins with `0x30`, and
//! encoded objects have a header byte and a length of their own.

use crate::error::{self, Error};
use crate::scheme::{AnySignature, Either, PublicKey, SecretKey, either};
use clap::ValueEnum;
use falcon_core::pkcs8::{
    self, DecodePrivateKey, DecodePublicKey, EncryptedPrivateKeyInfoRef, LineEnding,
    ObjectIdentifier, PrivateKeyInfoRef, SubjectPublicKeyInfoRef, decrypt_private_key, der::pem,
    pkcs5,
};
use falcon_core::{
    DecodeError, Falcon512, Falcon1024, Format, Parameters, Signature, SigningKey, VerifyingKey,
};

use serde::Serialize;
use std::fmt;
use zeroize::Zeroizing;

/// Label of a signature in PEM.
const SIGNATURE_LABEL: &str = "FALCON SIGNATURE";

/// How an object is wrapped.
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
}

/// A key or a signature.
pub(crate) enum Object {
    /// A secret key that needs a passphrase: its DER.
    Encrypted(Zeroizing<Vec<u8>>),
    /// A secret key.
    Secret(SecretKey),
    /// A public key.
    Public(PublicKey),
    /// A signature, and how it is laid out.
    Signature(AnySignature, Format),
}

impl Object {
    /// With article, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Encrypted(_) => "an encrypted secret key",
            Self::Secret(_) => "a secret key",
            Self::Public(_) => "a public key",
            Self::Signature(..) => "a signature",
        }
    }
}

/// Why bytes are no key and no signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undecodable(String);

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Undecodable {
    fn new(text: impl fmt::Display) -> Self {
        Self(text.to_string())
    }
}

type Result<T> = std::result::Result<T, Undecodable>;

/// Decodes a file that holds one object.
pub(crate) fn decode(bytes: &[u8]) -> Result<(Object, Container)> {
    let (mut objects, container) = decode_all(bytes)?;
    match (objects.pop(), objects.len()) {
        (Some(object), 0) => Ok((object, container)),
        (_, others) => Err(Undecodable(format!(
            "it holds {} PEM blocks, and one is expected",
            others + 1
        ))),
    }
}

/// Decodes every object of a file: one, or one for each PEM block.
pub(crate) fn decode_all(bytes: &[u8]) -> Result<(Vec<Object>, Container)> {
    let blocks = pem_blocks(bytes);
    if !blocks.is_empty() {
        let objects = blocks.iter().map(|pem| from_pem(pem));
        return Ok((objects.collect::<Result<_>>()?, Container::Pem));
    }
    let (object, container) = if bytes.first() == Some(&0x30) {
        (from_der(bytes)?, Container::Der)
    } else {
        (from_encoded(bytes)?, Container::Encoded)
    };
    Ok((vec![object], container))
}

/// The PEM blocks of a text, without what mail programs and editors add: a byte
/// order mark, text around a block, empty lines, spaces at the ends of lines.
/// Many texts hold the same signature; the bytes in them are decoded strictly.
fn pem_blocks(text: &[u8]) -> Vec<Zeroizing<Vec<u8>>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut lines = text
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty());
    let mut blocks = Vec::new();
    while let Some(begin) = lines.find(|line| line.starts_with(b"-----BEGIN ")) {
        // A secret that grows would leave copies of itself behind.
        let mut pem = Zeroizing::new(Vec::with_capacity(text.len() + 1));
        for line in std::iter::once(begin).chain(&mut lines) {
            pem.extend_from_slice(line);
            pem.push(b'\n');
            if line.starts_with(b"-----END ") {
                break;
            }
        }
        blocks.push(pem);
    }
    blocks
}

fn from_pem(pem: &[u8]) -> Result<Object> {
    let bad_pem = |error| Undecodable(format!("malformed PEM: {error}"));
    let label = pem::decode_label(pem).map_err(bad_pem)?;
    let mut decoder = pem::Decoder::new(pem).map_err(bad_pem)?;
    let mut content = Zeroizing::new(Vec::with_capacity(decoder.remaining_len()));
    decoder.decode_to_end(&mut content).map_err(bad_pem)?;
    match label {
        SIGNATURE_LABEL => encoded_signature(&content),
        "PRIVATE KEY" => secret_from_der(&content).map(Object::Secret),
        "PUBLIC KEY" => public_from_der(&content).map(Object::Public),
        "ENCRYPTED PRIVATE KEY" => encrypted_from_der(&content),
        _ => Err(Undecodable(format!("PEM of another kind: {label}"))),
    }
}

fn from_der(der: &[u8]) -> Result<Object> {
    if PrivateKeyInfoRef::try_from(der).is_ok() {
        secret_from_der(der).map(Object::Secret)
    } else if SubjectPublicKeyInfoRef::try_from(der).is_ok() {
        public_from_der(der).map(Object::Public)
    } else if EncryptedPrivateKeyInfoRef::try_from(der).is_ok() {
        encrypted_from_der(der)
    } else {
        Err(Undecodable::new("DER of another kind"))
    }
}

fn encrypted_from_der(der: &[u8]) -> Result<Object> {
    match EncryptedPrivateKeyInfoRef::try_from(der) {
        Ok(_) => Ok(Object::Encrypted(Zeroizing::new(der.to_vec()))),
        Err(error) => Err(Undecodable(format!("malformed PKCS#8: {error}"))),
    }
}

/// Decrypts a key that [`decode`] found to be encrypted. `None`: not with this
/// passphrase.
pub(crate) fn decrypt(der: &[u8], passphrase: &str) -> Result<Option<SecretKey>> {
    match decrypt_private_key(der, passphrase) {
        Ok(plain) => secret_from_der(plain.as_bytes()).map(Some),
        // A wrong passphrase gives wrong padding or, once in a while, right
        // padding around bytes that are no document.
        Err(pkcs8::Error::EncryptedPrivateKey(pkcs5::Error::DecryptFailed))
        | Err(pkcs8::Error::Asn1(_)) => Ok(None),
        Err(error) => Err(Undecodable::new(error)),
    }
}

fn secret_from_der(der: &[u8]) -> Result<SecretKey> {
    Box::<SigningKey<Falcon512>>::from_pkcs8_der(der)
        .map(Either::Falcon512)
        .or_else(|_| Box::<SigningKey<Falcon1024>>::from_pkcs8_der(der).map(Either::Falcon1024))
        .map_err(|error| match PrivateKeyInfoRef::try_from(der) {
            Ok(info) => not_falcon(&info.algorithm.oid, &error),
            Err(error) => Undecodable(format!("malformed PKCS#8: {error}")),
        })
}

fn public_from_der(der: &[u8]) -> Result<PublicKey> {
    VerifyingKey::<Falcon512>::from_public_key_der(der)
        .map(|key| Either::Falcon512(Box::new(key)))
        .or_else(|_| {
            VerifyingKey::<Falcon1024>::from_public_key_der(der)
                .map(|key| Either::Falcon1024(Box::new(key)))
        })
        .map_err(|error| match SubjectPublicKeyInfoRef::try_from(der) {
            Ok(info) => not_falcon(&info.algorithm.oid, &error),
            Err(error) => Undecodable(format!("malformed SubjectPublicKeyInfo: {error}")),
        })
}

fn not_falcon(oid: &ObjectIdentifier, error: &dyn fmt::Display) -> Undecodable {
    Undecodable(format!("no Falcon key (algorithm {oid}): {error}"))
}

/// Header and length tell apart: the header `0x50 + logn` begins both a
/// secret key and a constant-time signature.
fn from_encoded(bytes: &[u8]) -> Result<Object> {
    let logn = bytes.first().map(|header| u32::from(header & 0x0f));
    match logn {
        Some(Falcon512::LOGN) => encoded_of::<Falcon512>(
            bytes,
            |key| Object::Secret(Either::Falcon512(key)),
            |key| Object::Public(Either::Falcon512(key)),
        ),
        Some(Falcon1024::LOGN) => encoded_of::<Falcon1024>(
            bytes,
            |key| Object::Secret(Either::Falcon1024(key)),
            |key| Object::Public(Either::Falcon1024(key)),
        ),
        Some(_) => Err(Undecodable::new(
            "neither PEM, DER nor a Falcon header byte",
        )),
        None => Err(Undecodable::new("the file is empty")),
    }
}

fn encoded_of<P: Parameters>(
    bytes: &[u8],
    secret: impl FnOnce(Box<SigningKey<P>>) -> Object,
    public: impl FnOnce(Box<VerifyingKey<P>>) -> Object,
) -> Result<Object> {
    let high = bytes.first().map_or(0, |header| header >> 4);
    match (high, bytes.len()) {
        (0, _) => VerifyingKey::try_from(bytes)
            .map(|key| public(Box::new(key)))
            .map_err(|error| wrong::<P>("public key", error)),
        (5, len) if len == P::SIGNING_KEY_LEN => SigningKey::decode_boxed(bytes)
            .map(secret)
            .map_err(|error| wrong::<P>("secret key", error)),
        _ => encoded_signature(bytes),
    }
}

fn encoded_signature(bytes: &[u8]) -> Result<Object> {
    let logn = bytes.first().map(|header| u32::from(header & 0x0f));
    if logn == Some(Falcon1024::LOGN) {
        let (signature, format) = signature_of::<Falcon1024>(bytes)?;
        Ok(Object::Signature(Either::Falcon1024(signature), format))
    } else {
        let (signature, format) = signature_of::<Falcon512>(bytes)?;
        Ok(Object::Signature(Either::Falcon512(signature), format))
    }
}

fn signature_of<P: Parameters>(bytes: &[u8]) -> Result<(Box<Signature<P>>, Format)> {
    Signature::<P>::detect(bytes)
        .and_then(|format| Ok((Box::new(Signature::from_bytes(format, bytes)?), format)))
        .map_err(|error| wrong::<P>("signature", error))
}

fn wrong<P: Parameters>(what: &str, error: DecodeError) -> Undecodable {
    Undecodable(format!("no {} {what}: {error}", P::NAME))
}

/// How `sign` writes a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SignatureFormat {
    /// Always 666 or 1280 bytes
    Padded,
    /// As short as it can be, about 655 or 1271 bytes
    Compressed,
    /// 809 or 1577 bytes, which decode in constant time
    Ct,
    /// The padded form as text, in which line ends and blanks do not count
    Pem,
}

/// Encodes a signature.
pub(crate) fn encode_signature(
    signature: &AnySignature,
    format: SignatureFormat,
) -> error::Result<Vec<u8>> {
    let encoding = match format {
        SignatureFormat::Padded | SignatureFormat::Pem => Format::Padded,
        SignatureFormat::Compressed => Format::Compressed,
        SignatureFormat::Ct => Format::ConstantTime,
    };
    let cannot = || Error::new("the signature cannot be encoded");
    let bytes = either!(signature, signature => signature.to_vec(encoding))
        .map_err(|error| cannot().because(error))?;
    if format != SignatureFormat::Pem {
        return Ok(bytes);
    }
    pem::encode_string(SIGNATURE_LABEL, LineEnding::LF, &bytes)
        .map(String::into_bytes)
        .map_err(|error| cannot().because(error))
}
