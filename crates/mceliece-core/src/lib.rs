#![no_std]
#![forbid(unsafe_code)]
#![allow(dead_code, missing_docs)]
#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;
#[macro_use]
mod engine;
mod berlekamp_massey;
mod code;
mod minimal;
mod bits;
mod decode;
mod encode;
mod hash;
mod matrix;
mod weight;
mod decapsulate;
mod encapsulate;
mod error;
mod keygen;
mod layout;
mod support;
#[cfg(test)]
mod tests;
mod params;
mod permutation;
mod sort;
mod ring;
mod fft;
mod field;
mod mask;
mod reveal;
