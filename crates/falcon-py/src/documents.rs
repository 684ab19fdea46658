//! Keys in PEM and DER documents, with or without a password.

use crate::errors::{DecodeError, FalconError, PasswordError};
use crate::input::Input;
use crate::typed::{Public, Secret, either};
use falcon_core::pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, EncryptionError, Error,
    LineEnding, SecretDocument, decrypt_private_key, spki,
};
use falcon_core::{AnySigningKey, AnyVerifyingKey};
use getrandom::SysRng;
use pkcs8::EncryptedPrivateKeyInfoRef;
use pyo3::prelude::*;
use zeroize::Zeroizing;

/// Label of a PEM document under a password.
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

/// Reads a PKCS#8 document.
pub fn read_der(der: &[u8], password: Option<&[u8]>) -> PyResult<Secret> {
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
    // A damaged document is none, encrypted or not, so the key is read first.
    if password.is_some() && !encrypted {
        return Err(PasswordError::new_err(
            "the key is not encrypted; pass no password",
        ));
    }
    Secret::of(key)
}

/// Reads a PKCS#8 document in PEM.
pub fn read_pem(text: &str, password: Option<&[u8]>) -> PyResult<Secret> {
    let (label, der) = SecretDocument::from_pem(text).map_err(|error| not_pem(&error))?;
    match label {
        "PRIVATE KEY" | ENCRYPTED => read_der(der.as_bytes(), password),
        _ => Err(DecodeError::new_err(format!(
            "not a private key: the PEM document is labelled {label:?}"
        ))),
    }
}

/// Writes a PKCS#8 document, under a password if there is one.
pub fn write_der(key: &Secret, password: Option<&[u8]>) -> PyResult<SecretDocument> {
    match password {
        None => either!(Secret, key, key => key.to_pkcs8_der()),
        Some([]) => return Err(empty_password()),
        Some(password) => either!(Secret, key, key => {
            key.to_pkcs8_encrypted_der_with_rng(&mut SysRng, password)
        }),
    }
    .map_err(|error| FalconError::new_err(error.to_string()))
}

/// Writes a PKCS#8 document in PEM, under a password if there is one.
pub fn write_pem(key: &Secret, password: Option<&[u8]>) -> PyResult<Zeroizing<String>> {
    match password {
        None => either!(Secret, key, key => key.to_pkcs8_pem(LineEnding::LF)),
        Some([]) => return Err(empty_password()),
        Some(password) => either!(Secret, key, key => {
            key.to_pkcs8_encrypted_pem_with_rng(&mut SysRng, password, LineEnding::LF)
        }),
    }
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

/// The bytes of an argument that may be absent.
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

/// With a wrong password the padding is seldom right by chance. Then what was decrypted is no
/// document.
fn not_decrypted(error: Error) -> PyErr {
    match error {
        Error::EncryptedPrivateKey(EncryptionError::DecryptFailed) | Error::Asn1(_) => {
            PasswordError::new_err("wrong password, or the document is damaged")
        }
        error => DecodeError::new_err(format!("cannot decrypt the document: {error}")),
    }
}
