//! Version, engine, parameter sets, formats, lengths and texts.

use crate::status::{Status, caught, text};
use falcon_core::{Engine, Falcon512, Falcon1024, Format, ParameterSet, Parameters};
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;

/// Parameter sets, with their name and value in C.
pub const SETS: [(&str, c_int, ParameterSet); 2] = [
    ("FALCONSIGN_FALCON_512", 512, ParameterSet::Falcon512),
    ("FALCONSIGN_FALCON_1024", 1024, ParameterSet::Falcon1024),
];

/// Formats of signatures, with their name and value in C, which is that of the reference's
/// `falcon.h`.
pub const FORMATS: [(&str, c_int, Format); 3] = [
    ("FALCONSIGN_COMPRESSED", 1, Format::Compressed),
    ("FALCONSIGN_PADDED", 2, Format::Padded),
    ("FALCONSIGN_CT", 3, Format::ConstantTime),
];

/// Returns the parameter set of a value in C.
pub(crate) fn set_of(value: c_int) -> Result<ParameterSet, Status> {
    let found = SETS.iter().find(|(_, number, _)| *number == value);
    found.map(|row| row.2).ok_or(Status::Argument)
}

/// Returns the value in C of a parameter set.
pub(crate) fn number_of(set: ParameterSet) -> c_int {
    let found = SETS.iter().find(|(.., other)| *other == set);
    found.map_or(0, |row| row.1)
}

/// Returns the format of a value in C.
pub(crate) fn format_of(value: c_int) -> Result<Format, Status> {
    let found = FORMATS.iter().find(|(_, number, _)| *number == value);
    found.map(|row| row.2).ok_or(Status::Argument)
}

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
