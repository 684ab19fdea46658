//! A heap for programs of the simulated system: the memory between the statics and the stack.
//! Nothing is freed.

use crate::platform::stack_end;
use core::alloc::{GlobalAlloc, Layout};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

unsafe extern "C" {
    /// End of the statics, from the link script.
    #[link_name = "_zeros_end"]
    static mut HEAP_START: u8;
}

struct Heap {
    /// Number of bytes that are allocated.
    used: AtomicUsize,
}

#[global_allocator]
static HEAP: Heap = Heap {
    used: AtomicUsize::new(0),
};

// SAFETY: the processor has one thread and no interrupts, so no other call comes between the load
// and the store. Blocks do not overlap, since `used` only grows.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let start = (&raw mut HEAP_START).addr();
        let block = (start + self.used.load(Ordering::Relaxed)).next_multiple_of(layout.align());
        let end = block + layout.size();
        if end > stack_end().addr() {
            return ptr::null_mut();
        }
        self.used.store(end - start, Ordering::Relaxed);
        (&raw mut HEAP_START).with_addr(block)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
