//! The one way in which a secret may decide a branch.

/// Returns `value`, which is public from here on although it was computed from secrets.
///
/// Code may branch on a revealed value. Every use states why the value is public, and
/// `docs/MCELIECE.md` lists them.
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
    extern crate std;
    use core::hint::black_box;
    use std::sync::OnceLock;

    static HOOK: OnceLock<fn(usize, usize)> = OnceLock::new();

    /// Calls `hook` with the address and the length in bytes of every value that is revealed.
    pub fn on_reveal(hook: fn(usize, usize)) {
        let _ = HOOK.set(hook);
    }

    #[inline(always)]
    pub(crate) fn reveal<T: Copy>(mut value: T) -> T {
        // Behind `black_box` the value is read from memory again after the call.
        let value = black_box(&mut value);
        if let Some(hook) = HOOK.get() {
            hook(core::ptr::from_ref(value).addr(), size_of::<T>());
        }
        *black_box(value)
    }
}
#[cfg(falcon_ct)]
pub use hook::on_reveal;
#[cfg(falcon_ct)]
pub(crate) use hook::reveal;
