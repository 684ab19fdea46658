//! The only way in which a branch may depend on a value that was computed from secrets.

/// Returns `value`, which is public from here on although it was computed from secrets.
///
/// Code may branch on a revealed value. Every use states why the value is public, and
/// `docs/MCELIECE.md` lists the uses.
///
/// This compiles to nothing. The constant-time check builds with `--cfg falcon_ct`: then the
/// function that `on_reveal` was given marks the value as public for Valgrind. Any other branch
/// or address that depends on a secret is reported.
#[cfg(not(falcon_ct))]
#[inline(always)]
pub(crate) fn reveal<T: Copy>(value: T) -> T {
    value
}

#[cfg(falcon_ct)]
mod hook {
    use super::host;
    use core::hint::black_box;

    #[inline(always)]
    pub(crate) fn reveal<T: Copy>(mut value: T) -> T {
        // After `black_box` the compiler reads the value from memory again.
        let value = black_box(&mut value);
        host::reveal(core::ptr::from_ref(value).addr(), size_of::<T>());
        *black_box(value)
    }
}

/// Calls the function that the check has set.
#[cfg(all(falcon_ct, not(target_os = "none")))]
mod host {
    extern crate std;
    use std::sync::OnceLock;

    static HOOK: OnceLock<fn(usize, usize)> = OnceLock::new();

    /// Calls `hook` with the address and the length in bytes of every value that is revealed.
    pub fn on_reveal(hook: fn(usize, usize)) {
        let _ = HOOK.set(hook);
    }

    #[inline(always)]
    pub(super) fn reveal(address: usize, length: usize) {
        if let Some(hook) = HOOK.get() {
            hook(address, length);
        }
    }
}

/// Without an operating system, `falcon-riscv-taint` stops at `falcon_ct_public`. The call goes
/// through the function's address, so that the compiler passes every argument.
#[cfg(all(falcon_ct, target_os = "none"))]
mod host {
    use core::hint::black_box;

    fn falcon_ct_public(address: usize, length: usize) {
        // The constant keeps the compiler from merging functions with the same code.
        black_box(("mceliece", address, length));
    }

    pub(super) fn reveal(address: usize, length: usize) {
        black_box(falcon_ct_public as fn(usize, usize))(address, length);
    }
}
#[cfg(falcon_ct)]
pub(crate) use hook::reveal;
#[cfg(all(falcon_ct, not(target_os = "none")))]
pub use host::on_reveal;
