//! Instruction sets: the frames in which kernels are compiled.

use super::{Binary64, Lanes};
use crate::sampler::Windows;
use core::fmt::Debug;

/// Lanes of [`Isa::F32x8`].
pub const F32_LANES: usize = 8;

/// Lanes of [`Isa::U64x8`].
pub const U64_LANES: usize = 8;

/// A 64-bit word, or one in every lane.
pub trait Bits64: Copy {
    /// Exclusive or with `x` in every lane. There is no way to a value without
    /// a token: see [`Isa::load_u64`].
    fn xor_u64(self, x: u64) -> Self;
    /// Exclusive or.
    fn xor(self, other: Self) -> Self;
    /// And.
    fn and(self, other: Self) -> Self;
    /// Or.
    fn or(self, other: Self) -> Self;
    /// Complement.
    fn not(self) -> Self;
    /// Rotation to the left by `0 <= R < 64`.
    fn rotate_left<const R: i32>(self) -> Self;
}

impl Bits64 for u64 {
    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        self ^ x
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
    #[inline(always)]
    fn rotate_left<const R: i32>(self) -> Self {
        self.rotate_left(R as u32)
    }
}

/// Words without vector registers.
impl<const N: usize> Bits64 for [u64; N] {
    #[inline(always)]
    fn xor_u64(self, x: u64) -> Self {
        self.map(|y| y ^ x)
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        core::array::from_fn(|k| self[k] ^ other[k])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        core::array::from_fn(|k| self[k] & other[k])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        core::array::from_fn(|k| self[k] | other[k])
    }
    #[inline(always)]
    fn not(self) -> Self {
        self.map(|x| !x)
    }
    #[inline(always)]
    fn rotate_left<const R: i32>(self) -> Self {
        self.map(|x| x.rotate_left(R as u32))
    }
}

/// An instruction set: a zero-sized proof that this processor has some
/// features.
///
/// [`vectorize`](Self::vectorize) runs a kernel in a function that is compiled
/// with them; there the loops over the arrays of [`Portable`](super::Portable)
/// become the widest vector code that the features offer. [`On`] ties a
/// register token to an instruction set. What compilers do not find by
/// themselves are the few operations below.
///
/// The binary32 operations serve estimates with a proven margin and nothing
/// else: their results may be rounded differently from one set to another.
pub trait Isa: Copy + Debug + Send + Sync + 'static {
    /// Eight binary32 values.
    type F32x8: Copy;
    /// Eight 64-bit words.
    type U64x8: Bits64;
    /// Whether these words are registers: if not, eight words cost more than
    /// eight times one.
    const WORDS_IN_REGISTERS: bool = true;

    /// Runs `kernel` in a frame where the features are enabled. Everything the
    /// kernel calls must be inlined into it.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Lane `k` is `x[k]`.
    fn load_u64(self, x: &[u64; U64_LANES]) -> Self::U64x8;
    /// Element `k` is lane `k`.
    fn store_u64(self, x: Self::U64x8) -> [u64; U64_LANES];

    /// `x` in every lane.
    fn splat(self, x: f32) -> Self::F32x8;
    /// Lane `k` is `x[k]`.
    fn load(self, x: &[f32; F32_LANES]) -> Self::F32x8;
    /// `a - b`.
    fn sub(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    /// `a * b`.
    fn mul(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8;
    /// Bit `k` is set if `a < b` in lane `k`; never for a NaN.
    fn lt(self, a: Self::F32x8, b: Self::F32x8) -> u32;
    /// Bit `k` is set if `a <= b` in lane `k`; never for a NaN.
    fn le(self, a: Self::F32x8, b: Self::F32x8) -> u32;
}

/// The features that the build target has anyway.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baseline;

impl Isa for Baseline {
    type F32x8 = [f32; F32_LANES];
    type U64x8 = [u64; U64_LANES];
    const WORDS_IN_REGISTERS: bool = false;

    #[inline(always)]
    fn load_u64(self, x: &[u64; U64_LANES]) -> Self::U64x8 {
        *x
    }
    #[inline(always)]
    fn store_u64(self, x: Self::U64x8) -> [u64; U64_LANES] {
        x
    }

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
    #[inline(always)]
    fn splat(self, x: f32) -> Self::F32x8 {
        [x; F32_LANES]
    }
    #[inline(always)]
    fn load(self, x: &[f32; F32_LANES]) -> Self::F32x8 {
        *x
    }
    #[inline(always)]
    fn sub(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8 {
        core::array::from_fn(|k| a[k] - b[k])
    }
    #[inline(always)]
    fn mul(self, a: Self::F32x8, b: Self::F32x8) -> Self::F32x8 {
        core::array::from_fn(|k| a[k] * b[k])
    }
    #[inline(always)]
    fn lt(self, a: Self::F32x8, b: Self::F32x8) -> u32 {
        (0..F32_LANES).fold(0, |mask, k| mask | u32::from(a[k] < b[k]) << k)
    }
    #[inline(always)]
    fn le(self, a: Self::F32x8, b: Self::F32x8) -> u32 {
        (0..F32_LANES).fold(0, |mask, k| mask | u32::from(a[k] <= b[k]) << k)
    }
}

/// The token `L` in the frame of an instruction set.
#[derive(Clone, Copy, Debug, Default)]
pub struct On<I, L>(pub I, pub L);

impl<I: Isa, L: Lanes> Lanes for On<I, L> {
    const N: usize = L::N;
    type F = L::F;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.0.vectorize(kernel)
    }
    #[inline(always)]
    fn splat(self, x: f64) -> L::F {
        self.1.splat(x)
    }
    #[inline(always)]
    fn get(self, x: &L::F, i: usize) -> f64 {
        self.1.get(x, i)
    }
    #[inline(always)]
    fn set(self, x: &mut L::F, i: usize, value: f64) {
        self.1.set(x, i, value);
    }
    #[inline(always)]
    fn add(self, a: L::F, b: L::F) -> L::F {
        self.1.add(a, b)
    }
    #[inline(always)]
    fn sub(self, a: L::F, b: L::F) -> L::F {
        self.1.sub(a, b)
    }
    #[inline(always)]
    fn mul(self, a: L::F, b: L::F) -> L::F {
        self.1.mul(a, b)
    }
    #[inline(always)]
    fn neg(self, a: L::F) -> L::F {
        self.1.neg(a)
    }
    #[inline(always)]
    fn half(self, a: L::F) -> L::F {
        self.1.half(a)
    }
    #[inline(always)]
    fn floor(self, a: L::F) -> L::F {
        self.1.floor(a)
    }
}

/// Expands keys and signs one message at a time with the sampler in windows.
impl<I: Isa, L: Binary64> Binary64 for On<I, L> {
    const HARDWARE: bool = L::HARDWARE;
    type Isa = I;
    type Sampling = Windows<I>;

    #[inline(always)]
    fn isa(self) -> I {
        self.0
    }
    #[inline(always)]
    fn sampling(self) -> Windows<I> {
        Windows(self.0)
    }
    #[inline(always)]
    fn div(self, a: f64, b: f64) -> f64 {
        self.1.div(a, b)
    }
    #[inline(always)]
    fn sqrt(self, a: f64) -> f64 {
        self.1.sqrt(a)
    }
    #[inline(always)]
    fn float(self, x: i64) -> f64 {
        self.1.float(x)
    }
    #[inline(always)]
    fn rint(self, a: f64) -> i64 {
        self.1.rint(a)
    }
    #[inline(always)]
    fn trunc(self, a: f64) -> i64 {
        self.1.trunc(a)
    }
    #[inline(always)]
    fn lt(self, a: f64, b: f64) -> u64 {
        self.1.lt(a, b)
    }
}
