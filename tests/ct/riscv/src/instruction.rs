//! Decodes instructions of RV32IMAC, with 32 or 16 bits. Refuses atomic minima, atomic maxima and
//! `ebreak`.
//!
//! Source: The RISC-V Instruction Set Manual, volume I (2019-12-13), chapters 2, 7, 8, 16 and 24.

/// Operation on two registers, or on a register and a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    Add,
    Sub,
    ShiftLeft,
    LessSigned,
    Less,
    Xor,
    ShiftRight,
    ShiftRightSigned,
    Or,
    And,
    Multiply,
    MultiplyHighSigned,
    MultiplyHighMixed,
    MultiplyHigh,
    DivideSigned,
    Divide,
    RemainderSigned,
    Remainder,
}

/// Condition under which a branch is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    Equal,
    NotEqual,
    LessSigned,
    GreaterEqualSigned,
    Less,
    GreaterEqual,
}

/// Number of bytes that a load or store moves, and whether a load extends the sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Width {
    pub(crate) bytes: u32,
    pub(crate) signed: bool,
}

/// Operation of an atomic instruction, which stores its result after a load of the same word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Atomic {
    Swap,
    Operation(Operation),
}

/// An instruction. Registers are numbers below 32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Instruction {
    /// `rd = value`
    Constant {
        rd: u8,
        value: u32,
    },
    /// `rd = pc + offset`
    Address {
        rd: u8,
        offset: u32,
    },
    /// `rd = rs1 op rs2`
    Registers {
        operation: Operation,
        rd: u8,
        rs1: u8,
        rs2: u8,
    },
    /// `rd = rs1 op value`
    Immediate {
        operation: Operation,
        rd: u8,
        rs1: u8,
        value: u32,
    },
    /// `rd = memory[rs1 + offset]`
    Load {
        width: Width,
        rd: u8,
        rs1: u8,
        offset: u32,
    },
    /// `memory[rs1 + offset] = rs2`
    Store {
        bytes: u32,
        rs1: u8,
        rs2: u8,
        offset: u32,
    },
    Branch {
        condition: Condition,
        rs1: u8,
        rs2: u8,
        offset: u32,
    },
    /// `rd` = address of the next instruction; then jumps to `pc + offset`.
    Jump {
        rd: u8,
        offset: u32,
    },
    /// `rd` = address of the next instruction; then jumps to `rs1 + offset`.
    JumpRegister {
        rd: u8,
        rs1: u8,
        offset: u32,
    },
    LoadReserved {
        rd: u8,
        rs1: u8,
    },
    /// A conditional store always succeeds, since the program has one thread.
    StoreConditional {
        rd: u8,
        rs1: u8,
        rs2: u8,
    },
    /// `rd = memory[rs1]`, then `memory[rs1] = rd op rs2`.
    Atomic {
        atomic: Atomic,
        rd: u8,
        rs1: u8,
        rs2: u8,
    },
    /// A system call.
    Call,
    /// Changes nothing: a fence.
    Nothing,
}

use Instruction as I;
use Operation as Op;

/// Decodes the instruction that begins with `word`. Also returns the length of the instruction in
/// bytes. Returns `None` if the word does not begin a supported instruction.
pub(crate) fn decode(word: u32) -> Option<(Instruction, u32)> {
    if word & 3 == 3 {
        Some((full(word)?, 4))
    } else {
        Some((compressed(word & 0xffff)?, 2))
    }
}

/// Returns the bits `low..low + count` of `word`.
fn bits(word: u32, low: u32, count: u32) -> u32 {
    (word >> low) & ((1 << count) - 1)
}

/// Extends the sign of a number of `count` bits.
fn signed(value: u32, count: u32) -> u32 {
    (((value << (32 - count)) as i32) >> (32 - count)) as u32
}

fn full(word: u32) -> Option<Instruction> {
    let register = |low| bits(word, low, 5) as u8;
    let (rd, rs1, rs2) = (register(7), register(15), register(20));
    let (kind, function) = (bits(word, 12, 3), bits(word, 25, 7));
    let value = signed(word >> 20, 12);
    Some(match bits(word, 0, 7) {
        0x37 => I::Constant {
            rd,
            value: word & !0xfff,
        },
        0x17 => I::Address {
            rd,
            offset: word & !0xfff,
        },
        0x6f => {
            let offset = bits(word, 31, 1) << 20
                | bits(word, 12, 8) << 12
                | bits(word, 20, 1) << 11
                | bits(word, 21, 10) << 1;
            I::Jump {
                rd,
                offset: signed(offset, 21),
            }
        }
        0x67 if kind == 0 => I::JumpRegister {
            rd,
            rs1,
            offset: value,
        },
        0x63 => {
            let offset = bits(word, 31, 1) << 12
                | bits(word, 7, 1) << 11
                | bits(word, 25, 6) << 5
                | bits(word, 8, 4) << 1;
            let condition = match kind {
                0 => Condition::Equal,
                1 => Condition::NotEqual,
                4 => Condition::LessSigned,
                5 => Condition::GreaterEqualSigned,
                6 => Condition::Less,
                7 => Condition::GreaterEqual,
                _ => return None,
            };
            I::Branch {
                condition,
                rs1,
                rs2,
                offset: signed(offset, 13),
            }
        }
        0x03 => {
            let width = match kind {
                0..=2 => Width {
                    bytes: 1 << kind,
                    signed: true,
                },
                4 | 5 => Width {
                    bytes: 1 << (kind - 4),
                    signed: false,
                },
                _ => return None,
            };
            I::Load {
                width,
                rd,
                rs1,
                offset: value,
            }
        }
        0x23 if kind < 3 => {
            let offset = signed(function << 5 | u32::from(rd), 12);
            I::Store {
                bytes: 1 << kind,
                rs1,
                rs2,
                offset,
            }
        }
        0x13 => {
            let operation = match (kind, function) {
                (0, _) => Op::Add,
                (1, 0) => Op::ShiftLeft,
                (2, _) => Op::LessSigned,
                (3, _) => Op::Less,
                (4, _) => Op::Xor,
                (5, 0) => Op::ShiftRight,
                (5, 0x20) => Op::ShiftRightSigned,
                (6, _) => Op::Or,
                (7, _) => Op::And,
                _ => return None,
            };
            let value = if matches!(kind, 1 | 5) {
                value & 31
            } else {
                value
            };
            I::Immediate {
                operation,
                rd,
                rs1,
                value,
            }
        }
        0x33 => {
            let operation = match (function, kind) {
                (0, 0) => Op::Add,
                (0x20, 0) => Op::Sub,
                (0, 1) => Op::ShiftLeft,
                (0, 2) => Op::LessSigned,
                (0, 3) => Op::Less,
                (0, 4) => Op::Xor,
                (0, 5) => Op::ShiftRight,
                (0x20, 5) => Op::ShiftRightSigned,
                (0, 6) => Op::Or,
                (0, 7) => Op::And,
                (1, 0) => Op::Multiply,
                (1, 1) => Op::MultiplyHighSigned,
                (1, 2) => Op::MultiplyHighMixed,
                (1, 3) => Op::MultiplyHigh,
                (1, 4) => Op::DivideSigned,
                (1, 5) => Op::Divide,
                (1, 6) => Op::RemainderSigned,
                (1, 7) => Op::Remainder,
                _ => return None,
            };
            I::Registers {
                operation,
                rd,
                rs1,
                rs2,
            }
        }
        0x2f if kind == 2 => {
            let atomic = match function >> 2 {
                0x02 if rs2 == 0 => return Some(I::LoadReserved { rd, rs1 }),
                0x03 => return Some(I::StoreConditional { rd, rs1, rs2 }),
                0x00 => Atomic::Operation(Op::Add),
                0x01 => Atomic::Swap,
                0x04 => Atomic::Operation(Op::Xor),
                0x08 => Atomic::Operation(Op::Or),
                0x0c => Atomic::Operation(Op::And),
                _ => return None,
            };
            I::Atomic {
                atomic,
                rd,
                rs1,
                rs2,
            }
        }
        0x0f if kind < 2 => I::Nothing,
        0x73 if word == 0x73 => I::Call,
        _ => return None,
    })
}

/// The stack pointer.
const SP: u8 = 2;

fn compressed(word: u32) -> Option<Instruction> {
    let (rd, rs2) = (bits(word, 7, 5) as u8, bits(word, 2, 5) as u8);
    // Fields of three bits name registers 8 to 15.
    let (high, low) = (8 + bits(word, 7, 3) as u8, 8 + bits(word, 2, 3) as u8);
    let whole = Width {
        bytes: 4,
        signed: true,
    };
    let six = bits(word, 12, 1) << 5 | bits(word, 2, 5);
    let value = signed(six, 6);
    let jump = || {
        let offset = bits(word, 12, 1) << 11
            | bits(word, 8, 1) << 10
            | bits(word, 9, 2) << 8
            | bits(word, 6, 1) << 7
            | bits(word, 7, 1) << 6
            | bits(word, 2, 1) << 5
            | bits(word, 11, 1) << 4
            | bits(word, 3, 3) << 1;
        signed(offset, 12)
    };
    let branch = |condition| {
        let offset = bits(word, 12, 1) << 8
            | bits(word, 5, 2) << 6
            | bits(word, 2, 1) << 5
            | bits(word, 10, 2) << 3
            | bits(word, 3, 2) << 1;
        I::Branch {
            condition,
            rs1: high,
            rs2: 0,
            offset: signed(offset, 9),
        }
    };
    let near = bits(word, 5, 1) << 6 | bits(word, 10, 3) << 3 | bits(word, 6, 1) << 2;
    Some(match (bits(word, 0, 2), bits(word, 13, 3)) {
        (0, 0) => {
            let value = bits(word, 7, 4) << 6
                | bits(word, 11, 2) << 4
                | bits(word, 5, 1) << 3
                | bits(word, 6, 1) << 2;
            if value == 0 {
                return None;
            }
            I::Immediate {
                operation: Op::Add,
                rd: low,
                rs1: SP,
                value,
            }
        }
        (0, 2) => I::Load {
            width: whole,
            rd: low,
            rs1: high,
            offset: near,
        },
        (0, 6) => I::Store {
            bytes: 4,
            rs1: high,
            rs2: low,
            offset: near,
        },
        (1, 0) => I::Immediate {
            operation: Op::Add,
            rd,
            rs1: rd,
            value,
        },
        (1, 1) => I::Jump {
            rd: 1,
            offset: jump(),
        },
        (1, 2) => I::Constant { rd, value },
        (1, 3) if rd == SP => {
            let value = bits(word, 12, 1) << 9
                | bits(word, 3, 2) << 7
                | bits(word, 5, 1) << 6
                | bits(word, 2, 1) << 5
                | bits(word, 6, 1) << 4;
            I::Immediate {
                operation: Op::Add,
                rd: SP,
                rs1: SP,
                value: signed(value, 10),
            }
        }
        (1, 3) => I::Constant {
            rd,
            value: value << 12,
        },
        (1, 4) => {
            let immediate = |operation, value| I::Immediate {
                operation,
                rd: high,
                rs1: high,
                value,
            };
            match (bits(word, 10, 2), bits(word, 12, 1), bits(word, 5, 2)) {
                (0, 0, _) => immediate(Op::ShiftRight, six),
                (1, 0, _) => immediate(Op::ShiftRightSigned, six),
                (2, _, _) => immediate(Op::And, value),
                (3, 0, which) => {
                    let operation = [Op::Sub, Op::Xor, Op::Or, Op::And][which as usize];
                    I::Registers {
                        operation,
                        rd: high,
                        rs1: high,
                        rs2: low,
                    }
                }
                _ => return None,
            }
        }
        (1, 5) => I::Jump {
            rd: 0,
            offset: jump(),
        },
        (1, 6) => branch(Condition::Equal),
        (1, 7) => branch(Condition::NotEqual),
        (2, 0) if six < 32 => I::Immediate {
            operation: Op::ShiftLeft,
            rd,
            rs1: rd,
            value: six,
        },
        (2, 2) if rd != 0 => {
            let offset = bits(word, 2, 2) << 6 | bits(word, 12, 1) << 5 | bits(word, 4, 3) << 2;
            I::Load {
                width: whole,
                rd,
                rs1: SP,
                offset,
            }
        }
        (2, 4) => match (bits(word, 12, 1), rd, rs2) {
            (_, 0, _) => return None,
            (link, rs1, 0) => I::JumpRegister {
                rd: link as u8,
                rs1,
                offset: 0,
            },
            (0, ..) => I::Registers {
                operation: Op::Add,
                rd,
                rs1: 0,
                rs2,
            },
            _ => I::Registers {
                operation: Op::Add,
                rd,
                rs1: rd,
                rs2,
            },
        },
        (2, 6) => {
            let offset = bits(word, 7, 2) << 6 | bits(word, 9, 4) << 2;
            I::Store {
                bytes: 4,
                rs1: SP,
                rs2,
                offset,
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes the words that LLVM assembles for the instructions in the comments.
    #[test]
    fn words_are_decoded_as_assembled() {
        let register = |operation, rd, rs1, rs2| I::Registers {
            operation,
            rd,
            rs1,
            rs2,
        };
        let immediate = |operation, rd, rs1, value| I::Immediate {
            operation,
            rd,
            rs1,
            value,
        };
        let word = Width {
            bytes: 4,
            signed: true,
        };
        let expected = [
            // mulhu a0, a1, a2
            (0x02c5_b533, register(Op::MultiplyHigh, 10, 11, 12), 4),
            // srai a0, a1, 31
            (0x41f5_d513, immediate(Op::ShiftRightSigned, 10, 11, 31), 4),
            // xori a0, a1, -1
            (0xfff5_c513, immediate(Op::Xor, 10, 11, u32::MAX), 4),
            // bltu a0, a1, -4
            (
                0xfeb5_6ee3,
                I::Branch {
                    condition: Condition::Less,
                    rs1: 10,
                    rs2: 11,
                    offset: -4i32 as u32,
                },
                4,
            ),
            // jal ra, 2048
            (
                0x0010_00ef,
                I::Jump {
                    rd: 1,
                    offset: 2048,
                },
                4,
            ),
            // c.mv a0, a1
            (0x852e, register(Op::Add, 10, 0, 11), 2),
            // c.addi16sp sp, -64
            (0x7139, immediate(Op::Add, 2, 2, -64i32 as u32), 2),
            // c.sub a0, a1
            (0x8d0d, register(Op::Sub, 10, 10, 11), 2),
            // c.lwsp ra, 12(sp)
            (
                0x40b2,
                I::Load {
                    width: word,
                    rd: 1,
                    rs1: 2,
                    offset: 12,
                },
                2,
            ),
            // c.jr ra
            (
                0x8082,
                I::JumpRegister {
                    rd: 0,
                    rs1: 1,
                    offset: 0,
                },
                2,
            ),
        ];
        for (code, instruction, length) in expected {
            assert_eq!(decode(code), Some((instruction, length)), "{code:x}");
        }
        // An illegal instruction, and cbo.zero (a0).
        assert_eq!([decode(0), decode(0x0045_200f)], [None, None]);
    }
}
