//! Many signatures with one call.

use crate::errors;
use crate::errors::{FalconError, FaultError};
use crate::input::{Encoding, Input, Message, Named, ThreadCount};
use crate::memory::filled;
use crate::random::fresh_seed;
use crate::signature::Presented;
#[cfg(feature = "measure")]
use falcon_core::batch::VerifyBytesJob;
use falcon_core::batch::{BatchError, BatchSign, BatchVerify, SignJob, Verdict, VerifyJob};
use falcon_core::rows::{self, Row, RowKey};
use falcon_core::{
    AnySigningKey, AnyVerifyingKey, Engine, Falcon512, Falcon1024, Format, OnThreads, Parameters,
    Signature, SignatureError, Threads,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::num::NonZeroUsize;
use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

/// A message to sign.
pub type ToSign = (Arc<AnySigningKey>, Input<Message>);

/// A signature to verify.
pub type ToVerify = (Arc<AnyVerifyingKey>, Presented, Input<Message>);

/// Takes the jobs out of the iterable that is the argument `name`. The error for an item of a wrong
/// type begins with the place of the item, such as `pairs[3]`.
pub fn collect<'py, T>(
    items: &Bound<'py, PyAny>,
    name: &str,
    mut job: impl FnMut(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    // A text or bytes would be taken for many items.
    let is_one = items.is_instance_of::<PyBytes>() || items.is_instance_of::<PyString>();
    if is_one || !(items.hasattr("__iter__")? || items.hasattr("__getitem__")?) {
        return Err(errors::wrong_type(
            name,
            "a list or another iterable",
            items,
        ));
    }
    let py = items.py();
    let placed = |(place, item): (usize, PyResult<Bound<'py, PyAny>>)| {
        job(&item?).map_err(
            |error| match error.get_type(py).is(py.get_type::<PyTypeError>()) {
                true => PyTypeError::new_err(format!("{name}[{place}]: {}", error.value(py))),
                false => error,
            },
        )
    };
    items.try_iter()?.enumerate().map(placed).collect()
}

/// Takes the `N` parts of a job out of a tuple. `parts` says what they are.
pub fn items<'py, const N: usize>(
    job: &Bound<'py, PyAny>,
    parts: &str,
) -> PyResult<[Bound<'py, PyAny>; N]> {
    let found = match job.cast::<PyTuple>() {
        Ok(tuple) => match <[Bound<'py, PyAny>; N]>::try_from(tuple.iter().collect::<Vec<_>>()) {
            Ok(parts) => return Ok(parts),
            Err(found) => format!("one of {}", found.len()),
        },
        Err(_) => job.get_type().qualname()?.to_string(),
    };
    let error = format!("expected a tuple of {parts}, got {found}");
    Err(PyTypeError::new_err(error))
}

/// The threads of the last batch, and the process that started them.
struct Pool {
    process: u32,
    count: NonZeroUsize,
    threads: Arc<Threads>,
}

/// Returns the number of cores that this process may use. Asking the system takes longer than one
/// verification, so it is asked only once.
fn cores() -> NonZeroUsize {
    static CORES: OnceLock<NonZeroUsize> = OnceLock::new();
    *CORES.get_or_init(|| available_parallelism().unwrap_or(NonZeroUsize::MIN))
}

/// The threads of the last batch. The lock is only held while the GIL is held, and the GIL is not
/// released during this time. So no other thread holds the lock when a process forks, and the child
/// can take it.
static POOL: Mutex<Option<Pool>> = Mutex::new(None);

/// Work of a batch.
#[derive(Clone, Copy)]
pub enum Work {
    Sign,
    Verify,
}

impl Work {
    /// Returns the largest number of jobs that one thread does alone, since waking other threads
    /// takes longer.
    fn alone(self) -> usize {
        match self {
            Self::Sign => 16,
            Self::Verify => 128,
        }
    }
}

/// Engine and threads of a batch.
pub struct Chosen {
    engine: Engine,
    /// Threads that share the work. `None` if the calling thread does it alone.
    threads: Option<Arc<Threads>>,
}

impl Chosen {
    /// Chooses the engine, by default the best one, and the number of threads, by default one for
    /// each core.
    pub fn new(
        _py: Python<'_>,
        engine: Option<Named>,
        threads: Option<ThreadCount>,
        work: Work,
        jobs: usize,
    ) -> Self {
        let engine = engine.map_or_else(Engine::best, |named| named.0);
        let count = match threads {
            None => cores(),
            Some(count) => count.0,
        };
        let threads = (count.get() > 1 && jobs > work.alone()).then(|| threads_of(count));
        Self { engine, threads }
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Returns the pool of threads and their number, or `None` if the calling thread does the work.
    pub fn pool(&self) -> Option<(&rayon::ThreadPool, usize)> {
        let threads = self.threads.as_deref()?;
        Some((threads.pool()?, threads.count()))
    }

    fn on_threads(&self) -> Option<OnThreads<'_>> {
        self.threads
            .as_deref()
            .map(|threads| self.engine.on(threads))
    }

    pub fn sign<P: Parameters>(
        &self,
        seed: &[u8; 32],
        jobs: &[SignJob<'_, P>],
    ) -> PyResult<Vec<Signature<P>>> {
        let mut out = filled(Signature::EMPTY, jobs.len())?;
        match self.on_threads() {
            Some(engine) => engine.sign_batch(seed, jobs, &mut out),
            None => self.engine.sign_batch(seed, jobs, &mut out),
        }
        .map_err(failed)?;
        Ok(out)
    }

    pub fn verify<P: Parameters>(&self, jobs: &[VerifyJob<'_, P>]) -> PyResult<Vec<bool>> {
        let mut out = filled(Err(SignatureError), jobs.len())?;
        match self.on_threads() {
            Some(engine) => engine.verify_batch(jobs, &mut out),
            None => self.engine.verify_batch(jobs, &mut out),
        }
        .map_err(failed)?;
        Ok(out.into_iter().map(|verdict| verdict.is_ok()).collect())
    }

    #[cfg(feature = "measure")]
    pub fn verify_bytes<P: Parameters>(
        &self,
        jobs: &[VerifyBytesJob<'_, P>],
    ) -> PyResult<Vec<bool>> {
        let mut out = filled(Verdict::Invalid, jobs.len())?;
        match self.on_threads() {
            Some(engine) => engine.verify_bytes_batch(jobs, &mut out),
            None => self.engine.verify_bytes_batch(jobs, &mut out),
        }
        .map_err(failed)?;
        Ok(out.into_iter().map(Verdict::is_valid).collect())
    }
}

/// Returns the threads of the last batch if they have this number and belong to this process.
/// Otherwise starts new threads.
fn threads_of(count: NonZeroUsize) -> Arc<Threads> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    if let Some(pool) = &*pool
        && pool.process == process
        && pool.count == count
    {
        return Arc::clone(&pool.threads);
    }
    let threads = Arc::new(Threads::new(count));
    let last = pool.replace(Pool {
        process,
        count,
        threads: Arc::clone(&threads),
    });
    if let Some(last) = last
        && last.process != process
    {
        // After a fork these threads do not exist, so waiting for them would never end.
        std::mem::forget(last);
    }
    threads
}

pub fn failed(error: BatchError) -> PyErr {
    let text = error.to_string();
    match error {
        BatchError::Fault { .. } => FaultError::new_err(text),
        _ => FalconError::new_err(text),
    }
}

/// Signs all jobs. Keys of both parameter sets may be mixed.
pub fn sign<'py>(
    py: Python<'py>,
    jobs: &[ToSign],
    format: Encoding,
    engine: Option<Named>,
    threads: Option<ThreadCount>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let chosen = Chosen::new(py, engine, threads, Work::Sign, jobs.len());
    let encoded = py.detach(|| {
        let mut encoded = filled(Vec::new(), jobs.len())?;
        let rows: Vec<_> = jobs
            .iter()
            .enumerate()
            .map(|(row, (key, message))| (row, &**key, &**message))
            .collect();
        sign_rows(&chosen, &rows, format.0, &mut encoded)?;
        Ok::<_, PyErr>(encoded)
    })?;
    Ok(encoded
        .iter()
        .map(|bytes| PyBytes::new(py, bytes))
        .collect())
}

/// Signs jobs, and writes each encoded signature to the row of its job in `encoded`.
pub fn sign_rows(
    chosen: &Chosen,
    jobs: &[(usize, &AnySigningKey, &[u8])],
    format: Format,
    encoded: &mut [Vec<u8>],
) -> PyResult<()> {
    sign_those::<Falcon512>(chosen, jobs, format, encoded)?;
    sign_those::<Falcon1024>(chosen, jobs, format, encoded)
}

/// Signs the jobs whose key has the parameter set `P`.
fn sign_those<P: Parameters>(
    chosen: &Chosen,
    jobs: &[(usize, &AnySigningKey, &[u8])],
    format: Format,
    encoded: &mut [Vec<u8>],
) -> PyResult<()> {
    let (rows, jobs): (Vec<_>, Vec<_>) = jobs
        .iter()
        .filter_map(|&(row, key, message)| Some((row, SignJob::new(key.typed::<P>()?, message))))
        .unzip();
    if jobs.is_empty() {
        return Ok(());
    }
    for (rows, jobs) in rows.chunks(SLICE).zip(jobs.chunks(SLICE)) {
        let seed = fresh_seed()?;
        let signatures = chosen.sign(&seed, jobs)?;
        for (&row, signature) in rows.iter().zip(&signatures) {
            encoded[row] = match format {
                // The canonical bytes.
                Format::Padded => signature.to_bytes().to_vec(),
                _ => signature
                    .to_vec(format)
                    .map_err(|error| FalconError::new_err(error.to_string()))?,
            };
        }
        check_signals()?;
    }
    Ok(())
}

/// Number of jobs that are signed with one call. They take a few tenths of a second on one core. So
/// Ctrl-C is noticed soon, and decoded signatures need little memory.
const SLICE: usize = 8192;

/// Raises KeyboardInterrupt if the user has pressed Ctrl-C and this is the main thread.
pub fn check_signals() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// Verifies all jobs. Keys of both parameter sets may be mixed.
pub fn verify(
    py: Python<'_>,
    jobs: &[ToVerify],
    format: Encoding,
    engine: Option<Named>,
    threads: Option<ThreadCount>,
) -> PyResult<Vec<bool>> {
    let chosen = Chosen::new(py, engine, threads, Work::Verify, jobs.len());
    py.detach(|| {
        let mut verdicts = filled(false, jobs.len())?;
        let slices = jobs.chunks(VERIFY_SLICE);
        for (jobs, verdicts) in slices.zip(verdicts.chunks_mut(VERIFY_SLICE)) {
            verify_encoded(&chosen, jobs, format.0, verdicts)?;
            check_signals()?;
        }
        verify_decoded::<Falcon512>(&chosen, jobs, &mut verdicts)?;
        verify_decoded::<Falcon1024>(&chosen, jobs, &mut verdicts)?;
        Ok(verdicts)
    })
}

/// Number of jobs that are verified with one call. They take a tenth of a second on one core.
const VERIFY_SLICE: usize = 65536;

/// Verifies the jobs whose signatures are encoded. The other jobs count as invalid.
fn verify_encoded(
    chosen: &Chosen,
    jobs: &[ToVerify],
    format: Format,
    verdicts: &mut [bool],
) -> PyResult<()> {
    let rows = jobs
        .iter()
        .map(|(key, signature, message)| match signature {
            Presented::Bytes(signature) => {
                Row::new(Some(RowKey::from(&**key)), Some(message), Some(signature))
            }
            Presented::Decoded(_) => Row::default(),
        });
    let rows: Vec<_> = rows.collect();
    let mut found = filled(Verdict::Invalid, jobs.len())?;
    match chosen.on_threads() {
        Some(engine) => rows::verify(&engine, format, &rows, &mut found),
        None => rows::verify(&chosen.engine, format, &rows, &mut found),
    }
    .map_err(failed)?;
    for (verdict, found) in verdicts.iter_mut().zip(found) {
        *verdict = found.is_valid();
    }
    Ok(())
}

/// Verifies the jobs with a decoded signature whose key and signature have the parameter set `P`. A
/// signature of another parameter set is not valid.
fn verify_decoded<P: Parameters>(
    chosen: &Chosen,
    jobs: &[ToVerify],
    verdicts: &mut [bool],
) -> PyResult<()> {
    let decoded = jobs.iter().zip(verdicts).filter_map(|(job, verdict)| {
        let (key, Presented::Decoded(signature), message) = job else {
            return None;
        };
        let job = VerifyJob {
            key: key.typed::<P>()?,
            message,
            signature: signature.typed()?,
        };
        Some((verdict, job))
    });
    let (verdicts, jobs): (Vec<_>, Vec<_>) = decoded.unzip();
    for (verdict, found) in verdicts.into_iter().zip(chosen.verify(&jobs)?) {
        *verdict = found;
    }
    Ok(())
}
