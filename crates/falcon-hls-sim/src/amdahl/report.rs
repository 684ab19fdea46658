//! The three tables, as data and as text.

use super::paper::{self, Finding};
use super::predict::{Fabric, Prediction, Processor, Scope, Transfer, predict};
use super::{Accelerated, AmdahlError, cap, speedup};
use crate::accelerator::Accelerator;
use crate::profile::{Operation, Part, Profile, Target};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// An operation with the paper's shares and factors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PaperRow {
    /// The operation.
    pub operation: Operation,
    /// Share of the inner FFT: the paper's, or 0 where there is no such FFT.
    pub fft_share: f64,
    /// Share of Keccak-f.
    pub keccak_share: f64,
    /// What 42 and 35 times make of it.
    pub speedup: f64,
    /// What no accelerator exceeds.
    pub cap: f64,
    /// What the paper reports.
    pub reported: f64,
}

/// An operation with the shares that were counted and the paper's factors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShareRow {
    /// Instructions of what.
    pub target: Target,
    /// The operation.
    pub operation: Operation,
    /// Its degree.
    pub degree: u32,
    /// Share of the forward transforms.
    pub fft_share: f64,
    /// Share of all butterflies: transforms, splits and merges.
    pub butterfly_share: f64,
    /// Share of Keccak-f.
    pub keccak_share: f64,
    /// Speedup if butterflies became 42 and Keccak-f 35 times faster.
    pub speedup: f64,
    /// What no accelerator of them exceeds.
    pub cap: f64,
    /// What the paper reports.
    pub reported: Option<f64>,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The paper's shares.
    pub paper: Vec<PaperRow>,
    /// What does not add up in the paper.
    pub findings: Vec<Finding>,
    /// The shares that were counted.
    pub shares: Vec<ShareRow>,
    /// The design that is predicted.
    pub design: String,
    /// The processor.
    pub processor: Processor,
    /// The circuits at the degrees 512 and 1024.
    pub fabric: [Fabric; 2],
    /// What becomes of the operations.
    pub predictions: Vec<Prediction>,
}

/// Operations that users do, of the paper's three kinds.
const OPERATIONS: [Operation; 5] = [
    Operation::Keygen,
    Operation::Sign,
    Operation::SignExpanded,
    Operation::SignHedged,
    Operation::VerifyEncoded,
];

impl Report {
    /// Runs the transforms on `accelerator` and predicts with it, a permutation
    /// taking `permutation_cycles` of the fabric's clock.
    ///
    /// # Errors
    /// If a model is impossible.
    pub fn new(
        accelerator: &Accelerator,
        permutation_cycles: u64,
        processor: Processor,
        transfer: Option<Transfer>,
        scope: Scope,
    ) -> Result<Self, AmdahlError> {
        let profile = Profile::committed()?;
        let fabric = |logn| Fabric::run(accelerator, logn, permutation_cycles, transfer);
        let fabric = [fabric(9)?, fabric(10)?];
        let mut predictions = Vec::new();
        for target in [Target::ArmV7, Target::ArmV7Soft] {
            for fabric in &fabric {
                for operation in OPERATIONS {
                    let prediction =
                        predict(&profile, target, operation, &processor, fabric, scope)?;
                    predictions.push(prediction);
                }
            }
        }
        Ok(Self {
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

/// The paper's operations; verification once more without the FFT that it has not.
fn paper_rows() -> Result<Vec<PaperRow>, AmdahlError> {
    let with = [Operation::Keygen, Operation::Sign, Operation::VerifyEncoded];
    let rows = with.map(|operation| (operation, paper::FFT_SHARE));
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

/// Every run that was counted.
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

/// A number of the paper, or nothing.
fn or_dash(x: Option<f64>) -> String {
    x.map_or_else(|| "-".into(), |x| format!("{x:.2}"))
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "The paper's shares: inner FFT {:.0} times, Keccak-f {:.0} times faster\n",
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
        writeln!(f, "\nWhat does not add up in the paper\n")?;
        for finding in &self.findings {
            let Finding {
                claim,
                claimed,
                computed,
                reason,
            } = finding;
            writeln!(
                f,
                "- {claim}: {claimed:.1}; computed {computed:.2}.\n  {reason}."
            )?;
        }
        writeln!(
            f,
            "\nShares of instructions, counted; the same factors for butterflies and Keccak-f\n"
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
        self.write_predictions(f)
    }
}

impl Report {
    fn write_predictions(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [small, large] = &self.fabric;
        writeln!(
            f,
            "\nPredicted for {}: {:.0} MHz; FFT {} and {} cycles, Keccak-f {}; processor {:.0} MHz, \
             {} cycles an instruction, our code; {}\n",
            self.design,
            small.clock_hz as f64 / 1e6,
            small.fft_cycles,
            large.fft_cycles,
            small.permutation_cycles,
            self.processor.clock_hz as f64 / 1e6,
            self.processor.cycles_per_instruction,
            match small.transfer {
                Some(transfer) => format!(
                    "{} bytes a cycle and {} cycles a call to move data",
                    transfer.bytes_per_cycle, transfer.cycles_per_call
                ),
                None => "data are there".into(),
            }
        )?;
        writeln!(
            f,
            "{:<12}{:<16}{:>6}{:>12}{:>12}{:>12}{:>14}{:>14}{:>10}{:>10}",
            "target",
            "operation",
            "n",
            "Table I us",
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
                "{:<12}{:<16}{:>6}{:>12}{:>12.0}{:>12.0}{:>14}{:>14}{:>10.2}{:>10}",
                row.target.name(),
                row.operation.name(),
                row.degree,
                row.table_i_us
                    .map_or_else(|| "-".into(), |us| format!("{us:.0}")),
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
}
