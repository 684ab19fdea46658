//! The parts of `falcon-cli` and `mceliece-cli` that do not depend on the scheme: errors with
//! hints, files that appear complete or not at all, signals, output as text and as JSON.
//!
//! A program describes itself in a [`program::Program`], parses its command line, and then calls
//! [`start::run`].
#![forbid(unsafe_code)]

pub mod access;
pub mod color;
pub mod completions;
pub mod error;
pub mod escape;
pub mod input;
pub mod interrupt;
pub mod load;
pub mod lock;
pub mod man;
pub mod output;
pub mod pem_text;
pub mod place;
pub mod program;
pub mod progress;
pub mod seed;
pub mod shell;
pub mod snapshot;
pub mod start;
pub mod timing;
pub mod ui;
pub mod usage;
