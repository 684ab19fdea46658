//! Parameters of a circuit, and the presets.

use crate::catalog::{self, FpCore};
use crate::graph::Banking;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};

/// Memory of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage {
    /// Kind of memory.
    pub kind: StorageKind,
    /// Distribution of words over banks.
    pub banking: Banking,
    /// Number of ports of each bank. For [`StorageKind::Axi`], the number of channels in each
    /// direction.
    pub ports: u32,
    /// Cycles from a read to its data.
    pub read_latency: u32,
    /// Cycles from a write to the first read that sees it.
    pub write_latency: u32,
}

/// Kind of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StorageKind {
    /// Memory of the processor, over AXI. It has separate channels for reads and writes. Accesses
    /// happen in the order of the program.
    Axi,
    /// Block RAM of the fabric. Each port either reads or writes in a cycle.
    Bram,
}

impl StorageKind {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Bram, Self::Axi];

    /// Name, as the program prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Axi => "axi",
            Self::Bram => "bram",
        }
    }

    /// Returns a memory of this kind with one bank and the default ports and latencies.
    pub fn storage(self) -> Storage {
        match self {
            Self::Axi => AXI,
            Self::Bram => BRAM,
        }
    }
}

impl Banking {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Single, Self::ReIm, Self::Parity];
}

/// Loops that are pipelined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pipelining {
    /// Each innermost loop. A loop ends before the next begins, `overhead` cycles later.
    Innermost {
        /// Cycles to leave a loop and to enter the next.
        overhead: u32,
    },
    /// All loops are pipelined as a single loop.
    Flattened,
}

/// Assumption of the scheduler about reads that see the writes of an earlier iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Aliasing {
    /// The scheduler must assume that any read may see any earlier write.
    Assumed,
    /// The scheduler knows that there is no such dependence. The simulator finds real dependences
    /// by address.
    Excluded,
}

impl Pipelining {
    /// Pipelines the innermost loops, with [`LOOP_OVERHEAD`] between them.
    pub const NESTED: Self = Self::Innermost {
        overhead: LOOP_OVERHEAD,
    };

    /// One variant for each name.
    pub const ALL: [Self; 2] = [Self::Flattened, Self::NESTED];

    /// Name: `nested` or `flattened`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Innermost { .. } => "nested",
            Self::Flattened => "flattened",
        }
    }
}

impl Aliasing {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Assumed, Self::Excluded];

    /// Name, as the program prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Assumed => "assumed",
            Self::Excluded => "excluded",
        }
    }
}

/// A circuit for the butterflies of the FFT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    /// Name, as the program prints it.
    pub name: String,
    /// Frequency of the clock, Hz.
    pub clock_hz: u64,
    /// The multiplier.
    pub multiplier: FpCore,
    /// Number of multipliers in the circuit.
    pub multipliers: u32,
    /// The adder and subtractor.
    pub adder: FpCore,
    /// Number of adders in the circuit.
    pub adders: u32,
    /// The memories of polynomials.
    pub storage: Storage,
    /// Loops that are pipelined.
    pub pipelining: Pipelining,
    /// Assumption about dependences between iterations.
    pub aliasing: Aliasing,
    /// The smallest initiation interval to try, cycles.
    pub least_interval: u32,
}

/// Clock of the paper's fabric, 100 MHz. `[P]`
pub const CLOCK_HZ: u64 = 100_000_000;

/// Cycles to leave an innermost loop and to enter the next. `[D]`
pub const LOOP_OVERHEAD: u32 = 2;

/// Block RAM in one bank.
pub const BRAM: Storage = Storage {
    kind: StorageKind::Bram,
    banking: Banking::Single,
    ports: catalog::BRAM_PORTS,
    read_latency: catalog::BRAM_READ_LATENCY,
    write_latency: catalog::BRAM_WRITE_LATENCY,
};

/// Memory of the processor.
pub const AXI: Storage = Storage {
    kind: StorageKind::Axi,
    banking: Banking::Single,
    ports: 1,
    read_latency: catalog::AXI_READ_LATENCY,
    write_latency: catalog::AXI_WRITE_LATENCY,
};

/// A design with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Table II, first row: the polynomial is in the processor's memory, and a dependence between
    /// iterations is assumed.
    PaperOriginal,
    /// `PaperOriginal` with the polynomial in block RAM.
    BramDep,
    /// Table II, second row: no dependence is assumed.
    PaperOptimized,
    /// One butterfly every two cycles: real and imaginary parts are in separate banks.
    Ii2,
    /// One butterfly a cycle: complex words are in two banks, by the parity of the address.
    Ii1Xor,
}

impl Preset {
    /// All presets, slowest first.
    pub const ALL: [Self; 5] = [
        Self::PaperOriginal,
        Self::BramDep,
        Self::PaperOptimized,
        Self::Ii2,
        Self::Ii1Xor,
    ];

    /// Name, as the program prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PaperOriginal => "paper-original",
            Self::BramDep => "bram-dep",
            Self::PaperOptimized => "paper-optimized",
            Self::Ii2 => "ii2",
            Self::Ii1Xor => "ii1-xor",
        }
    }

    /// Returns the preset of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the design of this preset.
    pub fn design(self) -> Design {
        let (multipliers, adders, storage) = match self {
            // Two multipliers and one adder take 25 DSP slices. [P], [D]
            Self::PaperOriginal => (2, 1, AXI),
            Self::BramDep => (2, 1, BRAM),
            // One multiplier and two adders take 17 DSP slices. [P], [D]
            Self::PaperOptimized => (1, 2, BRAM),
            Self::Ii2 => (2, 3, banked(Banking::ReIm)),
            Self::Ii1Xor => (4, 6, banked(Banking::Parity)),
        };
        Design {
            name: self.name().into(),
            clock_hz: CLOCK_HZ,
            multiplier: catalog::DMUL,
            multipliers,
            adder: catalog::DADDSUB,
            adders,
            storage,
            pipelining: Pipelining::Flattened,
            aliasing: match self {
                Self::PaperOriginal | Self::BramDep => Aliasing::Assumed,
                _ => Aliasing::Excluded,
            },
            least_interval: 1,
        }
    }
}

fn banked(banking: Banking) -> Storage {
    Storage { banking, ..BRAM }
}

/// Largest latency of a core or a memory, cycles.
pub const MAX_LATENCY: u32 = 1000;
/// Largest number of units of a kind.
pub const MAX_UNITS: u32 = 64;
/// Largest initiation interval, cycles.
pub const MAX_INTERVAL: u32 = 10_000;

/// A circuit cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DesignError {
    /// A parameter is out of its range.
    Range {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value that was given.
        given: u64,
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// AXI has no banks.
    BankedAxi,
    /// The 24 rounds of Keccak-f are not a multiple of the rounds of a loop's body.
    Rounds {
        /// Rounds of the body.
        unrolled: u32,
    },
    /// No interval has a schedule.
    Unschedulable {
        /// Largest interval that was tried, cycles.
        interval: u32,
    },
}

impl Display for DesignError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range {
                parameter,
                given,
                least,
                most,
            } => write!(f, "{parameter} is {given}, must be from {least} to {most}"),
            Self::BankedAxi => f.write_str("memory over AXI has no banks: banking must be single"),
            Self::Rounds { unrolled } => {
                write!(
                    f,
                    "24 rounds are no multiple of {unrolled} rounds of a loop's body"
                )
            }
            Self::Unschedulable { interval } => {
                write!(f, "no schedule with an interval of up to {interval} cycles")
            }
        }
    }
}

impl std::error::Error for DesignError {}

impl Design {
    /// Returns the DSP slices of the cores.
    pub fn dsp(&self) -> u32 {
        self.multipliers * self.multiplier.dsp + self.adders * self.adder.dsp
    }

    /// Checks that every parameter is in its range, and that memory over AXI has one bank.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn check(&self) -> Result<(), DesignError> {
        let storage = &self.storage;
        let most = |n: u32| u64::from(n);
        let ranges = [
            ("clock, Hz,", self.clock_hz, 1, 10_000_000_000),
            (
                "number of multipliers",
                most(self.multipliers),
                1,
                most(MAX_UNITS),
            ),
            ("number of adders", most(self.adders), 1, most(MAX_UNITS)),
            ("number of ports", most(storage.ports), 1, most(MAX_UNITS)),
            (
                "latency of a multiplier",
                most(self.multiplier.latency),
                1,
                most(MAX_LATENCY),
            ),
            (
                "latency of an adder",
                most(self.adder.latency),
                1,
                most(MAX_LATENCY),
            ),
            (
                "latency of a read",
                most(storage.read_latency),
                1,
                most(MAX_LATENCY),
            ),
            (
                "latency of a write",
                most(storage.write_latency),
                1,
                most(MAX_LATENCY),
            ),
            (
                "least interval",
                most(self.least_interval),
                1,
                most(MAX_INTERVAL),
            ),
        ];
        for (parameter, given, least, most) in ranges {
            if !(least..=most).contains(&given) {
                return Err(DesignError::Range {
                    parameter,
                    given,
                    least,
                    most,
                });
            }
        }
        if storage.kind == StorageKind::Axi && storage.banking != Banking::Single {
            return Err(DesignError::BankedAxi);
        }
        Ok(())
    }
}
