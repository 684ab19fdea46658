//! A Cortex-M4 under QEMU. It communicates with the host by semihosting.

use cortex_m_rt::{ExceptionFrame, exception};
use cortex_m_semihosting::{debug, hio};

/// Makes `$run`, a function that never returns, the entry of the program.
#[macro_export]
macro_rules! program {
    ($run:ident) => {
        #[cortex_m_rt::entry]
        fn main() -> ! {
            $run()
        }
    };
}

unsafe extern "C" {
    /// End of the statics: the lowest address that the stack may reach.
    #[link_name = "_stack_end"]
    static mut STACK_END: u32;
}

/// Returns the lowest address that the stack may reach.
pub(crate) fn stack_end() -> *mut u32 {
    &raw mut STACK_END
}

/// Returns the stack pointer: the lowest address of the stack that is in use.
pub(crate) fn stack_pointer() -> usize {
    cortex_m::register::msp::read() as usize
}

/// Writes to the standard output of the host.
pub(crate) fn write(bytes: &[u8]) {
    if let Ok(mut out) = hio::hstdout() {
        // If the host does not listen, the error cannot be reported.
        let _ = out.write_all(bytes);
    }
}

/// Ends the program. The emulator's exit status is zero if `success`.
pub fn exit(success: bool) -> ! {
    debug::exit(if success {
        debug::EXIT_SUCCESS
    } else {
        debug::EXIT_FAILURE
    });
    loop {
        cortex_m::asm::bkpt();
    }
}

// SAFETY: the handler uses no data that the interrupted code may have left half written.
#[exception]
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    write(b"hard fault\n");
    exit(false)
}
