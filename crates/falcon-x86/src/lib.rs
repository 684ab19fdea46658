#![doc = include_str!("../README.md")]
#![no_std]
#![cfg(target_arch = "x86_64")]

mod avx2;
mod avx512;
mod bytes;
mod compare;
mod doubles;
mod floats;
mod integers;
mod look_up;

pub use avx2::Avx2;
pub use avx512::Avx512;
pub use bytes::Avx512Gfni;
#[cfg(target_feature = "sse2")]
pub use doubles::square_root;
pub use look_up::Avx512Vbmi;
