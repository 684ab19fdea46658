//! The report, as data and as text.

use super::paper::{self, Finding};
use super::predict::{Fabric, Prediction, Processor, Scope, Transfer, predict};
use super::{Accelerated, AmdahlError, cap, speedup};
use crate::VERSION;
use crate::accelerator::Accelerator;
use crate::profile::{Operation, Part, Profile, Target};
use crate::quantity::Count;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// An operation with the paper's shares and factors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PaperRow {
    /// The operation.
    pub operation: Operation,
    /// Share of the inner FFT: the paper's, or 0 if the operation has no such FFT.
    pub fft_share: f64,
    /// Share of Keccak-f.
    pub keccak_share: f64,
    /// Speedup if the FFT is 42 times and Keccak-f 35 times faster.
    pub speedup: f64,
    /// Upper bound on the speedup if these shares are accelerated.
    pub cap: f64,
    /// Speedup that the paper reports.
    pub reported: f64,
}

/// An operation with our counted shares and the paper's factors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareRow {
    /// Instruction set of the counted code.
    pub target: Target,
    /// The operation.
    pub operation: Operation,
    /// Degree of the polynomial.
    pub degree: u32,
    /// Share of the forward transforms.
    pub fft_share: f64,
    /// Share of all butterflies: transforms, splits and merges.
    pub butterfly_share: f64,
    /// Share of Keccak-f.
    pub keccak_share: f64,
    /// Speedup if butterflies became 42 times and Keccak-f 35 times faster.
    pub speedup: f64,
    /// Upper bound on the speedup if these parts are accelerated.
    pub cap: f64,
    /// Speedup that the paper reports.
    pub reported: Option<f64>,
}

/// The paper's three speedups and their average, as predicted for one processor and degree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SummaryRow {
    /// Instruction set of the processor.
    pub target: Target,
    /// Degree.
    pub degree: u32,
    /// Speedup of key generation.
    pub keygen: f64,
    /// Speedup of signing.
    pub sign: f64,
    /// Speedup of verification.
    pub verify: f64,
    /// Average of the three speedups: 1.8 in the paper.
    pub average: f64,
}

/// A time of Table I beside our predictions, in microseconds on the processor alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TableIRow {
    /// Degree.
    pub degree: u32,
    /// Operation.
    pub operation: Operation,
    /// Time in Table I, for the reference code.
    pub table_i_us: f64,
    /// Time of our code with the floating-point unit. `None` for degrees that are not implemented.
    pub armv7_us: Option<f64>,
    /// Time of our code with emulated binary64. `None` for degrees that are not implemented.
    pub armv7_soft_us: Option<f64>,
}

/// Amdahl's law applied to one design.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// The paper's average speedup of 1.8, as predicted here.
    pub summary: Vec<SummaryRow>,
    /// Table I with the times of our code.
    pub table_i: Vec<TableIRow>,
    /// The paper's shares.
    pub paper: Vec<PaperRow>,
    /// Contradictions in the paper.
    pub findings: Vec<Finding>,
    /// The shares that were counted.
    pub shares: Vec<ShareRow>,
    /// Name of the design.
    pub design: String,
    /// The processor.
    pub processor: Processor,
    /// The circuits at the degrees 512, 1024 and 256.
    pub fabric: [Fabric; 3],
    /// Predicted speedups of the operations.
    pub predictions: Vec<Prediction>,
}

/// Operations that users call: key generation, and variants of signing and verification.
const OPERATIONS: [Operation; 5] = [
    Operation::Keygen,
    Operation::Sign,
    Operation::SignExpanded,
    Operation::SignHedged,
    Operation::VerifyEncoded,
];

/// The operations that the paper measured, in the order of Table I.
const MEASURED: [Operation; 3] = [Operation::Keygen, Operation::Sign, Operation::VerifyEncoded];

impl Report {
    /// Runs the transforms on `accelerator` and predicts the speedups from their cycles. A
    /// permutation takes `permutation_cycles` of the fabric's clock.
    ///
    /// # Errors
    /// If a quantity of a model is not a number above 0.
    pub fn new(
        accelerator: &Accelerator,
        permutation_cycles: u64,
        processor: Processor,
        transfer: Option<Transfer>,
        scope: Scope,
    ) -> Result<Self, AmdahlError> {
        let profile = Profile::committed()?;
        let fabric = |logn| Fabric::run(accelerator, logn, permutation_cycles, transfer);
        let fabric = [fabric(9)?, fabric(10)?, fabric(8)?];
        let mut predictions = Vec::new();
        for target in [Target::ArmV7, Target::ArmV7Soft] {
            // Degree 256 is in Table I, but it has no profile: it is not a parameter set of ours.
            for fabric in &fabric[..2] {
                for operation in OPERATIONS {
                    let prediction =
                        predict(&profile, target, operation, &processor, fabric, scope)?;
                    predictions.push(prediction);
                }
            }
        }
        Ok(Self {
            version: VERSION,
            summary: summary_rows(&predictions),
            table_i: table_i_rows(&predictions),
            paper: paper_rows()?,
            findings: paper::findings(&profile)?,
            shares: share_rows(&profile)?,
            design: accelerator.design().name.clone(),
            processor,
            fabric,
            predictions,
        })
    }
}

/// Finds the prediction for an operation, if there is one.
fn prediction(
    predictions: &[Prediction],
    target: Target,
    operation: Operation,
    degree: u32,
) -> Option<&Prediction> {
    let key = (target, operation, degree);
    let mut rows = predictions.iter();
    rows.find(|row| (row.target, row.operation, row.degree) == key)
}

/// Returns the predicted speedups and their average, for every target and degree.
fn summary_rows(predictions: &[Prediction]) -> Vec<SummaryRow> {
    let mut rows = Vec::new();
    for target in [Target::ArmV7, Target::ArmV7Soft] {
        for degree in [512, 1024] {
            let of = |operation| {
                prediction(predictions, target, operation, degree).map(|row| row.speedup)
            };
            let [keygen, sign, verify] = MEASURED.map(of);
            if let (Some(keygen), Some(sign), Some(verify)) = (keygen, sign, verify) {
                rows.push(SummaryRow {
                    target,
                    degree,
                    keygen,
                    sign,
                    verify,
                    average: (keygen + sign + verify) / 3.0,
                });
            }
        }
    }
    rows
}

/// Returns Table I with the predicted times of the processor alone.
fn table_i_rows(predictions: &[Prediction]) -> Vec<TableIRow> {
    let rows = paper::TABLE_I_US.iter().flat_map(|&(degree, times)| {
        MEASURED.into_iter().zip(times).map(move |(operation, us)| {
            let ours = |target| {
                prediction(predictions, target, operation, degree).map(|row| row.processor_us)
            };
            TableIRow {
                degree,
                operation,
                table_i_us: us,
                armv7_us: ours(Target::ArmV7),
                armv7_soft_us: ours(Target::ArmV7Soft),
            }
        })
    });
    rows.collect()
}

/// Returns a row for each operation that the paper measured. Verification has a second row without
/// an FFT, since verification does not use it.
fn paper_rows() -> Result<Vec<PaperRow>, AmdahlError> {
    let rows = MEASURED.map(|operation| (operation, paper::FFT_SHARE));
    let rows = rows.into_iter().chain([(Operation::VerifyEncoded, 0.0)]);
    rows.filter_map(|(operation, fft_share)| {
        let row = |reported| {
            let parts = [
                Accelerated::new(fft_share, paper::FFT_FACTOR)?,
                Accelerated::new(paper::KECCAK_SHARE, paper::KECCAK_FACTOR)?,
            ];
            Ok(PaperRow {
                operation,
                fft_share,
                keccak_share: paper::KECCAK_SHARE,
                speedup: speedup(&parts)?,
                cap: cap(&parts)?,
                reported,
            })
        };
        paper::reported(operation).map(row)
    })
    .collect()
}

/// Returns the shares of every counted run.
fn share_rows(profile: &Profile) -> Result<Vec<ShareRow>, AmdahlError> {
    let rows = profile.runs.iter().map(|run| {
        let [fft_share, butterfly_share, keccak_share] =
            [&[Part::Fft][..], &Part::BUTTERFLIES, &[Part::KeccakF]].map(|parts| run.share(parts));
        let parts = [
            Accelerated::new(butterfly_share, paper::FFT_FACTOR)?,
            Accelerated::new(keccak_share, paper::KECCAK_FACTOR)?,
        ];
        Ok(ShareRow {
            target: run.target,
            operation: run.operation,
            degree: run.degree,
            fft_share,
            butterfly_share,
            keccak_share,
            speedup: speedup(&parts)?,
            cap: cap(&parts)?,
            reported: paper::reported(run.operation),
        })
    });
    rows.collect()
}

/// Formats a number, or `-` if there is none.
fn or_dash(x: Option<f64>) -> String {
    x.map_or_else(|| "-".into(), |x| format!("{x:.2}"))
}

/// Formats a number of microseconds, or `-` if there is none.
fn micros_or_dash(us: Option<f64>) -> String {
    us.map_or_else(|| "-".into(), |us| format!("{us:.0}"))
}

/// Describes a processor's arithmetic.
fn in_words(target: Target) -> &'static str {
    match target {
        Target::X86_64 => "x86-64",
        Target::ArmV7 => "with the floating-point unit",
        Target::ArmV7Soft => "with emulated binary64",
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write_summary(f)?;
        self.write_predictions(f)?;
        self.write_table_i(f)?;
        self.write_shares(f)?;
        self.write_paper(f)
    }
}

impl Report {
    fn write_summary(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let averages = || self.summary.iter().map(|row| row.average);
        writeln!(
            f,
            "The paper's {:.1} times is {:.1} to {:.1} times here, with {} and a Keccak-f of {}.\n",
            paper::OVERALL,
            averages().fold(f64::INFINITY, f64::min),
            averages().fold(0.0, f64::max),
            self.design,
            Count(self.fabric[0].permutation_cycles, "cycle"),
        )?;
        writeln!(
            f,
            "{:<36}{:>6}{:>10}{:>10}{:>10}{:>10}",
            "speedup on a Cortex-A9", "n", "keygen", "sign", "verify", "average"
        )?;
        let [keygen, sign, verify] = MEASURED.map(paper::reported).map(or_dash);
        writeln!(
            f,
            "{:<36}{:>6}{keygen:>10}{sign:>10}{verify:>10}{:>10.2}",
            "the paper",
            "-",
            paper::OVERALL
        )?;
        for row in &self.summary {
            writeln!(
                f,
                "{:<36}{:>6}{:>10.2}{:>10.2}{:>10.2}{:>10.2}",
                format!("our code {}", in_words(row.target)),
                row.degree,
                row.keygen,
                row.sign,
                row.verify,
                row.average
            )?;
        }
        Ok(())
    }

    fn write_predictions(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [small, large, least] = &self.fabric;
        let per_instruction = self.processor.cycles_per_instruction;
        writeln!(
            f,
            "\nPredicted for {}, larger is faster. Fabric at {:.0} MHz: FFT-256, 512, 1024 in {}, {}, {} \
             cycles;\nKeccak-f in {}; {}.\nProcessor at {:.0} MHz, {per_instruction} cycle{} an \
             instruction. The columns \"butterflies\" and \"permutations\" compare\nfabric and \
             processor: below 1 the fabric is slower.\n",
            self.design,
            small.clock_hz as f64 / 1e6,
            least.fft_cycles,
            small.fft_cycles,
            large.fft_cycles,
            Count(small.permutation_cycles, "cycle"),
            match small.transfer {
                Some(transfer) => format!(
                    "data move at {} a cycle, and a call takes {} more",
                    Count(transfer.bytes_per_cycle.into(), "byte"),
                    Count(transfer.cycles_per_call.into(), "cycle")
                ),
                None => "moving data takes no time".into(),
            },
            self.processor.clock_hz as f64 / 1e6,
            if per_instruction == 1.0 { "" } else { "s" },
        )?;
        writeln!(
            f,
            "{:<12}{:<16}{:>6}{:>12}{:>12}{:>14}{:>14}{:>10}{:>10}",
            "target",
            "operation",
            "n",
            "before us",
            "after us",
            "butterflies",
            "permutations",
            "speedup",
            "reported"
        )?;
        for row in &self.predictions {
            writeln!(
                f,
                "{:<12}{:<16}{:>6}{:>12.0}{:>12.0}{:>14}{:>14}{:>10.2}{:>10}",
                row.target.name(),
                row.operation.name(),
                row.degree,
                row.processor_us,
                row.processor_us / row.speedup,
                or_dash(row.butterfly_factor()),
                or_dash(row.permutation_factor()),
                row.speedup,
                or_dash(row.reported)
            )?;
        }
        Ok(())
    }

    fn write_table_i(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nTable I, microseconds without the fabric, smaller is faster. The paper measured the \
             reference code;\nours is predicted. Falcon-256 is not a parameter set of ours.\n"
        )?;
        writeln!(
            f,
            "{:<16}{:>6}{:>12}{:>12}{:>14}",
            "operation", "n", "Table I", "armv7", "armv7-soft"
        )?;
        for row in &self.table_i {
            writeln!(
                f,
                "{:<16}{:>6}{:>12.0}{:>12}{:>14}",
                row.operation.name(),
                row.degree,
                row.table_i_us,
                micros_or_dash(row.armv7_us),
                micros_or_dash(row.armv7_soft_us)
            )?;
        }
        Ok(())
    }

    fn write_shares(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nCounted shares of the instructions, and the speedup if butterflies were {:.0} times and \
             Keccak-f {:.0}\ntimes faster. No accelerator of these parts exceeds the cap.\n",
            paper::FFT_FACTOR,
            paper::KECCAK_FACTOR
        )?;
        writeln!(
            f,
            "{:<12}{:<16}{:>6}{:>8}{:>15}{:>10}{:>10}{:>8}{:>10}",
            "target",
            "operation",
            "n",
            "FFT %",
            "butterflies %",
            "Keccak %",
            "speedup",
            "cap",
            "reported"
        )?;
        for row in &self.shares {
            writeln!(
                f,
                "{:<12}{:<16}{:>6}{:>8.1}{:>15.1}{:>10.1}{:>10.2}{:>8.2}{:>10}",
                row.target.name(),
                row.operation.name(),
                row.degree,
                100.0 * row.fft_share,
                100.0 * row.butterfly_share,
                100.0 * row.keccak_share,
                row.speedup,
                row.cap,
                or_dash(row.reported)
            )?;
        }
        Ok(())
    }

    fn write_paper(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nThe paper's shares, with the inner FFT {:.0} times and Keccak-f {:.0} times faster. The \
             last row leaves out\nthe FFT, which verification does not have.\n",
            paper::FFT_FACTOR,
            paper::KECCAK_FACTOR
        )?;
        writeln!(
            f,
            "{:<16}{:>8}{:>10}{:>10}{:>8}{:>10}",
            "operation", "FFT %", "Keccak %", "speedup", "cap", "reported"
        )?;
        for row in &self.paper {
            writeln!(
                f,
                "{:<16}{:>8.1}{:>10.1}{:>10.2}{:>8.2}{:>10.2}",
                row.operation.name(),
                100.0 * row.fft_share,
                100.0 * row.keccak_share,
                row.speedup,
                row.cap,
                row.reported
            )?;
        }
        write!(f, "\nWhat does not add up in the paper\n")?;
        for finding in &self.findings {
            let Finding {
                claim,
                claimed,
                computed,
                reason,
            } = finding;
            write!(
                f,
                "\n- {claim}: {claimed:.1}; computed {computed:.2}.\n  {reason}"
            )?;
        }
        Ok(())
    }
}
