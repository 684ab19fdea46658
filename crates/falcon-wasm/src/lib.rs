//! Native part of the npm package `falconsign`.
//!
//! It converts arguments and calls `falcon-core`. Users import the modules in `js/`. These check
//! the types of the arguments, and convert the strings that are thrown here to errors.
//!
//! Bytes come in as vectors that the bindings copied into the memory of the module. These vectors
//! are wiped, since they may be secret. A thrown string has a code of `js/falcon.js`, a space and
//! the message.

mod documents;
mod errors;
mod keys;
mod random;
mod signature;
mod stream;
mod wipe;
