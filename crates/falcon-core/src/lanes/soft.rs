//! Doubles on integers alone.

use super::{Baseline, Double, F64s, Isa, PackF32, Register, Two, register_of};
use crate::fpr::soft;
use core::ops::{Add, Mul, Neg, Sub};

/// The instruction set [`Baseline`] without a binary64 unit. Its doubles are [`SoftDouble`]s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soft;

impl Isa for Soft {
    type F64 = SoftDouble;
    type F64x2 = Two<SoftDouble>;
    type F64x4 = Two<Two<SoftDouble>>;
    type F64x8 = Two<Two<Two<SoftDouble>>>;
    const LONGEST_F64S: usize = 1;
    type F32x8 = PackF32;
    type U64s = u64;
    type OneU64 = u64;
    type U32s = u32;
    type I16s = i16;
    type LookUps = Baseline;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
}

/// A double computed with integer instructions, in constant time.
///
/// It is stored as `f64`, but only its bits are used, so no floating-point instruction is executed.
#[derive(Clone, Copy, Debug)]
pub struct SoftDouble(f64);

impl SoftDouble {
    #[inline(always)]
    fn bits(self) -> u64 {
        self.0.to_bits()
    }
    #[inline(always)]
    fn of(bits: u64) -> Self {
        Self(f64::from_bits(bits))
    }
}

impl From<f64> for SoftDouble {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self(x)
    }
}

impl From<SoftDouble> for f64 {
    #[inline(always)]
    fn from(x: SoftDouble) -> f64 {
        x.0
    }
}

impl Add for SoftDouble {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self::of(soft::add(self.bits(), b.bits()))
    }
}

impl Sub for SoftDouble {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self::of(soft::sub(self.bits(), b.bits()))
    }
}

impl Mul for SoftDouble {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self::of(soft::mul(self.bits(), b.bits()))
    }
}

impl Neg for SoftDouble {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(soft::neg(self.bits()))
    }
}

impl<I: Isa> Register<I> for SoftDouble {
    type Value = f64;
    register_of!(1);

    #[inline(always)]
    fn load(_: I, &[x]: &[f64; 1]) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn splat(_: I, x: f64) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn store(self, out: &mut [f64; 1]) {
        *out = [self.0];
    }
}

impl<I: Isa> F64s<I> for SoftDouble {
    #[inline(always)]
    fn cycle(_: I, x: &[f64]) -> Self {
        Self(x[0])
    }
    #[inline(always)]
    fn half(self) -> Self {
        Self::of(soft::half(self.bits()))
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        Self::of(soft::div(1f64.to_bits(), self.bits()))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self::from_i64(soft::floor(self.bits()))
    }
    #[inline(always)]
    fn zip(self, y: Self) -> [Self; 2] {
        [self, y]
    }
    #[inline(always)]
    fn unzip(self, y: Self) -> [Self; 2] {
        [self, y]
    }
    #[inline(always)]
    fn add_sub(self, b: Self) -> [Self; 2] {
        let (sum, difference) = soft::add_sub(self.bits(), b.bits());
        [Self::of(sum), Self::of(difference)]
    }
    #[inline(always)]
    fn complex_mul(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        let bits = |z: [Self; 2]| [z[0].bits(), z[1].bits()];
        let [re, im] = soft::complex_mul(bits(a), bits(b));
        [Self::of(re), Self::of(im)]
    }
    #[inline(always)]
    fn complex_mul_conj(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        <Self as F64s<I>>::complex_mul(a, [b[0], -b[1]])
    }
}

impl Double for SoftDouble {
    const HARDWARE: bool = false;

    #[inline(always)]
    fn from_i64(x: i64) -> Self {
        Self::of(soft::from_i64(x))
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        Self::of(soft::sqrt(self.bits()))
    }
    #[inline(always)]
    fn rint(self) -> i64 {
        soft::rint(self.bits())
    }
    #[inline(always)]
    fn truncate(self) -> i64 {
        soft::trunc(self.bits())
    }
    #[inline(always)]
    fn below(self, b: Self) -> u64 {
        soft::lt_mask(self.bits(), b.bits())
    }
}
