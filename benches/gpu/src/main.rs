//! Falcon on a GPU: what the device can do, whether it gives the bytes of the
//! processor, and how long it takes. One JSON object a line; `run.sh` runs it.

mod ceilings;
mod compare;
mod jobs;
mod table;
mod times;
mod watched;

use clap::{Parser, ValueEnum};
use falcon::{Falcon512, Falcon1024};
use falcon_gpu::device::{Device, open_cuda};
use falcon_gpu::kernels::Grain;
use falcon_gpu::{GpuContext, Options, PTX};
use serde::Serialize;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use times::Time;
use watched::Watched;

/// Measure the engine on a GPU: ceilings, bytes, times
#[derive(Debug, Parser)]
#[command(version, args_override_self = true)]
struct Arguments {
    /// These steps only
    #[arg(value_enum)]
    steps: Vec<Step>,
    /// The number of the device
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// Kernels that were compiled otherwise, as PTX
    #[arg(long, value_name = "FILE")]
    ptx: Vec<PathBuf>,
    /// How many lanes work on a signature; by default the size of the batch decides, and
    /// both are compared
    #[arg(long, value_parser = grain)]
    grain: Option<Grain>,
    /// Most jobs at once on a stream
    #[arg(long)]
    chunk: Option<usize>,
    /// Streams, of those that the device has
    #[arg(long)]
    streams: Option<usize>,
    /// Jobs that are compared with the processor, for each size and mode; with a warp
    /// for each signature 4096 of them
    #[arg(long, default_value_t = 100_000)]
    jobs: usize,
    /// Keys of jobs that have keys of their own
    #[arg(long, default_value_t = 1000)]
    keys: usize,
    /// Jobs of the largest batch that is timed
    #[arg(long, default_value_t = 1 << 20)]
    largest: usize,
    /// Timed runs of each batch, and of its kernels alone, after three that are not
    #[arg(long, default_value_t = 20)]
    runs: usize,
    /// Write tables: the best rates beside others' published ones, and latencies
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Step {
    Ceilings,
    Compare,
    Times,
}

/// How keys come to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Expanded,
    Balanced,
    Raw,
}

/// One line of the output.
#[derive(Serialize)]
#[serde(tag = "step", rename_all = "lowercase")]
enum Line<'a> {
    Device {
        device: &'a str,
        processors: u32,
        memory: u64,
        streams: usize,
        grain: Option<String>,
        chunk: Option<usize>,
        ptx: &'a [PathBuf],
    },
    Ceiling {
        what: &'a str,
        unit: &'a str,
        per_s: Option<f64>,
        error: Option<String>,
    },
    Compare {
        parameters: &'a str,
        what: String,
        jobs: usize,
        equal: bool,
    },
    Time(&'a Time),
}

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

fn grain(name: &str) -> Result<Grain, String> {
    match name {
        "thread" => Ok(Grain::Thread),
        "warp" => Ok(Grain::Warp),
        "group" => Ok(Grain::Group),
        _ => Err("neither `thread` nor `warp`".to_owned()),
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn tell(line: &Line<'_>) -> Result<()> {
    println!("{}", serde_json::to_string(line)?);
    Ok(())
}

/// False if something has not the bytes of the processor.
fn run(arguments: &Arguments) -> Result<bool> {
    let asked = |step| arguments.steps.is_empty() || arguments.steps.contains(&step);
    let texts: Vec<String> = arguments
        .ptx
        .iter()
        .map(std::fs::read_to_string)
        .collect::<Result<_, _>>()?;
    let texts: Vec<&str> = match &texts[..] {
        [] => PTX.to_vec(),
        texts => texts.iter().map(String::as_str).collect(),
    };
    let mut device = open_cuda(arguments.device, &texts)?;
    if let Some(streams) = arguments.streams {
        device = Watched::with_streams(device, streams);
    }
    tell(&Line::Device {
        device: &device.name(),
        processors: device.processors(),
        memory: device.memory()?.total,
        streams: device.streams(),
        grain: arguments.grain.map(|grain| format!("{grain:?}")),
        chunk: arguments.chunk,
        ptx: &arguments.ptx,
    })?;
    if asked(Step::Ceilings) {
        let device = open_cuda(arguments.device, &[ceilings::PTX])?;
        for (what, unit, per_s) in ceilings::measure(&*device) {
            tell(&Line::Ceiling {
                what,
                unit,
                error: per_s.as_ref().err().map(ToString::to_string),
                per_s: per_s.ok(),
            })?;
        }
    }
    let mut equal = true;
    if asked(Step::Compare) {
        equal &= compare::compare::<Falcon512>(arguments, &device)?;
        equal &= compare::compare::<Falcon1024>(arguments, &device)?;
    }
    // What is wrong has no rate.
    if asked(Step::Times) && equal {
        let mut times = Vec::new();
        times::time_all::<Falcon512>(arguments, &device, &mut times)?;
        times::time_all::<Falcon1024>(arguments, &device, &mut times)?;
        if let Some(path) = &arguments.table {
            std::fs::write(path, table::table(&device.name(), &times))?;
        }
    }
    Ok(equal)
}

/// How batches are done, besides what the command line leaves open.
fn options(arguments: &Arguments, mode: Mode) -> Options {
    let mut options = Options::default();
    options.balanced = mode == Mode::Balanced;
    options.grain = arguments.grain;
    options.chunk = arguments.chunk;
    options
}

fn context(arguments: &Arguments, device: &Arc<dyn Device>, mode: Mode) -> GpuContext {
    GpuContext::on(device.clone(), options(arguments, mode))
}

/// The middle one.
pub(crate) fn median(times: &mut [f64]) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
