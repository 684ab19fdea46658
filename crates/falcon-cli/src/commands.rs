//! The commands. Each file has the arguments and the implementation of one command.

pub(crate) mod bench;
pub(crate) mod convert;
pub(crate) mod demo;
pub(crate) mod fields;
pub(crate) mod fingerprint;
#[cfg(feature = "hls")]
pub(crate) mod hls;
pub(crate) mod inspect;
pub(crate) mod kat;
pub(crate) mod keygen;
#[cfg(feature = "tables")]
pub(crate) mod make_table;
pub(crate) mod manifest;
pub(crate) mod passwd;
pub(crate) mod pubkey;
pub(crate) mod sign;
#[cfg(feature = "tables")]
pub(crate) mod sign_table;
pub(crate) mod trust;
pub(crate) mod verify;
#[cfg(feature = "tables")]
pub(crate) mod verify_table;
