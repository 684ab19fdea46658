//! Links `falcon-wasm` into a WebAssembly module.
//!
//! This is a separate crate because link-time optimisation uses the level of the final crate.
//! `falcon-wasm` is optimised for size, and at its level the loops of `falcon-core` would not be
//! vectorised.

use falcon_wasm as _;
