//! Keys in files.

use crate::{
    error::{Error, Result},
    input::read_object,
    object::{self, Container, Object, Undecodable},
    passphrase::PassphraseSource,
    scheme::{AnySignature, PublicKey, SecretKey, either},
    shell::quote,
};
use falcon_core::{
    Format,
    pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding},
};
use getrandom::SysRng;
use sha2::{Digest, Sha256};
use std::{io::ErrorKind, path::Path};
use zeroize::Zeroizing;

/// The secret key that commands read and write if none is named.
pub(crate) const DEFAULT_SECRET_KEY: &str = "falcon.key";
/// The public key of the default secret key.
pub(crate) const DEFAULT_PUBLIC_KEY: &str = "falcon.key.pub";

/// Reads the keys and signatures of a file.
pub(crate) fn load_all(path: &Path) -> Result<(Vec<Object>, Container)> {
    read_as(path, object::decode_all, "neither a key nor a signature")
}

/// Reads the only key or signature of a file.
fn load_as(path: &Path, otherwise: &str) -> Result<(Object, Container)> {
    read_as(path, object::decode, otherwise)
}

/// Decodes a file; `otherwise` describes a file that does not decode.
fn read_as<T>(
    path: &Path,
    decode: impl FnOnce(&[u8]) -> Result<T, Undecodable>,
    otherwise: &str,
) -> Result<T> {
    let bytes = read_object(path, "key or a signature")?;
    decode(&bytes).map_err(|error| Error::at(path, format_args!("is {otherwise}")).because(error))
}

/// Reads a secret key; asks for its passphrase if it is encrypted.
pub(crate) fn load_secret(path: &Path, passphrase: &PassphraseSource) -> Result<SecretKey> {
    let loaded = load_as(path, "not a secret key").map_err(|error| {
        if error.is(ErrorKind::NotFound) {
            let keygen = format!("falcon-cli keygen {}", quote(path));
            error.hint(format_args!("make a key pair with: {keygen}"))
        } else {
            error
        }
    });
    match loaded?.0 {
        // Whoever gives a passphrase believes that the key is encrypted.
        Object::Secret(_) if passphrase.passphrase_file.is_some() => Err(Error::at(
            path,
            "is not encrypted, but a passphrase is given",
        )
        .hint("leave --passphrase-file out, if the key is meant to be readable")),
        Object::Secret(key) => Ok(key),
        Object::Encrypted(der) => decrypt(path, &der, passphrase),
        other => {
            let error = unexpected(path, "a secret key", &other);
            Err(match other {
                Object::Public(_) => error.hint("signing needs the file without .pub"),
                _ => error,
            })
        }
    }
}

/// Opens an encrypted secret key.
pub(crate) fn decrypt(path: &Path, der: &[u8], passphrase: &PassphraseSource) -> Result<SecretKey> {
    let passphrase = passphrase.existing(path)?;
    object::decrypt(der, &passphrase)
        .map_err(|error| Error::at(path, "cannot be decrypted").because(error))?
        .ok_or_else(|| {
            Error::at(path, "cannot be decrypted with this passphrase")
                .hint("try again, or check the file of --passphrase-file")
        })
}

/// Reads every public key of a file, at least one. A secret key is refused: it
/// does not belong where signatures are verified.
pub(crate) fn load_public(path: &Path) -> Result<Vec<PublicKey>> {
    let loaded = read_as(path, object::decode_all, "not a public key").map_err(|error| {
        if error.is(ErrorKind::NotFound) {
            error.hint(how_to_get_public(path))
        } else {
            error
        }
    });
    let public = |object| match object {
        Object::Public(key) => Ok(key),
        other => {
            let error = unexpected(path, "a public key", &other);
            Err(match other {
                Object::Secret(_) | Object::Encrypted(_) => {
                    error.hint(format_args!("name {}.pub instead", path.display()))
                }
                _ => error,
            })
        }
    };
    loaded?.0.into_iter().map(public).collect()
}

/// A new key pair would be no help: it verifies nothing that exists.
fn how_to_get_public(path: &Path) -> String {
    let secret = path.with_extension("");
    if path.extension().is_some_and(|extension| extension == "pub") && secret.exists() {
        format!(
            "make it again from the secret key: falcon-cli pubkey {}",
            quote(&secret)
        )
    } else {
        "ask the signer for it".to_owned()
    }
}

/// Reads a signature.
pub(crate) fn load_signature(path: &Path) -> Result<(AnySignature, Format)> {
    match load_as(path, "not a signature")?.0 {
        Object::Signature(signature, format) => Ok((signature, format)),
        other => Err(unexpected(path, "a signature", &other)),
    }
}

fn unexpected(path: &Path, expected: &str, found: &Object) -> Error {
    Error::at(path, format_args!("is {}, not {expected}", found.kind()))
}

/// PKCS#8 PEM, encrypted if there is a passphrase.
pub(crate) fn secret_pem(key: &SecretKey, passphrase: Option<&str>) -> Result<Zeroizing<String>> {
    either!(key, key => match passphrase {
        None => key.to_pkcs8_pem(LineEnding::LF),
        Some(passphrase) => {
            key.to_pkcs8_encrypted_pem_with_rng(&mut SysRng, passphrase, LineEnding::LF)
        },
    })
    .map_err(|error| Error::new("the secret key cannot be encoded").because(error))
}

/// SubjectPublicKeyInfo PEM.
pub(crate) fn public_pem(key: &PublicKey) -> Result<String> {
    either!(key, key => key.to_public_key_pem(LineEnding::LF))
        .map_err(|error| Error::new("the public key cannot be encoded").because(error))
}

/// SHA-256 of the SubjectPublicKeyInfo DER, in hexadecimal:
/// `openssl base64 -d` and `sha256sum` of the PEM's body give the same.
pub(crate) fn fingerprint(key: &PublicKey) -> Result<String> {
    let der = either!(key, key => key.to_public_key_der())
        .map_err(|error| Error::new("the public key cannot be encoded").because(error))?;
    let digest = Sha256::digest(der.as_bytes());
    Ok(format!(
        "SHA256:{}",
        base16ct::lower::encode_string(&digest)
    ))
}
