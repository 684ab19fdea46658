//! Signing keys and verifying keys.

use crate::batch;
use crate::documents::{self, bytes_of};
use crate::errors::{self, DecodeError, InvalidSignature, not_copied};
use crate::input::{
    Encoded, Encoding, Input, Message, Named, Password, Seed, Set, Text, ThreadCount,
};
use crate::random::fresh_seed;
use crate::signature::{Presented, decode, encode};
use crate::stream::{PySigner, PyVerifier};
use falcon_core::pkcs8::{KeyUse, OpenedKey};
use falcon_core::{AnySignStream, AnySigningKey, AnyVerifyingKey, Format, ParameterSet};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyType};
use std::sync::Arc;

/// A signing key: secret, wiped when it is freed.
///
/// A key has no constructor. Make one with generate, from_seed, from_reference_seed, from_bytes,
/// from_pem or from_der.
#[pyclass(frozen, module = "falconsign", name = "SigningKey")]
pub struct PySigningKey {
    /// Used by [`Self::for_messages`], and to write the key.
    key: Arc<AnySigningKey>,
    key_use: KeyUse,
    pub public: Arc<AnyVerifyingKey>,
}

impl From<AnySigningKey> for PySigningKey {
    fn from(key: AnySigningKey) -> Self {
        (key, KeyUse::Any).into()
    }
}

impl From<OpenedKey> for PySigningKey {
    fn from(opened: OpenedKey) -> Self {
        (opened.key, opened.key_use).into()
    }
}

impl From<(AnySigningKey, KeyUse)> for PySigningKey {
    fn from((key, key_use): (AnySigningKey, KeyUse)) -> Self {
        let public = Arc::new(key.verifying_key());
        Self {
            key: Arc::new(key),
            key_use,
            public,
        }
    }
}

impl PySigningKey {
    /// Returns the key, or an error if it is for certificates only.
    pub fn for_messages(&self) -> PyResult<&Arc<AnySigningKey>> {
        errors::may_sign_messages(self.key_use)?;
        Ok(&self.key)
    }
}

#[pymethods]
impl PySigningKey {
    /// Generate a key from the operating system's random bytes.
    ///
    /// Raises FaultError if a hardware fault was detected.
    #[classmethod]
    #[pyo3(signature = (parameters = Set(ParameterSet::Falcon512)), text_signature = "(parameters='Falcon-512')")]
    fn generate(_cls: &Bound<'_, PyType>, parameters: Set) -> PyResult<Self> {
        let seed = fresh_seed()?;
        let key = _cls
            .py()
            .detach(|| AnySigningKey::from_seed(parameters.0, &seed));
        Ok(key.map_err(errors::faulty)?.into())
    }

    /// Generate the key of a secret seed of 32 random bytes.
    ///
    /// The same seed gives the same key on every platform. Raises FaultError if a hardware fault
    /// was detected.
    #[classmethod]
    #[pyo3(
        signature = (seed, parameters = Set(ParameterSet::Falcon512)),
        text_signature = "(seed, parameters='Falcon-512')"
    )]
    fn from_seed(_cls: &Bound<'_, PyType>, seed: Input<Seed>, parameters: Set) -> PyResult<Self> {
        let seed = seed.exactly()?;
        let key = _cls
            .py()
            .detach(|| AnySigningKey::from_seed(parameters.0, seed));
        Ok(key.map_err(errors::faulty)?.into())
    }

    /// Generate the key of the round-3 reference code for a secret seed of 48 bytes.
    ///
    /// Wallets keep such seeds. Bouncy Castle and noble-post-quantum make the same keys from them.
    /// Raises FaultError if a hardware fault was detected.
    #[classmethod]
    #[pyo3(
        signature = (seed, parameters = Set(ParameterSet::Falcon512)),
        text_signature = "(seed, parameters='Falcon-512')"
    )]
    fn from_reference_seed(
        _cls: &Bound<'_, PyType>,
        seed: Input<Seed>,
        parameters: Set,
    ) -> PyResult<Self> {
        let seed = seed.exactly()?;
        let key = _cls
            .py()
            .detach(|| AnySigningKey::from_reference_seed(parameters.0, seed));
        Ok(key.map_err(errors::faulty)?.into())
    }

    /// Decode a key from its round-3 encoding, 1281 or 2305 bytes.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, data: Input<Encoded>) -> PyResult<Self> {
        let decoded = _cls.py().detach(|| AnySigningKey::try_from(&*data));
        let key = decoded.map_err(|error| {
            DecodeError::new_err(errors::key_text("signing key", error, data.len()))
        })?;
        Ok(key.into())
    }

    /// Read a key from a PKCS#8 document in PEM, "PRIVATE KEY" or "ENCRYPTED PRIVATE KEY".
    ///
    /// Raises PasswordError if the password is wrong, missing, or given for a key that is not
    /// encrypted.
    #[classmethod]
    #[pyo3(signature = (text, password = None))]
    pub fn from_pem(
        _cls: &Bound<'_, PyType>,
        text: Text,
        password: Option<Password>,
    ) -> PyResult<Self> {
        let text = text.as_str()?;
        _cls.py()
            .detach(|| Ok(documents::read_pem(text, bytes_of(&password))?.into()))
    }

    /// Read a key from a PKCS#8 document in DER. Passwords are as for from_pem.
    #[classmethod]
    #[pyo3(signature = (data, password = None))]
    fn from_der(
        _cls: &Bound<'_, PyType>,
        data: Input<Encoded>,
        password: Option<Password>,
    ) -> PyResult<Self> {
        _cls.py()
            .detach(|| Ok(documents::read_der(&data, bytes_of(&password))?.into()))
    }

    /// Encode the key, unencrypted. Python does not wipe the bytes that it returns. They do not
    /// say whether the key is for certificates only.
    pub fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.key.to_bytes())
    }

    /// Write the key as PKCS#8 in PEM, encrypted if there is a password (scrypt, AES-256-CBC).
    #[pyo3(signature = (password = None))]
    pub fn to_pem<'py>(
        &self,
        py: Python<'py>,
        password: Option<Password>,
    ) -> PyResult<Bound<'py, PyString>> {
        let text =
            py.detach(|| documents::write_pem(&self.key, self.key_use, bytes_of(&password)))?;
        Ok(PyString::new(py, &text))
    }

    /// Write the key as PKCS#8 in DER, encrypted if there is a password (scrypt, AES-256-CBC).
    #[pyo3(signature = (password = None))]
    fn to_der<'py>(
        &self,
        py: Python<'py>,
        password: Option<Password>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let document =
            py.detach(|| documents::write_der(&self.key, self.key_use, bytes_of(&password)))?;
        Ok(PyBytes::new(py, document.as_bytes()))
    }

    /// True if the document of the key says that it signs certificates only.
    ///
    /// Then everything that signs raises KeyUseError. to_pem and to_der write this mark into the
    /// new document. `falcon-cli keygen --use certificates` makes such a key.
    #[getter]
    pub fn certificates_only(&self) -> bool {
        self.key_use == KeyUse::CertificatesOnly
    }

    /// Name of the parameter set, "Falcon-512" or "Falcon-1024".
    #[getter]
    fn parameters(&self) -> &'static str {
        self.public.name()
    }

    /// Verifying (public) key of this key.
    #[getter]
    pub fn verifying_key(&self) -> PyVerifyingKey {
        PyVerifyingKey {
            key: Arc::clone(&self.public),
        }
    }

    /// Fingerprint of the verifying key, 64 hexadecimal digits.
    #[getter]
    pub fn fingerprint(&self) -> String {
        base16ct::lower::encode_string(&self.public.fingerprint())
    }

    /// Sign a message with fresh random bytes from the operating system.
    ///
    /// format is "padded", "compressed" or "ct". Raises FaultError if a hardware fault was
    /// detected.
    #[pyo3(
        signature = (message, *, format = Encoding(Format::Padded)),
        text_signature = "($self, message, *, format='padded')"
    )]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Input<Message>,
        format: Encoding,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let key = self.for_messages()?;
        let seed = fresh_seed()?;
        let signature = py.detach(|| {
            let mut stream = AnySignStream::new(&**key, &seed);
            stream.update(&message);
            stream.finish()
        });
        let signature = signature.map_err(errors::faulty)?;
        Ok(PyBytes::new(py, &encode(&signature, format)?))
    }

    /// Sign many messages, on all cores unless told otherwise.
    ///
    /// Takes an iterable of messages. Returns their signatures in the same order. Raises FaultError
    /// if a hardware fault was detected, and then returns no signature.
    ///
    /// format is "padded", "compressed" or "ct"; engine is a name of engines(), the best one by
    /// default; threads is the number of threads, by default one for each core. A small batch runs
    /// on one thread.
    #[pyo3(
        signature = (messages, *, format = Encoding(Format::Padded), engine = None, threads = None),
        text_signature = "($self, messages, *, format='padded', engine=None, threads=None)"
    )]
    fn sign_batch<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        format: Encoding,
        engine: Option<Named>,
        threads: Option<ThreadCount>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let key = self.for_messages()?;
        let jobs = batch::collect(messages, "messages", |message| {
            Ok((Arc::clone(key), message.extract()?))
        })?;
        batch::sign(py, &jobs, format, engine, threads)
    }

    /// Start to sign a message that comes in pieces.
    fn signer(&self) -> PyResult<PySigner> {
        PySigner::new(self.for_messages()?)
    }

    fn __repr__(&self) -> String {
        format!("<SigningKey {} {}>", self.public.name(), self.fingerprint())
    }

    fn __reduce__(&self) -> PyResult<Py<PyAny>> {
        Err(not_copied())
    }

    fn __copy__(&self) -> PyResult<Py<PyAny>> {
        Err(not_copied())
    }

    fn __deepcopy__(&self, memo: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let _ = memo;
        Err(not_copied())
    }
}

/// A verifying (public) key. Keys are equal if they have the same encoding.
///
/// A key has no constructor. Take it from SigningKey.verifying_key, or make one with from_bytes,
/// from_headerless_bytes, from_pem or from_der.
#[pyclass(frozen, eq, hash, module = "falconsign", name = "VerifyingKey")]
#[derive(PartialEq, Eq, Hash)]
pub struct PyVerifyingKey {
    pub key: Arc<AnyVerifyingKey>,
}

impl From<AnyVerifyingKey> for PyVerifyingKey {
    fn from(key: AnyVerifyingKey) -> Self {
        Self { key: Arc::new(key) }
    }
}

#[pymethods]
impl PyVerifyingKey {
    /// Decode a key from its encoding, 897 or 1793 bytes.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, data: Input<Encoded>) -> PyResult<Self> {
        let key = AnyVerifyingKey::try_from(&*data).map_err(|error| {
            DecodeError::new_err(errors::key_text("verifying key", error, data.len()))
        })?;
        Ok(key.into())
    }

    /// Decode a key without its header byte, 896 or 1792 bytes, as some wallets store it.
    #[classmethod]
    fn from_headerless_bytes(_cls: &Bound<'_, PyType>, data: Input<Encoded>) -> PyResult<Self> {
        let decoded = AnyVerifyingKey::from_headerless_bytes(&data);
        decoded.map(Self::from).map_err(|error| {
            DecodeError::new_err(format!(
                "not a headerless verifying key: {error}; it has {} bytes",
                data.len()
            ))
        })
    }

    /// Read a key from a SubjectPublicKeyInfo document in PEM, "PUBLIC KEY".
    #[classmethod]
    fn from_pem(_cls: &Bound<'_, PyType>, text: Text) -> PyResult<Self> {
        Ok(documents::read_public_pem(text.as_str()?)?.into())
    }

    /// Read a key from a SubjectPublicKeyInfo document in DER.
    #[classmethod]
    fn from_der(_cls: &Bound<'_, PyType>, data: Input<Encoded>) -> PyResult<Self> {
        Ok(documents::read_public_der(&data)?.into())
    }

    /// Encode the key in 897 or 1793 bytes.
    pub fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.key.to_bytes())
    }

    /// Encode the key without its header byte, in 896 or 1792 bytes.
    fn to_headerless_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.key.to_bytes()[1..])
    }

    /// Write the key as a SubjectPublicKeyInfo document in PEM.
    pub fn to_pem(&self) -> PyResult<String> {
        documents::write_public_pem(&self.key)
    }

    /// Write the key as a SubjectPublicKeyInfo document in DER.
    fn to_der<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &documents::write_public_der(&self.key)?))
    }

    /// Name of the parameter set, "Falcon-512" or "Falcon-1024".
    #[getter]
    fn parameters(&self) -> &'static str {
        self.key.name()
    }

    /// Fingerprint of the key: the first 32 bytes of SHAKE256 of its encoding, as 64 hexadecimal
    /// digits.
    #[getter]
    pub fn fingerprint(&self) -> String {
        base16ct::lower::encode_string(&self.key.fingerprint())
    }

    /// Verify a signature for a message. Returns None, or raises InvalidSignature.
    ///
    /// The signature comes first. format must be the one given to sign: "padded" (the default),
    /// "compressed" or "ct".
    #[pyo3(
        signature = (signature, message, *, format = Encoding(Format::Padded)),
        text_signature = "($self, signature, message, *, format='padded')"
    )]
    fn verify(
        &self,
        py: Python<'_>,
        signature: Presented,
        message: Input<Message>,
        format: Encoding,
    ) -> PyResult<()> {
        let result = py.detach(|| {
            let decoded;
            let signature = match &signature {
                Presented::Decoded(signature) => &**signature,
                Presented::Bytes(bytes) => {
                    let set = self.key.set();
                    decoded = decode(set, format, bytes).map_err(|error| {
                        match decode(set, format, &message) {
                            Ok(_) => error + " (Are signature and message swapped?)",
                            Err(_) => error,
                        }
                    })?;
                    &decoded
                }
            };
            self.key
                .verify_decoded(&message, signature)
                .map_err(|error| error.to_string())
        });
        result.map_err(InvalidSignature::new_err)
    }

    /// Verify many signatures of this key, on all cores unless told otherwise.
    ///
    /// Takes pairs of a signature and its message. Returns one bool for each: False if the
    /// signature is malformed or not valid.
    ///
    /// format is "padded", "compressed" or "ct"; engine is a name of engines(), the best one by
    /// default; threads is the number of threads, by default one for each core. A small batch runs
    /// on one thread.
    #[pyo3(
        signature = (pairs, *, format = Encoding(Format::Padded), engine = None, threads = None),
        text_signature = "($self, pairs, *, format='padded', engine=None, threads=None)"
    )]
    fn verify_batch(
        &self,
        py: Python<'_>,
        pairs: &Bound<'_, PyAny>,
        format: Encoding,
        engine: Option<Named>,
        threads: Option<ThreadCount>,
    ) -> PyResult<Vec<bool>> {
        let jobs = batch::collect(pairs, "pairs", |pair| {
            let [signature, message] = batch::items(pair, "a signature and its message")?;
            let (signature, message) = (signature.extract()?, message.extract()?);
            Ok((Arc::clone(&self.key), signature, message))
        })?;
        batch::verify(py, &jobs, format, engine, threads)
    }

    /// Start to verify a signature of a message that comes in pieces.
    ///
    /// Raises InvalidSignature at once if the signature is malformed.
    #[pyo3(
        signature = (signature, *, format = Encoding(Format::Padded)),
        text_signature = "($self, signature, *, format='padded')"
    )]
    fn verifier(&self, signature: Presented, format: Encoding) -> PyResult<PyVerifier> {
        let signature = match signature {
            Presented::Decoded(signature) => signature,
            Presented::Bytes(bytes) => {
                Arc::new(decode(self.key.set(), format, &bytes).map_err(InvalidSignature::new_err)?)
            }
        };
        Ok(PyVerifier::new(&self.key, signature))
    }

    fn __repr__(&self) -> String {
        format!("<VerifyingKey {} {}>", self.key.name(), self.fingerprint())
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
