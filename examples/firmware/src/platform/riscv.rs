//! RV32IMAC under QEMU's user mode, which offers the system calls of Linux.

use core::arch::{asm, global_asm};

/// Makes `$run`, a function that never returns, the program.
#[macro_export]
macro_rules! program {
    ($run:ident) => {
        // SAFETY: no other symbol has this name; the entry of the program calls it once.
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            $run()
        }
    };
}

// The stack of the process is aligned to 16 bytes already.
global_asm!(
    ".globl _start",
    "_start:",
    "li ra, 0",
    "li fp, 0",
    "call main",
    "unimp",
);

/// Bytes of stack that a program may take.
const STACK_LEN: usize = 64 << 10;

const SYS_WRITE: usize = 64;
const SYS_EXIT: usize = 93;

/// Returns the lowest address that the stack may reach.
pub(crate) fn stack_end() -> *mut u32 {
    // The caller compares addresses of one stack, which the emulator maps as a whole.
    ((stack_pointer() - STACK_LEN) & !15) as *mut u32
}

/// Returns the lowest address that the stack has reached.
pub(crate) fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: reads a register and nothing else.
    unsafe { asm!("mv {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

/// Writes to the standard output of the host.
pub(crate) fn write(bytes: &[u8]) {
    // SAFETY: `write(1, ..)` reads the bytes of the slice and changes no memory.
    unsafe {
        asm!(
            "ecall",
            in("a7") SYS_WRITE,
            // There is nobody to tell if the host does not listen.
            inlateout("a0") 1 => _,
            in("a1") bytes.as_ptr(),
            in("a2") bytes.len(),
            options(nostack, readonly),
        );
    }
}

/// Ends the program; the emulator's exit status is zero if `success`.
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
