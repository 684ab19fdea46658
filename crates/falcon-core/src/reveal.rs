//! Values that are revealed, and values that must be secret. Revealing is the only way in which a
//! secret may decide a branch or an address.

/// Returns `value`, which is public from here on although it was computed from secrets.
///
/// Code may branch on a revealed value and use it as an index. Every use states a fact about the
/// scheme. `docs/CONSTANT-TIME.md` justifies each.
///
/// This compiles to nothing. The constant-time check builds with `--cfg falcon_ct`: then the
/// function that `on_reveal` was given marks the value as public for Valgrind. Any other branch
/// or address that depends on a secret is reported.
#[cfg(not(falcon_ct))]
#[inline(always)]
pub(crate) fn reveal<T: Copy>(value: T) -> T {
    value
}

/// Makes every value of `values` public, as [`reveal`] does.
#[inline(always)]
pub(crate) fn reveal_all<T: Copy>(values: &mut [T]) {
    for value in values {
        *value = reveal(*value);
    }
}

/// States that every bit of `value` is secret.
///
/// This compiles to nothing, except in the constant-time check, which reports a value if one of its
/// bits is public. Some code hides other secrets only while this input is secret.
#[cfg(not(falcon_ct))]
#[inline(always)]
pub(crate) fn expect_secret<T>(_value: &T) {}

#[cfg(falcon_ct)]
mod hook {
    use super::host;
    use core::hint::black_box;

    #[inline(always)]
    pub(crate) fn expect_secret<T>(value: &T) {
        let value = black_box(value);
        host::expect_secret(core::ptr::from_ref(value).addr(), size_of::<T>());
    }

    #[inline(always)]
    pub(crate) fn reveal<T: Copy>(mut value: T) -> T {
        // Behind `black_box` the value is read from memory again after the call.
        let value = black_box(&mut value);
        host::reveal(core::ptr::from_ref(value).addr(), size_of::<T>());
        *black_box(value)
    }
}

/// Functions that call the hooks of the check.
#[cfg(all(falcon_ct, not(target_os = "none")))]
mod host {
    extern crate std;
    use std::sync::OnceLock;

    static HOOK: OnceLock<fn(usize, usize)> = OnceLock::new();
    static SECRET_HOOK: OnceLock<fn(usize, usize)> = OnceLock::new();

    /// Calls `hook` with the address and the length in bytes of every value that must be secret.
    pub fn on_expect_secret(hook: fn(usize, usize)) {
        let _ = SECRET_HOOK.set(hook);
    }

    /// Calls `hook` with the address and the length in bytes of every value that is revealed.
    pub fn on_reveal(hook: fn(usize, usize)) {
        let _ = HOOK.set(hook);
    }

    #[inline(always)]
    pub(super) fn expect_secret(address: usize, length: usize) {
        if let Some(hook) = SECRET_HOOK.get() {
            hook(address, length);
        }
    }

    #[inline(always)]
    pub(super) fn reveal(address: usize, length: usize) {
        if let Some(hook) = HOOK.get() {
            hook(address, length);
        }
    }
}

/// Without an operating system, `falcon-riscv-taint` stops at these functions. They are called
/// by their addresses, so that the compiler passes every argument.
#[cfg(all(falcon_ct, target_os = "none"))]
mod host {
    use core::hint::black_box;

    fn falcon_ct_expect(address: usize, length: usize) {
        // The constant keeps the compiler from merging functions with the same code.
        black_box(("expect", address, length));
    }

    fn falcon_ct_public(address: usize, length: usize) {
        black_box(("core", address, length));
    }

    pub(super) fn expect_secret(address: usize, length: usize) {
        black_box(falcon_ct_expect as fn(usize, usize))(address, length);
    }

    pub(super) fn reveal(address: usize, length: usize) {
        black_box(falcon_ct_public as fn(usize, usize))(address, length);
    }
}
#[cfg(falcon_ct)]
pub(crate) use hook::expect_secret;
#[cfg(falcon_ct)]
pub(crate) use hook::reveal;
#[cfg(all(falcon_ct, not(target_os = "none")))]
pub use host::{on_expect_secret, on_reveal};
