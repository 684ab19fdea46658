#![doc = include_str!("../README.md")]
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
#[cfg(feature = "clap")]
pub mod options;
pub mod profile;
pub mod quantity;
pub mod resources;
pub mod schedule;
pub mod scheduled;
pub mod seam;
pub mod setting;
pub mod signed;
pub mod sweep;
pub mod system;
pub mod verilog;
pub mod view;

/// Version of the JSON forms. It changes when a field is removed or gets another meaning. New
/// fields may be added at any time.
pub const VERSION: u32 = 1;
