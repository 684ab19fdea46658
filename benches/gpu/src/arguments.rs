//! The command line.

use crate::kind::{Keys, Mode, Operation, Set};
use clap::{Parser, ValueEnum};
use falcon_gpu::{KeyMode, Options};
use std::path::PathBuf;

/// Measure the engine on a GPU: ceilings, bytes, times. Prints one JSON object a line
#[derive(Debug, Parser)]
#[command(version, args_override_self = true)]
pub(crate) struct Arguments {
    /// Run only these steps
    #[arg(value_enum)]
    pub(crate) steps: Vec<Step>,
    /// Number of the device
    #[arg(long, default_value_t = 0)]
    pub(crate) device: u32,
    /// Time batches on a device whose copies and kernels take no time: the work of the host alone
    #[arg(long, conflicts_with_all = ["steps", "device", "images", "variants"])]
    pub(crate) host: bool,
    /// Write results.jsonl and table.md to this folder as the results come
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Stop in this many seconds. The most valuable rows come first; a row that would take too
    /// long is left out, and a line says so
    #[arg(long, value_name = "SECONDS")]
    pub(crate) budget: Option<f64>,
    /// Use the kernels of this file (PTX or cubin) instead of the built-in ones; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) images: Vec<PathBuf>,
    /// Time the kernels of each file (.ptx, .cubin) in this folder on a few rows, at the end
    #[arg(long, value_name = "FOLDER")]
    pub(crate) variants: Option<PathBuf>,
    /// Run only rows of this operation
    #[arg(long, value_enum)]
    pub(crate) operation: Option<Operation>,
    /// Run only rows of this parameter set
    #[arg(long, value_enum)]
    pub(crate) parameters: Option<Set>,
    /// Sign only in this key mode
    #[arg(long, value_enum)]
    pub(crate) mode: Option<Mode>,
    /// Run only rows in which all jobs share one key, or in which they have keys of their own
    #[arg(long, value_enum)]
    pub(crate) keys: Option<Keys>,
    /// Time batches of these sizes [default: powers of 4 up to 1048576]
    #[arg(long, value_delimiter = ',', value_name = "JOBS", value_parser = size)]
    pub(crate) batch: Vec<usize>,
    /// Most jobs at once on a stream [default: chosen by the engine]
    #[arg(long, value_name = "JOBS", value_parser = size)]
    pub(crate) chunk: Option<usize>,
    /// Streams to use, from 1 to 16 [default: chosen by the engine]
    #[arg(long, value_parser = streams)]
    pub(crate) streams: Option<usize>,
    /// Jobs of a full comparison with the CPU
    #[arg(long, default_value_t = 100_000)]
    pub(crate) jobs: usize,
    /// Jobs of the short comparisons that come first
    #[arg(long, default_value_t = 256)]
    pub(crate) smoke: usize,
    /// Number of keys where jobs have keys of their own
    #[arg(long, default_value_t = 1000)]
    pub(crate) key_count: usize,
    /// Timed runs of each batch, and of its kernels alone, after three warm-ups
    #[arg(long, default_value_t = 20)]
    pub(crate) runs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// Compare a few jobs of every kind with the CPU
    Smoke,
    /// Measure copies and arithmetic
    Ceilings,
    /// Time batches
    Times,
    /// Compare many jobs with the CPU
    Compare,
}

impl Arguments {
    /// Returns true if `step` was asked for, or if no step was. The host alone has only times.
    pub(crate) fn asks(&self, step: Step) -> bool {
        match self.host {
            true => step == Step::Times,
            false => self.steps.is_empty() || self.steps.contains(&step),
        }
    }

    /// Returns the options of the engine.
    pub(crate) fn options(&self, mode: Option<Mode>) -> Options {
        let mut options = Options::default();
        options.key_mode = match mode {
            Some(Mode::Raw) => KeyMode::Transient,
            Some(Mode::Balanced) => KeyMode::Balanced,
            Some(Mode::Expanded | Mode::Resident) | None => KeyMode::Expanded,
        };
        options.chunk = self.chunk;
        options.streams = self.streams;
        options
    }
}

fn size(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("expected at least one job".to_owned()),
        Ok(size) => Ok(size),
        Err(_) => Err("expected a number of jobs".to_owned()),
    }
}

fn streams(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(streams @ 1..=16) => Ok(streams),
        _ => Err("expected a number from 1 to 16".to_owned()),
    }
}
