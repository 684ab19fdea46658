//! `N` lanes as an array: the compiler vectorises element-wise loops over it.

use crate::{Lanes, Scalar, Singles};
use core::array;
use zeroize::DefaultIsZeroes;

/// `N` lanes of native binary64 in an array. Meant for `N` = 1, 2, 4, 8.
#[derive(Clone, Copy, Debug, Default)]
pub struct Portable<const N: usize>;

/// `N` binary64 values, one a lane.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Pack<const N: usize>(pub(crate) [f64; N]);

impl<const N: usize> Default for Pack<N> {
    #[inline(always)]
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> DefaultIsZeroes for Pack<N> {}

impl<const N: usize> Lanes for Portable<N> {
    const N: usize = N;
    type F = Pack<N>;
    type Runs = Singles;

    #[inline(always)]
    fn splat(self, x: f64) -> Pack<N> {
        Pack([x; N])
    }
    #[inline(always)]
    fn get(self, x: &Pack<N>, i: usize) -> f64 {
        x.0[i]
    }
    #[inline(always)]
    fn set(self, x: &mut Pack<N>, i: usize, value: f64) {
        x.0[i] = value;
    }
    #[inline(always)]
    fn add(self, a: Pack<N>, b: Pack<N>) -> Pack<N> {
        Pack(array::from_fn(|i| a.0[i] + b.0[i]))
    }
    #[inline(always)]
    fn sub(self, a: Pack<N>, b: Pack<N>) -> Pack<N> {
        Pack(array::from_fn(|i| a.0[i] - b.0[i]))
    }
    #[inline(always)]
    fn mul(self, a: Pack<N>, b: Pack<N>) -> Pack<N> {
        Pack(array::from_fn(|i| a.0[i] * b.0[i]))
    }
    #[inline(always)]
    fn neg(self, a: Pack<N>) -> Pack<N> {
        Pack(array::from_fn(|i| -a.0[i]))
    }
    #[inline(always)]
    fn half(self, a: Pack<N>) -> Pack<N> {
        Pack(array::from_fn(|i| a.0[i] * 0.5))
    }
    #[inline(always)]
    fn inverse(self, a: Pack<N>) -> Pack<N> {
        Pack(array::from_fn(|i| 1.0 / a.0[i]))
    }
    #[inline(always)]
    fn floor(self, a: Pack<N>) -> Pack<N> {
        Pack(array::from_fn(|i| Scalar.floor(a.0[i])))
    }
}
