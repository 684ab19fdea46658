//! Parameters of a circuit for Keccak-f, and the presets.

use crate::catalog;
use crate::design::{CLOCK_HZ, DesignError, MAX_LATENCY, MAX_UNITS};
use crate::nest::SLOTS;

/// Rounds of Keccak-f.
pub const ROUNDS: u32 = 24;

/// Words of the state.
pub const WORDS: usize = 25;

/// Words of a block of SHAKE256: its rate, 1088 bits.
pub const RATE_WORDS: usize = 17;

/// Memory of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A register for each word: all words can be read at any time, and are written at the end of a
    /// cycle.
    Registers,
    /// Block RAM of 64-bit words.
    Bram {
        /// Number of ports. Each port either reads or writes in a cycle.
        ports: u32,
    },
    /// Memory of the processor, over AXI. In each cycle one word moves in each direction, in the
    /// order of the program. Every round waits for the writes of the round before.
    Axi,
}

impl State {
    /// Name, without ports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Bram { .. } => "bram",
            Self::Axi => "axi",
        }
    }

    /// Cycles from a read to its word.
    pub fn read_latency(self) -> u32 {
        match self {
            Self::Registers => 0,
            Self::Bram { .. } => catalog::BRAM_READ_LATENCY,
            Self::Axi => catalog::AXI_READ_LATENCY,
        }
    }

    /// Cycles from a write to the first read that sees it.
    pub fn write_latency(self) -> u32 {
        match self {
            Self::Registers => 1,
            Self::Bram { .. } => catalog::BRAM_WRITE_LATENCY,
            Self::Axi => catalog::AXI_WRITE_LATENCY,
        }
    }
}

/// A circuit for Keccak-f.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeccakDesign {
    /// Name, as the program prints it.
    pub name: String,
    /// Frequency of the clock, Hz.
    pub clock_hz: u64,
    /// Memory of the state.
    pub state: State,
    /// Rounds in the body of the loop.
    pub unrolled_rounds: u32,
    /// Register stages after the parities of the columns, in cycles.
    pub parity_latency: u32,
    /// Register stages between two rounds of the same body, in cycles.
    pub round_latency: u32,
    /// The smallest initiation interval to try, cycles.
    pub least_interval: u32,
}

/// A design with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeccakPreset {
    /// The loop is not pipelined, and the state is in the processor's memory, as in
    /// [`Preset::PaperOriginal`](crate::design::Preset::PaperOriginal).
    Sequential,
    /// The state is in block RAM.
    Bram,
    /// "Loop pipelining only": the two rounds of the reference's loop body, on registers.
    Pipelined,
    /// One round in every cycle.
    RoundPerCycle,
}

impl KeccakPreset {
    /// All presets, slowest first.
    pub const ALL: [Self; 4] = [
        Self::Sequential,
        Self::Bram,
        Self::Pipelined,
        Self::RoundPerCycle,
    ];

    /// Name, as the program prints it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sequential => "keccak-sequential",
            Self::Bram => "keccak-bram",
            Self::Pipelined => "keccak-pipelined",
            Self::RoundPerCycle => "keccak-round-per-cycle",
        }
    }

    /// Returns the preset of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// Returns the design of this preset.
    ///
    /// The paper does not describe its loop. It only gives the speedup of 35 and the resources: 6 %
    /// FF, 3 % BRAM, 32 % LUT `[P]`. So these designs do not reconstruct the paper's loop. The
    /// reference's source has two rounds in a loop body. 6 % of the flip-flops are four registers
    /// of the state `[D]`, so a round takes two cycles in [`Pipelined`](Self::Pipelined) `[?]`.
    pub fn design(self) -> KeccakDesign {
        // There are registers after the parities and after chi. At most three tables are in series
        // between two registers. [D]
        let registered = (1, 1);
        let (state, unrolled_rounds, (parity_latency, round_latency)) = match self {
            Self::Sequential => (State::Axi, 1, registered),
            Self::Bram => {
                let ports = catalog::BRAM_PORTS;
                (State::Bram { ports }, 1, registered)
            }
            Self::Pipelined => (State::Registers, 2, registered),
            // There are five tables in series between two states. [D]
            Self::RoundPerCycle => (State::Registers, 1, (0, 0)),
        };
        KeccakDesign {
            name: self.name().into(),
            clock_hz: CLOCK_HZ,
            state,
            unrolled_rounds,
            parity_latency,
            round_latency,
            least_interval: 1,
        }
    }
}

impl KeccakDesign {
    /// Checks that every parameter is in its range, and that the unrolled rounds divide 24.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn check(&self) -> Result<(), DesignError> {
        let range = |parameter, given: u32, least: u32, most: u32| {
            if (least..=most).contains(&given) {
                Ok(())
            } else {
                Err(DesignError::Range {
                    parameter,
                    given: given.into(),
                    least: least.into(),
                    most: most.into(),
                })
            }
        };
        if self.clock_hz == 0 {
            return Err(DesignError::Range {
                parameter: "clock, Hz,",
                given: 0,
                least: 1,
                most: u64::MAX,
            });
        }
        range("unrolled rounds", self.unrolled_rounds, 1, SLOTS as u32)?;
        if !ROUNDS.is_multiple_of(self.unrolled_rounds) {
            return Err(DesignError::Rounds {
                unrolled: self.unrolled_rounds,
            });
        }
        range(
            "latency of the parities",
            self.parity_latency,
            0,
            MAX_LATENCY,
        )?;
        range("latency of a round", self.round_latency, 0, MAX_LATENCY)?;
        range(
            "least interval",
            self.least_interval,
            1,
            crate::design::MAX_INTERVAL,
        )?;
        match self.state {
            State::Bram { ports } => range("number of ports", ports, 1, MAX_UNITS),
            _ => Ok(()),
        }
    }
}
