//! Commands, one file for each: its arguments and its implementation.

pub(crate) mod bench;
pub(crate) mod decaps;
pub(crate) mod encaps;
pub(crate) mod inspect;
pub(crate) mod kat;
pub(crate) mod keygen;
pub(crate) mod pubkey;
