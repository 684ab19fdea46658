//! Verifies one signature with an encoded key, without an allocator: for microcontrollers too.

use crate::arguments::values;
use crate::parameters::format_of;
use crate::status::{Status, guard};
use core::ffi::c_int;
use falcon_core::{Falcon512, Falcon1024, Format, Parameters, Signature, VerifyingKey};

/// Decodes and verifies a signature. The padded format means the canonical bytes, as in batches.
pub(crate) fn verify<P: Parameters>(
    key: &VerifyingKey<P>,
    message: &[u8],
    format: Format,
    signature: &[u8],
) -> Result<(), Status> {
    let decoded = match format {
        Format::Padded => Signature::try_from(signature),
        format => Signature::from_bytes(format, signature),
    };
    // Moving the signature out of the result would take stack.
    match &decoded {
        Ok(decoded) => Ok(key.verify(message, decoded)?),
        Err(_) => Err(Status::MalformedSignature),
    }
}

/// Decodes a key and verifies. Not inlined, so the stack is that of one parameter set.
#[inline(never)]
fn verify_with_encoded<P: Parameters>(
    key: &[u8],
    message: &[u8],
    format: Format,
    signature: &[u8],
) -> Result<(), Status> {
    match &VerifyingKey::<P>::try_from(key) {
        Ok(key) => verify(key, message, format, signature),
        Err(error) => Err((*error).into()),
    }
}

/// Verifies a signature of a message with an encoded key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verify_encoded(
    key: *const u8,
    key_len: usize,
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
                values(key, key_len)?,
                values(message, message_len)?,
                values(signature, signature_len)?,
            )
        };
        let format = format_of(format)?;
        match key.len() {
            Falcon512::VERIFYING_KEY_LEN => {
                verify_with_encoded::<Falcon512>(key, message, format, signature)
            }
            Falcon1024::VERIFYING_KEY_LEN => {
                verify_with_encoded::<Falcon1024>(key, message, format, signature)
            }
            _ => Err(Status::Length),
        }
    })
}
