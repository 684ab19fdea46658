//! The status of the scheme's security, with a date. `docs/MCELIECE.md` tells more.

/// One line, for `keygen`.
pub(crate) const STANDING: &str = "the security of this scheme is in question: since August 2026 \
    papers claim attacks on all parameter sets, and no key has been recovered (state of \
    2026-11-24); do not use it as the only protection of anything";
