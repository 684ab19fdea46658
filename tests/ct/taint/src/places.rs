//! The places of operands: registers and memory, and the slots that hold addresses.

use iced_x86::{ConditionCode, EncodingKind, Instruction, OpKind, Register, UsedMemory};

/// A general register that addresses a memory operand, with the slot that holds its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded {
    pub(crate) register: u8,
    pub(crate) slot: u16,
}

/// The place of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    General {
        index: u8,
        first: u8,
        length: u8,
    },
    /// A vector register. If `clears` is true, a write clears the bytes above.
    Vector {
        index: u8,
        length: u8,
        clears: bool,
    },
    Mask {
        index: u8,
    },
    Memory {
        base: Option<Recorded>,
        index: Option<Recorded>,
        scale: u8,
        displacement: u64,
        /// True if the address is relative to the segment register `fs`.
        fs: bool,
        length: u8,
    },
    /// Elements in memory, each at its own address.
    Scattered {
        base: Option<Recorded>,
        /// The vector register with the offsets, and the first of the slots that hold its value.
        offsets: Recorded,
        /// Size of an offset in bytes.
        offset: u8,
        scale: u8,
        displacement: u64,
        /// Size of an element in bytes.
        element: u8,
        count: u8,
    },
}

impl Place {
    pub(crate) fn length(self) -> usize {
        match self {
            Self::General { length, .. }
            | Self::Vector { length, .. }
            | Self::Memory { length, .. } => length.into(),
            Self::Mask { .. } => 8,
            Self::Scattered { element, count, .. } => usize::from(element) * usize::from(count),
        }
    }
}

/// Number of slots that hold a vector register.
const SLOTS_OF_A_VECTOR: usize = 8;

/// The value that a slot holds.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Register(Register),
    /// The lowest byte is 1 if the condition holds, and 0 otherwise.
    Condition(ConditionCode),
    /// A later part of the preceding vector register.
    Rest,
}

/// Assigns numbers to slots.
#[derive(Default)]
pub(crate) struct Slots {
    pub(crate) values: Vec<Value>,
}

impl Slots {
    /// Returns a slot for the value of `register` before the next instruction.
    pub(crate) fn record(&mut self, register: Register) -> Recorded {
        Recorded {
            register: register.full_register().number() as u8,
            slot: self.push(Value::Register(register.full_register())),
        }
    }

    /// Returns a slot for the value of a mask register before the next instruction.
    pub(crate) fn record_mask(&mut self, register: Register) -> u16 {
        self.push(Value::Register(register))
    }

    /// Returns slots for the value of the vector `register` before the next instruction.
    pub(crate) fn record_vector(&mut self, register: Register) -> Recorded {
        let slot = self.push(Value::Register(register));
        let filled = usize::from(slot) + SLOTS_OF_A_VECTOR;
        self.values.resize(filled, Value::Rest);
        Recorded {
            register: register.number() as u8,
            slot,
        }
    }

    /// Returns a slot that records whether a condition holds before the next instruction.
    pub(crate) fn record_condition(&mut self, condition: ConditionCode) -> u16 {
        self.push(Value::Condition(condition))
    }

    fn push(&mut self, value: Value) -> u16 {
        self.values.push(value);
        (self.values.len() - 1) as u16
    }
}

pub(crate) fn general(register: Register) -> Place {
    let high = [Register::AH, Register::CH, Register::DH, Register::BH];
    Place::General {
        index: register.full_register().number() as u8,
        first: high.contains(&register).into(),
        length: register.size() as u8,
    }
}

/// Returns the place of a register. `None` if the analyser does not follow it.
pub(crate) fn register_place(register: Register, clears: bool) -> Option<Place> {
    if register.is_gpr() {
        Some(general(register))
    } else if register.is_vector_register() {
        Some(Place::Vector {
            index: register.number() as u8,
            length: register.size() as u8,
            clears,
        })
    } else if register.is_k() {
        Some(Place::Mask {
            index: register.number() as u8,
        })
    } else {
        None
    }
}

pub(crate) fn is_address(register: Register) -> bool {
    register != Register::None && register != Register::RIP && register != Register::EIP
}

pub(crate) fn memory_place(
    slots: &mut Slots,
    [segment, base, index]: [Register; 3],
    scale: u32,
    displacement: u64,
    length: usize,
) -> Option<Place> {
    let known = |register: Register| !is_address(register) || register.is_gpr64();
    if !known(base) || !known(index) || segment == Register::GS || length > 64 {
        return None;
    }
    let mut record = |register| is_address(register).then(|| slots.record(register));
    Some(Place::Memory {
        base: record(base),
        index: record(index),
        scale: scale as u8,
        displacement,
        fs: segment == Register::FS,
        length: length as u8,
    })
}

pub(crate) fn used_memory(slots: &mut Slots, used: &UsedMemory) -> Option<Place> {
    let registers = [used.segment(), used.base(), used.index()];
    let length = used.memory_size().size();
    memory_place(slots, registers, used.scale(), used.displacement(), length)
}

/// Returns the place of an explicit operand, if it can be secret.
pub(crate) fn operand(instruction: &Instruction, number: u32, slots: &mut Slots) -> Option<Place> {
    match instruction.op_kind(number) {
        OpKind::Register => register_place(
            instruction.op_register(number),
            instruction.encoding() != EncodingKind::Legacy,
        ),
        OpKind::Memory => {
            let registers = [
                instruction.memory_segment(),
                instruction.memory_base(),
                instruction.memory_index(),
            ];
            let scale = instruction.memory_index_scale();
            let displacement = instruction.memory_displacement64();
            let mut length = instruction.memory_size().size();
            if instruction.is_broadcast() {
                length = instruction.memory_size().element_size();
            }
            memory_place(slots, registers, scale, displacement, length)
        }
        _ => None,
    }
}
