//! The floating-point unit of the simulated system as an instruction set of `falcon_core`.

use crate::platform::{map, read, store};
use core::ops::{Add, Mul, Neg, Sub};
use falcon_core::seams::lanes::{
    Baseline, Double, F64s, Isa, Register, Soft, SoftDouble, Two, register_of,
};
use falcon_core::seams::sampler::{SampledDouble, Serial};

/// Returns the number of operations since the reset.
pub fn operations() -> u32 {
    read(map::FPU_OPERATIONS)
}

/// Stores the first operand. It stays until the next call.
#[inline(always)]
fn store_a(a: FpuDouble) {
    let bits = a.0.to_bits();
    store(map::FPU_A_LOW, bits as u32);
    store(map::FPU_A_HIGH, (bits >> 32) as u32);
}

/// Computes with the first operand and `b`. `operation` is an address.
#[inline(always)]
fn compute(operation: usize, b: FpuDouble) -> FpuDouble {
    let bits = b.0.to_bits();
    store(map::FPU_B_LOW, bits as u32);
    store(operation, (bits >> 32) as u32);
    // The first read waits for the result.
    let low = u64::from(read(map::FPU_RESULT_LOW));
    FpuDouble(f64::from_bits(
        u64::from(read(map::FPU_RESULT_HIGH)) << 32 | low,
    ))
}

/// The instruction set [`Soft`] with sums, differences and products by the unit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fpu;

impl Isa for Fpu {
    type F64 = FpuDouble;
    type F64x2 = Two<FpuDouble>;
    type F64x4 = Two<Two<FpuDouble>>;
    type F64x8 = Two<Two<Two<FpuDouble>>>;
    const LONGEST_F64S: usize = 1;
    type F32x8 = <Soft as Isa>::F32x8;
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

/// A double whose sums, differences and products the unit computes. A [`SoftDouble`] does the rest.
#[derive(Clone, Copy, Debug)]
pub struct FpuDouble(f64);

impl FpuDouble {
    #[inline(always)]
    fn soft(self) -> SoftDouble {
        self.0.into()
    }
    #[inline(always)]
    fn of(x: SoftDouble) -> Self {
        Self(x.into())
    }
}

impl From<f64> for FpuDouble {
    #[inline(always)]
    fn from(x: f64) -> Self {
        Self(x)
    }
}

impl From<FpuDouble> for f64 {
    #[inline(always)]
    fn from(x: FpuDouble) -> f64 {
        x.0
    }
}

impl Add for FpuDouble {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        store_a(self);
        compute(map::FPU_ADD, b)
    }
}

impl Sub for FpuDouble {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        store_a(self);
        compute(map::FPU_SUB, b)
    }
}

impl Mul for FpuDouble {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        store_a(self);
        compute(map::FPU_MUL, b)
    }
}

impl Neg for FpuDouble {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::of(-self.soft())
    }
}

impl<I: Isa> Register<I> for FpuDouble {
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

impl<I: Isa> F64s<I> for FpuDouble {
    #[inline(always)]
    fn cycle(_: I, x: &[f64]) -> Self {
        Self(x[0])
    }
    #[inline(always)]
    fn half(self) -> Self {
        Self::of(F64s::<I>::half(self.soft()))
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        Self::of(F64s::<I>::inverse(self.soft()))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self::of(F64s::<I>::floor(self.soft()))
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
        store_a(self);
        [compute(map::FPU_ADD, b), compute(map::FPU_SUB, b)]
    }
    #[inline(always)]
    fn complex_mul(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        store_a(a[0]);
        let [re, im] = b.map(|b| compute(map::FPU_MUL, b));
        store_a(a[1]);
        let [im_re, re_im] = b.map(|b| compute(map::FPU_MUL, b));
        [re - re_im, im + im_re]
    }
    #[inline(always)]
    fn complex_mul_conj(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        <Self as F64s<I>>::complex_mul(a, [b[0], -b[1]])
    }
}

impl SampledDouble for FpuDouble {
    type Sampling<I: Isa> = Serial<Self>;

    #[inline(always)]
    fn sampling<I: Isa>(_: I) -> Serial<Self> {
        Serial::new()
    }
}

impl Double for FpuDouble {
    const HARDWARE: bool = false;

    #[inline(always)]
    fn from_i64(x: i64) -> Self {
        Self::of(SoftDouble::from_i64(x))
    }
    #[inline(always)]
    fn square_root(self) -> Self {
        Self::of(self.soft().square_root())
    }
    #[inline(always)]
    fn rint(self) -> i64 {
        self.soft().rint()
    }
    #[inline(always)]
    fn truncate(self) -> i64 {
        self.soft().truncate()
    }
    #[inline(always)]
    fn below(self, b: Self) -> u64 {
        self.soft().below(b.soft())
    }
}
