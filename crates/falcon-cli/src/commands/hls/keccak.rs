//! `hls keccak`: the permutation Keccak-f as a circuit.

use super::{
    design::named,
    refused,
    trace::{Shown, Traced},
};
use crate::{
    error::{Error, Result},
    ui::Ui,
};
use clap::{Args, Subcommand, builder::TypedValueParser};
use falcon_hls_sim::{
    amdahl::predict::Processor,
    keccak::{KeccakCircuit, KeccakPreset, Summary},
    view::{
        Trace,
        explain::Explanation,
        report::{ExplainForm, Subject, VERSION},
    },
};
use serde::Serialize;
use std::fmt;

/// Simulate Keccak-f, the paper's process_block, on its presets
#[derive(Debug, Args)]
#[command(after_help = "\
Without a command, the table shows cycles to absorb a block of SHAKE256 (absorb), to permute
a state in the circuit (permute), and to fetch, permute and return a state in the processor's
memory (process_block); the speedup over the sequential preset and over the paper's processor;
and resources. LUT-2 counts gates of two inputs, LUT the same in lookup tables of six inputs.")]
pub(crate) struct Keccak {
    #[command(subcommand)]
    view: Option<View>,
}

#[derive(Debug, Subcommand)]
enum View {
    Explain(Explain),
    Timeline(Timeline),
}

impl Keccak {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        match self.view {
            None => ui.report(&Table {
                version: VERSION,
                summary: Summary::new(&Processor::CORTEX_A9)
                    .map_err(|error| Error::new("cannot compare the presets").because(error))?,
            }),
            Some(View::Explain(explain)) => explain.run(ui),
            Some(View::Timeline(timeline)) => timeline.run(ui),
        }
    }
}

/// Parses the name of a design for Keccak-f.
pub(super) fn keccak_parser() -> impl TypedValueParser<Value = KeccakPreset> {
    named(KeccakPreset::ALL, KeccakPreset::name)
}

/// The circuit.
#[derive(Debug, Args)]
struct Chosen {
    /// Design to use
    #[arg(long, value_name = "NAME", default_value = "keccak-round-per-cycle", value_parser = keccak_parser())]
    preset: KeccakPreset,
}

impl Chosen {
    fn circuit(&self) -> Result<(KeccakCircuit, Subject)> {
        let circuit = KeccakCircuit::new(self.preset.design()).map_err(refused)?;
        let design = circuit.design().into();
        Ok((circuit, Subject::Keccak { design }))
    }
}

/// Explain the initiation interval (II) of the rounds
#[derive(Debug, Args)]
struct Explain {
    #[command(flatten)]
    chosen: Chosen,
}

impl Explain {
    fn run(self, ui: Ui) -> Result<()> {
        let (circuit, subject) = self.chosen.circuit()?;
        let least_interval = circuit.design().least_interval;
        ui.report(&ExplainForm {
            version: VERSION,
            subject,
            explanation: Explanation::new(&circuit.rounds().body, least_interval),
        })
    }
}

/// Show a permutation cycle by cycle: as text, Gantt chart or waveform
#[derive(Debug, Args)]
#[command(after_help = "\
An iteration is one round, or as many as the design has in its loop. The words of the state
are 0, 1, 2 ...; the cycles do not depend on them.

Without --svg and --vcd, the timeline of 1 iteration goes to standard output.")]
struct Timeline {
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    shown: Shown,
}

impl Timeline {
    fn run(self, ui: Ui) -> Result<()> {
        let (circuit, subject) = self.chosen.circuit()?;
        let run = Traced {
            subject,
            clock_hz: circuit.design().clock_hz,
            iterations: circuit.rounds().iterations().len(),
            in_text: 1,
            trace: |window| Trace::of_rounds(&circuit, window),
        };
        self.shown.show(&run, ui)
    }
}

#[derive(Serialize)]
struct Table {
    version: u32,
    #[serde(flatten)]
    summary: Summary,
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary.to_string().trim_end())
    }
}
