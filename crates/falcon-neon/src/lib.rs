// The example needs AArch64: elsewhere the crate is empty.
#![cfg_attr(target_arch = "aarch64", doc = include_str!("../README.md"))]
#![cfg_attr(
    not(target_arch = "aarch64"),
    doc = "Instruction sets of AArch64; empty elsewhere."
)]
#![no_std]
#![cfg(all(
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]

mod byte_tables;
mod bytes;
mod doubles;
mod environment;
mod integers;
mod isa;
mod neon;
mod set_bits;
mod settled;
mod sha3;

use doubles::HasNeon;
pub use environment::with_default_environment;
pub use neon::Neon;
pub use sha3::NeonSha3;
