//! Deterministic Falcon-1024, the scheme of Algorand.

use crate::documents;
use crate::errors::{self, DecodeError, InvalidSignature};
use crate::input::{Encoded, EncodedSignature, Encoding, Input, Message, Password, Seed, Text};
use crate::keys::{PySigningKey, PyVerifyingKey};
use crate::random::fresh_seed;
use crate::signature;
use falcon_core::det1024::{self, CompressedSignature, CtSignature};
use falcon_core::hazmat::signing_key_from_seed;
use falcon_core::{
    AnySignature, AnySigningKey, AnyVerifyingKey, Falcon1024, Format, ParameterSet, Signature,
    SigningKey, VerifyingKey,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyType};

const NAME: &str = "Falcon-det1024";

/// A signing key whose signatures are deterministic: secret, wiped when it is freed.
///
/// A message has one signature under a key. Never sign with the same key in a program whose
/// arithmetic rounds differently: two different signatures of one message reveal the key.
#[pyclass(frozen, module = "falconsign.det1024", name = "SigningKey")]
pub struct DetSigningKey(PySigningKey);

impl DetSigningKey {
    fn decode(bytes: &[u8]) -> PyResult<Self> {
        let key = SigningKey::<Falcon1024>::decode_boxed(bytes).map_err(|error| {
            let what = "Falcon-1024 signing key";
            DecodeError::new_err(errors::key_text(what, error, bytes.len()))
        })?;
        Ok(Self(AnySigningKey::from(key).into()))
    }

    /// Returns the typed key, if it is not for certificates only.
    fn for_messages(&self) -> PyResult<&SigningKey<Falcon1024>> {
        let key = self.0.for_messages()?;
        key.typed().ok_or_else(|| other_set(key.set()))
    }
}

fn other_set(set: ParameterSet) -> PyErr {
    DecodeError::new_err(format!(
        "a {set} key; deterministic signatures need a Falcon-1024 key"
    ))
}

/// Refuses the padded format, which deterministic signatures do not have.
fn format_of(format: Encoding) -> PyResult<Format> {
    if format.0 == Format::Padded {
        return Err(PyValueError::new_err(
            "deterministic signatures are \"compressed\" or \"ct\", not \"padded\"",
        ));
    }
    Ok(format.0)
}

#[pymethods]
impl DetSigningKey {
    /// Generate a key from the operating system's random bytes.
    #[classmethod]
    fn generate(_cls: &Bound<'_, PyType>) -> PyResult<Self> {
        let seed = fresh_seed()?;
        let key = _cls
            .py()
            .detach(|| AnySigningKey::from_seed(ParameterSet::Falcon1024, &seed));
        Ok(Self(key.map_err(errors::faulty)?.into()))
    }

    /// Generate the key that Algorand's code generates from a secret seed of one byte or more.
    ///
    /// Take 32 random bytes or more, so that nobody can guess the seed. Raises FaultError if a
    /// hardware fault was detected.
    #[classmethod]
    fn from_seed(_cls: &Bound<'_, PyType>, seed: Input<Seed>) -> PyResult<Self> {
        if seed.is_empty() {
            return Err(PyValueError::new_err("the seed is empty"));
        }
        let key = _cls
            .py()
            .detach(|| signing_key_from_seed::<Falcon1024>(&seed));
        Ok(Self(
            AnySigningKey::from(key.map_err(errors::faulty)?).into(),
        ))
    }

    /// Decode a Falcon-1024 key, 2305 bytes.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, data: Input<Encoded>) -> PyResult<Self> {
        _cls.py().detach(|| Self::decode(&data))
    }

    /// Read a Falcon-1024 key from a PKCS#8 document in PEM, as falconsign.SigningKey.from_pem
    /// does.
    #[classmethod]
    #[pyo3(signature = (text, password = None))]
    fn from_pem(
        _cls: &Bound<'_, PyType>,
        text: Text,
        password: Option<Password>,
    ) -> PyResult<Self> {
        let key = PySigningKey::from_pem(_cls, text, password)?;
        match key.public.set() {
            ParameterSet::Falcon1024 => Ok(Self(key)),
            other => Err(other_set(other)),
        }
    }

    /// Encode the key, unencrypted, in 2305 bytes. Python does not wipe the bytes that it returns.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.0.to_bytes(py)
    }

    /// Write the key as PKCS#8 in PEM, as falconsign.SigningKey.to_pem does.
    #[pyo3(signature = (password = None))]
    fn to_pem<'py>(
        &self,
        py: Python<'py>,
        password: Option<Password>,
    ) -> PyResult<Bound<'py, PyString>> {
        self.0.to_pem(py, password)
    }

    /// True if the document of the key says that it signs certificates only. Then sign raises
    /// KeyUseError.
    #[getter]
    fn certificates_only(&self) -> bool {
        self.0.certificates_only()
    }

    /// Name of the scheme, "Falcon-det1024".
    #[getter]
    fn parameters(&self) -> &'static str {
        NAME
    }

    /// Verifying (public) key of this key.
    #[getter]
    fn verifying_key(&self) -> DetVerifyingKey {
        DetVerifyingKey(self.0.verifying_key())
    }

    /// Fingerprint of the verifying key, 64 hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> String {
        self.0.fingerprint()
    }

    /// Sign a message. The same message always gets the same signature.
    ///
    /// Signs twice, compares, and verifies. Raises FaultError if a hardware fault was detected.
    #[pyo3(
        signature = (message, *, format = Encoding(Format::Compressed)),
        text_signature = "($self, message, *, format='compressed')"
    )]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Input<Message>,
        format: Encoding,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let format = format_of(format)?;
        let key = self.for_messages()?;
        let signature = py.detach(|| det1024::sign(key, &message));
        let signature = signature.map_err(errors::faulty)?;
        Ok(match format {
            Format::ConstantTime => PyBytes::new(py, &CtSignature::from(signature).to_bytes()),
            _ => PyBytes::new(py, &signature.to_bytes()),
        })
    }

    fn __repr__(&self) -> String {
        format!("<SigningKey {NAME} {}>", self.fingerprint())
    }

    fn __reduce__(&self) -> PyResult<Py<PyAny>> {
        Err(errors::not_copied())
    }

    fn __copy__(&self) -> PyResult<Py<PyAny>> {
        Err(errors::not_copied())
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let _ = memo;
        Err(errors::not_copied())
    }
}

/// A verifying (public) key for deterministic signatures.
#[pyclass(frozen, eq, hash, module = "falconsign.det1024", name = "VerifyingKey")]
#[derive(PartialEq, Eq, Hash)]
pub struct DetVerifyingKey(PyVerifyingKey);

impl DetVerifyingKey {
    fn decode(bytes: &[u8]) -> PyResult<Self> {
        let key = VerifyingKey::<Falcon1024>::try_from(bytes).map_err(|error| {
            let what = "Falcon-1024 verifying key";
            DecodeError::new_err(errors::key_text(what, error, bytes.len()))
        })?;
        Ok(Self(AnyVerifyingKey::from(key).into()))
    }
}

#[pymethods]
impl DetVerifyingKey {
    /// Decode a Falcon-1024 key, 1793 bytes.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, data: Input<Encoded>) -> PyResult<Self> {
        Self::decode(&data)
    }

    /// Read a Falcon-1024 key from a SubjectPublicKeyInfo document in PEM, "PUBLIC KEY".
    #[classmethod]
    fn from_pem(_cls: &Bound<'_, PyType>, text: Text) -> PyResult<Self> {
        Self::decode(&documents::read_public_pem(text.as_str()?)?.to_bytes())
    }

    /// Encode the key in 1793 bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.0.to_bytes(py)
    }

    /// Write the key as a SubjectPublicKeyInfo document in PEM.
    fn to_pem(&self) -> PyResult<String> {
        self.0.to_pem()
    }

    /// Name of the scheme, "Falcon-det1024".
    #[getter]
    fn parameters(&self) -> &'static str {
        NAME
    }

    /// Fingerprint of the key: the first 32 bytes of SHAKE256 of its encoding, as 64 hexadecimal
    /// digits.
    #[getter]
    fn fingerprint(&self) -> String {
        self.0.fingerprint()
    }

    /// Verify a signature for a message. Returns None, or raises InvalidSignature.
    #[pyo3(
        signature = (signature, message, *, format = Encoding(Format::Compressed)),
        text_signature = "($self, signature, message, *, format='compressed')"
    )]
    fn verify(
        &self,
        py: Python<'_>,
        signature: Input<EncodedSignature>,
        message: Input<Message>,
        format: Encoding,
    ) -> PyResult<()> {
        let format = format_of(format)?;
        let result = py.detach(|| {
            let decoded = match format {
                Format::ConstantTime => CtSignature::try_from(&*signature).map(Into::into),
                _ => CompressedSignature::try_from(&*signature),
            };
            let decoded = decoded
                .map_err(|error| signature::deterministic_text(format, error, signature.len()))?;
            let signature = AnySignature::from(Signature::<Falcon1024>::from(decoded));
            let key = &self.0.key;
            key.verify_decoded(&message, &signature)
                .map_err(|error| error.to_string())
        });
        result.map_err(InvalidSignature::new_err)
    }

    fn __repr__(&self) -> String {
        format!("<VerifyingKey {NAME} {}>", self.fingerprint())
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((read, (self.to_bytes(py),)))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, memo: &Bound<'_, PyAny>) -> Py<Self> {
        let _ = memo;
        slf
    }
}
