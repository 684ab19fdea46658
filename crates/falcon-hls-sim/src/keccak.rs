//! Circuits for Keccak-f, the permutation in the paper's `process_block`. They use the same model
//! as the butterflies: the graph of a round on 64-bit words is scheduled on the units of a design,
//! and the same simulator runs it on real bits.
//!
//! ```
//! use falcon_hls_sim::keccak::{KeccakCircuit, KeccakPreset};
//!
//! let circuit = KeccakCircuit::new(KeccakPreset::RoundPerCycle.design())?;
//! let mut state = [0; 25];
//! let run = circuit.permute(&mut state, &mut ())?;
//! assert_eq!(run.cycles, 24);
//! assert_eq!(state[0], 0xf125_8f79_40e1_dde7);
//! # Ok::<(), falcon_hls_sim::accelerator::Error>(())
//! ```

mod design;
mod graph;
mod resources;
mod summary;

pub use design::{KeccakDesign, KeccakPreset, RATE_WORDS, ROUNDS, State, WORDS};
pub use graph::{OTHER, ROTATIONS, ROUND_CONSTANTS, STATE, absorption, movement, rounds};
pub use resources::{KeccakResources, PAPER_BRAM_PERCENT, PAPER_FF_PERCENT, PAPER_LUT_PERCENT};

pub use summary::{Summary, SummaryRow};

use crate::accelerator::Error;
use crate::cycles::{Control, Interlock, Observer, Run, Words};
use crate::design::{DesignError, Pipelining};
use crate::fp::Subnormals;
use crate::graph::Graph;
use crate::nest::{Iteration, SLOTS};
use crate::scheduled::Scheduled;
use serde::Serialize;

/// Control of the loops.
pub const CONTROL: Control = Control {
    pipelining: Pipelining::Flattened,
    interlock: Interlock::Stall,
    subnormals: Subnormals::Flush,
};

/// A scheduled loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Body of the loop.
    pub body: Scheduled,
    iterations: Vec<Iteration>,
}

impl Loop {
    fn new(
        graph: Graph,
        least_interval: u32,
        iterations: Vec<Iteration>,
    ) -> Result<Self, DesignError> {
        Ok(Self {
            body: Scheduled::new(graph, least_interval)?,
            iterations,
        })
    }

    /// Iterations of the loop.
    pub fn iterations(&self) -> &[Iteration] {
        &self.iterations
    }

    /// Runs the loop on the state `words` and the memory `other`.
    fn run(
        &self,
        words: &mut [u64; WORDS],
        other: &mut [u64],
        observer: &mut impl Observer,
    ) -> Result<Run, Error> {
        let mut memories = memories(words, other);
        let run = self
            .body
            .run(CONTROL, &self.iterations, &mut memories, observer)?;
        for (words, memory) in [words, other].into_iter().zip(&memories) {
            for (word, [result, _]) in words.iter_mut().zip(memory) {
                *word = *result;
            }
        }
        Ok(run)
    }
}

/// Returns the memories of a loop: the state, and the other memory.
pub fn memories(state: &[u64; WORDS], other: &[u64]) -> [Words; 2] {
    let memory = |words: &[u64]| -> Words { words.iter().map(|&word| [word, 0]).collect() };
    [memory(state), memory(other)]
}

/// A circuit for Keccak-f, with its scheduled loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeccakCircuit {
    design: KeccakDesign,
    rounds: Loop,
    absorption: Loop,
    /// The loops that fetch a state and put it back. `None` if the state stays in the processor's
    /// memory.
    movements: Option<[Loop; 2]>,
    cycles: KeccakCycles,
}

/// Cycles of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KeccakCycles {
    /// Cycles to permute a state that is already in the circuit.
    pub permute: u64,
    /// Cycles to add a block of SHAKE256 to the state, one word of a stream in each cycle.
    pub absorb: u64,
    /// Cycles to permute a state in the processor's memory, as `process_block` does. The state is
    /// fetched over AXI, permuted and put back, one step after the other.
    pub process_block: u64,
}

impl KeccakCircuit {
    /// Schedules `design` and runs its loops once. Later runs cannot fail, since failures do not
    /// depend on the state.
    ///
    /// # Errors
    /// If the design cannot be built; the error says why.
    pub fn new(design: KeccakDesign) -> Result<Self, Error> {
        design.check()?;
        let iteration = |addresses, last| Iteration {
            addresses,
            scale: 0,
            ends_loop: last,
        };
        let unrolled = design.unrolled_rounds as usize;
        let bodies = ROUNDS as usize / unrolled;
        let of_rounds = (0..bodies).map(|i| {
            let numbers: [u16; SLOTS] = std::array::from_fn(|k| (i * unrolled + k) as u16);
            iteration(numbers, i + 1 == bodies)
        });
        let word_by_word = |len: usize| -> Vec<Iteration> {
            let of_word = |i| iteration([i as u16, 0, 0, 0, 0], i + 1 == len);
            (0..len).map(of_word).collect()
        };
        let movement = |fetch| Loop::new(movement(&design, fetch), 1, word_by_word(WORDS));
        let movements = match design.state {
            State::Axi => None,
            _ => Some([movement(true)?, movement(false)?]),
        };
        let least = design.least_interval;
        let mut circuit = Self {
            rounds: Loop::new(rounds(&design), least, of_rounds.collect())?,
            absorption: Loop::new(absorption(&design), 1, word_by_word(RATE_WORDS))?,
            movements,
            cycles: KeccakCycles::default(),
            design,
        };
        let state = &mut [0; WORDS];
        circuit.cycles = KeccakCycles {
            permute: circuit.permute(state, &mut ())?.cycles,
            absorb: circuit.absorb(state, &[0; RATE_WORDS], &mut ())?.cycles,
            process_block: circuit.process_block(state, &mut ())?,
        };
        Ok(circuit)
    }

    /// The design of this circuit.
    pub fn design(&self) -> &KeccakDesign {
        &self.design
    }

    /// Returns the cycles, which are the same for every state.
    pub fn cycles(&self) -> KeccakCycles {
        self.cycles
    }

    /// The loop over rounds.
    pub fn rounds(&self) -> &Loop {
        &self.rounds
    }

    /// The loop over the words of a block.
    pub fn absorption(&self) -> &Loop {
        &self.absorption
    }

    /// Permutes `state`.
    ///
    /// # Errors
    /// The first fault. None occurs, since [`new`](Self::new) has run the circuit.
    pub fn permute(
        &self,
        state: &mut [u64; WORDS],
        observer: &mut impl Observer,
    ) -> Result<Run, Error> {
        self.rounds.run(state, &mut { ROUND_CONSTANTS }, observer)
    }

    /// Adds `block` to `state`, one word in each iteration.
    ///
    /// # Errors
    /// As for [`permute`](Self::permute).
    pub fn absorb(
        &self,
        state: &mut [u64; WORDS],
        block: &[u64; RATE_WORDS],
        observer: &mut impl Observer,
    ) -> Result<Run, Error> {
        self.absorption.run(state, &mut { *block }, observer)
    }

    /// Permutes a `state` that is in the processor's memory. Returns the cycles.
    ///
    /// # Errors
    /// As for [`permute`](Self::permute).
    pub fn process_block(
        &self,
        state: &mut [u64; WORDS],
        observer: &mut impl Observer,
    ) -> Result<u64, Error> {
        let Some([fetch, put_back]) = &self.movements else {
            return Ok(self.permute(state, observer)?.cycles);
        };
        let here = &mut [0; WORDS];
        let runs = [
            fetch.run(here, state, observer)?,
            self.permute(here, observer)?,
            put_back.run(here, state, observer)?,
        ];
        Ok(runs.iter().map(|run| run.cycles).sum())
    }
}
