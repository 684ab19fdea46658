//! Registers made of two: compares an instruction set that has only such registers with arrays.
//!
//! Only its registers of doubles differ from those of [`Baseline`]. The other kinds of operations
//! would be compared with themselves, except `rows` and `methods`, which compare the portable
//! operations with their definitions.

#[macro_use]
#[allow(dead_code, reason = "some kinds are not compared")]
mod operations;

use falcon_lanes::{Baseline, Isa, Pack, Two};

/// An instruction set in which each register of doubles is two shorter ones.
#[derive(Clone, Copy, Debug)]
struct Pairs;

impl Isa for Pairs {
    type F64 = f64;
    type F64x2 = Two<f64>;
    type F64x4 = Two<Two<f64>>;
    type F64x8 = Two<Pack<4>>;
    const LONGEST_F64S: usize = 8;
    type F32x8 = <Baseline as Isa>::F32x8;
    type U64s = u64;
    type OneU64 = u64;
    type U32s = u32;
    type I16s = i16;
    type LookUps = Baseline;

    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
}

compare_with_baseline!(pairs, Some(Pairs); doubles polynomials rows methods);
