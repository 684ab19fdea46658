//! Keys in PEM and DER documents, with or without a password.

use crate::errors::{DecodeError, FalconError, PasswordError};
use crate::input::Password;
use falcon_core::pkcs8::{
    DecodePublicKey, EncodePrivateKey, EncodePublicKey, Error, KeyUse, LineEnding, OpenError,
    OpenedKey, SecretDocument, encrypt_private_key, spki,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey};
use getrandom::SysRng;
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// Label of a PEM document.
const PLAIN: &str = "PRIVATE KEY";

/// Label of an encrypted PEM document.
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

/// Reads a PKCS#8 document.
pub fn read_der(der: &[u8], password: Option<&[u8]>) -> PyResult<OpenedKey> {
    OpenedKey::from_der(der, password).map_err(not_opened)
}

/// Reads a PKCS#8 document in PEM.
pub fn read_pem(text: &str, password: Option<&[u8]>) -> PyResult<OpenedKey> {
    OpenedKey::from_pem(text, password).map_err(not_opened)
}

/// Writes a PKCS#8 document with the use of the key, encrypted if there is a password.
pub fn write_der(
    key: &AnySigningKey,
    key_use: KeyUse,
    password: Option<&[u8]>,
) -> PyResult<SecretDocument> {
    let written = || {
        let document = key.to_pkcs8_der()?;
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

/// Writes a PKCS#8 document in PEM, encrypted if there is a password.
pub fn write_pem(
    key: &AnySigningKey,
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
pub fn read_public_der(der: &[u8]) -> PyResult<AnyVerifyingKey> {
    AnyVerifyingKey::from_public_key_der(der).map_err(not_a_public_key)
}

/// Reads a `SubjectPublicKeyInfo` document in PEM.
pub fn read_public_pem(text: &str) -> PyResult<AnyVerifyingKey> {
    AnyVerifyingKey::from_pem(text).map_err(|error| DecodeError::new_err(error.to_string()))
}

/// Writes a `SubjectPublicKeyInfo` document.
pub fn write_public_der(key: &AnyVerifyingKey) -> PyResult<Vec<u8>> {
    key.to_public_key_der()
        .map(|document| document.into_vec())
        .map_err(|error| FalconError::new_err(error.to_string()))
}

/// Writes a `SubjectPublicKeyInfo` document in PEM.
pub fn write_public_pem(key: &AnyVerifyingKey) -> PyResult<String> {
    key.to_public_key_pem(LineEnding::LF)
        .map_err(|error| FalconError::new_err(error.to_string()))
}

/// Returns the bytes of an argument, if it was given.
pub fn bytes_of(password: &Option<Password>) -> Option<&[u8]> {
    password.as_deref()
}

fn empty_password() -> PyErr {
    PasswordError::new_err("the password is empty")
}

fn not_a_public_key(error: spki::Error) -> PyErr {
    DecodeError::new_err(format!(
        "not a SubjectPublicKeyInfo document of a Falcon key: {error}"
    ))
}

/// Converts an error of `falcon-core`, which says "passphrase" where this package says "password".
fn not_opened(error: OpenError) -> PyErr {
    match error {
        OpenError::Encrypted | OpenError::NotEncrypted | OpenError::Passphrase => {
            PasswordError::new_err(error.to_string().replace("passphrase", "password"))
        }
        error => DecodeError::new_err(error.to_string()),
    }
}
