//! One file a command: its arguments and what it does.

pub(crate) mod bench;
pub(crate) mod completions;
pub(crate) mod demo;
#[cfg(feature = "hls")]
pub(crate) mod hls;
pub(crate) mod inspect;
pub(crate) mod kat;
pub(crate) mod keygen;
pub(crate) mod man;
pub(crate) mod passwd;
pub(crate) mod pubkey;
pub(crate) mod sign;
pub(crate) mod verify;
