//! Amdahl's law for Falcon's operations: their speedup with an accelerated FFT and an accelerated
//! Keccak-f.
//!
//! [`Report`] has the paper's shares and speedups, with the contradictions between them
//! ([`paper`]). It applies the paper's factors to the shares that were [counted](crate::profile)
//! here. It also has a prediction ([`predict`]), which compares the cycles of the simulated
//! circuits with the processor's time for the same butterflies and permutations.
//!
//! ```
//! use falcon_hls_sim::amdahl::{Accelerated, speedup};
//!
//! // 40 % made 42 times faster, 15 % made 35 times faster.
//! let inner_fft = Accelerated::new(0.40, 42.0)?;
//! let process_block = Accelerated::new(0.15, 35.0)?;
//! assert_eq!((speedup(&[inner_fft, process_block])? * 100.0).round(), 216.0);
//! # Ok::<(), falcon_hls_sim::amdahl::AmdahlError>(())
//! ```

pub mod paper;
pub mod predict;
mod report;

pub use report::{PaperRow, Report, ShareRow, SummaryRow, TableIRow};

use crate::accelerator;
use crate::profile::ProfileError;
use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// A speedup cannot be computed from these quantities.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AmdahlError {
    /// A share is not from 0 to 1.
    Share {
        /// The value that was given.
        given: f64,
    },
    /// Shares add up to more than 1.
    Shares {
        /// Sum of the shares.
        sum: f64,
    },
    /// A factor is not above 0.
    Factor {
        /// The value that was given.
        given: f64,
    },
    /// A speedup is below 1, or above the limit that its shares set.
    Speedup {
        /// The value that was given.
        given: f64,
        /// The largest possible speedup.
        cap: f64,
    },
    /// A clock has frequency 0.
    Clock,
    /// A quantity of a model is not a number above 0.
    Quantity {
        /// Name of the quantity.
        name: &'static str,
        /// The value that was given.
        given: f64,
    },
    /// The profile lacks a run.
    Profile(ProfileError),
    /// The circuit does not run.
    Accelerator(accelerator::Error),
}

impl Display for AmdahlError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share { given } => write!(f, "a share is {given}, must be from 0 to 1"),
            Self::Shares { sum } => write!(f, "shares add up to {sum}, more than 1"),
            Self::Factor { given } => write!(f, "a factor is {given}, must be above 0"),
            Self::Speedup { given, cap } => {
                write!(f, "a speedup is {given}, must be from 1 to {cap}")
            }
            Self::Clock => f.write_str("a clock of 0 Hz stands still"),
            Self::Quantity { name, given } => {
                write!(f, "{name} is {given}, must be a number above 0")
            }
            Self::Profile(error) => error.fmt(f),
            Self::Accelerator(error) => error.fmt(f),
        }
    }
}

impl Error for AmdahlError {}

impl From<ProfileError> for AmdahlError {
    fn from(error: ProfileError) -> Self {
        Self::Profile(error)
    }
}

impl From<accelerator::Error> for AmdahlError {
    fn from(error: accelerator::Error) -> Self {
        Self::Accelerator(error)
    }
}

/// A part of the work that is accelerated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accelerated {
    share: f64,
    factor: f64,
}

impl Accelerated {
    /// Describes work that takes `share` of the time, from 0 to 1, and becomes `factor` times
    /// faster. With an infinite factor it takes no time. With a factor below 1 it becomes slower.
    ///
    /// # Errors
    /// If the share is not from 0 to 1, or the factor is not above 0.
    pub fn new(share: f64, factor: f64) -> Result<Self, AmdahlError> {
        if !(0.0..=1.0).contains(&share) {
            Err(AmdahlError::Share { given: share })
        } else if factor > 0.0 {
            Ok(Self { share, factor })
        } else {
            Err(AmdahlError::Factor { given: factor })
        }
    }
}

/// Amdahl's law: returns the speedup of the whole.
///
/// # Errors
/// If the shares add up to more than 1.
pub fn speedup(parts: &[Accelerated]) -> Result<f64, AmdahlError> {
    let rest = untouched(parts)?;
    let accelerated: f64 = parts.iter().map(|part| part.share / part.factor).sum();
    Ok(1.0 / (rest + accelerated))
}

/// Returns the speedup if these parts took no time at all. It is infinite if they are the whole
/// work.
///
/// # Errors
/// If the shares add up to more than 1.
pub fn cap(parts: &[Accelerated]) -> Result<f64, AmdahlError> {
    Ok(1.0 / untouched(parts)?)
}

/// Returns the share of the remaining work.
fn untouched(parts: &[Accelerated]) -> Result<f64, AmdahlError> {
    let sum: f64 = parts.iter().map(|part| part.share).sum();
    // Shares that make up the whole may sum to slightly more than 1 because of rounding errors.
    if sum > 1.0 + 1e-12 {
        return Err(AmdahlError::Shares { sum });
    }
    Ok((1.0 - sum).max(0.0))
}

/// Converts a speedup measured with the accelerators at `from_hz` to a clock of `to_hz`. The
/// accelerators do `share` of the work. Their time, including transfers, follows from the speedup,
/// and only this time scales with the clock.
///
/// # Errors
/// If a clock is 0, the share is not from 0 to 1, or the share does not allow the speedup.
pub fn at_other_clock(
    share: f64,
    speedup: f64,
    from_hz: u64,
    to_hz: u64,
) -> Result<f64, AmdahlError> {
    if from_hz == 0 || to_hz == 0 {
        return Err(AmdahlError::Clock);
    }
    let cap = cap(&[Accelerated::new(share, 1.0)?])?;
    if !(1.0..=cap).contains(&speedup) {
        return Err(AmdahlError::Speedup {
            given: speedup,
            cap,
        });
    }
    let accelerated = 1.0 / speedup - (1.0 - share);
    Ok(1.0 / (1.0 - share + accelerated * from_hz as f64 / to_hz as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_holds_at_its_ends() {
        let of = |share, factor| Accelerated::new(share, factor).unwrap();
        assert_eq!(speedup(&[]).unwrap(), 1.0);
        assert_eq!(speedup(&[of(0.5, 1.0)]).unwrap(), 1.0);
        assert_eq!(speedup(&[of(1.0, 7.0)]).unwrap(), 7.0);
        assert_eq!(speedup(&[of(0.5, f64::INFINITY)]).unwrap(), 2.0);
        assert_eq!(cap(&[of(0.5, 3.0)]).unwrap(), 2.0);
        assert_eq!(speedup(&[of(0.5, 0.5)]).unwrap(), 1.0 / 1.5);
        assert_eq!(cap(&[of(1.0, 2.0)]).unwrap(), f64::INFINITY);
        // Ten tenths are the whole, in spite of rounding errors.
        assert!(cap(&[of(0.1, 2.0); 10]).is_ok());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for share in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            let error = Accelerated::new(share, 2.0).unwrap_err();
            assert!(matches!(error, AmdahlError::Share { .. }), "{error}");
        }
        for factor in [0.0, -1.0, f64::NAN] {
            let error = Accelerated::new(0.1, factor).unwrap_err();
            assert!(matches!(error, AmdahlError::Factor { .. }), "{error}");
        }
        let most = Accelerated::new(0.7, 2.0).unwrap();
        assert!(matches!(
            speedup(&[most, most]),
            Err(AmdahlError::Shares { sum }) if sum == 1.4
        ));
        assert_eq!(at_other_clock(0.5, 1.5, 0, 1), Err(AmdahlError::Clock));
        assert_eq!(at_other_clock(0.5, 1.5, 1, 0), Err(AmdahlError::Clock));
        for given in [0.9, 2.1, f64::NAN] {
            let result = at_other_clock(0.5, given, 1, 2);
            assert!(matches!(result, Err(AmdahlError::Speedup { .. })));
        }
        let given = 2.0;
        assert!(at_other_clock(given, 1.5, 1, 2).is_err());
    }

    #[test]
    fn a_faster_clock_serves_the_accelerated_part_alone() {
        // Half of the work becomes 5 times faster, or 10 times faster at twice the clock.
        let before = speedup(&[Accelerated::new(0.5, 5.0).unwrap()]).unwrap();
        let after = speedup(&[Accelerated::new(0.5, 10.0).unwrap()]).unwrap();
        let scaled = at_other_clock(0.5, before, 100, 200).unwrap();
        assert!((scaled - after).abs() < 1e-12);
        let same = at_other_clock(0.5, before, 100, 100).unwrap();
        assert!((same - before).abs() < 1e-12);
    }
}
