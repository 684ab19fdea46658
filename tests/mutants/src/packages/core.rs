//! Files of falcon-core that are mutated, and those that are not, with the reason.

use std::path::{Path, PathBuf};

/// Sources of the crate, in the workspace.
pub const SOURCES: &str = "crates/falcon-core/src";

/// Files that are mutated.
pub const FILES: [&str; 57] = [
    "any.rs",
    "batch/cpu.rs",
    "batch/lanes.rs",
    "batch/mod.rs",
    "batch/raw.rs",
    "batch/threads.rs",
    "batch/verified.rs",
    "by_name.rs",
    "codec/attached.rs",
    "codec/bits.rs",
    "codec/compressed.rs",
    "codec/lsb_first.rs",
    "codec/mod.rs",
    "codec/public_key.rs",
    "codec/secret_key.rs",
    "codec/side_by_side.rs",
    "codec/signature.rs",
    "det1024.rs",
    "eip8052.rs",
    "engine/mod.rs",
    "engine/names.rs",
    "expand.rs",
    "fndsa_provisional.rs",
    "fndsa_provisional/batch.rs",
    "fndsa_provisional/keygen.rs",
    "fndsa_provisional/signing_key.rs",
    "hash/point.rs",
    "hash_to_point.rs",
    "hazmat.rs",
    "hedge.rs",
    "keys.rs",
    "norm.rs",
    "ntru/mod.rs",
    "ntru/short.rs",
    "pkcs8.rs",
    "pkcs8/any.rs",
    "pkcs8/certificate.rs",
    "pkcs8/encrypted.rs",
    "prng.rs",
    "recovery.rs",
    "ring.rs",
    "sampler/base.rs",
    "sampler/ber_exp.rs",
    "sampler/first_byte.rs",
    "sampler/mod.rs",
    "sampler/records.rs",
    "sampler/serial.rs",
    "sampler/shake.rs",
    "sampler/windows.rs",
    "scratch.rs",
    "serde.rs",
    "sign.rs",
    "signatures.rs",
    "signing.rs",
    "signing/blocks.rs",
    "twice.rs",
    "verify.rs",
];

/// Known answers and equal bytes pin every result. They say nothing about wipes, so the wipes of
/// these files are removed.
const PINNED: &str = "known answers pin every result";
/// Tests compare every operation with another implementation.
const COMPARED: &str = "compared with another implementation";
/// Nothing runs that a switch could change: tables, constants, `const` functions.
const CONSTANTS: &str = "constants, tables and functions for them";
/// Entries of one call each, traits, and functions that are empty outside the constant-time check.
const TABLE: &str = "one call each";
/// Compiled for builds without an instruction set, whose tests `.ci/run engines` runs.
const OTHER_BUILDS: &str = "not compiled where the mutants run";
/// Texts only.
const TEXTS: &str = "texts of errors";

/// Files that are not mutated. Tests are not named.
const NOT_MUTATED: [(&str, &str); 50] = [
    ("engine/rounding.rs", OTHER_BUILDS),
    ("error.rs", TEXTS),
    ("ffsampling.rs", PINNED),
    ("fft/lanes.rs", PINNED),
    ("fft/mod.rs", PINNED),
    ("fft/nodes.rs", PINNED),
    ("fft/runs.rs", PINNED),
    ("fft/transform.rs", PINNED),
    ("fft/twiddle_table.rs", CONSTANTS),
    ("fpr/mod.rs", CONSTANTS),
    ("fpr/soft/arith.rs", COMPARED),
    ("fpr/soft/convert.rs", COMPARED),
    ("fpr/soft/div.rs", COMPARED),
    ("fpr/soft/mod.rs", COMPARED),
    ("fpr/soft/sqrt.rs", COMPARED),
    ("fpr/soft/word.rs", COMPARED),
    ("hash/mod.rs", PINNED),
    ("kernel_tables.rs", CONSTANTS),
    ("lanes/binary64.rs", COMPARED),
    ("lanes/mod.rs", COMPARED),
    ("lanes/soft.rs", COMPARED),
    ("lib.rs", CONSTANTS),
    ("modq.rs", CONSTANTS),
    ("ntru/fixed.rs", PINNED),
    ("ntru/fndsa.rs", PINNED),
    ("ntru/fndsa/condition.rs", PINNED),
    ("ntru/fndsa/q32.rs", PINNED),
    ("ntru/fndsa/reduction.rs", PINNED),
    ("ntru/gauss.rs", PINNED),
    ("ntru/gauss_table.rs", CONSTANTS),
    ("ntru/modulus.rs", PINNED),
    ("ntru/primes.rs", CONSTANTS),
    ("ntru/radix31.rs", PINNED),
    ("ntru/replay.rs", PINNED),
    ("ntru/rns.rs", PINNED),
    ("ntru/solve.rs", PINNED),
    ("ntru/stability.rs", PINNED),
    ("ntru/tower.rs", PINNED),
    ("ntru/tower/lengths.rs", CONSTANTS),
    ("ntru/zint.rs", PINNED),
    ("ntt/mod.rs", PINNED),
    ("ntt/portable.rs", PINNED),
    ("ntt/rows.rs", PINNED),
    ("ntt/twiddles.rs", CONSTANTS),
    ("ntt/words.rs", PINNED),
    ("operations.rs", TABLE),
    ("params.rs", CONSTANTS),
    ("reveal.rs", TABLE),
    ("secret.rs", TABLE),
    ("tree.rs", PINNED),
];

/// Files of which wipes are removed, and nothing else is changed.
pub fn wipes_only() -> impl Iterator<Item = &'static str> {
    let pinned = NOT_MUTATED.iter().filter(|(_, reason)| *reason == PINNED);
    pinned.map(|(file, _)| *file)
}

/// Every source file is either mutated or has a reason why not.
///
/// # Errors
/// Names a file that is in neither list or in both, or is gone.
pub fn check(folder: &Path, sources: &[PathBuf]) -> Result<(), String> {
    let name = |path: &PathBuf| {
        let name = path.strip_prefix(folder).unwrap_or(path);
        name.to_string_lossy().replace('\\', "/")
    };
    let names: Vec<_> = sources.iter().map(name).collect();
    let is_test = |name: &str| name.contains("/tests/") || name.ends_with("tests.rs");
    for name in names.iter().filter(|name| !is_test(name)) {
        let excused = NOT_MUTATED.iter().filter(|(file, _)| file == name).count();
        if FILES.iter().filter(|file| *file == name).count() + excused != 1 {
            return Err(format!(
                "{name}: name it once, in FILES or in NOT_MUTATED of files.rs"
            ));
        }
    }
    let gone = |file: &&str| !names.iter().any(|name| name == file);
    let listed = NOT_MUTATED.iter().map(|(file, _)| file).chain(&FILES);
    match listed.copied().find(gone) {
        Some(file) => Err(format!("{file}: is in a list of files.rs, but gone")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_in_one_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(SOURCES);
        let mut sources = crate::tree::sources(&folder).unwrap();
        check(&folder, &sources).unwrap();
        sources.push(folder.join("new.rs"));
        assert!(
            check(&folder, &sources)
                .unwrap_err()
                .starts_with("new.rs: ")
        );
        sources.retain(|path| !path.ends_with("new.rs") && !path.ends_with("norm.rs"));
        assert!(
            check(&folder, &sources)
                .unwrap_err()
                .starts_with("norm.rs: ")
        );
    }
}
