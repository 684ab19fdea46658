//! Falcon's FFT as high-level synthesis would make a circuit of it, bit for bit
//! and cycle for cycle.
//!
//! A [`Design`](design::Design) says what the circuit is made of. The butterfly as
//! a [graph] of operations is [scheduled](schedule) on its units, and the
//! [cycle simulator](cycles) executes the schedule on real bits. Nothing here is
//! computed from a formula that a run could show.
#![forbid(unsafe_code)]

pub mod accelerator;
pub mod amdahl;
pub mod butterfly;
pub mod catalog;
pub mod cycles;
pub mod design;
mod fault;
pub mod fp;
pub mod graph;
pub mod keccak;
pub mod logic;
pub mod measurement;
pub mod nest;
pub mod profile;
pub mod resources;
pub mod schedule;
pub mod scheduled;
pub mod seam;
pub mod sweep;
pub mod verilog;
pub mod view;
