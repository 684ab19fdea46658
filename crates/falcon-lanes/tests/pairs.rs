//! Registers made of two: an instruction set of nothing else, compared with arrays.

#[macro_use]
mod operations;

use falcon_lanes::{Baseline, Isa, Pack, Two};

/// Registers of doubles are two shorter ones each.
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

compare_with_baseline!(pairs, Some(Pairs));
