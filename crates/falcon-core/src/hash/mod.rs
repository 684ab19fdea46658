//! SHAKE256 and hash-to-point.

mod hash_to_point;
mod keccak;
#[cfg(feature = "alloc")]
mod lanes;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", test))]
mod lazy;
mod shake;

#[cfg(feature = "alloc")]
pub(crate) use hash_to_point::PointFiller;
pub(crate) use hash_to_point::fill_point;
pub use hash_to_point::{HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher};
#[cfg(feature = "alloc")]
pub(crate) use lanes::{Message, hash_side_by_side};
pub use shake::{Shake256, Shake256Reader};
