//! falcon-keccak.

use super::package::{ALL, COMPARED, CONSTANTS, Package};

pub const PACKAGE: Package = Package {
    name: "falcon-keccak",
    features: &[],
    tests: &["--lib", "--test=wiping"],
    skipped: &[],
    sample: ALL,
    files: &["shake.rs", "side_by_side.rs", "single.rs"],
    // If every number of the permutation were behind a switch, compiling would take too long.
    not_mutated: &[
        ("keccak.rs", COMPARED),
        ("lazy.rs", COMPARED),
        ("lib.rs", CONSTANTS),
    ],
};
