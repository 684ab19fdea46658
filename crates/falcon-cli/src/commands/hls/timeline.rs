//! `hls timeline`: a run cycle by cycle.

use super::{
    design::{DesignOptions, Task},
    refused,
    trace::{Shown, Traced},
};
use crate::{error::Result, ui::Ui};
use clap::Args;
use falcon_hls_sim::{
    accelerator::Kernel,
    view::{Trace, report::Subject},
};

/// Show a transform cycle by cycle: as text, Gantt chart or waveform
#[derive(Debug, Args)]
#[command(after_help = "\
An iteration is one butterfly. The coefficients of the polynomial are 0, 1, 2 ...; the cycles
do not depend on them.

Without --svg and --vcd, the timeline of 3 iterations goes to standard output.")]
pub(crate) struct Timeline {
    #[command(flatten)]
    design: DesignOptions,
    #[command(flatten)]
    task: Task,
    #[command(flatten)]
    shown: Shown,
}

impl Timeline {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let design = self.design.design()?;
        let Task { logn, transform } = self.task;
        let kernel = Kernel::new(&design, transform).map_err(refused)?;
        let run = Traced {
            subject: Subject::Transform {
                design: (&design).into(),
                transform,
                degree: Some(1 << logn),
            },
            clock_hz: design.clock_hz,
            iterations: transform.iterations(logn).len(),
            in_text: 3,
            trace: |window| Trace::of_transform(&design, &kernel, logn, window),
        };
        self.shown.show(&run, ui)
    }
}
