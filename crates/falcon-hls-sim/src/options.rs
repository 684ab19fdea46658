//! Options of circuits, for programs that read their command line with clap (feature `clap`).
//!
//! ```
//! use clap::Parser;
//! use falcon_hls_sim::options::CircuitOptions;
//!
//! #[derive(Parser)]
//! struct Program {
//!     #[command(flatten)]
//!     circuit: CircuitOptions,
//! }
//!
//! let program = Program::parse_from(["program", "--preset", "ii2", "--adders", "4"]);
//! let design = program.circuit.design.design();
//! assert_eq!((design.name.as_str(), design.adders), ("ii2 changed", 4));
//! ```

use crate::accelerator::Accelerator;
use crate::amdahl::predict::{Processor, Scope, Transfer};
use crate::amdahl::{AmdahlError, Report};
use crate::catalog::Device;
use crate::design::{Aliasing, Design, Pipelining, Preset, StorageKind};
use crate::graph::Banking;
use crate::keccak::{KeccakCircuit, KeccakPreset};
use crate::nest::Transform;
use crate::setting::Setting;
use crate::sweep::{Sweep, SweepError};
use crate::view::report::SweepForm;
use crate::view::{Detail, Window};
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, value_parser};
use std::path::PathBuf;

/// The option of a parameter: its name, the name and the parser of its value, and the help texts
/// for one value and for a list. A flag has no value name. An empty help text leaves the option
/// out.
type Parameter = (
    &'static str,
    &'static str,
    fn() -> ValueParser,
    [&'static str; 2],
);

#[rustfmt::skip]
const PARAMETERS: [Parameter; 15] = [
    ("clock-mhz", "MHZ", || ValueParser::new(|text: &str| megahertz(text).map(Setting::Clock)),
        ["Clock rate [default: the preset's, 100]", "Clock rates"]),
    ("multipliers", "COUNT", || number(Setting::Multipliers),
        ["Number of multipliers", "Numbers of multipliers"]),
    ("adders", "COUNT", || number(Setting::Adders),
        ["Number of adders; each adds and subtracts", "Numbers of adders"]),
    ("dmul-latency", "CYCLES", || number(Setting::MultiplierLatency),
        ["Latency of a multiplication", "Cycles of a multiplication"]),
    ("dadd-latency", "CYCLES", || number(Setting::AdderLatency),
        ["Latency of an addition", "Cycles of an addition"]),
    ("memory", "KIND", || named(StorageKind::ALL, StorageKind::name).map(Setting::Memory).into(),
        ["Memory of the polynomials, with its ports and latencies: block RAM, or the processor's \
            memory over AXI",
            "Memories of the polynomials; each comes with its own ports and latencies"]),
    ("banking", "KIND", || named(Banking::ALL, Banking::name).map(Setting::Banking).into(),
        ["Banks of the memory: a single one; one for real and one for imaginary parts; two for \
            complex numbers, by the parity of the address", "Kinds of banking"]),
    ("ports", "COUNT", || number(Setting::Ports),
        ["Ports of each bank; for AXI, channels in each direction", "Ports of each bank"]),
    ("read-latency", "CYCLES", || number(Setting::ReadLatency),
        ["Cycles from a read to its data"; 2]),
    ("write-latency", "CYCLES", || number(Setting::WriteLatency),
        ["Cycles from a write to the first read that sees it"; 2]),
    ("nested", "", pipelining,
        ["Pipeline only the innermost loops; each ends before the next begins", ""]),
    ("flattened", "", pipelining, ["Pipeline all loops as one", ""]),
    ("pipelining", "KIND", pipelining,
        ["", "Loops to pipeline: the innermost ones (nested) or all as one (flattened)"]),
    ("dependence", "HOW", || named(Aliasing::ALL, Aliasing::name).map(Setting::Aliasing).into(),
        ["Whether the scheduler must assume that an iteration reads what the previous one writes";
            2]),
    ("interval", "CYCLES", || number(Setting::Interval),
        ["Smallest initiation interval to try; the scheduler raises it as needed",
            "Smallest initiation intervals to try"]),
];

/// Parses the name of one of `values`.
fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.map(name)).try_map(move |text| {
        let mut values = values.into_iter();
        values
            .find(|&value| name(value) == text)
            .ok_or("no such name")
    })
}

fn pipelining() -> ValueParser {
    let parser = named(Pipelining::ALL, Pipelining::name);
    parser.map(Setting::Pipelining).into()
}

fn number(setting: fn(u32) -> Setting) -> ValueParser {
    value_parser!(u32).map(setting).into()
}

/// Parses a number of megahertz. Returns it in hertz.
fn megahertz(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(clock) if (1e-6..=1e4).contains(&clock) => Ok((clock * 1e6).round() as u64),
        _ => Err("must be a number of megahertz from 0.000001 to 10000".to_owned()),
    }
}

/// Parses a degree. Returns its base-2 logarithm.
fn degree(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(degree) if degree.is_power_of_two() && (4..=1024).contains(&degree) => {
            Ok(degree.ilog2())
        }
        _ => Err("the degree must be a power of two from 4 to 1024".to_owned()),
    }
}

/// Values for the parameters of a design: one for each parameter or, with `LISTS`, a list.
#[derive(Clone, Debug)]
pub struct Settings<const LISTS: bool>(pub Vec<Vec<Setting>>);

impl<const LISTS: bool> Args for Settings<LISTS> {
    fn augment_args(command: Command) -> Command {
        let flag = |option: Arg| option.action(ArgAction::Set).num_args(0);
        let list = |option: Arg| option.action(ArgAction::Append).value_delimiter(',');
        let option = |&(name, value, parser, help): &Parameter| {
            let help = Some(help[usize::from(LISTS)]).filter(|help| !help.is_empty())?;
            let option = Arg::new(name).long(name).help(help).value_parser(parser());
            Some(match (name, value, LISTS) {
                ("nested", ..) => flag(option)
                    .default_missing_value(name)
                    .conflicts_with("flattened"),
                (_, "", _) => flag(option).default_missing_value(name),
                (.., false) => option.value_name(value),
                (_, "COUNT", true) => list(option).value_name("COUNTS"),
                (_, "KIND", true) => list(option).value_name("KINDS"),
                (.., true) => list(option).value_name(value),
            })
        };
        command.args(PARAMETERS.iter().filter_map(option))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const LISTS: bool> FromArgMatches for Settings<LISTS> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |&(name, ..): &Parameter| matches.try_get_many(name).ok()?;
        let lists = PARAMETERS.iter().filter_map(given);
        Ok(Self(lists.map(|list| list.copied().collect()).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A command that shows circuits.
#[derive(Clone, Debug, Subcommand)]
pub enum Show {
    /// Simulate a transform on a design: cycles, time, resources, speedup.
    #[command(after_help = "\
Latencies and DSP slices agree with the paper's Table II. Other resources are estimates; they
leave out the control of the loops and the AXI adapters.")]
    Run(CircuitOptions),
    /// Compare the presets: cycles, time, speedup and resources in one table.
    #[command(after_help = "\
Column x is the speedup over the first preset, by time. LUT, FF and BRAM are estimates; they
leave out the control of the loops and the AXI adapters.")]
    Compare(TaskOptions),
    /// Explain the initiation interval (II): how often a butterfly can start, and why.
    #[command(after_help = "\
A line such as `dmul 4/1 = 4` says: 4 operations of an iteration share 1 unit, so it needs 4
cycles. A recurrence is a chain of operations from one iteration to the next. A line that
begins with `with` is the interval that the scheduler finds without that limit.")]
    Explain(CircuitOptions),
    /// Show a transform cycle by cycle: as text, Gantt chart or waveform.
    #[command(after_help = "\
An iteration is one butterfly. The coefficients of the polynomial are 0, 1, 2 ...; the cycles
do not depend on them.

Without --svg and --vcd, the timeline of 3 iterations goes to standard output.")]
    Timeline(TimelineOptions<CircuitOptions>),
    /// Run a transform on every combination of parameters: table, CSV, Pareto chart.
    #[command(after_help = "\
Separate the values of a list by commas. Without any list, the sweep combines 1, 2 and 4
multipliers, 1, 2, 3 and 6 adders, all kinds of banking, and loops flattened and nested. The
presets always take part, at every clock of --clock-mhz. Latencies do not follow the clock:
give latencies that are possible at it. The table shows the designs that no other beats: none
takes less time with no more DSP slices, or fewer slices and no more time.")]
    Sweep(SweepOptions),
    /// Write a transform on a design as synthesizable Verilog, with a testbench and a README.
    #[command(after_help = "\
Works for designs with the polynomial in block RAM and flattened loops, and for the transforms
fft and ifft. The top module is falcon_fft; comments at its head explain its ports. README.md
in DIR has the commands to simulate and to synthesize.")]
    Verilog(VerilogOptions<CircuitOptions>),
    /// Simulate Keccak-f, the paper's process_block, on its presets.
    #[command(after_help = "\
Without a command, the table shows cycles to absorb a block of SHAKE256 (absorb), to permute
a state in the circuit (permute), and to fetch, permute and return a state in the processor's
memory (process_block); the speedup over the sequential preset and over the paper's processor;
and resources. LUT-2 counts gates of two inputs, LUT the same in lookup tables of six inputs.")]
    Keccak {
        /// View of one design.
        #[command(subcommand)]
        view: Option<ShowKeccak>,
    },
    /// Predict the speedup of key generation, signing and verification with a circuit.
    #[command(after_help = "\
The first table answers what the paper's 1.8 times is here. Then come the prediction for each
operation, from simulated circuits; Table I of the paper beside our code; the shares of
instructions that were counted in our code; the paper's own shares; and what does not add up
in the paper.")]
    Amdahl(PredictionOptions),
    /// Show the clocks of Falcon on a simulated processor, without and with circuits beside it.
    #[command(after_help = "\
The clocks were measured when this program was written; the last lines say when, from which
sources, and how to measure again. `copying` and `waiting` are the shares of the clocks in
which the processor copies data to circuits and back, or waits for them.")]
    System {
        /// Degree of the polynomials.
        #[arg(long, default_value = "512", value_parser = PossibleValuesParser::new(["256", "512", "1024"])
            .try_map(|degree| degree.parse::<u32>()))]
        degree: u32,
        /// Draw where the clocks go (SVG); `-` writes to standard output.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// Overwrite files.
        #[arg(long)]
        force: bool,
    },
}

/// A command that shows a circuit for Keccak-f.
#[derive(Clone, Debug, Subcommand)]
pub enum ShowKeccak {
    /// Explain the initiation interval (II) of the rounds.
    Explain(KeccakOptions),
    /// Show a permutation cycle by cycle: as text, Gantt chart or waveform.
    #[command(after_help = "\
An iteration is one round, or as many as the design has in its loop. The words of the state
are 0, 1, 2 ...; the cycles do not depend on them.

Without --svg and --vcd, the timeline of 1 iteration goes to standard output.")]
    Timeline(TimelineOptions<KeccakOptions>),
    /// Write the permutation on a design as synthesizable Verilog.
    #[command(after_help = "\
Works for designs with the state in registers whose rounds take one cycle, such as
keccak-round-per-cycle. The top module is falcon_keccak; comments at its head explain its ports.")]
    Verilog(VerilogOptions<KeccakOptions>),
}

/// A transform on a design.
#[derive(Clone, Debug, Args)]
pub struct CircuitOptions {
    /// The design.
    #[command(flatten)]
    pub design: DesignOptions,
    /// The transform.
    #[command(flatten)]
    pub task: TaskOptions,
}

/// A transform of one degree.
#[derive(Clone, Copy, Debug, Args)]
pub struct TaskOptions {
    /// Degree of the polynomial, a power of two from 4 to 1024.
    #[arg(long = "degree", alias = "n", value_name = "N", default_value = "512", value_parser = degree)]
    pub logn: u32,
    /// Transform to run.
    #[arg(long, value_name = "NAME", default_value = "fft", value_parser = named(Transform::ALL, Transform::name))]
    pub transform: Transform,
}

/// A preset, and changes of it.
#[derive(Clone, Debug, Args)]
pub struct DesignOptions {
    /// Design to start from.
    #[arg(long, value_name = "NAME", default_value = "paper-optimized", value_parser = named(Preset::ALL, Preset::name))]
    pub preset: Preset,
    /// Values of parameters.
    #[command(flatten)]
    pub settings: Settings<false>,
}

impl DesignOptions {
    /// Returns the design, without checking that it can be built.
    pub fn design(&self) -> Design {
        self.preset.design().with(&self.settings.0.concat())
    }

    /// Smallest interval to try, if `--interval` was given.
    pub fn interval(&self) -> Option<u32> {
        let mut settings = self.settings.0.iter().flatten();
        settings.find_map(|setting| match setting {
            Setting::Interval(cycles) => Some(*cycles),
            _ => None,
        })
    }
}

/// Many designs, and what they run.
#[derive(Clone, Debug, Args)]
pub struct SweepOptions {
    /// Design whose values are taken where no list is given.
    #[arg(long, value_name = "NAME", default_value = "paper-optimized", value_parser = named(Preset::ALL, Preset::name))]
    pub preset: Preset,
    /// Degrees of the polynomial, powers of two from 4 to 1024; each gets its own table.
    #[arg(long = "degree", alias = "n", value_name = "DEGREES", default_value = "512", value_delimiter = ',', value_parser = degree)]
    pub logn: Vec<u32>,
    /// Transform to run.
    #[arg(long, value_name = "NAME", default_value = "fft", value_parser = named(Transform::ALL, Transform::name))]
    pub transform: Transform,
    /// Lists of values.
    #[command(flatten)]
    pub settings: Settings<true>,
    /// Write all simulated designs as CSV; `-` writes to standard output.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw cycles (time, where clocks differ) against DSP slices as SVG; `-` writes to standard
    /// output.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Overwrite files.
    #[arg(long)]
    pub force: bool,
}

impl SweepOptions {
    /// Runs the sweep and the presets, and returns a form for each degree. Calls `progress` after
    /// each run of the sweep, with the total number of these runs.
    ///
    /// # Errors
    /// If there are too many designs, or none can be built.
    pub fn run(
        &self,
        device: Device,
        progress: impl FnMut(u64),
    ) -> Result<Vec<SweepForm>, SweepError> {
        let sweep = Sweep::over(self.preset, self.settings.0.clone());
        SweepForm::of_degrees(&sweep, self.transform, &self.logn, device, progress)
    }
}

/// Iterations of a circuit's work to show, and the files for them.
#[derive(Clone, Debug, Args)]
pub struct TimelineOptions<C: Args> {
    /// The circuit.
    #[command(flatten)]
    pub circuit: C,
    /// Number of the first iteration to show.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub from: usize,
    /// Number of iterations [default: 1 to 3 as text, up to 8 in a chart, all as waveform].
    #[arg(long, value_name = "COUNT", value_parser = at_least_one)]
    pub iterations: Option<usize>,
    /// Show every operation and every unit in a row of its own, however many there are.
    #[arg(long)]
    pub full: bool,
    /// Draw a Gantt chart (SVG); `-` writes to standard output.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write a waveform (VCD); `-` writes to standard output.
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Overwrite files.
    #[arg(long)]
    pub force: bool,
}

impl<C: Args> TimelineOptions<C> {
    /// Returns the iterations to show.
    pub fn window(&self) -> Window {
        Window {
            from: self.from,
            count: self.iterations,
            detail: if self.full {
                Detail::Full
            } else {
                Detail::Readable
            },
        }
    }
}

/// A circuit, and the folder for its Verilog.
#[derive(Clone, Debug, Args)]
pub struct VerilogOptions<C: Args> {
    /// The circuit.
    #[command(flatten)]
    pub circuit: C,
    /// Folder for the files, created if it does not exist.
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Overwrite files in DIR.
    #[arg(long)]
    pub force: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{error}")),
    }
}

/// A circuit for Keccak-f.
#[derive(Clone, Copy, Debug, Args)]
pub struct KeccakOptions {
    /// Design to use.
    #[arg(long, value_name = "NAME", default_value = "keccak-round-per-cycle", value_parser = named(KeccakPreset::ALL, KeccakPreset::name))]
    pub preset: KeccakPreset,
}

/// A prediction of whole operations.
#[derive(Clone, Debug, Args)]
pub struct PredictionOptions {
    /// Circuit of the FFT.
    #[command(flatten)]
    pub design: DesignOptions,
    /// Circuit of the permutation, Keccak-f.
    #[arg(long, value_name = "NAME", default_value = "keccak-round-per-cycle", value_parser = named(KeccakPreset::ALL, KeccakPreset::name))]
    pub keccak: KeccakPreset,
    /// Cycles of a permutation, instead of a circuit for it.
    #[arg(long, value_name = "CYCLES", conflicts_with = "keccak", value_parser = value_parser!(u64).range(1..=1_000_000))]
    pub permutation_cycles: Option<u64>,
    /// Cycles that an instruction takes on the processor, a Cortex-A9 at 667 MHz [default: 1].
    #[arg(long, value_name = "CYCLES", value_parser = cycles_per_instruction)]
    pub cycles_per_instruction: Option<f64>,
    /// Moving data between processor and circuit takes no time.
    #[arg(long)]
    pub no_transfer: bool,
    /// Work that the circuit does besides Keccak-f: forward transforms, also inverse ones, or
    /// all butterflies.
    #[arg(long, value_name = "WHAT", default_value = "transforms", value_parser = named(Scope::ALL, Scope::name))]
    pub scope: Scope,
}

impl PredictionOptions {
    /// Runs the circuits and predicts the speedups.
    ///
    /// # Errors
    /// If a circuit cannot be built, or a quantity of the model is not a number above 0.
    pub fn report(&self) -> Result<Report, AmdahlError> {
        let accelerator = Accelerator::new(self.design.design())?;
        let mut processor = Processor::CORTEX_A9;
        if let Some(cycles) = self.cycles_per_instruction {
            processor.cycles_per_instruction = cycles;
        }
        let transfer = (!self.no_transfer).then_some(Transfer::AXI);
        let cycles = match self.permutation_cycles {
            Some(cycles) => cycles,
            None => KeccakCircuit::new(self.keccak.design())?.cycles().permute,
        };
        Report::new(&accelerator, cycles, processor, transfer, self.scope)
    }
}

fn cycles_per_instruction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(cycles) if (0.001..=1000.0).contains(&cycles) => Ok(cycles),
        _ => Err("must be a number from 0.001 to 1000".into()),
    }
}
