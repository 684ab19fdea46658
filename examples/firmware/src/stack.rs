//! Peak stack use of a call, by painting: the free stack is filled with a
//! pattern, and after the call the lowest word that lost it tells how deep the
//! stack went.

use crate::platform::{stack_end, stack_pointer};
use core::ptr;

const PATTERN: u32 = 0x5AFE_57AC;

/// Words just below this frame that are left alone: those of the callees of
/// `measure` that paint and scan.
const MARGIN: usize = 64;

/// Runs `work`; returns what it returns and the bytes of stack that it used.
///
/// What is measured must be a function that `work` calls and that is not
/// inlined: its frame then lies below this one.
#[inline(never)]
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let bottom = stack_end();
    let top = stack_pointer();
    let free = (top - bottom as usize) / 4 - MARGIN;
    for i in 0..free {
        // SAFETY: `bottom .. bottom + free` is memory between the end of the
        // stack and this frame; no object lives there.
        unsafe { ptr::write_volatile(bottom.add(i), PATTERN) };
    }
    let result = work();
    let untouched = (0..free)
        // SAFETY: as above; volatile, because the frames of `work` wrote
        // there behind the compiler's back.
        .find(|&i| unsafe { ptr::read_volatile(bottom.add(i)) } != PATTERN)
        .unwrap_or(free);
    (result, top - (bottom as usize + 4 * untouched))
}
