//! Native part of the Python package `falconsign`.
//!
//! It converts arguments, releases the GIL and calls `falcon-core`. Its own `unsafe` code is in
//! `arrow/ffi`. Macros of its dependencies expand to more `unsafe` code.

mod arrow;
mod batch;
mod det1024;
mod documents;
mod errors;
mod input;
mod jobs;
mod keys;
mod memory;
mod random;
mod signature;
mod stream;

use falcon_core::Engine;
use falcon_core::batch::Verdict;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Return the engines that this processor can run, as names with descriptions.
///
/// All engines give the same bytes. They differ in speed.
#[pyfunction]
fn engines(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let names = PyDict::new(py);
    for engine in Engine::available() {
        names.set_item(engine.name(), engine.description())?;
    }
    Ok(names)
}

/// Return the name of the fastest engine of this processor, which batches take by default.
#[pyfunction]
fn best_engine() -> &'static str {
    Engine::best().name()
}

/// Native part of falconsign. Import from falconsign instead.
// Taking a capsule and locking the pool of threads rely on the GIL. A free-threaded interpreter
// turns the GIL on when it imports this module.
#[pymodule(gil_used = true)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::import(module.py())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<keys::PySigningKey>()?;
    module.add_class::<keys::PyVerifyingKey>()?;
    module.add_class::<signature::PySignature>()?;
    module.add_class::<stream::PySigner>()?;
    module.add_class::<stream::PyVerifier>()?;
    let py = module.py();
    module.add("Det1024SigningKey", py.get_type::<det1024::DetSigningKey>())?;
    module.add(
        "Det1024VerifyingKey",
        py.get_type::<det1024::DetVerifyingKey>(),
    )?;
    module.add_function(wrap_pyfunction!(jobs::sign_batch, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::verify_batch, module)?)?;
    module.add("ArrowArray", py.get_type::<arrow::PyArray>())?;
    for (name, verdict) in [
        ("VALID", Verdict::Valid),
        ("INVALID", Verdict::Invalid),
        ("MALFORMED", Verdict::Malformed),
        ("UNKNOWN_KEY", Verdict::UnknownKey),
    ] {
        module.add(name, verdict as u8)?;
    }
    // Errors name the functions as falconsign.arrow does.
    module.add(
        "arrow_verify",
        wrap_pyfunction!(arrow::arrow_verify, module)?,
    )?;
    module.add("arrow_sign", wrap_pyfunction!(arrow::arrow_sign, module)?)?;
    #[cfg(feature = "measure")]
    module.add_function(wrap_pyfunction!(arrow::measure_bare_batch, module)?)?;
    module.add_function(wrap_pyfunction!(engines, module)?)?;
    module.add_function(wrap_pyfunction!(best_engine, module)?)?;
    Ok(())
}
