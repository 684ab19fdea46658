//! The rule of an instruction: which bytes of its inputs decide which of its outputs.

use crate::registers;

/// Bytes of outputs that a rule can have.
pub(crate) const MOST_OUTPUTS: usize = 256;

/// A set of bytes of outputs: those of the registers in the order of [`Rule::outputs`], then those
/// that are stored.
pub(crate) type Outputs = [u64; MOST_OUTPUTS / 64];

pub(crate) const fn nothing() -> Outputs {
    [0; MOST_OUTPUTS / 64]
}

/// A register that an instruction reads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Source {
    pub(crate) register: usize,
    pub(crate) decides_address: bool,
    pub(crate) decides_branch: bool,
}

#[derive(PartialEq)]
pub(crate) struct Rule {
    /// Lengths of the accesses to memory, and which of them write.
    pub(crate) accesses: Vec<(usize, bool)>,
    /// Registers that it writes.
    pub(crate) outputs: Vec<usize>,
    /// Registers that it reads, and for each of their bytes the outputs that it decides.
    pub(crate) sources: Vec<(Source, Vec<Outputs>)>,
    /// The same for each byte that is read from memory.
    pub(crate) from_memory: Vec<Outputs>,
}

impl Rule {
    pub(crate) fn new(accesses: Vec<(usize, bool)>) -> Self {
        Self {
            accesses,
            outputs: Vec::new(),
            sources: Vec::new(),
            from_memory: Vec::new(),
        }
    }

    pub(crate) fn add_output(&mut self, register: usize) {
        self.outputs.push(register);
        assert!(self.output_length() <= MOST_OUTPUTS);
    }

    pub(crate) fn add_source(&mut self, source: Source, effects: Vec<Outputs>) {
        self.sources.push((source, effects));
    }

    pub(crate) fn add_loaded(&mut self, effects: Vec<Outputs>) {
        self.from_memory = effects;
    }

    /// Bytes that are read from memory.
    pub(crate) fn loaded(&self) -> usize {
        let reads = self.accesses.iter().filter(|(_, writes)| !writes);
        reads.map(|(length, _)| length).sum()
    }

    /// Bytes of the registers that it writes.
    fn output_bytes(&self) -> usize {
        self.outputs
            .iter()
            .map(|&register| registers::length(register))
            .sum()
    }

    /// Bytes of all outputs.
    pub(crate) fn output_length(&self) -> usize {
        let stores = self.accesses.iter().filter(|(_, writes)| *writes);
        self.output_bytes() + stores.map(|(length, _)| length).sum::<usize>()
    }

    /// Makes what decides a byte of a general register decide the whole register. The same for
    /// registers and stored bytes of every kind if more than eight bytes are decided by the same
    /// input bytes, since then the input has no lanes.
    pub(crate) fn widen(&self, effects: &mut [Outputs]) {
        let has = |effect: &Outputs, i: usize| effect[i / 64] >> (i % 64) & 1 != 0;
        let mut first = 0;
        let stored = self.output_length() - self.output_bytes();
        let lengths = self
            .outputs
            .iter()
            .map(|&register| registers::length(register));
        for length in lengths.chain([stored]) {
            let bytes = first..first + length;
            first += length;
            let of_lane = effects.iter().map(|effect| {
                effects
                    .iter()
                    .filter(|other| *other == effect && **other != nothing())
                    .count()
            });
            let no_lanes = of_lane.max().unwrap_or(0) > 8;
            for effect in &mut *effects {
                if (length == 8 || no_lanes) && bytes.clone().any(|i| has(effect, i)) {
                    bytes.clone().for_each(|i| effect[i / 64] |= 1 << (i % 64));
                }
            }
        }
    }

    pub(crate) fn all_outputs(&self) -> Outputs {
        let mut all = nothing();
        for i in 0..self.output_length() {
            all[i / 64] |= 1 << (i % 64);
        }
        all
    }
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let outputs: Vec<_> = self
            .outputs
            .iter()
            .map(|&register| registers::name(register))
            .collect();
        write!(f, "writes {} and {:?}", outputs.join(" "), self.accesses)?;
        for (source, effects) in &self.sources {
            let name = registers::name(source.register);
            let roles = match (source.decides_address, source.decides_branch) {
                (true, _) => " (address)",
                (_, true) => " (branch)",
                _ => "",
            };
            write!(f, "\n  {name}{roles}:")?;
            for effect in effects {
                write!(
                    f,
                    " {:x}",
                    u128::from(effect[0]) | u128::from(effect[1]) << 64
                )?;
            }
        }
        write!(f, "\n  memory:")?;
        for effect in &self.from_memory {
            write!(
                f,
                " {:x}",
                u128::from(effect[0]) | u128::from(effect[1]) << 64
            )?;
        }
        Ok(())
    }
}
