//! Exceptions. They are defined in Python, so that they can have several bases.

use falcon_core::pkcs8::KeyUse;
use falcon_core::{DecodeError as CoreDecodeError, FaultError as CoreFaultError};
use pyo3::PyTypeCheck;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

import_exception!(falconsign.exceptions, FalconError);
import_exception!(falconsign.exceptions, InvalidSignature);
import_exception!(falconsign.exceptions, DecodeError);
import_exception!(falconsign.exceptions, PasswordError);
import_exception!(falconsign.exceptions, KeyUseError);
import_exception!(falconsign.exceptions, AlreadyFinalized);
import_exception!(falconsign.exceptions, FaultError);

/// Imports the exceptions early, since a later import that fails could end the process.
pub fn import(py: Python<'_>) -> PyResult<()> {
    let module = py.import("falconsign.exceptions")?;
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

/// Returns the error for an argument of a wrong type. Says what to write if that is known.
pub fn wrong_type(name: &str, expected: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let kind = object.get_type().qualname();
    let kind = kind.map_or_else(|_| String::from("another type"), |kind| kind.to_string());
    let advice = advice(name, expected, object).unwrap_or_default();
    PyTypeError::new_err(format!("{name}: expected {expected}, got {kind}{advice}"))
}

/// Returns what to write instead of an argument of a wrong type.
pub fn advice(name: &str, expected: &str, object: &Bound<'_, PyAny>) -> Option<String> {
    let kind = object.get_type().name();
    let is_signing_key = kind.is_ok_and(|kind| kind == "SigningKey");
    let advice = if object.is_instance_of::<PyString>() && expected.contains("bytes") {
        format!("{name}.encode()")
    } else if is_signing_key && expected.contains("VerifyingKey") {
        format!("{name}.verifying_key")
    } else if object.is_instance_of::<PyBytes>() && expected.contains("VerifyingKey") {
        format!("VerifyingKey.from_bytes({name})")
    } else {
        return None;
    };
    Some(format!("; write {advice}"))
}

/// Returns the error for an argument that is not what is expected, and no column either. Says how
/// to make a column of one value or of several.
pub fn not_a_column(name: &str, expected: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let is_value = object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyString>();
    let error = wrong_type(name, expected, object);
    let advice = match object.hasattr("__len__") {
        _ if advice(name, expected, object).is_some() => return error,
        Ok(true) if is_value => format!("pyarrow.array([{name}]) makes a column of one row"),
        Ok(true) => format!("pyarrow.array({name}) makes one"),
        _ => return error,
    };
    PyTypeError::new_err(format!("{}; {advice}", error.value(object.py())))
}

/// Returns an argument that must be a `T`. `expected` is the name of that class in Python.
pub fn cast<'a, 'py, T: PyTypeCheck>(
    name: &str,
    expected: &str,
    object: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, T>> {
    let cast = object.cast::<T>();
    cast.map_err(|_| wrong_type(name, expected, object))
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
