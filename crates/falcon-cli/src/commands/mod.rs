//! One file a command: its arguments and what it does.

pub(crate) mod bench;
pub(crate) mod demo;
pub(crate) mod fingerprint;
#[cfg(feature = "hls")]
pub(crate) mod hls;
pub(crate) mod inspect;
pub(crate) mod kat;
pub(crate) mod keygen;
pub(crate) mod manifest;
pub(crate) mod passwd;
pub(crate) mod pubkey;
pub(crate) mod sign;
pub(crate) mod trust;
pub(crate) mod verify;
