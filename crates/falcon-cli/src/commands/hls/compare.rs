//! `hls compare`: the presets side by side.

use super::{design::Task, refused};
use crate::{error::Result, ui::Ui};
use clap::Args;
use falcon_hls_sim::{catalog::XC7Z020, view::compare::Comparison};

/// Compare the presets: cycles, time, speedup and resources in one table
#[derive(Debug, Args)]
#[command(after_help = "\
Column x is the speedup over the first preset, by time. LUT, FF and BRAM are estimates; they
leave out the control of the loops and the AXI adapters.")]
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
