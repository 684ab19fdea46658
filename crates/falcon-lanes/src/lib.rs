#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod bytes;
mod compare_bytes;
mod doubles;
mod floats;
mod integers;
mod isa;
mod kept;
mod lanes;
mod look_up;
mod masks;
mod register;
mod set_bits;
mod wipe;

pub use bytes::{
    Bytes, BytesKernel, Member, bytes_of_planes, planes_of_bytes, transpose_bits, transpose_bytes,
};
#[doc(hidden)]
pub use compare_bytes::compare_bytes_with_baseline;
pub use doubles::{F64s, Pack, ROUNDER, Two};
pub use floats::{F32x8, PackF32};
pub use integers::{I16s, Ordered, U32s, U64s, mul_high};
#[doc(hidden)]
pub use isa::check_look_up;
pub use isa::{Baseline, ByteTable, Isa, tail};
pub use kept::{KEPT, keep_by_eights};
pub use lanes::{Lanes, Lines, Many};
pub use look_up::{LookUps, Table};
pub use masks::Masks;
pub use register::Register;
pub use wipe::wipe;
