//! One signature across the registers of an instruction set.

use crate::{Isa, Lanes, Scalar};

/// One lane, whose polynomials are worked on in runs of neighbours: expands
/// keys and signs one message at a time, with the sampler in windows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Across<I>(pub I);

impl<I: Isa> Lanes for Across<I> {
    const N: usize = 1;
    type F = f64;
    type Runs = I::Runs;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.0.vectorize(kernel)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> f64 {
        Scalar.splat(x)
    }
    #[inline(always)]
    fn get(self, x: &f64, i: usize) -> f64 {
        Scalar.get(x, i)
    }
    #[inline(always)]
    fn set(self, x: &mut f64, i: usize, value: f64) {
        Scalar.set(x, i, value);
    }
    #[inline(always)]
    fn add(self, a: f64, b: f64) -> f64 {
        Scalar.add(a, b)
    }
    #[inline(always)]
    fn sub(self, a: f64, b: f64) -> f64 {
        Scalar.sub(a, b)
    }
    #[inline(always)]
    fn mul(self, a: f64, b: f64) -> f64 {
        Scalar.mul(a, b)
    }
    #[inline(always)]
    fn neg(self, a: f64) -> f64 {
        Scalar.neg(a)
    }
    #[inline(always)]
    fn half(self, a: f64) -> f64 {
        Scalar.half(a)
    }
    #[inline(always)]
    fn inverse(self, a: f64) -> f64 {
        Scalar.inverse(a)
    }
    #[inline(always)]
    fn floor(self, a: f64) -> f64 {
        Scalar.floor(a)
    }
}
