//! Status codes, and the border between Rust and C.

use core::ffi::c_int;
use falcon_core::{DecodeError, EncodeError, FaultError, SignatureError};

/// Defines the status codes from one table: name, name in C, value, text.
macro_rules! statuses {
    ($($name:ident $c:literal $value:literal $text:literal)*) => {
        /// Result of a function that is not `FALCONSIGN_OK`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub enum Status {
            $(#[allow(missing_docs)] $name = $value,)*
        }

        /// Names in C and values of the status codes.
        pub const STATUSES: &[(&str, c_int)] = &[
            ("FALCONSIGN_OK", 0),
            $((concat!("FALCONSIGN_", $c), $value),)*
        ];

        /// Returns the text of a status code.
        #[cfg(feature = "std")]
        pub(crate) fn text(status: c_int) -> &'static core::ffi::CStr {
            match status {
                0 => c"success",
                $($value => $text,)*
                _ => c"unknown status code",
            }
        }
    };
}

statuses! {
    InvalidSignature "INVALID_SIGNATURE" -1
        c"this key did not make the signature for this message"
    MalformedSignature "MALFORMED_SIGNATURE" -2
        c"the bytes are not a signature of this parameter set in this format"
    NullPointer "ERROR_NULL_POINTER" -16 c"a pointer is NULL"
    MisalignedPointer "ERROR_MISALIGNED_POINTER" -17 c"a pointer is misaligned for its type"
    Argument "ERROR_ARGUMENT" -18 c"unknown parameter set, or a format that this function lacks"
    Length "ERROR_LENGTH" -19 c"an argument has a wrong length"
    BufferTooSmall "ERROR_BUFFER_TOO_SMALL" -20 c"the output buffer is too small"
    Overlap "ERROR_OVERLAP" -21 c"an output overlaps another argument"
    MalformedKey "ERROR_MALFORMED_KEY" -22 c"the bytes are not an encoded Falcon key"
    MalformedDocument "ERROR_MALFORMED_DOCUMENT" -23
        c"not a document of a Falcon key of this kind (signing or verifying)"
    PassphraseNeeded "ERROR_PASSPHRASE_NEEDED" -24 c"the key is encrypted; pass its passphrase"
    PassphraseNotNeeded "ERROR_PASSPHRASE_NOT_NEEDED" -25
        c"the key is not encrypted; pass no passphrase"
    WrongPassphrase "ERROR_WRONG_PASSPHRASE" -26 c"wrong passphrase, or the document is damaged"
    KeyUse "ERROR_KEY_USE" -27 c"this key signs certificates only"
    ParameterSet "ERROR_PARAMETER_SET" -28
        c"the key has another parameter set than this function needs"
    NoRandomness "ERROR_NO_RANDOMNESS" -29 c"the system gave no random bytes"
    NoMemory "ERROR_NO_MEMORY" -30 c"there is not enough memory"
    Fault "ERROR_FAULT" -31 c"the device computed wrongly; no key and no signature was made"
    Finished "ERROR_FINISHED" -32 c"the message of this stream has ended"
    Forked "ERROR_FORKED" -33 c"this object was made before a fork; make one in each process"
    Internal "ERROR_INTERNAL" -34 c"internal error of the library"
}

impl From<FaultError> for Status {
    fn from(_: FaultError) -> Self {
        Self::Fault
    }
}

impl From<SignatureError> for Status {
    fn from(_: SignatureError) -> Self {
        Self::InvalidSignature
    }
}

/// Of a key. Signatures have their own status.
impl From<DecodeError> for Status {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::Length => Self::Length,
            _ => Self::MalformedKey,
        }
    }
}

impl From<EncodeError> for Status {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::BufferTooSmall => Self::BufferTooSmall,
            // All signatures that this library makes fit each format.
            _ => Self::Internal,
        }
    }
}

#[cfg(feature = "std")]
impl From<falcon_core::pkcs8::OpenError> for Status {
    fn from(error: falcon_core::pkcs8::OpenError) -> Self {
        use falcon_core::pkcs8::OpenError;
        match error {
            OpenError::Encrypted => Self::PassphraseNeeded,
            OpenError::NotEncrypted => Self::PassphraseNotNeeded,
            OpenError::Passphrase => Self::WrongPassphrase,
            _ => Self::MalformedDocument,
        }
    }
}

#[cfg(feature = "std")]
impl From<falcon_core::batch::BatchError> for Status {
    fn from(error: falcon_core::batch::BatchError) -> Self {
        match error {
            falcon_core::batch::BatchError::Fault { .. } => Self::Fault,
            _ => Self::Internal,
        }
    }
}

#[cfg(feature = "std")]
impl From<getrandom::Error> for Status {
    fn from(_: getrandom::Error) -> Self {
        Self::NoRandomness
    }
}

/// Calls `body` and returns its status code. A panic ends here, since C code cannot unwind.
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Status>) -> c_int {
    match caught(body) {
        Some(Ok(())) => 0,
        Some(Err(status)) => status as c_int,
        None => Status::Internal as c_int,
    }
}

/// Calls `body`. Returns `None` if it panics.
#[cfg(feature = "std")]
pub fn caught<T>(body: impl FnOnce() -> T) -> Option<T> {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    // What `body` changed before a panic is a stream, which ends, or memory of the caller.
    catch_unwind(AssertUnwindSafe(body))
        // Dropping the payload could panic again.
        .map_err(std::mem::forget)
        .ok()
}

/// Calls `body`. Without the standard library a panic never returns.
#[cfg(not(feature = "std"))]
pub(crate) fn caught<T>(body: impl FnOnce() -> T) -> Option<T> {
    Some(body())
}
