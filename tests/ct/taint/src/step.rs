//! One instruction as the analyser sees it, made from iced's description.

use crate::rules::Rule;
use crate::taint::bytes;
use iced_x86::{
    EncodingKind, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register, UsedMemory,
};

/// A general register that a memory operand is addressed by: the slot that holds its value.
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
    /// If `clears`, a write clears the bytes above.
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
        /// Relative to the segment register `fs`.
        fs: bool,
        length: u8,
    },
    /// Elements in memory, each at an address of its own.
    Scattered {
        base: Option<Recorded>,
        /// The vector register with the offsets, and the first of the slots that hold it.
        offsets: Recorded,
        /// Bytes of an offset.
        offset: u8,
        scale: u8,
        displacement: u64,
        /// Bytes of an element.
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

/// The kind of work that an instruction needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Plain,
    /// The operands, or the flags that are read, decide where to go on.
    Branch,
    /// The time of a division of integers depends on the operands.
    Division,
    /// A division or a square root of floating-point numbers.
    Quotient,
    /// Two operands change places.
    Swap,
    /// The mask, or the last of several operands, decides which addresses are used.
    Masked,
    /// `movs` and `stos` with elements of `length` bytes, `rcx` times if `repeats`.
    Text {
        length: u8,
        copies: bool,
        repeats: bool,
        slots: u16,
    },
    ZeroUpper,
    ZeroAll,
    Syscall {
        slots: u16,
    },
    /// A request to Valgrind.
    Request,
    /// Not known to the analyser.
    Unknown,
}

/// A mask register of which an instruction uses the lowest bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selector {
    pub(crate) register: u8,
    /// The bytes that hold those bits, one bit each.
    pub(crate) bytes: u8,
}

/// One instruction as the analyser sees it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) address: u64,
    pub(crate) kind: Kind,
    pub(crate) rule: Rule,
    /// Operands that are read, in order.
    pub(crate) sources: Vec<Place>,
    /// Operands that are written. The first is the result of the rule. The others are wholly secret
    /// if anything that is read is.
    pub(crate) results: Vec<Place>,
    /// Memory whose address shows, even if nothing is read.
    pub(crate) addressed: Vec<Place>,
    /// The old result stays where the mask register says so.
    pub(crate) keeps: bool,
    pub(crate) mask: Option<Selector>,
    /// The slot with the value of the mask register, and the size of an element: other elements are
    /// neither read nor written.
    pub(crate) selects: Option<(u16, u8)>,
    /// The slot with an operand, and its length in bytes: if it is zero, the old result stays.
    pub(crate) keeps_if_zero: Option<(u16, u8)>,
    /// A memory operand that is one element of so many bytes, for all.
    pub(crate) broadcast: Option<u8>,
    pub(crate) flags_read: u32,
    /// Flags that the result decides.
    pub(crate) flags_written: u32,
    /// The flags stay as they were if the last operand is zero: shifts by `cl`.
    pub(crate) keeps_flags: bool,
    /// Flags that are the same whatever the operands are.
    pub(crate) flags_fixed: u32,
}

/// Slots that hold a vector register.
const SLOTS_OF_A_VECTOR: usize = 8;

/// Numbers slots.
#[derive(Default)]
pub(crate) struct Slots {
    /// Register that is recorded in each. A vector register is recorded in the slot that names it
    /// and in those after it, which name none.
    pub(crate) registers: Vec<Register>,
}

impl Slots {
    /// A slot for the value of `register` before the instruction that comes next.
    fn record(&mut self, register: Register) -> Recorded {
        self.registers.push(register.full_register());
        Recorded {
            register: register.full_register().number() as u8,
            slot: (self.registers.len() - 1) as u16,
        }
    }

    /// A slot for the value of a mask register before the instruction that comes next.
    fn record_mask(&mut self, register: Register) -> u16 {
        self.registers.push(register);
        (self.registers.len() - 1) as u16
    }

    /// Slots for the value of the vector `register` before the instruction that comes next.
    fn record_vector(&mut self, register: Register) -> Recorded {
        let slot = self.registers.len() as u16;
        self.registers.push(register);
        let filled = self.registers.len() - 1 + SLOTS_OF_A_VECTOR;
        self.registers.resize(filled, Register::None);
        Recorded {
            register: register.number() as u8,
            slot,
        }
    }
}

fn general(register: Register) -> Place {
    let high = [Register::AH, Register::CH, Register::DH, Register::BH];
    Place::General {
        index: register.full_register().number() as u8,
        first: high.contains(&register).into(),
        length: register.size() as u8,
    }
}

/// The place of a register. None for those that the analyser does not follow.
fn register_place(register: Register, clears: bool) -> Option<Place> {
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

fn is_address(register: Register) -> bool {
    register != Register::None && register != Register::RIP && register != Register::EIP
}

fn memory_place(
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

fn used_memory(slots: &mut Slots, used: &UsedMemory) -> Option<Place> {
    let registers = [used.segment(), used.base(), used.index()];
    let length = used.memory_size().size();
    memory_place(slots, registers, used.scale(), used.displacement(), length)
}

fn reads(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

fn writes(access: OpAccess) -> bool {
    matches!(
        access,
        OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
    )
}

/// Lower-case name of the instruction, without the `v` of its vector form.
fn name(instruction: &Instruction) -> String {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    match name.strip_prefix('v') {
        Some(rest) if instruction.encoding() != EncodingKind::Legacy => rest.to_owned(),
        _ => name,
    }
}

/// The last operand, if it is a constant.
fn constant(instruction: &Instruction) -> Option<u64> {
    let last = instruction.op_count().checked_sub(1)?;
    let kind = instruction.op_kind(last);
    let is_constant = matches!(
        kind,
        OpKind::Immediate8
            | OpKind::Immediate8_2nd
            | OpKind::Immediate16
            | OpKind::Immediate32
            | OpKind::Immediate64
            | OpKind::Immediate8to16
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32to64
    );
    is_constant.then(|| instruction.immediate(last))
}

fn operand_length(instruction: &Instruction, operand: u32) -> usize {
    match instruction.op_kind(operand) {
        OpKind::Register => instruction.op_register(operand).size(),
        _ => instruction.memory_size().size(),
    }
}

/// True if the result is the same whatever the register that is both operands holds.
fn is_public(instruction: &Instruction, name: &str) -> bool {
    let count = instruction.op_count();
    let registers = |from: u32| {
        let all = (from..count).map(|operand| match instruction.op_kind(operand) {
            OpKind::Register => instruction.op_register(operand),
            _ => Register::None,
        });
        let all: Vec<_> = all.collect();
        all.len() >= 2
            && all[all.len() - 1] == all[all.len() - 2]
            && all[all.len() - 1] != Register::None
    };
    let zero = matches!(
        name,
        "xor"
            | "sub"
            | "pxor"
            | "pxord"
            | "pxorq"
            | "xorps"
            | "xorpd"
            | "psubb"
            | "psubw"
            | "psubd"
            | "psubq"
            | "pandn"
            | "pandnd"
            | "pandnq"
            | "pcmpeqb"
            | "pcmpeqw"
            | "pcmpeqd"
            | "pcmpeqq"
            | "pcmpgtb"
            | "pcmpgtw"
            | "pcmpgtd"
            | "pcmpgtq"
            | "kxorb"
            | "kxorw"
            | "kxord"
            | "kxorq"
            | "kxnorb"
            | "kxnorw"
            | "kxnord"
            | "kxnorq"
    );
    let ternary = name.starts_with("pternlog") && matches!(constant(instruction), Some(0 | 0xff));
    ternary || zero && registers(0)
}

/// Size of the elements that the last letter of the name says.
fn letter(name: &str) -> usize {
    match name.as_bytes().last() {
        Some(b'b') => 1,
        Some(b'w') => 2,
        Some(b'd') => 4,
        _ => 8,
    }
}

/// The rule of an instruction whose operands are all explicit, and which writes its first operand
/// alone, or only flags. None if none is known.
fn rule(instruction: &Instruction, name: &str) -> Option<Rule> {
    let last = constant(instruction);
    let count = instruction.op_count();
    let is_memory = |operand| instruction.op_kind(operand) == OpKind::Memory;
    let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let length = |operand| operand_length(instruction, operand);
    let vector = count > 0
        && (0..count).any(|operand| {
            instruction.op_kind(operand) == OpKind::Register
                && instruction.op_register(operand).is_vector_register()
        });
    if is_public(instruction, name) {
        return Some(Rule::Public);
    }
    // Its mask is `xmm0`, which is no explicit operand.
    if instruction.encoding() == EncodingKind::Legacy && name.contains("blendv") {
        return None;
    }
    let to_mask = instruction.op_kind(0) == OpKind::Register && instruction.op_register(0).is_k();
    if !vector {
        let rule = match name {
            "mov" | "movnti" | "or" | "xor" | "not" | "andn" | "cmp" => Rule::Bytewise,
            _ if name.starts_with("cmov") || name.starts_with("set") => Rule::Bytewise,
            "and" | "test" => match last {
                Some(value) => Rule::And((0..8).fold(0, |all, i| {
                    all | u64::from(value >> (8 * i) & 0xff != 0) << i
                })),
                None => Rule::Bytewise,
            },
            "movzx" => Rule::Extend(length(1), false),
            "movsx" | "movsxd" => Rule::Extend(length(1), true),
            // These only read the carry.
            "sbb"
                if count == 2
                    && instruction.op_kind(1) == OpKind::Register
                    && instruction.op_register(0) == instruction.op_register(1) =>
            {
                Rule::Bytewise
            }
            "add" | "sub" | "adc" | "sbb" | "inc" | "dec" | "neg" | "shlx" => Rule::Upwards,
            "imul" if count > 1 => Rule::Upwards,
            "shrx" | "sarx" => Rule::Downwards(length(0)),
            "shl" | "sal" | "shr" | "sar" | "rol" | "ror" | "rorx" => {
                let size = length(0);
                let bits = last.map(|bits| bits as u32 & if size == 8 { 63 } else { 31 });
                let bits = bits.filter(|&bits| bits < 8 * size as u32);
                match (name, bits) {
                    ("shl" | "sal", Some(bits)) => Rule::Left(bits),
                    ("shl" | "sal", None) => Rule::Upwards,
                    ("shr" | "sar", Some(bits)) => Rule::Right(bits, size, name == "sar"),
                    ("shr" | "sar", None) => Rule::Downwards(size),
                    ("rol", Some(bits)) => Rule::Rotate(bits, size),
                    (_, Some(bits)) => Rule::Rotate(8 * size as u32 - bits, size),
                    _ => Rule::All,
                }
            }
            "bswap" | "movbe" => Rule::Reverse(length(0)),
            "bt" if last.is_some() => Rule::Bit(last? as usize % (8 * length(0)) / 8),
            _ if name.starts_with("kmov") => Rule::Bytewise,
            _ if starts(&["kand", "kor", "kxor", "kxnor", "knot"])
                && !name.starts_with("kortest") =>
            {
                Rule::Bytewise
            }
            _ => return None,
        };
        return Some(rule);
    }
    if to_mask {
        return Some(Rule::All);
    }
    let scalar = if name.ends_with("ss") { 4 } else { 8 };
    let lowest = name.ends_with("ss") || name.ends_with("sd");
    let packed = if name.ends_with("ps") { 4 } else { 8 };
    let rule = match name {
        "movss" | "movsd" if is_memory(0) => Rule::Bytewise,
        "movss" | "movsd" if is_memory(1) => Rule::Extend(scalar, false),
        "movss" | "movsd" => Rule::MoveLowest(scalar),
        "movd" => Rule::Extend(4, false),
        "movq" => Rule::Extend(8, false),
        "movlps" | "movlpd" if is_memory(0) => Rule::Bytewise,
        "movhps" | "movhpd" if is_memory(0) => Rule::From(8),
        "movlps" | "movlpd" => Rule::Insert(0, 8),
        "movhps" | "movhpd" | "movlhps" => Rule::Insert(8, 8),
        "movddup" if length(0) == 16 => Rule::Broadcast(8),
        "comiss" | "ucomiss" | "comisd" | "ucomisd" => Rule::Extend(scalar, false),
        "pinsrb" | "pinsrw" | "pinsrd" | "pinsrq" => {
            let size = letter(name);
            Rule::Insert(last? as usize * size % 16, size)
        }
        "pextrb" | "pextrw" | "pextrd" | "pextrq" => {
            let size = letter(name);
            Rule::From(last? as usize * size % 16)
        }
        "extractps" => Rule::From(last? as usize % 4 * 4),
        _ if starts(&["inserti", "insertf"]) => {
            let size = length(2);
            Rule::Insert(last? as usize * size % length(0), size)
        }
        _ if starts(&["extracti", "extractf"]) => {
            Rule::From(last? as usize * length(0) % length(1))
        }
        "broadcastss" => Rule::Broadcast(4),
        "broadcastsd" => Rule::Broadcast(8),
        _ if name.starts_with("pbroadcastm") => Rule::All,
        _ if name.starts_with("pbroadcast") => Rule::Broadcast(letter(name)),
        _ if starts(&["broadcasti", "broadcastf"]) => {
            let size = match name {
                "broadcasti32x2" | "broadcastf32x2" => 8,
                "broadcasti32x8" | "broadcastf32x8" | "broadcasti64x4" | "broadcastf64x4" => 32,
                _ => 16,
            };
            Rule::Broadcast(size)
        }
        _ if starts(&["pmovzx", "pmovsx"]) => {
            let (from, to) = name[6..].split_at(1);
            Rule::Resize(letter(from), letter(to))
        }
        "pmovqd" | "pmovqw" | "pmovqb" | "pmovdw" | "pmovdb" | "pmovwb" => {
            let (from, to) = name[4..].split_at(1);
            // The lowest bytes of an element become the result.
            Rule::Resize(letter(from), letter(to))
        }
        "cvtdq2ps" | "cvtps2dq" | "cvttps2dq" | "cvtps2udq" | "cvttps2udq" | "cvtudq2ps" => {
            Rule::Elements(4)
        }
        "cvtpd2qq" | "cvttpd2qq" | "cvtqq2pd" | "cvtpd2uqq" | "cvttpd2uqq" | "cvtuqq2pd" => {
            Rule::Elements(8)
        }
        "cvtdq2pd" | "cvtps2pd" | "cvtudq2pd" => Rule::Resize(4, 8),
        "cvtpd2dq" | "cvttpd2dq" | "cvtpd2ps" | "cvtqq2ps" | "cvtpd2udq" => Rule::Resize(8, 4),
        "cvtsi2sd" | "cvtss2sd" | "cvtusi2sd" => Rule::IntoLowest(8),
        "cvtsi2ss" | "cvtsd2ss" | "cvtusi2ss" => Rule::IntoLowest(4),
        "movdir64b" => return None,
        _ if starts(&["psll", "psrl", "psra"]) && name.ends_with("dq") && last.is_some() => {
            Rule::Parts
        }
        _ if starts(&["psllv", "psrlv", "psrav", "prolv", "prorv", "prol", "pror"]) => {
            Rule::Elements(letter(name))
        }
        _ if starts(&["psll", "psrl", "psra"]) => match last {
            Some(_) => Rule::Elements(letter(name)),
            None => Rule::ElementsByCount(letter(name)),
        },
        "movntdqa" | "lddqu" => Rule::Bytewise,
        _ if starts(&["movap", "movup", "movdq", "movnt"]) => Rule::Bytewise,
        _ if starts(&["pand", "por", "pxor", "pternlog"]) => Rule::Bytewise,
        "andps" | "andpd" | "andnps" | "andnpd" | "orps" | "orpd" | "xorps" | "xorpd" => {
            Rule::Bytewise
        }
        "pblendw" | "pblendd" | "blendps" | "blendpd" | "pblendvb" => Rule::Bytewise,
        "blendvps" | "blendmps" => Rule::Elements(4),
        "blendvpd" | "blendmpd" => Rule::Elements(8),
        _ if name.starts_with("pblendm") => Rule::Elements(letter(name)),
        "pmaskmovd" | "maskmovps" => Rule::Elements(4),
        "pmaskmovq" | "maskmovpd" => Rule::Elements(8),
        "pmuludq" | "pmuldq" | "psadbw" | "gf2p8affineqb" | "pmultishiftqb" => Rule::Elements(8),
        "gf2p8mulb" => Rule::Elements(1),
        "pmaddwd" | "pdpbusd" | "pdpwssd" => Rule::Elements(4),
        "pmaddubsw" => Rule::Elements(2),
        "pmadd52luq" | "pmadd52huq" => Rule::Elements(8),
        _ if starts(&[
            "padd", "psub", "pmull", "pmulh", "pmin", "pmax", "pcmpeq", "pcmpgt", "pabs", "psign",
            "pavg", "popcnt", "plzcnt", "pshld", "pshrd",
        ]) =>
        {
            // `psubusb` and such end in the size too.
            Rule::Elements(letter(name))
        }
        _ if starts(&[
            "add", "sub", "mul", "div", "min", "max", "sqrt", "fm", "fnm", "round", "rndscale",
            "rcp", "rsqrt", "range", "reduce", "getexp", "getmant", "scalef", "cmp", "fixupimm",
        ]) && !name.starts_with("addsub") =>
        {
            if lowest {
                Rule::Lowest(scalar)
            } else {
                Rule::Elements(packed)
            }
        }
        _ if starts(&[
            "punpck", "pshuf", "shufps", "shufpd", "palignr", "pack", "permilp", "unpck", "hadd",
            "hsub", "phadd", "phsub", "movddup", "movshdup", "movsldup", "movhlps", "addsub",
            "insertps", "pclmul", "aes",
        ]) =>
        {
            Rule::Parts
        }
        _ => return None,
    };
    Some(rule)
}

/// Makes the step of an instruction. The branch that ends a block has one too.
pub(crate) fn step(
    instruction: &Instruction,
    infos: &mut InstructionInfoFactory,
    slots: &mut Slots,
) -> Step {
    let fixed = instruction.rflags_cleared() | instruction.rflags_set();
    let mut step = Step {
        address: instruction.ip(),
        kind: Kind::Plain,
        rule: Rule::All,
        sources: Vec::new(),
        results: Vec::new(),
        addressed: Vec::new(),
        keeps: false,
        mask: None,
        selects: None,
        broadcast: None,
        keeps_if_zero: None,
        keeps_flags: false,
        flags_read: instruction.rflags_read(),
        flags_written: instruction.rflags_modified() & !fixed,
        flags_fixed: fixed,
    };
    let name = name(instruction);
    step.keeps_flags = matches!(
        instruction.mnemonic(),
        Mnemonic::Shl
            | Mnemonic::Sal
            | Mnemonic::Shr
            | Mnemonic::Sar
            | Mnemonic::Rol
            | Mnemonic::Ror
            | Mnemonic::Rcl
            | Mnemonic::Rcr
            | Mnemonic::Shld
            | Mnemonic::Shrd
    ) && constant(instruction).is_none();
    let rsp = Register::RSP;
    let none = Register::None;
    let stack = |slots: &mut Slots, displacement: i64| {
        memory_place(slots, [none, rsp, none], 1, displacement as u64, 8)
    };
    match instruction.mnemonic() {
        Mnemonic::Nop
        | Mnemonic::Endbr64
        | Mnemonic::Pause
        | Mnemonic::Lfence
        | Mnemonic::Mfence
        | Mnemonic::Sfence
        | Mnemonic::Emms => return step,
        Mnemonic::Cpuid | Mnemonic::Rdtsc | Mnemonic::Rdtscp | Mnemonic::Xgetbv => {
            step.rule = Rule::Public;
            let registers = [Register::RAX, Register::RBX, Register::RCX, Register::RDX];
            let info = infos.info(instruction);
            let written = info
                .used_registers()
                .iter()
                .filter(|used| writes(used.access()));
            let written: Vec<_> = written
                .map(|used| used.register().full_register())
                .collect();
            let results = registers
                .into_iter()
                .filter(|register| written.contains(register));
            step.results = results.map(general).collect();
            step.rule = Rule::Public;
            // Each is a result of its own: the others follow the operands, of which there are none.
            return step;
        }
        Mnemonic::Syscall => {
            let first = slots.record(Register::RAX);
            for register in [Register::RDI, Register::RSI] {
                slots.record(register);
            }
            step.kind = Kind::Syscall { slots: first.slot };
            return step;
        }
        Mnemonic::Vzeroupper => step.kind = Kind::ZeroUpper,
        Mnemonic::Vzeroall => step.kind = Kind::ZeroAll,
        Mnemonic::Ldmxcsr | Mnemonic::Vldmxcsr => {
            step.flags_written = 0;
            return explicit(step, instruction, infos, slots, Rule::Public);
        }
        Mnemonic::Stmxcsr | Mnemonic::Vstmxcsr => {
            return explicit(step, instruction, infos, slots, Rule::Public);
        }
        Mnemonic::Movsb
        | Mnemonic::Movsw
        | Mnemonic::Movsq
        | Mnemonic::Stosb
        | Mnemonic::Stosw
        | Mnemonic::Stosd
        | Mnemonic::Stosq => text(&mut step, instruction, slots),
        Mnemonic::Movsd
            if instruction.op_kind(0) != OpKind::Register
                && name == "movsd"
                && !matches!(instruction.op_kind(0), OpKind::Memory) =>
        {
            text(&mut step, instruction, slots);
        }
        Mnemonic::Push => {
            step.rule = Rule::Bytewise;
            if instruction.op_kind(0) == OpKind::Register {
                step.sources.push(general(instruction.op_register(0)));
            } else if instruction.op_kind(0) == OpKind::Memory {
                step.sources.extend(operand(instruction, 0, slots));
            }
            step.results.extend(stack(slots, -8));
        }
        Mnemonic::Pop if instruction.op_kind(0) == OpKind::Register => {
            step.rule = Rule::Bytewise;
            step.sources.extend(stack(slots, 0));
            step.results.push(general(instruction.op_register(0)));
        }
        Mnemonic::Leave => {
            step.rule = Rule::Bytewise;
            step.sources
                .extend(memory_place(slots, [none, Register::RBP, none], 1, 0, 8));
            step.results.push(general(Register::RBP));
        }
        Mnemonic::Lea => {
            step.rule = Rule::Upwards;
            let registers = [instruction.memory_base(), instruction.memory_index()];
            step.sources = registers
                .into_iter()
                .filter(|&register| is_address(register))
                .map(general)
                .collect();
            step.results.push(general(instruction.op_register(0)));
        }
        Mnemonic::Xchg
            if instruction.op_register(0) != instruction.op_register(1)
                || instruction.op_kind(0) == OpKind::Memory =>
        {
            step.kind = Kind::Swap;
            for number in 0..2 {
                step.sources.extend(operand(instruction, number, slots));
            }
            step.results = step.sources.clone();
        }
        Mnemonic::Bsr | Mnemonic::Bsf => scan(&mut step, instruction, slots),
        _ if instruction.is_vsib() => scattered(&mut step, instruction, slots),
        _ => return branch_or_other(step, instruction, infos, slots, &name),
    }
    step
}

/// `bsr` and `bsf`, whose result stays as it was if the operand is zero.
fn scan(step: &mut Step, instruction: &Instruction, slots: &mut Slots) {
    step.sources.extend(operand(instruction, 1, slots));
    // With 32 bits, the upper half is cleared only if there is a result.
    let result = general(instruction.op_register(0).full_register());
    step.results.push(result);
    match instruction.op_kind(1) {
        OpKind::Register => {
            let register = instruction.op_register(1);
            let slot = slots.record(register).slot;
            step.keeps_if_zero = Some((slot, register.size() as u8));
        }
        // The value is not recorded: it may be zero.
        _ => step.sources.push(result),
    }
}

/// Loads and stores of elements, each at an address of its own.
fn scattered(step: &mut Step, instruction: &Instruction, slots: &mut Slots) {
    let (memory, data) = match instruction.op_kind(0) {
        OpKind::Register => (1, 0),
        _ => (0, 1),
    };
    let data = register_place(instruction.op_register(data), true).expect("a vector register");
    let offsets = instruction.memory_index();
    let offset = if instruction.is_vsib32() { 4 } else { 8 };
    let element = instruction.memory_size().size();
    let base = instruction.memory_base();
    let place = Place::Scattered {
        base: is_address(base).then(|| slots.record(base)),
        offsets: slots.record_vector(offsets),
        offset: offset as u8,
        scale: instruction.memory_index_scale() as u8,
        displacement: instruction.memory_displacement64(),
        element: element as u8,
        count: (data.length() / element).min(offsets.size() / offset) as u8,
    };
    step.rule = Rule::Bytewise;
    let (from, to) = if memory == 1 {
        (place, data)
    } else {
        (data, place)
    };
    // The mask decides which addresses are used.
    step.kind = Kind::Masked;
    step.sources.push(from);
    step.results.push(to);
    if instruction.has_op_mask() {
        step.mask = Some(selector(instruction.op_mask(), place.length() / element));
        step.keeps = true;
        let mask = register_place(instruction.op_mask(), true);
        step.results.extend(mask);
    } else {
        let mask = register_place(instruction.op_register(2), true);
        step.keeps = true;
        step.sources.extend(mask);
        step.results.extend(mask);
    }
}

fn text(step: &mut Step, instruction: &Instruction, slots: &mut Slots) {
    let first = slots.record(Register::RDI);
    slots.record(Register::RSI);
    slots.record(Register::RCX);
    let length = match instruction.mnemonic() {
        Mnemonic::Movsb | Mnemonic::Stosb => 1,
        Mnemonic::Movsw | Mnemonic::Stosw => 2,
        Mnemonic::Movsd | Mnemonic::Stosd => 4,
        _ => 8,
    };
    step.flags_read = 0;
    step.kind = Kind::Text {
        length,
        copies: format!("{:?}", instruction.mnemonic()).starts_with("Movs"),
        repeats: instruction.has_rep_prefix(),
        slots: first.slot,
    };
}

fn branch_or_other(
    mut step: Step,
    instruction: &Instruction,
    infos: &mut InstructionInfoFactory,
    slots: &mut Slots,
    name: &str,
) -> Step {
    let none = Register::None;
    match instruction.flow_control() {
        FlowControl::ConditionalBranch => {
            step.kind = Kind::Branch;
            if instruction.is_jcx_short() || instruction.is_loop() || instruction.is_loopcc() {
                step.sources.push(general(Register::RCX));
            }
        }
        FlowControl::UnconditionalBranch => {}
        FlowControl::IndirectBranch | FlowControl::IndirectCall => {
            step.kind = Kind::Branch;
            step.sources.extend(operand(instruction, 0, slots));
        }
        FlowControl::Return => {
            step.kind = Kind::Branch;
            let place = memory_place(slots, [none, Register::RSP, none], 1, 0, 8);
            step.sources.extend(place);
        }
        FlowControl::Call | FlowControl::Next => {}
        _ => step.kind = Kind::Unknown,
    }
    if matches!(
        instruction.flow_control(),
        FlowControl::Call | FlowControl::IndirectCall
    ) {
        // The return address is public. As a second result it follows the operand, which is a
        // branch that is reported.
        let place = memory_place(slots, [none, Register::RSP, none], 1, (-8i64) as u64, 8);
        step.results.extend(place);
        step.rule = Rule::Public;
    }
    if instruction.flow_control() != FlowControl::Next {
        return step;
    }
    match instruction.mnemonic() {
        Mnemonic::Div | Mnemonic::Idiv => step.kind = Kind::Division,
        _ if (name.starts_with("div") || name.starts_with("sqrt"))
            && !instruction.op_register(0).is_gpr() =>
        {
            step.kind = Kind::Quotient;
        }
        _ => {}
    }
    if let Some(rule) = rule(instruction, name) {
        return explicit(step, instruction, infos, slots, rule);
    }
    let info = infos.info(instruction);
    for used in info.used_registers() {
        let clears = instruction.encoding() != EncodingKind::Legacy;
        let Some(place) = register_place(used.register(), clears) else {
            step.kind = Kind::Unknown;
            continue;
        };
        let may_stay = used.access() == OpAccess::CondWrite;
        if reads(used.access()) || may_stay {
            step.sources.push(place);
        }
        if writes(used.access()) {
            step.results.push(place);
        }
    }
    let memory = info.used_memory().to_vec();
    for used in memory {
        let Some(place) = used_memory(slots, &used) else {
            step.kind = Kind::Unknown;
            continue;
        };
        if reads(used.access()) {
            step.sources.push(place);
        }
        if writes(used.access()) {
            step.results.push(place);
        }
        if used.access() == OpAccess::NoMemAccess {
            step.addressed.push(place);
        }
    }
    mask(&mut step, instruction);
    step
}

/// The mask for so many elements.
fn selector(register: Register, elements: usize) -> Selector {
    Selector {
        register: register.number() as u8,
        bytes: bytes(elements.div_ceil(8)) as u8,
    }
}

fn mask(step: &mut Step, instruction: &Instruction) {
    if instruction.has_op_mask() {
        step.mask = Some(selector(instruction.op_mask(), 64));
        let result = instruction.op_register(0);
        step.keeps = instruction.merging_masking() && !result.is_k();
    }
    if instruction.is_broadcast() {
        step.broadcast = Some(instruction.memory_size().element_size().max(1) as u8);
    }
}

/// The place of an explicit operand, if it is one that can be secret.
fn operand(instruction: &Instruction, number: u32, slots: &mut Slots) -> Option<Place> {
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

/// The step of an instruction whose operands are all explicit.
fn explicit(
    mut step: Step,
    instruction: &Instruction,
    infos: &mut InstructionInfoFactory,
    slots: &mut Slots,
    rule: Rule,
) -> Step {
    step.rule = rule;
    mask(&mut step, instruction);
    let to_mask = instruction.op_kind(0) == OpKind::Register && instruction.op_register(0).is_k();
    let name = name(instruction);
    let size = match rule {
        Rule::Elements(size) => size,
        _ => instruction.op_code().memory_size().element_size(),
    };
    // A blend takes the elements that it does not select from the other operand. Others compute
    // with elements of another size than they select.
    let selects_results =
        !name.contains("blend") && !matches!(name.as_str(), "gf2p8affineqb" | "pmultishiftqb");
    let by_element =
        selects_results && (to_mask || matches!(rule, Rule::Bytewise | Rule::Elements(_)));
    if step.mask.is_some() && by_element && matches!(size, 1 | 2 | 4 | 8) {
        let slot = slots.record_mask(instruction.op_mask());
        step.selects = Some((slot, size as u8));
        let length = (0..instruction.op_count()).map(|i| match instruction.op_kind(i) {
            OpKind::Register if !instruction.op_register(i).is_k() => {
                instruction.op_register(i).size()
            }
            _ => 0,
        });
        let length = length.max().unwrap_or(0);
        step.mask = Some(selector(instruction.op_mask(), length / size));
    }
    // Where the old result is read because of the mask alone, it is no operand of the rule.
    let mut plain = *instruction;
    if plain.has_op_mask() {
        plain.set_op_mask(Register::None);
        plain.set_zeroing_masking(false);
    }
    let info = infos.info(&plain);
    let accesses: Vec<_> = (0..instruction.op_count())
        .map(|i| info.op_access(i))
        .collect();
    let keeps_rest = matches!(
        rule,
        Rule::MoveLowest(_) | Rule::Insert(..) | Rule::Lowest(_) | Rule::IntoLowest(_)
    ) && instruction.encoding() == EncodingKind::Legacy;
    for (number, access) in accesses.into_iter().enumerate() {
        let number = number as u32;
        if instruction.op_kind(number) == OpKind::Memory
            && operand(instruction, number, &mut Slots::default()).is_none()
        {
            step.kind = Kind::Unknown;
            continue;
        }
        let Some(place) = operand(instruction, number, slots) else {
            continue;
        };
        // A conditional move leaves its result as it was, or writes it.
        let may_stay = access == OpAccess::CondWrite || number == 0 && keeps_rest;
        if reads(access) || may_stay {
            step.sources.push(place);
        }
        if writes(access) {
            step.results.push(place);
        }
        if access == OpAccess::NoMemAccess {
            step.addressed.push(place);
        }
    }
    step
}
