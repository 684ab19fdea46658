//! Tests the program with the mistakes of a hurried user: it destroys nothing, leaves nothing
//! half-done without an error, and prints messages that help. Tests that need only a transcript of
//! commands are in `files.rs`.

mod bench;
mod certificates;
mod commands;
mod deterministic;
mod engines;
mod envelopes;
mod fields;
mod gpu;
mod guesses;
#[cfg(feature = "hls")]
mod hls;
mod key_use;
mod keys;
mod manifests;
mod many;
#[cfg(target_os = "linux")]
mod memory;
mod messages;
mod mistakes;
mod passwd;
mod paths;
#[cfg(target_os = "linux")]
mod progress;
#[cfg(unix)]
mod readme;
mod sandbox;
#[cfg(unix)]
mod signals;
#[cfg(feature = "tables")]
mod tables;
mod trust;
mod verdicts;
