//! A scheduled transform as synthesizable Verilog: floating-point units, banks,
//! twiddles, control.
//!
//! [`emit`] names the module [`TOP`]. Comments at its head explain its ports. The host port answers
//! [`Emission::read_latency`] clocks after an address. The output `cycles` equals the simulator's
//! [`Run::cycles`](crate::cycles::Run). A testbench compares this number and every bit.
//! Keccak-f is emitted by [`keccak::emit`].

mod control;
mod datapath;
pub mod keccak;
mod memory;
mod source;
mod testbench;
mod text;

use crate::accelerator::{Accelerator, Error};
use crate::cycles::Observer;
use crate::design::{Pipelining, StorageKind};
use crate::nest::Transform;
use crate::quantity::Count;
pub use source::{Source, TOP};
use std::fmt::{self, Display, Formatter};
pub use testbench::TESTBENCH;
use text::Lines;

/// A circuit in Verilog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emission {
    /// The transform.
    pub transform: Transform,
    /// The modules of the circuit, the top module first.
    pub sources: Vec<Source>,
    /// Files that are not part of the circuit: the testbench [`TESTBENCH`], its input and expected
    /// vectors, and a README with the commands to simulate and to synthesize.
    pub companions: Vec<Source>,
    /// Number of complex numbers of the polynomial.
    pub words: usize,
    /// Clocks from an address at the host port to the number that is read.
    pub read_latency: u32,
}

/// A design has no Verilog.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmitError {
    /// Only [`Transform::Fft`] and [`Transform::Ifft`] are emitted.
    Transform(Transform),
    /// The degree is not from 4 to 1024.
    Degree {
        /// Base-2 logarithm of the degree.
        logn: u32,
    },
    /// The polynomial must lie in block RAM.
    Storage,
    /// Block RAM must have two ports.
    Ports(u32),
    /// The write latency of block RAM must be one cycle.
    WriteLatency(u32),
    /// The loops must be flattened.
    Nested,
    /// A unit cannot have a latency this small.
    Latency {
        /// The unit.
        unit: &'static str,
        /// The least latency of its circuit, cycles.
        least: u32,
    },
    /// Of Keccak-f: the state is not in registers, or the rounds of the loop's body do not take one
    /// cycle.
    Rounds,
    /// The simulator cannot run the design.
    Model(Error),
}

impl Display for EmitError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transform(transform) => {
                write!(
                    f,
                    "no Verilog of {}: only fft and ifft are in place",
                    transform.name()
                )
            }
            Self::Degree { logn } => {
                write!(
                    f,
                    "no Verilog for degree 2^{logn}: the exponent must be from 2 to 10"
                )
            }
            Self::Storage => f.write_str("the polynomial must lie in block RAM, not behind AXI"),
            Self::Ports(ports) => write!(f, "block RAM has 2 ports, not {ports}"),
            Self::WriteLatency(latency) => write!(
                f,
                "a write of block RAM can be read after 1 cycle, not {latency}"
            ),
            Self::Nested => f.write_str("the loops must be flattened"),
            Self::Latency { unit, least } => {
                write!(f, "the circuit of {unit} takes at least {least} cycles")
            }
            Self::Rounds => f.write_str(
                "no Verilog: the state must lie in registers, and the rounds of the loop's body \
                 must take one cycle",
            ),
            Self::Model(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EmitError {}

impl From<Error> for EmitError {
    fn from(error: Error) -> Self {
        Self::Model(error)
    }
}

/// The sources of the units in `rtl/`.
const UNITS: [(&str, &str); 7] = [
    ("dmul.v", include_str!("../rtl/dmul.v")),
    ("daddsub.v", include_str!("../rtl/daddsub.v")),
    ("dscale.v", include_str!("../rtl/dscale.v")),
    ("fp_align.v", include_str!("../rtl/fp_align.v")),
    ("fp_delay.v", include_str!("../rtl/fp_delay.v")),
    ("fp_round.v", include_str!("../rtl/fp_round.v")),
    ("fp_unpack.v", include_str!("../rtl/fp_unpack.v")),
];

/// Stages of `rtl/dmul.v`.
const MULTIPLIER_STAGES: u32 = 6;
/// Stages of `rtl/daddsub.v`.
const ADDER_STAGES: u32 = 7;

/// Emits `transform` of degree `2^logn` on `accelerator` as Verilog.
///
/// # Errors
/// If a feature of the design has no circuit here; the error names it.
pub fn emit(
    accelerator: &Accelerator,
    transform: Transform,
    logn: u32,
) -> Result<Emission, EmitError> {
    check(accelerator, transform, logn)?;
    let waits = waits(accelerator, transform, logn)?;
    let kernel = accelerator.kernel(transform);
    let design = accelerator.design();
    let half = (1usize << logn) / 2;

    let mut delays = text::Delays::default();
    let datapath = datapath::emit(kernel, logn, &mut delays);
    let memory = memory::emit(kernel, &design.storage, logn, &mut delays);
    let control = control::emit(kernel, logn, &waits, &mut delays);

    let mut out = Lines::default();
    out.comment(&format!(
        "{transform:?} of degree {}, design {}: a butterfly every {}, each {} long.",
        1 << logn,
        design.name,
        Count(kernel.body.schedule.interval.into(), "cycle"),
        Count(kernel.body.depth().into(), "cycle")
    ));
    out.comment("Written by falcon-cli hls verilog.");
    for line in ports(half, design.storage.read_latency) {
        out.comment(&line);
    }
    out.comment("Some signals are wider than what is used of them.");
    out.line("/* verilator lint_off UNUSEDSIGNAL */");
    out.line(&format!("module {TOP} ("));
    let address = text::width(half);
    for port in [
        "input  wire clk".into(),
        "input  wire reset".into(),
        "input  wire start".into(),
        "output wire done".into(),
        "output reg  busy".into(),
        "output reg  [31:0] cycles".into(),
        format!("input  wire [{}:0] host_address", address - 1),
        "input  wire host_write".into(),
        "input  wire [127:0] host_in".into(),
    ] {
        out.line(&format!("    {port},"));
    }
    out.line("    output wire [127:0] host_out");
    out.line(");");
    out.append(control);
    out.append(datapath);
    out.append(memory);
    out.append(delays.emit());
    out.line("endmodule");

    let mut sources = vec![Source {
        name: format!("{TOP}.v"),
        text: out.into_string(),
    }];
    sources.push(Source {
        name: "bank.v".into(),
        text: include_str!("../rtl/bank.v").into(),
    });
    sources.push(Source {
        name: "twiddles.v".into(),
        text: memory::twiddles(logn),
    });
    sources.extend(UNITS.map(|(name, text)| Source {
        name: name.into(),
        text: text.into(),
    }));
    Ok(Emission {
        transform,
        sources,
        companions: testbench::emit(accelerator, transform, logn)?,
        words: half,
        read_latency: design.storage.read_latency,
    })
}

/// Returns comment lines that describe the ports, for the head of the source.
fn ports(words: usize, read_latency: u32) -> [String; 8] {
    [
        "`reset` is synchronous. A clock of `start` while idle begins; `busy` is high from".into(),
        "then on, and `done` for its last clock: in the next, everything can be read.".into(),
        "`cycles`, from `done` to the next start, says how many clocks passed from the start"
            .into(),
        "of the first butterfly to `done`.".into(),
        "While `busy` is low, the host port reads and writes the polynomial, a complex number"
            .into(),
        format!(
            "at a time: number u, of {words}, is {{im, re}} at address u, two binary64 numbers."
        ),
        "`host_in` is written at a clock at which `host_write` is high; `host_out` comes".into(),
        format!(
            "{} after its `host_address`, unless a write came with it.",
            Count(read_latency.into(), "clock")
        ),
    ]
}

fn check(accelerator: &Accelerator, transform: Transform, logn: u32) -> Result<(), EmitError> {
    let design = accelerator.design();
    let storage = &design.storage;
    if !matches!(transform, Transform::Fft | Transform::Ifft) {
        return Err(EmitError::Transform(transform));
    }
    if !(2..=crate::accelerator::MAX_LOGN).contains(&logn) {
        return Err(EmitError::Degree { logn });
    }
    if storage.kind != StorageKind::Bram {
        return Err(EmitError::Storage);
    }
    if storage.ports != 2 {
        return Err(EmitError::Ports(storage.ports));
    }
    if storage.write_latency != 1 {
        return Err(EmitError::WriteLatency(storage.write_latency));
    }
    if design.pipelining != Pipelining::Flattened {
        return Err(EmitError::Nested);
    }
    for (unit, latency, least) in [
        ("dmul", design.multiplier.latency, MULTIPLIER_STAGES),
        ("daddsub", design.adder.latency, ADDER_STAGES),
    ] {
        if latency < least {
            return Err(EmitError::Latency { unit, least });
        }
    }
    Ok(())
}

/// Returns the iterations before which the control waits, each with the number of starts that are
/// skipped.
fn waits(
    accelerator: &Accelerator,
    transform: Transform,
    logn: u32,
) -> Result<Vec<(usize, u64)>, EmitError> {
    let mut waits = Waits::default();
    let mut f = vec![0.0; 1 << logn];
    accelerator.transform(transform, logn, &mut f, &mut waits)?;
    Ok(waits.found)
}

#[derive(Default)]
struct Waits {
    now: u64,
    found: Vec<(usize, u64)>,
}

impl Observer for Waits {
    fn stalled(&mut self, _: u64) {
        self.now += 1;
    }

    fn started(&mut self, _: u64, iteration: usize) {
        if self.now > 0 {
            self.found.push((iteration, self.now));
            self.now = 0;
        }
    }
}
