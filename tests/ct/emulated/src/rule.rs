//! The rule of an instruction: which bytes of its inputs decide which of its outputs.

use crate::registers;

/// Largest number of output bytes of a rule.
pub(crate) const MOST_OUTPUTS: usize = 256;

/// A set of output bytes: those of the registers in the order of [`Rule::outputs`], then the stored
/// bytes.
pub(crate) type Outputs = [u64; MOST_OUTPUTS / 64];

pub(crate) const fn nothing() -> Outputs {
    [0; MOST_OUTPUTS / 64]
}

fn union(mut a: Outputs, b: &Outputs) -> Outputs {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= b);
    a
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
    /// Registers that the instruction writes.
    pub(crate) outputs: Vec<usize>,
    /// Registers that the instruction reads, and for each byte of these registers the outputs that
    /// the byte decides.
    pub(crate) sources: Vec<(Source, Vec<Outputs>)>,
    /// For each byte that the instruction reads from memory, the outputs that the byte decides.
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

    /// Returns the number of bytes that the instruction reads from memory.
    pub(crate) fn loaded(&self) -> usize {
        let reads = self.accesses.iter().filter(|(_, writes)| !writes);
        reads.map(|(length, _)| length).sum()
    }

    /// Number of bytes of the registers that the instruction writes.
    fn output_bytes(&self) -> usize {
        self.outputs
            .iter()
            .map(|&register| registers::length(register))
            .sum()
    }

    /// Number of bytes of all outputs.
    pub(crate) fn output_length(&self) -> usize {
        let stores = self.accesses.iter().filter(|(_, writes)| *writes);
        self.output_bytes() + stores.map(|(length, _)| length).sum::<usize>()
    }

    /// Returns the flags among the outputs.
    pub(crate) fn flags(&self) -> Outputs {
        let mut flags = nothing();
        let mut first = 0;
        for &register in &self.outputs {
            if register == registers::FLAGS {
                flags[first / 64] |= 1 << (first % 64);
            }
            first += registers::length(register);
        }
        flags
    }

    /// Widens the rule of an instruction that is not a wire. If an input decides an output byte,
    /// the widened rule says that it decides the whole group of eight bytes: a general register, or
    /// half of a vector register. A byte that was never seen to decide anything decides the same as
    /// the other bytes of its `half` of the input. If no byte of a half decides anything, the
    /// instruction does not read that half. If two input bytes decide the same output byte, each
    /// gets the outputs of both.
    pub(crate) fn join(&self, effects: &mut [Outputs], half: usize) {
        for bytes in effects.chunks_mut(half) {
            let all = bytes.iter().fold(nothing(), union);
            for effect in bytes.iter_mut().filter(|effect| **effect == nothing()) {
                *effect = all;
            }
        }
        loop {
            let before = effects.to_vec();
            for effect in &mut *effects {
                self.round(effect);
            }
            for i in 0..effects.len() {
                for j in 0..effects.len() {
                    if effects[i].iter().zip(&effects[j]).any(|(a, b)| a & b != 0) {
                        effects[i] = union(effects[i], &effects[j]);
                    }
                }
            }
            if before == effects {
                return;
            }
        }
    }

    fn round(&self, effect: &mut Outputs) {
        let stored = self.output_length() - self.output_bytes();
        let lengths = self
            .outputs
            .iter()
            .map(|&register| registers::length(register));
        let mut first = 0;
        for length in lengths.chain([stored]) {
            let has = |i: &usize| effect[(first + i) / 64] >> ((first + i) % 64) & 1 != 0;
            let seen: Vec<usize> = (0..length).filter(has).collect();
            for byte in seen {
                for i in byte / 8 * 8..(byte / 8 * 8 + 8).min(length) {
                    effect[(first + i) / 64] |= 1 << ((first + i) % 64);
                }
            }
            first += length;
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
