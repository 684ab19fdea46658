//! Keys in PEM and DER documents, with or without a password.

use crate::errors::{DecodeError, FalconError, PasswordError};
use crate::input::Input;
use crate::typed::{Public, Secret, either};
use falcon_core::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, EncryptionError, Error,
    KeyUse, LineEnding, SecretDocument, decrypt_private_key, encrypt_private_key, spki,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey};
use getrandom::SysRng;
use pkcs8::EncryptedPrivateKeyInfoRef;
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// Label of a PEM document.
const PLAIN: &str = "PRIVATE KEY";

/// Label of a PEM document under a password.
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

/// Reads a PKCS#8 document: a key, and the use that the document allows.
pub fn read_der(der: &[u8], password: Option<&[u8]>) -> PyResult<(Secret, KeyUse)> {
    let encrypted = EncryptedPrivateKeyInfoRef::try_from(der).is_ok();
    let plain = match (encrypted, password) {
        (false, _) => None,
        (true, Some(password)) => Some(decrypt_private_key(der, password).map_err(not_decrypted)?),
        (true, None) => {
            return Err(PasswordError::new_err(
                "the key is encrypted; pass its password",
            ));
        }
    };
    let der = plain.as_ref().map_or(der, SecretDocument::as_bytes);
    let key = AnySigningKey::from_pkcs8_der(der).map_err(not_a_key)?;
    let key_use = KeyUse::of_document(der).map_err(not_a_key)?;
    // A damaged document counts neither as encrypted nor as plain, so the key is read first.
    if password.is_some() && !encrypted {
        return Err(PasswordError::new_err(
            "the key is not encrypted; pass no password",
        ));
    }
    Ok((Secret::of(key)?, key_use))
}

/// Reads a PKCS#8 document in PEM.
pub fn read_pem(text: &str, password: Option<&[u8]>) -> PyResult<(Secret, KeyUse)> {
    let (label, der) = SecretDocument::from_pem(text).map_err(|error| not_pem(&error))?;
    match label {
        PLAIN | ENCRYPTED => read_der(der.as_bytes(), password),
        _ => Err(DecodeError::new_err(format!(
            "not a private key: the PEM document is labelled {label:?}"
        ))),
    }
}

/// Writes a PKCS#8 document with the use of the key, under a password if there is one.
pub fn write_der(
    key: &Secret,
    key_use: KeyUse,
    password: Option<&[u8]>,
) -> PyResult<SecretDocument> {
    let written = || {
        let document = either!(Secret, key, key => key.to_pkcs8_der())?;
        let document = key_use.write(document.as_bytes())?;
        match password {
            None => Ok(document),
            Some(password) => encrypt_private_key(&mut SysRng, document.as_bytes(), password),
        }
    };
    if password == Some(&[]) {
        return Err(empty_password());
    }
    written().map_err(|error: Error| FalconError::new_err(error.to_string()))
}

/// Writes a PKCS#8 document in PEM, under a password if there is one.
pub fn write_pem(
    key: &Secret,
    key_use: KeyUse,
    password: Option<&[u8]>,
) -> PyResult<Zeroizing<String>> {
    let label = match password {
        None => PLAIN,
        Some(_) => ENCRYPTED,
    };
    write_der(key, key_use, password)?
        .to_pem(label, LineEnding::LF)
        .map_err(|error| FalconError::new_err(error.to_string()))
}

/// Reads a `SubjectPublicKeyInfo` document.
pub fn read_public_der(der: &[u8]) -> PyResult<Public> {
    Public::of(AnyVerifyingKey::from_public_key_der(der).map_err(not_a_public_key)?)
}

/// Reads a `SubjectPublicKeyInfo` document in PEM.
pub fn read_public_pem(text: &str) -> PyResult<Public> {
    // The document may hold a secret key by mistake. This type is wiped.
    let (label, der) = SecretDocument::from_pem(text).map_err(|error| not_pem(&error))?;
    match label {
        "PUBLIC KEY" => read_public_der(der.as_bytes()),
        _ => Err(DecodeError::new_err(format!(
            "not a public key: the PEM document is labelled {label:?}"
        ))),
    }
}

/// Writes a `SubjectPublicKeyInfo` document.
pub fn write_public_der(key: &Public) -> PyResult<Vec<u8>> {
    either!(Public, key, key => key.to_public_key_der())
        .map(|document| document.into_vec())
        .map_err(|error| FalconError::new_err(error.to_string()))
}

/// Writes a `SubjectPublicKeyInfo` document in PEM.
pub fn write_public_pem(key: &Public) -> PyResult<String> {
    either!(Public, key, key => key.to_public_key_pem(LineEnding::LF))
        .map_err(|error| FalconError::new_err(error.to_string()))
}

/// Returns the bytes of an argument, if it was given.
pub fn bytes_of(password: &Option<Input>) -> Option<&[u8]> {
    password.as_deref()
}

fn empty_password() -> PyErr {
    PasswordError::new_err("the password is empty")
}

fn not_pem(error: &dyn std::fmt::Display) -> PyErr {
    DecodeError::new_err(format!(
        "not a PEM document: {error}; pass the contents of the file, not its name"
    ))
}

fn not_a_key(error: Error) -> PyErr {
    DecodeError::new_err(format!("not a PKCS#8 document of a Falcon key: {error}"))
}

fn not_a_public_key(error: spki::Error) -> PyErr {
    DecodeError::new_err(format!(
        "not a SubjectPublicKeyInfo document of a Falcon key: {error}"
    ))
}

/// Returns the error for a document that cannot be decrypted. With a wrong password, the padding is
/// occasionally right by chance. The decrypted bytes are then not a document.
fn not_decrypted(error: Error) -> PyErr {
    match error {
        Error::EncryptedPrivateKey(EncryptionError::DecryptFailed) | Error::Asn1(_) => {
            PasswordError::new_err("wrong password, or the document is damaged")
        }
        error => DecodeError::new_err(format!("cannot decrypt the document: {error}")),
    }
}
