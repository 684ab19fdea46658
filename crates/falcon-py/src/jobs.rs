//! Batches under many keys.

use crate::batch;
use crate::errors;
use crate::input::{Encoding, Named, ThreadCount};
use crate::keys::{PySigningKey, PyVerifyingKey};
use falcon_core::Format;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Sign many messages under many keys, on all cores unless told otherwise.
///
/// Takes pairs of a SigningKey and a message. Put the messages of one key next to each other: the
/// key is prepared once for them.
///
/// format is "padded", "compressed" or "ct"; engine is a name of engines(), the best one by
/// default; threads is the number of threads, by default one for each core. A small batch runs on
/// one thread.
#[pyfunction]
#[pyo3(
    signature = (pairs, *, format = Encoding(Format::Padded), engine = None, threads = None),
    text_signature = "(pairs, *, format='padded', engine=None, threads=None)"
)]
pub fn sign_batch<'py>(
    py: Python<'py>,
    pairs: &Bound<'py, PyAny>,
    format: Encoding,
    engine: Option<Named>,
    threads: Option<ThreadCount>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let jobs = batch::collect(pairs, "pairs", |pair| {
        let [key, message] = batch::items(pair, "a SigningKey and a message")?;
        let key = errors::cast::<PySigningKey>("key", "SigningKey", &key)?;
        Ok((Arc::clone(key.get().for_messages()?), message.extract()?))
    })?;
    batch::sign(py, &jobs, format, engine, threads)
}

/// Verify many signatures under many keys, on all cores unless told otherwise.
///
/// Takes triples of a VerifyingKey, a signature and its message. Returns one bool for each: False
/// if the signature is malformed or not valid.
///
/// format is "padded", "compressed" or "ct"; engine is a name of engines(), the best one by
/// default; threads is the number of threads, by default one for each core. A small batch runs on
/// one thread.
#[pyfunction]
#[pyo3(
    signature = (triples, *, format = Encoding(Format::Padded), engine = None, threads = None),
    text_signature = "(triples, *, format='padded', engine=None, threads=None)"
)]
pub fn verify_batch(
    py: Python<'_>,
    triples: &Bound<'_, PyAny>,
    format: Encoding,
    engine: Option<Named>,
    threads: Option<ThreadCount>,
) -> PyResult<Vec<bool>> {
    let jobs = batch::collect(triples, "triples", |triple| {
        let parts = "a VerifyingKey, a signature and its message";
        let [key, signature, message] = batch::items(triple, parts)?;
        let key = errors::cast::<PyVerifyingKey>("key", "VerifyingKey", &key)?;
        let key = Arc::clone(&key.get().key);
        Ok((key, signature.extract()?, message.extract()?))
    })?;
    batch::verify(py, &jobs, format, engine, threads)
}
