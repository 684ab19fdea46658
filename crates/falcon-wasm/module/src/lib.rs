//! Links `falcon-wasm` into a WebAssembly module.
//!
//! A crate of its own, since link-time optimisation has the level of the last crate. At the level
//! of `falcon-wasm`, which is optimised for size, it would vectorise no loops of `falcon-core`.

use falcon_wasm as _;
