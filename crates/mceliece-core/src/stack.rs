//! The stack below a function.
//!
//! Compilers spill registers to places without a name, so no function can wipe its own. These
//! places are in the stack frames of functions that have returned, and later work does not
//! overwrite all of them. So functions that compute on long registers are not inlined into
//! functions that call [`wipe_below`].

use falcon_lanes::wipe;

/// Number of words that [`wipe_below`] overwrites. On these processors a step may spill many long
/// vector registers. Others spill little, and may have little memory.
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

/// Wipes twice as far as [`wipe_below`], for functions that have called several steps.
#[inline(never)]
pub(crate) fn wipe_far_below() {
    wipe(&mut [0u64; 2 * WORDS]);
}
