//! Columns of Arrow: verifying and signing tables.
//!
//! For verification, the rows are divided into parts, which the threads share. Each part looks up
//! its keys, decodes and verifies, so no work is done row by row before the threads start.

mod ffi;
mod keys;
mod result;

use crate::batch::{self, Chosen, Work, check_signals};
use crate::errors::{self, FalconError};
use crate::input::{Encoding, Named, ThreadCount};
use crate::keys::{PySigningKey, PyVerifyingKey};
use crate::memory::{filled, reserved};
use crate::signature::decode;
use falcon_core::batch::Verdict;
use falcon_core::rows::{self, Row, RowKey};
use falcon_core::{AnySignature, AnySigningKey, Format, ParameterSet};
#[cfg(feature = "measure")]
use falcon_core::{Falcon512, batch::VerifyBytesJob};
use ffi::{Broken, Column, Data, Offsets, Value};
use keys::{EncodedKeys, KeyTable, Keys};
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
pub use result::PyArray;
use std::ffi::CString;
use std::sync::Arc;

/// Smallest number of rows of a part. They are enough to fill the lanes.
const PART: usize = 128;
/// Largest number of rows of a part.
const LARGEST_PART: usize = 16384;

/// Number of rows after which the program checks for Ctrl-C. They take a few tenths of a second on
/// one core. All threads finish their parts first.
const SLICE: usize = 16 * LARGEST_PART;

/// Rows of a part that are verified with one call. The encoded keys of a group are loaded into the
/// cache while the previous group is verified. Larger groups need fewer calls, but a second-level
/// cache holds the keys of at most about 1,000 rows.
const GROUP: usize = 1024;

/// Verifies some neighbouring rows.
fn verify_part(
    engine: falcon_core::Engine,
    format: Format,
    columns: [&Column; 2],
    keys: &Keys<'_>,
    first: usize,
    verdicts: &mut [u8],
) -> PyResult<()> {
    let count = verdicts.len();
    let end = first + count;
    let groups = (first..).step_by(GROUP).zip(verdicts.chunks_mut(GROUP));
    match keys {
        Keys::One(key) => {
            let found = vec![Some(RowKey::from(*key)); GROUP.min(count)];
            for (start, verdicts) in groups {
                let found = &found[..verdicts.len()];
                verify_rows(engine, format, columns, found, &[], start, verdicts)?;
            }
        }
        Keys::Named(column, table) => {
            let mut last = (Value::Null, None);
            for (start, verdicts) in groups {
                let ids = column.rows(start, verdicts.len());
                let found: Vec<_> = ids
                    .map(|id| {
                        let id = id?;
                        if id != last.0 {
                            last = (id, table.get(id).map(|key| RowKey::from(&**key)));
                        }
                        Ok(last.1)
                    })
                    .collect::<Result<_, Broken>>()?;
                verify_rows(engine, format, columns, &found, &[], start, verdicts)?;
            }
        }
        Keys::Encoded(keys) => {
            let mut known = keys.begin();
            let mut rows = keys.rows(first, GROUP.min(count))?;
            for (start, verdicts) in groups {
                let numbers = keys.numbers(&mut known, &rows);
                let found: Vec<_> = numbers
                    .into_iter()
                    .map(|number| known.key(number))
                    .collect();
                let next = start + verdicts.len();
                rows = keys.rows(next, GROUP.min(end - next))?;
                verify_rows(engine, format, columns, &found, &rows, start, verdicts)?;
            }
            keys.end(known);
        }
    }
    Ok(())
}

/// Verifies some neighbouring rows under the keys that were found for them, and brings `ahead` into
/// the cache meanwhile.
fn verify_rows(
    engine: falcon_core::Engine,
    format: Format,
    [message, signature]: [&Column; 2],
    found: &[Option<RowKey<'_>>],
    ahead: &[&[u8]],
    first: usize,
    verdicts: &mut [u8],
) -> PyResult<()> {
    let count = verdicts.len();
    let values = message.rows(first, count).zip(signature.rows(first, count));
    let mut rows = Vec::with_capacity(count);
    for ((message, signature), &key) in values.zip(found) {
        rows.push(match key {
            Some(_) => Row::new(key, message?.bytes(), signature?.bytes()),
            None => Row::default(),
        });
    }
    let mut found = vec![Verdict::Invalid; count];
    rows::verify_ahead(&engine, format, &rows, ahead, &mut found).map_err(batch::failed)?;
    for (verdict, found) in verdicts.iter_mut().zip(found) {
        *verdict = found as u8;
    }
    Ok(())
}

/// Verifies all rows, and checks for Ctrl-C after each slice.
fn verify_columns(
    chosen: &Chosen,
    format: Format,
    columns: [&Column; 2],
    keys: &Keys<'_>,
) -> PyResult<Vec<u8>> {
    let mut verdicts = filled(Verdict::UnknownKey as u8, columns[0].len())?;
    let engine = chosen.engine();
    for (slice, verdicts) in verdicts.chunks_mut(SLICE).enumerate() {
        let part = |size: usize| {
            move |(number, verdicts): (usize, &mut [u8])| {
                let first = slice * SLICE + number * size;
                verify_part(engine, format, columns, keys, first, verdicts)
            }
        };
        match chosen.pool() {
            Some((pool, threads)) => {
                let size = verdicts.len().div_ceil(4 * threads);
                let size = size.clamp(PART, LARGEST_PART);
                pool.install(|| {
                    let parts = verdicts.par_chunks_mut(size).enumerate();
                    parts.map(part(size)).collect::<PyResult<()>>()
                })
            }
            None => {
                let mut parts = verdicts.chunks_mut(LARGEST_PART).enumerate();
                parts.try_for_each(part(LARGEST_PART))
            }
        }?;
        check_signals()?;
    }
    Ok(verdicts)
}

/// Refuses a column that does not have `len` rows.
fn of_length(len: usize, column: Column, name: &str) -> PyResult<Column> {
    let rows = column.len();
    if rows == len {
        return Ok(column);
    }
    let error = format!("{name} has {rows} rows, message has {len}");
    Err(PyValueError::new_err(error))
}

/// Warns if all signatures are malformed because of a mistake in the call: the columns are swapped,
/// or the signatures are in another format. Judges by the first row that has both values.
fn warn_of_mistake(
    py: Python<'_>,
    format: Encoding,
    [message, signature]: [&Column; 2],
) -> PyResult<()> {
    let rows = message.rows(0, message.len());
    let rows = rows.zip(signature.rows(0, signature.len()));
    let first = rows.flat_map(|(message, signature)| Some((message.ok()?, signature.ok()?)));
    let mut first = first.filter_map(|(message, signature)| {
        let signature = signature.bytes().filter(|bytes| !bytes.is_empty())?;
        Some((message.bytes()?, signature))
    });
    let Some((message, signature)) = first.next() else {
        return Ok(());
    };
    let decodes = |bytes, format| decode(ParameterSet::of_encoding(bytes), format, bytes).is_ok();
    let other = AnySignature::detect(signature).ok();
    let other = other.map(|(_, format)| Encoding(format));
    let warning = if decodes(message, format) {
        "every signature is malformed, and the messages are signatures. Are message and signature \
         swapped? The order is message, signature, key"
            .to_owned()
    } else if let Some(other) = other.filter(|other| decodes(signature, *other)) {
        let (other, format) = (other.name(), format.name());
        format!("no signature has the format {format:?}; write format={other:?}")
    } else {
        return Ok(());
    };
    let category = py.get_type::<PyUserWarning>();
    PyErr::warn(py, &category, &CString::new(warning)?, 1)
}

/// Verify columns of messages and signatures. Returns a column of uint8 without nulls.
///
/// The verdicts are 0: valid; 1: invalid; 2: malformed signature, or message or signature null; 3:
/// unknown key. Compare them with VALID: as a bool, the verdict of a valid signature is False.
/// counts() of the result counts them by name, and names() is a column of the names.
///
/// message and signature are Arrow columns of bytes or text. key is one of these:
///
/// - one VerifyingKey, for all rows
/// - a column of encoded keys
/// - with the dict keys, a column of names in that dict
///
/// Each distinct key is prepared once. Columns are objects with the PyCapsule interface, such as
/// those of pyarrow and polars; they are not copied. format is "padded", "compressed" or "ct";
/// engine is a name of engines(), the best one by default; threads is a number, one for each core
/// by default.
#[pyfunction]
#[pyo3(
    name = "verify",
    signature = (
        message, signature, key = None, *, keys = None, format = Encoding(Format::Padded),
        engine = None, threads = None
    ),
    text_signature = "(message, signature, key, *, keys=None, format='padded', engine=None, threads=None)"
)]
pub fn arrow_verify(
    py: Python<'_>,
    message: &Bound<'_, PyAny>,
    signature: &Bound<'_, PyAny>,
    key: Option<&Bound<'_, PyAny>>,
    keys: Option<&Bound<'_, PyAny>>,
    format: Encoding,
    engine: Option<Named>,
    threads: Option<ThreadCount>,
) -> PyResult<PyArray> {
    let message = Column::of_bytes(message, "message")?;
    let signature = Column::of_bytes(signature, "signature")?;
    let len = message.len();
    let signature = of_length(len, signature, "signature")?;
    let key = key.filter(|key| !key.is_none()).ok_or_else(|| {
        PyTypeError::new_err(
            "verify() needs key: one VerifyingKey, an Arrow column of encoded keys, or with \
             keys={name: key} an Arrow column of names",
        )
    })?;
    let one = key.cast::<PyVerifyingKey>().ok();
    let column = match (one, keys) {
        (Some(_), _) => None,
        _ if !Column::is_in(key)? => {
            let expected = match keys {
                Some(_) => "an Arrow column of names in keys",
                None => "a VerifyingKey or an Arrow column of encoded keys",
            };
            return Err(errors::not_a_column("key", expected, key));
        }
        (None, Some(_)) => Some(Column::of(key, "key")?),
        (None, None) => Some(Column::of_bytes(key, "key")?),
    };
    let column = column.map(|column| of_length(len, column, "key"));
    let column = column.transpose()?;
    let public = |key: &Bound<'_, PyAny>| {
        let key = key.cast::<PyVerifyingKey>().ok()?;
        Some(Ok(Arc::clone(&key.get().key)))
    };
    let table = keys.map(|keys| KeyTable::of(keys, public, "VerifyingKey"));
    let table = table.transpose()?;
    let keys = match (one, &column, &table) {
        (Some(key), _, None) => Keys::One(&key.get().key),
        (Some(_), _, Some(_)) => {
            return Err(PyTypeError::new_err(
                "keys is for a column of names, but key is one VerifyingKey",
            ));
        }
        (None, Some(column), Some(table)) => {
            table.check(column)?;
            Keys::Named(column, table)
        }
        (None, Some(column), None) if column.is_text() => {
            return Err(PyTypeError::new_err(
                "key is a column of text; pass the keys that it names with keys={name: key}",
            ));
        }
        (None, Some(column), None) => Keys::Encoded(EncodedKeys::new(column)),
        (None, None, _) => return Err(FalconError::new_err("lost the column key")),
    };
    let chosen = Chosen::new(py, engine, threads, Work::Verify, len);
    let columns = [&message, &signature];
    let values = py.detach(|| verify_columns(&chosen, format.0, columns, &keys))?;
    if len > 0
        && values
            .iter()
            .all(|&verdict| verdict == Verdict::Malformed as u8)
    {
        warn_of_mistake(py, format, columns)?;
    }
    Ok(PyArray::verdicts(values))
}

/// Sign a column of messages. Returns a column of signatures: binary, or large_binary from 2 GiB
/// on.
///
/// message is an Arrow column of bytes or text; the signature of a null is null. key is one
/// SigningKey for all rows, or, with keys, a column of names in that dict. The signature of a row
/// whose key is unknown is null. Rows of one key are signed together, so that the key is prepared
/// once for many of them. format, engine and threads are those of verify.
#[pyfunction]
#[pyo3(
    name = "sign",
    signature = (
        message, key = None, *, keys = None, format = Encoding(Format::Padded), engine = None,
        threads = None
    ),
    text_signature = "(message, key, *, keys=None, format='padded', engine=None, threads=None)"
)]
pub fn arrow_sign(
    py: Python<'_>,
    message: &Bound<'_, PyAny>,
    key: Option<&Bound<'_, PyAny>>,
    keys: Option<&Bound<'_, PyAny>>,
    format: Encoding,
    engine: Option<Named>,
    threads: Option<ThreadCount>,
) -> PyResult<PyArray> {
    let message = Column::of_bytes(message, "message")?;
    let len = message.len();
    let key = key.filter(|key| !key.is_none()).ok_or_else(|| {
        PyTypeError::new_err(
            "sign() needs key: one SigningKey, or with keys={name: key} an Arrow column of names",
        )
    })?;
    let secret = |key: &Bound<'_, PyAny>| {
        let key = key.cast::<PySigningKey>().ok()?;
        Some(key.get().for_messages().map(Arc::clone))
    };
    let table = keys.map(|keys| KeyTable::of(keys, secret, "SigningKey"));
    let table = table.transpose()?;
    let one = match key.cast::<PySigningKey>() {
        Ok(key) => Some(&**key.get().for_messages()?),
        Err(_) => None,
    };
    let names = match (one, &table) {
        (Some(_), None) => None,
        (Some(_), Some(_)) => {
            return Err(PyTypeError::new_err(
                "keys is for a column of names, but key is one SigningKey",
            ));
        }
        (None, Some(table)) => {
            let column = of_length(len, Column::of(key, "key")?, "key")?;
            table.check(&column)?;
            Some(column)
        }
        (None, None) if Column::is_in(key)? => {
            return Err(PyTypeError::new_err(
                "key is a column of names; pass the keys that it names with keys={name: key}",
            ));
        }
        (None, None) => {
            let expected = "a SigningKey, or with keys an Arrow column of names";
            return Err(errors::wrong_type("key", expected, key));
        }
    };
    let chosen = Chosen::new(py, engine, threads, Work::Sign, len);
    let data = py.detach(|| {
        let mut jobs: Vec<(usize, &AnySigningKey, &[u8])> = reserved(len)?;
        let mut names = names.as_ref().map(|names| names.rows(0, len));
        for (row, message) in message.rows(0, len).enumerate() {
            let key = match (&mut names, one, &table) {
                (Some(names), _, Some(table)) => names
                    .next()
                    .transpose()?
                    .and_then(|id| table.get(id).map(|key| &**key)),
                (_, Some(key), _) => Some(key),
                _ => None,
            };
            if let (Some(key), Some(message)) = (key, message?.bytes()) {
                jobs.push((row, key, message));
            }
        }
        // A key is prepared once for neighbouring jobs.
        jobs.sort_by_key(|(_, key, _)| std::ptr::from_ref::<AnySigningKey>(key));
        let mut encoded = filled(Vec::new(), len)?;
        batch::sign_rows(&chosen, &jobs, format.0, &mut encoded)?;
        signatures(&encoded)
    })?;
    Ok(PyArray::signatures(data))
}

/// Joins signatures into a column. A signature is never empty, so an empty entry means null.
fn signatures(encoded: &[Vec<u8>]) -> PyResult<Data> {
    let total = encoded.iter().map(Vec::len).sum();
    let mut values = reserved(total)?;
    let mut validity = filled(0, encoded.len().div_ceil(8))?;
    let mut ends = reserved(encoded.len() + 1)?;
    ends.push(0);
    let mut null_count = 0;
    for (row, signature) in encoded.iter().enumerate() {
        values.extend_from_slice(signature);
        ends.push(values.len() as i64);
        if signature.is_empty() {
            null_count += 1;
        } else {
            validity[row / 8] |= 1 << (row % 8);
        }
    }
    if values.len() != total {
        return Err(FalconError::new_err("lost a signature"));
    }
    Ok(Data {
        len: encoded.len(),
        is_text: false,
        null_count,
        validity: (null_count > 0).then_some(validity),
        offsets: Offsets::of(ends),
        values,
    })
}

/// Measure falcon-core alone: builds the jobs, with the key `i % len(keys)` for row `i`, and then
/// verifies them. Returns the results of `clock()` before and after the verification.
#[cfg(feature = "measure")]
#[pyfunction]
pub fn measure_bare_batch(
    py: Python<'_>,
    message: &Bound<'_, PyAny>,
    signature: &Bound<'_, PyAny>,
    keys: Vec<PyRef<'_, PyVerifyingKey>>,
    threads: Option<ThreadCount>,
    clock: Py<PyAny>,
) -> PyResult<[Py<PyAny>; 2]> {
    let message = Column::of(message, "message")?;
    let signature = Column::of(signature, "signature")?;
    let chosen = Chosen::new(py, None, threads, Work::Verify, message.len());
    let keys: Vec<_> = keys.iter().map(|key| Arc::clone(&key.key)).collect();
    py.detach(|| {
        let mut jobs = Vec::new();
        let rows = message.rows(0, message.len());
        let rows = rows.zip(signature.rows(0, signature.len()));
        for (row, (message, signature)) in rows.enumerate() {
            if let (Ok(Value::Bytes(message)), Ok(Value::Bytes(signature)), Some(key)) = (
                message,
                signature,
                keys[row % keys.len()].typed::<Falcon512>(),
            ) {
                jobs.push(VerifyBytesJob {
                    key,
                    message,
                    signature,
                });
            }
        }
        let read = || Python::attach(|py| clock.call0(py));
        let before = read()?;
        let verdicts = chosen.verify_bytes(&jobs);
        let after = read()?;
        if verdicts.is_ok_and(|verdicts| verdicts.into_iter().all(|valid| valid)) {
            Ok([before, after])
        } else {
            Err(PyValueError::new_err("a signature is not valid"))
        }
    })
}
