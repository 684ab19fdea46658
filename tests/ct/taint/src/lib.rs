//! Runs x86-64 code in translation and follows secret bytes through every instruction.
//!
//! [`run`] translates the program block by block, with the instructions unchanged. After each block
//! it computes which bytes of registers and memory are secret now. It reports each branch, each
//! address and each integer division that depends on a secret byte. It supports all instructions of
//! the processor, including AVX-512, since `iced-x86` describes all of them.
//!
//! Programs mark secrets with the requests of Valgrind's Memcheck, which the translator recognises
//! in the code. So a program that is checked under Memcheck runs here unchanged.
//!
//! A byte is secret as a whole. If a rule for an instruction is not exact, it marks more bytes,
//! never fewer. The program must have one thread. It runs on Linux on x86-64 only. On AArch64 the
//! crate has only the [`requests`] and the allocator, for programs in an emulator.

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
mod allocator;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod analyser;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod audit;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod machine;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod names;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod places;
#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    target_os = "linux"
))]
pub mod requests;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod rules;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod step;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod taint;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod translate;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use analyser::run;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use audit::{Audit, run_and_audit};
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use machine::Allocator;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use taint::Memory;

#[cfg(all(target_arch = "aarch64", target_os = "linux"))]
pub use allocator::Allocator;
