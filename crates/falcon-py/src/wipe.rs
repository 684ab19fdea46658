//! The stack, where the crates that encrypt keys leave copies of their own key.

use zeroize::Zeroize;

/// Words of 8 bytes that are wiped.
const WORDS: usize = 4096;

/// Calls `work` and wipes the stack that it used.
pub fn on_wiped_stack<T>(work: impl FnOnce() -> T) -> T {
    let result = in_a_frame(work);
    wipe_below();
    result
}

#[inline(never)]
fn in_a_frame<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[inline(never)]
fn wipe_below() {
    [0u64; WORDS].zeroize();
}
