//! A register token and an instruction set, together.

use super::{Binary64, Isa, Lanes};
use crate::sampler::Windows;

/// The token `L` in the frame of an instruction set.
#[derive(Clone, Copy, Debug, Default)]
pub struct On<I, L>(pub I, pub L);

impl<I: Isa, L: Lanes> Lanes for On<I, L> {
    const N: usize = L::N;
    type F = L::F;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.0.vectorize(kernel)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> L::F {
        self.1.splat(x)
    }
    #[inline(always)]
    fn get(self, x: &L::F, i: usize) -> f64 {
        self.1.get(x, i)
    }
    #[inline(always)]
    fn set(self, x: &mut L::F, i: usize, value: f64) {
        self.1.set(x, i, value);
    }
    #[inline(always)]
    fn add(self, a: L::F, b: L::F) -> L::F {
        self.1.add(a, b)
    }
    #[inline(always)]
    fn sub(self, a: L::F, b: L::F) -> L::F {
        self.1.sub(a, b)
    }
    #[inline(always)]
    fn mul(self, a: L::F, b: L::F) -> L::F {
        self.1.mul(a, b)
    }
    #[inline(always)]
    fn neg(self, a: L::F) -> L::F {
        self.1.neg(a)
    }
    #[inline(always)]
    fn half(self, a: L::F) -> L::F {
        self.1.half(a)
    }
    #[inline(always)]
    fn floor(self, a: L::F) -> L::F {
        self.1.floor(a)
    }
}

/// Expands keys and signs one message at a time with the sampler in windows.
impl<I: Isa, L: Binary64> Binary64 for On<I, L> {
    const HARDWARE: bool = L::HARDWARE;
    type Isa = I;
    type Sampling = Windows<I>;

    #[inline(always)]
    fn isa(self) -> I {
        self.0
    }
    #[inline(always)]
    fn sampling(self) -> Windows<I> {
        Windows(self.0)
    }
    #[inline(always)]
    fn div(self, a: f64, b: f64) -> f64 {
        self.1.div(a, b)
    }
    #[inline(always)]
    fn sqrt(self, a: f64) -> f64 {
        self.1.sqrt(a)
    }
    #[inline(always)]
    fn float(self, x: i64) -> f64 {
        self.1.float(x)
    }
    #[inline(always)]
    fn rint(self, a: f64) -> i64 {
        self.1.rint(a)
    }
    #[inline(always)]
    fn trunc(self, a: f64) -> i64 {
        self.1.trunc(a)
    }
    #[inline(always)]
    fn lt(self, a: f64, b: f64) -> u64 {
        self.1.lt(a, b)
    }
}
