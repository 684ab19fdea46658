//! Finds by experiment which bytes an instruction reads, and which outputs each of them decides.
//!
//! There is no table of instructions. The lab runs an instruction from many random states, changes
//! one register, one byte or one bit at a time, and compares the outcomes.
//!
//! There are two kinds of instructions. A wire copies bits: a move, a shift by a constant, a
//! logical operation. A change of one input bit changes nothing, or the same bits of one output
//! byte in every state. If several input bits change, their effects are XORed. The
//! rule of a wire has exactly the dependences that the experiment showed. Other instructions, such
//! as a sum, may have dependences that are too rare to be seen, so their rules are widened: see
//! [`Rule::join`]. Flags depend on every byte that the instruction reads.

use crate::operands::{candidates, groups};
use crate::random::{DATA, DATA_LENGTH, Random};
use crate::registers::{self, COUNT, FLAGS, State};
use crate::rule::{Outputs, Rule, Source, nothing};
use unicorn_engine::{Arch, Context, HookType, MemType, Mode, Prot, Unicorn};

/// Instructions are placed in the middle of this memory, each at its own address.
const CODE: u64 = 0x1000_0000;
const CODE_LENGTH: u64 = 0x80_0000;
const PLACES: u64 = 0x8_0000;
/// Number of states from which the lab runs each instruction.
const STATES: usize = 30;
/// Number of states in which the lab tries an instruction before the instruction meets a secret.
const FEW: usize = 3;
/// Largest number of states that the lab tries, to find enough states without a fault.
const ATTEMPTS: usize = 4000;
/// Number of pairs of changes in each state, to recognise wires.
const PAIRS: usize = 3;

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) address: u64,
    pub(crate) length: usize,
    pub(crate) writes: bool,
}

/// Outcome of one run of an instruction: the candidate registers, the next address, its accesses,
/// and the bytes that it stored, in order.
#[derive(Clone, PartialEq, Debug)]
struct Outcome {
    registers: Vec<u128>,
    next: u64,
    accesses: Vec<Access>,
    stored: Vec<u8>,
}

/// A state of the processor, and the outcome of a run that starts in this state.
struct Baseline {
    context: Context,
    state: State,
    outcome: Outcome,
}

/// An instruction in the lab: its address, the registers that it may name, and its runs.
struct Experiment<'a> {
    address: u64,
    candidates: &'a [usize],
    baselines: &'a [Baseline],
}

/// Whether a group of registers decides an address, a branch or a stored value.
#[derive(Clone, Copy, Default)]
struct Influence {
    address: bool,
    branch: bool,
    value: bool,
}

impl Influence {
    fn any(self) -> bool {
        self.address || self.branch || self.value
    }
}

/// A change of the state before a run.
enum Change {
    Register(usize, u128),
    Memory(u64, u8),
}

pub(crate) struct Lab {
    emulator: Unicorn<'static, Vec<Access>>,
    memory: Vec<u8>,
    placed: u64,
    random: Random,
}

impl Lab {
    pub(crate) fn new() -> Self {
        let mut emulator =
            Unicorn::new_with_data(Arch::ARM64, Mode::LITTLE_ENDIAN, Vec::new()).expect("unicorn");
        registers::prepare(&mut emulator);
        emulator
            .mem_map(CODE, CODE_LENGTH, Prot::ALL)
            .expect("code");
        emulator
            .mem_map(DATA, DATA_LENGTH, Prot::ALL)
            .expect("data");
        let log = |emulator: &mut Unicorn<'_, Vec<Access>>, kind, address, length, _value| {
            let writes = kind == MemType::WRITE;
            emulator.get_data_mut().push(Access {
                address,
                length,
                writes,
            });
            true
        };
        let hooks = HookType::MEM_READ | HookType::MEM_WRITE;
        emulator.add_mem_hook(hooks, 1, 0, log).expect("a hook");
        let mut lab = Self {
            emulator,
            memory: Vec::new(),
            placed: 0,
            random: Random(1),
        };
        lab.memory = (0..DATA_LENGTH).map(|_| lab.random.next() as u8).collect();
        lab.emulator.mem_write(DATA, &lab.memory).expect("data");
        lab
    }

    /// Learns the rule of an instruction. Returns `None` if the instruction faults in every state,
    /// if its accesses have different lengths in different states, or if it reads or changes a
    /// register that is not a candidate.
    pub(crate) fn learn(&mut self, word: u32) -> Option<Rule> {
        let candidates = candidates(word);
        let (address, baselines) = self.try_in(word, &candidates, STATES)?;
        if !self.leave_others(address, &candidates, &baselines) {
            return None;
        }
        let mut rule = Rule::new(shape(&baselines[0].outcome.accesses));
        if baselines
            .iter()
            .any(|baseline| shape(&baseline.outcome.accesses) != rule.accesses)
        {
            return None;
        }
        // Every register that a run changes is an output. Every register on which an outcome
        // depends is an input.
        let mut inputs = Vec::new();
        let mut outputs = vec![false; candidates.len()];
        for baseline in &baselines {
            for (i, &register) in candidates.iter().enumerate() {
                outputs[i] |= baseline.outcome.registers[i] != baseline.state[register];
            }
        }
        // Repeats if it has found a new output, since an output that some runs leave unchanged is
        // also an input.
        loop {
            let known = outputs.clone();
            inputs.clear();
            for group in groups(word) {
                let found = self.influence(address, &candidates, &baselines, &group, &mut outputs);
                if !found.any() {
                    continue;
                }
                for &register in &group {
                    let one = [register];
                    let found = match group.len() {
                        1 => found,
                        _ => self.influence(address, &candidates, &baselines, &one, &mut outputs),
                    };
                    if found.any() {
                        let source = Source {
                            register,
                            decides_address: found.address,
                            decides_branch: found.branch,
                        };
                        inputs.push((source, found.value));
                    }
                }
            }
            if outputs == known {
                break;
            }
        }
        for (i, &register) in candidates.iter().enumerate() {
            if outputs[i] {
                rule.add_output(register);
            }
        }
        let experiment = Experiment {
            address,
            candidates: &candidates,
            baselines: &baselines,
        };
        let flags = rule.flags();
        for (source, decides_value) in inputs {
            let register = source.register;
            let length = registers::length(register);
            let which = |baseline: &Baseline, mask: &[u8]| {
                let bytes = mask.iter().rev();
                let mask = bytes.fold(0, |all, &byte| all << 8 | u128::from(byte));
                vec![Change::Register(register, baseline.state[register] ^ mask)]
            };
            let all = vec![rule.all_outputs(); length];
            let mut effects = if source.decides_address {
                all
            } else {
                let effects = self.effects(&experiment, &rule, length, Some(register), &which);
                // The experiment showed that the register matters, but found no single byte of the
                // register that does.
                let unseen = decides_value && effects.iter().all(|effect| *effect == nothing());
                if unseen { all } else { effects }
            };
            if decides_value {
                for effect in &mut effects {
                    effect
                        .iter_mut()
                        .zip(flags)
                        .for_each(|(all, flags)| *all |= flags);
                }
            }
            rule.add_source(source, effects);
        }
        let which = |baseline: &Baseline, mask: &[u8]| {
            let reads = baseline
                .outcome
                .accesses
                .iter()
                .filter(|access| !access.writes);
            let places =
                reads.flat_map(|access| (0..access.length as u64).map(|i| access.address + i));
            let changes = places.zip(mask).filter(|(_, mask)| **mask != 0);
            changes
                .map(|(place, &mask)| Change::Memory(place, mask))
                .collect()
        };
        let effects = self.effects(&experiment, &rule, rule.loaded(), None, &which);
        rule.add_loaded(effects);
        Some(rule)
    }

    /// Changes some registers, all at once, and returns what they influence. Marks the outputs that
    /// change in `outputs`.
    fn influence(
        &mut self,
        address: u64,
        candidates: &[usize],
        baselines: &[Baseline],
        registers: &[usize],
        outputs: &mut [bool],
    ) -> Influence {
        let mut found = Influence::default();
        for baseline in baselines {
            for _ in 0..2 {
                let mut state = baseline.state;
                for &register in registers {
                    state[register] = self.random.other(register, state[register]);
                }
                let changes = registers.iter().map(|&i| Change::Register(i, state[i]));
                let changes: Vec<_> = changes.collect();
                let Some(outcome) = self.run(address, candidates, baseline, &changes) else {
                    (found.address, found.value) = (true, true);
                    continue;
                };
                let before = &baseline.outcome;
                found.address |= outcome.accesses != before.accesses;
                found.branch |= outcome.next != before.next;
                found.value |= outcome.stored != before.stored;
                for (i, &register) in candidates.iter().enumerate() {
                    // A register that no run writes keeps the change. If some runs write a register
                    // and others keep it, as in `csel x0, x0, x1, eq`, it is also an input.
                    let is_kept = !outputs[i]
                        && outcome.registers[i] == state[register]
                        && before.registers[i] == baseline.state[register];
                    let differs = outcome.registers[i] != before.registers[i] && !is_kept;
                    found.value |= differs;
                    outputs[i] |= differs;
                }
            }
        }
        found
    }

    /// Returns false if the instruction was seen to read or change a register that is not a
    /// candidate, or if it faults in every state.
    pub(crate) fn keeps_to_candidates(&mut self, word: u32) -> bool {
        let candidates = candidates(word);
        let tried = self.try_in(word, &candidates, FEW);
        // The next instruction reuses its address.
        self.placed -= 1;
        tried
            .is_some_and(|(address, baselines)| self.leave_others(address, &candidates, &baselines))
    }

    /// Places the instruction and runs it from some states. Also returns its address.
    fn try_in(
        &mut self,
        word: u32,
        candidates: &[usize],
        states: usize,
    ) -> Option<(u64, Vec<Baseline>)> {
        let address = CODE + CODE_LENGTH / 2 + 8 * (self.placed % PLACES);
        self.placed += 1;
        let bytes = word.to_le_bytes();
        self.emulator.mem_write(address, &bytes).expect("code");
        let end = address + 4;
        self.emulator.ctl_remove_cache(address, end).expect("code");
        let baselines = self.baselines(word, address, candidates, states)?;
        Some((address, baselines))
    }

    /// Returns false if a register that is not a candidate decides an outcome or is changed.
    fn leave_others(&mut self, address: u64, candidates: &[usize], baselines: &[Baseline]) -> bool {
        baselines.iter().all(|baseline| {
            let others = (0..COUNT).filter(|register| !candidates.contains(register));
            let others: Vec<usize> = others.collect();
            let values: Vec<_> = others
                .iter()
                .map(|&register| self.random.value(register))
                .collect();
            let changes = others.iter().zip(&values);
            let changes: Vec<_> = changes
                .map(|(&i, &value)| Change::Register(i, value))
                .collect();
            let outcome = self.run(address, candidates, baseline, &changes);
            let mut kept = others.iter().zip(values);
            outcome.as_ref() == Some(&baseline.outcome)
                && kept.all(|(&i, value)| registers::read(&self.emulator, i) == value)
        })
    }

    /// Returns states from which the instruction does not fault.
    fn baselines(
        &mut self,
        word: u32,
        address: u64,
        candidates: &[usize],
        states: usize,
    ) -> Option<Vec<Baseline>> {
        let mut baselines = Vec::new();
        for _ in 0..ATTEMPTS {
            let state = self.random.state(word, baselines.len());
            for (register, &value) in state.iter().enumerate() {
                registers::write(&mut self.emulator, register, value);
            }
            let context = self.emulator.context_init().expect("a context");
            let nothing = Outcome {
                registers: Vec::new(),
                next: 0,
                accesses: Vec::new(),
                stored: Vec::new(),
            };
            let mut baseline = Baseline {
                context,
                state,
                outcome: nothing,
            };
            let Some(outcome) = self.run(address, candidates, &baseline, &[]) else {
                continue;
            };
            baseline.outcome = outcome;
            baselines.push(baseline);
            if baselines.len() == states {
                return Some(baselines);
            }
        }
        None
    }

    /// Runs the instruction once. Returns `None` if it faults.
    fn run(
        &mut self,
        address: u64,
        candidates: &[usize],
        baseline: &Baseline,
        changes: &[Change],
    ) -> Option<Outcome> {
        self.emulator
            .context_restore(&baseline.context)
            .expect("a state");
        for change in changes {
            match *change {
                Change::Register(register, value) => {
                    registers::write(&mut self.emulator, register, value);
                }
                Change::Memory(place, mask) => self.flip(place, mask),
            }
        }
        self.emulator.get_data_mut().clear();
        let done = self.emulator.emu_start(address, address + 4, 0, 1);
        let accesses = std::mem::take(self.emulator.get_data_mut());
        let mut stored = Vec::new();
        for access in accesses.iter().filter(|access| access.writes) {
            let Some(at) = access.address.checked_sub(DATA).map(|at| at as usize) else {
                continue;
            };
            let Some(old) = self.memory.get(at..at.saturating_add(access.length)) else {
                continue;
            };
            let new = self.emulator.mem_read_as_vec(access.address, access.length);
            stored.extend(new.expect("data"));
            self.emulator.mem_write(access.address, old).expect("data");
        }
        for change in changes {
            if let Change::Memory(place, mask) = *change {
                self.flip(place, mask);
            }
        }
        done.ok()?;
        let registers = candidates.iter();
        Some(Outcome {
            registers: registers
                .map(|&register| registers::read(&self.emulator, register))
                .collect(),
            next: self.emulator.pc_read().expect("the next address"),
            accesses,
            stored,
        })
    }

    /// Changes a byte of memory. Earlier stores there have been undone.
    fn flip(&mut self, place: u64, mask: u8) {
        let mut byte = [0];
        self.emulator.mem_read(place, &mut byte).expect("memory");
        self.emulator
            .mem_write(place, &[byte[0] ^ mask])
            .expect("memory");
        if let Some(byte) = place
            .checked_sub(DATA)
            .and_then(|at| self.memory.get_mut(at as usize))
        {
            *byte ^= mask;
        }
    }

    /// Returns the outputs that each byte of an input decides. The input is a register or the
    /// loaded bytes. `which` returns the changes that apply a mask to the input.
    fn effects(
        &mut self,
        experiment: &Experiment<'_>,
        rule: &Rule,
        length: usize,
        register: Option<usize>,
        which: &dyn Fn(&Baseline, &[u8]) -> Vec<Change>,
    ) -> Vec<Outputs> {
        let mut effects = vec![nothing(); length];
        let mut is_wire = register != Some(FLAGS);
        // Dependences of flags are known without the experiment.
        let flags = rule.flags();
        let is_flag = |i: usize| flags[i / 64] >> (i % 64) & 1 != 0;
        for baseline in experiment.baselines {
            for _ in 0..PAIRS {
                let masks = [0, 1].map(|_| -> Vec<u8> {
                    (0..length)
                        .map(|_| self.random.next() as u8 & self.random.next() as u8)
                        .collect()
                });
                let both: Vec<u8> = masks[0].iter().zip(&masks[1]).map(|(a, b)| a ^ b).collect();
                let [first, second] = [0, 1].map(|i| {
                    self.differences(experiment, baseline, rule, &which(baseline, &masks[i]))
                });
                let sum = self.differences(experiment, baseline, rule, &which(baseline, &both));
                let pairs = first.iter().zip(&second).map(|(a, b)| a ^ b);
                let mut pairs = pairs.zip(&sum).enumerate();
                is_wire &= pairs.all(|(i, (pair, &sum))| pair == sum || is_flag(i));
                if !is_wire {
                    break;
                }
            }
        }
        let mut mask = vec![0; length];
        for byte in 0..length {
            for (baseline, number) in experiment.baselines.iter().zip(0..) {
                for bits in [0xff, self.random.next() as u8] {
                    mask[byte] = bits;
                    let changes = which(baseline, &mask);
                    let differences = self.differences(experiment, baseline, rule, &changes);
                    add(&mut effects[byte], &differences);
                }
                // Also tries zero, all ones, and lanes with only the sign bit, for which
                // comparisons depend on every byte.
                if let Some(register) = register
                    && number % 5 == 0
                {
                    let value = baseline.state[register].to_le_bytes();
                    let signs = |lane: usize| {
                        (0..length).map(move |i| 0x80 * u8::from(i % lane == lane - 1))
                    };
                    let beside = [
                        vec![0; length],
                        vec![0xff; length],
                        signs(4).collect(),
                        signs(8).collect(),
                    ];
                    for other in beside {
                        let mut from: Vec<u8> =
                            value.iter().zip(other).map(|(a, b)| a ^ b).collect();
                        let changes = which(baseline, &from);
                        let before = self.differences(experiment, baseline, rule, &changes);
                        from[byte] ^= 0xff;
                        let changes = which(baseline, &from);
                        let after = self.differences(experiment, baseline, rule, &changes);
                        let differences = before.iter().zip(&after).map(|(a, b)| a ^ b);
                        add(&mut effects[byte], &differences.collect::<Vec<_>>());
                    }
                }
            }
            for bit in 0..8 {
                if !is_wire {
                    break;
                }
                mask[byte] = 1 << bit;
                let mut first = None;
                for baseline in experiment.baselines {
                    let changes = which(baseline, &mask);
                    let differences = self.differences(experiment, baseline, rule, &changes);
                    add(&mut effects[byte], &differences);
                    let bytes = differences.into_iter().enumerate();
                    let changed = bytes.filter(|&(i, bits)| bits != 0 && !is_flag(i));
                    let changed: Vec<_> = changed.collect();
                    if !changed.is_empty() {
                        is_wire &=
                            changed.len() == 1 && *first.get_or_insert(changed.clone()) == changed;
                    }
                }
            }
            mask[byte] = 0;
        }
        if !is_wire {
            let half = if length == 16 { 8 } else { 4 };
            rule.join(&mut effects, half);
        }
        effects
    }

    /// Returns the bits of the outputs that a change affects, in the order of the rule.
    fn differences(
        &mut self,
        experiment: &Experiment<'_>,
        baseline: &Baseline,
        rule: &Rule,
        changes: &[Change],
    ) -> Vec<u8> {
        let candidates = experiment.candidates;
        let before = &baseline.outcome;
        let Some(outcome) = self.run(experiment.address, candidates, baseline, changes) else {
            return vec![0xff; rule.output_length()];
        };
        let mut differences = Vec::new();
        for &register in &rule.outputs {
            let place = candidates.iter().position(|&other| other == register);
            let place = place.expect("an output is a candidate");
            let difference = outcome.registers[place] ^ before.registers[place];
            let bytes = difference.to_le_bytes();
            differences.extend(&bytes[..registers::length(register)]);
        }
        let stored = before.stored.len();
        if outcome.stored.len() == stored {
            differences.extend(
                outcome
                    .stored
                    .iter()
                    .zip(&before.stored)
                    .map(|(a, b)| a ^ b),
            );
        } else {
            differences.extend(vec![0xff; stored]);
        }
        differences
    }
}

fn add(effect: &mut Outputs, differences: &[u8]) {
    for (i, _) in differences
        .iter()
        .enumerate()
        .filter(|(_, difference)| **difference != 0)
    {
        effect[i / 64] |= 1 << (i % 64);
    }
}

/// Returns the lengths of the accesses, and which of them write.
fn shape(accesses: &[Access]) -> Vec<(usize, bool)> {
    accesses
        .iter()
        .map(|access| (access.length, access.writes))
        .collect()
}

#[cfg(test)]
mod tests;
