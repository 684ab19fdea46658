//! Keys in PEM and DER documents, with or without a passphrase.

use crate::errors::{Thrown, not_a_document, thrown};
use crate::random::fresh_seed;
use crate::typed::{Public, Secret, either};
use falcon_core::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, EncryptionError, Error,
    LineEnding, SecretDocument, decrypt_private_key, spki,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey};
use getrandom::SysRng;
use pkcs8::EncryptedPrivateKeyInfoRef;
use std::str;
use zeroize::Zeroizing;

const PRIVATE: &str = "a PKCS#8 document of a Falcon key";
const PUBLIC: &str = "a SubjectPublicKeyInfo document of a Falcon key";
const ANOTHER_LABEL: &str = "the PEM text has another label";

/// Reads a PKCS#8 document.
pub fn read_der(der: &[u8], passphrase: Option<&[u8]>) -> Result<Secret, Thrown> {
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(der).is_ok();
    let plain = match (encrypted, passphrase) {
        (false, _) => None,
        (true, Some(passphrase)) => {
            Some(decrypt_private_key(der, passphrase).map_err(not_decrypted)?)
        }
        (true, None) => {
            return Err(refused("the key is encrypted; pass its passphrase"));
        }
    };
    let der = plain.as_ref().map_or(der, SecretDocument::as_bytes);
    let key = AnySigningKey::from_pkcs8_der(der);
    let key = key.map_err(|error| not_a_document(PRIVATE, why(&error)))?;
    // A damaged document is none, encrypted or not, so the key is read first.
    if passphrase.is_some() && !encrypted {
        return Err(refused("the key is not encrypted; pass no passphrase"));
    }
    Secret::of(key)
}

/// Reads a PKCS#8 document in PEM.
pub fn read_pem(text: &[u8], passphrase: Option<&[u8]>) -> Result<Secret, Thrown> {
    let text = str::from_utf8(text).map_err(|_| not_pem())?;
    let (label, der) = SecretDocument::from_pem(text).map_err(|_| not_pem())?;
    match label {
        "PRIVATE KEY" | "ENCRYPTED PRIVATE KEY" => read_der(der.as_bytes(), passphrase),
        _ => Err(not_a_document(PRIVATE, ANOTHER_LABEL)),
    }
}

/// Writes a PKCS#8 document, under a passphrase if there is one.
pub fn write_der(key: &Secret, passphrase: Option<&[u8]>) -> Result<SecretDocument, Thrown> {
    match passphrase {
        None => either!(Secret, key, key => key.to_pkcs8_der()),
        Some(passphrase) => either!(Secret, key, key => {
            key.to_pkcs8_encrypted_der_with_rng(&mut SysRng, usable(passphrase)?)
        }),
    }
    .map_err(not_written)
}

/// Writes a PKCS#8 document in PEM, under a passphrase if there is one.
pub fn write_pem(key: &Secret, passphrase: Option<&[u8]>) -> Result<Zeroizing<String>, Thrown> {
    match passphrase {
        None => either!(Secret, key, key => key.to_pkcs8_pem(LineEnding::LF)),
        Some(passphrase) => either!(Secret, key, key => {
            let passphrase = usable(passphrase)?;
            key.to_pkcs8_encrypted_pem_with_rng(&mut SysRng, passphrase, LineEnding::LF)
        }),
    }
    .map_err(not_written)
}

/// Reads a `SubjectPublicKeyInfo` document.
pub fn read_public_der(der: &[u8]) -> Result<Public, Thrown> {
    let key = AnyVerifyingKey::from_public_key_der(der);
    Public::of(key.map_err(|error| not_a_document(PUBLIC, why_public(&error)))?)
}

/// Reads a `SubjectPublicKeyInfo` document in PEM.
pub fn read_public_pem(text: &[u8]) -> Result<Public, Thrown> {
    let text = str::from_utf8(text).map_err(|_| not_pem())?;
    // The document may hold a secret key by mistake. This type is wiped.
    let (label, der) = SecretDocument::from_pem(text).map_err(|_| not_pem())?;
    match label {
        "PUBLIC KEY" => read_public_der(der.as_bytes()),
        _ => Err(not_a_document(PUBLIC, ANOTHER_LABEL)),
    }
}

/// Writes a `SubjectPublicKeyInfo` document.
pub fn write_public_der(key: &Public) -> Result<Vec<u8>, Thrown> {
    either!(Public, key, key => key.to_public_key_der())
        .map(|document| document.into_vec())
        .map_err(|error| not_written(error.into()))
}

/// Writes a `SubjectPublicKeyInfo` document in PEM.
pub fn write_public_pem(key: &Public) -> Result<String, Thrown> {
    either!(Public, key, key => key.to_public_key_pem(LineEnding::LF))
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
    // `SysRng` notices no function that fills nothing. This seed is not used.
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

// The texts of the errors of ASN.1 would make up a twentieth of the module.
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

/// With a wrong passphrase the padding is seldom right by chance. Then what was decrypted is no
/// document.
fn not_decrypted(error: Error) -> Thrown {
    match error {
        Error::EncryptedPrivateKey(EncryptionError::DecryptFailed) | Error::Asn1(_) => {
            refused("wrong passphrase, or the document is damaged")
        }
        error => not_a_document(PRIVATE, why(&error)),
    }
}
