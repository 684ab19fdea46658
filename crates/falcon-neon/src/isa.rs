//! The instruction sets and their registers.

use crate::byte_tables;
use crate::doubles::{F64x2, HasNeon};
use crate::integers::{self, I16x8, U32x4};
use crate::neon::{Neon, PairF32x4, U64x2};
use crate::settled;
use crate::sha3::{NeonSha3, Sha3U64x2};
use falcon_lanes::{Baseline, ByteTable, BytesKernel, Isa, Two};

impl HasNeon for Neon {}
impl HasNeon for NeonSha3 {}

/// The registers and the methods of [`Isa`] that both sets share. The types of 64-bit words are
/// parameters.
macro_rules! neon {
    ($words:ty, $one:ty) => {
        type F64 = f64;
        type F64x2 = F64x2;
        type F64x4 = Two<F64x2>;
        type F64x8 = Two<Two<F64x2>>;
        const LONGEST_F64S: usize = 4;
        type F32x8 = PairF32x4;
        type U64s = $words;
        type OneU64 = $one;
        type U32s = U32x4;
        type I16s = I16x8;
        type LookUps = Baseline;
        const SETTLES: bool = true;
        const LOOKS_UP_BYTES: bool = true;

        #[inline(always)]
        fn look_up_bytes<const N: usize>(
            self,
            tables: [&[u8]; N],
            index: [&[u8]; 2],
            out: [&mut [u8]; N],
        ) {
            byte_tables::look_up(tables, index, out);
        }
        #[inline(always)]
        fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
            // The build target has NEON, so every function is in its frame.
            kernel()
        }
        #[inline(always)]
        fn with_bytes<K: BytesKernel>(self, kernel: K) -> K::Output {
            kernel.run(Neon::new())
        }
        #[inline(always)]
        fn settled<const N: usize>(self, words: [u64; N]) -> [u64; N] {
            settled::words(words)
        }
        #[inline(always)]
        fn load_le_bytes(self, x: &[[u8; 8]]) -> Self::U64s {
            <$words>::load_le_bytes(self, x)
        }
        #[inline(always)]
        fn parities(self, rows: &[[u64; 8]; 8]) -> u8 {
            integers::parities(rows)
        }
        #[inline(always)]
        fn set_bits(self, positions: &[u16], offset: u16, out: &mut [u8]) {
            crate::set_bits::set_bits(positions, offset, out);
        }
        #[inline(always)]
        fn keep_below(
            self,
            limit: u16,
            keys: &[u16; 16],
            x: &[u16; 16],
            out: &mut [u16; 16],
        ) -> usize {
            integers::keep_below(limit, keys, x, out)
        }
        #[inline(always)]
        fn tails(self, x: &[[u8; 11]; 4]) -> [u32; 4] {
            integers::tails(x)
        }
        #[inline(always)]
        fn map_bytes<const N: usize>(
            self,
            _: impl Fn(u8) -> [i16; 2],
            table: &ByteTable,
            x: &[[u8; 16]; N],
        ) -> [[[i16; 16]; N]; 2] {
            integers::map_bytes(table, x)
        }
    };
}

impl Isa for Neon {
    neon!(U64x2, u64);
}

/// Same as [`Neon`], except for the 64-bit words, which use the SHA-3 instructions. Only kernels on
/// these words run in a frame with the SHA-3 features, since a frame keeps functions from being
/// inlined.
impl Isa for NeonSha3 {
    neon!(Sha3U64x2, Sha3U64x2);

    #[inline(always)]
    fn vectorize_words<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.in_frame(kernel)
    }
}
