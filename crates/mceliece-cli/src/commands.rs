//! One file a command: its arguments and what it does.

pub(crate) mod bench;
pub(crate) mod decaps;
pub(crate) mod encaps;
pub(crate) mod inspect;
pub(crate) mod kat;
pub(crate) mod keygen;
pub(crate) mod pubkey;
