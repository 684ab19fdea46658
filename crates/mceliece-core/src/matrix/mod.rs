//! The parity-check matrix of the Goppa code, and its reduction to `(I | T)`.
//!
//! A part of the matrix is an array of byte columns: a byte of eight columns for every row. The
//! left part holds the columns that become the identity. The right part is made and reduced piece
//! by piece, from what the reduction of the left part leaves.

pub(crate) mod columns;
pub(crate) mod eliminate;
pub(crate) mod semi_systematic;

/// 512 columns of a row, or the bytes of 64 rows.
pub(crate) type Columns = [u64; 8];
