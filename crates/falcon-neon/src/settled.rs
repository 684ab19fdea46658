//! Fixes the order of instructions: makes compilers hold words in registers at one point of a
//! program.
//!
//! An empty assembly block takes the words and gives them back. Compilers must compute them before
//! the block, and use them after it.

use core::arch::aarch64::uint64x2_t;
use core::arch::asm;

/// Passes the words of a slice through an empty block, in registers of the class `$class` whose
/// names have the letter `$letter`. Leaves slices of another length as they are.
macro_rules! pass {
    ($class:ident, $letter:literal, $words:expr; $([$($x:ident)*])*) => {
        match $words {
            $([$($x),*] => {
                // SAFETY: the block has no instruction, so it leaves all registers, flags and
                // memory unchanged.
                unsafe {
                    asm!(
                        $(concat!("// {", stringify!($x), ":", $letter, "}"),)*
                        $($x = inout($class) *$x,)*
                        options(pure, nomem, nostack, preserves_flags),
                    );
                }
            })*
            _ => (),
        }
    };
}

/// Returns the same words, in general registers at one point. Handles only five or ten words, which
/// is all that is needed. Others are left as they are.
#[inline(always)]
pub(crate) fn words<const N: usize>(mut words: [u64; N]) -> [u64; N] {
    pass!(reg, "x", &mut words[..]; [a b c d e] [a b c d e f g h i j]);
    words
}

/// Does the same as [`words`], with vector registers.
#[inline(always)]
pub(crate) fn vectors<const N: usize>(mut words: [uint64x2_t; N]) -> [uint64x2_t; N] {
    pass!(vreg, "v", &mut words[..]; [a b c d e] [a b c d e f g h i j]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neon::{Neon, U64x2};
    use falcon_lanes::Register;

    #[test]
    fn settled_words_are_the_same() {
        fn same<const N: usize>() {
            let x = core::array::from_fn(|i| 1 << (5 * i));
            assert_eq!(words::<N>(x), x);
            let y = x.map(|x| U64x2::splat(Neon::new(), x).0);
            for (y, x) in vectors::<N>(y).into_iter().zip(x) {
                let mut out = [0; 2];
                U64x2(y).store(&mut out);
                assert_eq!(out, [x; 2]);
            }
        }
        same::<0>();
        same::<4>();
        same::<5>();
        same::<10>();
        same::<11>();
    }
}
