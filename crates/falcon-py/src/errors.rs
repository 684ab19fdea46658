//! Exceptions. They are defined in Python, so that they can have several bases.

use falcon_core::det1024;
use falcon_core::pkcs8::KeyUse;
use falcon_core::{
    DecodeError as CoreDecodeError, FaultError as CoreFaultError, Format, Parameters,
};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(falcon_sign.exceptions, FalconError);
import_exception!(falcon_sign.exceptions, InvalidSignature);
import_exception!(falcon_sign.exceptions, DecodeError);
import_exception!(falcon_sign.exceptions, PasswordError);
import_exception!(falcon_sign.exceptions, KeyUseError);
import_exception!(falcon_sign.exceptions, AlreadyFinalized);
import_exception!(falcon_sign.exceptions, FaultError);

/// Imports the exceptions early, since a later import that fails could end the process.
pub fn import(py: Python<'_>) -> PyResult<()> {
    let module = py.import("falcon_sign.exceptions")?;
    macro_rules! import {
        ($($name:ident)*) => {
            $(
                module.getattr(stringify!($name))?;
                py.get_type::<$name>();
            )*
        };
    }
    import!(
        FalconError InvalidSignature DecodeError PasswordError KeyUseError AlreadyFinalized FaultError
    );
    Ok(())
}

/// Returns the error for a system that gave no random bytes.
pub fn no_randomness(error: getrandom::Error) -> PyErr {
    PyOSError::new_err(format!("the system gave no random bytes: {error}"))
}

/// Returns the error for a device that computed wrongly.
pub fn faulty(error: CoreFaultError) -> PyErr {
    FaultError::new_err(error.to_string())
}

/// Checks that a key may sign messages. The package signs nothing else.
pub fn may_sign_messages(key_use: KeyUse) -> PyResult<()> {
    match key_use {
        KeyUse::Any => Ok(()),
        KeyUse::CertificatesOnly => Err(KeyUseError::new_err(
            "this key is for certificates only, and this package signs messages only",
        )),
    }
}

/// Returns the error for `what` with `found` bytes instead of `expected`.
pub fn wrong_length(what: &str, found: usize, expected: usize) -> PyErr {
    PyValueError::new_err(format!("{what} has {found} bytes; it must have {expected}"))
}

/// Returns the text for a key that cannot be decoded.
pub fn key_text(what: &str, error: CoreDecodeError, len: usize) -> String {
    match error {
        CoreDecodeError::Header => format!(
            "not an encoded {what}: {error} (PEM and DER documents are read by from_pem and from_der)"
        ),
        CoreDecodeError::Length => format!("not an encoded {what}: {error}; it has {len} bytes"),
        _ => format!("not an encoded {what}: {error}"),
    }
}

/// Returns the text for a signature of `len` bytes that cannot be decoded.
pub fn signature_text<P: Parameters>(format: Format, error: CoreDecodeError, len: usize) -> String {
    let (format, expected) = match format {
        Format::Compressed => ("compressed", None),
        Format::Padded => ("padded", Some(P::PADDED_LEN)),
        Format::ConstantTime => ("ct", Some(P::CT_LEN)),
    };
    text(P::NAME, format, expected, error, len)
}

/// Returns the text for a deterministic signature of `len` bytes that cannot be decoded.
pub fn deterministic_text(format: Format, error: CoreDecodeError, len: usize) -> String {
    let (format, expected) = match format {
        Format::ConstantTime => ("ct", Some(det1024::CT_LEN)),
        _ => ("compressed", None),
    };
    text("deterministic Falcon-1024", format, expected, error, len)
}

fn text(
    name: &str,
    format: &str,
    expected: Option<usize>,
    error: CoreDecodeError,
    len: usize,
) -> String {
    match (error, expected) {
        (CoreDecodeError::Length, Some(expected)) if expected != len => {
            let how = if len < expected {
                "Was it truncated?"
            } else {
                "Was something added?"
            };
            format!(
                "malformed signature: {len} bytes; a {format} {name} signature has {expected}. {how}"
            )
        }
        (CoreDecodeError::Header, _) => format!(
            "malformed signature: not a {format} {name} signature: its first byte is that of another \
             format or parameter set"
        ),
        _ => format!("malformed signature: not a {format} {name} signature: {error}"),
    }
}

/// Returns the error for pickling or copying a secret.
pub fn not_copied() -> PyErr {
    PyTypeError::new_err(
        "a signing key is neither pickled nor copied; store it with to_pem(password)",
    )
}
