//! The paper's numbers, and the contradictions between them.
//!
//! The paper is "Performance Analysis of Falcon Post-Quantum Cryptography in Embedded
//! Hardware-Software Integration" (Biselx, Guerrieri). It uses a Zynq-7020, Vitis HLS 2023.1 and
//! the reference code. Every constant is `[P]`: it is in the paper.

use super::{Accelerated, AmdahlError, at_other_clock, cap, speedup};
use crate::catalog::XC7Z020;
use crate::profile::{Operation, Part, Profile, Target};
use serde::Serialize;

/// Share of "Falcon inner FFT" in the three operations.
pub const FFT_SHARE: f64 = 0.40;
/// Share of `process_block`, Keccak-f.
pub const KECCAK_SHARE: f64 = 0.15;
/// Speedup of the inner FFT: the initiation interval goes from 168 to 4.
pub const FFT_FACTOR: f64 = 42.0;
/// Initiation intervals of Table II, cycles.
pub const INTERVALS: [u32; 2] = [168, 4];
/// Lookup tables of the optimized inner FFT.
pub const FFT_LUT: u32 = 6661;
/// Speedup of `process_block` from pipelining its loops.
pub const KECCAK_FACTOR: f64 = 35.0;
/// Average speedup of all operations.
pub const OVERALL: f64 = 1.8;
/// Clock of the fabric.
pub const FABRIC_HZ: u64 = 100_000_000;
/// Clock of the fabric that the paper considers possible ("could be easily increased up to").
pub const FASTER_HZ: u64 = 250_000_000;
/// Speedup that the paper claims for this clock.
pub const FASTER_OVERALL: f64 = 4.5;
/// Clock of the processor.
pub const PROCESSOR_HZ: u64 = 667_000_000;

/// Returns the speedup of `operation` that the paper reports. Returns `None` if the paper did not
/// measure the operation.
pub fn reported(operation: Operation) -> Option<f64> {
    match operation {
        Operation::Keygen => Some(2.0),
        Operation::Sign => Some(1.4),
        Operation::VerifyEncoded => Some(2.0),
        _ => None,
    }
}

/// Times of Table I in microseconds: degree, then key generation, signature and verification.
pub const TABLE_I_US: [(u32, [f64; 3]); 3] = [
    (256, [325_000.0, 8796.0, 1275.0]),
    (512, [617_000.0, 18_315.0, 2696.0]),
    (1024, [1_541_000.0, 38_169.0, 5647.0]),
];

/// Returns the time of Table I in microseconds. Returns `None` if the table does not have it.
pub fn table_i_us(operation: Operation, degree: u32) -> Option<f64> {
    let column = match operation {
        Operation::Keygen => 0,
        Operation::Sign => 1,
        Operation::VerifyEncoded => 2,
        _ => return None,
    };
    let (_, times) = TABLE_I_US.iter().find(|(n, _)| *n == degree)?;
    Some(times[column])
}

/// Returns the two accelerated parts.
///
/// # Errors
/// Never: the shares are valid.
pub fn parts() -> Result<[Accelerated; 2], AmdahlError> {
    Ok([
        Accelerated::new(FFT_SHARE, FFT_FACTOR)?,
        Accelerated::new(KECCAK_SHARE, KECCAK_FACTOR)?,
    ])
}

/// A claim of the paper, and the number that follows from its other numbers or from ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The claim.
    pub claim: &'static str,
    /// The number that the paper claims.
    pub claimed: f64,
    /// The number that follows instead.
    pub computed: f64,
    /// Derivation of `computed`.
    pub reason: String,
}

/// Returns the contradictions, each with its two numbers.
///
/// # Errors
/// If the profile lacks a run.
pub fn findings(profile: &Profile) -> Result<Vec<Finding>, AmdahlError> {
    let parts = parts()?;
    let keccak = [parts[1]];
    // Cycles of the processor for one butterfly, if butterflies are 40 % of a signature.
    let sign = profile.run(Target::ArmV7, Operation::Sign, 512)?;
    let butterflies = Part::BUTTERFLIES.map(|part| sign.executed_each(part));
    let butterflies: f64 = butterflies.into_iter().flatten().sum();
    let sign_us = table_i_us(Operation::Sign, 512).unwrap_or(f64::NAN);
    let cycles = FFT_SHARE * sign_us * 1e-6 * PROCESSOR_HZ as f64 / butterflies;
    let in_butterfly = |target| {
        let run = profile.run(target, Operation::Sign, 512)?;
        let instructions = run.instructions_per_execution(&Part::BUTTERFLIES);
        Ok::<_, AmdahlError>(instructions.unwrap_or(f64::NAN))
    };
    Ok(vec![
        Finding {
            claim: "The inner FFT becomes 42 times faster",
            claimed: FFT_FACTOR,
            computed: f64::from(INTERVALS[0]) / f64::from(INTERVALS[1]),
            reason: "42 compares one circuit with another, by initiation interval. It does not \
                     compare with the processor, so it is no factor for Amdahl's law."
                .into(),
        },
        Finding {
            claim: "Resources do not exceed 10 % of the FPGA (here: lookup tables, in %)",
            claimed: 10.0,
            computed: 100.0 * f64::from(FFT_LUT) / f64::from(XC7Z020.lut),
            reason: "Table II has 6661 of 53,200 lookup tables, and process_block takes another \
                     32 %."
                .into(),
        },
        Finding {
            claim: "A clock of 250 MHz makes everything 4.5 times faster",
            claimed: FASTER_OVERALL,
            computed: cap(&parts)?,
            reason: "With shares of 40 % and 15 % no accelerator, however fast, gains more than \
                     this."
                .into(),
        },
        Finding {
            claim: "250 MHz turn 1.8 times, measured at 100 MHz, into 4.5 times",
            claimed: FASTER_OVERALL,
            computed: at_other_clock(FFT_SHARE + KECCAK_SHARE, OVERALL, FABRIC_HZ, FASTER_HZ)?,
            reason: "A faster clock speeds up only the part that runs in the fabric. 4.5 is 1.8 \
                     times 2.5, as if everything ran there."
                .into(),
        },
        Finding {
            claim: "Signing becomes 1.4 times faster",
            claimed: 1.4,
            computed: speedup(&parts)?,
            reason: "The paper gives one pair of shares for all three operations, so one speedup \
                     follows for all of them. 1.4 and 2 need different shares, or time to move \
                     data."
                .into(),
        },
        Finding {
            claim: "Verification becomes 2 times faster",
            claimed: 2.0,
            computed: cap(&keccak)?,
            reason: "Verification has no floating-point FFT. Keccak's 15 % allow no more than \
                     this; 2 needs a share of one half."
                .into(),
        },
        Finding {
            claim: "Table I was measured with the floating-point unit (instructions of our \
                    butterfly with it, and cycles that the paper's share leaves for one)",
            claimed: in_butterfly(Target::ArmV7)?,
            computed: cycles,
            reason: format!(
                "40 % of 18.3 ms, divided by the butterflies of a signature. With emulated \
                 arithmetic our butterfly takes {:.0} instructions, so Table I may have been \
                 measured with emulated arithmetic.",
                in_butterfly(Target::ArmV7Soft)?
            ),
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_of_the_three_speedups_is_the_overall_one() {
        let reported: Vec<f64> = Operation::ALL.iter().filter_map(|&o| reported(o)).collect();
        let mean = reported.iter().sum::<f64>() / reported.len() as f64;
        assert_eq!(reported.len(), 3);
        assert!((mean - OVERALL).abs() < 1e-12);
    }

    #[test]
    fn shares_cap_the_speedup_at_two_and_a_quarter() {
        let parts = parts().unwrap();
        assert!((cap(&parts).unwrap() - 2.222).abs() < 1e-3);
        assert!((speedup(&parts).unwrap() - 2.156).abs() < 1e-3);
        // This call fails, so these shares do not allow a speedup of 4.5.
        let impossible = at_other_clock(FFT_SHARE + KECCAK_SHARE, FASTER_OVERALL, 1, 1);
        assert!(matches!(impossible, Err(AmdahlError::Speedup { .. })));
    }

    #[test]
    fn findings_have_the_numbers_that_the_text_names() {
        let profile = Profile::committed().unwrap();
        let findings = findings(&profile).unwrap();
        let computed: Vec<f64> = findings.iter().map(|finding| finding.computed).collect();
        let expected = [42.0, 12.52, 2.222, 2.031, 2.156, 1.176];
        for (computed, expected) in computed.iter().zip(expected) {
            assert!((computed - expected).abs() < 5e-3, "{computed}, {expected}");
        }
        // A butterfly takes 19 instructions with the floating-point unit (23 in a split), and 730
        // instructions without it.
        let hard = profile.run(Target::ArmV7, Operation::Sign, 512).unwrap();
        for (parts, expected) in [
            (&Part::BUTTERFLIES[..], 19.26),
            (&[Part::Fft], 19.66),
            (&[Part::Split], 22.86),
        ] {
            let counted = hard.instructions_per_execution(parts).unwrap();
            assert!((counted - expected).abs() < 5e-3, "{parts:?}: {counted}");
        }
        assert!((430.0..440.0).contains(&computed[6]));
        assert!((15.0..25.0).contains(&findings[6].claimed));
        let soft = profile
            .run(Target::ArmV7Soft, Operation::Sign, 512)
            .unwrap();
        let soft = soft.instructions_per_execution(&Part::BUTTERFLIES).unwrap();
        assert!((729.5..730.5).contains(&soft), "{soft}");
        assert_eq!(OVERALL * 2.5, FASTER_OVERALL);
    }
}
