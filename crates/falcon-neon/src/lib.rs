#![doc = include_str!("../README.md")]
#![no_std]
#![cfg(all(
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]

mod doubles;
mod integers;
mod neon;
mod sha3;

use doubles::HasNeon;
pub use neon::Neon;
pub use sha3::NeonSha3;
