//! Arrangements of polynomials in registers.

use crate::{F64s, Isa, Pack};
use core::fmt::Debug;
use core::slice;
use zeroize::DefaultIsZeroes;

/// Arrangement of the coefficients of one polynomial, or of [`LANES`](Self::LANES) polynomials side
/// by side, in memory and in registers.
///
/// An instruction set is itself the arrangement of one polynomial: a register holds neighbouring
/// coefficients. In [`Many`], a register holds one coefficient of each polynomial. The formulas are
/// the same, and so are the bits. Only the values that share an instruction differ. A *run* is the
/// content of a register `R`: `R::LEN / LANES` consecutive coefficients.
pub trait Lanes: Copy + Debug + Send + Sync + 'static {
    /// The instruction set.
    type Isa: Isa;
    /// Number of polynomials side by side.
    const LANES: usize;
    /// One coefficient of every polynomial.
    type Real: DefaultIsZeroes + Debug + Send + Sync + 'static;
    /// Number of coefficients that the longest register holds.
    const RUN: usize;
    /// A register that holds one coefficient.
    type X1: F64s<Self::Isa>;
    /// A register that holds two coefficients, or [`RUN`](Self::RUN) if that is fewer.
    type X2: F64s<Self::Isa>;
    /// A register that holds four coefficients, or [`RUN`](Self::RUN) if that is fewer.
    type X4: F64s<Self::Isa>;
    /// A register that holds eight coefficients, or [`RUN`](Self::RUN) if that is fewer.
    type X8: F64s<Self::Isa>;
    /// An array with an element for each coefficient of a run of `R`.
    type Of<R: F64s<Self::Isa>, T: 'static>: 'static;

    /// Returns the instruction set.
    fn isa(self) -> Self::Isa;

    /// Returns the values of the lanes.
    fn values(x: &Self::Real) -> &[f64];
    /// Returns [`values`](Self::values) for writing.
    fn values_mut(x: &mut Self::Real) -> &mut [f64];

    /// Cuts `x` into runs, without the coefficients that are left over.
    fn runs<R: F64s<Self::Isa>, T: 'static>(x: &[T]) -> &[Self::Of<R, T>];
    /// Returns [`runs`](Self::runs) for writing.
    fn runs_mut<R: F64s<Self::Isa>, T: 'static>(x: &mut [T]) -> &mut [Self::Of<R, T>];
    /// Loads the run `x`.
    fn load<R: F64s<Self::Isa>>(self, x: &Self::Of<R, Self::Real>) -> R;
    /// Loads as [`load`](Self::load) does, from memory that was just written in shorter runs; see
    /// [`F64s::load_halves`].
    fn load_halves<R: F64s<Self::Isa>>(self, x: &Self::Of<R, Self::Real>) -> R;
    /// Loads the run `x`, the same for every polynomial.
    fn shared<R: F64s<Self::Isa>>(self, x: &Self::Of<R, f64>) -> R;
    /// Repeats the coefficients `x` over a run, the same for every polynomial. `x` has a power of
    /// two of them, at most a run.
    fn cycle<R: F64s<Self::Isa>>(self, x: &[f64]) -> R;
    /// Returns the coefficients `x` in the order of [`F64s::per_block`], the same for every
    /// polynomial.
    #[inline(always)]
    fn per_block<R: F64s<Self::Isa>>(self, x: &[f64]) -> R {
        self.cycle(x)
    }
    /// Writes a run.
    fn store<R: F64s<Self::Isa>>(run: R, out: &mut Self::Of<R, Self::Real>);
    /// Loads the coefficients of two runs: first those at even places, then those at odd places.
    /// The default is for runs of one coefficient, which are loaded as they are.
    #[inline(always)]
    fn load_unzipped<R: F64s<Self::Isa>>(self, [a, b]: &[Self::Of<R, Self::Real>; 2]) -> [R; 2] {
        [self.load(a), self.load(b)]
    }
    /// Stores two runs: the inverse of [`load_unzipped`](Self::load_unzipped).
    #[inline(always)]
    fn store_zipped<R: F64s<Self::Isa>>([x, y]: [R; 2], out: &mut [Self::Of<R, Self::Real>; 2]) {
        Self::store(x, &mut out[0]);
        Self::store(y, &mut out[1]);
    }
}

impl<I: Isa> Lanes for I {
    type Isa = I;
    const LANES: usize = 1;
    type Real = f64;
    const RUN: usize = I::LONGEST_F64S;
    type X1 = I::F64;
    type X2 = I::F64x2;
    type X4 = I::F64x4;
    type X8 = I::F64x8;
    type Of<R: F64s<I>, T: 'static> = R::Of<T>;

    #[inline(always)]
    fn isa(self) -> I {
        self
    }
    #[inline(always)]
    fn values(x: &f64) -> &[f64] {
        slice::from_ref(x)
    }
    #[inline(always)]
    fn values_mut(x: &mut f64) -> &mut [f64] {
        slice::from_mut(x)
    }
    #[inline(always)]
    fn runs<R: F64s<I>, T: 'static>(x: &[T]) -> &[R::Of<T>] {
        R::chunks(x)
    }
    #[inline(always)]
    fn runs_mut<R: F64s<I>, T: 'static>(x: &mut [T]) -> &mut [R::Of<T>] {
        R::chunks_mut(x)
    }
    #[inline(always)]
    fn load<R: F64s<I>>(self, x: &R::Of<f64>) -> R {
        R::load(self, x)
    }
    #[inline(always)]
    fn load_halves<R: F64s<I>>(self, x: &R::Of<f64>) -> R {
        R::load_halves(self, x)
    }
    #[inline(always)]
    fn shared<R: F64s<I>>(self, x: &R::Of<f64>) -> R {
        R::load(self, x)
    }
    #[inline(always)]
    fn cycle<R: F64s<I>>(self, x: &[f64]) -> R {
        R::cycle(self, x)
    }
    #[inline(always)]
    fn per_block<R: F64s<I>>(self, x: &[f64]) -> R {
        R::per_block(self, x)
    }
    #[inline(always)]
    fn store<R: F64s<I>>(run: R, out: &mut R::Of<f64>) {
        run.store(out);
    }
    #[inline(always)]
    fn load_unzipped<R: F64s<I>>(self, x: &[R::Of<f64>; 2]) -> [R; 2] {
        R::load_unzipped(self, x)
    }
    #[inline(always)]
    fn store_zipped<R: F64s<I>>([x, y]: [R; 2], out: &mut [R::Of<f64>; 2]) {
        x.store_zipped(y, out);
    }
}

/// One coefficient of each of `N` polynomials, in whole cache lines. Loading a register of 64 bytes
/// that spans two lines takes twice as long.
///
/// ```
/// use falcon_lanes::Lines;
///
/// assert_eq!(align_of::<Lines<16>>(), 64);
/// assert_eq!(size_of::<Lines<16>>(), 128);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Lines<const N: usize>(pub [f64; N]);

impl<const N: usize> Default for Lines<N> {
    #[inline(always)]
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> DefaultIsZeroes for Lines<N> {}

/// `N` polynomials side by side, where `N` is 1, 2, 4, 8 or 16. A register holds one coefficient of
/// each polynomial.
#[derive(Clone, Copy, Debug, Default)]
pub struct Many<I, const N: usize>(pub I);

macro_rules! many {
    ($($n:literal: $register:ty, $real:ident);*) => {$(
        impl<I: Isa> Lanes for Many<I, $n> {
            type Isa = I;
            const LANES: usize = $n;
            type Real = $real<$n>;
            const RUN: usize = 1;
            type X1 = $register;
            type X2 = $register;
            type X4 = $register;
            type X8 = $register;
            type Of<R: F64s<I>, T: 'static> = [T; 1];

            #[inline(always)]
            fn isa(self) -> I {
                self.0
            }
            #[inline(always)]
            fn values(x: &$real<$n>) -> &[f64] {
                &x.0
            }
            #[inline(always)]
            fn values_mut(x: &mut $real<$n>) -> &mut [f64] {
                &mut x.0
            }
            #[inline(always)]
            fn runs<R: F64s<I>, T: 'static>(x: &[T]) -> &[[T; 1]] {
                x.as_chunks().0
            }
            #[inline(always)]
            fn runs_mut<R: F64s<I>, T: 'static>(x: &mut [T]) -> &mut [[T; 1]] {
                x.as_chunks_mut().0
            }
            #[inline(always)]
            fn load<R: F64s<I>>(self, [x]: &[$real<$n>; 1]) -> R {
                R::load(self.0, &R::chunks(&x.0)[0])
            }
            #[inline(always)]
            fn load_halves<R: F64s<I>>(self, x: &[$real<$n>; 1]) -> R {
                self.load(x)
            }
            #[inline(always)]
            fn shared<R: F64s<I>>(self, &[x]: &[f64; 1]) -> R {
                R::splat(self.0, x)
            }
            #[inline(always)]
            fn cycle<R: F64s<I>>(self, x: &[f64]) -> R {
                R::splat(self.0, x[0])
            }
            #[inline(always)]
            fn store<R: F64s<I>>(run: R, [out]: &mut [$real<$n>; 1]) {
                run.store(&mut R::chunks_mut(&mut out.0)[0]);
            }
        }
    )*};
}

many! {
    1: I::F64, Pack;
    2: I::F64x2, Pack;
    4: I::F64x4, Pack;
    8: I::F64x8, Lines;
    16: crate::Two<I::F64x8>, Lines
}
