//! Compares the rules with the processor.
//!
//! Each instruction runs alone from random registers, and runs again after a change of one byte or
//! one flag. If a result differs, it depends on the changed byte. If only this byte is secret, the
//! analyser must mark the result as secret.

use crate::analyser::{Analyser, follow};
use crate::machine::{self, State, Vectors};
use crate::translate::{Block, translate};
use iced_x86::{
    Decoder, DecoderOptions, Encoder, FlowControl, Instruction, InstructionInfoFactory, Mnemonic,
    OpKind, Register, RflagsBits,
};
use std::collections::{BTreeSet, HashSet};

/// Number of random states from which each instruction runs.
const STATES: usize = 4;
/// Bytes of memory for an operand. `MEMORY` further bytes follow, which an instruction must not
/// write.
const MEMORY: usize = 64;

/// The flags: position in `rflags`, and name in iced.
const FLAGS: [(u32, u32); 6] = [
    (0, RflagsBits::CF),
    (2, RflagsBits::PF),
    (4, RflagsBits::AF),
    (6, RflagsBits::ZF),
    (7, RflagsBits::SF),
    (11, RflagsBits::OF),
];

/// Result of comparing the rules with the processor.
pub struct Audit {
    /// Number of different instructions that were compared. Instructions that differ in registers
    /// count separately. Instructions that differ only in addresses count once.
    pub compared: usize,
    /// Names of instructions that cannot run alone: branches, `push`, `syscall` and the like.
    pub left_out: BTreeSet<String>,
    /// Instructions with a result that depends on a byte but is not marked.
    pub missed: Vec<String>,
}

#[repr(align(64))]
#[derive(Clone, PartialEq)]
struct Bytes([u8; 2 * MEMORY]);

/// The values that an instruction may read and write.
#[derive(Clone)]
struct Values {
    general: [[u8; 8]; 16],
    flags: u64,
    vectors: Vectors,
    memory: Bytes,
}

/// A byte, or a flag.
#[derive(Clone, Copy, Debug)]
enum Unit {
    General(usize, usize),
    Vector(usize, usize),
    Mask(usize, usize),
    Memory(usize),
    Flag(usize),
}

/// The generator SplitMix64.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Returns a word of a random kind. Instructions treat these kinds differently.
    fn operand(&mut self) -> u64 {
        let word = self.word();
        match self.word() % 8 {
            0 => 0,
            1 => !0,
            2 => word % 256,
            3 => ((word % 2048) as f64 / 64.0 - 16.0).to_bits(),
            4 => {
                let [a, b] = [word as u32, (word >> 32) as u32];
                let float = |x: u32| u64::from(((x % 2048) as f32 / 64.0 - 16.0).to_bits());
                float(a) | float(b) << 32
            }
            _ => word,
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for word in bytes.chunks_mut(8) {
            word.copy_from_slice(&self.operand().to_le_bytes()[..word.len()]);
        }
    }
}

impl Values {
    fn random(random: &mut Random) -> Self {
        let mut values = Self {
            general: [[0; 8]; 16],
            flags: 0,
            vectors: Vectors {
                vectors: [[0; 64]; 32],
                masks: [[0; 8]; 8],
            },
            memory: Bytes([0; 2 * MEMORY]),
        };
        random.fill(values.general.as_flattened_mut());
        random.fill(values.vectors.vectors.as_flattened_mut());
        random.fill(values.vectors.masks.as_flattened_mut());
        random.fill(&mut values.memory.0);
        for (place, _) in FLAGS {
            values.flags |= (random.word() & 1) << place;
        }
        values
    }

    fn byte(&mut self, unit: Unit) -> &mut u8 {
        match unit {
            Unit::General(register, byte) => &mut self.general[register][byte],
            Unit::Vector(register, byte) => &mut self.vectors.vectors[register][byte],
            Unit::Mask(register, byte) => &mut self.vectors.masks[register][byte],
            Unit::Memory(byte) => &mut self.memory.0[byte],
            Unit::Flag(_) => unreachable!("a flag is no byte"),
        }
    }

    fn change(&mut self, unit: Unit, random: &mut Random) {
        if let Unit::Flag(number) = unit {
            self.flags ^= 1 << FLAGS[number].0;
        } else {
            let change = (random.word() % 255 + 1) as u8;
            // Half of the changes flip one bit.
            let change = if random.word().is_multiple_of(2) {
                change
            } else {
                1 << (change % 8)
            };
            *self.byte(unit) ^= change;
        }
    }
}

/// An instruction that can run alone.
struct Alone {
    block: Block,
    /// The register that holds the address of the memory operand.
    base: Option<usize>,
    /// Bytes and flags that the instruction may read.
    units: Vec<Unit>,
    undefined: u32,
}

/// Does [`run`](crate::run), and then compares the rule of each instruction that ran with the
/// processor: see [`Audit`].
///
/// # Panics
///
/// Panics like [`run`](crate::run), and if the processor does not have AVX-512.
pub fn run_and_audit(work: fn()) -> Audit {
    let analyser = follow(work);
    let steps = analyser.blocks.iter().flat_map(|block| &block.steps);
    let addresses: Vec<_> = steps.map(|step| step.address).collect();
    Audit::new(&addresses, analyser)
}

impl Audit {
    fn new(addresses: &[u64], mut analyser: Analyser) -> Self {
        let mut audit = Self {
            compared: 0,
            left_out: BTreeSet::new(),
            missed: Vec::new(),
        };
        let mut seen = HashSet::new();
        let mut random = Random(1);
        for &address in addresses {
            let bytes = machine::instruction_bytes(address);
            let instruction = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
            let Some((moved, base)) = without_address(&instruction) else {
                audit
                    .left_out
                    .insert(format!("{:?}", instruction.mnemonic()));
                continue;
            };
            let mut encoder = Encoder::new(64);
            encoder.encode(&moved, 0).expect("an instruction that ran");
            let code = encoder.take_buffer();
            if !seen.insert(code.clone()) {
                continue;
            }
            let alone = Alone::new(&code, base, &mut analyser);
            audit.compared += 1;
            if let Some((from, to)) = alone.miss(&mut analyser, &mut random) {
                let name = format!("{:?}", instruction.code());
                audit
                    .missed
                    .push(format!("{name} {code:02x?}: {to:?} depends on {from:?}"));
            }
        }
        audit
    }
}

/// Returns the instruction, with its memory operand at the address in a register that it does not
/// use otherwise, and this register. Returns `None` if the instruction cannot run alone.
fn without_address(instruction: &Instruction) -> Option<(Instruction, Option<Register>)> {
    let mut infos = InstructionInfoFactory::new();
    let info = infos.info(instruction);
    let used = |register: Register| {
        let all = info.used_registers().iter();
        all.clone()
            .any(|used| used.register().full_register() == register)
    };
    let alone = instruction.flow_control() == FlowControl::Next
        && !instruction.is_stack_instruction()
        && !instruction.is_string_instruction()
        && !instruction.is_vsib()
        && !matches!(
            instruction.mnemonic(),
            Mnemonic::Cpuid
                | Mnemonic::Rdtsc
                | Mnemonic::Rdtscp
                | Mnemonic::Xgetbv
                | Mnemonic::Div
                | Mnemonic::Idiv
                | Mnemonic::Ldmxcsr
                | Mnemonic::Vldmxcsr
                | Mnemonic::Stmxcsr
                | Mnemonic::Vstmxcsr
                | Mnemonic::Leave
                | Mnemonic::Syscall
        );
    let has_memory = (0..instruction.op_count()).any(|i| instruction.op_kind(i) == OpKind::Memory);
    if !alone {
        return None;
    }
    if !has_memory || instruction.mnemonic() == Mnemonic::Lea {
        let fits = !used(Register::RSP) && !instruction.is_ip_rel_memory_operand();
        return fits.then_some((*instruction, None));
    }
    let operands = (0..instruction.op_count()).map(|i| match instruction.op_kind(i) {
        OpKind::Register => instruction.op_register(i).full_register(),
        _ => Register::None,
    });
    let operands: Vec<_> = operands.collect();
    if operands.contains(&Register::RSP) || instruction.memory_size().size() > MEMORY {
        return None;
    }
    // Instructions with high bytes, such as `ah`, can use only the first eight registers.
    let free = [
        Register::RSI,
        Register::RDI,
        Register::RBX,
        Register::RAX,
        Register::RCX,
        Register::RDX,
    ];
    let base = free.into_iter().find(|register| {
        let implied = info.used_registers().iter().any(|used| {
            used.register().full_register() == *register
                && *register != instruction.memory_base().full_register()
                && *register != instruction.memory_index().full_register()
        });
        !implied && !operands.contains(register)
    })?;
    let mut moved = *instruction;
    moved.set_memory_base(base);
    moved.set_memory_index(Register::None);
    moved.set_memory_index_scale(1);
    moved.set_memory_displacement64(0);
    moved.set_memory_displ_size(0);
    moved.set_segment_prefix(Register::None);
    Some((moved, Some(base)))
}

impl Alone {
    fn new(code: &[u8], base: Option<Register>, analyser: &mut Analyser) -> Self {
        let mut with_return = code.to_vec();
        with_return.push(0xc3);
        // The decoder also reads bytes after the instruction.
        with_return.resize(32, 0xcc);
        let start = analyser.code.add(&with_return);
        let block = translate(start, &mut analyser.code);
        let instruction = Decoder::with_ip(64, code, 0, DecoderOptions::NONE).decode();
        let base = base.map(|base| base.number());
        let rsp = Register::RSP.number();
        let mut units: Vec<_> = (0..16)
            .filter(|&register| register != rsp && Some(register) != base)
            .flat_map(|register| (0..8).map(move |byte| Unit::General(register, byte)))
            .collect();
        units.extend((0..FLAGS.len()).map(Unit::Flag));
        units.extend((0..base.map_or(0, |_| MEMORY)).map(Unit::Memory));
        let mut infos = InstructionInfoFactory::new();
        let used = infos.info(&instruction).used_registers();
        let used: BTreeSet<_> = used.iter().map(|used| used.register()).collect();
        for register in used {
            let number = register.number();
            if register.is_vector_register() {
                units.extend((0..64).map(|byte| Unit::Vector(number, byte)));
            } else if register.is_k() {
                units.extend((0..8).map(|byte| Unit::Mask(number, byte)));
            }
        }
        Self {
            block,
            base,
            units,
            undefined: instruction.rflags_undefined(),
        }
    }

    /// Runs the instruction, then calls `after` with the resulting state.
    fn run(&self, values: &mut Values, mut after: impl FnMut(&mut State)) {
        extern "C" fn nothing(_: usize) {}
        let base = values.memory.0.as_mut_ptr().expose_provenance() as u64;
        let mut stack = [0u64; 64];
        let mut started = false;
        machine::run(nothing, 0, &mut |state| {
            if !started {
                started = true;
                state.general = values.general.map(u64::from_le_bytes);
                if let Some(register) = self.base {
                    state.general[register] = base;
                }
                // The block ends with `ret`, which reads a return address here. Nothing returns to
                // it.
                let top = stack[32..].as_mut_ptr().expose_provenance() as u64;
                state.general[Register::RSP.number()] = top;
                let status = FLAGS.iter().fold(0, |all, (place, _)| all | 1 << place);
                state.flags = state.flags & !status | values.flags;
                machine::set_vectors(&values.vectors);
                state.target = self.block.code;
                return;
            }
            let mut general = state.general.map(u64::to_le_bytes);
            if let Some(register) = self.base {
                general[register] = [0; 8];
            }
            general[Register::RSP.number()] = [0; 8];
            values.general = general;
            values.flags = state.flags;
            values.vectors = machine::vectors();
            after(state);
            state.target = machine::leave();
        });
    }

    /// Returns a byte and a result that depends on it, if the analyser does not mark the result.
    fn miss(&self, analyser: &mut Analyser, random: &mut Random) -> Option<(Unit, Unit)> {
        for _ in 0..STATES {
            let before = Values::random(random);
            let mut after = before.clone();
            self.run(&mut after, |_| {});
            for &unit in &self.units {
                let mut other = before.clone();
                other.change(unit, random);
                let address = other.memory.0.as_ptr().addr() as u64;
                self.run(&mut other, |state| {
                    self.mark(analyser, unit, address);
                    analyser.follow(&self.block.steps[0], state);
                });
                if let Some(result) = self.unmarked(analyser, &after, &other, address) {
                    return Some((unit, result));
                }
                analyser.memory.fill(address, 2 * MEMORY as u64, false);
            }
        }
        None
    }

    /// Marks only `unit` as secret.
    fn mark(&self, analyser: &mut Analyser, unit: Unit, address: u64) {
        analyser.registers = Default::default();
        let registers = &mut analyser.registers;
        match unit {
            Unit::General(register, byte) => registers.general[register] = 1 << byte,
            Unit::Vector(register, byte) => registers.vectors[register] = 1 << byte,
            Unit::Mask(register, byte) => registers.masks[register] = 1 << byte,
            Unit::Flag(number) => registers.flags = FLAGS[number].1,
            Unit::Memory(byte) => analyser.memory.write(address + byte as u64, 1, 1),
        }
    }

    /// Returns a result that differs and is not marked.
    fn unmarked(
        &self,
        analyser: &mut Analyser,
        after: &Values,
        other: &Values,
        address: u64,
    ) -> Option<Unit> {
        let registers = &analyser.registers;
        for register in 0..16 {
            for byte in 0..8 {
                let differs = after.general[register][byte] != other.general[register][byte];
                if differs && registers.general[register] >> byte & 1 == 0 {
                    return Some(Unit::General(register, byte));
                }
            }
        }
        for register in 0..32 {
            for byte in 0..64 {
                let [a, b] = [after, other].map(|values| values.vectors.vectors[register][byte]);
                if a != b && registers.vectors[register] >> byte & 1 == 0 {
                    return Some(Unit::Vector(register, byte));
                }
            }
        }
        for register in 0..8 {
            for byte in 0..8 {
                let [a, b] = [after, other].map(|values| values.vectors.masks[register][byte]);
                if a != b && registers.masks[register] >> byte & 1 == 0 {
                    return Some(Unit::Mask(register, byte));
                }
            }
        }
        for (number, (place, name)) in FLAGS.into_iter().enumerate() {
            let differs = (after.flags ^ other.flags) >> place & 1 == 1;
            // An undefined flag may keep its old value or get any value.
            let defined = self.undefined & name == 0;
            if differs && defined && registers.flags & name == 0 {
                return Some(Unit::Flag(number));
            }
        }
        let marked = analyser.memory.read(address, MEMORY);
        let differs = |byte: &usize| after.memory.0[*byte] != other.memory.0[*byte];
        let missed = (0..MEMORY)
            .filter(differs)
            .find(|byte| marked >> byte & 1 == 0);
        missed.map(Unit::Memory)
    }
}
