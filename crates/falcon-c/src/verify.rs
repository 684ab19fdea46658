//! Verifies one signature.

use crate::information::format_of;
use crate::memory::{object, values};
use crate::status::{Status, guard};
use crate::verifying_key::falconsign_verifying_key;
use falcon_core::{AnyVerifyingKey, Format, Parameters, Signature, VerifyingKey};
use std::ffi::c_int;

/// Decodes and verifies a signature. The padded format means the canonical bytes, as in batches.
fn verify<P: Parameters>(
    key: &VerifyingKey<P>,
    message: &[u8],
    format: Format,
    signature: &[u8],
) -> Result<(), Status> {
    let decoded = match format {
        Format::Padded => Signature::try_from(signature),
        format => Signature::from_bytes(format, signature),
    };
    let decoded = decoded.map_err(|_| Status::MalformedSignature)?;
    Ok(key.verify(message, &decoded)?)
}

/// Verifies a signature of a message.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verify(
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
        let format = format_of(format)?;
        match &*key.0 {
            AnyVerifyingKey::Falcon512(key) => verify(key, message, format, signature),
            AnyVerifyingKey::Falcon1024(key) => verify(key, message, format, signature),
            _ => Err(Status::Internal),
        }
    })
}
