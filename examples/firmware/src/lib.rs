//! Common parts of the programs: the processor, the known answers, the measurement of the stack,
//! and the output to the host.
#![no_std]

#[cfg(feature = "system")]
extern crate alloc;

#[cfg(feature = "system")]
pub mod circuit;
#[cfg(feature = "system")]
pub mod fpu;
#[cfg(feature = "system")]
mod heap;
pub mod known_answer;
#[cfg(feature = "mceliece")]
pub mod mceliece;
#[cfg(feature = "system")]
pub mod operations;
#[cfg_attr(target_arch = "arm", path = "platform/cortex_m.rs")]
#[cfg_attr(target_arch = "riscv32", path = "platform/riscv.rs")]
pub mod platform;
pub mod report;
pub mod stack;

use core::panic::PanicInfo;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    report::line("panic");
    platform::exit(false)
}

/// Ends the program after an exception, such as an instruction that the processor lacks. The start
/// of `platform/system.rs` calls it.
#[cfg(feature = "system")]
#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, address: usize) -> ! {
    report::number("exception", cause);
    report::number("address", address);
    platform::exit(false)
}
