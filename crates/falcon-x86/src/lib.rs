#![doc = include_str!("../README.md")]
#![no_std]
#![cfg(target_arch = "x86_64")]

use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};

mod affine;
mod avx2;
mod avx512;
mod byte_tables;
mod doubles;
#[cfg(target_feature = "sse2")]
mod environment;
mod floats;
mod integers;
mod look_up;
mod nibbles;
mod tokens;

/// Parities of the numbers below 16.
const NIBBLE_PARITIES: [u8; 16] = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0];

/// Asks the processor to load `values` into its second-level cache.
#[inline(always)]
fn prefetch<T>(values: &[T]) {
    /// Number of bytes of a cache line.
    const LINE: usize = 64;
    let step = (LINE / size_of::<T>().max(1)).max(1);
    for value in values.iter().step_by(step).chain(values.last()) {
        // SAFETY: all processors of this architecture have the instruction. It reads no value that
        // the program can see.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(core::ptr::from_ref(value).cast()) };
    }
}

#[cfg(target_feature = "sse2")]
pub use doubles::square_root;
#[cfg(target_feature = "sse2")]
pub use environment::with_default_environment;
pub use tokens::{Avx2, Avx512, Avx512Gfni, Avx512Vbmi};

/// Aligns the stack frame of the caller to the alignment of `T`.
///
/// Compilers keep registers on the stack when they run out of them. But they choose the frame's
/// alignment earlier. Without a variable of this alignment, half of these registers span two cache
/// lines, and such an access takes twice as long.
#[inline(always)]
fn align_frame<T>() {
    let register = core::mem::MaybeUninit::<T>::uninit();
    core::hint::black_box(&register);
}
