//! falcon-x509.

use super::package::{ALL, CONSTANTS, Package, TEXTS};

pub const PACKAGE: Package = Package {
    name: "falcon-x509",
    features: &[],
    tests: &["--lib", "--tests"],
    skipped: &[],
    sample: ALL,
    files: &["content.rs", "sign.rs", "verify.rs"],
    not_mutated: &[("error.rs", TEXTS), ("lib.rs", CONSTANTS)],
};
