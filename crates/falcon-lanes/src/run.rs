//! Runs: consecutive reals of a polynomial, in registers together.
//!
//! With one signature a lane, a run is one real of every lane ([`One`]). With
//! one signature alone ([`Across`](crate::Across)), it is a register, or
//! several, of neighbours in the polynomial. The formulas are the same, and so
//! are the bits: what differs is which elements meet in an instruction.

use crate::Lanes;

/// [`LEN`](Self::LEN) consecutive reals of a polynomial, in every lane of `L`.
pub trait Run<L: Lanes>: Copy {
    /// Number of reals: 1, 2, 4 or 8.
    const LEN: usize;
    /// An array of [`LEN`](Self::LEN) elements.
    type Of<T: 'static>: 'static;

    /// `x` cut into arrays, without what is left over.
    fn chunks<T: 'static>(x: &[T]) -> &[Self::Of<T>];
    /// [`chunks`](Self::chunks), to be written.
    fn chunks_mut<T: 'static>(x: &mut [T]) -> &mut [Self::Of<T>];

    /// The reals of `x`.
    fn load(l: L, x: &Self::Of<L::F>) -> Self;
    /// [`load`](Self::load) of reals that were stored in two halves just now:
    /// processors wait for both stores if one load spans them.
    #[inline(always)]
    fn load_halves(l: L, x: &Self::Of<L::F>) -> Self {
        Self::load(l, x)
    }
    /// Writes them to `out`.
    fn store(self, l: L, out: &mut Self::Of<L::F>);
    /// The reals of `x`, the same in every lane.
    fn shared(l: L, x: &Self::Of<f64>) -> Self;
    /// The reals of `x` over and over, the same in every lane; `x` has a power
    /// of two of them, at most [`LEN`](Self::LEN).
    fn cycle(l: L, x: &[f64]) -> Self;

    /// `self + other`.
    fn add(self, l: L, other: Self) -> Self;
    /// `self - other`.
    fn sub(self, l: L, other: Self) -> Self;
    /// `self * other`.
    fn mul(self, l: L, other: Self) -> Self;
    /// `-self`.
    fn neg(self, l: L) -> Self;
    /// `self / 2`, exact.
    fn half(self, l: L) -> Self;
    /// `1 / self`.
    fn inverse(self, l: L) -> Self;
    /// Largest integers `<= self`, for `|self| < 2^51`; zero is positive.
    fn floor(self, l: L) -> Self;

    /// `x0 y0 x1 y1 ...` of `x` and `y`, as two runs.
    fn zip(l: L, x: Self, y: Self) -> [Self; 2];
    /// Of the reals of `x`, then `y`: those at even places, those at odd ones.
    /// The inverse of [`zip`](Self::zip).
    fn unzip(l: L, x: Self, y: Self) -> [Self; 2];

    /// `[a + b, a - b]`; see [`Lanes::add_sub`].
    #[inline(always)]
    fn add_sub(l: L, a: Self, b: Self) -> [Self; 2] {
        [a.add(l, b), a.sub(l, b)]
    }
    /// `a * b` for complex numbers; see [`Lanes::complex_mul`].
    #[inline(always)]
    fn complex_mul(l: L, a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        [
            a[0].mul(l, b[0]).sub(l, a[1].mul(l, b[1])),
            a[0].mul(l, b[1]).add(l, a[1].mul(l, b[0])),
        ]
    }
    /// `a * conj(b)` for complex numbers; see [`Lanes::complex_mul_conj`].
    #[inline(always)]
    fn complex_mul_conj(l: L, a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        [
            a[0].mul(l, b[0]).add(l, a[1].mul(l, b[1])),
            a[1].mul(l, b[0]).sub(l, a[0].mul(l, b[1])),
        ]
    }
}

/// The runs of a token.
pub trait Runs<L: Lanes> {
    /// Two reals, or one.
    type X2: Run<L>;
    /// Four reals, or one.
    type X4: Run<L>;
    /// Eight reals, or one.
    type X8: Run<L>;
}

/// Runs of one real: the registers are full of lanes already.
#[derive(Clone, Copy, Debug)]
pub struct Singles;

impl<L: Lanes> Runs<L> for Singles {
    type X2 = One<L>;
    type X4 = One<L>;
    type X8 = One<L>;
}

/// One real of every lane.
#[derive(Clone, Copy, Debug)]
pub struct One<L: Lanes>(L::F);

impl<L: Lanes> Run<L> for One<L> {
    const LEN: usize = 1;
    type Of<T: 'static> = [T; 1];

    #[inline(always)]
    fn chunks<T: 'static>(x: &[T]) -> &[[T; 1]] {
        x.as_chunks().0
    }
    #[inline(always)]
    fn chunks_mut<T: 'static>(x: &mut [T]) -> &mut [[T; 1]] {
        x.as_chunks_mut().0
    }
    #[inline(always)]
    fn load(_: L, &[x]: &[L::F; 1]) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn store(self, _: L, out: &mut [L::F; 1]) {
        *out = [self.0];
    }
    #[inline(always)]
    fn shared(l: L, &[x]: &[f64; 1]) -> Self {
        Self(l.splat(x))
    }
    #[inline(always)]
    fn cycle(l: L, x: &[f64]) -> Self {
        Self(l.splat(x[0]))
    }
    #[inline(always)]
    fn add(self, l: L, other: Self) -> Self {
        Self(l.add(self.0, other.0))
    }
    #[inline(always)]
    fn sub(self, l: L, other: Self) -> Self {
        Self(l.sub(self.0, other.0))
    }
    #[inline(always)]
    fn mul(self, l: L, other: Self) -> Self {
        Self(l.mul(self.0, other.0))
    }
    #[inline(always)]
    fn neg(self, l: L) -> Self {
        Self(l.neg(self.0))
    }
    #[inline(always)]
    fn half(self, l: L) -> Self {
        Self(l.half(self.0))
    }
    #[inline(always)]
    fn inverse(self, l: L) -> Self {
        Self(l.inverse(self.0))
    }
    #[inline(always)]
    fn floor(self, l: L) -> Self {
        Self(l.floor(self.0))
    }
    #[inline(always)]
    fn zip(_: L, x: Self, y: Self) -> [Self; 2] {
        [x, y]
    }
    #[inline(always)]
    fn unzip(_: L, x: Self, y: Self) -> [Self; 2] {
        [x, y]
    }
    #[inline(always)]
    fn add_sub(l: L, a: Self, b: Self) -> [Self; 2] {
        let (sum, difference) = l.add_sub(a.0, b.0);
        [Self(sum), Self(difference)]
    }
    #[inline(always)]
    fn complex_mul(l: L, a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        let (re, im) = l.complex_mul((a[0].0, a[1].0), (b[0].0, b[1].0));
        [Self(re), Self(im)]
    }
    #[inline(always)]
    fn complex_mul_conj(l: L, a: [Self; 2], b: [Self; 2]) -> [Self; 2] {
        let (re, im) = l.complex_mul_conj((a[0].0, a[1].0), (b[0].0, b[1].0));
        [Self(re), Self(im)]
    }
}

/// Two runs, one after the other: what instruction sets with narrow registers
/// make long runs of.
#[derive(Clone, Copy, Debug)]
pub struct Two<R>(R, R);

impl<L: Lanes, R: Run<L>> Run<L> for Two<R> {
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
    fn load(l: L, [a, b]: &Self::Of<L::F>) -> Self {
        Self(R::load(l, a), R::load(l, b))
    }
    #[inline(always)]
    fn store(self, l: L, [a, b]: &mut Self::Of<L::F>) {
        self.0.store(l, a);
        self.1.store(l, b);
    }
    #[inline(always)]
    fn shared(l: L, [a, b]: &Self::Of<f64>) -> Self {
        Self(R::shared(l, a), R::shared(l, b))
    }
    #[inline(always)]
    fn cycle(l: L, x: &[f64]) -> Self {
        let (a, b) = x.split_at(x.len().min(R::LEN));
        let a = R::cycle(l, a);
        Self(a, if b.is_empty() { a } else { R::cycle(l, b) })
    }
    #[inline(always)]
    fn add(self, l: L, other: Self) -> Self {
        Self(self.0.add(l, other.0), self.1.add(l, other.1))
    }
    #[inline(always)]
    fn sub(self, l: L, other: Self) -> Self {
        Self(self.0.sub(l, other.0), self.1.sub(l, other.1))
    }
    #[inline(always)]
    fn mul(self, l: L, other: Self) -> Self {
        Self(self.0.mul(l, other.0), self.1.mul(l, other.1))
    }
    #[inline(always)]
    fn neg(self, l: L) -> Self {
        Self(self.0.neg(l), self.1.neg(l))
    }
    #[inline(always)]
    fn half(self, l: L) -> Self {
        Self(self.0.half(l), self.1.half(l))
    }
    #[inline(always)]
    fn inverse(self, l: L) -> Self {
        Self(self.0.inverse(l), self.1.inverse(l))
    }
    #[inline(always)]
    fn floor(self, l: L) -> Self {
        Self(self.0.floor(l), self.1.floor(l))
    }
    #[inline(always)]
    fn zip(l: L, x: Self, y: Self) -> [Self; 2] {
        let ([a, b], [c, d]) = (R::zip(l, x.0, y.0), R::zip(l, x.1, y.1));
        [Self(a, b), Self(c, d)]
    }
    #[inline(always)]
    fn unzip(l: L, x: Self, y: Self) -> [Self; 2] {
        let ([a, c], [b, d]) = (R::unzip(l, x.0, x.1), R::unzip(l, y.0, y.1));
        [Self(a, b), Self(c, d)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;
    use std::vec::Vec;

    type Two1 = Two<One<Scalar>>;
    type Two2 = Two<Two1>;
    type Two4 = Two<Two2>;

    fn stored<R: Run<Scalar>>(runs: [R; 2]) -> Vec<f64> {
        let mut out = std::vec![0.0; 2 * R::LEN];
        for (run, out) in runs.into_iter().zip(R::chunks_mut(&mut out)) {
            run.store(Scalar, out);
        }
        out
    }

    fn places<R: Run<Scalar>>() {
        let x: Vec<f64> = (0..2 * R::LEN).map(|i| i as f64).collect();
        let chunks = R::chunks(&x);
        let (a, b) = (R::load(Scalar, &chunks[0]), R::shared(Scalar, &chunks[1]));
        let unzipped: Vec<f64> = (0..2 * R::LEN)
            .map(|i| ((2 * i) % (2 * R::LEN) + i / R::LEN) as f64)
            .collect();
        if R::LEN > 1 {
            assert_eq!(stored(R::unzip(Scalar, a, b)), unzipped);
        }
        let [c, d] = R::unzip(Scalar, a, b);
        assert_eq!(stored(R::zip(Scalar, c, d)), x);
        let mut len = 1;
        while len <= R::LEN {
            let cycle = R::cycle(Scalar, &x[..len]);
            let expected: Vec<f64> = (0..R::LEN).map(|i| (i % len) as f64).collect();
            assert_eq!(stored([cycle, cycle])[..R::LEN], expected);
            len *= 2;
        }
    }

    #[test]
    fn reals_are_where_they_are_said_to_be() {
        places::<One<Scalar>>();
        places::<Two1>();
        places::<Two2>();
        places::<Two4>();
    }
}
