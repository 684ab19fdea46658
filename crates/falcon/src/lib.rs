//! Falcon signatures on the best engine that this machine has.
//!
//! Everything of [`falcon_core`] is here under the same names; [`Engine`] adds
//! the choice of the arithmetic. The choice changes speed and nothing else:
//! every engine gives the same bytes.
#![forbid(unsafe_code)]

mod engine;

pub use engine::{ENGINE_VARIABLE, Engine, UnknownEngine};
pub use falcon_core::*;
