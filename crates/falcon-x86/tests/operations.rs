//! Compares every operation of AVX2 and AVX-512 with the same operation on arrays.
#![cfg(target_arch = "x86_64")]

#[macro_use]
#[path = "../../falcon-lanes/tests/operations/mod.rs"]
mod operations;

use falcon_x86::{Avx2, Avx512};

compare_with_baseline!(avx2, Avx2::detect());
compare_with_baseline!(avx512, Avx512::detect());
