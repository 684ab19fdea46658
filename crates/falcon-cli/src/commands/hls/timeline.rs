//! `hls timeline`: what happens in which cycle.

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

/// Show what happens in which cycle: as text, Gantt chart or waveform
#[derive(Debug, Args)]
#[command(after_help = "\
The polynomial has the coefficients 0, 1, 2 ... Cycles depend on no number.

Without --svg and --vcd the timeline goes to standard output, 3 iterations of it.")]
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
