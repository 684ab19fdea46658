//! The parity-check matrix of the Goppa code, and its reduction to `(I | T)`.
//!
//! A byte column holds eight neighbouring columns of the matrix: a byte for every row. In memory a
//! byte column is a number of lines of 64 bytes each. The left part of the matrix becomes the
//! identity, and its reduction is recorded. The right part becomes the public key. The right part
//! is made piece by piece, and the record is replayed on each piece.
//!
//! `docs/GLOSSARY.md` defines panel, window, candidate and combination.

pub(crate) mod columns;
pub(crate) mod eliminate;
pub(crate) mod semi_systematic;

/// 512 neighbouring columns of one row.
pub(crate) type RowPiece = [u64; 8];

/// One byte column of 64 neighbouring rows. The operations of [`Bytes`](falcon_lanes::Bytes) use
/// their own order of the bytes in a line.
pub(crate) type Line = [u64; 8];
