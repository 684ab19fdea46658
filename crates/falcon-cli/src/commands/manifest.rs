//! `manifest`: one signature over the files of a folder.

mod folder;
mod sign;
mod verify;

use crate::{
    engine::Compute,
    error::{Error, Result, Status},
    place::with_suffix,
    ui::Ui,
};
use clap::Subcommand;
use std::path::{Path, PathBuf};

/// Sign and verify the files of a folder, all under one signature
#[derive(Debug, Subcommand)]
pub(crate) enum Manifest {
    Sign(sign::SignManifest),
    Verify(verify::VerifyManifest),
}

impl Manifest {
    /// `engine` finds the engine that signs.
    pub(crate) fn run(self, engine: impl FnOnce() -> Result<Compute>, ui: Ui) -> Result<Status> {
        match self {
            Self::Sign(sign) => sign.run(&engine()?, ui),
            Self::Verify(verify) => verify.run(ui),
        }
    }
}

/// `FOLDER.manifest`, beside the folder. The path may end with a separator.
fn manifest_path(folder: &Path) -> Result<PathBuf> {
    match folder.file_name() {
        Some(name) => Ok(folder.with_file_name(with_suffix(Path::new(name), ".manifest"))),
        None => Err(Error::at(folder, "has no name to add .manifest to")
            .hint("name the manifest: sign has --output, verify has --manifest")),
    }
}
