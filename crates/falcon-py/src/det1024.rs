//! Deterministic Falcon-1024, as Algorand signs.

use crate::documents::{self, bytes_of};
use crate::errors::{self, DecodeError, InvalidSignature};
use crate::input::{Encoding, Input, Set, Text};
use crate::random::fresh_seed;
use crate::typed::{Public, Secret};
use falcon_core::det1024::{CompressedSignature, CtSignature, SigningKey, VerifyingKey};
use falcon_core::pkcs8::KeyUse;
use falcon_core::{DecodeError as CoreDecodeError, Falcon1024, Format};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyType};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

const NAME: &str = "Falcon-det1024";

/// A signing key whose signatures are deterministic: secret, wiped when it is freed.
///
/// A message has one signature under a key. Never sign with the same key in a program whose
/// arithmetic rounds differently: two different signatures of one message reveal the key.
#[pyclass(frozen, module = "falcon_sign.det1024", name = "SigningKey")]
pub struct DetSigningKey {
    key: Box<SigningKey>,
    key_use: KeyUse,
    public: Public,
}

impl DetSigningKey {
    fn new(key: Box<SigningKey>) -> PyResult<Self> {
        let public = public_of(&key.verifying_key().to_bytes()).map_err(DecodeError::new_err)?;
        Ok(Self {
            key,
            key_use: KeyUse::Any,
            public,
        })
    }

    fn decode(bytes: &[u8]) -> PyResult<Self> {
        let key = SigningKey::decode_boxed(bytes).map_err(|error| {
            let what = "Falcon-1024 signing key";
            DecodeError::new_err(errors::key_text(what, error, bytes.len()))
        })?;
        Self::new(key)
    }

    /// Takes a key of a document.
    fn of(key: &Secret) -> PyResult<Self> {
        match key {
            Secret::Falcon1024(key) => Self::decode(&*key.to_bytes()),
            Secret::Falcon512(_) => Err(DecodeError::new_err(
                "a Falcon-512 key; deterministic signatures need a Falcon-1024 key",
            )),
        }
    }

    /// Returns the same key as an ordinary one, for documents.
    fn ordinary(&self) -> PyResult<Secret> {
        let key = falcon_core::SigningKey::decode_boxed(&*self.key.to_bytes());
        key.map(Secret::Falcon1024)
            .map_err(|error| DecodeError::new_err(error.to_string()))
    }
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

fn public_of(bytes: &[u8]) -> Result<Public, String> {
    falcon_core::VerifyingKey::<Falcon1024>::try_from(bytes)
        .map(|key| Public::Falcon1024(Arc::new(key)))
        .map_err(|error| errors::key_text("Falcon-1024 verifying key", error, bytes.len()))
}

#[pymethods]
impl DetSigningKey {
    /// Generate a key from the operating system's random bytes.
    #[classmethod]
    fn generate(_cls: &Bound<'_, PyType>) -> PyResult<Self> {
        let seed = fresh_seed()?;
        _cls.py()
            .detach(|| Self::of(&Secret::from_seed(Set::Falcon1024, &seed)?))
    }

    /// Generate the key that Algorand's code generates from a secret seed of one byte or more.
    ///
    /// Take 32 random bytes or more, so that nobody can guess the seed. Raises FaultError if the
    /// device computed wrongly.
    #[classmethod]
    fn from_seed(_cls: &Bound<'_, PyType>, seed: Input) -> PyResult<Self> {
        if seed.is_empty() {
            return Err(PyValueError::new_err("the seed is empty"));
        }
        _cls.py().detach(|| {
            Self::new(Box::new(
                SigningKey::from_seed(&seed).map_err(errors::faulty)?,
            ))
        })
    }

    /// Decode a Falcon-1024 key, 2305 bytes.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, data: Input) -> PyResult<Self> {
        _cls.py().detach(|| Self::decode(&data))
    }

    /// Read a Falcon-1024 key from a PKCS#8 document in PEM, as falcon_sign.SigningKey.from_pem.
    #[classmethod]
    #[pyo3(signature = (text, password = None))]
    fn from_pem(_cls: &Bound<'_, PyType>, text: Text, password: Option<Input>) -> PyResult<Self> {
        let text = text.as_str()?;
        _cls.py().detach(|| {
            let (key, key_use) = documents::read_pem(text, bytes_of(&password))?;
            Ok(Self {
                key_use,
                ..Self::of(&key)?
            })
        })
    }

    /// Encode the key, unencrypted, in 2305 bytes. Python does not wipe the bytes that it returns.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &*self.key.to_bytes())
    }

    /// Write the key as PKCS#8 in PEM, as falcon_sign.SigningKey.to_pem.
    #[pyo3(signature = (password = None))]
    fn to_pem<'py>(
        &self,
        py: Python<'py>,
        password: Option<Input>,
    ) -> PyResult<Bound<'py, PyString>> {
        let text = py.detach(|| {
            documents::write_pem(&self.ordinary()?, self.key_use, bytes_of(&password))
        })?;
        Ok(PyString::new(py, &text))
    }

    /// True if the document of the key says that it signs certificates only. Then sign raises
    /// KeyUseError.
    #[getter]
    fn certificates_only(&self) -> bool {
        self.key_use == KeyUse::CertificatesOnly
    }

    /// Name of the scheme, "Falcon-det1024".
    #[getter]
    fn parameters(&self) -> &'static str {
        NAME
    }

    /// Verifying (public) key of this key.
    #[getter]
    fn verifying_key(&self) -> PyResult<DetVerifyingKey> {
        DetVerifyingKey::decode(&self.public.to_bytes())
    }

    /// Fingerprint of the verifying key, 64 hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> String {
        self.public.fingerprint()
    }

    /// Sign a message. The same message always gets the same signature.
    ///
    /// Signs twice, compares, and verifies. Raises FaultError if the device computed wrongly.
    #[pyo3(
        signature = (message, *, format = Encoding(Format::Compressed)),
        text_signature = "($self, message, *, format='compressed')"
    )]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Input,
        format: Encoding,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let format = format_of(format)?;
        errors::may_sign_messages(self.key_use)?;
        let signature = py
            .detach(|| self.key.sign(&message))
            .map_err(errors::faulty)?;
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
#[pyclass(
    frozen,
    eq,
    hash,
    module = "falcon_sign.det1024",
    name = "VerifyingKey"
)]
pub struct DetVerifyingKey {
    key: Box<VerifyingKey>,
    public: Public,
}

impl PartialEq for DetVerifyingKey {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for DetVerifyingKey {}

impl Hash for DetVerifyingKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl DetVerifyingKey {
    fn decode(bytes: &[u8]) -> PyResult<Self> {
        let public = public_of(bytes).map_err(DecodeError::new_err)?;
        let key = VerifyingKey::try_from(bytes)
            .map_err(|error| DecodeError::new_err(error.to_string()))?;
        Ok(Self {
            key: Box::new(key),
            public,
        })
    }
}

#[pymethods]
impl DetVerifyingKey {
    /// Decode a Falcon-1024 key, 1793 bytes.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, data: Input) -> PyResult<Self> {
        Self::decode(&data)
    }

    /// Read a Falcon-1024 key from a SubjectPublicKeyInfo document in PEM, "PUBLIC KEY".
    #[classmethod]
    fn from_pem(_cls: &Bound<'_, PyType>, text: Text) -> PyResult<Self> {
        Self::decode(&documents::read_public_pem(text.as_str()?)?.to_bytes())
    }

    /// Encode the key in 1793 bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.public.to_bytes())
    }

    /// Write the key as a SubjectPublicKeyInfo document in PEM.
    fn to_pem(&self) -> PyResult<String> {
        documents::write_public_pem(&self.public)
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
        self.public.fingerprint()
    }

    /// Verify a signature for a message. Returns None, or raises InvalidSignature.
    #[pyo3(
        signature = (signature, message, *, format = Encoding(Format::Compressed)),
        text_signature = "($self, signature, message, *, format='compressed')"
    )]
    fn verify(
        &self,
        py: Python<'_>,
        signature: Input,
        message: Input,
        format: Encoding,
    ) -> PyResult<()> {
        let format = format_of(format)?;
        let malformed =
            |error: CoreDecodeError| errors::deterministic_text(format, error, signature.len());
        let result = py.detach(|| {
            let verdict = match format {
                Format::ConstantTime => {
                    let signature = CtSignature::try_from(&*signature).map_err(malformed)?;
                    self.key.verify_ct(&message, &signature)
                }
                _ => {
                    let signature =
                        CompressedSignature::try_from(&*signature).map_err(malformed)?;
                    self.key.verify(&message, &signature)
                }
            };
            verdict.map_err(|error| error.to_string())
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
