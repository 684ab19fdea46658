//! Signatures abreast in the registers of an instruction set.

use crate::portable::Pack;
use crate::{Across, Isa, Lanes, Run, Runs, Singles, Two};
use core::fmt;
use core::marker::PhantomData;

/// `N` signatures, one a lane, in the registers of `R`, which has `N` reals.
///
/// Compilers make vector instructions of [`Portable`](crate::Portable) as long
/// as the formulas are short; these are vector instructions always.
pub struct Abreast<I, R, const N: usize> {
    isa: I,
    run: PhantomData<fn() -> R>,
}

/// Two signatures abreast.
pub type Abreast2<I> = Abreast<I, <<I as Isa>::Runs as Runs<Across<I>>>::X2, 2>;
/// Four signatures abreast.
pub type Abreast4<I> = Abreast<I, <<I as Isa>::Runs as Runs<Across<I>>>::X4, 4>;
/// Eight signatures abreast.
pub type Abreast8<I> = Abreast<I, <<I as Isa>::Runs as Runs<Across<I>>>::X8, 8>;
/// Sixteen signatures abreast.
pub type Abreast16<I> = Abreast<I, Two<<<I as Isa>::Runs as Runs<Across<I>>>::X8>, 16>;

impl<I: Isa, R: Run<Across<I>>, const N: usize> Abreast<I, R, N> {
    /// The lanes of `isa`.
    pub const fn new(isa: I) -> Self {
        const { assert!(R::LEN == N, "a lane for every real of the run") };
        let run = PhantomData;
        Self { isa, run }
    }

    #[inline(always)]
    fn load(self, x: &Pack<N>) -> R {
        R::load(Across(self.isa), &R::chunks(&x.0)[0])
    }

    #[inline(always)]
    fn pack(self, x: R) -> Pack<N> {
        let mut out = Pack([0.0; N]);
        x.store(Across(self.isa), &mut R::chunks_mut(&mut out.0)[0]);
        out
    }
}

impl<I: Copy, R, const N: usize> Copy for Abreast<I, R, N> {}
impl<I: Copy, R, const N: usize> Clone for Abreast<I, R, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I: fmt::Debug, R, const N: usize> fmt::Debug for Abreast<I, R, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Abreast")
            .field("isa", &self.isa)
            .field("lanes", &N)
            .finish()
    }
}

impl<I: Isa, R: Run<Across<I>> + 'static, const N: usize> Lanes for Abreast<I, R, N> {
    const N: usize = N;
    type F = Pack<N>;
    type Runs = Singles;

    #[inline(always)]
    fn vectorize<T>(self, kernel: impl FnOnce() -> T) -> T {
        self.isa.vectorize(kernel)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> Pack<N> {
        self.pack(R::cycle(Across(self.isa), &[x]))
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
        self.pack(self.load(&a).add(Across(self.isa), self.load(&b)))
    }
    #[inline(always)]
    fn sub(self, a: Pack<N>, b: Pack<N>) -> Pack<N> {
        self.pack(self.load(&a).sub(Across(self.isa), self.load(&b)))
    }
    #[inline(always)]
    fn mul(self, a: Pack<N>, b: Pack<N>) -> Pack<N> {
        self.pack(self.load(&a).mul(Across(self.isa), self.load(&b)))
    }
    #[inline(always)]
    fn neg(self, a: Pack<N>) -> Pack<N> {
        self.pack(self.load(&a).neg(Across(self.isa)))
    }
    #[inline(always)]
    fn half(self, a: Pack<N>) -> Pack<N> {
        self.pack(self.load(&a).half(Across(self.isa)))
    }
    #[inline(always)]
    fn inverse(self, a: Pack<N>) -> Pack<N> {
        self.pack(self.load(&a).inverse(Across(self.isa)))
    }
    #[inline(always)]
    fn floor(self, a: Pack<N>) -> Pack<N> {
        self.pack(self.load(&a).floor(Across(self.isa)))
    }
}
