//! The one way in which a secret may decide a branch.

/// Returns `value`, which is public from here on although it was computed from secrets.
///
/// Code may branch on a revealed value. Every use states why the value is public. This compiles to
/// nothing.
#[inline(always)]
pub(crate) fn reveal<T: Copy>(value: T) -> T {
    value
}
