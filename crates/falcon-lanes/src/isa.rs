//! Instruction sets: the frames in which kernels are compiled.

use crate::{
    BytesKernel, F32x8, F64s, I16s, LookUps, Ordered, Pack, PackF32, Register, U32s, U64s,
};
use core::fmt::Debug;

/// A table of the values of a function from bytes to pairs of words.
#[derive(Clone, Copy, Debug)]
pub struct ByteTable {
    /// The low and the high bytes of the first words, then those of the second words.
    pub planes: [[u8; 256]; 4],
}

impl ByteTable {
    /// Creates the table of `values`.
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

/// Returns the last four bytes of an 11-byte record as a little-endian number.
#[inline(always)]
pub fn tail([.., a, b, c, d]: &[u8; 11]) -> u32 {
    u32::from_le_bytes([*a, *b, *c, *d])
}

/// An instruction set: a zero-sized proof that this processor has some
/// features.
///
/// [`vectorize`](Self::vectorize) runs a kernel in a function that is compiled with them; in this
/// function, loops over arrays become the widest vector code that the features offer. Registers and
/// the methods below provide operations that compilers do not generate by themselves.
pub trait Isa: Copy + Debug + Send + Sync + 'static {
    /// One double.
    type F64: F64s<Self>;
    /// Two doubles.
    type F64x2: F64s<Self>;
    /// Four doubles.
    type F64x4: F64s<Self>;
    /// Eight doubles.
    type F64x8: F64s<Self>;
    /// Number of doubles in the longest register that is worthwhile for one polynomial: 4 or 8, or
    /// 1 if the compiler vectorises.
    const LONGEST_F64S: usize;
    /// Eight binary32 values.
    type F32x8: F32x8 + Register<Self, Value = f32>;
    /// A register of 64-bit words.
    type U64s: U64s + Ordered + Register<Self, Value = u64>;
    /// The fastest register for one chain of operations on 64-bit words. Only the first lane is
    /// used.
    type OneU64: U64s + Register<Self, Value = u64>;
    /// A register of 32-bit words.
    type U32s: U32s + Register<Self, Value = u32>;
    /// A register of 16-bit words.
    type I16s: I16s + Register<Self, Value = i16>;
    /// Look-ups in registers, which some processors with this instruction set have.
    type LookUps: LookUps;

    /// Runs `kernel` in a frame where the features are enabled. All functions that the kernel calls
    /// must be inlined into it.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;

    /// Runs `kernel`, which computes with [`U64s`](Self::U64s), in a frame where the features for
    /// these registers are enabled.
    #[inline(always)]
    fn vectorize_words<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.vectorize(kernel)
    }

    /// Returns the look-ups in registers if this processor has them.
    #[inline(always)]
    fn look_ups(self) -> Option<Self::LookUps> {
        None
    }

    /// True if it pays to place independent work between the operations of a chain, in which each
    /// operation waits for the one before. On such a set, loops over 16 words of 32 bits must
    /// compile to few instructions, which processors execute in the gaps of the chain.
    const FILLS_GAPS: bool = false;

    /// Runs `kernel` with the best [`Bytes`](crate::Bytes) of this processor.
    #[inline(always)]
    fn with_bytes<K: BytesKernel>(self, kernel: K) -> K::Output {
        kernel.run(Baseline)
    }

    /// Asks the processor to load `values` into its second-level cache, without waiting for them.
    /// By default, does nothing.
    #[inline(always)]
    fn prefetch<T>(self, values: &[T]) {
        let _ = values;
    }

    /// True if [`settled`](Self::settled) has an effect.
    const SETTLES: bool = false;

    /// Returns the same words. A set may implement this so that compilers compute all of the words
    /// before they use any of the returned words. If compilers mix the instructions of two parts of
    /// a long computation, more words are alive at once than fit in registers.
    #[inline(always)]
    fn settled<const N: usize>(self, words: [u64; N]) -> [u64; N] {
        words
    }

    /// Transposes a matrix: word `j` of row `i` becomes word `i` of row `j`.
    #[inline(always)]
    fn transpose_words(self, x: &[[u64; 8]; 8]) -> [[u64; 8]; 8] {
        core::array::from_fn(|j| core::array::from_fn(|i| x[i][j]))
    }

    /// Loads words from their little-endian bytes. `x` may have more words than the register.
    ///
    /// # Panics
    /// If `x` has fewer words than the register.
    #[inline(always)]
    fn load_le_bytes(self, x: &[[u8; 8]]) -> Self::U64s {
        // The array has as many words as the longest register.
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(&x[..Self::U64s::LEN]) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self::U64s::load(self, &Self::U64s::chunks(&words)[0])
    }

    /// Returns the parities of eight rows: bit `i` is the parity of the ones in row `i`.
    #[inline(always)]
    fn parities(self, rows: &[[u64; 8]; 8]) -> u8 {
        let parity = |row: &[u64; 8]| {
            let sum = row.iter().fold(0, |sum, word| sum ^ word);
            (sum.count_ones() & 1) as u8
        };
        let rows = rows.iter().rev();
        rows.fold(0, |byte, row| byte << 1 | parity(row))
    }

    /// Sets the bits of `out` at `positions`, each `offset` places later, and clears the others.
    /// Bit `i` is bit `i mod 8` of byte `i / 8`. Compares every position with all places, so
    /// neither time nor addresses depend on the positions.
    ///
    /// Positions plus `offset` must be below `2^16`. Positions beyond `out` set no bit. If two
    /// positions are equal, the two bytes `out[2 i]` and `out[2 i + 1]` of which one contains this
    /// bit are unspecified. This method enters the frame of the instructions itself.
    ///
    /// # Panics
    /// If `out` has more than 4096 bytes.
    #[inline(always)]
    fn set_bits(self, positions: &[u16], offset: u16, out: &mut [u8]) {
        crate::set_bits::set_bits(self, positions, offset, out);
    }

    /// True if [`look_up_bytes`](Self::look_up_bytes) is fast, because the set looks up many bytes
    /// of a table in registers at once.
    const LOOKS_UP_BYTES: bool = false;

    /// Looks up `index[0][i] + 256 index[1][i]`, for every `i`, in `N` tables of bytes: writes byte
    /// number `i` of each of `out`. Reads all bytes of the tables for every `i`, so neither time
    /// nor addresses depend on the numbers.
    ///
    /// All tables have the same length, which is a power of two from 256 to 8192. If a number is
    /// not below this length, its bytes are unspecified.
    ///
    /// # Panics
    /// If the tables have another length, if the other slices differ in length, or if the length of
    /// these is not a multiple of 256.
    #[inline(always)]
    fn look_up_bytes<const N: usize>(
        self,
        tables: [&[u8]; N],
        index: [&[u8]; 2],
        out: [&mut [u8]; N],
    ) {
        check_look_up(&tables, index, &out);
        for (table, out) in tables.into_iter().zip(out) {
            for ((out, low), high) in out.iter_mut().zip(index[0]).zip(index[1]) {
                let at = u32::from(u16::from_le_bytes([*low, *high]));
                let found = (0u32..).zip(table).map(
                    #[inline(always)]
                    |(place, byte)| byte & ((place ^ at).wrapping_sub(1) >> 24) as u8,
                );
                *out = found.fold(0, |sum, byte| sum | byte);
            }
        }
    }

    /// Moves the words of `x` whose keys are below `limit` to the start of `out`, in order. Returns
    /// the number of these words. The words of `out` after them are unspecified.
    #[inline(always)]
    fn keep_below(self, limit: u16, keys: &[u16; 16], x: &[u16; 16], out: &mut [u16; 16]) -> usize {
        let mut count = 0;
        for (&key, &x) in keys.iter().zip(x) {
            // `count` is below the length, since each earlier key adds at most one.
            out[count % 16] = x;
            count += usize::from(key < limit);
        }
        count
    }

    /// Returns the [`tail`] of each of four records.
    #[inline(always)]
    fn tails(self, x: &[[u8; 11]; 4]) -> [u32; 4] {
        let [a, b, c, d] = x;
        [tail(a), tail(b), tail(c), tail(d)]
    }

    /// Applies `f` to the bytes `x`. Returns the first words, and the second words. `table`
    /// tabulates `f`, for constant-time lookup.
    #[inline(always)]
    fn map_bytes<const N: usize>(
        self,
        f: impl Fn(u8) -> [i16; 2],
        table: &ByteTable,
        x: &[[u8; 16]; N],
    ) -> [[[i16; 16]; N]; 2] {
        _ = table;
        let mut out = [[[0; 16]; N]; 2];
        let [first, second] = &mut out;
        let words = first.as_flattened_mut().iter_mut();
        let words = words.zip(second.as_flattened_mut());
        for ((first, second), &x) in words.zip(x.as_flattened()) {
            [*first, *second] = f(x);
        }
        out
    }
}

/// The features that every processor of the build target has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Baseline;

impl Isa for Baseline {
    type F64 = f64;
    type F64x2 = Pack<2>;
    type F64x4 = Pack<4>;
    type F64x8 = Pack<8>;
    const LONGEST_F64S: usize = 1;
    type F32x8 = PackF32;
    type U64s = u64;
    type OneU64 = u64;
    type U32s = u32;
    type I16s = i16;
    type LookUps = Self;

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }
}

/// Checks the lengths of [`Isa::look_up_bytes`].
#[doc(hidden)]
#[inline(always)]
pub fn check_look_up<const N: usize>(tables: &[&[u8]; N], index: [&[u8]; 2], out: &[&mut [u8]; N]) {
    let len = tables[0].len();
    assert!(len.is_power_of_two() && (256..=8192).contains(&len));
    assert!(tables.iter().all(|table| table.len() == len));
    let len = index[0].len();
    assert!(len.is_multiple_of(256) && index[1].len() == len);
    assert!(out.iter().all(|out| out.len() == len));
}
