//! Batches under many keys.

use crate::batch;
use crate::input::{Encoding, Input, Named};
use crate::keys::{PySigningKey, PyVerifyingKey};
use crate::signature::Presented;
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
    threads: Option<isize>,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let jobs = batch::collect(pairs, |pair| {
        let (key, message): (PyRef<'_, PySigningKey>, Input) = pair.extract()?;
        Ok((Arc::clone(key.for_messages()?), message))
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
    threads: Option<isize>,
) -> PyResult<Vec<bool>> {
    let jobs = batch::collect(triples, |triple| {
        let (key, signature, message): (PyRef<'_, PyVerifyingKey>, Presented, Input) =
            triple.extract()?;
        Ok((Arc::clone(&key.key), signature, message))
    })?;
    batch::verify(py, &jobs, format, engine, threads)
}
