//! Parts that both programs share: the known answer that they check, the measurement of the stack,
//! and a way to speak to the host.
#![no_std]

pub mod known_answer;
pub mod report;
pub mod stack;

use core::panic::PanicInfo;
use cortex_m_rt::{ExceptionFrame, exception};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    report::line("panic");
    report::exit(false)
}

// SAFETY: the handler touches nothing that the interrupted code may have left
// half written.
#[exception]
unsafe fn HardFault(_: &ExceptionFrame) -> ! {
    report::line("hard fault");
    report::exit(false)
}
