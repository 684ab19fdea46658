//! Floating-point environments of the host, for tests. A library in the program may have set any of
//! these environments.

use std::fmt;

#[cfg(target_arch = "x86_64")]
mod register {
    use std::arch::asm;

    /// Modes for rounding down, up and to zero.
    pub(super) const MODES: [u64; 3] = [1 << 13, 2 << 13, 3 << 13];
    /// The bits FTZ and DAZ.
    pub(super) const FLUSHING: u64 = 1 << 15 | 1 << 6;
    /// The six exception flags, which floating-point code sets.
    pub(super) const FLAGS: u64 = 0x3f;

    /// The masks of the six exceptions, set by default.
    pub(super) const MASKS: u64 = 0x3f << 7;

    /// Returns the value of MXCSR.
    pub fn read() -> u64 {
        let mut found = 0u32;
        // SAFETY: the instruction writes the four bytes of `found`.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut found, options(nostack)) };
        found.into()
    }

    /// Writes MXCSR.
    pub(super) fn write(value: u64) {
        let value = value as u32;
        // SAFETY: the instruction reads the four bytes of `value`, in which no reserved bit is set.
        // The code that follows runs in another environment than the compiler assumes, as in
        // programs that load such a library.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &value, options(nostack)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    use std::arch::asm;

    /// Modes for rounding down, up and to zero.
    pub(super) const MODES: [u64; 3] = [2 << 22, 1 << 22, 3 << 22];
    /// The bit FZ.
    pub(super) const FLUSHING: u64 = 1 << 24;
    /// No flags: they are in another register.
    pub(super) const FLAGS: u64 = 0;
    /// No masks: most processors do not support traps.
    pub(super) const MASKS: u64 = 0;

    /// Reads FPCR.
    pub fn read() -> u64 {
        let found: u64;
        // SAFETY: programs may read the register.
        unsafe { asm!("mrs {}, fpcr", out(reg) found, options(nostack)) };
        found
    }

    /// Writes FPCR.
    pub(super) fn write(value: u64) {
        // SAFETY: programs may write the register. The code that follows runs in another
        // environment than the compiler assumes, as in programs that load such a library.
        unsafe { asm!("msr fpcr, {}", in(reg) value, options(nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod register {
    pub(super) const MODES: [u64; 3] = [0; 3];
    pub(super) const FLUSHING: u64 = 0;
    pub(super) const FLAGS: u64 = 0;
    pub(super) const MASKS: u64 = 0;

    /// Returns zero: the tests do not know the control register of this processor.
    pub fn read() -> u64 {
        0
    }

    pub(super) fn write(_: u64) {}
}

pub use register::read;

/// A floating-point environment: a rounding mode, with or without flushing of subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Environment {
    name: &'static str,
    flushes: bool,
    /// The control bits that differ from the default.
    bits: u64,
}

impl Environment {
    /// Returns every environment except the default one. If the tests do not know the register of
    /// this processor, prints a note to stderr and returns no environment.
    pub fn all() -> Vec<Self> {
        let [down, up, zero] = register::MODES;
        let modes = [("nearest", 0), ("down", down), ("up", up), ("zero", zero)];
        let all = modes.into_iter().flat_map(|(name, bits)| {
            [(false, 0), (true, register::FLUSHING)].map(|(flushes, more)| Self {
                name,
                flushes,
                bits: bits | more,
            })
        });
        let all: Vec<_> = all.filter(|environment| environment.bits != 0).collect();
        if all.is_empty() {
            eprintln!("skipped: no rounding modes that the tests can set");
        }
        all
    }

    /// Returns the environment that rounds to nearest and traps every exception, also for inexact
    /// results. Returns `None` on a processor without traps.
    pub fn trapping() -> Option<Self> {
        let bits = register::MASKS;
        (bits != 0).then_some(Self {
            name: "nearest and trapping",
            flushes: false,
            bits,
        })
    }

    /// Calls `f` in this environment. Afterwards the default one is restored, even if `f` panics.
    ///
    /// # Panics
    /// If `f` leaves another environment behind.
    pub fn run<R>(self, f: impl FnOnce() -> R) -> R {
        let default = Default(read());
        let inside = default.0 ^ self.bits;
        register::write(inside);
        let result = apart(f);
        let after = read();
        drop(default);
        assert_eq!(
            after & !register::FLAGS,
            inside & !register::FLAGS,
            "{self}: the environment was changed"
        );
        result
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flushing = if self.flushes { ", flushing" } else { "" };
        write!(f, "rounding {}{flushing}", self.name)
    }
}

/// Restores the register when dropped.
struct Default(u64);

impl Drop for Default {
    fn drop(&mut self) {
        register::write(self.0);
    }
}

/// Calls `f` without inlining, so that none of its instructions moves across a write of the
/// register.
#[inline(never)]
fn apart<R>(f: impl FnOnce() -> R) -> R {
    f()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Returns the sum of two numbers that are unknown to the compiler.
    fn sum(a: f64, b: f64) -> f64 {
        black_box(a) + black_box(b)
    }

    #[test]
    fn environments_round_as_they_are_called() {
        let tiny = f64::EPSILON / 8.0;
        let (above, below) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0);
        for environment in Environment::all() {
            let sums = environment.run(|| [sum(1.0, tiny), sum(1.0, -tiny)]);
            let expected = match environment.name {
                "nearest" => [1.0, 1.0],
                "down" | "zero" => [1.0, below],
                _ => [above, 1.0],
            };
            assert_eq!(sums, expected, "{environment}");
            let subnormal = environment.run(|| sum(f64::MIN_POSITIVE, f64::MIN_POSITIVE / -2.0));
            assert_eq!(
                subnormal == 0.0 || subnormal == f64::MIN_POSITIVE,
                environment.flushes,
                "{environment}"
            );
        }
    }
}
