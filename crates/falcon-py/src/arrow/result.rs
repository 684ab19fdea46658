//! Columns that are returned: verdicts and signatures.

use super::ffi::{self, Data, Offsets};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyIterator, PyList};
use std::sync::Arc;

/// A result column. Other packages read it without a copy, for example pyarrow.array(column) or
/// polars.Series(column).
#[pyclass(frozen, module = "falcon_sign.arrow", name = "Array")]
pub struct PyArray {
    data: Arc<Data>,
}

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

    /// Return the values as a list: int, or bytes and None.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let values = (0..self.data.len).map(|row| self.value(py, row));
        PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)
    }

    fn __repr__(&self) -> String {
        let kind = match self.data.offsets {
            Offsets::None => "uint8",
            Offsets::Small(_) => "binary",
            Offsets::Large(_) => "large_binary",
        };
        format!("<Array {kind} of {} rows>", self.data.len)
    }
}

impl PyArray {
    pub fn new(data: Data) -> Self {
        Self {
            data: Arc::new(data),
        }
    }

    /// Returns the value of an existing row: int, or bytes or None.
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
        Ok(PyBytes::new(py, &data.values[start..end]).into_any())
    }
}
