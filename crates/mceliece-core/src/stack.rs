//! The stack below a function.
//!
//! Compilers spill registers to places on the stack that a function cannot name and so cannot wipe.
//! After the function has returned, later work does not overwrite all of these places. So functions
//! that compute on long registers are not inlined into functions that call [`wipe_below`].

use falcon_lanes::wipe;

/// Number of words that [`wipe_below`] overwrites. On x86-64 and AArch64 a step may spill many long
/// vector registers. Other processors spill little, and may have little memory.
const WORDS: usize = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
    1536
} else {
    64
};

/// Overwrites the part of the stack that functions called by the caller have used.
#[inline(never)]
pub(crate) fn wipe_below() {
    wipe(&mut [0u64; WORDS]);
}

/// Wipes three times as far as [`wipe_below`], for functions that have called several steps.
#[inline(never)]
pub(crate) fn wipe_far_below() {
    wipe(&mut [0u64; 3 * WORDS]);
}
