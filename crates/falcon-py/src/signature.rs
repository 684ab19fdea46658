//! Decoded signatures.

use crate::errors::{DecodeError, FalconError};
use crate::input::{Encoded, EncodedSignature, Encoding, Input};
use falcon_core::{AnySignature, DecodeError as CoreDecodeError, Format, ParameterSet, det1024};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::sync::Arc;

/// Decodes a signature of a parameter set. The padded format means the canonical bytes.
pub fn decode(set: ParameterSet, format: Encoding, bytes: &[u8]) -> Result<AnySignature, String> {
    match format.0 {
        Format::Padded => AnySignature::from_canonical_bytes(set, bytes),
        format => AnySignature::from_bytes(set, format, bytes),
    }
    .map_err(|error| signature_text(set, format.0, error, bytes.len()))
}

/// Returns the text for a signature of `len` bytes that cannot be decoded.
fn signature_text(set: ParameterSet, format: Format, error: CoreDecodeError, len: usize) -> String {
    text(set.name(), format, set.signature_len(format), error, len)
}

/// Returns the text for a deterministic signature of `len` bytes that cannot be decoded.
pub fn deterministic_text(format: Format, error: CoreDecodeError, len: usize) -> String {
    let expected = (format == Format::ConstantTime).then_some(det1024::CT_LEN);
    text("deterministic Falcon-1024", format, expected, error, len)
}

fn text(
    name: &str,
    format: Format,
    expected: Option<usize>,
    error: CoreDecodeError,
    len: usize,
) -> String {
    let format = Encoding(format).name();
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

/// Encodes a signature. All signatures that the package makes fit each format.
pub fn encode(signature: &AnySignature, format: Encoding) -> PyResult<Vec<u8>> {
    match format.0 {
        Format::Padded => Ok(signature.to_bytes()),
        format => signature.to_vec(format),
    }
    .map_err(|error| FalconError::new_err(error.to_string()))
}

/// A decoded signature, to change its format or to read its nonce.
///
/// verify accepts it instead of bytes. Signatures are equal if they have the same nonce and
/// polynomial.
#[pyclass(frozen, eq, hash, module = "falconsign", name = "Signature")]
#[derive(PartialEq, Eq, Hash)]
pub struct PySignature {
    pub signature: Arc<AnySignature>,
}

#[pymethods]
impl PySignature {
    /// Decode a signature. Its header names the parameter set.
    #[classmethod]
    #[pyo3(
        signature = (data, *, format = Encoding(Format::Padded)),
        text_signature = "(data, *, format='padded')"
    )]
    fn from_bytes(
        _cls: &Bound<'_, PyType>,
        data: Input<Encoded>,
        format: Encoding,
    ) -> PyResult<Self> {
        let set = ParameterSet::of_encoding(&data);
        let signature = decode(set, format, &data).map_err(DecodeError::new_err)?;
        Ok(Self {
            signature: Arc::new(signature),
        })
    }

    /// Detect the format of an encoded signature from its header and length.
    #[staticmethod]
    fn detect_format(data: Input<Encoded>) -> PyResult<&'static str> {
        let (_, format) = AnySignature::detect(&data).map_err(|error| {
            let (set, format) = (ParameterSet::Falcon512, Format::Compressed);
            DecodeError::new_err(signature_text(set, format, error, data.len()))
        })?;
        Ok(Encoding(format).name())
    }

    /// Encode the signature.
    #[pyo3(
        signature = (*, format = Encoding(Format::Padded)),
        text_signature = "($self, *, format='padded')"
    )]
    fn to_bytes<'py>(&self, py: Python<'py>, format: Encoding) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &encode(&self.signature, format)?))
    }

    /// Name of the parameter set, "Falcon-512" or "Falcon-1024".
    #[getter]
    fn parameters(&self) -> &'static str {
        self.signature.set().name()
    }

    /// Nonce of 40 bytes, which is hashed before the message.
    #[getter]
    fn nonce<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.signature.nonce())
    }

    fn __repr__(&self) -> String {
        let nonce = base16ct::lower::encode_string(self.signature.nonce());
        format!("<Signature {} nonce {nonce}>", self.signature.set())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((read, (self.to_bytes(py, Encoding(Format::Padded))?,)))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        slf
    }
}

/// The signature of an argument: decoded, or encoded bytes.
pub enum Presented {
    Decoded(Arc<AnySignature>),
    Bytes(Input<EncodedSignature>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Presented {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(signature) = object.cast::<PySignature>() {
            return Ok(Self::Decoded(Arc::clone(&signature.get().signature)));
        }
        Ok(Self::Bytes(object.extract()?))
    }
}
