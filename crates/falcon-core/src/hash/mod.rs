//! SHAKE256 and hash-to-point.

mod hash_to_point;

#[cfg(feature = "alloc")]
pub(crate) use falcon_keccak::{Message, hash_side_by_side};
pub use falcon_keccak::{Shake256, Shake256Reader};
#[cfg(feature = "alloc")]
pub(crate) use hash_to_point::PointFiller;
pub(crate) use hash_to_point::fill_point;
pub use hash_to_point::{HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher};
