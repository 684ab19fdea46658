//! The one way in which a secret decides a branch.

use core::hint::black_box;

/// Lets a secret bit decide: from here on everybody may know it.
///
/// The constant-time check accepts the branch in here, for the callers that
/// `tests/ct/accepted.supp` names, and no other branch in those callers. So every
/// use is a statement about the scheme, which `docs/CONSTANT-TIME.md` justifies.
#[inline(never)]
pub(crate) fn reveal(bit: bool) -> bool {
    // Two constants, so that callers branch on a value that is not the secret's.
    if black_box(bit) {
        black_box(true)
    } else {
        black_box(false)
    }
}
