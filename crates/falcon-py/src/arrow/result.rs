//! Columns that are returned: verdicts and signatures.

use super::ffi::{self, Data, Offsets};
use crate::memory::reserved;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyList, PyString};
use std::sync::Arc;

/// A result column. Other packages read it without a copy, for example pyarrow.array(column) or
/// polars.Series(column).
#[pyclass(frozen, module = "falconsign.arrow", name = "Array")]
pub struct PyArray {
    data: Arc<Data>,
    kind: Kind,
}

/// What the values are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Verdicts,
    Signatures,
    Names,
}

/// Names of the verdicts, in the order of their numbers. Those of `falcon-cli verify-table`.
const NAMES: [&str; 4] = ["valid", "invalid", "malformed", "unknown_key"];

#[pymethods]
impl PyArray {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface permits an array of another type than the requested one.
        let _ = requested_schema;
        Ok((
            ffi::export_schema(py, &self.data)?,
            ffi::export_array(py, &self.data)?,
        ))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        ffi::export_schema(py, &self.data)
    }

    fn __len__(&self) -> usize {
        self.data.len
    }

    fn __getitem__<'py>(&self, py: Python<'py>, row: isize) -> PyResult<Bound<'py, PyAny>> {
        let len = self.data.len;
        let from_start = if row < 0 {
            row.checked_add_unsigned(len)
        } else {
            Some(row)
        };
        let row = from_start.and_then(|row| usize::try_from(row).ok());
        match row.filter(|&row| row < len) {
            Some(row) => self.value(py, row),
            None => Err(PyIndexError::new_err(format!("the Array has {len} rows"))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.to_list(py)?.try_iter()
    }

    /// Returns a NumPy array of uint8, or of the objects of `to_list`.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("NumPy cannot share an Array"));
        }
        let numpy = py.import("numpy")?;
        let array = match self.data.offsets {
            Offsets::None => {
                let bytes = PyBytes::new(py, &self.data.values);
                numpy
                    .call_method1("frombuffer", (bytes, "uint8"))?
                    .call_method0("copy")?
            }
            _ => numpy.call_method1("array", (self.to_list(py)?, "object"))?,
        };
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }

    /// Refuses `if arrow.verify(...)`, which would be true for any rows.
    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "an Array is neither true nor false; compare each of its values with VALID",
        ))
    }

    /// Refuses `arrow.verify(...) == VALID`, which would be false for any rows.
    fn __richcmp__(&self, _other: &Bound<'_, PyAny>, _operator: CompareOp) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "an Array is not compared; compare numpy.asarray(array), pyarrow.array(array) or \
             array.to_list()",
        ))
    }

    /// Return the values as a list: int, str, or bytes and None.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let values = (0..self.data.len).map(|row| self.value(py, row));
        PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }

    /// Count the rows. Returns a dict of every name, also of those that no row has.
    ///
    /// For verdicts the names are "valid", "invalid", "malformed" and "unknown_key". For signatures
    /// they are "signed" and "null".
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let data = &*self.data;
        let counts = PyDict::new(py);
        match self.kind {
            Kind::Verdicts => {
                let found = py.detach(|| count(&data.values));
                for (name, count) in NAMES.iter().zip(found) {
                    counts.set_item(name, count)?;
                }
            }
            Kind::Signatures => {
                counts.set_item("signed", data.len - data.null_count)?;
                counts.set_item("null", data.null_count)?;
            }
            Kind::Names => {
                return Err(PyTypeError::new_err(
                    "a column of names is not counted; call counts() of the verdicts",
                ));
            }
        }
        Ok(counts)
    }

    /// Return a column of text with the names of the verdicts, for example for
    /// pyarrow.array(verdicts.names()).
    fn names(&self, py: Python<'_>) -> PyResult<Self> {
        if self.kind != Kind::Verdicts {
            return Err(PyTypeError::new_err(
                "only verdicts have names: the result of verify",
            ));
        }
        let data = py.detach(|| names(&self.data.values))?;
        Ok(Self {
            data: Arc::new(data),
            kind: Kind::Names,
        })
    }

    fn __repr__(&self) -> String {
        let kind = match (&self.data.offsets, self.data.is_text) {
            (Offsets::None, _) => "uint8",
            (Offsets::Small(_), false) => "binary",
            (Offsets::Large(_), false) => "large_binary",
            (Offsets::Small(_), true) => "string",
            (Offsets::Large(_), true) => "large_string",
        };
        format!("<Array {kind} of {} rows>", self.data.len)
    }
}

impl PyArray {
    /// Makes the result of verifying: a verdict for each row.
    pub fn verdicts(values: Vec<u8>) -> Self {
        let data = Data {
            len: values.len(),
            is_text: false,
            null_count: 0,
            validity: None,
            offsets: Offsets::None,
            values,
        };
        Self {
            data: Arc::new(data),
            kind: Kind::Verdicts,
        }
    }

    /// Makes the result of signing.
    pub fn signatures(data: Data) -> Self {
        Self {
            data: Arc::new(data),
            kind: Kind::Signatures,
        }
    }

    /// Returns the value of an existing row: int or str, or bytes or None.
    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let data = &*self.data;
        let (start, end) = match &data.offsets {
            Offsets::None => return Ok(data.values[row].into_pyobject(py)?.into_any()),
            Offsets::Small(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
            Offsets::Large(offsets) => (offsets[row] as usize, offsets[row + 1] as usize),
        };
        let validity = data.validity.as_ref();
        if validity.is_some_and(|bits| bits[row / 8] >> (row % 8) & 1 == 0) {
            return Ok(py.None().into_bound(py));
        }
        let value = &data.values[start..end];
        Ok(match data.is_text {
            true => PyString::from_bytes(py, value)?.into_any(),
            false => PyBytes::new(py, value).into_any(),
        })
    }
}

/// Counts each verdict.
fn count(verdicts: &[u8]) -> [usize; NAMES.len()] {
    let mut counts = [0; NAMES.len()];
    for &verdict in verdicts {
        counts[usize::from(verdict)] += 1;
    }
    counts
}

/// Makes a column of the names of verdicts.
fn names(verdicts: &[u8]) -> PyResult<Data> {
    let lengths = NAMES.iter().zip(count(verdicts));
    let total = lengths.map(|(name, count)| name.len() * count).sum();
    let mut values = reserved(total)?;
    let mut ends = reserved(verdicts.len() + 1)?;
    ends.push(0);
    for &verdict in verdicts {
        values.extend_from_slice(NAMES[usize::from(verdict)].as_bytes());
        ends.push(values.len() as i64);
    }
    Ok(Data {
        len: verdicts.len(),
        is_text: true,
        null_count: 0,
        validity: None,
        offsets: Offsets::of(ends),
        values,
    })
}
