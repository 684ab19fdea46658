//! Keys in PKCS#8 and `SubjectPublicKeyInfo` documents, as PEM or DER.

use crate::arguments::values;
use crate::memory::{NewHandle, Output, object};
use crate::signing_key::falconsign_signing_key;
use crate::status::{Status, guard};
use crate::verifying_key::falconsign_verifying_key;
use falcon_core::AnyVerifyingKey;
use falcon_core::pkcs8::{
    DecodePublicKey, EncodePrivateKey, EncodePublicKey, Error, LineEnding, OpenedKey,
    SecretDocument, encrypt_private_key,
};
use getrandom::SysRng;
use std::ffi::{c_char, c_int};
use std::str;
use zeroize::Zeroizing;

/// Returns the passphrase of two arguments: a null pointer means none.
///
/// # Safety
/// As for [`values`].
unsafe fn passphrase_of<'a>(data: *const u8, len: usize) -> Result<Option<&'a [u8]>, Status> {
    if data.is_null() && len == 0 {
        return Ok(None);
    }
    // SAFETY: as for this function.
    match unsafe { values(data, len) }? {
        [] => Err(Status::Length),
        passphrase => Ok(Some(passphrase)),
    }
}

/// Returns the text of a PEM document.
fn text_of(text: &[u8]) -> Result<&str, Status> {
    str::from_utf8(text).map_err(|_| Status::MalformedDocument)
}

/// Writes a PKCS#8 document with the use of the key, encrypted if there is a passphrase.
fn private_document(
    key: &falconsign_signing_key,
    passphrase: Option<&[u8]>,
) -> Result<SecretDocument, Status> {
    let written = || -> Result<SecretDocument, Error> {
        let document = key.key().to_pkcs8_der()?;
        let document = key.key_use.write(document.as_bytes())?;
        match passphrase {
            None => Ok(document),
            Some(passphrase) => encrypt_private_key(&mut SysRng, document.as_bytes(), passphrase),
        }
    };
    // Only the generator of the system can fail.
    written().map_err(|_| Status::NoRandomness)
}

/// The place where a function of C writes a document and its length.
struct DocumentOutput {
    document: Output<u8>,
    len: Output<usize>,
}

impl DocumentOutput {
    /// Names the place, and writes the length 0.
    ///
    /// # Safety
    /// As for [`Output::or_none`], with `capacity` bytes and one length.
    unsafe fn new(document: *mut u8, capacity: usize, len: *mut usize) -> Result<Self, Status> {
        // SAFETY: as for this function.
        let len = unsafe { Output::new(len, 1) }?;
        len.write(0, &[0])?;
        // SAFETY: as for this function.
        let document = unsafe { Output::or_none(document, capacity) }?;
        document.apart_from_output(&len)?;
        Ok(Self { document, len })
    }

    /// Refuses a place that overlaps an argument.
    fn apart_from(&self, argument: &[u8]) -> Result<(), Status> {
        self.document.apart_from(argument)?;
        self.len.apart_from(argument)
    }

    /// Writes a document. The length is written also if there is no room for the document.
    fn write(&self, document: &[u8]) -> Result<(), Status> {
        self.len.write(0, &[document.len()])?;
        self.document.write(0, document)
    }

    /// Writes a text and a null character, which the length does not count.
    fn write_text(&self, text: &str) -> Result<(), Status> {
        self.len.write(0, &[text.len()])?;
        if self.document.count() <= text.len() {
            return Err(Status::BufferTooSmall);
        }
        self.document.write(0, text.as_bytes())?;
        self.document.write(text.len(), &[0])
    }
}

/// Reads a signing key from PEM.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_from_pem(
    pem: *const c_char,
    pem_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    key: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, pem, passphrase) = unsafe {
            (
                NewHandle::new(key)?,
                values(pem.cast::<u8>(), pem_len)?,
                passphrase_of(passphrase, passphrase_len)?,
            )
        };
        let opened = OpenedKey::from_pem(text_of(pem)?, passphrase)?;
        out.give(falconsign_signing_key::boxed(opened.key, opened.key_use))
    })
}

/// Reads a signing key from DER.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_from_der(
    der: *const u8,
    der_len: usize,
    passphrase: *const u8,
    passphrase_len: usize,
    key: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, der, passphrase) = unsafe {
            (
                NewHandle::new(key)?,
                values(der, der_len)?,
                passphrase_of(passphrase, passphrase_len)?,
            )
        };
        let opened = OpenedKey::from_der(der, passphrase)?;
        out.give(falconsign_signing_key::boxed(opened.key, opened.key_use))
    })
}

/// Writes a signing key as PEM.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_to_pem(
    key: *const falconsign_signing_key,
    passphrase: *const u8,
    passphrase_len: usize,
    pem: *mut c_char,
    capacity: usize,
    pem_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key, passphrase) = unsafe {
            (
                DocumentOutput::new(pem.cast(), capacity, pem_len)?,
                object(key)?,
                passphrase_of(passphrase, passphrase_len)?,
            )
        };
        out.apart_from(passphrase.unwrap_or_default())?;
        let label = match passphrase {
            None => "PRIVATE KEY",
            Some(_) => "ENCRYPTED PRIVATE KEY",
        };
        let pem: Zeroizing<String> = private_document(key, passphrase)?
            .to_pem(label, LineEnding::LF)
            .map_err(|_| Status::Internal)?;
        out.write_text(&pem)
    })
}

/// Writes a signing key as DER.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_to_der(
    key: *const falconsign_signing_key,
    passphrase: *const u8,
    passphrase_len: usize,
    der: *mut u8,
    capacity: usize,
    der_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key, passphrase) = unsafe {
            (
                DocumentOutput::new(der, capacity, der_len)?,
                object(key)?,
                passphrase_of(passphrase, passphrase_len)?,
            )
        };
        out.apart_from(passphrase.unwrap_or_default())?;
        out.write(private_document(key, passphrase)?.as_bytes())
    })
}

/// Reads a verifying key from PEM.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_from_pem(
    pem: *const c_char,
    pem_len: usize,
    key: *mut *mut falconsign_verifying_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, pem) = unsafe { (NewHandle::new(key)?, values(pem.cast::<u8>(), pem_len)?) };
        out.give(verifying_key(AnyVerifyingKey::from_pem(text_of(pem)?))?)
    })
}

/// Reads a verifying key from DER.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_from_der(
    der: *const u8,
    der_len: usize,
    key: *mut *mut falconsign_verifying_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, der) = unsafe { (NewHandle::new(key)?, values(der, der_len)?) };
        out.give(verifying_key(AnyVerifyingKey::from_public_key_der(der))?)
    })
}

fn verifying_key<E>(
    read: Result<AnyVerifyingKey, E>,
) -> Result<Box<falconsign_verifying_key>, Status> {
    let key = read.map_err(|_| Status::MalformedDocument)?;
    Ok(falconsign_verifying_key::boxed(key))
}

/// Writes a verifying key as PEM.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_to_pem(
    key: *const falconsign_verifying_key,
    pem: *mut c_char,
    capacity: usize,
    pem_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key) = unsafe {
            (
                DocumentOutput::new(pem.cast(), capacity, pem_len)?,
                object(key)?,
            )
        };
        let pem = key.0.to_public_key_pem(LineEnding::LF);
        out.write_text(&pem.map_err(|_| Status::Internal)?)
    })
}

/// Writes a verifying key as DER.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_to_der(
    key: *const falconsign_verifying_key,
    der: *mut u8,
    capacity: usize,
    der_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key) = unsafe { (DocumentOutput::new(der, capacity, der_len)?, object(key)?) };
        let der = key.0.to_public_key_der();
        out.write(der.map_err(|_| Status::Internal)?.as_bytes())
    })
}
