//! Runs a program, and follows secret bits through registers and memory.

use crate::instruction::{Atomic, Condition, Instruction as I, Width, decode};
use crate::taint::{Word, apply, holds, is_secret, takes_variable_time};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SectionKind};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Range;

#[cfg(test)]
mod tests;

/// Number of bytes of memory, which begins at address zero.
const MEMORY: usize = 64 << 20;
/// Accesses below this address stop the run.
const LOWEST: usize = 0x1000;
/// Start of the stack. The program gets no arguments.
const STACK: u32 = MEMORY as u32 - 64;

const SYS_WRITE: u32 = 64;
const SYS_EXIT: u32 = 93;
/// The registers of arguments and of the system call number.
const A0: usize = 10;
const A7: usize = 17;

/// A request of the program, which it makes by calling a function of [`Request::NAMES`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Request {
    /// Begins a case. Arguments: address of its name, length of its name, and number of the kind of
    /// report that the case must cause, or zero.
    Begin,
    /// Marks the bytes at an address as secret.
    MarkSecret,
    /// Marks the bytes at an address as public.
    MarkPublic,
    /// Counts a report if a bit of the bytes at an address is public.
    ExpectSecret,
}

impl Request {
    const NAMES: [(&'static str, Self); 4] = [
        ("falcon_ct_begin", Self::Begin),
        ("falcon_ct_secret", Self::MarkSecret),
        ("falcon_ct_public", Self::MarkPublic),
        ("falcon_ct_expect", Self::ExpectSecret),
    ];
}

/// Kind of report. `requests.rs` of the program has the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leak {
    Branch = 1,
    Address,
    Division,
    Output,
    Known,
}

impl Leak {
    const ALL: [Self; 5] = [
        Self::Branch,
        Self::Address,
        Self::Division,
        Self::Output,
        Self::Known,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Address => "address",
            Self::Division => "division",
            Self::Output => "output",
            Self::Known => "known",
        }
    }
}

/// The current case.
struct Case {
    name: String,
    /// Kinds that must be reported. No other kind may be reported.
    expected: BTreeSet<Leak>,
    found: BTreeSet<Leak>,
    reports: u64,
    start: u64,
}

pub(crate) struct Machine<'a> {
    path: &'a str,
    memory: Vec<u8>,
    /// Secret bits of each byte.
    secret: Vec<u8>,
    registers: [Word; 32],
    pc: u32,
    /// Address range of the code.
    code: Range<u32>,
    /// The instructions of the code, with one slot for every two bytes. An instruction is decoded
    /// when the program first executes it.
    decoded: Vec<Option<(I, u32)>>,
    requests: BTreeMap<u32, Request>,
    instructions: u64,
    case: Option<Case>,
    /// Address and kind of the reports so far.
    reported: BTreeSet<(u32, Leak)>,
    cases: usize,
    failed: bool,
}

impl<'a> Machine<'a> {
    /// Loads the statically linked program `file`. Reports call it `path`.
    pub(crate) fn load(path: &'a str, file: &[u8]) -> Result<Self, object::Error> {
        let file = object::File::parse(file)?;
        let mut memory = vec![0; MEMORY];
        for segment in file.segments() {
            let data = segment.data()?;
            let start = segment.address() as usize;
            memory[start..start + data.len()].copy_from_slice(data);
        }
        let text = file.sections().filter(|s| s.kind() == SectionKind::Text);
        let text = text.map(|s| s.address() as u32..(s.address() + s.size()) as u32);
        let code = text
            .reduce(|all, one| all.start.min(one.start)..all.end.max(one.end))
            .unwrap_or(0..0);
        let mut requests = BTreeMap::new();
        for symbol in file.symbols() {
            let name = symbol.name().unwrap_or_default();
            for (part, request) in Request::NAMES {
                if name.contains(part) {
                    requests.insert(symbol.address() as u32, request);
                }
            }
        }
        for (name, request) in Request::NAMES {
            let found = requests.values().filter(|found| **found == request);
            // Three functions declare values public: one each in the core, in mceliece-core and in
            // the program.
            let expected = if request == Request::MarkPublic { 3 } else { 1 };
            assert_eq!(found.count(), expected, "functions named {name}");
        }
        let mut machine = Self::new(path, memory, code, file.entry() as u32);
        machine.requests = requests;
        Ok(machine)
    }

    /// Makes a machine whose memory is public, and whose next instruction is at `pc`.
    fn new(path: &'a str, memory: Vec<u8>, code: Range<u32>, pc: u32) -> Self {
        let mut registers = [Word::default(); 32];
        registers[2] = STACK.into();
        Self {
            path,
            secret: vec![0; memory.len()],
            memory,
            registers,
            pc,
            decoded: vec![None; code.len() / 2],
            code,
            requests: BTreeMap::new(),
            instructions: 0,
            case: None,
            reported: BTreeSet::new(),
            cases: 0,
            failed: false,
        }
    }

    /// Runs the program until it exits. Returns true if there was at least one case and every case
    /// was as expected.
    pub(crate) fn run(&mut self) -> bool {
        loop {
            if let Some(&request) = self.requests.get(&self.pc) {
                self.answer(request);
            }
            let (instruction, length) = self.fetch();
            self.instructions += 1;
            if instruction == I::Call && self.registers[A7].value == SYS_EXIT {
                self.end_case();
                if self.registers[A0].secret != 0 {
                    self.report(Leak::Output, self.pc);
                }
                let status = self.registers[A0].value;
                if status != 0 {
                    println!("FAILED: the program ends with {status}");
                }
                return status == 0 && !self.failed && self.cases > 0;
            }
            self.step(instruction, length);
        }
    }

    /// Returns the instruction at the program counter, and its length in bytes.
    fn fetch(&mut self) -> (I, u32) {
        let pc = self.pc;
        assert!(self.code.contains(&pc), "no code at {pc:#x}");
        let slot = ((pc - self.code.start) / 2) as usize;
        *self.decoded[slot].get_or_insert_with(|| {
            let bytes = &self.memory[pc as usize..pc as usize + 4];
            let word = u32::from_le_bytes(bytes.try_into().expect("four"));
            decode(word).unwrap_or_else(|| panic!("no instruction {word:08x} at {pc:#x}"))
        })
    }

    fn step(&mut self, instruction: I, length: u32) {
        let (pc, next) = (self.pc, self.pc.wrapping_add(length));
        self.pc = next;
        let register = |machine: &Self, i: u8| machine.registers[usize::from(i)];
        match instruction {
            I::Constant { rd, value } => self.set(rd, value.into()),
            I::Address { rd, offset } => self.set(rd, pc.wrapping_add(offset).into()),
            I::Registers {
                operation,
                rd,
                rs1,
                rs2,
            } => {
                let (a, b) = (register(self, rs1), register(self, rs2));
                if takes_variable_time(operation) && a.secret | b.secret != 0 {
                    self.report(Leak::Division, pc);
                }
                self.set(rd, apply(operation, a, b));
            }
            I::Immediate {
                operation,
                rd,
                rs1,
                value,
            } => {
                self.set(rd, apply(operation, register(self, rs1), value.into()));
            }
            I::Load {
                width,
                rd,
                rs1,
                offset,
            } => {
                let address = self.address(register(self, rs1), offset, pc);
                let value = self.read(address, width);
                self.set(rd, value);
            }
            I::Store {
                bytes,
                rs1,
                rs2,
                offset,
            } => {
                let address = self.address(register(self, rs1), offset, pc);
                self.write(address, bytes, register(self, rs2));
            }
            I::Branch {
                condition,
                rs1,
                rs2,
                offset,
            } => {
                self.branch(
                    condition,
                    register(self, rs1),
                    register(self, rs2),
                    offset,
                    pc,
                );
            }
            I::Jump { rd, offset } => {
                self.set(rd, next.into());
                self.pc = pc.wrapping_add(offset);
            }
            I::JumpRegister { rd, rs1, offset } => {
                let target = register(self, rs1);
                if target.secret != 0 {
                    self.report(Leak::Branch, pc);
                }
                self.set(rd, next.into());
                self.pc = target.value.wrapping_add(offset) & !1;
            }
            I::LoadReserved { rd, rs1 } => {
                let address = self.address(register(self, rs1), 0, pc);
                let value = self.read(address, WORD);
                self.set(rd, value);
            }
            I::StoreConditional { rd, rs1, rs2 } => {
                let address = self.address(register(self, rs1), 0, pc);
                self.write(address, WORD.bytes, register(self, rs2));
                self.set(rd, 0.into());
            }
            I::Atomic {
                atomic,
                rd,
                rs1,
                rs2,
            } => {
                let address = self.address(register(self, rs1), 0, pc);
                let old = self.read(address, WORD);
                let operand = register(self, rs2);
                let new = match atomic {
                    Atomic::Swap => operand,
                    Atomic::Operation(operation) => apply(operation, old, operand),
                };
                self.write(address, WORD.bytes, new);
                self.set(rd, old);
            }
            I::Call => self.system_call(pc),
            I::Nothing => {}
        }
    }

    fn branch(&mut self, condition: Condition, a: Word, b: Word, offset: u32, pc: u32) {
        if is_secret(condition, a, b) {
            self.report(Leak::Branch, pc);
        }
        if holds(condition, a.value, b.value) {
            self.pc = pc.wrapping_add(offset);
        }
    }

    /// Returns the address `base + offset`. Reports an address that depends on a secret.
    fn address(&mut self, base: Word, offset: u32, pc: u32) -> usize {
        if base.secret != 0 {
            self.report(Leak::Address, pc);
        }
        base.value.wrapping_add(offset) as usize
    }

    fn read(&self, address: usize, Width { bytes, signed }: Width) -> Word {
        let places = self.places(address, bytes);
        let extend = |from: &[u8]| {
            let word = from
                .iter()
                .rev()
                .fold(0, |all, &byte| all << 8 | u32::from(byte));
            let shift = 32 - 8 * bytes;
            if signed {
                (((word << shift) as i32) >> shift) as u32
            } else {
                word
            }
        };
        Word {
            value: extend(&self.memory[places.clone()]),
            secret: extend(&self.secret[places]),
        }
    }

    fn write(&mut self, address: usize, bytes: u32, word: Word) {
        let places = self.places(address, bytes);
        let bytes = places.len();
        self.memory[places.clone()].copy_from_slice(&word.value.to_le_bytes()[..bytes]);
        self.secret[places].copy_from_slice(&word.secret.to_le_bytes()[..bytes]);
    }

    /// Returns the indices of the bytes of memory at an address.
    fn places(&self, address: usize, bytes: u32) -> Range<usize> {
        let end = address + bytes as usize;
        let is_data = bytes == 0 || address >= LOWEST && end <= MEMORY;
        assert!(is_data, "no memory at {address:#x}, before {:#x}", self.pc);
        address..end
    }

    fn set(&mut self, rd: u8, word: Word) {
        if rd != 0 {
            self.registers[usize::from(rd)] = word;
        }
    }

    fn system_call(&mut self, pc: u32) {
        assert_eq!(
            self.registers[A7].value, SYS_WRITE,
            "the system call at {pc:#x}"
        );
        let bytes = self.argument_bytes(A0 + 1);
        if self.secret[bytes.clone()].iter().any(|&secret| secret != 0) {
            self.report(Leak::Output, pc);
        }
        let mut out = std::io::stdout();
        out.write_all(&self.memory[bytes]).expect("standard output");
    }

    /// Returns the range of bytes whose address and length are in two registers.
    fn argument_bytes(&mut self, first: usize) -> Range<usize> {
        let arguments = [0, 1].map(|i| self.registers[first + i]);
        if arguments.iter().any(|argument| argument.secret != 0) {
            self.report(Leak::Address, self.pc);
        }
        let [address, length] = arguments.map(|argument| argument.value);
        self.places(address as usize, length)
    }

    fn answer(&mut self, request: Request) {
        let bytes = self.argument_bytes(A0);
        match request {
            Request::Begin => {
                self.end_case();
                let number = self.registers[A0 + 2].value;
                let kinds = Leak::ALL.into_iter();
                let expected: BTreeSet<Leak> =
                    kinds.filter(|&kind| kind as u32 == number).collect();
                assert_eq!(expected.len(), usize::from(number > 0), "kind {number}");
                self.case = Some(Case {
                    name: String::from_utf8_lossy(&self.memory[bytes]).into_owned(),
                    expected,
                    found: BTreeSet::new(),
                    reports: 0,
                    start: self.instructions,
                });
            }
            Request::MarkSecret => self.secret[bytes].fill(u8::MAX),
            Request::MarkPublic => self.secret[bytes].fill(0),
            Request::ExpectSecret => {
                if self.secret[bytes].iter().any(|&secret| secret != u8::MAX) {
                    self.report(Leak::Known, self.registers[1].value);
                }
            }
        }
    }

    /// Prints the result of the current case, if there is one.
    fn end_case(&mut self) {
        let Some(case) = self.case.take() else { return };
        self.cases += 1;
        let as_expected = case.found == case.expected;
        self.failed |= !as_expected;
        let verdict = if as_expected { "ok" } else { "FAILED" };
        let expected = match case.expected.first() {
            Some(kind) => format!("report: {}", kind.name()),
            None => "be silent".to_owned(),
        };
        let (name, reports) = (&case.name, case.reports);
        let instructions = self.instructions - case.start;
        println!(
            "{verdict}: {name} (must {expected}): {reports} reports, {instructions} instructions"
        );
    }

    /// Counts a report, and prints it if it is the first of its kind at this address.
    fn report(&mut self, kind: Leak, pc: u32) {
        if let Some(case) = &mut self.case {
            case.reports += 1;
            case.found.insert(kind);
        } else {
            self.failed = true;
        }
        if self.reported.insert((pc, kind)) {
            eprintln!("taint: {} in {} {pc:#x}", kind.name(), self.path);
        }
    }
}

const WORD: Width = Width {
    bytes: 4,
    signed: true,
};
