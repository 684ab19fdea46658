//! Parameter sets and formats, by their values in C.

use crate::status::Status;
use core::ffi::c_int;
use falcon_core::Format;
#[cfg(feature = "std")]
use falcon_core::ParameterSet;

/// Parameter sets, with their name and value in C.
#[cfg(feature = "std")]
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
#[cfg(feature = "std")]
pub(crate) fn set_of(value: c_int) -> Result<ParameterSet, Status> {
    let found = SETS.iter().find(|(_, number, _)| *number == value);
    found.map(|row| row.2).ok_or(Status::Argument)
}

/// Returns the value in C of a parameter set.
#[cfg(feature = "std")]
pub(crate) fn number_of(set: ParameterSet) -> c_int {
    let found = SETS.iter().find(|(.., other)| *other == set);
    found.map_or(0, |row| row.1)
}

/// Returns the format of a value in C.
pub(crate) fn format_of(value: c_int) -> Result<Format, Status> {
    let found = FORMATS.iter().find(|(_, number, _)| *number == value);
    found.map(|row| row.2).ok_or(Status::Argument)
}
