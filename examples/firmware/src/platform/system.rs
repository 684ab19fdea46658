//! The simulated system of `crates/falcon-hls-sim/system`: a processor with memory and registers.

use core::arch::global_asm;
use core::ptr;

/// Addresses of the registers and memories, from `map.tsv` of the system.
pub mod map {
    include!(concat!(env!("OUT_DIR"), "/map.rs"));
}

// The link script defines the symbols. Memory that the program does not fill may have any contents.
global_asm!(
    ".section .text.start, \"ax\"",
    ".globl _start",
    "_start:",
    "la sp, _stack_start",
    "la t0, 2f",
    "csrw mtvec, t0",
    "la t0, _zeros_start",
    "la t1, _zeros_end",
    "1:",
    "bgeu t0, t1, 3f",
    "sw zero, 0(t0)",
    "addi t0, t0, 4",
    "j 1b",
    "3:",
    "call main",
    ".balign 4",
    "2:",
    "la sp, _stack_start",
    "csrr a0, mcause",
    "csrr a1, mepc",
    "call trap",
    ".text",
);

unsafe extern "C" {
    /// End of the heap: the lowest address that the stack may reach.
    #[link_name = "_stack_end"]
    static mut STACK_END: u32;
}

/// Returns the lowest address that the stack may reach.
pub(crate) fn stack_end() -> *mut u32 {
    &raw mut STACK_END
}

/// Reads the word at `address` of [`map`].
pub(crate) fn read(address: usize) -> u32 {
    // SAFETY: a register, or the memory of a circuit, where no object is.
    unsafe { ptr::read_volatile(ptr::without_provenance(address)) }
}

/// Writes the word at `address` of [`map`].
pub(crate) fn store(address: usize, word: u32) {
    // SAFETY: a register, or the memory of a circuit, where no object is.
    unsafe { ptr::write_volatile(ptr::without_provenance_mut(address), word) }
}

/// Returns the number of clocks since the reset.
pub fn clocks() -> u64 {
    let low = read(map::CYCLES_LOW);
    u64::from(read(map::CYCLES_HIGH)) << 32 | u64::from(low)
}

/// Returns the number that the simulation gives.
pub fn argument() -> usize {
    read(map::ARGUMENT) as usize
}

/// Prints bytes.
pub(crate) fn write(bytes: &[u8]) {
    for &byte in bytes {
        store(map::CONSOLE, byte.into());
    }
}

/// Ends the simulation. Its exit status is zero if `success`.
pub fn exit(success: bool) -> ! {
    store(map::EXIT, (!success).into());
    #[expect(clippy::empty_loop, reason = "the simulation ends here")]
    loop {}
}
