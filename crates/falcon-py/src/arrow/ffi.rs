//! Arrow's C data interface, in capsules. All `unsafe` code of the package is in this folder.
//!
//! Source: the Apache Arrow specification, "The Arrow C data interface", "The Arrow C stream
//! interface" and "The Arrow PyCapsule Interface".

mod export;
mod import;
mod structures;

pub use export::{Data, Offsets, export_array, export_schema};
pub use import::{Broken, Column, Value};
