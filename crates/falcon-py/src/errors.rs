//! Exceptions. They are defined in Python, so that they can have several bases.

use falcon_core::pkcs8::KeyUse;
use falcon_core::{DecodeError as CoreDecodeError, FaultError as CoreFaultError};
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

/// Returns the error for a detected hardware fault.
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
        CoreDecodeError::Header | CoreDecodeError::Text => format!(
            "not an encoded {what}: {error} (PEM and DER documents are read by from_pem and from_der)"
        ),
        CoreDecodeError::Length => format!("not an encoded {what}: {error}; it has {len} bytes"),
        _ => format!("not an encoded {what}: {error}"),
    }
}

/// Error for pickling or copying a secret.
pub fn not_copied() -> PyErr {
    PyTypeError::new_err(
        "a signing key is neither pickled nor copied; store it with to_pem(password)",
    )
}
