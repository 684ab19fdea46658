//! Registers and instruction sets behind one seam, for code that gives the
//! same bits on all of them.
//!
//! An [instruction set](Isa) is a zero-sized token, a proof that this processor
//! has some features. With it a register is loaded; the register's value is a
//! proof in turn, so its operations need no token:
//!
//! ```
//! use falcon_lanes::{Baseline, F64s, Isa, Register};
//!
//! fn mean<I: Isa>(isa: I, x: &[f64; 8], y: &[f64; 8]) -> [f64; 8] {
//!     let mut out = [0.0; 8];
//!     let sides = I::F64x4::chunks(x).iter().zip(I::F64x4::chunks(y));
//!     for ((x, y), out) in sides.zip(I::F64x4::chunks_mut(&mut out)) {
//!         let (x, y) = (I::F64x4::load(isa, x), I::F64x4::load(isa, y));
//!         (x + y).half().store(out);
//!     }
//!     out
//! }
//!
//! assert_eq!(mean(Baseline, &[1.0; 8], &[2.0; 8]), [1.5; 8]);
//! ```
//!
//! | trait | what implements it |
//! |---|---|
//! | [`Isa`] | an instruction set: its registers, and the frame in which code is compiled for it |
//! | [`Register`] | a register: loaded, stored, the same value in every lane |
//! | [`F64s`], [`F32x8`] | the operations of registers of floating-point numbers |
//! | [`U64s`], [`U32s`], [`I16s`] | the operations of registers of integers |
//! | [`Lanes`] | how polynomials lie in registers: an instruction set works on one, [`Many`] on `N` side by side |
//!
//! Every operation on doubles rounds to nearest, ties to even, once; there is
//! no fused multiply-add on purpose. So a formula gives the same bits on every
//! instruction set, which is what makes each an oracle for the others.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod doubles;
mod floats;
mod integers;
mod isa;
mod lanes;
mod register;
mod wipe;

pub use doubles::{F64s, Pack, ROUNDER, Two};
pub use floats::{F32x8, PackF32};
pub use integers::{I16s, U32s, U64s, mul_high};
pub use isa::{Baseline, ByteTable, Isa, tail};
pub use lanes::{Lanes, Many};
pub use register::Register;
pub use wipe::wipe;
