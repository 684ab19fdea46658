//! Registers of doubles.

use crate::{Isa, Register, register_of};
use core::array;
use core::ops::{Add, Mul, Neg, Sub};
use zeroize::DefaultIsZeroes;

/// Doubles in a register of `I`.
pub trait F64s<I: Copy>:
    Register<I, Value = f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// Loads as [`load`](Register::load) does, from memory that was just written in two halves.
    /// Processors wait for both stores if one load spans them.
    #[inline(always)]
    fn load_halves(isa: I, x: &Self::Of<f64>) -> Self {
        Self::load(isa, x)
    }
    /// Repeats the values of `x` over the lanes. `x` has a power of two of them, at most
    /// [`LEN`](Register::LEN).
    fn cycle(isa: I, x: &[f64]) -> Self;

    /// `self / 2`, which is exact.
    fn half(self) -> Self;
    /// `1 / self`, rounded to nearest.
    fn inverse(self) -> Self;
    /// Largest integers `<= self`, for `|self| < 2^51`. A zero has either sign.
    fn floor(self) -> Self;

    /// `x0 y0 x1 y1 ...` of `self` and `y`, as two registers.
    fn zip(self, y: Self) -> [Self; 2];
    /// Concatenates `self` and `y`; returns the even-indexed values, then the
    /// odd-indexed ones. The inverse of [`zip`](Self::zip).
    fn unzip(self, y: Self) -> [Self; 2];

    /// Stores `self` and `y` in the order of [`zip`](Self::zip).
    #[inline(always)]
    fn store_zipped(self, y: Self, out: &mut [Self::Of<f64>; 2]) {
        let [a, b] = self.zip(y);
        a.store(&mut out[0]);
        b.store(&mut out[1]);
    }
    /// Loads two registers and returns their [`unzip`](Self::unzip).
    #[inline(always)]
    fn load_unzipped(isa: I, [a, b]: &[Self::Of<f64>; 2]) -> [Self; 2] {
        Self::load(isa, a).unzip(Self::load(isa, b))
    }

    /// Cuts blocks of values in two. `self` holds the first halves of `blocks` blocks and `y` the
    /// second halves, each value at the place of its partner. The result holds `2 * blocks` blocks
    /// in the same way. `blocks` is a power of two below [`LEN`](Register::LEN).
    ///
    /// Each register chooses where its blocks lie. Two rules hold: one block of two registers lies
    /// in order, and [`LEN`](Register::LEN) blocks of two values lie as [`unzip`](Self::unzip)
    /// leaves them.
    #[inline(always)]
    fn cut_blocks(self, y: Self, blocks: usize) -> [Self; 2] {
        let _ = blocks;
        self.zip(y)
    }
    /// Joins `2 * blocks` blocks to `blocks`: the inverse of [`cut_blocks`](Self::cut_blocks).
    #[inline(always)]
    fn join_blocks(self, y: Self, blocks: usize) -> [Self; 2] {
        let _ = blocks;
        self.unzip(y)
    }
    /// Returns one value of `x` for each block of [`cut_blocks`](Self::cut_blocks), at the places
    /// of that block. The number of values in `x` is a power of two, at most
    /// [`LEN`](Register::LEN).
    #[inline(always)]
    fn per_block(isa: I, x: &[f64]) -> Self {
        Self::cycle(isa, x)
    }

    /// `[self + b, self - b]`, the end of every butterfly. Integer arithmetic aligns the operands
    /// only once for both results.
    #[inline(always)]
    fn add_sub(self, b: Self) -> [Self; 2] {
        [self + b, self - b]
    }
    /// `a * b` for complex numbers (real part, imaginary part): four products,
    /// then one difference and one sum.
    #[inline(always)]
    fn complex_mul(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
    }
    /// Computes `a * conj(b)` for complex numbers (real part, imaginary part), with four products,
    /// one sum and one difference.
    #[inline(always)]
    fn complex_mul_conj(a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        [a[0] * b[0] + a[1] * b[1], a[1] * b[0] - a[0] * b[1]]
    }
}

/// `2^52 + 2^51`. Adding this number to `|x| < 2^51` leaves the nearest integer in the low mantissa
/// bits, by the unit's own rounding and without a branch.
pub const ROUNDER: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn floor(a: f64) -> f64 {
    // `nearest` is exact, since |a| < 2^51. The comparison tells whether it was rounded up.
    let nearest = a + ROUNDER - ROUNDER;
    if a < nearest { nearest - 1.0 } else { nearest }
}

impl<I: Isa> F64s<I> for f64 {
    #[inline(always)]
    fn cycle(_: I, x: &[f64]) -> f64 {
        x[0]
    }
    #[inline(always)]
    fn half(self) -> f64 {
        self * 0.5
    }
    #[inline(always)]
    fn inverse(self) -> f64 {
        1.0 / self
    }
    #[inline(always)]
    fn floor(self) -> f64 {
        floor(self)
    }
    #[inline(always)]
    fn zip(self, y: f64) -> [f64; 2] {
        [self, y]
    }
    #[inline(always)]
    fn unzip(self, y: f64) -> [f64; 2] {
        [self, y]
    }
}

/// `N` doubles in an array. Compilers vectorise element-wise loops over the array as long as the
/// formulas are short. In memory, a `Pack` holds the coefficients of up to four polynomials; see
/// [`Lines`](crate::Lines).
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Pack<const N: usize>(pub [f64; N]);

impl<const N: usize> Default for Pack<N> {
    #[inline(always)]
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> DefaultIsZeroes for Pack<N> {}

impl<const N: usize> Add for Pack<N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(array::from_fn(|i| self.0[i] + b.0[i]))
    }
}

impl<const N: usize> Sub for Pack<N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(array::from_fn(|i| self.0[i] - b.0[i]))
    }
}

impl<const N: usize> Mul for Pack<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(array::from_fn(|i| self.0[i] * b.0[i]))
    }
}

impl<const N: usize> Neg for Pack<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(array::from_fn(|i| -self.0[i]))
    }
}

impl<I: Isa, const N: usize> Register<I> for Pack<N> {
    type Value = f64;
    register_of!(N);

    #[inline(always)]
    fn load(_: I, x: &[f64; N]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn splat(_: I, x: f64) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn store(self, out: &mut [f64; N]) {
        *out = self.0;
    }
}

impl<I: Isa, const N: usize> F64s<I> for Pack<N> {
    #[inline(always)]
    fn cycle(_: I, x: &[f64]) -> Self {
        Self(array::from_fn(|i| x[i % x.len()]))
    }
    #[inline(always)]
    fn half(self) -> Self {
        Self(array::from_fn(|i| self.0[i] * 0.5))
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        Self(array::from_fn(|i| 1.0 / self.0[i]))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(array::from_fn(|i| floor(self.0[i])))
    }
    #[inline(always)]
    fn zip(self, y: Self) -> [Self; 2] {
        let value = |i: usize| if i.is_multiple_of(2) { self } else { y }.0[i / 2];
        [
            Self(array::from_fn(value)),
            Self(array::from_fn(|i| value(N + i))),
        ]
    }
    #[inline(always)]
    fn unzip(self, y: Self) -> [Self; 2] {
        let value = |i: usize| if i < N { self } else { y }.0[i % N];
        [
            Self(array::from_fn(|i| value(2 * i))),
            Self(array::from_fn(|i| value(2 * i + 1))),
        ]
    }
}

/// Two registers, one after the other. Instruction sets with narrow registers use pairs as longer
/// registers.
#[derive(Clone, Copy, Debug)]
pub struct Two<R>(R, R);

impl<R: Add<Output = R>> Add for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self(self.0 + b.0, self.1 + b.1)
    }
}

impl<R: Sub<Output = R>> Sub for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Self(self.0 - b.0, self.1 - b.1)
    }
}

impl<R: Mul<Output = R>> Mul for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Self(self.0 * b.0, self.1 * b.1)
    }
}

impl<R: Neg<Output = R>> Neg for Two<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<I: Copy, R: Register<I>> Register<I> for Two<R> {
    type Value = R::Value;
    const LEN: usize = 2 * R::LEN;
    type Of<T: 'static> = [R::Of<T>; 2];

    #[inline(always)]
    fn chunks<T: 'static>(x: &[T]) -> &[[R::Of<T>; 2]] {
        R::chunks(x).as_chunks().0
    }
    #[inline(always)]
    fn chunks_mut<T: 'static>(x: &mut [T]) -> &mut [[R::Of<T>; 2]] {
        R::chunks_mut(x).as_chunks_mut().0
    }
    #[inline(always)]
    fn load(isa: I, [a, b]: &Self::Of<R::Value>) -> Self {
        Self(R::load(isa, a), R::load(isa, b))
    }
    #[inline(always)]
    fn splat(isa: I, x: R::Value) -> Self {
        let r = R::splat(isa, x);
        Self(r, r)
    }
    #[inline(always)]
    fn store(self, [a, b]: &mut Self::Of<R::Value>) {
        self.0.store(a);
        self.1.store(b);
    }
}

impl<I: Copy, R: F64s<I>> F64s<I> for Two<R> {
    #[inline(always)]
    fn cycle(isa: I, x: &[f64]) -> Self {
        let (a, b) = x.split_at(x.len().min(R::LEN));
        let a = R::cycle(isa, a);
        Self(a, if b.is_empty() { a } else { R::cycle(isa, b) })
    }
    #[inline(always)]
    fn half(self) -> Self {
        Self(self.0.half(), self.1.half())
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        Self(self.0.inverse(), self.1.inverse())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(self.0.floor(), self.1.floor())
    }
    #[inline(always)]
    fn zip(self, y: Self) -> [Self; 2] {
        let ([a, b], [c, d]) = (self.0.zip(y.0), self.1.zip(y.1));
        [Self(a, b), Self(c, d)]
    }
    #[inline(always)]
    fn unzip(self, y: Self) -> [Self; 2] {
        let ([a, c], [b, d]) = (self.0.unzip(self.1), y.0.unzip(y.1));
        [Self(a, b), Self(c, d)]
    }

    #[inline(always)]
    fn store_zipped(self, y: Self, out: &mut [Self::Of<f64>; 2]) {
        self.0.store_zipped(y.0, &mut out[0]);
        self.1.store_zipped(y.1, &mut out[1]);
    }
    #[inline(always)]
    fn load_unzipped(isa: I, x: &[Self::Of<f64>; 2]) -> [Self; 2] {
        let [a, c] = R::load_unzipped(isa, &x[0]);
        let [b, d] = R::load_unzipped(isa, &x[1]);
        [Self(a, b), Self(c, d)]
    }

    // If there are two blocks or more, the first half lies in the first registers. So the first cut
    // moves nothing.
    #[inline(always)]
    fn cut_blocks(self, y: Self, blocks: usize) -> [Self; 2] {
        if blocks == 1 {
            return [Self(self.0, y.0), Self(self.1, y.1)];
        }
        let [a, b] = self.0.cut_blocks(y.0, blocks / 2);
        let [c, d] = self.1.cut_blocks(y.1, blocks / 2);
        [Self(a, c), Self(b, d)]
    }
    #[inline(always)]
    fn join_blocks(self, y: Self, blocks: usize) -> [Self; 2] {
        if blocks == 1 {
            return [Self(self.0, y.0), Self(self.1, y.1)];
        }
        let [a, b] = self.0.join_blocks(y.0, blocks / 2);
        let [c, d] = self.1.join_blocks(y.1, blocks / 2);
        [Self(a, c), Self(b, d)]
    }
    #[inline(always)]
    fn per_block(isa: I, x: &[f64]) -> Self {
        if x.len() == 1 {
            return Self::cycle(isa, x);
        }
        let (a, b) = x.split_at(x.len() / 2);
        Self(R::per_block(isa, a), R::per_block(isa, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Baseline;
    use std::vec::Vec;

    fn stored<R: F64s<Baseline>>(registers: [R; 2]) -> Vec<f64> {
        let mut out = std::vec![0.0; 2 * R::LEN];
        for (register, out) in registers.into_iter().zip(R::chunks_mut(&mut out)) {
            register.store(out);
        }
        out
    }

    fn places<R: F64s<Baseline>>() {
        let x: Vec<f64> = (0..2 * R::LEN).map(|i| i as f64).collect();
        let chunks = R::chunks(&x);
        let a = R::load(Baseline, &chunks[0]);
        let b = R::load_halves(Baseline, &chunks[1]);
        let unzipped: Vec<f64> = (0..2 * R::LEN)
            .map(|i| ((2 * i) % (2 * R::LEN) + i / R::LEN) as f64)
            .collect();
        assert_eq!(stored(a.unzip(b)), unzipped);
        let [c, d] = a.unzip(b);
        assert_eq!(stored(c.zip(d)), x);
        let mut len = 1;
        while len <= R::LEN {
            let cycle = R::cycle(Baseline, &x[..len]);
            let expected: Vec<f64> = (0..R::LEN).map(|i| (i % len) as f64).collect();
            assert_eq!(stored([cycle, cycle])[..R::LEN], expected);
            len *= 2;
        }
        assert_eq!(
            stored([R::splat(Baseline, 7.0); 2]),
            std::vec![7.0; 2 * R::LEN]
        );
    }

    #[test]
    fn values_are_where_they_are_said_to_be() {
        places::<f64>();
        places::<Pack<1>>();
        places::<Pack<2>>();
        places::<Pack<8>>();
        places::<Two<f64>>();
        places::<Two<Pack<2>>>();
        places::<Two<Two<Two<f64>>>>();
    }
}
