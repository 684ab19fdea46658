//! Messages that come in pieces.
//!
//! A lock is only taken while the GIL is released, so that no thread holds the GIL while it waits
//! for a lock.

use crate::errors::{AlreadyFinalized, FalconError, InvalidSignature, faulty, not_copied};
use crate::input::{Encoding, Input, Piece};
use crate::random::fresh_seed;
use crate::signature::encode;
use falcon_core::{
    AnySignStream, AnySignature, AnySigningKey, AnyVerifyingKey, Format, MessageHasher,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The process that made a stream.
struct Process(u32);

impl Process {
    fn this() -> Self {
        Self(process::id())
    }

    /// Fails in a child process, where a lock that another thread held may stay locked for ever.
    fn check(&self, kind: &str) -> PyResult<()> {
        if self.0 == process::id() {
            return Ok(());
        }
        Err(FalconError::new_err(format!(
            "this {kind} was made before a fork; make one in each process"
        )))
    }
}

/// A signer of a message that comes in pieces. Create it with SigningKey.signer.
///
/// Takes constant memory, however long the message is. Can be used for one signature only.
#[pyclass(frozen, module = "falconsign", name = "Signer")]
pub struct PySigner {
    /// The stream, until it is finished.
    stream: Mutex<Option<AnySignStream<Arc<AnySigningKey>>>>,
    /// Two processes must not sign with the same seed.
    process: Process,
}

impl PySigner {
    pub fn new(key: &Arc<AnySigningKey>) -> PyResult<Self> {
        let seed = fresh_seed()?;
        let stream = AnySignStream::new(Arc::clone(key), &seed);
        Ok(Self {
            stream: Mutex::new(Some(stream)),
            process: Process::this(),
        })
    }
}

#[pymethods]
impl PySigner {
    /// Absorb the next piece of the message.
    fn update(&self, py: Python<'_>, piece: Input<Piece>) -> PyResult<()> {
        self.process.check("Signer")?;
        let done = py.detach(|| {
            let mut stream = locked(&self.stream);
            stream.as_mut().map(|stream| stream.update(&piece))
        });
        done.ok_or_else(finished)
    }

    /// Sign the absorbed message. Afterwards the signer raises AlreadyFinalized.
    ///
    /// Raises FaultError if a hardware fault was detected.
    #[pyo3(
        signature = (*, format = Encoding(Format::Padded)),
        text_signature = "($self, *, format='padded')"
    )]
    fn finalize<'py>(&self, py: Python<'py>, format: Encoding) -> PyResult<Bound<'py, PyBytes>> {
        self.process.check("Signer")?;
        let signature = py.detach(|| Some(locked(&self.stream).take()?.finish()));
        let signature = signature.ok_or_else(finished)?.map_err(faulty)?;
        Ok(PyBytes::new(py, &encode(&signature, format)?))
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

/// A verifier of a message that comes in pieces. Create it with VerifyingKey.verifier.
///
/// Takes constant memory, however long the message is. Can be used for one verification only.
#[pyclass(frozen, module = "falconsign", name = "Verifier")]
pub struct PyVerifier {
    key: Arc<AnyVerifyingKey>,
    signature: Arc<AnySignature>,
    hasher: Mutex<Option<MessageHasher>>,
    process: Process,
}

impl PyVerifier {
    pub fn new(key: &Arc<AnyVerifyingKey>, signature: Arc<AnySignature>) -> Self {
        Self {
            key: Arc::clone(key),
            hasher: Mutex::new(Some(key.hasher(signature.nonce()))),
            signature,
            process: Process::this(),
        }
    }
}

#[pymethods]
impl PyVerifier {
    /// Absorb the next piece of the message.
    fn update(&self, py: Python<'_>, piece: Input<Piece>) -> PyResult<()> {
        self.process.check("Verifier")?;
        let done = py.detach(|| {
            let mut hasher = locked(&self.hasher);
            hasher.as_mut().map(|hasher| hasher.update(&piece))
        });
        done.ok_or_else(finished)
    }

    /// Verify the signature for the absorbed message. Returns None, or raises InvalidSignature.
    ///
    /// Afterwards the verifier raises AlreadyFinalized.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        self.process.check("Verifier")?;
        let result = py.detach(|| {
            let hasher = locked(&self.hasher).take()?;
            Some(self.key.verify_hashed(hasher, &self.signature))
        });
        result
            .ok_or_else(finished)?
            .map_err(|error| InvalidSignature::new_err(error.to_string()))
    }
}

fn finished() -> PyErr {
    AlreadyFinalized::new_err("the message is finished; make another signer or verifier")
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
