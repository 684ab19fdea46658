//! `hls amdahl`: the speedup of whole operations with an accelerated FFT.

use super::{
    design::{DesignOptions, named},
    keccak::keccak_parser,
    refused,
};
use crate::{error::Result, ui::Ui};
use clap::{Args, builder::TypedValueParser};
use falcon_hls_sim::{
    accelerator::Accelerator,
    amdahl::{
        Report,
        predict::{Processor, Scope, Transfer},
    },
    keccak::{KeccakCircuit, KeccakPreset},
    view::report::VERSION,
};
use serde::Serialize;
use std::fmt;

/// Predict the speedup of key generation, signing and verification with a circuit
#[derive(Debug, Args)]
#[command(after_help = "\
The first table answers what the paper's 1.8 times is here. Then come the prediction for each
operation, from simulated circuits; Table I of the paper beside our code; the shares of
instructions that were counted in our code; the paper's own shares; and what does not add up
in the paper.")]
pub(crate) struct Amdahl {
    #[command(flatten)]
    design: DesignOptions,
    /// Circuit of the permutation, Keccak-f
    #[arg(long, value_name = "NAME", default_value = "keccak-round-per-cycle", value_parser = keccak_parser())]
    keccak: KeccakPreset,
    /// Cycles of a permutation, instead of a circuit for it
    #[arg(long, value_name = "CYCLES", conflicts_with = "keccak", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    permutation_cycles: Option<u64>,
    /// Cycles that an instruction takes on the processor, a Cortex-A9 at 667 MHz [default: 1]
    #[arg(long, value_name = "CYCLES", value_parser = cycles_per_instruction)]
    cycles_per_instruction: Option<f64>,
    /// Moving data between processor and circuit takes no time
    #[arg(long)]
    no_transfer: bool,
    /// Work that the circuit does besides Keccak-f: forward transforms, also inverse ones, or
    /// all butterflies
    #[arg(long, value_name = "WHAT", default_value = "transforms", value_parser = scope_parser())]
    scope: Scope,
}

fn cycles_per_instruction(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(cycles) if (0.001..=1000.0).contains(&cycles) => Ok(cycles),
        _ => Err("must be a number from 0.001 to 1000".into()),
    }
}

fn scope_parser() -> impl TypedValueParser<Value = Scope> {
    named(Scope::ALL, Scope::name)
}

impl Amdahl {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let accelerator = Accelerator::new(self.design.design()?).map_err(refused)?;
        let mut processor = Processor::CORTEX_A9;
        if let Some(cycles) = self.cycles_per_instruction {
            processor.cycles_per_instruction = cycles;
        }
        let transfer = (!self.no_transfer).then_some(Transfer::AXI);
        let cycles = match self.permutation_cycles {
            Some(cycles) => cycles,
            None => {
                let circuit = KeccakCircuit::new(self.keccak.design()).map_err(refused)?;
                circuit.cycles().permute
            }
        };
        let report = Report::new(&accelerator, cycles, processor, transfer, self.scope);
        let report = report
            .map_err(|error| crate::error::Error::new("cannot predict this").because(error))?;
        ui.report(&Shown {
            version: VERSION,
            report,
        })
    }
}

#[derive(Serialize)]
struct Shown {
    version: u32,
    #[serde(flatten)]
    report: Report,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.report.to_string().trim_end())
    }
}
