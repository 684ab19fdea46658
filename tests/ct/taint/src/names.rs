//! Finds the rule of an instruction by its name.

use crate::rules::Rule;
use crate::taint::nonzero_bytes;
use iced_x86::{EncodingKind, Instruction, OpKind, Register};

/// Returns the lower-case name of the instruction, without the `v` of its vector form.
pub(crate) fn name(instruction: &Instruction) -> String {
    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
    match name.strip_prefix('v') {
        Some(rest) if instruction.encoding() != EncodingKind::Legacy => rest.to_owned(),
        _ => name,
    }
}

/// Returns the last operand if it is a constant.
pub(crate) fn constant(instruction: &Instruction) -> Option<u64> {
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

/// True if the result does not depend on the operands, as in `xor eax, eax`.
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

/// Returns the element size that the last letter of the name denotes.
fn letter(name: &str) -> usize {
    match name.as_bytes().last() {
        Some(b'b') => 1,
        Some(b'w') => 2,
        Some(b'd') => 4,
        _ => 8,
    }
}

/// Returns the rule of an instruction whose operands are all explicit, and which writes only its
/// first operand or only flags. `None` if no rule is known.
pub(crate) fn rule(instruction: &Instruction, name: &str) -> Option<Rule> {
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
    // The mask is `xmm0`, which is not an explicit operand.
    if instruction.encoding() == EncodingKind::Legacy && name.contains("blendv") {
        return None;
    }
    let to_mask = instruction.op_kind(0) == OpKind::Register && instruction.op_register(0).is_k();
    if !vector {
        let rule = match name {
            "mov" | "movnti" | "or" | "xor" | "not" | "andn" | "cmp" => Rule::Bytewise,
            _ if name.starts_with("cmov") || name.starts_with("set") => Rule::Bytewise,
            "and" | "test" => match last {
                Some(value) => Rule::And(nonzero_bytes(value)),
                None => Rule::Bytewise,
            },
            "movzx" => Rule::Extend(length(1), false),
            "movsx" | "movsxd" => Rule::Extend(length(1), true),
            // `sbb` of a register with itself depends only on the carry flag.
            "sbb"
                if count == 2
                    && instruction.op_kind(1) == OpKind::Register
                    && instruction.op_register(0) == instruction.op_register(1) =>
            {
                Rule::Bytewise
            }
            "add" | "sub" | "adc" | "sbb" | "inc" | "dec" | "neg" | "shlx" => Rule::Upwards,
            "imul" if count > 1 => Rule::Upwards,
            "shrx" | "sarx" => Rule::Downwards,
            "shl" | "sal" | "shr" | "sar" | "rol" | "ror" | "rorx" => {
                let size = length(0);
                let bits = last.map(|bits| bits as u32 & if size == 8 { 63 } else { 31 });
                let bits = bits.filter(|&bits| bits < 8 * size as u32);
                match (name, bits) {
                    ("shl" | "sal", Some(bits)) => Rule::Left(bits),
                    ("shl" | "sal", None) => Rule::Upwards,
                    ("shr" | "sar", Some(bits)) => Rule::Right(bits, size, name == "sar"),
                    ("shr" | "sar", None) => Rule::Downwards,
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
            // The lowest bytes of each element become the result.
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
            // Names such as `psubusb` end in the element size, too.
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
