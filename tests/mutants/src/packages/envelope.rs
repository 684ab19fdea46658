//! falcon-envelope.

use super::package::{ALL, CONSTANTS, Package};

pub const PACKAGE: Package = Package {
    name: "falcon-envelope",
    features: &[],
    tests: &["--lib", "--tests"],
    skipped: &[],
    sample: ALL,
    files: &[
        "digest.rs",
        "envelope.rs",
        "error.rs",
        "fingerprint.rs",
        "folder.rs",
        "manifest.rs",
        "path.rs",
        "statement.rs",
        "text.rs",
        "time.rs",
        "trust.rs",
        "unread.rs",
    ],
    not_mutated: &[("lib.rs", CONSTANTS)],
};
