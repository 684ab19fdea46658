//! Uses the program as a hurried person does: nothing is destroyed, nothing is left half-done
//! without an error, and the messages help. Tests that a transcript can show are in `files.rs`.

mod bench;
mod certificates;
mod commands;
mod deterministic;
mod engines;
mod envelopes;
mod gpu;
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
mod sandbox;
#[cfg(unix)]
mod signals;
#[cfg(feature = "tables")]
mod tables;
mod trust;
mod verdicts;
