//! Version, engine, lengths and texts.

use crate::parameters::{format_of, set_of};
use crate::status::{caught, text};
use falcon_core::{Engine, Falcon512, Falcon1024, Format, ParameterSet, Parameters};
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;

/// Maximum length of a signature in bytes.
pub(crate) fn max_len(set: ParameterSet, format: Format) -> usize {
    set.signature_len(format).unwrap_or(match set {
        ParameterSet::Falcon512 => Falcon512::COMPRESSED_MAX_LEN,
        _ => Falcon1024::COMPRESSED_MAX_LEN,
    })
}

/// Returns the version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn falconsign_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version with a null byte"),
        };
    VERSION.as_ptr()
}

/// Returns the name of the engine that computes.
#[unsafe(no_mangle)]
pub extern "C" fn falconsign_engine() -> *const c_char {
    static NAME: OnceLock<CString> = OnceLock::new();
    let name = || NAME.get_or_init(|| CString::new(Engine::best().name()).unwrap_or_default());
    caught(name).map_or(c"".as_ptr(), |name| name.as_ptr())
}

/// Returns the text of a status code.
#[unsafe(no_mangle)]
pub extern "C" fn falconsign_status_text(status: c_int) -> *const c_char {
    text(status).as_ptr()
}

/// Returns the name of a parameter set, or null.
#[unsafe(no_mangle)]
pub extern "C" fn falconsign_parameter_set_name(set: c_int) -> *const c_char {
    match set_of(set) {
        Ok(ParameterSet::Falcon512) => c"Falcon-512".as_ptr(),
        Ok(ParameterSet::Falcon1024) => c"Falcon-1024".as_ptr(),
        _ => std::ptr::null(),
    }
}

/// Returns the length of an encoded signing key, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn falconsign_signing_key_len(set: c_int) -> usize {
    set_of(set).map_or(0, ParameterSet::signing_key_len)
}

/// Returns the length of an encoded verifying key, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn falconsign_verifying_key_len(set: c_int) -> usize {
    set_of(set).map_or(0, ParameterSet::verifying_key_len)
}

/// Returns the maximum length of a signature, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn falconsign_signature_max_len(set: c_int, format: c_int) -> usize {
    match (set_of(set), format_of(format)) {
        (Ok(set), Ok(format)) => max_len(set, format),
        _ => 0,
    }
}
