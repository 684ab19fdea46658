//! Translates a block of instructions. Puts code that records addresses before the instructions,
//! and replaces the branch at the end by an exit to the analyser.

use crate::machine::{Code, SLOT_COUNT, SLOTS, STATE, instruction_bytes, place};
use crate::places::{Slots, Value};
use crate::requests::SEQUENCE;
use crate::step::{Kind, Step, step};
use iced_x86::{
    Code as Opcode, ConditionCode, Decoder, DecoderOptions, Encoder, EncodingKind, FlowControl,
    Instruction, InstructionInfoFactory, MemoryOperand, Mnemonic, OpKind, Register,
};

/// A translated sequence of instructions up to a branch.
pub(crate) struct Block {
    /// Address of the translation.
    pub(crate) code: u64,
    pub(crate) steps: Vec<Step>,
    /// Address and number of the block that ran after this one the last time.
    pub(crate) successor: (u64, usize),
}

const MAX_STEPS: usize = 128;
/// Number of bytes of a request before its last instruction.
const BEFORE_THE_LAST: usize = SEQUENCE.len() - 3;
/// Largest number of slots that an instruction may need.
const MAX_SLOTS_OF_ONE: usize = 16;

/// Writes machine code.
#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes an absolute address as operand, with a register or an opcode extension.
    fn absolute(&mut self, register: u8, address: usize) {
        let address = u32::try_from(address).expect("below 2 GiB");
        self.put(&[0x04 | (register & 7) << 3, 0x25]);
        self.put(&address.to_le_bytes());
    }

    fn store(&mut self, address: usize, register: Register) {
        let number = register.number() as u8;
        self.put(&[0x48 | (number >> 3) << 2, 0x89]);
        self.absolute(number, address);
    }

    /// Stores a vector register with an instruction of the given encoding.
    fn store_vector(&mut self, address: usize, register: Register, encoding: EncodingKind) {
        let to = MemoryOperand::with_displ(address as u64, 4);
        let (opcode, register) = if encoding == EncodingKind::EVEX {
            let whole = Register::ZMM0 + register.number() as u32;
            (Opcode::EVEX_Vmovdqu64_zmmm512_k1z_zmm, whole)
        } else {
            let whole = Register::YMM0 + register.number() as u32;
            (Opcode::VEX_Vmovdqu_ymmm256_ymm, whole)
        };
        self.encode(&Instruction::with2(opcode, to, register).expect("a store"));
    }

    fn load(&mut self, register: Register, address: usize) {
        let number = register.number() as u8;
        self.put(&[0x48 | (number >> 3) << 2, 0x8b]);
        self.absolute(number, address);
    }

    fn constant(&mut self, register: Register, value: u64) {
        let number = register.number() as u8;
        self.put(&[0x48 | number >> 3, 0xb8 | number & 7]);
        self.put(&value.to_le_bytes());
    }

    /// Stores a constant of 64 bits, without a register.
    fn store_constant(&mut self, address: usize, value: u64) {
        for (half, value) in [value as u32, (value >> 32) as u32].into_iter().enumerate() {
            self.put(&[0xc7]);
            self.absolute(0, address + 4 * half);
            self.put(&value.to_le_bytes());
        }
    }

    /// Jumps to the analyser, which finds the next address in the state.
    fn leave(&mut self) {
        self.put(&[0xff]);
        self.absolute(4, STATE + place::EXIT);
    }

    fn leave_to(&mut self, next: u64) {
        self.store_constant(STATE + place::NEXT, next);
        self.leave();
    }

    fn encode(&mut self, instruction: &Instruction) {
        let mut encoder = Encoder::new(64);
        let encoded = encoder.encode(instruction, 0);
        encoded.unwrap_or_else(|error| panic!("{instruction:?}: {error}"));
        self.put(&encoder.take_buffer());
    }
}

/// Translates the block that begins at `start`.
pub(crate) fn translate(start: u64, code: &mut Code) -> Block {
    let mut infos = InstructionInfoFactory::new();
    let mut slots = Slots::default();
    let mut steps = Vec::new();
    let mut writer = Writer::default();
    let mut address = start;
    loop {
        let bytes = instruction_bytes(address);
        let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
        let instruction = decoder.decode();
        assert!(!instruction.is_invalid(), "no instruction at {address:#x}");
        let recorded = slots.values.len();
        let mut step = step(&instruction, &mut infos, &mut slots);
        for (number, value) in slots.values.iter().enumerate().skip(recorded) {
            let slot = SLOTS + 8 * number;
            match *value {
                Value::Register(register) if register.is_gpr() => writer.store(slot, register),
                Value::Register(register) if register.is_k() => {
                    let to = MemoryOperand::with_displ(slot as u64, 4);
                    let store = Instruction::with2(Opcode::VEX_Kmovq_m64_kr, to, register);
                    writer.encode(&store.expect("a store"));
                }
                Value::Register(register) => {
                    writer.store_vector(slot, register, instruction.encoding());
                }
                Value::Condition(code) => {
                    // setcc, which keeps the flags
                    writer.put(&[0x0f, 0x90 | condition(code)]);
                    writer.absolute(0, slot);
                }
                Value::Rest => {}
            }
        }
        // Checked at the last instruction of the sequence.
        let is_request = instruction.mnemonic() == Mnemonic::Xchg
            && address - start >= BEFORE_THE_LAST as u64
            && instruction_bytes(address - BEFORE_THE_LAST as u64)
                .starts_with(&SEQUENCE[..BEFORE_THE_LAST - 1])
            && bytes.starts_with(&SEQUENCE[BEFORE_THE_LAST..]);
        if is_request {
            step.kind = Kind::Request;
        }
        let ends = instruction.flow_control() != FlowControl::Next
            && instruction.mnemonic() != Mnemonic::Syscall;
        if ends {
            steps.push(step);
            branch(&mut writer, &instruction);
            break;
        }
        copy(
            &mut writer,
            &instruction,
            &bytes[..instruction.len()],
            &mut infos,
        );
        let is_syscall = instruction.mnemonic() == Mnemonic::Syscall;
        // A request is recognised only if all its instructions are in one block.
        let may_be_cut = instruction.mnemonic() != Mnemonic::Rol;
        steps.push(step);
        address = instruction.next_ip();
        if is_request
            || is_syscall
            || may_be_cut && steps.len() >= MAX_STEPS
            || slots.values.len() + MAX_SLOTS_OF_ONE > SLOT_COUNT
        {
            writer.leave_to(address);
            break;
        }
    }
    Block {
        code: code.add(&writer.bytes),
        steps,
        successor: (0, 0),
    }
}

/// Copies an instruction that is not a branch.
fn copy(
    writer: &mut Writer,
    instruction: &Instruction,
    bytes: &[u8],
    infos: &mut InstructionInfoFactory,
) {
    if !instruction.is_ip_rel_memory_operand() {
        writer.put(bytes);
        return;
    }
    let address = instruction.memory_displacement64();
    if instruction.mnemonic() == Mnemonic::Lea {
        let register = instruction.op_register(0);
        assert!(register.is_gpr64(), "lea of 32 bits");
        writer.constant(register, address);
        return;
    }
    let free = [
        Register::RAX,
        Register::RCX,
        Register::RDX,
        Register::RBX,
        Register::RSI,
        Register::RDI,
    ];
    let used = infos.info(instruction).used_registers();
    let used: Vec<_> = used
        .iter()
        .map(|used| used.register().full_register())
        .collect();
    let free = free.into_iter().find(|register| !used.contains(register));
    let free = free.expect("an instruction uses few registers");
    writer.store(STATE + place::SCRATCH, free);
    writer.constant(free, address);
    let mut moved = *instruction;
    moved.set_memory_base(free);
    moved.set_memory_displacement64(0);
    moved.set_memory_displ_size(0);
    writer.encode(&moved);
    writer.load(free, STATE + place::SCRATCH);
}

/// Returns the number of the condition in the opcode.
fn condition(code: ConditionCode) -> u8 {
    let all = [
        ConditionCode::o,
        ConditionCode::no,
        ConditionCode::b,
        ConditionCode::ae,
        ConditionCode::e,
        ConditionCode::ne,
        ConditionCode::be,
        ConditionCode::a,
        ConditionCode::s,
        ConditionCode::ns,
        ConditionCode::p,
        ConditionCode::np,
        ConditionCode::l,
        ConditionCode::ge,
        ConditionCode::le,
        ConditionCode::g,
    ];
    let number = all.iter().position(|&other| other == code);
    number.expect("a condition") as u8
}

/// Translates the branch that ends a block.
fn branch(writer: &mut Writer, instruction: &Instruction) {
    let next = instruction.next_ip();
    match instruction.flow_control() {
        FlowControl::UnconditionalBranch => writer.leave_to(instruction.near_branch_target()),
        FlowControl::ConditionalBranch => {
            let mut falls = Writer::default();
            falls.leave_to(next);
            let length = falls.bytes.len() as u8;
            let opcode = match instruction.mnemonic() {
                Mnemonic::Jrcxz => 0xe3,
                Mnemonic::Loop => 0xe2,
                Mnemonic::Loope => 0xe1,
                Mnemonic::Loopne => 0xe0,
                Mnemonic::Jecxz | Mnemonic::Jcxz => panic!("jecxz"),
                _ => 0x70 | condition(instruction.condition_code()),
            };
            writer.put(&[opcode, length]);
            writer.put(&falls.bytes);
            writer.leave_to(instruction.near_branch_target());
        }
        FlowControl::IndirectBranch => {
            indirect(writer, instruction);
            writer.leave();
        }
        FlowControl::IndirectCall => {
            indirect(writer, instruction);
            push(writer, next);
            writer.leave();
        }
        FlowControl::Call => {
            push(writer, next);
            writer.leave_to(instruction.near_branch_target());
        }
        FlowControl::Return => {
            let more = match instruction.op_count() {
                0 => 0,
                _ => instruction.immediate(0) as u32,
            };
            writer.store(STATE + place::SCRATCH, Register::RAX);
            // mov rax, [rsp]
            writer.put(&[0x48, 0x8b, 0x04, 0x24]);
            writer.store(STATE + place::NEXT, Register::RAX);
            writer.load(Register::RAX, STATE + place::SCRATCH);
            // lea rsp, [rsp + 8 + more]
            writer.put(&[0x48, 0x8d, 0xa4, 0x24]);
            writer.put(&(8 + more).to_le_bytes());
            writer.leave();
        }
        // Traps, such as `ud2`, behave as without translation.
        _ => writer.encode(instruction),
    }
}

/// Stores the target of an indirect branch as the next address.
fn indirect(writer: &mut Writer, instruction: &Instruction) {
    if instruction.op_kind(0) == OpKind::Register {
        writer.store(STATE + place::NEXT, instruction.op_register(0));
        return;
    }
    let mut load = *instruction;
    load.set_code(Opcode::Mov_r64_rm64);
    load.set_op0_kind(OpKind::Register);
    load.set_op0_register(Register::RAX);
    load.set_op1_kind(OpKind::Memory);
    writer.store(STATE + place::SCRATCH, Register::RAX);
    if instruction.is_ip_rel_memory_operand() {
        writer.constant(Register::RAX, instruction.memory_displacement64());
        load.set_memory_base(Register::RAX);
        load.set_memory_displacement64(0);
        load.set_memory_displ_size(0);
    }
    // The prefix `notrack` is valid only for branches.
    load.set_segment_prefix(Register::None);
    writer.encode(&load);
    writer.store(STATE + place::NEXT, Register::RAX);
    writer.load(Register::RAX, STATE + place::SCRATCH);
}

/// Pushes a return address without changing a register or flags.
fn push(writer: &mut Writer, address: u64) {
    // lea rsp, [rsp - 8]
    writer.put(&[0x48, 0x8d, 0x64, 0x24, 0xf8]);
    // mov dword ptr [rsp], low; mov dword ptr [rsp + 4], high
    writer.put(&[0xc7, 0x04, 0x24]);
    writer.put(&(address as u32).to_le_bytes());
    writer.put(&[0xc7, 0x44, 0x24, 0x04]);
    writer.put(&((address >> 32) as u32).to_le_bytes());
}
