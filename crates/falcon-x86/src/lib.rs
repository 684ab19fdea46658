//! Arithmetic on AVX2 and AVX-512.
//!
//! [`Avx2`] and [`Avx512`] are instruction sets of [`falcon_lanes`]:
//! zero-sized proofs that the processor has the features, made by `detect`
//! alone. With them every formula over them runs on wider registers and
//! gives the same bits; there is no second copy of an algorithm here.
//!
//! | set | features | registers |
//! |---|---|---|
//! | [`Avx2`] | AVX2, BMI1, BMI2, POPCNT | 256 bits |
//! | [`Avx512`] | those and AVX-512 F, BW, CD, DQ, VL | 512 bits |
//!
//! The crate is empty on other architectures.
#![no_std]
#![cfg(target_arch = "x86_64")]

mod avx2;
mod avx512;
mod doubles;
mod floats;
mod integers;

pub use avx2::Avx2;
pub use avx512::Avx512;
