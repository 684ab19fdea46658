//! `hls explain`: the reasons for an initiation interval.

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

/// Explain the initiation interval (II): how often a butterfly can start, and why
#[derive(Debug, Args)]
#[command(after_help = "\
A line such as `dmul 4/1 = 4` says: 4 operations of an iteration share 1 unit, so it needs 4
cycles. A recurrence is a chain of operations from one iteration to the next. A line that
begins with `with` is the interval that the scheduler finds without that limit.")]
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
