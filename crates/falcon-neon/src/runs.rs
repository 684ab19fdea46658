//! Neighbours of a polynomial in registers.

use crate::{Neon, NeonSha3};
use core::arch::aarch64::*;
use falcon_lanes::{Across, Isa, Run, Runs, Two};

/// An instruction set with NEON.
pub trait HasNeon: Isa {}
impl HasNeon for Neon {}
impl HasNeon for NeonSha3 {}

impl Runs<Across<Neon>> for Neon {
    type X2 = X2;
    type X4 = Two<X2>;
    type X8 = Two<Two<X2>>;
}

impl Runs<Across<NeonSha3>> for NeonSha3 {
    type X2 = X2;
    type X4 = Two<X2>;
    type X8 = Two<Two<X2>>;
}

/// Two neighbours.
#[derive(Clone, Copy, Debug)]
pub struct X2(float64x2_t);

// SAFETY, of every block below: the target has NEON, and loads and stores are
// from and to arrays of two.
impl<I: HasNeon> Run<Across<I>> for X2 {
    const LEN: usize = 2;
    type Of<T: 'static> = [T; 2];

    #[inline(always)]
    fn chunks<T: 'static>(x: &[T]) -> &[[T; 2]] {
        x.as_chunks().0
    }
    #[inline(always)]
    fn chunks_mut<T: 'static>(x: &mut [T]) -> &mut [[T; 2]] {
        x.as_chunks_mut().0
    }
    #[inline(always)]
    fn load(_: Across<I>, x: &[f64; 2]) -> Self {
        // SAFETY: see above.
        Self(unsafe { vld1q_f64(x.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, _: Across<I>, out: &mut [f64; 2]) {
        // SAFETY: see above.
        unsafe { vst1q_f64(out.as_mut_ptr(), self.0) };
    }
    #[inline(always)]
    fn shared(l: Across<I>, x: &[f64; 2]) -> Self {
        Self::load(l, x)
    }
    #[inline(always)]
    fn cycle(l: Across<I>, x: &[f64]) -> Self {
        match x.first_chunk() {
            Some(x) => Self::load(l, x),
            // SAFETY: see above.
            None => Self(unsafe { vdupq_n_f64(x[0]) }),
        }
    }
    #[inline(always)]
    fn add(self, _: Across<I>, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vaddq_f64(self.0, other.0) })
    }
    #[inline(always)]
    fn sub(self, _: Across<I>, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vsubq_f64(self.0, other.0) })
    }
    #[inline(always)]
    fn mul(self, _: Across<I>, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { vmulq_f64(self.0, other.0) })
    }
    #[inline(always)]
    fn neg(self, _: Across<I>) -> Self {
        // SAFETY: see above.
        Self(unsafe { vnegq_f64(self.0) })
    }
    #[inline(always)]
    fn half(self, _: Across<I>) -> Self {
        // SAFETY: see above.
        Self(unsafe { vmulq_n_f64(self.0, 0.5) })
    }
    #[inline(always)]
    fn inverse(self, _: Across<I>) -> Self {
        // SAFETY: see above.
        Self(unsafe { vdivq_f64(vdupq_n_f64(1.0), self.0) })
    }
    #[inline(always)]
    fn floor(self, _: Across<I>) -> Self {
        // The addition makes zero positive.
        // SAFETY: see above.
        Self(unsafe { vaddq_f64(vrndmq_f64(self.0), vdupq_n_f64(0.0)) })
    }
    #[inline(always)]
    fn zip(_: Across<I>, x: Self, y: Self) -> [Self; 2] {
        // SAFETY: see above.
        unsafe { [Self(vzip1q_f64(x.0, y.0)), Self(vzip2q_f64(x.0, y.0))] }
    }
    #[inline(always)]
    fn unzip(_: Across<I>, x: Self, y: Self) -> [Self; 2] {
        // SAFETY: see above.
        unsafe { [Self(vuzp1q_f64(x.0, y.0)), Self(vuzp2q_f64(x.0, y.0))] }
    }
}
