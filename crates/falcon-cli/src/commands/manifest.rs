//! `manifest`: signs and verifies the files of a folder under one signature.

mod folder;
mod sign;
mod verify;

use crate::{
    engine::Compute,
    error::{Result, Status},
    ui::Ui,
};
use clap::Subcommand;

/// Sign and verify the files of a folder, all under one signature
#[derive(Debug, Subcommand)]
pub(crate) enum Manifest {
    Sign(sign::SignManifest),
    Verify(verify::VerifyManifest),
}

impl Manifest {
    /// Runs the command. `engine` returns the engine that signs.
    pub(crate) fn run(self, engine: impl FnOnce() -> Result<Compute>, ui: Ui) -> Result<Status> {
        match self {
            Self::Sign(sign) => sign.run(&engine()?, ui),
            Self::Verify(verify) => verify.run(ui),
        }
    }
}
