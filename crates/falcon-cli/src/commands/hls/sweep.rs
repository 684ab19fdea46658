//! `hls sweep`: many designs side by side.

use super::{
    design::{
        banking_parser, degree, dependence_parser, megahertz, memory, memory_parser,
        pipelining_parser, preset_parser, transform_parser,
    },
    file::write,
    refused,
};
use crate::{
    PROGRAM,
    error::{Error, Result},
    input::is_standard,
    output::{Content, Outputs, Overwrite, check_target},
    progress::{Progress, Unit},
    ui::Ui,
};
use clap::Args;
use falcon_hls_sim::{
    catalog::XC7Z020,
    design::{Aliasing, Design, Pipelining, Preset, StorageKind},
    graph::Banking,
    nest::Transform,
    quantity::Count,
    sweep::{MAX_DESIGNS, Outcome, Sweep, TooMany},
    view::{chart::chart, csv::csv, report::SweepForm},
};
use serde::Serialize;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Run a transform on every combination of parameters: table, CSV, Pareto chart
#[derive(Debug, Args)]
#[command(after_help = "\
Separate the values of a list by commas. Without any list, the sweep combines 1, 2 and 4
multipliers, 1, 2, 3 and 6 adders, all kinds of banking, and loops flattened and nested. The
presets always take part, at every clock of --clock-mhz. Latencies do not follow the clock:
give latencies that are possible at it. The table shows the designs that no other beats: none
takes less time with no more DSP slices, or fewer slices and no more time.")]
pub(crate) struct SweepCommand {
    /// Design whose values are taken where no list is given
    #[arg(long, value_name = "NAME", default_value = "paper-optimized", value_parser = preset_parser())]
    preset: Preset,
    /// Degrees of the polynomial, powers of two from 4 to 1024; each gets its own table
    #[arg(long = "degree", alias = "n", value_name = "DEGREES", default_value = "512", value_delimiter = ',', value_parser = degree)]
    logn: Vec<u32>,
    /// Transform to run
    #[arg(long, value_name = "NAME", default_value = "fft", value_parser = transform_parser())]
    transform: Transform,
    /// Clock rates
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
    /// Memories of the polynomials; each comes with its own ports and latencies
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = memory_parser())]
    memory: Vec<StorageKind>,
    /// Kinds of banking
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = banking_parser())]
    banking: Vec<Banking>,
    /// Ports of each bank
    #[arg(long, value_name = "COUNTS", value_delimiter = ',')]
    ports: Vec<u32>,
    /// Cycles from a read to its data
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    read_latency: Vec<u32>,
    /// Cycles from a write to the first read that sees it
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    write_latency: Vec<u32>,
    /// Loops to pipeline: the innermost ones (nested) or all as one (flattened)
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = pipelining_parser())]
    pipelining: Vec<Pipelining>,
    /// Whether the scheduler must assume that an iteration reads what the previous one writes
    #[arg(long, value_name = "HOW", value_delimiter = ',', value_parser = dependence_parser())]
    dependence: Vec<Aliasing>,
    /// Smallest initiation intervals to try
    #[arg(long, value_name = "CYCLES", value_delimiter = ',')]
    interval: Vec<u32>,
    /// Write all simulated designs as CSV; `-` writes to standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw cycles (time, where clocks differ) against DSP slices as SVG; `-` writes to standard
    /// output
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
            return Err(Error::new(
                "only one of --csv and --svg can go to standard output",
            ));
        }
        if self.svg.is_some() && self.logn.len() > 1 {
            return Err(Error::new("a chart shows one degree")
                .hint("write all degrees as a table: --csv FILE"));
        }
        let mut outputs = Outputs::default();
        for (path, option) in [(&self.csv, "--csv"), (&self.svg, "--svg")] {
            if let Some(path) = path.as_deref().filter(|path| !is_standard(path)) {
                outputs.add(path, Path::new(option))?;
                check_target(
                    &PROGRAM,
                    path,
                    Content::Result,
                    Overwrite::from_force(self.force),
                )?;
            }
        }
        let forms = self.forms(ui)?;
        if let Some(path) = &self.csv {
            write(path, self.force, ui, |out| csv(&forms, out))?;
        }
        if let (Some(path), [form]) = (&self.svg, &forms[..]) {
            let transform = form.transform.name().to_uppercase();
            let picture = chart(form, &format!("{transform} of degree {}", form.degree));
            write(path, self.force, ui, |out| {
                out.write_all(picture.as_bytes())
            })?;
        }
        for (i, form) in forms.iter().enumerate() {
            if let Some(first) = form.impossible.first() {
                ui.warn(format_args!(
                    "{} cannot be built; the first one: {}",
                    Count(form.impossible.len() as u64, "design"),
                    first.reason
                ));
            }
            if to_standard == 0 {
                ui.report(&Table {
                    form,
                    follows: i > 0,
                })?;
            }
        }
        Ok(())
    }

    /// The results, by degree.
    fn forms(&self, ui: Ui) -> Result<Vec<SweepForm>> {
        let designs = self.sweep().designs();
        let designs = designs.and_then(|designs| match designs.len() * self.logn.len() {
            count if count > MAX_DESIGNS => Err(TooMany(count)),
            _ => Ok(designs),
        });
        let designs = designs.map_err(|error| {
            Error::new("too many designs")
                .because(error)
                .hint("shorten a list")
        })?;
        let total = designs.len() * self.logn.len();
        let progress = Progress::new(ui, Unit::Items("designs"), Some(total as u64));
        let forms = self.logn.iter();
        forms
            .map(|&logn| self.form(&designs, logn, &progress))
            .collect()
    }

    fn form(&self, designs: &[Design], logn: u32, progress: &Progress) -> Result<SweepForm> {
        let transform = self.transform;
        let mut outcome = Outcome::default();
        for design in designs {
            outcome.add(design.clone(), transform, logn);
            progress.add(1);
        }
        if let ([], [(_, error), ..]) = (&outcome.measurements[..], &outcome.impossible[..]) {
            return Err(refused(error));
        }
        outcome
            .add_presets(transform, logn, &self.clock_mhz)
            .map_err(refused)?;
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

/// A table, with an empty line above it if it follows another.
#[derive(Serialize)]
struct Table<'a> {
    #[serde(flatten)]
    form: &'a SweepForm,
    #[serde(skip)]
    follows: bool,
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.follows {
            writeln!(f)?;
        }
        self.form.fmt(f)
    }
}
