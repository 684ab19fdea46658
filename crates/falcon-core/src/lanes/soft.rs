//! One lane on integers alone.

use super::{Baseline, Binary64, Lanes, Singles};
use crate::fpr::soft;
use crate::sampler::Serial;

/// One lane of binary64 computed with integer instructions, in constant time.
///
/// Values are still stored as `f64`; only their bits are ever used, so no
/// floating-point instruction is executed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soft;

#[inline(always)]
fn binary(op: impl FnOnce(u64, u64) -> u64, a: f64, b: f64) -> f64 {
    f64::from_bits(op(a.to_bits(), b.to_bits()))
}

impl Lanes for Soft {
    const N: usize = 1;
    type F = f64;
    type Runs = Singles;

    #[inline(always)]
    fn splat(self, x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn get(self, x: &f64, _: usize) -> f64 {
        *x
    }
    #[inline(always)]
    fn set(self, x: &mut f64, _: usize, value: f64) {
        *x = value;
    }
    #[inline(always)]
    fn add(self, a: f64, b: f64) -> f64 {
        binary(soft::add, a, b)
    }
    #[inline(always)]
    fn sub(self, a: f64, b: f64) -> f64 {
        binary(soft::sub, a, b)
    }
    #[inline(always)]
    fn add_sub(self, a: f64, b: f64) -> (f64, f64) {
        let (sum, difference) = soft::add_sub(a.to_bits(), b.to_bits());
        (f64::from_bits(sum), f64::from_bits(difference))
    }
    #[inline(always)]
    fn mul(self, a: f64, b: f64) -> f64 {
        binary(soft::mul, a, b)
    }
    #[inline(always)]
    fn complex_mul(self, a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let bits = |z: (f64, f64)| [z.0.to_bits(), z.1.to_bits()];
        let [re, im] = soft::complex_mul(bits(a), bits(b)).map(f64::from_bits);
        (re, im)
    }
    #[inline(always)]
    fn complex_mul_conj(self, a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        self.complex_mul(a, (b.0, self.neg(b.1)))
    }
    #[inline(always)]
    fn neg(self, a: f64) -> f64 {
        f64::from_bits(soft::neg(a.to_bits()))
    }
    #[inline(always)]
    fn half(self, a: f64) -> f64 {
        f64::from_bits(soft::half(a.to_bits()))
    }
    #[inline(always)]
    fn inverse(self, a: f64) -> f64 {
        binary(soft::div, 1.0, a)
    }
    #[inline(always)]
    fn floor(self, a: f64) -> f64 {
        self.float(soft::floor(a.to_bits()))
    }
}

impl Binary64 for Soft {
    const HARDWARE: bool = false;
    type Isa = Baseline;
    type Sampling = Serial<Self>;

    #[inline(always)]
    fn isa(self) -> Baseline {
        Baseline
    }
    #[inline(always)]
    fn sampling(self) -> Serial<Self> {
        Serial(self)
    }

    #[inline(always)]
    fn sqrt(self, a: f64) -> f64 {
        f64::from_bits(soft::sqrt(a.to_bits()))
    }
    #[inline(always)]
    fn float(self, x: i64) -> f64 {
        f64::from_bits(soft::from_i64(x))
    }
    #[inline(always)]
    fn rint(self, a: f64) -> i64 {
        soft::rint(a.to_bits())
    }
    #[inline(always)]
    fn trunc(self, a: f64) -> i64 {
        soft::trunc(a.to_bits())
    }
    #[inline(always)]
    fn lt(self, a: f64, b: f64) -> u64 {
        soft::lt_mask(a.to_bits(), b.to_bits())
    }
}
