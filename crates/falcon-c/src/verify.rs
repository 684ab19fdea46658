//! Verifies one signature.

use crate::arguments::values;
use crate::encoded::verify;
use crate::memory::object;
use crate::parameters::format_of;
use crate::status::{Status, guard};
use crate::verifying_key::falconsign_verifying_key;
use falcon_core::AnyVerifyingKey;
use std::ffi::c_int;

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
