//! Registers of doubles.

use core::arch::aarch64::*;
use core::ops::{Add, Mul, Neg, Sub};
use falcon_lanes::{F64s, Isa, Register, register_of};

/// An instruction set with NEON.
pub trait HasNeon: Isa {}

/// Two doubles.
#[derive(Clone, Copy, Debug)]
pub struct F64x2(float64x2_t);

impl<I: HasNeon> Register<I> for F64x2 {
    type Value = f64;
    register_of!(2);

    #[inline(always)]
    fn load(_: I, x: &[f64; 2]) -> Self {
        // SAFETY: the target has NEON; the array has two values.
        Self(unsafe { vld1q_f64(x.as_ptr()) })
    }
    #[inline(always)]
    fn splat(_: I, x: f64) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vdupq_n_f64(x) })
    }
    #[inline(always)]
    fn store(self, out: &mut [f64; 2]) {
        // SAFETY: the target has NEON; the array has two values.
        unsafe { vst1q_f64(out.as_mut_ptr(), self.0) };
    }
}

impl Add for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vaddq_f64(self.0, other.0) })
    }
}

impl Sub for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vsubq_f64(self.0, other.0) })
    }
}

impl Mul for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vmulq_f64(self.0, other.0) })
    }
}

impl Neg for F64x2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vnegq_f64(self.0) })
    }
}

impl<I: HasNeon> F64s<I> for F64x2 {
    #[inline(always)]
    fn cycle(isa: I, x: &[f64]) -> Self {
        match x.first_chunk() {
            Some(x) => Self::load(isa, x),
            None => Self::splat(isa, x[0]),
        }
    }
    #[inline(always)]
    fn half(self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vmulq_n_f64(self.0, 0.5) })
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vdivq_f64(vdupq_n_f64(1.0), self.0) })
    }
    #[inline(always)]
    fn floor(self) -> Self {
        // SAFETY: the target has NEON.
        Self(unsafe { vrndmq_f64(self.0) })
    }
    #[inline(always)]
    fn zip(self, y: Self) -> [Self; 2] {
        // SAFETY: the target has NEON.
        unsafe { [Self(vzip1q_f64(self.0, y.0)), Self(vzip2q_f64(self.0, y.0))] }
    }
    #[inline(always)]
    fn unzip(self, y: Self) -> [Self; 2] {
        // SAFETY: the target has NEON.
        unsafe { [Self(vuzp1q_f64(self.0, y.0)), Self(vuzp2q_f64(self.0, y.0))] }
    }
    #[inline(always)]
    fn store_zipped(self, y: Self, out: &mut [[f64; 2]; 2]) {
        // SAFETY: the target has NEON; the array has four values.
        unsafe {
            vst2q_f64(
                out.as_flattened_mut().as_mut_ptr(),
                float64x2x2_t(self.0, y.0),
            )
        };
    }
    #[inline(always)]
    fn load_unzipped(_: I, x: &[[f64; 2]; 2]) -> [Self; 2] {
        // SAFETY: the target has NEON; the array has four values.
        let float64x2x2_t(even, odd) = unsafe { vld2q_f64(x.as_flattened().as_ptr()) };
        [Self(even), Self(odd)]
    }
}
