//! Crates that are mutated, their files that are not mutated, and the reasons.

mod cli;
mod core;
mod envelope;
mod keccak;
mod mceliece;
mod package;
mod x509;

pub use package::Package;

/// All crates, the quickest first.
pub const PACKAGES: [Package; 6] = [
    keccak::PACKAGE,
    x509::PACKAGE,
    envelope::PACKAGE,
    mceliece::PACKAGE,
    cli::PACKAGE,
    core::PACKAGE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_source_is_in_one_list() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for package in PACKAGES {
            let sources = crate::tree::sources(&root.join(package.sources())).unwrap();
            package.check(&root, &sources).unwrap();
        }
        let package = core::PACKAGE;
        let folder = root.join(package.sources());
        let mut sources = crate::tree::sources(&folder).unwrap();
        sources.push(folder.join("new.rs"));
        let error = package.check(&root, &sources).unwrap_err();
        assert!(error.starts_with("falcon-core: new.rs: "), "{error}");
        sources.retain(|path| !path.ends_with("new.rs") && !path.ends_with("norm.rs"));
        let error = package.check(&root, &sources).unwrap_err();
        assert!(error.starts_with("falcon-core: norm.rs: "), "{error}");
    }
    #[test]
    fn what_decides_no_verdict_has_no_error() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for package in PACKAGES {
            let folder = root.join(package.sources());
            let excused = package.not_mutated.iter();
            let excused = excused.filter(|(_, reason)| *reason == package::NO_VERDICT);
            for (file, _) in excused {
                let text = std::fs::read_to_string(folder.join(file)).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap();
                let refuses = code.contains("Err(") || code.contains("Error::");
                assert!(!refuses, "{}: {file} refuses", package.name);
            }
        }
    }
}
