//! Forms of the reports, which are written as JSON or as text.
//!
//! ```
//! use falcon_hls_sim::{catalog::XC7Z020, design::Preset, measurement::Measurement};
//! use falcon_hls_sim::{nest::Transform, view::report::RunForm};
//!
//! let measurement = Measurement::new(Preset::Ii2.design(), Transform::Fft, 9)?;
//! let form = RunForm::new(&measurement, XC7Z020)?;
//! assert!(form.to_string().starts_with("FFT of degree 512 on ii2, 100 MHz\n"));
//! assert_eq!((form.timing.cycles, form.warnings()), (2074, vec![]));
//! # Ok::<(), falcon_hls_sim::accelerator::Error>(())
//! ```

use super::explain::Explanation;
use crate::accelerator::{Accelerator, Error};
use crate::catalog::Device;
use crate::design::{Aliasing, Design, Pipelining, Preset, StorageKind};
use crate::graph::Banking;
use crate::keccak::{KeccakCircuit, KeccakDesign, State};
use crate::measurement::{Measurement, Time};
use crate::nest::Transform;
use crate::quantity::Count;
use crate::resources::{Concern, Estimate, Resources, table_ii};
use crate::sweep::{MAX_DESIGNS, Outcome, Sweep, SweepError, pareto};
use crate::verilog::{Emission, TESTBENCH, TOP, keccak};
use serde::Serialize;

pub use crate::VERSION;

/// Parameters of a design, as one flat structure.
#[derive(Clone, Debug, Serialize)]
pub struct DesignForm {
    /// Name, as the program prints it.
    pub name: String,
    /// Clock, Hz.
    pub clock_hz: u64,
    /// Number of multipliers.
    pub multipliers: u32,
    /// Latency of a multiplier, cycles.
    pub multiplier_latency: u32,
    /// Number of adders.
    pub adders: u32,
    /// Latency of an adder, cycles.
    pub adder_latency: u32,
    /// Kind of the memories.
    pub memory: StorageKind,
    /// Distribution of words over banks.
    pub banking: Banking,
    /// Ports of a bank.
    pub ports: u32,
    /// Latency of a read, cycles.
    pub read_latency: u32,
    /// Latency of a write, cycles.
    pub write_latency: u32,
    /// `nested` or `flattened`.
    pub pipelining: &'static str,
    /// Cycles between two innermost loops, if these are pipelined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_overhead: Option<u32>,
    /// Assumption about dependences between iterations.
    pub dependence: Aliasing,
    /// The smallest initiation interval to try, cycles.
    pub least_interval: u32,
}

impl From<&Design> for DesignForm {
    fn from(design: &Design) -> Self {
        let storage = design.storage;
        Self {
            name: design.name.clone(),
            clock_hz: design.clock_hz,
            multipliers: design.multipliers,
            multiplier_latency: design.multiplier.latency,
            adders: design.adders,
            adder_latency: design.adder.latency,
            memory: storage.kind,
            banking: storage.banking,
            ports: storage.ports,
            read_latency: storage.read_latency,
            write_latency: storage.write_latency,
            pipelining: design.pipelining.name(),
            loop_overhead: match design.pipelining {
                Pipelining::Innermost { overhead } => Some(overhead),
                Pipelining::Flattened => None,
            },
            dependence: design.aliasing,
            least_interval: design.least_interval,
        }
    }
}

/// Cycles and time of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    /// Number of butterflies.
    pub butterflies: u64,
    /// Initiation interval, cycles.
    pub interval: u32,
    /// Cycles of one butterfly.
    pub depth: u32,
    /// Cycles of the whole transform.
    pub cycles: u64,
    /// Part of `cycles` in which an iteration stalls.
    pub stalls: u64,
    /// Microseconds at the design's clock.
    pub micros: f64,
}

impl From<&Measurement> for Timing {
    fn from(measurement: &Measurement) -> Self {
        let run = measurement.run;
        Self {
            butterflies: run.iterations,
            interval: measurement.kernel.body.schedule.interval,
            depth: measurement.kernel.body.depth(),
            cycles: run.cycles,
            stalls: run.stalls,
            micros: measurement.micros(),
        }
    }
}

/// Speedup over `paper-original`.
#[derive(Clone, Debug, Serialize)]
pub struct SpeedupForm {
    /// Speedup by the interval, as the paper counts.
    pub interval: f64,
    /// Speedup by cycles.
    pub cycles: f64,
    /// Speedup by time.
    pub time: f64,
}

/// A component of a circuit.
#[derive(Clone, Debug, Serialize)]
pub struct Component {
    /// Name of the component.
    pub name: String,
    /// Number of such components in the circuit.
    pub count: u32,
    /// Resources of one component.
    pub each: Resources,
    /// Source of the numbers.
    pub source: &'static str,
}

/// Resources of a design, compared with those of a part.
#[derive(Clone, Debug, Serialize)]
pub struct ResourcesForm {
    /// Estimated resources. The DSP slices agree with Table II. The other numbers do not include
    /// control and AXI.
    pub estimate: Resources,
    /// The part.
    pub part: &'static str,
    /// Resources of the part.
    pub available: Resources,
    /// Table II, if the design is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<Resources>,
    /// The estimate by component.
    pub components: Vec<Component>,
    /// Reasons why the design does not fit the part.
    pub concerns: Vec<String>,
}

impl ResourcesForm {
    /// Makes the form of an estimate of the design called `name`.
    pub fn new(name: &str, estimate: &Estimate, device: Device) -> Self {
        let component = |item: &crate::resources::Item| Component {
            name: item.name.clone(),
            count: item.count,
            each: item.each,
            source: item.source,
        };
        Self {
            estimate: estimate.total(),
            part: device.name,
            available: Resources::of(device),
            paper: Preset::by_name(name).and_then(table_ii),
            components: estimate.items.iter().map(component).collect(),
            concerns: concerns(estimate, device),
        }
    }
}

/// Returns the reasons why an estimate does not fit `device`, in words.
pub(super) fn concerns(estimate: &Estimate, device: Device) -> Vec<String> {
    let concerns = estimate.concerns(device);
    concerns.iter().map(Concern::to_string).collect()
}

/// One transform on one design.
#[derive(Clone, Debug, Serialize)]
pub struct RunForm {
    /// [`VERSION`].
    pub version: u32,
    /// The design.
    pub design: DesignForm,
    /// The transform.
    pub transform: Transform,
    /// Degree of the polynomial.
    pub degree: u32,
    /// Cycles and time.
    #[serde(flatten)]
    pub timing: Timing,
    /// Speedup over `paper-original`.
    pub speedup: SpeedupForm,
    /// Resources, and those of the part.
    pub resources: ResourcesForm,
}

impl RunForm {
    /// Returns the reasons why the design does not fit the part, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let part = self.resources.part;
        let concerns = self.resources.concerns.iter();
        concerns
            .map(|concern| format!("does not fit {part}: {concern}"))
            .collect()
    }

    /// Makes the form of a measurement, for `device`.
    ///
    /// # Errors
    /// Never for a measurement from [`Measurement::new`].
    pub fn new(measurement: &Measurement, device: Device) -> Result<Self, Error> {
        let speedup = measurement.speedup(&measurement.baseline()?);
        let design = &measurement.design;
        Ok(Self {
            version: VERSION,
            design: design.into(),
            transform: measurement.kernel.transform,
            degree: 1 << measurement.logn,
            timing: measurement.into(),
            speedup: SpeedupForm {
                interval: speedup.interval,
                cycles: speedup.cycles,
                time: speedup.time,
            },
            resources: ResourcesForm::new(&design.name, &measurement.estimate, device),
        })
    }
}

/// Parameters of a circuit for Keccak-f, as one flat structure.
#[derive(Clone, Debug, Serialize)]
pub struct KeccakDesignForm {
    /// Name, as the program prints it.
    pub name: String,
    /// Clock, Hz.
    pub clock_hz: u64,
    /// Memory of the state: `registers`, `bram` or `axi`.
    pub state: &'static str,
    /// Ports of the block RAM, if the state is in block RAM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<u32>,
    /// Rounds in the body of the loop.
    pub unrolled_rounds: u32,
    /// Register stages after the parities of the columns, in cycles.
    pub parity_latency: u32,
    /// Register stages between the rounds of a body, in cycles.
    pub round_latency: u32,
    /// The smallest initiation interval to try, cycles.
    pub least_interval: u32,
}

impl From<&KeccakDesign> for KeccakDesignForm {
    fn from(design: &KeccakDesign) -> Self {
        Self {
            name: design.name.clone(),
            clock_hz: design.clock_hz,
            state: design.state.name(),
            ports: match design.state {
                State::Bram { ports } => Some(ports),
                _ => None,
            },
            unrolled_rounds: design.unrolled_rounds,
            parity_latency: design.parity_latency,
            round_latency: design.round_latency,
            least_interval: design.least_interval,
        }
    }
}

/// Circuit that a view shows, and its work.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Subject {
    /// A transform on a design.
    Transform {
        /// The design.
        design: DesignForm,
        /// The transform.
        transform: Transform,
        /// Degree of the polynomial, if it matters.
        #[serde(skip_serializing_if = "Option::is_none")]
        degree: Option<u32>,
    },
    /// The rounds of Keccak-f on a circuit.
    Keccak {
        /// The circuit.
        design: KeccakDesignForm,
    },
}

/// Reasons for an interval.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainForm {
    /// [`VERSION`].
    pub version: u32,
    /// Circuit that is explained.
    #[serde(flatten)]
    pub subject: Subject,
    /// Limits of the interval.
    #[serde(flatten)]
    pub explanation: Explanation,
}

/// A design of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct SweepRow {
    /// The design.
    pub design: DesignForm,
    /// Cycles and time.
    #[serde(flatten)]
    pub timing: Timing,
    /// Resources.
    pub resources: Resources,
    /// Reasons why the design does not fit the part.
    pub concerns: Vec<String>,
    /// True if the design is on the Pareto front: no other design of the sweep has less time and no
    /// more DSP slices, or fewer slices and no more time.
    pub pareto: bool,
}

impl SweepRow {
    /// Duration.
    pub fn time(&self) -> Time {
        Time {
            cycles: self.timing.cycles,
            clock_hz: self.design.clock_hz,
        }
    }
}

/// A design that cannot be built.
#[derive(Clone, Debug, Serialize)]
pub struct Impossible {
    /// The design.
    pub design: DesignForm,
    /// Reason why it cannot be built.
    pub reason: String,
}

/// The designs of a sweep.
#[derive(Clone, Debug, Serialize)]
pub struct SweepForm {
    /// [`VERSION`].
    pub version: u32,
    /// The transform.
    pub transform: Transform,
    /// Degree of the polynomial.
    pub degree: u32,
    /// The part to which `concerns` refers.
    pub part: &'static str,
    /// Designs that were simulated.
    pub designs: Vec<SweepRow>,
    /// Designs that cannot be built.
    pub impossible: Vec<Impossible>,
}

impl SweepForm {
    /// True if the designs have different clocks.
    pub fn clocks_differ(&self) -> bool {
        let mut clocks = self.designs.iter().map(|row| row.design.clock_hz);
        clocks
            .next()
            .is_some_and(|first| clocks.any(|clock| clock != first))
    }

    /// Reports how many designs cannot be built, and the reason for the first one.
    pub fn warning(&self) -> Option<String> {
        let first = self.impossible.first()?;
        let designs = Count(self.impossible.len() as u64, "design");
        let reason = &first.reason;
        Some(format!(
            "{designs} cannot be built; the first one: {reason}"
        ))
    }

    /// Runs `transform` of every degree `2^logn` on every design of `sweep`, and on the presets at
    /// each of its clocks. Returns a form for each degree. Calls `progress` after each run of the
    /// sweep, with the total number of these runs.
    ///
    /// # Errors
    /// If there are more than [`MAX_DESIGNS`] runs, or a degree does not exist, or no design can
    /// be built.
    pub fn of_degrees(
        sweep: &Sweep,
        transform: Transform,
        logns: &[u32],
        device: Device,
        mut progress: impl FnMut(u64),
    ) -> Result<Vec<Self>, SweepError> {
        let designs = sweep.designs()?;
        let runs = designs.len() * logns.len();
        if runs > MAX_DESIGNS {
            return Err(SweepError::TooMany(runs));
        }
        let form = |&logn| {
            let mut outcome = Outcome::default();
            for design in &designs {
                outcome.add(design.clone(), transform, logn);
                progress(runs as u64);
            }
            if let ([], [(_, error), ..]) = (&outcome.measurements[..], &outcome.impossible[..]) {
                return Err(SweepError::Run(error.clone()));
            }
            let presets = outcome.add_presets(transform, logn, &sweep.clocks_hz());
            presets.map_err(SweepError::Run)?;
            Ok(Self::new(&outcome, transform, logn, device))
        };
        logns.iter().map(form).collect()
    }

    /// Makes the form of the results of a sweep.
    pub fn new(outcome: &Outcome, transform: Transform, logn: u32, device: Device) -> Self {
        let measurements = &outcome.measurements;
        let point = |m: &Measurement| (m.estimate.total().dsp, m.time());
        let points: Vec<_> = measurements.iter().map(point).collect();
        let row = |(m, pareto): (&Measurement, bool)| SweepRow {
            design: (&m.design).into(),
            timing: m.into(),
            resources: m.estimate.total(),
            concerns: concerns(&m.estimate, device),
            pareto,
        };
        let front = pareto(&points);
        let impossible = |(design, error): &(Design, Error)| Impossible {
            design: design.into(),
            reason: error.to_string(),
        };
        Self {
            version: VERSION,
            transform,
            degree: 1 << logn,
            part: device.name,
            designs: measurements.iter().zip(front).map(row).collect(),
            impossible: outcome.impossible.iter().map(impossible).collect(),
        }
    }
}

/// A circuit in Verilog.
#[derive(Clone, Debug, Serialize)]
pub struct VerilogForm {
    /// [`VERSION`].
    pub version: u32,
    /// The design.
    pub design: DesignForm,
    /// The transform.
    pub transform: Transform,
    /// Degree of the polynomial.
    pub degree: u32,
    /// Initiation interval, cycles.
    pub interval: u32,
    /// Cycles of one butterfly.
    pub depth: u32,
    /// The top module of the circuit.
    pub top: &'static str,
    /// The top module of the simulation.
    pub testbench: &'static str,
    /// Clocks from an address at the host port to the number that is read.
    pub read_latency: u32,
}

impl VerilogForm {
    /// Makes the form of the circuit that was emitted for `accelerator`.
    pub fn new(accelerator: &Accelerator, emission: &Emission) -> Self {
        let body = &accelerator.kernel(emission.transform).body;
        Self {
            version: VERSION,
            design: accelerator.design().into(),
            transform: emission.transform,
            degree: 2 * emission.words as u32,
            interval: body.schedule.interval,
            depth: body.depth(),
            top: TOP,
            testbench: TESTBENCH,
            read_latency: emission.read_latency,
        }
    }
}

/// Keccak-f in Verilog.
#[derive(Clone, Debug, Serialize)]
pub struct KeccakVerilogForm {
    /// [`VERSION`].
    pub version: u32,
    /// The design.
    pub design: KeccakDesignForm,
    /// Cycles of a permutation.
    pub cycles: u64,
    /// The top module of the circuit.
    pub top: &'static str,
}

impl KeccakVerilogForm {
    /// Makes the form of `circuit`.
    pub fn new(circuit: &KeccakCircuit) -> Self {
        Self {
            version: VERSION,
            design: circuit.design().into(),
            cycles: circuit.cycles().permute,
            top: keccak::TOP,
        }
    }
}
