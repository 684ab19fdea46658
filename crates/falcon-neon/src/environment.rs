//! The floating-point environment: rounding, flushing to zero, traps.

use core::arch::asm;

/// FPCR when a program starts: rounding to nearest even, no flushing of subnormal numbers (none of
/// FZ, FZ16 and FIZ), no alternative handling (AH), no traps.
const DEFAULT: u64 = 0;

/// Calls `f` in the default floating-point environment: rounding to nearest even, no flushing of
/// subnormal numbers, no traps.
///
/// The caller's environment, with its flags, is restored when `f` returns or unwinds. If it is the
/// default already, nothing is written.
///
/// ```
/// # #[cfg(target_arch = "aarch64")]
/// assert_eq!(falcon_neon::with_default_environment(|| 0.1 + 0.2), 0.30000000000000004);
/// ```
// Inlined, so that the usual case costs only a read and a comparison besides the call of `f`.
#[inline]
pub fn with_default_environment<R>(f: impl FnOnce() -> R) -> R {
    let found = fpcr();
    // Compares all bits, not only those of rounding: the comparison costs the same. So flushing,
    // alternative handling and traps have no effect either.
    let _restore = (found != DEFAULT).then(|| Restore::replace(found));
    apart(f)
}

/// Restores FPCR and FPSR when dropped, also while a panic unwinds.
struct Restore {
    fpcr: u64,
    fpsr: u64,
}

impl Restore {
    /// Sets the default environment. `fpcr` is the caller's FPCR.
    #[cold]
    #[inline(never)]
    fn replace(fpcr: u64) -> Self {
        let fpsr: u64;
        // SAFETY: programs may access both registers. FPCR gets the default value. With it,
        // floating-point code computes what the compiler assumes.
        unsafe {
            asm!(
                "mrs {fpsr}, fpsr",
                "msr fpcr, {default}",
                fpsr = out(reg) fpsr,
                default = in(reg) DEFAULT,
                options(nostack, preserves_flags),
            );
        }
        Self { fpcr, fpsr }
    }
}

impl Drop for Restore {
    #[cold]
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: programs may access both registers. They get the values of the caller before its
        // code continues.
        unsafe {
            asm!(
                "msr fpcr, {fpcr}",
                "msr fpsr, {fpsr}",
                fpcr = in(reg) self.fpcr,
                fpsr = in(reg) self.fpsr,
                options(nostack),
            );
        }
    }
}

/// Calls `f`, not inlined. The compiler does not know that floating-point instructions depend on
/// FPCR. It may move them across the instructions that write FPCR, but not into another function or
/// out of one.
#[inline(never)]
fn apart<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: the block has no instruction. The compiler must assume that it has an effect. So this
    // function has an effect too, and its calls keep their place among the writes of FPCR.
    unsafe { asm!("", options(nostack, preserves_flags)) };
    f()
}

/// Reads FPCR.
#[inline(always)]
fn fpcr() -> u64 {
    let found: u64;
    // SAFETY: programs may read the register.
    unsafe { asm!("mrs {}, fpcr", out(reg) found, options(nomem, nostack, preserves_flags)) };
    found
}
