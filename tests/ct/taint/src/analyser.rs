//! Follows secret bytes through the blocks of the program.

use crate::machine::{self, Code, State};
use crate::places::{Place, Recorded};
use crate::requests::{
    COUNT_ERRORS, GET_VBITS, MAKE_MEM_DEFINED, MAKE_MEM_UNDEFINED, RUNNING_ON_VALGRIND,
};
use crate::rules::{Rule, selection};
use crate::step::{Kind, Selector, Step};
use crate::taint::{Memory, Registers, bytes, nonzero_bytes};
use crate::translate::{Block, translate};
use std::collections::{HashMap, HashSet};

const RAX: usize = 0;
const RCX: usize = 1;
const RDX: usize = 2;
const RSI: usize = 6;
const RDI: usize = 7;

/// Kinds of reports. Each kind is printed once for each address.
const BRANCH: &str = "branch";
const ADDRESS: &str = "address";
const DIVISION: &str = "division";
const UNKNOWN: &str = "unknown instruction";

/// Runs `work` in translation and reports leaks of secret bytes to standard error, one line for
/// each kind and address: `taint: branch in /bin/program 0x1234`. Addresses are relative to the
/// file.
///
/// # Panics
///
/// Panics if it is called twice, or if [`crate::Allocator`] is not the allocator of the program.
pub fn run(work: fn()) {
    follow(work);
}

pub(crate) fn follow(work: fn()) -> Analyser {
    extern "C" fn start(work: usize) {
        // SAFETY: `follow` passes a function of this type.
        let work: fn() = unsafe { std::mem::transmute(work) };
        work();
    }
    let code = machine::prepare();
    let mut analyser = Analyser::new(code);
    machine::run(start, work as usize, &mut |state| analyser.next(state));
    analyser
}

pub(crate) struct Analyser {
    pub(crate) code: Code,
    pub(crate) blocks: Vec<Block>,
    places: HashMap<u64, usize>,
    /// The block that has run, or `None` before the first block.
    current: Option<usize>,
    pub(crate) registers: Registers,
    pub(crate) memory: Memory,
    fs: u64,
    errors: u64,
    instructions: u64,
    printed: HashSet<(u64, &'static str)>,
}

/// Returns the file that contains the code at `address`, and the offset in this file:
/// `/bin/program 0x1234`.
fn place_in_file(address: u64) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the map of the memory");
    let number = |text: &str| u64::from_str_radix(text, 16).expect("an address");
    let mut found = ("", 0);
    for line in maps.lines() {
        let (start, rest) = line.split_once('-').expect("a range");
        let (end, rest) = rest.split_once(' ').expect("a range");
        let name = rest.split_whitespace().nth(4).unwrap_or_default();
        // The first segment of a file is loaded at its address 0.
        if name != found.0 {
            found = (name, number(start));
        }
        if (number(start)..number(end)).contains(&address) {
            return format!("{} {:#x}", found.0, address - found.1);
        }
    }
    format!("{address:#x}")
}

impl Analyser {
    fn new(code: Code) -> Self {
        Self {
            code,
            blocks: Vec::new(),
            places: HashMap::new(),
            current: None,
            registers: Registers::default(),
            memory: Memory::new(),
            fs: machine::fs_base(),
            errors: 0,
            instructions: 0,
            printed: HashSet::new(),
        }
    }

    /// Follows the block that has run, and finds the next one.
    fn next(&mut self, state: &mut State) {
        if let Some(current) = self.current {
            let steps = std::mem::take(&mut self.blocks[current].steps);
            self.instructions += steps.len() as u64;
            for step in &steps {
                self.follow(step, state);
            }
            self.blocks[current].steps = steps;
        }
        if state.next == machine::leave() {
            machine::print(&format!("taint: {} instructions\n", self.instructions));
            state.target = state.next;
            return;
        }
        let number = match self.current {
            Some(current) if self.blocks[current].successor.0 == state.next => {
                self.blocks[current].successor.1
            }
            _ => self.find(state.next),
        };
        if let Some(current) = self.current {
            self.blocks[current].successor = (state.next, number);
        }
        self.current = Some(number);
        state.target = self.blocks[number].code;
    }

    fn find(&mut self, address: u64) -> usize {
        if let Some(&number) = self.places.get(&address) {
            return number;
        }
        self.blocks.push(translate(address, &mut self.code));
        self.places.insert(address, self.blocks.len() - 1);
        self.blocks.len() - 1
    }

    #[cold]
    fn report(&mut self, address: u64, what: &'static str) {
        self.errors += 1;
        if self.printed.insert((address, what)) {
            machine::print(&format!("taint: {what} in {}\n", place_in_file(address)));
        }
    }

    /// Returns the address of a memory operand, and whether it is secret.
    #[inline(always)]
    fn address(&self, place: Place) -> (u64, bool) {
        let Place::Memory {
            base,
            index,
            scale,
            displacement,
            fs,
            ..
        } = place
        else {
            unreachable!("only memory has an address")
        };
        let mut address = displacement;
        let mut secret = 0;
        if fs {
            address = address.wrapping_add(self.fs);
        }
        if let Some(Recorded { register, slot }) = base {
            address = address.wrapping_add(machine::slot(slot.into()));
            secret |= self.registers.general[usize::from(register)];
        }
        if let Some(Recorded { register, slot }) = index {
            let value = machine::slot(slot.into()).wrapping_mul(scale.into());
            address = address.wrapping_add(value);
            secret |= self.registers.general[usize::from(register)];
        }
        (address, secret != 0)
    }

    /// Returns the address of element `number` of scattered memory, and whether it is secret.
    fn address_of_element(&self, place: Place, number: usize) -> (u64, bool) {
        let Place::Scattered {
            base,
            offsets,
            offset,
            scale,
            displacement,
            ..
        } = place
        else {
            unreachable!("only scattered memory has addresses of elements")
        };
        let mut secret = self.registers.vectors[usize::from(offsets.register)] != 0;
        let mut address = displacement;
        if let Some(Recorded { register, slot }) = base {
            address = address.wrapping_add(machine::slot(slot.into()));
            secret |= self.registers.general[usize::from(register)] != 0;
        }
        let at = usize::from(offset) * number;
        let word = machine::slot(usize::from(offsets.slot) + at / 8);
        let value = match offset {
            4 => (word >> (8 * (at % 8))) as i32 as u64,
            _ => word,
        };
        (
            address.wrapping_add(value.wrapping_mul(scale.into())),
            secret,
        )
    }

    fn is_secret(&self, mask: Selector) -> bool {
        self.registers.masks[usize::from(mask.register)] & mask.bytes != 0
    }

    /// True if the address of an operand in memory is secret.
    #[inline(always)]
    fn has_secret_address(&self, place: Place) -> bool {
        match place {
            Place::Memory { .. } => self.address(place).1,
            Place::Scattered { .. } => self.address_of_element(place, 0).1,
            _ => false,
        }
    }

    #[inline(always)]
    fn read(&mut self, place: Place) -> u64 {
        match place {
            Place::General {
                index,
                first,
                length,
            } => {
                u64::from(self.registers.general[usize::from(index)] >> first)
                    & bytes(length.into())
            }
            Place::Vector { index, length, .. } => {
                self.registers.vectors[usize::from(index)] & bytes(length.into())
            }
            Place::Mask { index } => self.registers.masks[usize::from(index)].into(),
            Place::Memory { length, .. } => {
                let (address, _) = self.address(place);
                self.memory.read(address, length.into())
            }
            Place::Scattered { element, count, .. } => {
                let mut all = 0;
                for number in 0..usize::from(count) {
                    let (address, _) = self.address_of_element(place, number);
                    let mask = self.memory.read(address, element.into());
                    all |= mask << (usize::from(element) * number);
                }
                all
            }
        }
    }

    #[inline(always)]
    fn write(&mut self, place: Place, mask: u64) {
        match place {
            Place::General {
                index,
                first,
                length,
            } => {
                let register = &mut self.registers.general[usize::from(index)];
                // A write of 32 bits clears the upper half.
                let which = if length >= 4 {
                    0xff
                } else {
                    (bytes(length.into()) as u8) << first
                };
                *register = *register & !which | ((mask & bytes(length.into())) as u8) << first;
            }
            Place::Vector {
                index,
                length,
                clears,
            } => {
                let register = &mut self.registers.vectors[usize::from(index)];
                let which = if clears { !0 } else { bytes(length.into()) };
                *register = *register & !which | mask & bytes(length.into());
            }
            Place::Mask { index } => self.registers.masks[usize::from(index)] = mask as u8,
            Place::Memory { length, .. } => {
                let (address, _) = self.address(place);
                self.memory.write(address, length.into(), mask);
            }
            Place::Scattered { element, count, .. } => {
                for number in 0..usize::from(count) {
                    let (address, _) = self.address_of_element(place, number);
                    let mask = mask >> (usize::from(element) * number);
                    // A masked store keeps the old bytes of elements that the mask leaves out.
                    let mask = mask | self.memory.read(address, element.into());
                    self.memory.write(address, element.into(), mask);
                }
            }
        }
    }

    pub(crate) fn follow(&mut self, step: &Step, state: &mut State) {
        let mut masks = [0; 24];
        let count = step.sources.len();
        let mut all = 0;
        let mut secret_address = false;
        let selected = match (step.selects, step.mask) {
            (Some((slot, size)), Some(mask)) if !self.is_secret(mask) => {
                selection(machine::slot(slot.into()), size.into())
            }
            _ => !0,
        };
        for (mask, &place) in masks.iter_mut().zip(&step.sources) {
            secret_address |= self.has_secret_address(place);
            *mask = self.read(place);
            if let (Some(size), Place::Memory { .. }) = (step.broadcast, place) {
                *mask = Rule::Broadcast(size.into()).apply(&[*mask], false, 64);
            }
            *mask &= selected;
            all |= *mask;
        }
        for &place in step.results.iter().chain(&step.addressed) {
            secret_address |= self.has_secret_address(place);
        }
        if step.kind == Kind::Masked {
            secret_address |= step.mask.is_some_and(|mask| self.is_secret(mask));
            secret_address |= count > 1 && masks[count - 1] != 0;
        }
        if secret_address {
            self.report(step.address, ADDRESS);
        }
        let flags = self.registers.flags & step.flags_read != 0;
        if let Some(slot) = step.moves
            && !flags
        {
            // If the condition is public, the result is one of the operands.
            let moves = machine::slot(slot.into()) & 0xff != 0;
            masks[usize::from(!moves)] = 0;
        }
        if let Some(slots) = step.ands {
            // A public zero byte makes the result byte zero.
            let [first, second] = slots.map(|slot| nonzero_bytes(machine::slot(slot.into())));
            (masks[0], masks[1]) = (
                masks[0] & (masks[1] | second),
                masks[1] & (masks[0] | first),
            );
            all = masks[0] | masks[1];
        }
        match step.kind {
            Kind::Plain | Kind::Quotient | Kind::Masked => {}
            Kind::Branch => {
                if flags || all != 0 {
                    self.report(step.address, BRANCH);
                }
            }
            Kind::Division => {
                if all != 0 {
                    self.report(step.address, DIVISION);
                }
            }
            Kind::Swap => {
                self.write(step.results[0], masks[1]);
                self.write(step.results[1], masks[0]);
                return;
            }
            Kind::Text {
                length,
                copies,
                repeats,
                slots,
            } => return self.text(step.address, length.into(), copies, repeats, slots.into()),
            Kind::ZeroUpper => {
                for register in &mut self.registers.vectors[..16] {
                    *register &= 0xffff;
                }
                return;
            }
            Kind::ZeroAll => {
                self.registers.vectors[..16].fill(0);
                return;
            }
            Kind::Syscall { slots } => return self.syscall(slots.into(), state),
            Kind::Request => return self.request(state),
            Kind::Unknown => self.report(step.address, UNKNOWN),
        }
        let mut value = all != 0 || flags;
        if let Some((&first, others)) = step.results.split_first() {
            let length = first.length();
            let mut mask = step.rule.apply(&masks[..count], flags, length);
            if let Some((slot, size)) = step.keeps_if_zero
                && machine::slot(slot.into()) << (64 - 8 * u32::from(size)) == 0
            {
                mask |= self.read(first);
            }
            if let Some(register) = step.mask {
                let secret = self.is_secret(register);
                if secret {
                    mask = bytes(length);
                }
                if step.keeps {
                    let whole = if step.selects.is_some() {
                        !selected
                    } else {
                        !0
                    };
                    mask |= self.read(first) & (whole | if secret { !0 } else { 0 });
                }
            }
            self.write(first, mask);
            value = value && step.rule != Rule::Public;
            for &other in others {
                self.write(other, if value { bytes(other.length()) } else { 0 });
            }
        }
        if !step.keeps_flags {
            self.registers.flags &= !(step.flags_written | step.flags_fixed);
        }
        if step.rule.decides_flags(all) || flags {
            self.registers.flags |= step.flags_written;
        }
    }

    /// Follows `movs` and `stos`, with or without `rep`.
    fn text(&mut self, address: u64, length: u64, copies: bool, repeats: bool, slots: usize) {
        let [to, from, times] = [0, 1, 2].map(|number| machine::slot(slots + number));
        let general = &self.registers.general;
        let counted = repeats && general[RCX] != 0;
        if general[RDI] != 0 || copies && general[RSI] != 0 || counted {
            self.report(address, ADDRESS);
        }
        let length = length * if repeats { times } else { 1 };
        if copies {
            self.memory.copy(from, to, length);
        } else {
            self.memory
                .fill(to, length, self.registers.general[RAX] != 0);
        }
    }

    /// Marks the result of a system call, and the memory that it fills, as public.
    fn syscall(&mut self, slots: usize, state: &State) {
        let [number, first, second] = [0, 1, 2].map(|i| machine::slot(slots + i));
        let result = state.general[RAX];
        for register in [RAX, RCX, 11] {
            self.registers.general[register] = 0;
        }
        if result as i64 >= -4095 && (result as i64) < 0 {
            return;
        }
        match number as i64 {
            libc::SYS_read => self.memory.fill(second, result, false),
            libc::SYS_getrandom => self.memory.fill(first, result, false),
            _ => {}
        }
    }

    /// Answers a request of `valgrind.h`: it has six words at `rax`, and the answer goes to `rdx`.
    fn request(&mut self, state: &mut State) {
        let words = state.general[RAX];
        // SAFETY: the program passes the address of six words.
        let word = |i: u64| unsafe { machine::read_word(words + 8 * i) };
        let [number, address, second, third] = [0, 1, 2, 3].map(word);
        let answer = match number {
            RUNNING_ON_VALGRIND => 1,
            COUNT_ERRORS => self.errors,
            MAKE_MEM_UNDEFINED | MAKE_MEM_DEFINED => {
                self.memory
                    .fill(address, second, number == MAKE_MEM_UNDEFINED);
                0
            }
            GET_VBITS => {
                for i in 0..third {
                    let secret = self.memory.read(address + i, 1) != 0;
                    // SAFETY: the program passes a buffer with the length of the memory that it
                    // asks about.
                    unsafe { machine::write_byte(second + i, if secret { 0xff } else { 0 }) };
                    self.memory.write(second + i, 1, 0);
                }
                1
            }
            _ => state.general[RDX],
        };
        state.general[RDX] = answer;
        self.registers.general[RDX] = 0;
    }
}
