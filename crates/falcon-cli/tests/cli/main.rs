//! The program as it is used, and as a hurried person uses it: nothing is
//! destroyed, nothing is half-done in silence, and the message helps. What a
//! transcript can show is in `files.rs`.

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
