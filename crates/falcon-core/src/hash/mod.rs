//! SHAKE256 and hash-to-point.

mod shake;

pub use shake::{Shake256, Shake256Reader};
