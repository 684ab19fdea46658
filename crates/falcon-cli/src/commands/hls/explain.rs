//! `hls explain`: why an interval is what it is.

use super::{
    design::{DesignOptions, Task},
    refused,
};
use crate::{error::Result, ui::Ui};
use clap::Args;
use falcon_hls_sim::{
    accelerator::Kernel,
    view::{
        explain::Explanation,
        report::{ExplainForm, Subject, VERSION},
    },
};

/// Tell why the initiation interval (II) is what it is
#[derive(Debug, Args)]
#[command(after_help = "\
A unit allows as many cycles as it has operations in an iteration, divided by the number of
such units; a recurrence as many as it takes to come back to the next iteration. What follows
`with` was scheduled again with that limit gone.")]
pub(crate) struct Explain {
    #[command(flatten)]
    design: DesignOptions,
    #[command(flatten)]
    task: Task,
}

impl Explain {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let design = self.design.design()?;
        let kernel = Kernel::new(&design, self.task.transform).map_err(refused)?;
        ui.report(&ExplainForm {
            version: VERSION,
            subject: Subject::Transform {
                design: (&design).into(),
                transform: self.task.transform,
                degree: None,
            },
            explanation: Explanation::new(&kernel.body, design.least_interval),
        })
    }
}
