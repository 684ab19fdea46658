//! Algorand's deterministic signatures.

use crate::arguments::values;
use crate::memory::{NewHandle, object};
use crate::parameters::format_of;
use crate::sign::SignatureOutput;
use crate::signing_key::{falconsign_signing_key, typed};
use crate::status::{Status, guard};
use crate::verifying_key::falconsign_verifying_key;
use falcon_core::det1024::{self, COMPRESSED_MAX_LEN, CT_LEN, CompressedSignature, CtSignature};
use falcon_core::hazmat::signing_key_from_seed;
use falcon_core::pkcs8::KeyUse;
use falcon_core::{AnySigningKey, Falcon1024, Format, Signature};
use std::ffi::c_int;

/// Generates the Falcon-1024 key that Algorand's code generates from a seed of any length.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_signing_key_from_algorand_seed(
    seed: *const u8,
    seed_len: usize,
    key: *mut *mut falconsign_signing_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, seed) = unsafe { (NewHandle::new(key)?, values(seed, seed_len)?) };
        if seed.is_empty() {
            return Err(Status::Length);
        }
        let key = AnySigningKey::from(signing_key_from_seed::<Falcon1024>(seed)?);
        out.give(falconsign_signing_key::boxed(key, KeyUse::Any))
    })
}

/// Decodes a signature.
fn decode(signature: &[u8], format: c_int) -> Result<CompressedSignature, Status> {
    let decoded = match format_of(format)? {
        Format::Compressed => CompressedSignature::try_from(signature),
        Format::ConstantTime => CtSignature::try_from(signature).map(Into::into),
        Format::Padded => return Err(Status::Argument),
    };
    decoded.map_err(|_| Status::MalformedSignature)
}

/// Makes a signature, if its place has room for every signature in the format, and writes it.
fn write(
    out: &SignatureOutput,
    format: c_int,
    make: impl FnOnce() -> Result<CompressedSignature, Status>,
) -> Result<(), Status> {
    match format_of(format)? {
        Format::Compressed => {
            out.has_room(COMPRESSED_MAX_LEN)?;
            out.write(&make()?.to_bytes())
        }
        Format::ConstantTime => {
            out.has_room(CT_LEN)?;
            out.write(&CtSignature::from(make()?).to_bytes())
        }
        Format::Padded => Err(Status::Argument),
    }
}

/// Signs a message deterministically.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_det1024_sign(
    key: *const falconsign_signing_key,
    message: *const u8,
    message_len: usize,
    format: c_int,
    signature: *mut u8,
    capacity: usize,
    signature_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, key, message) = unsafe {
            (
                SignatureOutput::new(signature, capacity, signature_len)?,
                object(key)?,
                values(message, message_len)?,
            )
        };
        out.apart_from(message)?;
        write(&out, format, || {
            Ok(det1024::sign(typed(key.for_messages()?)?, message)?)
        })
    })
}

/// Verifies a deterministic signature.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_det1024_verify(
    key: *const falconsign_verifying_key,
    message: *const u8,
    message_len: usize,
    format: c_int,
    signature: *const u8,
    signature_len: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (key, message, signature) = unsafe {
            (
                object(key)?,
                values(message, message_len)?,
                values(signature, signature_len)?,
            )
        };
        let decoded = decode(signature, format)?;
        let key = key.0.typed::<Falcon1024>().ok_or(Status::ParameterSet)?;
        Ok(key.verify(message, &Signature::from(decoded))?)
    })
}

/// Converts a deterministic signature to another format.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_det1024_convert(
    signature: *const u8,
    signature_len: usize,
    format: c_int,
    new_format: c_int,
    converted: *mut u8,
    capacity: usize,
    converted_len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, signature) = unsafe {
            (
                SignatureOutput::new(converted, capacity, converted_len)?,
                values(signature, signature_len)?,
            )
        };
        out.apart_from(signature)?;
        write(&out, new_format, || decode(signature, format))
    })
}
