//! Memory whose size a caller chooses. The allocation may fail.

use pyo3::PyResult;
use pyo3::exceptions::PyMemoryError;

/// Returns memory for `len` values of an argument or a result.
pub fn reserved<T>(len: usize) -> PyResult<Vec<T>> {
    let mut values = Vec::new();
    values
        .try_reserve_exact(len)
        .map_err(|_| PyMemoryError::new_err(format!("no memory for {len} values")))?;
    Ok(values)
}

/// Returns memory with `len` values, all equal to `value`.
pub fn filled<T: Clone>(value: T, len: usize) -> PyResult<Vec<T>> {
    let mut values = reserved(len)?;
    values.resize(len, value);
    Ok(values)
}
