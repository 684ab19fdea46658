//! Arguments: bytes, names of formats, parameter sets and engines.

use crate::errors;
use crate::memory::reserved;
use falcon_core::{Engine, Format, ParameterSet, UnknownEngine, UnknownParameterSet};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use std::ops::Deref;
use zeroize::Zeroizing;

/// Bytes of an argument, usable while the GIL is released.
///
/// An object of type `bytes` is borrowed. Every other buffer is copied, since another thread may
/// write to it. The copy is wiped, since it may be a key.
pub enum Input {
    Borrowed(PyBackedBytes),
    Copied(Zeroizing<Vec<u8>>),
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Copied(bytes) => bytes,
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Input {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Self::Borrowed(bytes.to_owned().into()));
        }
        let refused = || -> PyResult<PyErr> {
            let name = object.get_type().qualname()?;
            Ok(PyTypeError::new_err(format!(
                "expected bytes or another buffer of bytes, got {name}"
            )))
        };
        let Ok(buffer) = PyBuffer::<u8>::get(&object) else {
            return Err(refused()?);
        };
        let mut copy = Zeroizing::new(reserved(buffer.item_count())?);
        copy.resize(buffer.item_count(), 0);
        buffer.copy_to_slice(object.py(), &mut copy)?;
        Ok(Self::Copied(copy))
    }
}

impl Input {
    /// Returns the bytes of `what`, which must have `N` bytes.
    pub fn exactly<const N: usize>(&self, what: &str) -> PyResult<&[u8; N]> {
        (**self)
            .try_into()
            .map_err(|_| errors::wrong_length(what, self.len(), N))
    }
}

/// Text of an argument: `str`, or bytes in UTF-8.
pub struct Text(Input);

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Self(Input::Copied(Zeroizing::new(
                text.to_str()?.as_bytes().to_vec(),
            ))));
        }
        Ok(Self(object.extract()?))
    }
}

impl Text {
    /// Returns the text if it is UTF-8.
    pub fn as_str(&self) -> PyResult<&str> {
        std::str::from_utf8(&self.0)
            .map_err(|_| errors::DecodeError::new_err("not PEM: the text is not UTF-8"))
    }
}

/// A parameter set by its name.
#[derive(Clone, Copy)]
pub struct Set(pub ParameterSet);

impl<'a, 'py> FromPyObject<'a, 'py> for Set {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let set = name(object)?.parse();
        set.map(Self)
            .map_err(|error: UnknownParameterSet| PyValueError::new_err(error.to_string()))
    }
}

/// A format of signatures by its name.
#[derive(Clone, Copy)]
pub struct Encoding(pub Format);

/// Names of the formats.
const FORMATS: [(&str, Format); 3] = [
    ("padded", Format::Padded),
    ("compressed", Format::Compressed),
    ("ct", Format::ConstantTime),
];

impl Encoding {
    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        FORMATS
            .into_iter()
            .find(|(_, format)| *format == self.0)
            .map_or("", |(name, _)| name)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Encoding {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let text = name(object)?;
        let found = FORMATS.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| Self(format)).ok_or_else(|| {
            PyValueError::new_err(format!(
                "unknown format {text:?}; known are \"padded\", \"compressed\" and \"ct\""
            ))
        })
    }
}

/// An engine by its name.
#[derive(Clone, Copy)]
pub struct Named(pub Engine);

impl<'a, 'py> FromPyObject<'a, 'py> for Named {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let engine = name(object)?.parse();
        engine
            .map(Self)
            .map_err(|error: UnknownEngine| PyValueError::new_err(error.to_string()))
    }
}

fn name(object: Borrowed<'_, '_, PyAny>) -> PyResult<String> {
    let kind = object.get_type();
    object.extract().map_err(|_| {
        let kind = kind
            .qualname()
            .map_or_else(|_| String::from("another type"), |name| name.to_string());
        PyTypeError::new_err(format!("expected str, got {kind}"))
    })
}
