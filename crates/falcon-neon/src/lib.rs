//! Arithmetic on the vector unit of AArch64.
//!
//! `Neon` and `NeonSha3` are instruction sets of [`falcon_lanes`]:
//! zero-sized proofs that the processor has the features, made by `detect`
//! alone. With them every formula over them runs on 128-bit registers and
//! gives the same bits; there is no second copy of an algorithm here.
//!
//! | set | features | for example |
//! |---|---|---|
//! | `Neon` | NEON, which every such processor has | Cortex-A53, A72, Neoverse N1 |
//! | `NeonSha3` | NEON and the SHA-3 instructions | Apple M1, Neoverse V1, N2 |
//!
//! The crate is empty on other architectures, on big-endian ones, and on targets
//! that are built without NEON.
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
