//! An allocator that never frees, since the program ends soon.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;

/// Number of bytes that all cases together may allocate.
const LENGTH: usize = 24 << 20;

struct Bump {
    memory: UnsafeCell<[u8; LENGTH]>,
    used: UnsafeCell<usize>,
}

// SAFETY: the program has one thread.
unsafe impl Sync for Bump {}

#[global_allocator]
static ALLOCATOR: Bump = Bump {
    memory: UnsafeCell::new([0; LENGTH]),
    used: UnsafeCell::new(0),
};

// SAFETY: each call returns null, or bytes of `memory` that no other call returned, with the
// requested alignment.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = self.memory.get().cast::<u8>();
        // SAFETY: one thread runs, and no reference to `used` leaves this function.
        let used = unsafe { &mut *self.used.get() };
        let start = (memory as usize + *used).next_multiple_of(layout.align()) - memory as usize;
        match start.checked_add(layout.size()) {
            Some(end) if end <= LENGTH => {
                *used = end;
                memory.wrapping_add(start)
            }
            _ => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
