//! Keys in PEM and DER documents, with or without a passphrase.

use crate::errors::{Thrown, not_a_document, thrown};
use crate::random::fresh_seed;
use crate::typed::{Public, Secret, either};
use falcon_core::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, EncryptionError, Error,
    KeyUse, LineEnding, SecretDocument, decrypt_private_key, encrypt_private_key, spki,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey};
use getrandom::SysRng;
use pkcs8::EncryptedPrivateKeyInfoRef;
use std::str;
use zeroize::Zeroizing;

const PLAIN_LABEL: &str = "PRIVATE KEY";
const ENCRYPTED_LABEL: &str = "ENCRYPTED PRIVATE KEY";
const PRIVATE: &str = "a PKCS#8 document of a Falcon key";
const PUBLIC: &str = "a SubjectPublicKeyInfo document of a Falcon key";
const ANOTHER_LABEL: &str = "the PEM text has another label";

/// A signing key, with its document if the document says that the key signs certificates only.
pub type Read = (Secret, Option<SecretDocument>);

/// Reads a PKCS#8 document.
pub fn read_der(der: &[u8], passphrase: Option<&[u8]>) -> Result<Read, Thrown> {
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
    let read = AnySigningKey::from_pkcs8_der(der).and_then(|key| {
        let marked = match KeyUse::of_document(der)? {
            KeyUse::Any => None,
            KeyUse::CertificatesOnly => Some(SecretDocument::try_from(der)?),
        };
        Ok((key, marked))
    });
    let (key, marked) = read.map_err(|error| not_a_document(PRIVATE, why(&error)))?;
    // A damaged document counts neither as encrypted nor as plain, so the key is read first.
    if passphrase.is_some() && !encrypted {
        return Err(refused("the key is not encrypted; pass no passphrase"));
    }
    Ok((Secret::of(key)?, marked))
}

/// Reads a PKCS#8 document in PEM.
pub fn read_pem(text: &[u8], passphrase: Option<&[u8]>) -> Result<Read, Thrown> {
    let text = str::from_utf8(text).map_err(|_| not_pem())?;
    let (label, der) = SecretDocument::from_pem(text).map_err(|_| not_pem())?;
    match label {
        PLAIN_LABEL | ENCRYPTED_LABEL => read_der(der.as_bytes(), passphrase),
        _ => Err(not_a_document(PRIVATE, ANOTHER_LABEL)),
    }
}

/// Writes a PKCS#8 document, encrypted if there is a passphrase. A marked document stays as it is.
pub fn write_der(
    key: &Secret,
    marked: Option<&SecretDocument>,
    passphrase: Option<&[u8]>,
) -> Result<SecretDocument, Thrown> {
    let document = match marked {
        None => either!(Secret, key, key => key.to_pkcs8_der()).map_err(not_written)?,
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
    key: &Secret,
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

/// Returns the error for a document that cannot be decrypted. With a wrong passphrase, the padding
/// is occasionally right by chance. The decrypted bytes are then not a document.
fn not_decrypted(error: Error) -> Thrown {
    match error {
        Error::EncryptedPrivateKey(EncryptionError::DecryptFailed) | Error::Asn1(_) => {
            refused("wrong passphrase, or the document is damaged")
        }
        error => not_a_document(PRIVATE, why(&error)),
    }
}
