//! QEMU's user mode, which has the system calls of Linux.

use super::stack_pointer;
use core::arch::{asm, global_asm};

// The stack of the process is already aligned to 16 bytes.
global_asm!(
    ".globl _start",
    "_start:",
    "li ra, 0",
    "li fp, 0",
    "call main",
    "unimp",
);

/// Number of bytes of stack that a program may use.
const STACK_LEN: usize = 64 << 10;

const SYS_WRITE: usize = 64;
const SYS_EXIT: usize = 93;

/// Returns the lowest address that the stack may reach.
pub(crate) fn stack_end() -> *mut u32 {
    // The caller compares addresses of one stack, and the emulator maps the whole stack.
    ((stack_pointer() - STACK_LEN) & !15) as *mut u32
}

/// Writes to the standard output of the host.
pub(crate) fn write(bytes: &[u8]) {
    // SAFETY: `write(1, ..)` reads the bytes of the slice and changes no memory.
    unsafe {
        asm!(
            "ecall",
            in("a7") SYS_WRITE,
            // If the host does not listen, the error cannot be reported.
            inlateout("a0") 1 => _,
            in("a1") bytes.as_ptr(),
            in("a2") bytes.len(),
            options(nostack, readonly),
        );
    }
}

/// Ends the program. The emulator's exit status is zero if `success`.
pub fn exit(success: bool) -> ! {
    // SAFETY: the call ends the process.
    unsafe {
        asm!(
            "ecall",
            in("a7") SYS_EXIT,
            in("a0") usize::from(!success),
            options(noreturn, nostack),
        )
    }
}
