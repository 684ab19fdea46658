//! The program as it is used, and as a hurried person uses it: nothing is destroyed, nothing is
//! half-done in silence, no secret is shown, and the message helps. Help texts are in `files.rs`.

mod damaged;
mod engines;
mod keys;
mod paths;
mod roundtrips;
mod sandbox;
mod secrets;
#[cfg(unix)]
mod signals;
