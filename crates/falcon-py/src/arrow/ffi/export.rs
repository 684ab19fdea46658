//! Columns that are given to other packages.

use super::structures::{ArrowArray, ArrowSchema, Released};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

/// Offsets of the values in a result.
pub enum Offsets {
    /// Each value has one byte.
    None,
    Small(Vec<i32>),
    Large(Vec<i64>),
}

impl Offsets {
    /// Takes the ends of the values, after a zero. Narrow offsets are used where they suffice.
    pub fn of(ends: Vec<i64>) -> Self {
        let small: Result<Vec<i32>, _> = ends.iter().map(|&end| i32::try_from(end)).collect();
        small.map_or(Self::Large(ends), Self::Small)
    }
}

/// A result, before it becomes an [`ArrowArray`].
pub struct Data {
    pub len: usize,
    /// True if the values are text, and not bytes.
    pub is_text: bool,
    pub null_count: usize,
    /// A bit for each row, if there are nulls.
    pub validity: Option<Vec<u8>>,
    pub offsets: Offsets,
    pub values: Vec<u8>,
}

/// Memory of an exported array.
struct Private {
    _data: Arc<Data>,
    buffers: Vec<*const c_void>,
}

/// Releases an array of [`export_array`].
unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: the consumer calls this once, with an array whose private data `export_array` made.
    unsafe {
        drop(Box::from_raw((*array).private_data.cast::<Private>()));
        (*array).release = None;
    }
}

/// Releases a schema of [`export_schema`], which owns nothing.
unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the consumer calls this with an existing schema.
    unsafe { (*schema).release = None };
}

/// Wraps a schema for `data` in a capsule.
pub fn export_schema<'py>(py: Python<'py>, data: &Data) -> PyResult<Bound<'py, PyCapsule>> {
    let format = match (&data.offsets, data.is_text) {
        (Offsets::None, _) => c"C",
        (Offsets::Small(_), false) => c"z",
        (Offsets::Large(_), false) => c"Z",
        (Offsets::Small(_), true) => c"u",
        (Offsets::Large(_), true) => c"U",
    };
    let schema = ArrowSchema {
        format: format.as_ptr(),
        name: c"".as_ptr(),
        // This flag says that values may be null.
        flags: 2,
        release: Some(release_schema),
        ..ArrowSchema::EMPTY
    };
    PyCapsule::new_with_value(py, schema, ArrowSchema::NAME)
}

/// Wraps an array of `data` in a capsule, without a copy.
pub fn export_array<'py>(py: Python<'py>, data: &Arc<Data>) -> PyResult<Bound<'py, PyCapsule>> {
    let validity = data.validity.as_ref();
    let mut buffers = vec![validity.map_or(ptr::null(), |bits| bits.as_ptr().cast::<c_void>())];
    match &data.offsets {
        Offsets::None => (),
        Offsets::Small(offsets) => buffers.push(offsets.as_ptr().cast()),
        Offsets::Large(offsets) => buffers.push(offsets.as_ptr().cast()),
    }
    buffers.push(data.values.as_ptr().cast());
    let mut private = Box::new(Private {
        _data: Arc::clone(data),
        buffers,
    });
    let array = ArrowArray {
        length: data.len as i64,
        null_count: data.null_count as i64,
        n_buffers: private.buffers.len() as i64,
        buffers: private.buffers.as_mut_ptr(),
        release: Some(release_array),
        private_data: Box::into_raw(private).cast(),
        ..ArrowArray::EMPTY
    };
    PyCapsule::new_with_value(py, array, ArrowArray::NAME)
}
