//! `hls sweep`: many designs beside each other.

use super::{
    design::{
        Task, banking_parser, dependence_parser, megahertz, memory, memory_parser,
        pipelining_parser, preset_parser,
    },
    file::write,
    refused,
};
use crate::{
    error::{Error, Result},
    input::is_standard,
    output::{Content, Outputs, Overwrite, check_target},
    ui::Ui,
};
use clap::Args;
use falcon_hls_sim::{
    catalog::XC7Z020,
    design::{Aliasing, Design, Pipelining, Preset, StorageKind},
    graph::Banking,
    measurement::Measurement,
    sweep::Sweep,
    view::{chart::chart, csv::csv, report::SweepForm},
};
use std::path::{Path, PathBuf};

/// Run a transform on every combination of parameters: table, CSV, Pareto chart
#[derive(Debug, Args)]
#[command(after_help = "\
Lists have commas between their values. Without any list: 1, 2 and 4 multipliers with 1, 2, 3
and 6 adders, all ways of banking, loops flattened and nested. The presets are always among
the designs. Latencies do not follow the clock: give those that it allows.")]
pub(crate) struct SweepCommand {
    /// The design that has what no list says
    #[arg(long, value_name = "NAME", default_value = "paper-optimized", value_parser = preset_parser())]
    preset: Preset,
    #[command(flatten)]
    task: Task,
    /// Clocks
    #[arg(long, value_name = "MHZ", value_delimiter = ',', value_parser = megahertz)]
    clock_mhz: Vec<u64>,
    /// Numbers of multipliers
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    multipliers: Vec<u32>,
    /// Numbers of adders
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    adders: Vec<u32>,
    /// Cycles of a multiplication
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    dmul_latency: Vec<u32>,
    /// Cycles of an addition
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    dadd_latency: Vec<u32>,
    /// Where polynomials are; another memory than the preset's has its ports and latencies
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = memory_parser())]
    memory: Vec<StorageKind>,
    /// Ways of banking
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = banking_parser())]
    banking: Vec<Banking>,
    /// Ports of a bank
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    ports: Vec<u32>,
    /// Cycles from a read to its data
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    read_latency: Vec<u32>,
    /// Cycles from a write to the first read that sees it
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    write_latency: Vec<u32>,
    /// What is pipelined
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = pipelining_parser())]
    pipelining: Vec<Pipelining>,
    /// Whether an iteration must be assumed to read what the one before writes
    #[arg(long, value_name = "HOW", value_delimiter = ',', value_parser = dependence_parser())]
    dependence: Vec<Aliasing>,
    /// Least initiation intervals
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    interval: Vec<u32>,
    /// Write all designs that ran as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw cycles against DSP slices (SVG); `-` is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Overwrite files
    #[arg(long)]
    force: bool,
}

impl SweepCommand {
    pub(super) fn run(self, ui: Ui) -> Result<()> {
        let files = || self.csv.iter().chain(&self.svg);
        let to_standard = files().filter(|path| is_standard(path)).count();
        if to_standard > 1 {
            return Err(Error::new("standard output takes one of --csv and --svg"));
        }
        let mut outputs = Outputs::default();
        for (path, option) in [(&self.csv, "--csv"), (&self.svg, "--svg")] {
            if let Some(path) = path.as_deref().filter(|path| !is_standard(path)) {
                outputs.add(path, Path::new(option))?;
                check_target(path, Content::Result, Overwrite::from_force(self.force))?;
            }
        }
        let form = self.form()?;
        if let Some(path) = &self.csv {
            write(path, self.force, ui, |out| csv(&form, out))?;
        }
        if let Some(path) = &self.svg {
            let transform = form.transform.name().to_uppercase();
            let degree = form.degree;
            let title = format!("{transform} of degree {degree}: cycles against DSP slices");
            let picture = chart(&form, &title);
            write(path, self.force, ui, |out| {
                out.write_all(picture.as_bytes())
            })?;
        }
        if let Some(first) = form.impossible.first() {
            ui.warn(format_args!(
                "{} of {} designs cannot be built; the first: {}",
                form.impossible.len(),
                form.impossible.len() + form.designs.len(),
                first.reason
            ));
        }
        if to_standard == 0 {
            ui.report(&form)?;
        }
        Ok(())
    }

    fn form(&self) -> Result<SweepForm> {
        let Task { logn, transform } = self.task;
        let mut outcome = self.sweep().run(transform, logn).map_err(|error| {
            Error::new("too many designs")
                .because(error)
                .hint("shorten a list")
        })?;
        if let ([], [(_, error), ..]) = (&outcome.measurements[..], &outcome.impossible[..]) {
            return Err(refused(error));
        }
        for preset in Preset::ALL {
            let measurement = Measurement::new(preset.design(), transform, logn);
            let measurement = measurement.map_err(refused)?;
            // A preset that the lists make has its name.
            let unnamed = |design: &Design| Design {
                name: String::new(),
                ..design.clone()
            };
            let own = unnamed(&measurement.design);
            outcome
                .measurements
                .retain(|other| unnamed(&other.design) != own);
            outcome.measurements.push(measurement);
        }
        Ok(SweepForm::new(&outcome, transform, logn, XC7Z020))
    }

    fn sweep(&self) -> Sweep {
        let mut base = self.preset.design();
        base.name.clear();
        let storage = base.storage;
        let mut sweep = Sweep::new(base);
        sweep.clocks_hz.clone_from(&self.clock_mhz);
        sweep.multipliers.clone_from(&self.multipliers);
        sweep.adders.clone_from(&self.adders);
        sweep.multiplier_latencies.clone_from(&self.dmul_latency);
        sweep.adder_latencies.clone_from(&self.dadd_latency);
        sweep.pipelinings.clone_from(&self.pipelining);
        sweep.aliasings.clone_from(&self.dependence);
        sweep.intervals.clone_from(&self.interval);
        let storages = self.memory.iter().map(|&kind| memory(kind, storage));
        sweep.storages = storages.collect();
        sweep.bankings.clone_from(&self.banking);
        sweep.ports.clone_from(&self.ports);
        sweep.read_latencies.clone_from(&self.read_latency);
        sweep.write_latencies.clone_from(&self.write_latency);
        if !sweep.has_lists() {
            sweep.multipliers = vec![1, 2, 4];
            sweep.adders = vec![1, 2, 3, 6];
            sweep.bankings = Banking::ALL.to_vec();
            sweep.pipelinings = Pipelining::ALL.to_vec();
        }
        sweep
    }
}
