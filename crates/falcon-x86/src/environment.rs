//! The floating-point environment: rounding, flushing to zero, traps.

use core::arch::asm;

/// The control bits of MXCSR: all but the six flags.
const CONTROL: u32 = 0xffc0;

/// The control bits that a program has when it starts: rounding to nearest even, no flushing of
/// subnormal numbers (neither FTZ nor DAZ), and no traps.
const DEFAULT: u32 = 0x1f80;

/// Calls `f` in the default floating-point environment: rounding to nearest even, no flushing of
/// subnormal numbers, no traps.
///
/// The caller's environment, with its flags, is restored when `f` returns or unwinds. If it is the
/// default already, nothing is written.
///
/// ```
/// # #[cfg(target_arch = "x86_64")]
/// assert_eq!(falcon_x86::with_default_environment(|| 0.1 + 0.2), 0.30000000000000004);
/// ```
// Inlined, so that the usual case costs only a load and a comparison besides the call of `f`.
#[inline]
pub fn with_default_environment<R>(f: impl FnOnce() -> R) -> R {
    let found = mxcsr();
    // Compares all control bits, not only those of rounding: the comparison costs the same. So FTZ,
    // DAZ and traps have no effect either.
    let _restore = (found & CONTROL != DEFAULT).then(|| {
        set_mxcsr(DEFAULT);
        Restore(found)
    });
    apart(f)
}

/// Restores MXCSR when dropped, also while a panic unwinds.
struct Restore(u32);

impl Drop for Restore {
    fn drop(&mut self) {
        set_mxcsr(self.0);
    }
}

/// Calls `f`, not inlined. The compiler does not know that floating-point instructions depend on
/// MXCSR. It may move them across the instructions that write MXCSR, but not into another function
/// or out of one.
#[inline(never)]
fn apart<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: the block has no instruction. The compiler must assume that it has an effect. So this
    // function has an effect too, and its calls keep their place among the writes of MXCSR.
    unsafe { asm!("", options(nostack, preserves_flags)) };
    f()
}

/// Reads MXCSR.
#[inline(always)]
fn mxcsr() -> u32 {
    let mut found = 0u32;
    // SAFETY: every processor with SSE has the instruction, and the target has SSE. The instruction
    // writes the four bytes of `found`.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut found, options(nostack, preserves_flags)) };
    found
}

/// Writes MXCSR.
// Not inlined: it is rarely called.
#[cold]
#[inline(never)]
fn set_mxcsr(value: u32) {
    // SAFETY: every processor with SSE has the instruction, and the target has SSE. The instruction
    // reads the four bytes of `value`, which is the default or was read from MXCSR, so no reserved
    // bit is set. With the default, floating-point code computes what the compiler assumes. The
    // other value is that of the caller, which is restored before its code continues.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &value, options(nostack)) };
}
