//! Status codes, and the border between Rust and C.

use falcon_core::batch::BatchError;
use falcon_core::pkcs8::OpenError;
use falcon_core::{DecodeError, EncodeError, FaultError, SignatureError};
use std::ffi::{CStr, c_int};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
        pub(crate) fn text(status: c_int) -> &'static CStr {
            match status {
                0 => c"success",
                $($value => $text,)*
                _ => c"unknown status code",
            }
        }
    };
}

statuses! {
    InvalidSignature "INVALID_SIGNATURE" 1 c"this key did not make the signature for this message"
    MalformedSignature "MALFORMED_SIGNATURE" 2
        c"the bytes are not a signature of this parameter set in this format"
    UnknownKey "UNKNOWN_KEY" 3 c"the job has no key"
    NullPointer "NULL_POINTER" 16 c"a pointer is NULL"
    Argument "ARGUMENT" 17 c"unknown parameter set or format, or a misaligned pointer"
    Length "LENGTH" 18 c"an argument has a wrong length"
    BufferTooSmall "BUFFER_TOO_SMALL" 19 c"the output buffer is too small"
    Overlap "OVERLAP" 20 c"an output overlaps another argument"
    MalformedKey "MALFORMED_KEY" 21 c"the bytes are not an encoded Falcon key"
    MalformedDocument "MALFORMED_DOCUMENT" 22
        c"not a PKCS#8 or SubjectPublicKeyInfo document of a Falcon key"
    PassphraseNeeded "PASSPHRASE_NEEDED" 23 c"the key is encrypted; pass its passphrase"
    PassphraseNotNeeded "PASSPHRASE_NOT_NEEDED" 24
        c"the key is not encrypted; pass no passphrase"
    WrongPassphrase "WRONG_PASSPHRASE" 25 c"wrong passphrase, or the document is damaged"
    KeyUse "KEY_USE" 26 c"this key signs certificates only"
    ParameterSet "PARAMETER_SET" 27 c"the key has another parameter set than this function needs"
    NoRandomness "NO_RANDOMNESS" 28 c"the system gave no random bytes"
    NoMemory "NO_MEMORY" 29 c"there is not enough memory"
    Fault "FAULT" 30 c"the device computed wrongly; no key and no signature was made"
    Finished "FINISHED" 31 c"the message of this stream has ended"
    Forked "FORKED" 32 c"this object was made before a fork; make one in each process"
    Internal "INTERNAL" 33 c"internal error of the library"
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

impl From<OpenError> for Status {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Encrypted => Self::PassphraseNeeded,
            OpenError::NotEncrypted => Self::PassphraseNotNeeded,
            OpenError::Passphrase => Self::WrongPassphrase,
            _ => Self::MalformedDocument,
        }
    }
}

impl From<BatchError> for Status {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Fault { .. } => Self::Fault,
            _ => Self::Internal,
        }
    }
}

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
pub(crate) fn caught<T>(body: impl FnOnce() -> T) -> Option<T> {
    // What `body` changed before a panic is a stream, which ends, or memory of the caller.
    catch_unwind(AssertUnwindSafe(body))
        // Dropping the payload could panic again.
        .map_err(mem::forget)
        .ok()
}
