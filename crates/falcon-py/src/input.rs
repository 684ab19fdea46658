//! Arguments: bytes, texts, numbers, names of formats, parameter sets and engines. The error for a
//! wrong type begins with the name of the argument.

use crate::errors;
use crate::memory::reserved;
use falcon_core::{Engine, Format, ParameterSet, UnknownEngine, UnknownParameterSet};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyInt, PyString};
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::ops::Deref;
use zeroize::Zeroizing;

/// The name of an argument, for errors.
pub trait Name {
    const NAME: &'static str;
}

macro_rules! names {
    ($($(#[$doc:meta])* $type:ident = $name:literal)*) => {
        $(
            $(#[$doc])*
            pub struct $type;

            impl Name for $type {
                const NAME: &'static str = $name;
            }
        )*
    };
}

names! {
    /// An encoded key, document or signature.
    Encoded = "data"
    Message = "message"
    Piece = "piece"
    Seed = "seed"
    EncodedSignature = "signature"
}

/// Bytes of the argument `N`, usable while the GIL is released.
pub struct Input<N>(Content, PhantomData<N>);

/// An object of type `bytes` is borrowed. Every other buffer is copied, since another thread may
/// write to it. The copy is wiped, since it may be a key.
enum Content {
    Borrowed(PyBackedBytes),
    Copied(Zeroizing<Vec<u8>>),
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Copied(bytes) => bytes,
        }
    }
}

impl Content {
    /// Takes the bytes of an object, or returns `None` if it is no buffer of bytes.
    fn of(object: Borrowed<'_, '_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Some(Self::Borrowed(bytes.to_owned().into())));
        }
        let Ok(buffer) = PyBuffer::<u8>::get(&object) else {
            return Ok(None);
        };
        let mut copy = Zeroizing::new(reserved(buffer.item_count())?);
        copy.resize(buffer.item_count(), 0);
        buffer.copy_to_slice(object.py(), &mut copy)?;
        Ok(Some(Self::Copied(copy)))
    }

    /// Encodes a text in UTF-8, as it is: without normalization.
    fn of_text(name: &str, text: &Bound<'_, PyString>) -> PyResult<Self> {
        // The error of Python would contain the text, which may be a secret.
        let text = text.to_str().map_err(|_| {
            PyValueError::new_err(format!(
                "{name}: the text has surrogates, which UTF-8 has not; pass bytes"
            ))
        })?;
        Ok(Self::Copied(Zeroizing::new(text.as_bytes().to_vec())))
    }
}

impl<N> Deref for Input<N> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl<'a, 'py, N: Name> FromPyObject<'a, 'py> for Input<N> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match Content::of(object)? {
            Some(content) => Ok(Self(content, PhantomData)),
            None => Err(errors::wrong_type(
                N::NAME,
                "bytes or another buffer of bytes",
                &object,
            )),
        }
    }
}

impl<N: Name> Input<N> {
    /// Returns the bytes, of which there must be `L`.
    pub fn exactly<const L: usize>(&self) -> PyResult<&[u8; L]> {
        (**self)
            .try_into()
            .map_err(|_| errors::wrong_length(N::NAME, self.len(), L))
    }
}

/// Text of the argument `text`: `str`, or bytes in UTF-8.
pub struct Text(Content);

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        text_or_bytes("text", object).map(Self)
    }
}

impl Text {
    /// Returns the text if it is UTF-8.
    pub fn as_str(&self) -> PyResult<&str> {
        std::str::from_utf8(&self.0)
            .map_err(|_| errors::DecodeError::new_err("not PEM: the text is not UTF-8"))
    }
}

/// The argument `password`: bytes, or text, which gives the bytes of `falcon-cli` for the same
/// text.
pub struct Password(Content);

impl<'a, 'py> FromPyObject<'a, 'py> for Password {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        text_or_bytes("password", object).map(Self)
    }
}

impl Deref for Password {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

fn text_or_bytes(name: &str, object: Borrowed<'_, '_, PyAny>) -> PyResult<Content> {
    if let Ok(text) = object.cast::<PyString>() {
        return Content::of_text(name, &text);
    }
    let content = Content::of(object)?;
    content
        .ok_or_else(|| errors::wrong_type(name, "str, bytes or another buffer of bytes", &object))
}

/// The argument `threads`: a number of threads, 1 or more.
#[derive(Clone, Copy)]
pub struct ThreadCount(pub NonZeroUsize);

impl<'a, 'py> FromPyObject<'a, 'py> for ThreadCount {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let Ok(count) = object.extract::<isize>() else {
            if object.is_instance_of::<PyInt>() {
                let error = format!("threads is {}; it is too large", object.str()?);
                return Err(PyValueError::new_err(error));
            }
            return Err(errors::wrong_type("threads", "int", &object));
        };
        let positive = usize::try_from(count).ok().and_then(NonZeroUsize::new);
        positive.map(Self).ok_or_else(|| {
            PyValueError::new_err(format!("threads is {count}; it must be 1 or more"))
        })
    }
}

/// The argument `parameters`: a parameter set by its name.
#[derive(Clone, Copy)]
pub struct Set(pub ParameterSet);

impl<'a, 'py> FromPyObject<'a, 'py> for Set {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let set = name("parameters", object)?.parse();
        set.map(Self)
            .map_err(|error: UnknownParameterSet| PyValueError::new_err(error.to_string()))
    }
}

/// The argument `format`: a format of signatures by its name.
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
        let text = name("format", object)?;
        let found = FORMATS.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, format)| Self(format)).ok_or_else(|| {
            PyValueError::new_err(format!(
                "unknown format {text:?}; known are \"padded\", \"compressed\" and \"ct\""
            ))
        })
    }
}

/// The argument `engine`: an engine by its name.
#[derive(Clone, Copy)]
pub struct Named(pub Engine);

impl<'a, 'py> FromPyObject<'a, 'py> for Named {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let engine = name("engine", object)?.parse();
        engine
            .map(Self)
            .map_err(|error: UnknownEngine| PyValueError::new_err(error.to_string()))
    }
}

/// Returns the text of an argument.
fn name(argument: &str, object: Borrowed<'_, '_, PyAny>) -> PyResult<String> {
    let text = object.extract();
    text.map_err(|_| errors::wrong_type(argument, "str", &object))
}
