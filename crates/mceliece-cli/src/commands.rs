//! The commands. Each file has the arguments and the implementation of one command.

pub(crate) mod bench;
pub(crate) mod decaps;
pub(crate) mod encaps;
pub(crate) mod inspect;
pub(crate) mod kat;
pub(crate) mod keygen;
pub(crate) mod pubkey;
