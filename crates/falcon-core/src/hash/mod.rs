//! SHAKE256 and hash-to-point.

mod hash_to_point;
mod shake;

pub(crate) use hash_to_point::fill_point;
pub use hash_to_point::{HashToPoint, PointHasher, Shake256HashToPoint, Shake256PointHasher};
pub use shake::{Shake256, Shake256Reader};
