//! Compares every operation of NEON, with and without SHA-3, with the same operation on arrays.
#![cfg(all(
    target_arch = "aarch64",
    target_feature = "neon",
    target_endian = "little"
))]

#[macro_use]
#[path = "../../falcon-lanes/tests/operations/mod.rs"]
mod operations;

use falcon_neon::{Neon, NeonSha3};

compare_with_baseline!(neon, Neon::detect());
compare_with_baseline!(neon_sha3, NeonSha3::detect());
