#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod keccak;
#[cfg(any(target_arch = "aarch64", test))]
mod lazy;
mod shake;
mod side_by_side;
mod single;

pub use shake::{
    Blocks, Customization, Keccak256, RATE, RATE_WORDS, Shake256, Shake256Reader, Start,
};
pub use side_by_side::{Message, hash_side_by_side, hash_side_by_side_from, read_side_by_side};
pub use single::{Permutation, permute_state};
