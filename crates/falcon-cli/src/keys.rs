//! Reads and writes keys in files.

use crate::{
    access::warn_if_exposed,
    error::{Error, Result},
    escape::shown,
    input::{check_object, is_standard, open, read_object, read_start, regular_length},
    object::{self, Container, Object, Undecodable},
    passphrase::PassphraseSource,
    place::with_suffix,
    shell::quote,
    stored::StoredKey,
    ui::Ui,
};
use falcon_core::pkcs8::{
    self, EncodePrivateKey, EncodePublicKey, LineEnding, SecretDocument, encrypt_private_key,
};
use falcon_core::{AnySignature, AnyVerifyingKey, Signature};
use falcon_envelope::{Envelope, Fingerprint, ParseError, Problem, TrustList};
use getrandom::SysRng;
use std::{
    fmt,
    io::{ErrorKind, Read},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Path of the secret key that commands use if the user names none.
pub(crate) const DEFAULT_SECRET_KEY: &str = "falcon.key";
/// Public key of the default secret key.
pub(crate) const DEFAULT_PUBLIC_KEY: &str = "falcon.key.pub";

/// Largest file of keys or signatures that is read, in bytes.
pub(crate) const MAX_OBJECT: u64 = 64 * 1024;

/// Length in bytes of the longest file that a command replaces after reading it: a trust list.
pub(crate) const MAX_REPLACED: u64 = TrustList::MAX_LEN as u64;

/// Reads the keys and signatures of a file.
pub(crate) fn load_all(path: &Path) -> Result<(Vec<Object>, Container)> {
    decode_all(path, &read_start(path, MAX_OBJECT)?.0)
}

/// Decodes the keys and signatures of the file at `path`, whose start was read.
pub(crate) fn decode_all(path: &Path, start: &[u8]) -> Result<(Vec<Object>, Container)> {
    check_object(path, start, MAX_OBJECT, "key or a signature")?;
    object::decode_all(start)
        .map_err(|error| undecodable(path, "neither a key nor a signature", error))
}

/// Reads the only key or signature of a file.
fn load_as(path: &Path, otherwise: &str) -> Result<(Object, Container)> {
    read_as(path, object::decode, otherwise)
}

/// Decodes a file. `otherwise` is the error text for a file that does not decode.
fn read_as<T>(
    path: &Path,
    decode: impl FnOnce(&[u8]) -> Result<T, Undecodable>,
    otherwise: &str,
) -> Result<T> {
    let bytes = read_object(path, MAX_OBJECT, "key or a signature")?;
    decode(&bytes).map_err(|error| undecodable(path, otherwise, error))
}

fn undecodable(path: &Path, otherwise: &str, error: Undecodable) -> Error {
    match error {
        Undecodable::Found(what) => Error::at(path, what),
        Undecodable::Unknown(why) => Error::at(path, format_args!("is {otherwise}")).because(why),
        Undecodable::Envelope(error) => malformed(path, "is a malformed envelope", error),
    }
}

/// Returns the error for a text that does not follow its format. `what` continues the error's
/// sentence, which begins with the path.
pub(crate) fn malformed(path: &Path, what: impl fmt::Display, error: ParseError) -> Error {
    let told = Error::at(path, what).because(error);
    if error.problem() == Problem::CarriageReturn {
        let name = if is_standard(path) {
            "FILE".to_owned()
        } else {
            quote(path)
        };
        told.hint(format_args!(
            "mail programs and git change line ends; to change them back: tr -d '\\r' < {name} > NEW"
        ))
    } else {
        told
    }
}

/// Returns true if the regular file holds a public or secret key, even a damaged one.
pub(crate) fn is_key(path: &Path) -> Result<bool> {
    Ok(object::is_key(&read_start(path, MAX_OBJECT)?.0))
}

/// A secret key as it is stored in its file.
pub(crate) enum Stored {
    /// A key that is not encrypted.
    Plain(StoredKey),
    /// DER that is decrypted with a passphrase.
    Encrypted(Zeroizing<Vec<u8>>),
}

/// Reads a secret key, which may be encrypted.
pub(crate) fn load_stored(path: &Path) -> Result<Stored> {
    stored(path, load_with_secret(path)?)
}

/// Reads the file of a secret key.
fn load_with_secret(path: &Path) -> Result<Object> {
    let loaded = load_as(path, "not a secret key").map_err(|error| {
        if error.is(ErrorKind::NotFound) {
            error.hint(how_to_get_secret(path))
        } else {
            no_folder(path, error)
        }
    });
    Ok(loaded?.0)
}

/// Returns the secret key that was read from `path`.
fn stored(path: &Path, object: Object) -> Result<Stored> {
    match object {
        Object::Secret(key) => Ok(Stored::Plain(key)),
        Object::Encrypted(der) => Ok(Stored::Encrypted(der)),
        other => {
            let error = unexpected(path, "a secret key", &other);
            Err(match (other, secret_beside(path)) {
                (Object::Public(_), Some(secret)) => {
                    error.hint(format_args!("name {} instead", quote(&secret)))
                }
                (Object::Public(_), None) => error.hint("name the file of the secret key"),
                _ => error,
            })
        }
    }
}

/// If the path of a key names a folder, sets the hint.
fn no_folder(path: &Path, error: Error) -> Error {
    if is_standard(path) || !path.is_dir() {
        return error;
    }
    error.hint("name the key file")
}

/// Returns advice for a missing secret key. If its public key exists, `keygen` refuses the name of
/// the secret key.
fn how_to_get_secret(path: &Path) -> String {
    let public = with_suffix(path, ".pub");
    if !is_standard(path) && public.exists() {
        format!(
            "{} is there, but no secret key can be made from a public key; restore the secret key \
             from a copy, or make another key pair: falcon-cli keygen NEW.key",
            shown(&public)
        )
    } else {
        format!(
            "name the key, or make a key pair with: falcon-cli keygen {}",
            quote(path)
        )
    }
}

/// Returns true if the file is a secret key. Most other files are not read beyond the first bytes.
pub(crate) fn is_secret_key(path: &Path) -> bool {
    let may_be = || {
        let mut start = [0; object::SECRET_KEY_START];
        let read = open(path).map(|mut file| file.read(&mut start));
        matches!(read, Ok(Ok(read)) if object::may_be_secret_key(&start[..read]))
    };
    // Only a regular file can be read twice.
    regular_length(path).is_some_and(|len| len <= MAX_OBJECT)
        && may_be()
        && load_stored(path).is_ok()
}

/// Returns true if a regular file holds public keys and nothing else.
pub(crate) fn is_public_key(path: &Path) -> bool {
    regular_length(path).is_some_and(|len| len <= MAX_OBJECT) && load_public(path, "").is_ok()
}

/// Reads a secret key, and asks for its passphrase if it is encrypted. Warns if other users can
/// read the file.
pub(crate) fn load_secret(path: &Path, passphrase: &PassphraseSource, ui: Ui) -> Result<StoredKey> {
    open_stored(path, load_stored(path)?, passphrase, ui)
}

/// Reads the public key that belongs to a secret key, as [`load_secret`] does, or that a
/// certificate or a request contains.
pub(crate) fn load_public_of(
    path: &Path,
    passphrase: &PassphraseSource,
    ui: Ui,
) -> Result<AnyVerifyingKey> {
    let object = load_with_secret(path)?;
    let document = match &object {
        Object::X509(document) => document,
        _ => return Ok(open_stored(path, stored(path, object)?, passphrase, ui)?.public_key()),
    };
    if passphrase.passphrase_file.is_some() {
        return Err(not_encrypted(path));
    }
    let kind = document.kind.name();
    let Some(key) = document.public_key() else {
        return Err(Error::at(
            path,
            format_args!("is a {kind} without a Falcon key"),
        ));
    };
    if document.is_refused() {
        let what = format_args!("is a {kind} whose signature is invalid");
        let hint = format_args!("see: falcon-cli inspect {}", quote(path));
        return Err(Error::at(path, what).hint(hint));
    }
    ui.note(format_args!(
        "only the key was taken: validity and issuer of the {kind} were not checked"
    ));
    Ok(key.clone())
}

/// Opens the secret key that was read from `path`, as [`load_secret`] does.
pub(crate) fn open_stored(
    path: &Path,
    stored: Stored,
    passphrase: &PassphraseSource,
    ui: Ui,
) -> Result<StoredKey> {
    warn_if_exposed(path, "secret key", ui);
    match stored {
        // A user who gives a passphrase believes that the key is encrypted.
        Stored::Plain(_) if passphrase.passphrase_file.is_some() => Err(not_encrypted(path)),
        Stored::Plain(key) => Ok(key),
        Stored::Encrypted(der) => decrypt(path, &der, passphrase, ui),
    }
}

/// Returns the error for a passphrase that was given for a key that is not encrypted.
pub(crate) fn not_encrypted(path: &Path) -> Error {
    Error::at(path, "is not encrypted, but a passphrase is given")
        .hint("leave --passphrase-file out, if the key is meant to be readable")
}

/// Decrypts an encrypted secret key.
pub(crate) fn decrypt(
    path: &Path,
    der: &[u8],
    passphrase: &PassphraseSource,
    ui: Ui,
) -> Result<StoredKey> {
    decrypt_with(path, der, &passphrase.existing(path, ui)?)
}

/// Opens an encrypted secret key with this passphrase.
pub(crate) fn decrypt_with(path: &Path, der: &[u8], passphrase: &str) -> Result<StoredKey> {
    object::decrypt(der, passphrase)
        .map_err(|error| undecodable(path, "not a secret key", error))?
        .ok_or_else(|| {
            Error::at(path, "cannot be decrypted with this passphrase")
                .hint("try again, or check the file of --passphrase-file")
        })
}

/// Reads every public key of a file, at least one. Refuses a secret key, since it should not be on
/// the machine that verifies. If neither the file nor its secret key exists, the hint is
/// `otherwise`.
pub(crate) fn load_public(path: &Path, otherwise: &str) -> Result<Vec<AnyVerifyingKey>> {
    let loaded = read_as(path, object::decode_all, "not a public key").map_err(|error| {
        if error.is(ErrorKind::NotFound) {
            error.hint(how_to_get_public(path, otherwise))
        } else {
            no_folder(path, error)
        }
    });
    let objects = loaded?.0;
    let several = objects.len() > 1;
    let public = |(index, object)| match object {
        Object::Public(key) => Ok(key),
        other => {
            let error = match several {
                true => Error::at(
                    path,
                    format_args!(
                        "PEM block {} is {}, not a public key",
                        index + 1,
                        other.kind()
                    ),
                ),
                false => unexpected(path, "a public key", &other),
            };
            Err(match other {
                Object::Secret(_) | Object::Encrypted(_) => {
                    error.hint(how_to_replace_secret(path, several))
                }
                Object::X509(document) if document.public_key().is_some() && !several => error
                    .hint(format_args!(
                        "write its key to a file: falcon-cli pubkey {}",
                        quote(path)
                    )),
                _ => error,
            })
        }
    };
    objects.into_iter().enumerate().map(public).collect()
}

/// Returns advice on which file to name instead of one that holds a secret key. `pubkey` can only
/// read a file with one key.
fn how_to_replace_secret(path: &Path, several: bool) -> String {
    let public = with_suffix(path, ".pub");
    if public.exists() {
        format!("name {} instead", quote(&public))
    } else if several {
        "name a file that holds public keys only".to_owned()
    } else {
        format!(
            "make the public key with: falcon-cli pubkey {}",
            quote(path)
        )
    }
}

/// Returns advice on how to get a missing public key. A new key pair would not help, since it does
/// not verify existing signatures.
fn how_to_get_public(path: &Path, otherwise: &str) -> String {
    match secret_beside(path) {
        Some(secret) => format!(
            "make it again from the secret key: falcon-cli pubkey {}",
            quote(&secret)
        ),
        None => otherwise.to_owned(),
    }
}

/// Returns the secret key beside a public key: `KEY` for `KEY.pub`.
fn secret_beside(public: &Path) -> Option<PathBuf> {
    let secret = public.with_extension("");
    let named = public.extension().is_some_and(|it| it == "pub") && secret.exists();
    named.then_some(secret)
}

/// A signature in a file, with or without a statement of the signer.
pub(crate) enum FileSignature {
    /// A signature without a statement.
    Bare(AnySignature),
    /// A signature with a statement.
    Envelope(Box<Envelope>),
}

/// Reads a signature.
pub(crate) fn load_signature(path: &Path) -> Result<FileSignature> {
    match load_as(path, "not a signature")?.0 {
        Object::Signature(signature, _) => Ok(FileSignature::Bare(signature)),
        // A deterministic signature is verified as the equivalent ordinary signature.
        Object::Deterministic(signature, _) => {
            Ok(FileSignature::Bare(Signature::from(*signature).into()))
        }
        Object::Envelope(envelope) => Ok(FileSignature::Envelope(envelope)),
        other => Err(unexpected(path, "a signature", &other)),
    }
}

fn unexpected(path: &Path, expected: &str, found: &Object) -> Error {
    Error::at(path, format_args!("is {}, not {expected}", found.kind()))
}

/// PKCS#8 PEM, encrypted if there is a passphrase.
pub(crate) fn secret_pem(key: &StoredKey, passphrase: Option<&str>) -> Result<Zeroizing<String>> {
    pem(key, key.secret().to_pkcs8_der(), passphrase)
}

/// PKCS#8 PEM with separate polynomials, for Bouncy Castle; not encrypted.
pub(crate) fn polynomials_pem(key: &StoredKey) -> Result<Zeroizing<String>> {
    pem(key, key.secret().to_pkcs8_polynomials_der(), None)
}

fn pem(
    key: &StoredKey,
    document: pkcs8::Result<SecretDocument>,
    passphrase: Option<&str>,
) -> Result<Zeroizing<String>> {
    let written = || {
        let document = key.mark(&document?)?;
        let (label, document) = match passphrase {
            None => ("PRIVATE KEY", document),
            Some(passphrase) => (
                "ENCRYPTED PRIVATE KEY",
                encrypt_private_key(&mut SysRng, document.as_bytes(), passphrase)?,
            ),
        };
        Ok::<_, pkcs8::Error>(document.to_pem(label, LineEnding::LF)?)
    };
    written().map_err(|error| Error::new("the secret key cannot be encoded").because(error))
}

/// Encodes a public key as SubjectPublicKeyInfo PEM.
pub(crate) fn public_pem(key: &AnyVerifyingKey) -> Result<String> {
    key.to_public_key_pem(LineEnding::LF)
        .map_err(|error| Error::new("the public key cannot be encoded").because(error))
}

/// Returns the fingerprint of a key in hexadecimal, as envelopes and trust lists contain it.
pub(crate) fn fingerprint(key: &AnyVerifyingKey) -> String {
    Fingerprint::of(key).to_string()
}
