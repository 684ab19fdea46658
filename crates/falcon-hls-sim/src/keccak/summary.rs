//! The presets side by side, compared with the paper.

use super::{KeccakCircuit, KeccakCycles, KeccakPreset, KeccakResources};
use crate::VERSION;
use crate::accelerator;
use crate::amdahl::predict::Processor;
use crate::amdahl::{AmdahlError, paper};
use crate::catalog::XC7Z020;
use crate::profile::{Operation, Part, Profile, Target};
use crate::resources::Resources;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// A preset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryRow {
    /// Name, as the program prints it.
    pub name: String,
    /// Cycles between the starts of two iterations.
    pub interval: u32,
    /// Smallest interval that the units allow, cycles.
    pub resource_bound: u32,
    /// Smallest interval that the state allows, since each round needs the state of the round
    /// before.
    pub recurrence_bound: u32,
    /// Cycles.
    pub cycles: KeccakCycles,
    /// Speedup of `process_block` over the sequential preset.
    pub factor_to_sequential: f64,
    /// Speedup of `process_block` over our permutation on the paper's processor.
    pub factor_to_processor: f64,
    /// Resources of the loop.
    pub resources: KeccakResources,
}

/// The presets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// [`VERSION`].
    pub version: u32,
    /// The presets, slowest first.
    pub rows: Vec<SummaryRow>,
    /// Number of instructions of a permutation on ARMv7, counted.
    pub processor_instructions: f64,
    /// The paper's factor.
    pub paper_factor: f64,
    /// Resources of the paper's circuit.
    pub paper_resources: Resources,
}

impl Summary {
    /// Runs every preset.
    ///
    /// # Errors
    /// If the profile lacks the run, a quantity of `processor` is not a number above 0, or a preset
    /// does not run.
    pub fn new(processor: &Processor) -> Result<Self, AmdahlError> {
        let profile = Profile::committed()?;
        let run = profile.run(Target::ArmV7, Operation::Verify, 512)?;
        let instructions = run.instructions_per_execution(&[Part::KeccakF]);
        let instructions = instructions.unwrap_or(f64::NAN);
        let seconds = processor.permutation_seconds(instructions)?;
        let circuits = KeccakPreset::ALL.map(|preset| KeccakCircuit::new(preset.design()));
        let circuits: Vec<_> = circuits
            .into_iter()
            .collect::<Result<_, accelerator::Error>>()?;
        let slowest = circuits.first().map_or(0, |c| c.cycles().process_block);
        let row = |circuit: &KeccakCircuit| {
            let (design, cycles) = (circuit.design(), circuit.cycles());
            let body = &circuit.rounds().body;
            let process_block = cycles.process_block as f64;
            SummaryRow {
                name: design.name.clone(),
                interval: body.schedule.interval,
                resource_bound: body.bounds.resources(),
                recurrence_bound: body.bounds.recurrence,
                cycles,
                factor_to_sequential: slowest as f64 / process_block,
                factor_to_processor: seconds * design.clock_hz as f64 / process_block,
                resources: KeccakResources::of(circuit),
            }
        };
        Ok(Self {
            version: VERSION,
            rows: circuits.iter().map(row).collect(),
            processor_instructions: instructions,
            paper_factor: paper::KECCAK_FACTOR,
            paper_resources: KeccakResources::of_the_paper(XC7Z020),
        })
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<24}{:>4}{:>8}{:>8}{:>15}{:>9}{:>9}{:>8}{:>8}{:>8}{:>6}",
            "preset",
            "II",
            "absorb",
            "permute",
            "process_block",
            "x seq.",
            "x A9",
            "LUT",
            "LUT-2",
            "FF",
            "BRAM"
        )?;
        for row in &self.rows {
            let KeccakResources {
                mapped,
                unmapped_lut,
            } = row.resources;
            writeln!(
                f,
                "{:<24}{:>4}{:>8}{:>8}{:>15}{:>9.1}{:>9.1}{:>8}{:>8}{:>8}{:>6}",
                row.name,
                row.interval,
                row.cycles.absorb,
                row.cycles.permute,
                row.cycles.process_block,
                row.factor_to_sequential,
                row.factor_to_processor,
                mapped.lut,
                unmapped_lut,
                mapped.ff,
                mapped.bram
            )?;
        }
        let Resources { lut, ff, bram, .. } = self.paper_resources;
        write!(
            f,
            "{:<24}{:>4}{:>8}{:>8}{:>15}{:>9.1}{:>9}{:>8}{:>8}{:>8}{:>6}",
            "paper", "-", "-", "-", "-", self.paper_factor, "-", lut, "-", ff, bram
        )
    }
}
