//! Finds by experiment which bytes an instruction reads, and which they decide.
//!
//! No table of instructions says it. The lab runs an instruction from many random states, changes
//! one register, one byte or one bit at a time, and compares what comes out.
//!
//! Two kinds of dependence are told apart. Wires are moves, shifts by a constant and logical
//! operations. A bit of the input changes one byte of the output, the same bits of it whenever it
//! changes any, and does so often. For wires, what was seen is all. Other instructions, such as
//! sums, have effects that are too rare to be seen. There, input and output bytes that hang
//! together, which are those of a lane, are all taken to depend on each other.

use crate::registers::{self, COUNT, FLAGS, SP, State, VECTORS};
use crate::rule::{Outputs, Rule, Source, nothing};
use unicorn_engine::{Arch, Context, HookType, MemType, Mode, Prot, Unicorn};

/// Instructions are placed in the middle of this memory, each at a place of its own.
const CODE: u64 = 0x1000_0000;
const CODE_LENGTH: u64 = 0x80_0000;
const PLACES: u64 = 0x8_0000;
/// Memory that instructions read and write.
const DATA: u64 = 0x4000_0000;
const DATA_LENGTH: u64 = 0x1_0000;
/// States from which each instruction runs.
const STATES: usize = 24;
/// States that are tried until one does not fault.
const ATTEMPTS: usize = 4000;
/// A wire is seen in at least so many of the states, or in none.
const OFTEN: u32 = 3;

/// An access to memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) address: u64,
    pub(crate) length: usize,
    pub(crate) writes: bool,
}

/// One run of an instruction: the candidates among the registers, where it went on, its accesses,
/// and the bytes that it stored, in their order.
#[derive(Clone, PartialEq, Debug)]
struct Outcome {
    registers: Vec<u128>,
    next: u64,
    accesses: Vec<Access>,
    stored: Vec<u8>,
}

/// A state, and what comes out of it.
struct Baseline {
    context: Context,
    state: State,
    outcome: Outcome,
}

/// Outcomes that registers decide.
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
    random: u64,
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
            random: 1,
        };
        lab.memory = (0..DATA_LENGTH).map(|_| lab.random() as u8).collect();
        lab.emulator.mem_write(DATA, &lab.memory).expect("data");
        lab
    }

    /// The next number of SplitMix64.
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.random ^ self.random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// The rule of an instruction. None if it faults in every state, or if its accesses have
    /// different lengths in different states.
    pub(crate) fn learn(&mut self, word: u32) -> Option<Rule> {
        let address = CODE + CODE_LENGTH / 2 + 8 * (self.placed % PLACES);
        self.placed += 1;
        self.emulator
            .mem_write(address, &word.to_le_bytes())
            .expect("code");
        let candidates = candidates(word);
        let baselines = self.baselines(word, address, &candidates)?;
        let mut rule = Rule::new(shape(&baselines[0].outcome.accesses));
        if baselines
            .iter()
            .any(|baseline| shape(&baseline.outcome.accesses) != rule.accesses)
        {
            return None;
        }
        // Every register that a run changes, or of which the outcome of a run depends, is one of
        // the outputs or of the inputs.
        let mut inputs = Vec::new();
        let mut outputs = vec![false; candidates.len()];
        for (baseline, number) in baselines.iter().zip(0..) {
            for (i, &register) in candidates.iter().enumerate() {
                outputs[i] |= baseline.outcome.registers[i] != baseline.state[register];
            }
            let mut changes = Vec::new();
            for register in (0..COUNT).filter(|register| !candidates.contains(register)) {
                changes.push(Change::Register(register, self.value(register)));
            }
            let others = self.run(address, &candidates, baseline, &changes);
            assert!(
                others.as_ref() == Some(&baseline.outcome),
                "{word:08x} reads another register (state {number})"
            );
        }
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
        for (i, &register) in candidates.iter().enumerate() {
            if outputs[i] {
                rule.add_output(register);
            }
        }
        for (source, decides_value) in inputs {
            let length = registers::length(source.register);
            let all = vec![rule.all_outputs(); length];
            let effects = if source.decides_address {
                all
            } else {
                let which = move |_: &Baseline, byte: usize, mask: u8, state: &State| {
                    let changed = state[source.register] ^ u128::from(mask) << (8 * byte);
                    Change::Register(source.register, changed)
                };
                let group = if source.register < VECTORS { 4 } else { 8 };
                let effects = self.effects(
                    address,
                    &candidates,
                    &baselines,
                    &rule,
                    length,
                    group,
                    &which,
                );
                // The whole register was seen to matter, and no byte of it.
                let unseen = decides_value && effects.iter().all(|effect| *effect == nothing());
                if unseen { all } else { effects }
            };
            rule.add_source(source, effects);
        }
        let loaded: usize = rule.loaded();
        let which = |baseline: &Baseline, byte: usize, mask: u8, _: &State| {
            let reads = baseline
                .outcome
                .accesses
                .iter()
                .filter(|access| !access.writes);
            let mut places =
                reads.flat_map(|access| (0..access.length as u64).map(|i| access.address + i));
            Change::Memory(places.nth(byte).expect("a byte that is read"), mask)
        };
        let effects = self.effects(address, &candidates, &baselines, &rule, loaded, 8, &which);
        rule.add_loaded(effects);
        Some(rule)
    }

    /// Changes registers, all at once, and tells what that changes. Marks the outputs among them.
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
                    state[register] = self.other(register, state[register]);
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
                    // A register that is only kept is changed as it was.
                    let is_kept = outcome.registers[i] == state[register]
                        && before.registers[i] == baseline.state[register];
                    let differs = outcome.registers[i] != before.registers[i] && !is_kept;
                    found.value |= differs;
                    outputs[i] |= differs;
                }
            }
        }
        found
    }

    /// States from which the instruction does not fault.
    fn baselines(
        &mut self,
        word: u32,
        address: u64,
        candidates: &[usize],
    ) -> Option<Vec<Baseline>> {
        let mut baselines = Vec::new();
        for _ in 0..ATTEMPTS {
            let state = self.state(word, baselines.len());
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
            for register in (0..COUNT).filter(|register| !candidates.contains(register)) {
                let after = registers::read(&self.emulator, register);
                assert!(
                    after == state[register],
                    "{word:08x} changes another register"
                );
            }
            baseline.outcome = outcome;
            baselines.push(baseline);
            if baselines.len() == STATES {
                return Some(baselines);
            }
        }
        None
    }

    /// A state of random numbers. In every other state, the registers of a kind are equal, or
    /// nearly so, since comparisons of random numbers tell little.
    fn state(&mut self, word: u32, number: usize) -> State {
        let mut state = [0; COUNT];
        let is_memory = word >> 25 & 0b101 == 0b100;
        for (register, value) in state.iter_mut().enumerate() {
            *value = match register {
                SP => self.pointer(),
                FLAGS => u128::from(self.random() & 15),
                VECTORS.. => self.vector(number),
                _ if is_memory => match self.random() % 3 {
                    0 => u128::from(self.random() % 16 * 8),
                    _ => self.pointer(),
                },
                _ => self.general(number),
            };
        }
        if number % 2 == 1 {
            let (general, vector) = (state[0], state[VECTORS]);
            for register in (0..31).filter(|_| !is_memory) {
                state[register] = self.near(general, 8);
            }
            for value in &mut state[VECTORS..FLAGS] {
                *value = self.near(vector, 16);
            }
        }
        state
    }

    fn pointer(&mut self) -> u128 {
        u128::from(DATA + DATA_LENGTH / 4 + self.random() % (DATA_LENGTH / 2) / 16 * 16)
    }

    fn general(&mut self, number: usize) -> u128 {
        let value = self.random();
        u128::from(match number % 4 {
            3 if number % 8 == 7 => 0,
            // Zero among them, for branches that ask for it.
            2 if value.is_multiple_of(3) => 0,
            2 => value >> (value % 64),
            _ => value,
        })
    }

    /// Random bits, zero, numbers in binary64 or binary32 of common sizes, or small bytes, which
    /// are indices of tables.
    fn vector(&mut self, number: usize) -> u128 {
        let words = [self.random(), self.random()];
        let words = words.map(|word| match number % 8 {
            0 => word & 0x0f0f_0f0f_0f0f_0f0f,
            5 => word & 0x1f1f_1f1f_1f1f_1f1f,
            6 => word & 0x3f3f_3f3f_3f3f_3f3f,
            7 => 0,
            2 | 3 => word & 0x800f_ffff_ffff_ffff | (1015 + word % 17) << 52,
            4 => {
                let exponents = (120 + word % 16) << 23 | (120 + word / 16 % 16) << 55;
                word & 0x807f_ffff_807f_ffff | exponents
            }
            _ => word,
        });
        u128::from(words[0]) | u128::from(words[1]) << 64
    }

    /// The value, or one that differs in a bit.
    fn near(&mut self, value: u128, length: u64) -> u128 {
        match self.random() % 2 {
            0 => value,
            _ => value ^ 1 << (self.random() % (8 * length)),
        }
    }

    /// Another value for a register: every bit changed, one bit changed, zero, or random.
    fn other(&mut self, register: usize, value: u128) -> u128 {
        let length = registers::length(register) as u32;
        let bits = if register == FLAGS { 4 } else { 8 * length };
        let all = if bits == 128 { !0 } else { (1 << bits) - 1 };
        match self.random() % 5 {
            0 => value ^ all,
            1 => value ^ 1 << (self.random() % u64::from(bits)),
            2 if value != 0 => 0,
            _ => {
                let random = u128::from(self.random()) | u128::from(self.random()) << 64;
                let other = random & all;
                if other == value { value ^ 1 } else { other }
            }
        }
    }

    fn value(&mut self, register: usize) -> u128 {
        match register {
            SP => self.pointer(),
            FLAGS => u128::from(self.random() & 15),
            VECTORS.. => u128::from(self.random()) | u128::from(self.random()) << 64,
            _ => u128::from(self.random()),
        }
    }

    /// Runs the instruction once. None if it faults.
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

    /// Changes a byte of memory. What was stored there has been undone before.
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

    /// The outputs that each byte of an input decides. `group` bytes belong together: one of them
    /// that was never seen to matter is taken to matter as the others do.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of them describe one experiment"
    )]
    fn effects(
        &mut self,
        address: u64,
        candidates: &[usize],
        baselines: &[Baseline],
        rule: &Rule,
        length: usize,
        group: usize,
        which: &dyn Fn(&Baseline, usize, u8, &State) -> Change,
    ) -> Vec<Outputs> {
        let mut effects = vec![nothing(); length];
        let mut is_wire = true;
        for (byte, effect) in effects.iter_mut().enumerate() {
            // Of the flags, every bit; of other registers, two bits of a byte.
            let bits = match length {
                1 => vec![0, 1, 2, 3],
                _ => vec![byte % 4, 4 + byte % 4],
            };
            for bit in bits {
                if !is_wire {
                    break;
                }
                let mut first: Option<Vec<u8>> = None;
                let mut count = 0;
                for baseline in baselines {
                    let change = which(baseline, byte, 1 << bit, &baseline.state);
                    let differences = self.differences(address, candidates, baseline, rule, change);
                    if differences.iter().all(|&difference| difference == 0) {
                        continue;
                    }
                    count += 1;
                    add(effect, &differences);
                    let changed = differences.iter().filter(|&&difference| difference != 0);
                    is_wire &= changed.count() == 1;
                    match &first {
                        None => first = Some(differences),
                        Some(first) => is_wire &= *first == differences,
                    }
                }
                is_wire &= count == 0 || count >= OFTEN;
            }
            for (baseline, number) in baselines.iter().zip(0..) {
                let mask = if number / 2 % 2 == 0 {
                    0xff
                } else {
                    self.random() as u8
                };
                let change = which(baseline, byte, mask, &baseline.state);
                add(
                    effect,
                    &self.differences(address, candidates, baseline, rule, change),
                );
            }
        }
        if !is_wire {
            join(&mut effects, group);
            rule.widen(&mut effects);
        }
        effects
    }

    /// The bits of the outputs that a change changes, in the order of the rule.
    fn differences(
        &mut self,
        address: u64,
        candidates: &[usize],
        baseline: &Baseline,
        rule: &Rule,
        change: Change,
    ) -> Vec<u8> {
        let before = &baseline.outcome;
        let Some(outcome) = self.run(address, candidates, baseline, &[change]) else {
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

/// Makes all bytes that hang together depend on each other.
fn join(effects: &mut [Outputs], group: usize) {
    for bytes in effects.chunks_mut(group) {
        let mut all = nothing();
        for effect in bytes.iter() {
            for (all, effect) in all.iter_mut().zip(effect) {
                *all |= effect;
            }
        }
        for effect in bytes.iter_mut().filter(|effect| **effect == nothing()) {
            *effect = all;
        }
    }
    loop {
        let mut changed = false;
        for i in 0..effects.len() {
            for j in 0..effects.len() {
                let overlaps = effects[i].iter().zip(&effects[j]).any(|(a, b)| a & b != 0);
                if overlaps && effects[i] != effects[j] {
                    let other = effects[j];
                    for (a, b) in effects[i].iter_mut().zip(other) {
                        *a |= b;
                    }
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// Lengths of the accesses, and which of them write.
fn shape(accesses: &[Access]) -> Vec<(usize, bool)> {
    accesses
        .iter()
        .map(|access| (access.length, access.writes))
        .collect()
}

/// Registers that an instruction may name. They stand in fields of five bits; some instructions
/// take up to three more after the named one, and calls write the return address.
pub(crate) fn candidates(word: u32) -> Vec<usize> {
    let mut all = groups(word).concat();
    all.sort_unstable();
    all
}

/// The candidates, those that few instructions use in one group.
fn groups(word: u32) -> Vec<Vec<usize>> {
    let field = |shift: u32| (word >> shift & 31) as usize;
    let fields = [field(0), field(5), field(10), field(16)];
    let named = fields.iter().flat_map(|&number| [number, VECTORS + number]);
    let mut named: Vec<_> = named.chain([FLAGS]).collect();
    named.sort_unstable();
    named.dedup();
    let after = [field(0), field(5), field(16)].into_iter();
    let after = after.flat_map(|first| (1..4).map(move |i| (first + i) % 32));
    // The highest bit of the field may belong to the number of a lane.
    let of_lane = VECTORS + field(16) % 16;
    let after = after
        .flat_map(|number| [number, VECTORS + number])
        .chain([30, of_lane]);
    let mut others: Vec<_> = after.filter(|register| !named.contains(register)).collect();
    others.sort_unstable();
    others.dedup();
    let mut groups: Vec<_> = named.into_iter().map(|register| vec![register]).collect();
    groups.push(others);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outputs, and for each source its name with the outputs of each byte, as bits.
    fn rule(word: u32) -> String {
        let rule = Lab::new().learn(word).expect("a rule");
        rule.to_string()
    }

    #[track_caller]
    fn says(word: u32, lines: &[&str]) {
        let rule = rule(word);
        let found: Vec<_> = rule.lines().map(str::trim).collect();
        assert_eq!(found, lines, "{word:08x}");
    }

    #[test]
    fn wires_are_exact() {
        let bytes = "1 2 4 8 10 20 40 80";
        // and w0, w1, w2
        let low = "1 2 4 8 0 0 0 0";
        let lines = [
            "writes x0 and []",
            &format!("x1: {low}"),
            &format!("x2: {low}"),
            "memory:",
        ];
        says(0x0a02_0020, &lines);
        // rev x0, x1
        says(
            0xdac0_0c20,
            &["writes x0 and []", "x1: 80 40 20 10 8 4 2 1", "memory:"],
        );
        // movk x0, #5, lsl #16
        says(
            0xf2a0_00a0,
            &["writes x0 and []", "x0: 1 2 0 0 10 20 40 80", "memory:"],
        );
        // csel x0, x1, x2, eq
        let lines = [
            "writes x0 and []",
            &format!("x1: {bytes}"),
            &format!("x2: {bytes}"),
            "flags: ff",
            "memory:",
        ];
        says(0x9a82_0020, &lines);
        // umov w0, v1.h[3]
        let lines = [
            "writes x0 and []",
            "v1: 0 0 0 0 0 0 1 2 0 0 0 0 0 0 0 0",
            "memory:",
        ];
        says(0x0e0e_3c20, &lines);
    }

    #[test]
    fn comparisons_with_zero_are_seen() {
        // cmeq v0.4s, v1.4s, #0; fcmlt v0.2d, v1.2d, #0.0
        let lanes = "f f f f f0 f0 f0 f0 f00 f00 f00 f00 f000 f000 f000 f000";
        says(
            0x4ea0_9820,
            &["writes v0 and []", &format!("v1: {lanes}"), "memory:"],
        );
        let lanes = "ff ff ff ff ff ff ff ff ff00 ff00 ff00 ff00 ff00 ff00 ff00 ff00";
        says(
            0x4ee0_e820,
            &["writes v0 and []", &format!("v1: {lanes}"), "memory:"],
        );
    }

    #[test]
    fn sums_and_comparisons_depend_on_whole_lanes() {
        // add x0, x1, x2
        let whole = "ff ff ff ff ff ff ff ff";
        let lines = [
            "writes x0 and []",
            &format!("x1: {whole}"),
            &format!("x2: {whole}"),
            "memory:",
        ];
        says(0x8b02_0020, &lines);
        // cmp x3, x4
        let flags = "1 1 1 1 1 1 1 1";
        let lines = [
            "writes flags and []",
            &format!("x3: {flags}"),
            &format!("x4: {flags}"),
            "memory:",
        ];
        says(0xeb04_007f, &lines);
        // udiv x0, x1, x2
        let lines = [
            "writes x0 and []",
            &format!("x1: {whole}"),
            &format!("x2: {whole}"),
            "memory:",
        ];
        says(0x9ac2_0820, &lines);
        // add v0.4s, v1.4s, v2.4s; cmhi; sqdmulh
        let lanes = "f f f f f0 f0 f0 f0 f00 f00 f00 f00 f000 f000 f000 f000";
        for word in [0x4ea2_8420, 0x6ea2_3420, 0x4ea2_b420] {
            let lines = [
                "writes v0 and []",
                &format!("v1: {lanes}"),
                &format!("v2: {lanes}"),
                "memory:",
            ];
            says(word, &lines);
        }
        // fmul v0.2d, v1.2d, v2.2d; cmeq
        let lanes = "ff ff ff ff ff ff ff ff ff00 ff00 ff00 ff00 ff00 ff00 ff00 ff00";
        for word in [0x6e62_dc20, 0x6ee2_8c20] {
            let lines = [
                "writes v0 and []",
                &format!("v1: {lanes}"),
                &format!("v2: {lanes}"),
                "memory:",
            ];
            says(word, &lines);
        }
    }

    #[test]
    fn products_with_a_lane_of_sixteen_bits_are_known() {
        // mls v13.8h, v25.8h, v8.h[3]
        let rule = rule(0x6f78_432d);
        let names = rule.lines().map(|line| line.split(':').next());
        let names: Vec<_> = names.map(|name| name.unwrap_or_default().trim()).collect();
        assert_eq!(names, ["writes v13 and []", "v13", "v25", "v8", "memory"]);
    }

    #[test]
    fn branches_and_addresses_are_known() {
        // cbz x1, .+8
        says(
            0xb400_0041,
            &["writes  and []", "x1 (branch): 0 0 0 0 0 0 0 0", "memory:"],
        );
        // b.lt .+8
        says(
            0x5400_004b,
            &["writes  and []", "flags (branch): 0", "memory:"],
        );
        // ldr x0, [x1, x2, lsl #3]
        let whole = "ff ff ff ff ff ff ff ff";
        let lines = [
            "writes x0 and [(8, false)]",
            &format!("x1 (address): {whole}"),
            &format!("x2 (address): {whole}"),
            "memory: 1 2 4 8 10 20 40 80",
        ];
        says(0xf862_7820, &lines);
        // str w0, [sp, #8]
        let lines = [
            "writes  and [(4, true)]",
            "x0: 1 2 4 8 0 0 0 0",
            "sp (address): f f f f f f f f",
            "memory:",
        ];
        says(0xb900_0be0, &lines);
    }
}
