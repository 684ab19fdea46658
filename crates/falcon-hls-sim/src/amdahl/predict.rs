//! Prediction of the operations' speedups with the simulated circuits.
//!
//! The processor executes the instructions that the [profile](crate::profile) counted. Circuits in
//! the fabric compute the butterflies and permutations, in the cycles that the simulator counted,
//! while the processor waits. The processor runs our code, not the reference's. Our key generation
//! has almost no binary64 transforms. The time to transfer the data is a parameter, because it
//! decides the result: a circuit that is fast at 100 MHz is not necessarily faster than a processor
//! at 667 MHz.

use super::{AmdahlError, paper};
use crate::accelerator::{self, Accelerator, MAX_LOGN, blank_memories};
use crate::nest::Transform;
use crate::profile::count::{Butterflies, transform_butterflies};
use crate::profile::{Operation, Part, Profile, ProfiledRun, Target};
use serde::Serialize;

/// A processor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Processor {
    /// Clock, Hz.
    pub clock_hz: u64,
    /// Mean number of cycles of an instruction.
    pub cycles_per_instruction: f64,
    /// Cycles of a butterfly. If `None`, every instruction takes `cycles_per_instruction`.
    pub cycles_per_butterfly: Option<f64>,
    /// Cycles of a permutation. If `None`, every instruction takes `cycles_per_instruction`.
    pub cycles_per_permutation: Option<f64>,
}

impl Processor {
    /// The paper's processor: a Cortex-A9 at 667 MHz `[P]`, one cycle an instruction `[?]`.
    ///
    /// The processor issues one load, store or floating-point instruction per cycle. A butterfly
    /// has 18 such instructions, and also integer instructions. A binary64 product occupies its
    /// unit for two cycles and is ready after 5 or 6, a sum after 4 (the description of the
    /// pipeline that ARM contributed to GCC, `cortex-a9.md` `[V]`). So one cycle an instruction is
    /// what good schedules reach without cache misses. A butterfly of a signature of degree 512
    /// takes 19.3 instructions on average: 19.7 in a forward FFT, 22.9 in a split. A permutation
    /// takes 14,858 `[M]`.
    pub const CORTEX_A9: Self = Self {
        clock_hz: paper::PROCESSOR_HZ,
        cycles_per_instruction: 1.0,
        cycles_per_butterfly: None,
        cycles_per_permutation: None,
    };

    fn check(&self) -> Result<(), AmdahlError> {
        if self.clock_hz == 0 {
            return Err(AmdahlError::Clock);
        }
        let quantities = [
            ("cycles per instruction", Some(self.cycles_per_instruction)),
            ("cycles per butterfly", self.cycles_per_butterfly),
            ("cycles per permutation", self.cycles_per_permutation),
        ];
        for (name, given) in quantities {
            if let Some(given) = given
                && !(given > 0.0 && given.is_finite())
            {
                return Err(AmdahlError::Quantity { name, given });
            }
        }
        Ok(())
    }

    /// Returns the time in seconds of a permutation that takes `instructions` instructions.
    ///
    /// # Errors
    /// If a quantity of the model is not a number above 0.
    pub fn permutation_seconds(&self, instructions: f64) -> Result<f64, AmdahlError> {
        self.check()?;
        let counted = instructions * self.cycles_per_instruction;
        Ok(self.cycles_per_permutation.unwrap_or(counted) / self.clock_hz as f64)
    }

    /// Returns the time in seconds that `parts` take in one operation. `each` is the number of
    /// cycles of one butterfly or permutation. If it is `None`, the time follows from the
    /// instructions.
    fn seconds(&self, run: &ProfiledRun, parts: &[Part], each: Option<f64>) -> f64 {
        let executed = || {
            parts
                .iter()
                .filter_map(|&part| run.executed_each(part))
                .sum()
        };
        let cycles = match each {
            Some(each) => each * f64::max(0.0, executed()),
            None => run.instructions_each_in(parts) * self.cycles_per_instruction,
        };
        cycles / self.clock_hz as f64
    }
}

/// The path of data between processor and fabric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Transfer {
    /// Bytes moved per cycle of the fabric.
    pub bytes_per_cycle: u32,
    /// Additional cycles of the fabric for each call, both directions together.
    pub cycles_per_call: u32,
}

impl Transfer {
    /// A 64-bit AXI port `[V]`. Its latency of 64 cycles `[V]` applies once on the way in and once
    /// on the way out `[D]`.
    pub const AXI: Self = Self {
        bytes_per_cycle: 8,
        cycles_per_call: 128,
    };

    fn cycles(self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.bytes_per_cycle) + f64::from(self.cycles_per_call)
    }
}

/// Work that the fabric does besides Keccak-f.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The forward transforms, which are the paper's inner FFT.
    Forward,
    /// Forward and inverse transforms.
    Transforms,
    /// Forward and inverse transforms, and the splits and merges of ffSampling. Each of them is a
    /// separate call.
    Butterflies,
}

impl Scope {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Forward, Self::Transforms, Self::Butterflies];

    /// Name, as the program prints it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Transforms => "transforms",
            Self::Butterflies => "butterflies",
        }
    }

    /// Returns the parts of the work.
    pub const fn parts(self) -> &'static [Part] {
        match self {
            Self::Forward => &[Part::Fft],
            Self::Transforms => &[Part::Fft, Part::Ifft],
            Self::Butterflies => &Part::BUTTERFLIES,
        }
    }
}

/// The circuits, described by the cycles that they take at one degree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fabric {
    /// The clock.
    pub clock_hz: u64,
    /// `n = 2^logn`.
    pub logn: u32,
    /// Cycles of a forward transform.
    pub fft_cycles: u64,
    /// Cycles of an inverse transform.
    pub ifft_cycles: u64,
    /// Cycles of all splits of one ffSampling.
    pub split_cycles: u64,
    /// Cycles of all merges of one ffSampling.
    pub merge_cycles: u64,
    /// Cycles of a permutation.
    pub permutation_cycles: u64,
    /// The path of the data. `None` if moving the data takes no time.
    pub transfer: Option<Transfer>,
}

impl Fabric {
    /// Runs all transforms that a signature of degree `2^logn` needs on `accelerator` and notes the
    /// cycles. A permutation takes `permutation_cycles`.
    ///
    /// # Errors
    /// If there is no such degree.
    pub fn run(
        accelerator: &Accelerator,
        logn: u32,
        permutation_cycles: u64,
        transfer: Option<Transfer>,
    ) -> Result<Self, AmdahlError> {
        if !(1..=MAX_LOGN).contains(&logn) {
            return Err(accelerator::Error::Degree { logn }.into());
        }
        let cycles = |transform, logn| -> Result<u64, AmdahlError> {
            let mut memories = blank_memories(transform, logn);
            Ok(accelerator
                .run(transform, logn, &mut memories, &mut ())?
                .cycles)
        };
        // There are 2^(logn - k) nodes of degree 2^k. Each splits twice and merges twice.
        let walk = |transform| -> Result<u64, AmdahlError> {
            (2..=logn)
                .map(|k| Ok((2 << (logn - k)) * cycles(transform, k)?))
                .sum()
        };
        Ok(Self {
            clock_hz: accelerator.design().clock_hz,
            logn,
            fft_cycles: cycles(Transform::Fft, logn)?,
            ifft_cycles: cycles(Transform::Ifft, logn)?,
            split_cycles: walk(Transform::Split)?,
            merge_cycles: walk(Transform::Merge)?,
            permutation_cycles,
            transfer,
        })
    }

    fn check(&self) -> Result<(), AmdahlError> {
        if self.clock_hz == 0 {
            return Err(AmdahlError::Clock);
        }
        match self.transfer {
            Some(Transfer {
                bytes_per_cycle: 0, ..
            }) => Err(AmdahlError::Quantity {
                name: "bytes per cycle",
                given: 0.0,
            }),
            _ => Ok(()),
        }
    }

    /// Returns the time in seconds that the butterflies of `part` take in one operation.
    fn seconds_of_butterflies(&self, run: &ProfiledRun, part: Part) -> f64 {
        let executed = run.executed_each(part).unwrap_or(0.0);
        let walk = Butterflies::of_attempts(self.logn, false, 1).split as f64;
        let transform = transform_butterflies(self.logn) as f64;
        let (cycles, butterflies) = match part {
            Part::Fft => (self.fft_cycles, transform),
            Part::Ifft => (self.ifft_cycles, transform),
            Part::Split => (self.split_cycles, walk),
            _ => (self.merge_cycles, walk),
        };
        let moved = match (self.transfer, part) {
            (None, _) => 0.0,
            // Moves one polynomial of 8-byte reals in and one out.
            (Some(transfer), Part::Fft | Part::Ifft) => transfer.cycles(16 << self.logn),
            (Some(transfer), _) => (2..=self.logn)
                .map(|k| f64::from(2u32 << (self.logn - k)) * transfer.cycles(16 << k))
                .sum(),
        };
        executed / butterflies * (cycles as f64 + moved) / self.clock_hz as f64
    }

    /// Returns the time in seconds that the permutations take in one operation.
    fn seconds_of_permutations(&self, run: &ProfiledRun) -> f64 {
        // Moves 25 words in and 25 words out.
        let moved = self.transfer.map_or(0.0, |transfer| transfer.cycles(400));
        let cycles = self.permutation_cycles as f64 + moved;
        run.executed_each(Part::KeccakF).unwrap_or(0.0) * cycles / self.clock_hz as f64
    }
}

/// Times of an operation without and with the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// Instruction set of the processor.
    pub target: Target,
    /// The operation.
    pub operation: Operation,
    /// Degree of the polynomial.
    pub degree: u32,
    /// Work that the fabric does.
    pub scope: Scope,
    /// Microseconds on the processor alone.
    pub processor_us: f64,
    /// Part of `processor_us` for the butterflies that go to the fabric.
    pub butterflies_us: f64,
    /// Part of `processor_us` for the permutations.
    pub permutations_us: f64,
    /// Microseconds of these butterflies in the fabric.
    pub fabric_butterflies_us: f64,
    /// Microseconds of the permutations in the fabric.
    pub fabric_permutations_us: f64,
    /// Speedup of the operation. Below 1, the operation becomes slower.
    pub speedup: f64,
    /// Speedup that the paper reports.
    pub reported: Option<f64>,
    /// Microseconds in Table I, for the reference code on the same processor.
    pub table_i_us: Option<f64>,
}

impl Prediction {
    /// Speedup of the butterflies, if there are any.
    pub fn butterfly_factor(&self) -> Option<f64> {
        (self.butterflies_us > 0.0).then(|| self.butterflies_us / self.fabric_butterflies_us)
    }

    /// Speedup of the permutations, if there are any.
    pub fn permutation_factor(&self) -> Option<f64> {
        (self.permutations_us > 0.0).then(|| self.permutations_us / self.fabric_permutations_us)
    }
}

/// Predicts the speedup of `operation` at the degree of `fabric`. `target` is the code that the
/// processor executes. The butterflies of key generation were not counted, so they stay on the
/// processor.
///
/// # Errors
/// If the profile lacks the run, or a quantity of a model is not a number above 0.
pub fn predict(
    profile: &Profile,
    target: Target,
    operation: Operation,
    processor: &Processor,
    fabric: &Fabric,
    scope: Scope,
) -> Result<Prediction, AmdahlError> {
    processor.check()?;
    fabric.check()?;
    let degree = 1u32.checked_shl(fabric.logn).unwrap_or(0);
    let run = profile.run(target, operation, degree)?;
    let counted = scope.parts().iter().copied();
    let counted: Vec<Part> = counted
        .filter(|&part| run.executed_each(part).is_some())
        .collect();
    let permutations = [Part::KeccakF];
    let others: Vec<Part> = Part::ALL
        .iter()
        .copied()
        .filter(|part| !counted.contains(part) && !permutations.contains(part))
        .collect();

    let rest = processor.seconds(run, &others, None);
    let butterflies = processor.seconds(run, &counted, processor.cycles_per_butterfly);
    let hashing = processor.seconds(run, &permutations, processor.cycles_per_permutation);
    let fabric_butterflies: f64 = counted
        .iter()
        .map(|&part| fabric.seconds_of_butterflies(run, part))
        .sum();
    let fabric_permutations = fabric.seconds_of_permutations(run);
    let before = rest + butterflies + hashing;
    let after = rest + fabric_butterflies + fabric_permutations;
    Ok(Prediction {
        target,
        operation,
        degree: run.degree,
        scope,
        processor_us: before * 1e6,
        butterflies_us: butterflies * 1e6,
        permutations_us: hashing * 1e6,
        fabric_butterflies_us: fabric_butterflies * 1e6,
        fabric_permutations_us: fabric_permutations * 1e6,
        speedup: before / after,
        reported: paper::reported(operation),
        table_i_us: paper::table_i_us(operation, run.degree),
    })
}
