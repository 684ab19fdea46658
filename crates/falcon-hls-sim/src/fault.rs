//! Faults that end a run of the cycle simulator early.

use std::fmt::{self, Display, Formatter};

/// Reason why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Two operations claimed the same unit.
    UnitConflict {
        /// Cycle of the fault.
        cycle: u64,
        /// The unit's name.
        unit: String,
    },
    /// Two words of an access are in the same bank.
    BankConflict {
        /// Cycle of the fault.
        cycle: u64,
        /// The access.
        node: String,
    },
    /// An operation started before its operands were ready.
    NotReady {
        /// Cycle of the fault.
        cycle: u64,
        /// The operation.
        node: String,
        /// Iteration of the operation.
        iteration: usize,
    },
    /// A load got the value of a different iteration than in program order.
    Hazard {
        /// Cycle of the fault.
        cycle: u64,
        /// The load.
        node: String,
        /// Iteration of the load.
        iteration: usize,
        /// The address of the word.
        address: usize,
    },
    /// A write came after the write of a later iteration to the same word.
    Overtaken {
        /// The memory's name.
        memory: &'static str,
        /// The address of the word.
        address: usize,
    },
    /// An address is beyond the end of its memory.
    OutOfRange {
        /// The access.
        node: String,
        /// The address that is out of range.
        address: usize,
    },
    /// The number of memories differs from the number that the graph names.
    Memories {
        /// Number that the graph names.
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
            Self::NotReady {
                cycle,
                node,
                iteration,
            } => write!(
                f,
                "cycle {cycle}: {node} of iteration {iteration} starts before its operands are there"
            ),
            Self::Overtaken { memory, address } => write!(
                f,
                "address {address} of {memory} is left with what an earlier iteration wrote"
            ),
            Self::Hazard {
                cycle,
                node,
                iteration,
                address,
            } => write!(
                f,
                "cycle {cycle}: {node} of iteration {iteration} reads address {address} at the wrong time"
            ),
            Self::OutOfRange { node, address } => {
                write!(f, "{node}: no address {address}")
            }
            Self::Memories { expected } => write!(f, "{expected} memories are needed"),
        }
    }
}

impl std::error::Error for Fault {}
