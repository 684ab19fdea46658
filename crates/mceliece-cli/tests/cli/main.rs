//! Tests the program with the mistakes of a hurried user: it destroys nothing, leaves nothing
//! half-done without an error, shows no secret, and its messages help. Help texts are in
//! `files.rs`.

mod damaged;
mod engines;
mod keys;
mod paths;
mod roundtrips;
mod sandbox;
mod secrets;
#[cfg(unix)]
mod signals;
