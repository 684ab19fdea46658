//! Instruction sets: the frames in which kernels are compiled.

use crate::{Across, Bits64, I16_LANES, Integers, Runs, Singles};
use core::fmt::Debug;

/// Lanes of [`Isa::F32x8`].
pub const F32_LANES: usize = 8;

/// Messages that are hashed side by side.
pub const U64_LANES: usize = 8;

/// Words that [`Isa::keep_below`] takes at once.
pub const U16_LANES: usize = 16;

/// Values of a function from bytes to pairs of words.
#[derive(Clone, Copy, Debug)]
pub struct ByteTable {
    /// Low and high bytes of the first words, then of the second ones.
    pub planes: [[u8; 256]; 4],
}

impl ByteTable {
    /// The table of `values`.
    pub const fn new(values: &[[i16; 2]; 256]) -> Self {
        let mut planes = [[0; 256]; 4];
        let mut x = 0;
        while x < 256 {
            let [first, second] = values[x];
            let ([a, b], [c, d]) = (first.to_le_bytes(), second.to_le_bytes());
            (planes[0][x], planes[1][x]) = (a, b);
            (planes[2][x], planes[3][x]) = (c, d);
            x += 1;
        }
        Self { planes }
    }
}

/// The last four bytes, little-endian.
#[inline(always)]
pub fn tail([.., a, b, c, d]: &[u8; 11]) -> u32 {
    u32::from_le_bytes([*a, *b, *c, *d])
}

/// Bytes that [`Isa::map_bytes`] takes at once: those of the attempts of a
/// buffer of the sampler.
pub const U8_LANES: usize = 48;

/// An instruction set: a zero-sized proof that this processor has some
/// features.
///
/// [`vectorize`](Self::vectorize) runs a kernel in a function that is compiled
/// with them; there the loops over arrays become the widest vector code that the
/// features offer. What compilers do not
/// find by themselves are the few operations below, and the runs, of which
/// [`Across`] and [`Abreast`](crate::Abreast) make register tokens.
///
/// The binary32 operations serve estimates with a proven margin and nothing
/// else: their results may be rounded differently from one set to another.
pub trait Isa: Copy + Debug + Send + Sync + 'static {
    /// Eight binary32 values.
    type F32x8: Copy;
    /// As many 64-bit words as a register holds.
    type Words: Bits64;
    /// Registers that [`U64_LANES`] words fill: each has `U64_LANES / PARTS`.
    const PARTS: usize;
    /// Whether one state of Keccak-f goes faster in one lane of these than in
    /// single words.
    const ONE_IN_WORDS: bool = false;
    /// Neighbours of a polynomial in registers, for one signature.
    type Runs: Runs<Across<Self>>;
    /// Its registers of integers.
    type Integers: Integers;

    /// The token of these registers.
    fn integers(self) -> Self::Integers;

    /// Runs `kernel` in a frame where the features are enabled. Everything the
    /// kernel calls must be inlined into it.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Runs `kernel`, which computes with [`Words`](Self::Words), in a frame where
    /// the features that these need are enabled.
    #[inline(always)]
    fn vectorize_words<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.vectorize(kernel)
    }

    /// The words of part `part < PARTS` of `x`.
    fn load_words(self, x: &[u64; U64_LANES], part: usize) -> Self::Words;
    /// Writes the words of part `part < PARTS` of `x`.
    fn store_words(self, words: Self::Words, x: &mut [u64; U64_LANES], part: usize);

    /// The transposed matrix: word `j` of row `i` becomes word `i` of row `j`.
    #[inline(always)]
    fn transpose_words(self, x: &[[u64; U64_LANES]; U64_LANES]) -> [[u64; U64_LANES]; U64_LANES] {
        core::array::from_fn(|j| core::array::from_fn(|i| x[i][j]))
    }

    /// Moves the words of `x` whose keys are below `limit` to the start of
    /// `out`, in order, and returns how many they are; what follows them in
    /// `out` is unspecified.
    #[inline(always)]
    fn keep_below(
        self,
        limit: u16,
        keys: &[u16; U16_LANES],
        x: &[u16; U16_LANES],
        out: &mut [u16; U16_LANES],
    ) -> usize {
        let mut count = 0;
        for (&key, &x) in keys.iter().zip(x) {
            // Below the length: one word at most has been kept for each before.
            out[count % U16_LANES] = x;
            count += usize::from(key < limit);
        }
        count
    }

    /// The [`tail`] of each.
    #[inline(always)]
    fn tails(self, x: &[[u8; 11]; 4]) -> [u32; 4] {
        let [a, b, c, d] = x;
        [tail(a), tail(b), tail(c), tail(d)]
    }

    /// The first words, and the second ones, that `f` makes of the bytes `x`.
    /// `table` has its values, for those who find them without an address that
    /// depends on a byte.
    #[inline(always)]
    fn map_bytes(
        self,
        f: impl Fn(u8) -> [i16; 2],
        table: &ByteTable,
        x: &[u8; U8_LANES],
    ) -> [[i16; U8_LANES]; 2] {
        _ = table;
        let (mut first, mut second) = ([0; U8_LANES], [0; U8_LANES]);
        for k in 0..U8_LANES {
            [first[k], second[k]] = f(x[k]);
        }
        [first, second]
    }

    /// Writes the words of `even` and `odd` by turns.
    #[inline(always)]
    fn interleave(self, [even, odd]: [&[i16; I16_LANES]; 2], pairs: &mut [i16; 2 * I16_LANES]) {
        for i in 0..I16_LANES {
            pairs[2 * i] = even[i];
            pairs[2 * i + 1] = odd[i];
        }
    }
    /// The words at even places, and those at odd ones.
    #[inline(always)]
    fn deinterleave(self, pairs: &[i16; 2 * I16_LANES]) -> ([i16; I16_LANES], [i16; I16_LANES]) {
        let (mut even, mut odd) = ([0; I16_LANES], [0; I16_LANES]);
        // The halves of double words, which every vector unit takes apart.
        let mut double = [0; I16_LANES];
        for (double, pair) in double.iter_mut().zip(pairs.as_chunks::<2>().0) {
            *double = u32::from(pair[0] as u16) | u32::from(pair[1] as u16) << 16;
        }
        for i in 0..I16_LANES {
            (even[i], odd[i]) = (double[i] as i16, (double[i] >> 16) as i16);
        }
        (even, odd)
    }

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
    type Words = u64;
    const PARTS: usize = U64_LANES;
    type Runs = Singles;
    type Integers = Self;

    #[inline(always)]
    fn integers(self) -> Self {
        self
    }

    #[inline(always)]
    fn load_words(self, x: &[u64; U64_LANES], part: usize) -> u64 {
        x[part % U64_LANES]
    }
    #[inline(always)]
    fn store_words(self, words: u64, x: &mut [u64; U64_LANES], part: usize) {
        x[part % U64_LANES] = words;
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
