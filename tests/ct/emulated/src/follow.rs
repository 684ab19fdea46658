//! Follows secret bytes through the instructions of the program.

use crate::lab::{Access, Lab};
use crate::operands::candidates;
use crate::registers::{self, COUNT};
use crate::rule::{Rule, nothing};
use falcon_taint::Memory;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use unicorn_engine::Unicorn;

/// Last instruction of a request, `orr x10, x10, x10`.
const REQUEST: u32 = 0xaa0a_014a;
/// The instructions before it: rotations of `x12`.
const BEFORE: [u32; 4] = [0x93cc_0d8c, 0x93cc_358c, 0x93cc_cd8c, 0x93cc_f58c];

const BRANCH: &str = "branch";
const ADDRESS: &str = "address";
const DIVISION: &str = "division";
const UNKNOWN: &str = "instruction without a rule";
const OUTPUT: &str = "output";

/// Kind of an instruction. The kind and the rule determine how secrets are followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// A branch to the address in a register.
    Jump,
    Division,
    Request,
    /// A write of a system register, or a read of the sticky flags of floating-point exceptions.
    /// This state is not followed.
    SystemRegister,
    /// `dc zva`, which clears 64 bytes.
    Clear,
    /// A store that fails unless the processor watches its address. In the lab the processor does
    /// not watch it.
    Exclusive,
}

struct Instruction {
    word: u32,
    kind: Kind,
    /// Set of registers that the instruction may read or write, one bit for each register.
    candidates: u128,
    /// The rule, learned when the instruction first runs with a secret. The inner `None` means that
    /// the lab found no rule.
    rule: Option<Option<Rule>>,
}

/// State of the operating system that the program sees.
#[derive(Default)]
pub(crate) struct Linux {
    pub(crate) heap: u64,
    pub(crate) time: u64,
    pub(crate) status: Option<u8>,
}

pub(crate) struct Follower {
    pub(crate) linux: Linux,
    /// Path of the program, for reports.
    name: String,
    lab: Lab,
    instructions: Vec<Instruction>,
    numbers: HashMap<u32, usize>,
    /// Number of the instruction at each address of the code, plus one.
    places: Vec<u32>,
    code: u64,
    /// Secret bytes of each register.
    secret: [u16; COUNT],
    /// Set of registers with a secret byte, one bit for each register.
    registers: u128,
    memory: Memory,
    /// Address and number of the running instruction.
    current: Option<(u64, usize)>,
    pub(crate) accesses: Vec<Access>,
    errors: u64,
    count: u64,
    reported: BTreeMap<(u64, &'static str), u64>,
    /// Instructions without a rule that ran with a secret.
    coarse: BTreeMap<u64, u32>,
}

/// Follows the instruction that has run, and notes the next one, at `address`.
pub(crate) fn step(emulator: &mut Unicorn<'_, Follower>, address: u64) {
    let follower = emulator.get_data_mut();
    if let Some((at, number)) = follower.current.take() {
        follower.follow(at, number);
    }
    follower.accesses.clear();
    follower.count += 1;
    let place = (address - follower.code) as usize / 4;
    let number = match follower.places[place] {
        0 => {
            let mut word = [0; 4];
            emulator.mem_read(address, &mut word).expect("code");
            let word = u32::from_le_bytes(word);
            let follower = emulator.get_data_mut();
            let number = follower.number(word);
            follower.places[place] = number as u32 + 1;
            number
        }
        number => number as usize - 1,
    };
    let kind = emulator.get_data().instructions[number].kind;
    match kind {
        Kind::Request if is_request(emulator, address) => request(emulator),
        Kind::Clear => {
            let register = (emulator.get_data().instructions[number].word & 31) as usize;
            let start = registers::read(emulator, register) as u64 & !63;
            let follower = emulator.get_data_mut();
            if follower.secret[register] != 0 {
                follower.report(address, ADDRESS);
            }
            follower.memory.fill(start, 64, false);
        }
        _ => emulator.get_data_mut().current = Some((address, number)),
    }
}

fn is_request<D>(emulator: &Unicorn<'_, D>, address: u64) -> bool {
    let mut words = [0; 16];
    emulator.mem_read(address - 16, &mut words).expect("code");
    let words = words
        .as_chunks::<4>()
        .0
        .iter()
        .map(|&word| u32::from_le_bytes(word));
    words.eq(BEFORE)
}

/// Answers a request. Its number and arguments are at the address in `x4`; the answer goes to `x3`.
fn request(emulator: &mut Unicorn<'_, Follower>) {
    use falcon_taint::requests::{
        COUNT_ERRORS, GET_VBITS, MAKE_MEM_DEFINED, MAKE_MEM_UNDEFINED, RUNNING_ON_VALGRIND,
    };
    let at = registers::read(emulator, 4) as u64;
    let bytes = emulator
        .mem_read_as_vec(at, 32)
        .expect("the words of a request");
    let words: Vec<_> = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|&word| u64::from_le_bytes(word))
        .collect();
    let [number, first, second, third] = words[..] else {
        unreachable!("four words")
    };
    let follower = emulator.get_data_mut();
    let answer = match number {
        RUNNING_ON_VALGRIND => 1,
        COUNT_ERRORS => follower.errors,
        MAKE_MEM_UNDEFINED | MAKE_MEM_DEFINED => {
            follower
                .memory
                .fill(first, second, number == MAKE_MEM_UNDEFINED);
            0
        }
        GET_VBITS => {
            let masks = (0..third).map(|i| follower.memory.read(first + i, 1));
            let bytes: Vec<u8> = masks.map(|mask| if mask == 0 { 0 } else { 255 }).collect();
            follower.memory.fill(second, third, false);
            emulator.mem_write(second, &bytes).expect("a buffer");
            1
        }
        _ => return,
    };
    registers::write(emulator, 3, answer.into());
    emulator.get_data_mut().make_register_public(3);
}

impl Follower {
    pub(crate) fn new(name: String, code: &Range<u64>) -> Self {
        Self {
            linux: Linux::default(),
            name,
            lab: Lab::new(),
            instructions: Vec::new(),
            numbers: HashMap::new(),
            places: vec![0; (code.end - code.start) as usize / 4],
            code: code.start,
            secret: [0; COUNT],
            registers: 0,
            memory: Memory::new(),
            current: None,
            accesses: Vec::new(),
            errors: 0,
            count: 0,
            reported: BTreeMap::new(),
            coarse: BTreeMap::new(),
        }
    }

    fn number(&mut self, word: u32) -> usize {
        if let Some(&number) = self.numbers.get(&word) {
            return number;
        }
        let kind = match word {
            REQUEST => Kind::Request,
            _ if word & 0xfe00_0000 == 0xd600_0000 => Kind::Jump,
            _ if word & 0xfff0_0000 == 0xd510_0000 => Kind::SystemRegister,
            _ if word & 0xffff_ffe0 == 0xd53b_4420 => Kind::SystemRegister,
            _ if word & 0x7fe0_f800 == 0x1ac0_0800 => Kind::Division,
            _ if word & 0xffff_ffe0 == 0xd50b_7420 => Kind::Clear,
            _ if word & 0x3fe0_7c00 == 0x0800_7c00 => Kind::Exclusive,
            _ => Kind::Plain,
        };
        // A jump would leave the lab, and a system call has no effect in the lab.
        let is_in_lab = !matches!(kind, Kind::Jump) && word & 0xffe0_001f != 0xd400_0001;
        let (candidates, rule) = if !is_in_lab || self.lab.keeps_to_candidates(word) {
            let candidates = candidates(word);
            (candidates.iter().fold(0, |all, &i| all | 1 << i), None)
        } else {
            ((1 << COUNT) - 1, Some(None))
        };
        self.instructions.push(Instruction {
            word,
            kind,
            candidates,
            rule,
        });
        self.numbers.insert(word, self.instructions.len() - 1);
        self.instructions.len() - 1
    }

    fn report(&mut self, address: u64, what: &'static str) {
        self.errors += 1;
        let count = self.reported.entry((address, what)).or_default();
        *count += 1;
        if *count == 1 {
            eprintln!("taint: {what} in {} {address:#x}", self.name);
        }
    }

    /// Follows the instruction that has run.
    fn follow(&mut self, address: u64, number: usize) {
        let instruction = &mut self.instructions[number];
        let word = instruction.word;
        let mut secret = self.registers & instruction.candidates != 0;
        for access in self.accesses.iter().filter(|access| !access.writes) {
            secret |= self.memory.read(access.address, access.length) != 0;
        }
        if instruction.kind == Kind::SystemRegister {
            let register = (word & 31) as usize;
            if word >> 21 & 1 == 1 {
                // The instruction reads the register. The sticky flags may depend on any operand.
                self.secret[register] = 0xff;
                self.registers |= 1 << register;
            } else if register != 31 && self.secret[register] != 0 {
                self.report(address, UNKNOWN);
            }
            return;
        }
        if !secret {
            for access in self.accesses.iter().filter(|access| access.writes) {
                self.memory.write(access.address, access.length, 0);
            }
            return;
        }
        if instruction.kind == Kind::Jump {
            // A call writes the return address.
            if self.secret[(word >> 5 & 31) as usize] != 0 {
                self.report(address, BRANCH);
            }
            if word >> 21 & 3 == 1 {
                self.make_register_public(30);
            }
            return;
        }
        if instruction.kind == Kind::Exclusive {
            let field = |shift: u32| (word >> shift & 31) as usize;
            let [value, base, status] = [field(0), field(5), field(16)];
            if self.secret[base] != 0 {
                self.report(address, ADDRESS);
            }
            let mask = if value == 31 { 0 } else { self.secret[value] };
            for access in self.accesses.iter().filter(|access| access.writes) {
                self.memory
                    .write(access.address, access.length, mask.into());
            }
            self.make_register_public(status);
            return;
        }
        let lab = &mut self.lab;
        let rule = instruction
            .rule
            .get_or_insert_with(|| lab.learn(word))
            .as_ref();
        let accesses = self
            .accesses
            .iter()
            .map(|access| (access.length, access.writes));
        let Some(rule) = rule.filter(|rule| accesses.eq(rule.accesses.iter().copied())) else {
            return self.follow_coarsely(address, word);
        };
        let mut outputs = nothing();
        let (mut secret_address, mut secret_branch, mut any) = (false, false, false);
        for (source, effects) in &rule.sources {
            let mut mask = self.secret[source.register];
            if mask == 0 {
                continue;
            }
            any = true;
            secret_address |= source.decides_address;
            secret_branch |= source.decides_branch;
            while mask != 0 {
                let effect = &effects[mask.trailing_zeros() as usize];
                outputs
                    .iter_mut()
                    .zip(effect)
                    .for_each(|(all, effect)| *all |= effect);
                mask &= mask - 1;
            }
        }
        let mut first = 0;
        for access in self.accesses.iter().filter(|access| !access.writes) {
            let mut mask = self.memory.read(access.address, access.length);
            any |= mask != 0;
            while mask != 0 {
                let effect = &rule.from_memory[first + mask.trailing_zeros() as usize];
                outputs
                    .iter_mut()
                    .zip(effect)
                    .for_each(|(all, effect)| *all |= effect);
                mask &= mask - 1;
            }
            first += access.length;
        }
        let mut first = 0;
        let take = |first: usize, length: usize| {
            let low = outputs[first / 64] >> (first % 64);
            let high = match first % 64 {
                0 => 0,
                shift if shift + length > 64 => outputs[first / 64 + 1] << (64 - shift),
                _ => 0,
            };
            (low | high) & if length >= 64 { !0 } else { (1 << length) - 1 }
        };
        for &register in &rule.outputs {
            let length = registers::length(register);
            let mask = take(first, length) as u16;
            self.secret[register] = mask;
            self.registers = self.registers & !(1 << register) | u128::from(mask != 0) << register;
            first += length;
        }
        for access in self.accesses.iter().filter(|access| access.writes) {
            self.memory
                .write(access.address, access.length, take(first, access.length));
            first += access.length;
        }
        let kind = instruction.kind;
        if secret_address {
            self.report(address, ADDRESS);
        }
        if secret_branch {
            self.report(address, BRANCH);
        }
        if kind == Kind::Division && any {
            self.report(address, DIVISION);
        }
    }

    /// Follows an instruction without a rule: everything that it may write becomes secret.
    fn follow_coarsely(&mut self, address: u64, word: u32) {
        self.coarse.insert(address, word);
        self.report(address, UNKNOWN);
        for register in (0..COUNT).filter(|&register| register != registers::SP) {
            self.secret[register] = ((1u32 << registers::length(register)) - 1) as u16;
        }
        self.registers = ((1 << COUNT) - 1) & !(1 << registers::SP);
        for access in self.accesses.iter().filter(|access| access.writes) {
            self.memory.write(access.address, access.length, !0);
        }
    }

    /// Reports bytes that the program passes to the system if one of them is secret.
    pub(crate) fn hand_out(&mut self, address: u64, start: u64, length: u64) {
        if (start..start + length).any(|place| self.memory.read(place, 1) != 0) {
            self.report(address, OUTPUT);
        }
    }

    /// Marks the bytes that a system call wrote as public.
    pub(crate) fn make_public(&mut self, address: u64, length: u64) {
        self.memory.fill(address, length, false);
    }

    pub(crate) fn finish_system_call(&mut self) {
        self.make_register_public(0);
        self.current = None;
    }

    fn make_register_public(&mut self, register: usize) {
        self.secret[register] = 0;
        self.registers &= !(1 << register);
    }

    /// Learns every rule again, and returns the number of rules that differ.
    pub(crate) fn learn_again(&mut self) -> usize {
        let mut differing = 0;
        let mut count = 0;
        for instruction in &self.instructions {
            let Some(rule) = &instruction.rule else {
                continue;
            };
            count += 1;
            let again = self.lab.learn(instruction.word);
            if *rule != again {
                differing += 1;
                let text =
                    |rule: &Option<Rule>| rule.as_ref().map_or("none".into(), Rule::to_string);
                let word = instruction.word;
                eprintln!("taint: {word:08x} {} {}", text(rule), text(&again));
            }
        }
        println!("rules: {differing} of {count} differ when they are found again");
        differing
    }

    pub(crate) fn print(&self) {
        for (address, word) in &self.coarse {
            eprintln!(
                "taint: no exact rule for {word:08x} in {} {address:#x}",
                self.name
            );
        }
        let (count, words) = (self.count, self.instructions.len());
        let learned = self
            .instructions
            .iter()
            .filter(|instruction| instruction.rule.is_some());
        let learned = learned.count();
        eprintln!("taint: {count} instructions, {words} different, {learned} of them on secrets");
    }
}
