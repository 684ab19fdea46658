//! The parity-check matrix of the Goppa code, and its reduction to `(I | T)`.
//!
//! A part of the matrix is an array of rows, each `width` blocks of 512 columns. Rows of the left
//! part hold the columns that become the identity; the right part is made and reduced piece by
//! piece, from what the reduction of the left part leaves.

pub(crate) mod columns;
pub(crate) mod eliminate;
pub(crate) mod semi_systematic;

/// 512 columns of a row.
pub(crate) type Columns = [u64; 8];
