//! Uses the program as a hurried person does: nothing is destroyed, nothing is left half-done
//! without an error, no secret is shown, and the messages help. Help texts are in `files.rs`.

mod damaged;
mod engines;
mod keys;
mod paths;
mod roundtrips;
mod sandbox;
mod secrets;
#[cfg(unix)]
mod signals;
