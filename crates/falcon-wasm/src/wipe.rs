//! Wipes the stack, where moved values leave copies.

use zeroize::Zeroize;

/// Number of words of 8 bytes that are wiped. `falcon-core` wipes its own secrets, so its frames
/// may lie deeper.
const WORDS: usize = 2048;

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
