//! Native part of the npm package `falcon-sign`.
//!
//! It converts arguments and calls `falcon-core`. The modules in `js/` check the types of the
//! arguments, make errors of what is thrown here, and are what users import.
//!
//! Bytes come in as vectors that the bindings copied into the memory of the module. They are wiped,
//! since they may be secret. What is thrown is a string: a code of `js/falcon.js`, a space and the
//! message.

mod documents;
mod errors;
mod keys;
mod random;
mod signature;
mod stream;
mod typed;
mod wipe;
