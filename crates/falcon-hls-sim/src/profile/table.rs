//! Reads the table of the profile.

use super::{Operation, Part, Target};
use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Cost of a part of the work, summed over all repeats of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The part.
    pub part: Part,
    /// Number of executed instructions.
    pub instructions: u64,
    /// Number of butterflies or permutations in the part, if they are counted.
    pub executed: Option<u64>,
}

/// Profile of one operation, at one degree and for one instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfiledRun {
    /// Instruction set.
    pub target: Target,
    /// Operation that was run.
    pub operation: Operation,
    /// Degree `n`.
    pub degree: u32,
    /// Number of times that the operation was run.
    pub repeats: u64,
    /// Costs of the parts, one entry for each part.
    pub costs: Vec<Cost>,
}

impl ProfiledRun {
    /// Mean number of instructions of one operation.
    pub fn instructions_each(&self) -> f64 {
        self.instructions(Part::ALL) / self.repeats as f64
    }

    /// Mean number of instructions that one operation executes in these parts.
    pub fn instructions_each_in(&self, parts: &[Part]) -> f64 {
        self.instructions(parts) / self.repeats as f64
    }

    /// Share of these parts in the instructions, from 0 to 1.
    pub fn share(&self, parts: &[Part]) -> f64 {
        self.instructions(parts) / self.instructions(Part::ALL)
    }

    /// Mean number of butterflies or permutations of this part in one operation, if they are
    /// counted.
    pub fn executed_each(&self, part: Part) -> Option<f64> {
        let cost = self.costs.iter().find(|cost| cost.part == part)?;
        cost.executed
            .map(|executed| executed as f64 / self.repeats as f64)
    }

    /// Mean number of instructions for one butterfly or permutation of these parts. Returns `None`
    /// if there are no butterflies or permutations.
    pub fn instructions_per_execution(&self, parts: &[Part]) -> Option<f64> {
        let costs = || self.costs.iter().filter(|cost| parts.contains(&cost.part));
        let executed: u64 = costs().filter_map(|cost| cost.executed).sum();
        (executed != 0).then(|| self.instructions(parts) / executed as f64)
    }

    fn instructions(&self, parts: &[Part]) -> f64 {
        let costs = self.costs.iter().filter(|cost| parts.contains(&cost.part));
        costs.map(|cost| cost.instructions).sum::<u64>() as f64
    }
}

/// A profile is malformed, or lacks a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileError {
    /// A line is not a row of the table.
    Line {
        /// Number of the line, from 1.
        number: usize,
    },
    /// A run does not have every part once, in the order of [`Part::ALL`].
    Parts {
        /// The operation.
        operation: Operation,
        /// The degree.
        degree: u32,
    },
    /// The table has no such run.
    Missing {
        /// Instruction set.
        target: Target,
        /// The operation.
        operation: Operation,
        /// The degree.
        degree: u32,
    },
}

impl Display for ProfileError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { number } => write!(f, "line {number} is not one of a profile"),
            Self::Parts { operation, degree } => {
                let name = operation.name();
                write!(f, "{name} {degree} does not have every part once")
            }
            Self::Missing {
                target,
                operation,
                degree,
            } => {
                let (target, operation) = (target.name(), operation.name());
                write!(f, "{operation} {degree} was not counted on {target}")
            }
        }
    }
}

impl Error for ProfileError {}

/// A table of runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The runs, in the order of the table.
    pub runs: Vec<ProfiledRun>,
}

impl Profile {
    /// Reads the table of this crate.
    ///
    /// # Errors
    /// Never: a test reads it.
    pub fn committed() -> Result<Self, ProfileError> {
        Self::parse(include_str!("../../profile.tsv"))
    }

    /// Reads the output of `profile.sh`.
    ///
    /// # Errors
    /// If a line is not a row of the table, or a run does not have every part once, in the order of
    /// [`Part::ALL`].
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        const HEAD: &str = "target\toperation\tdegree\trepeats\tpart\tinstructions\texecuted";
        let mut runs: Vec<ProfiledRun> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.starts_with('#') || line == HEAD {
                continue;
            }
            let (run, cost) = row(line).ok_or(ProfileError::Line { number })?;
            match runs.last_mut() {
                Some(last) if last.is_of(&run) => last.costs.push(cost),
                _ => runs.push(ProfiledRun {
                    costs: vec![cost],
                    ..run
                }),
            }
        }
        for run in &runs {
            let parts = run.costs.iter().map(|cost| &cost.part);
            if !parts.eq(Part::ALL) {
                return Err(ProfileError::Parts {
                    operation: run.operation,
                    degree: run.degree,
                });
            }
        }
        Ok(Self { runs })
    }

    /// Returns the run of `operation` at `degree` on `target`.
    ///
    /// # Errors
    /// If there is no such run.
    pub fn run(
        &self,
        target: Target,
        operation: Operation,
        degree: u32,
    ) -> Result<&ProfiledRun, ProfileError> {
        let mut runs = self.runs.iter();
        runs.find(|run| (run.target, run.operation, run.degree) == (target, operation, degree))
            .ok_or(ProfileError::Missing {
                target,
                operation,
                degree,
            })
    }
}

impl ProfiledRun {
    fn is_of(&self, other: &Self) -> bool {
        let key = |run: &Self| (run.target, run.operation, run.degree, run.repeats);
        key(self) == key(other)
    }
}

/// Parses a row of the table. Returns its run without costs, and the cost.
fn row(line: &str) -> Option<(ProfiledRun, Cost)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [
        target,
        operation,
        degree,
        repeats,
        part,
        instructions,
        executed,
    ] = fields[..]
    else {
        return None;
    };
    let run = ProfiledRun {
        target: Target::by_name(target)?,
        operation: Operation::by_name(operation)?,
        degree: degree.parse().ok()?,
        repeats: repeats.parse().ok().filter(|&repeats| repeats != 0)?,
        costs: Vec::new(),
    };
    let cost = Cost {
        part: Part::by_name(part)?,
        instructions: instructions.parse().ok()?,
        executed: match executed {
            "-" => None,
            executed => Some(executed.parse().ok()?),
        },
    };
    Some((run, cost))
}
