//! The allocator of a program that runs in an emulator.

use crate::requests;
use std::alloc::{GlobalAlloc, Layout, System};

/// Marks memory as public when it is allocated and when it is freed, since `free` compares values
/// that it finds in the memory.
pub struct Allocator;

// SAFETY: `System` allocates, and requests do not change anything that the program sees.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of this function.
        let memory = unsafe { System.alloc(layout) };
        requests::mark_public(memory.addr(), layout.size());
        memory
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        requests::mark_public(pointer.addr(), layout.size());
        // SAFETY: the caller keeps the contract of this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}
