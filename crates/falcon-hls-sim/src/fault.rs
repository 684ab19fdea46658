//! What ends a run of the cycle engine before its end.

use std::fmt::{self, Display, Formatter};

/// Why a run ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Two operations claimed the same unit.
    UnitConflict {
        /// When.
        cycle: u64,
        /// The unit's name.
        unit: String,
    },
    /// Two words of an access lie in one bank.
    BankConflict {
        /// When.
        cycle: u64,
        /// The access.
        node: String,
    },
    /// A load got a word that another iteration had written than the one whose
    /// result it needs.
    Hazard {
        /// When.
        cycle: u64,
        /// The load.
        node: String,
        /// Its iteration.
        iteration: usize,
        /// The address.
        address: usize,
    },
    /// An address is beyond the end of its memory.
    OutOfRange {
        /// The access.
        node: String,
        /// The address.
        address: usize,
    },
    /// There are not as many memories as the graph names.
    Memories {
        /// How many the graph names.
        expected: usize,
    },
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnitConflict { cycle, unit } => {
                write!(f, "cycle {cycle}: {unit} is used twice")
            }
            Self::BankConflict { cycle, node } => {
                write!(f, "cycle {cycle}: {node} needs one bank twice")
            }
            Self::Hazard {
                cycle,
                node,
                iteration,
                address,
            } => write!(
                f,
                "cycle {cycle}: {node} of iteration {iteration} reads address {address} too early"
            ),
            Self::OutOfRange { node, address } => {
                write!(f, "{node}: no address {address}")
            }
            Self::Memories { expected } => write!(f, "{expected} memories are needed"),
        }
    }
}

impl std::error::Error for Fault {}
