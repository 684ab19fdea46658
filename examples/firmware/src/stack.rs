//! Measures the peak stack use of a call by painting: the free stack is filled with a pattern.
//! After the call, the lowest changed word shows the depth of the stack.

use crate::platform::{stack_end, stack_pointer};
use core::ptr;

const PATTERN: u32 = 0x5AFE_57AC;

/// Number of words just below this frame that are not painted. They belong to functions that
/// `measure` calls to paint and to scan.
const MARGIN: usize = 64;

/// Runs `work`. Returns its result and the number of bytes of stack that it used.
///
/// `work` must call the measured function, which must not be inlined. The frame of that function is
/// then below this one.
#[inline(never)]
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let bottom = stack_end();
    let top = stack_pointer();
    let free = (top - bottom as usize) / 4 - MARGIN;
    for i in 0..free {
        // SAFETY: `bottom .. bottom + free` is memory between the end of the stack and this frame.
        // No object is there.
        unsafe { ptr::write_volatile(bottom.add(i), PATTERN) };
    }
    let result = work();
    let untouched = (0..free)
        // SAFETY: the memory is between the end of the stack and this frame. The read is volatile,
        // because the compiler does not know that the frames of `work` wrote there.
        .find(|&i| unsafe { ptr::read_volatile(bottom.add(i)) } != PATTERN)
        .unwrap_or(free);
    (result, top - (bottom as usize + 4 * untouched))
}
