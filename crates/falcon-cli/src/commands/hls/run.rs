//! `hls run`: cycles and resources of a transform on a design.

use super::{
    design::{DesignOptions, Task},
    refused,
};
use crate::{error::Result, ui::Ui};
use clap::Args;
use falcon_hls_sim::{catalog::XC7Z020, measurement::Measurement, view::report::RunForm};

/// Simulate a transform on a design: cycles, time, resources, speedup
#[derive(Debug, Args)]
#[command(after_help = "\
Latencies and DSP slices agree with the paper's Table II. Other resources are estimates; they
leave out the control of the loops and the AXI adapters.")]
pub(crate) struct Run {
    #[command(flatten)]
    design: DesignOptions,
    #[command(flatten)]
    task: Task,
}

impl Run {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let design = self.design.design()?;
        let Task { logn, transform } = self.task;
        let measurement = Measurement::new(design, transform, logn).map_err(refused)?;
        let form = RunForm::new(&measurement, XC7Z020).map_err(refused)?;
        ui.report(&form)?;
        if let Some(asked) = self.design.interval
            && asked < form.timing.interval
        {
            ui.warn(format_args!(
                "--interval {asked} is not possible; {} is the smallest: see `hls explain`",
                form.timing.interval
            ));
        }
        for concern in &form.resources.concerns {
            ui.warn(format_args!(
                "does not fit {}: {concern}",
                form.resources.part
            ));
        }
        Ok(())
    }
}
