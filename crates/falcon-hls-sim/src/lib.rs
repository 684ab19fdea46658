//! Falcon's FFT as high-level synthesis would make a circuit of it, bit for bit
//! and cycle for cycle.
#![forbid(unsafe_code)]

pub mod fp;
