//! `hls compare`: the presets beside each other.

use super::{design::Task, refused};
use crate::{error::Result, ui::Ui};
use clap::Args;
use falcon_hls_sim::{catalog::XC7Z020, view::compare::Comparison};

/// Run a transform on every preset: cycles, time, speedup, resources in one table
#[derive(Debug, Args)]
#[command(after_help = "\
Each at its own clock; x is how many times less time than the first. LUT, FF and BRAM are
estimates, without the control of the loops and the adapters of AXI.")]
pub(crate) struct Compare {
    #[command(flatten)]
    task: Task,
}

impl Compare {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let Task { logn, transform } = self.task;
        let comparison = Comparison::new(transform, logn, XC7Z020).map_err(refused)?;
        ui.report(&comparison)
    }
}
