//! SHAKE256, and the coefficients of points from its output.

mod point;

#[cfg(feature = "alloc")]
pub(crate) use falcon_keccak::{Message, hash_side_by_side};
pub use falcon_keccak::{Shake256, Shake256Reader};
#[cfg(test)]
pub(crate) use point::LIMIT;
#[cfg(feature = "alloc")]
pub(crate) use point::PointFiller;
pub(crate) use point::fill_point;
