//! `hls run`: what a transform takes on a design.

use super::{
    design::{DesignOptions, Task},
    refused,
};
use crate::{error::Result, ui::Ui};
use clap::Args;
use falcon_hls_sim::{catalog::XC7Z020, measurement::Measurement, view::report::RunForm};

/// Run a transform on a design: cycles, time, resources, speedup
#[derive(Debug, Args)]
#[command(after_help = "\
Latencies and DSP slices are a set that closes with the paper's Table II; other resources are
estimates, without the control of the loops and the adapters of AXI.")]
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
                "an interval of {asked} was asked for, {} is the least: see `hls explain`",
                form.timing.interval
            ));
        }
        for concern in &form.resources.concerns {
            ui.warn(format_args!("not on {}: {concern}", form.resources.part));
        }
        Ok(())
    }
}
