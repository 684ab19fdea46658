//! Verifies a folder against its manifest.
//! `cargo run -p falcon-envelope --example folder -- TRUST MANIFEST FOLDER`, where `TRUST` is a
//! trust list, such as `falcon-cli trust add` writes.

use falcon_envelope::{Difference, Digest, Revoked, SignedManifest, TrustList, list_files};
use std::{
    env,
    error::Error,
    fs::{self, File},
    path::Path,
    process::ExitCode,
};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [trust, manifest, folder] = &arguments[..] else {
        return Err("usage: folder TRUST MANIFEST FOLDER".into());
    };
    let (trust, folder) = (TrustList::parse(&fs::read(trust)?)?, Path::new(folder));
    let signed = SignedManifest::parse(&fs::read(manifest)?)?;
    let signer = trust.signer_of(signed.envelope(), Revoked::Refuse)?;
    let (manifest, statement) = signed.verify(signer.key())?;

    let found = list_files(folder)?;
    let mut problems = Vec::new();
    for other in &found.not_listed {
        problems.push(format!("{}: {}", other.path.display(), other.reason));
    }
    for difference in manifest.compare(&found.files) {
        match difference {
            Difference::Missing(entry) => problems.push(format!("{}: is missing", entry.path)),
            Difference::Extra(path) => problems.push(format!("{path}: was not signed")),
            Difference::Present(entry) => {
                let file = File::open(folder.join(entry.path.as_str()))?;
                if Digest::of_reader(file)? != entry.digest {
                    problems.push(format!("{}: was changed", entry.path));
                }
            }
        }
    }
    for problem in &problems {
        println!("{problem}");
    }
    let (files, time) = (manifest.entries().len(), statement.time());
    println!(
        "{files} files signed at {time}, {} problems",
        problems.len()
    );
    Ok(ExitCode::from(u8::from(!problems.is_empty())))
}
