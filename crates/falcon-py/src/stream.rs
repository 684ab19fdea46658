//! Messages that come in pieces.
//!
//! A lock is only taken while the GIL is released, so that no thread holds the GIL while it waits
//! for a lock.

use crate::errors::{AlreadyFinalized, FalconError, InvalidSignature, faulty, not_copied};
use crate::input::{Encoding, Input};
use crate::random::fresh_seed;
use crate::typed::{Public, Secret, Signed};
use falcon_core::{
    Falcon512, Falcon1024, FaultError, Format, MessageHasher, NONCE_LEN, Parameters, SEED_LEN,
    SignStream, Signature, SignatureError, SigningKey,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use self_cell::self_cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{mem, process};

/// The stream of either parameter set, until it is finished.
enum Stream<'k> {
    Falcon512(SignStream<'k, Falcon512, SigningKey<Falcon512>>),
    Falcon1024(SignStream<'k, Falcon1024, SigningKey<Falcon1024>>),
    Finished,
}

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

self_cell!(
    /// A stream with the key that it borrows.
    struct OwnedStream {
        owner: Arc<Secret>,
        #[covariant]
        dependent: Stream,
    }
);

/// A signer of a message that comes in pieces, made by SigningKey.signer.
///
/// Takes constant memory, however long the message is. It signs once.
#[pyclass(frozen, module = "falcon_sign", name = "Signer")]
pub struct PySigner {
    stream: Mutex<OwnedStream>,
    /// The process that made the signer. Two processes must not use one seed.
    process: Process,
}

impl PySigner {
    pub fn new(key: &Arc<Secret>) -> PyResult<Self> {
        let seed = fresh_seed()?;
        let stream = OwnedStream::new(Arc::clone(key), |key| match &**key {
            Secret::Falcon512(key) => Stream::Falcon512(key.sign_stream_from_seed(&seed)),
            Secret::Falcon1024(key) => Stream::Falcon1024(key.sign_stream_from_seed(&seed)),
        });
        Ok(Self {
            stream: Mutex::new(stream),
            process: Process::this(),
        })
    }
}

#[pymethods]
impl PySigner {
    /// Absorb the next piece of the message.
    fn update(&self, py: Python<'_>, piece: Input) -> PyResult<()> {
        self.process.check("Signer")?;
        let absorbed = py.detach(|| {
            locked(&self.stream).with_dependent_mut(|_, stream| {
                match stream {
                    Stream::Falcon512(stream) => stream.update(&piece),
                    Stream::Falcon1024(stream) => stream.update(&piece),
                    Stream::Finished => return false,
                }
                true
            })
        });
        if absorbed { Ok(()) } else { Err(finished()) }
    }

    /// Sign the absorbed message. Afterwards the signer raises AlreadyFinalized.
    ///
    /// Raises FaultError if the device computed wrongly.
    #[pyo3(
        signature = (*, format = Encoding(Format::Padded)),
        text_signature = "($self, *, format='padded')"
    )]
    fn finalize<'py>(&self, py: Python<'py>, format: Encoding) -> PyResult<Bound<'py, PyBytes>> {
        self.process.check("Signer")?;
        let signature = py.detach(|| {
            locked(&self.stream).with_dependent_mut(|key, stream| {
                let signature = match (&**key, &mut *stream) {
                    (Secret::Falcon512(key), Stream::Falcon512(stream)) => {
                        finish(key, stream).map(|signature| Signed::Falcon512(Box::new(signature)))
                    }
                    (Secret::Falcon1024(key), Stream::Falcon1024(stream)) => {
                        finish(key, stream).map(|signature| Signed::Falcon1024(Box::new(signature)))
                    }
                    _ => return None,
                };
                *stream = Stream::Finished;
                Some(signature)
            })
        });
        let signature = signature.ok_or_else(finished)?.map_err(faulty)?;
        Ok(PyBytes::new(py, &signature.encode(format.0)?))
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

/// Signs the message that `stream` has absorbed. Moving a stream leaves a copy of its seed behind,
/// so another stream is written to the same place.
fn finish<'k, P: Parameters>(
    key: &'k SigningKey<P>,
    stream: &mut SignStream<'k, P, SigningKey<P>>,
) -> Result<Signature<P>, FaultError> {
    mem::replace(stream, key.sign_stream_from_seed(&[0; SEED_LEN])).finish()
}

/// A verifier of a message that comes in pieces, made by VerifyingKey.verifier.
///
/// Takes constant memory, however long the message is. It verifies once.
#[pyclass(frozen, module = "falcon_sign", name = "Verifier")]
pub struct PyVerifier {
    key: Arc<Public>,
    signature: Arc<Signed>,
    hasher: Mutex<Option<MessageHasher>>,
    process: Process,
}

impl PyVerifier {
    pub fn new(key: &Arc<Public>, signature: Arc<Signed>) -> Self {
        let mut nonce = [0; NONCE_LEN];
        nonce.copy_from_slice(signature.nonce());
        let hasher = match &**key {
            Public::Falcon512(key) => key.hasher(&nonce),
            Public::Falcon1024(key) => key.hasher(&nonce),
        };
        Self {
            key: Arc::clone(key),
            signature,
            hasher: Mutex::new(Some(hasher)),
            process: Process::this(),
        }
    }
}

#[pymethods]
impl PyVerifier {
    /// Absorb the next piece of the message.
    fn update(&self, py: Python<'_>, piece: Input) -> PyResult<()> {
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
            Some(match (&*self.key, &*self.signature) {
                (Public::Falcon512(key), Signed::Falcon512(signature)) => {
                    key.verify_hashed(hasher, signature)
                }
                (Public::Falcon1024(key), Signed::Falcon1024(signature)) => {
                    key.verify_hashed(hasher, signature)
                }
                _ => Err(SignatureError),
            })
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
