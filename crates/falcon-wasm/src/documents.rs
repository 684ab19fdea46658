//! Keys in PEM and DER documents, with or without a passphrase.

use crate::errors::{Thrown, not_a_document, thrown};
use crate::random::fresh_seed;
use falcon_core::pkcs8::{
    DecodePublicKey, EncodePrivateKey, EncodePublicKey, EncryptionError, Error, LineEnding,
    OpenError, OpenedKey, PemError, SecretDocument, encrypt_private_key, pem_contents, spki,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey};
use getrandom::SysRng;
use std::str;
use zeroize::Zeroizing;

const PLAIN_LABEL: &str = "PRIVATE KEY";
const ENCRYPTED_LABEL: &str = "ENCRYPTED PRIVATE KEY";
const PRIVATE: &str = "a PKCS#8 document of a Falcon key";
const PUBLIC: &str = "a SubjectPublicKeyInfo document of a Falcon key";
const ANOTHER_LABEL: &str = "the PEM text has another label";

/// Reads a PKCS#8 document.
pub fn read_der(der: &[u8], passphrase: Option<&[u8]>) -> Result<OpenedKey, Thrown> {
    OpenedKey::from_der(der, passphrase).map_err(not_opened)
}

/// Reads a PKCS#8 document in PEM.
pub fn read_pem(text: &[u8], passphrase: Option<&[u8]>) -> Result<OpenedKey, Thrown> {
    let text = str::from_utf8(text).map_err(|_| not_pem())?;
    OpenedKey::from_pem(text, passphrase).map_err(not_opened)
}

/// Writes a PKCS#8 document, encrypted if there is a passphrase. A marked document stays as it is.
pub fn write_der(
    key: &AnySigningKey,
    marked: Option<&SecretDocument>,
    passphrase: Option<&[u8]>,
) -> Result<SecretDocument, Thrown> {
    let document = match marked {
        None => key.to_pkcs8_der().map_err(not_written)?,
        Some(document) => document.clone(),
    };
    match passphrase {
        None => Ok(document),
        Some(passphrase) => {
            encrypt_private_key(&mut SysRng, document.as_bytes(), usable(passphrase)?)
                .map_err(not_written)
        }
    }
}

/// Writes a PKCS#8 document in PEM, encrypted if there is a passphrase.
pub fn write_pem(
    key: &AnySigningKey,
    marked: Option<&SecretDocument>,
    passphrase: Option<&[u8]>,
) -> Result<Zeroizing<String>, Thrown> {
    let label = match passphrase {
        None => PLAIN_LABEL,
        Some(_) => ENCRYPTED_LABEL,
    };
    write_der(key, marked, passphrase)?
        .to_pem(label, LineEnding::LF)
        .map_err(|error| not_written(error.into()))
}

/// Reads a `SubjectPublicKeyInfo` document.
pub fn read_public_der(der: &[u8]) -> Result<AnyVerifyingKey, Thrown> {
    AnyVerifyingKey::from_public_key_der(der)
        .map_err(|error| not_a_document(PUBLIC, why_public(&error)))
}

/// Reads a `SubjectPublicKeyInfo` document in PEM.
pub fn read_public_pem(text: &[u8]) -> Result<AnyVerifyingKey, Thrown> {
    let text = str::from_utf8(text).map_err(|_| not_pem())?;
    let der = pem_contents(text, &["PUBLIC KEY"]).map_err(|error| pem(PUBLIC, &error))?;
    read_public_der(&der)
}

/// Writes a `SubjectPublicKeyInfo` document.
pub fn write_public_der(key: &AnyVerifyingKey) -> Result<Vec<u8>, Thrown> {
    key.to_public_key_der()
        .map(|document| document.into_vec())
        .map_err(|error| not_written(error.into()))
}

/// Writes a `SubjectPublicKeyInfo` document in PEM.
pub fn write_public_pem(key: &AnyVerifyingKey) -> Result<String, Thrown> {
    key.to_public_key_pem(LineEnding::LF)
        .map_err(|error| not_written(error.into()))
}

fn refused(why: &str) -> Thrown {
    thrown("ERR_PASSPHRASE", why)
}

/// Returns the passphrase if it is not empty and there are random bytes for its salt.
fn usable(passphrase: &[u8]) -> Result<&[u8], Thrown> {
    if passphrase.is_empty() {
        return Err(refused("the passphrase is empty"));
    }
    // `SysRng` does not notice if the random function of the host fills nothing, but `fresh_seed`
    // does. This seed is not used.
    fresh_seed()?;
    Ok(passphrase)
}

fn not_written(error: Error) -> Thrown {
    let (code, why) = match error {
        Error::EncryptedPrivateKey(EncryptionError::Rng) => {
            ("ERR_RANDOM", "crypto.getRandomValues gave no random bytes")
        }
        error => ("ERR_MALFORMED_KEY", why(&error)),
    };
    thrown(code, &["the document is not written", why].join(": "))
}

fn not_pem() -> Thrown {
    thrown("ERR_MALFORMED_KEY", "not a PEM document, or a damaged one")
}

/// Returns the error for a text that is not PEM with the label of `what`.
fn pem(what: &str, error: &PemError) -> Thrown {
    match error {
        PemError::Label(_) => not_a_document(what, ANOTHER_LABEL),
        _ => not_pem(),
    }
}

// The error texts of the ASN.1 decoder would make up a twentieth of the module.
fn why(error: &Error) -> &'static str {
    match error {
        Error::Asn1(_) => "the document is malformed or truncated",
        Error::EncryptedPrivateKey(_) => "its encryption is unknown or costs too much",
        Error::KeyMalformed(_) => "the key in it is malformed",
        Error::PublicKey(error) => why_public(error),
        _ => "it is a key of another algorithm",
    }
}

fn why_public(error: &spki::Error) -> &'static str {
    match error {
        spki::Error::Asn1(_) => "the document is malformed or truncated",
        spki::Error::KeyMalformed => "the key in it is malformed",
        _ => "it is a key of another algorithm",
    }
}

/// Returns the error for a private key that cannot be read.
fn not_opened(error: OpenError) -> Thrown {
    match error {
        OpenError::Encrypted => refused("the key is encrypted; pass its passphrase"),
        OpenError::NotEncrypted => refused("the key is not encrypted; pass no passphrase"),
        OpenError::Passphrase => refused("wrong passphrase, or the document is damaged"),
        OpenError::Undecryptable(error) | OpenError::Malformed(error) => {
            not_a_document(PRIVATE, why(&error))
        }
        OpenError::Pem(error) => pem(PRIVATE, &error),
        _ => not_pem(),
    }
}
