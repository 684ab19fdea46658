//! `hls keccak`: the permutation as a circuit.

use crate::{
    error::{Error, Result},
    ui::Ui,
};
use clap::Args;
use falcon_hls_sim::{amdahl::predict::Processor, keccak::Summary, view::report::VERSION};
use serde::Serialize;
use std::fmt;

/// Run Keccak-f, the paper's process_block, on its designs
#[derive(Debug, Args)]
#[command(after_help = "\
Cycles to absorb a block of SHAKE256, to permute a state that is there, and to fetch, permute
and put back one in the processor's memory; times faster than the sequential design and than
the paper's processor; resources, whose LUT-2 are before lookup tables of six inputs.")]
pub(crate) struct Keccak {}

impl Keccak {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let summary = Summary::new(&Processor::CORTEX_A9)
            .map_err(|error| Error::new("there is no such comparison").because(error))?;
        ui.report(&Shown {
            version: VERSION,
            summary,
        })
    }
}

#[derive(Serialize)]
struct Shown {
    version: u32,
    #[serde(flatten)]
    summary: Summary,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary.to_string().trim_end())
    }
}
