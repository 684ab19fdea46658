//! RV32IMAC. The host is QEMU's user mode or, with the feature `system`, the simulated system of
//! `crates/falcon-hls-sim/system`.

use core::arch::asm;

#[cfg_attr(feature = "system", path = "system.rs")]
#[cfg_attr(not(feature = "system"), path = "linux.rs")]
mod host;
pub use host::*;

/// Makes `$run`, a function that never returns, the entry of the program.
#[macro_export]
macro_rules! program {
    ($run:ident) => {
        // SAFETY: no other symbol has this name, and the entry of the program calls the function
        // once.
        #[unsafe(no_mangle)]
        extern "C" fn main() -> ! {
            $run()
        }
    };
}

/// Returns the stack pointer: the lowest address of the stack that is in use.
pub(crate) fn stack_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the instruction only reads a register.
    unsafe { asm!("mv {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}
