//! Shared parts of the fuzz targets: known answers, and mutators that know the formats.
//!
//! A mutator changes an input so that most of its structure stays valid. Random bytes rarely pass
//! the first check of a strict decoder, while an input with one changed coefficient reaches the
//! last check.

pub mod bits;
pub mod known;
pub mod mutate;
pub mod verify;
