//! Verifying keys.

use crate::arguments::values;
use crate::memory::{NewHandle, Output, free, object};
use crate::parameters::number_of;
use crate::status::{caught, guard};
use falcon_core::AnyVerifyingKey;
use std::ffi::c_int;
use std::sync::Arc;

/// Handle of a verifying key.
pub struct falconsign_verifying_key(pub(crate) Arc<AnyVerifyingKey>);

impl falconsign_verifying_key {
    /// Makes the object of a handle.
    pub(crate) fn boxed(key: AnyVerifyingKey) -> Box<Self> {
        Box::new(Self(Arc::new(key)))
    }
}

/// Decodes a key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_from_bytes(
    bytes: *const u8,
    bytes_len: usize,
    key: *mut *mut falconsign_verifying_key,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (out, bytes) = unsafe { (NewHandle::new(key)?, values(bytes, bytes_len)?) };
        out.give(falconsign_verifying_key::boxed(bytes.try_into()?))
    })
}

/// Encodes a key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_to_bytes(
    key: *const falconsign_verifying_key,
    bytes: *mut u8,
    capacity: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (key, out) = unsafe { (object(key)?, Output::new(bytes, capacity)?) };
        out.write(0, &key.0.to_bytes())
    })
}

/// Computes the fingerprint of a key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_fingerprint(
    key: *const falconsign_verifying_key,
    fingerprint: *mut u8,
    capacity: usize,
) -> c_int {
    guard(|| {
        // SAFETY: the header asks the caller for this.
        let (key, out) = unsafe { (object(key)?, Output::new(fingerprint, capacity)?) };
        out.write(0, &key.0.fingerprint())
    })
}

/// Returns the parameter set of a key, or 0.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_parameter_set(
    key: *const falconsign_verifying_key,
) -> c_int {
    // SAFETY: the header asks the caller for this.
    let set = caught(|| unsafe { object(key) }.map(|key| number_of(key.0.set())));
    set.and_then(Result::ok).unwrap_or(0)
}

/// Frees a key.
///
/// # Safety
/// As documented in the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn falconsign_verifying_key_free(key: *mut falconsign_verifying_key) {
    // SAFETY: the header asks the caller for this.
    unsafe { free(key) }
}
