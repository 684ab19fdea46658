//! Representation of an instruction for the analyser, made from iced's description.

use crate::names::{constant, name, rule};
use crate::places::{
    Place, Slots, general, is_address, memory_place, operand, register_place, used_memory,
};
use crate::rules::Rule;
use crate::taint::bytes;
use iced_x86::{
    EncodingKind, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind,
    Register,
};

/// Treatment of an instruction by the analyser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Plain,
    /// A branch. Its operands, or the flags that it reads, decide where the program continues.
    Branch,
    /// An integer division, whose time depends on the operands.
    Division,
    /// A floating-point division or square root.
    Quotient,
    /// Two operands change places.
    Swap,
    /// A mask decides which addresses are used: the step's `mask`, or its last source if there are
    /// several.
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
    /// The analyser does not support the instruction.
    Unknown,
}

/// A mask register. The instruction uses its lowest bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selector {
    pub(crate) register: u8,
    /// The bytes of the mask register that contain the used bits, one bit for each byte.
    pub(crate) bytes: u8,
}

/// One instruction, as the analyser handles it.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) address: u64,
    pub(crate) kind: Kind,
    pub(crate) rule: Rule,
    /// Operands that are read, in order.
    pub(crate) sources: Vec<Place>,
    /// Operands that are written. The rule gives the secret bytes of the first one. The others
    /// become fully secret if any source is secret.
    pub(crate) results: Vec<Place>,
    /// Memory whose address is observable, even if nothing is read.
    pub(crate) addressed: Vec<Place>,
    /// True if elements that the mask register does not select keep the old result.
    pub(crate) keeps: bool,
    pub(crate) mask: Option<Selector>,
    /// The slot with the value of the mask register, and the size of an element. Elements that are
    /// not selected are neither read nor written.
    pub(crate) selects: Option<(u16, u8)>,
    /// The slot with an operand, and its length in bytes. If the operand is zero, the old result
    /// stays.
    pub(crate) keeps_if_zero: Option<(u16, u8)>,
    /// The size of a memory operand's only element, which is copied to all elements.
    pub(crate) broadcast: Option<u8>,
    pub(crate) flags_read: u32,
    /// Flags whose new values depend on the result.
    pub(crate) flags_written: u32,
    /// Slots with the two operands of `and`. If one of them is a public zero, so is the result.
    pub(crate) ands: Option<[u16; 2]>,
    /// The slot that tells whether a conditional move happens. The first operand is the old result.
    pub(crate) moves: Option<u16>,
    /// True if the flags keep their values when the last operand is zero, as in shifts by `cl`.
    pub(crate) keeps_flags: bool,
    /// Flags whose values do not depend on the operands.
    pub(crate) flags_fixed: u32,
}

/// Returns the operand if it is a general register of 32 or 64 bits.
fn whole_register(instruction: &Instruction, operand: u32) -> Option<Register> {
    let register = match instruction.op_kind(operand) {
        OpKind::Register => instruction.op_register(operand),
        _ => return None,
    };
    (register.is_gpr32() || register.is_gpr64()).then_some(register)
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

/// Makes the step of an instruction, or of the branch that ends a block.
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
        ands: None,
        moves: None,
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
            // Each register is a separate result. Results after the first become secret only if a
            // source is secret, and this step has no source.
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

/// Handles `bsr` and `bsf`, whose result keeps its value if the operand is zero.
fn scan(step: &mut Step, instruction: &Instruction, slots: &mut Slots) {
    step.sources.extend(operand(instruction, 1, slots));
    // With 32 bits, the upper half is cleared only if a result is written.
    let result = general(instruction.op_register(0).full_register());
    step.results.push(result);
    match instruction.op_kind(1) {
        OpKind::Register => {
            let register = instruction.op_register(1);
            let slot = slots.record(register).slot;
            step.keeps_if_zero = Some((slot, register.size() as u8));
        }
        // The value is not recorded, so it may be zero.
        _ => step.sources.push(result),
    }
}

/// Handles loads and stores of elements at separate addresses.
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
        step.selects = Some((slots.record_mask(instruction.op_mask()), element as u8));
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
        // The return address is public. The code handles it as a second result, which becomes
        // secret only if the operand is secret. A secret operand is reported as a branch.
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

/// Returns the part of a mask register that an instruction on `elements` elements uses.
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

/// Makes the step of an instruction whose operands are all explicit.
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
    // If a blend does not select an element, it takes the element of the other operand. Some
    // instructions select elements of another size than those they compute with.
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
    if name.starts_with("cmov") {
        step.moves = Some(slots.record_condition(instruction.condition_code()));
    }
    if name == "and"
        && let [Some(first), Some(second)] = [0, 1].map(|i| whole_register(instruction, i))
    {
        step.ands = Some([slots.record(first).slot, slots.record(second).slot]);
    }
    // If the old result is read only because of the mask, it is not an operand of the rule.
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
        // A conditional move either keeps its result or writes it.
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
