#![no_std]
#![forbid(unsafe_code)]
#![allow(dead_code, missing_docs)]
#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;
#[macro_use]
mod engine;
mod fft;
mod field;
mod mask;
mod reveal;
