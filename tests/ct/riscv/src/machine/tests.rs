//! Programs of a few instructions that leak, and must be reported.

use super::*;
use crate::instruction::Operation as Op;

const CODE: u32 = 0x1000;
const DATA: u32 = 0x2000;
/// Registers of the tests: an address, a value, and results.
const ADDRESS: u8 = 5;
const VALUE: u8 = 6;
const RESULT: u8 = 7;
const BYTE: Width = Width {
    bytes: 1,
    signed: true,
};
const SECRET: Word = Word {
    value: 3,
    secret: u32::MAX,
};

/// Makes a machine in a case, with the address [`DATA`], a secret value, and a secret word at
/// `DATA`.
fn machine() -> Machine<'static> {
    let mut machine = Machine::new("test", vec![0; 0x4000], CODE..DATA, CODE);
    machine.case = Some(Case {
        name: "test".to_owned(),
        expected: BTreeSet::new(),
        found: BTreeSet::new(),
        reports: 0,
        start: 0,
    });
    machine.set(ADDRESS, DATA.into());
    machine.set(VALUE, SECRET);
    machine.write(DATA as usize, 4, SECRET);
    machine
}

/// Returns the kinds of reports that the instructions cause.
fn found(machine: &mut Machine<'_>, program: &[I]) -> Vec<Leak> {
    for &instruction in program {
        machine.step(instruction, 4);
    }
    let case = machine.case.as_ref().expect("a case");
    case.found.iter().copied().collect()
}

/// A branch on `RESULT`, which is reported if `RESULT` is secret.
const BRANCH: I = I::Branch {
    condition: Condition::Equal,
    rs1: RESULT,
    rs2: 0,
    offset: 8,
};

fn load(width: Width, offset: u32) -> I {
    I::Load {
        width,
        rd: RESULT,
        rs1: ADDRESS,
        offset,
    }
}

fn store(bytes: u32, rs1: u8, rs2: u8) -> I {
    I::Store {
        bytes,
        rs1,
        rs2,
        offset: 64,
    }
}

#[test]
fn public_values_are_silent() {
    let program = [
        store(4, ADDRESS, 0),
        load(WORD, 64),
        BRANCH,
        I::Atomic {
            atomic: Atomic::Operation(Op::Add),
            rd: RESULT,
            rs1: ADDRESS,
            rs2: 0,
        },
    ];
    assert_eq!(found(&mut machine(), &program), []);
}

#[test]
fn secrets_go_through_memory() {
    for bytes in [1, 2, 4] {
        for back in [BYTE, WORD] {
            let program = [store(bytes, ADDRESS, VALUE), load(back, 64), BRANCH];
            assert_eq!(found(&mut machine(), &program), [Leak::Branch], "{bytes}");
        }
    }
    // Replaces a secret word by a public one.
    let program = [
        store(4, ADDRESS, VALUE),
        store(4, ADDRESS, 0),
        load(WORD, 64),
        BRANCH,
    ];
    assert_eq!(found(&mut machine(), &program), []);
}

/// If the sign of a byte is secret, its extension is secret, too.
#[test]
fn signs_that_are_extended_are_secret() {
    let above = I::Immediate {
        operation: Op::And,
        rd: RESULT,
        rs1: RESULT,
        value: 1 << 30,
    };
    assert_eq!(
        found(&mut machine(), &[load(BYTE, 0), above, BRANCH]),
        [Leak::Branch]
    );
    let unsigned = Width {
        bytes: 1,
        signed: false,
    };
    assert_eq!(
        found(&mut machine(), &[load(unsigned, 0), above, BRANCH]),
        []
    );
}

#[test]
fn atomic_operations_carry_secrets() {
    let atomic = |atomic, rs1, rs2| I::Atomic {
        atomic,
        rd: RESULT,
        rs1,
        rs2,
    };
    // Branches on the old value, which is secret.
    let old = [atomic(Atomic::Swap, ADDRESS, 0), BRANCH];
    assert_eq!(found(&mut machine(), &old), [Leak::Branch]);
    // Branches on the value that the instruction wrote.
    for kind in [Atomic::Swap, Atomic::Operation(Op::Add)] {
        let mut machine = machine();
        machine.write(DATA as usize, 4, 0.into());
        let program = [atomic(kind, ADDRESS, VALUE), load(WORD, 0), BRANCH];
        assert_eq!(found(&mut machine, &program), [Leak::Branch]);
    }
    let reserved = I::LoadReserved {
        rd: RESULT,
        rs1: ADDRESS,
    };
    assert_eq!(found(&mut machine(), &[reserved, BRANCH]), [Leak::Branch]);
    let mut conditional = machine();
    conditional.write(DATA as usize, 4, 0.into());
    let store = I::StoreConditional {
        rd: RESULT,
        rs1: ADDRESS,
        rs2: VALUE,
    };
    assert_eq!(
        found(&mut conditional, &[store, load(WORD, 0), BRANCH]),
        [Leak::Branch]
    );
}

#[test]
fn secret_addresses_are_reported() {
    // An address near `DATA`, with one secret bit.
    let mut secret = Word::from(DATA);
    secret.secret = 4;
    let programs = [
        I::Load {
            width: WORD,
            rd: RESULT,
            rs1: VALUE,
            offset: 0,
        },
        store(4, VALUE, 0),
        I::LoadReserved {
            rd: RESULT,
            rs1: VALUE,
        },
        I::StoreConditional {
            rd: RESULT,
            rs1: VALUE,
            rs2: 0,
        },
        I::Atomic {
            atomic: Atomic::Swap,
            rd: RESULT,
            rs1: VALUE,
            rs2: 0,
        },
    ];
    for program in programs {
        let mut machine = machine();
        machine.set(VALUE, secret);
        assert_eq!(found(&mut machine, &[program]), [Leak::Address]);
    }
}

#[test]
fn secret_targets_and_divisions_are_reported() {
    let jump = I::JumpRegister {
        rd: 0,
        rs1: VALUE,
        offset: 0,
    };
    assert_eq!(found(&mut machine(), &[jump]), [Leak::Branch]);
    for (rs1, rs2) in [(VALUE, ADDRESS), (ADDRESS, VALUE)] {
        let divide = I::Registers {
            operation: Op::Divide,
            rd: RESULT,
            rs1,
            rs2,
        };
        assert_eq!(found(&mut machine(), &[divide]), [Leak::Division]);
    }
    for (rs1, rs2) in [(VALUE, ADDRESS), (ADDRESS, VALUE)] {
        let branch = I::Branch {
            condition: Condition::Less,
            rs1,
            rs2,
            offset: 8,
        };
        assert_eq!(found(&mut machine(), &[branch]), [Leak::Branch]);
    }
}

#[test]
fn secret_output_is_reported() {
    let mut machine = machine();
    machine.set(A7 as u8, SYS_WRITE.into());
    machine.set(A0 as u8 + 1, DATA.into());
    machine.set(A0 as u8 + 2, 4.into());
    assert_eq!(found(&mut machine, &[I::Call]), [Leak::Output]);
}

#[test]
fn a_secret_exit_status_is_reported() {
    let mut machine = machine();
    // ecall
    machine.memory[CODE as usize] = 0x73;
    machine.set(A7 as u8, SYS_EXIT.into());
    machine.set(
        A0 as u8,
        Word {
            value: 0,
            secret: 1,
        },
    );
    assert!(!machine.run());
}

#[test]
fn requests_change_and_compare_what_is_secret() {
    let asked = |request, length: Word| {
        let mut machine = machine();
        machine.set(A0 as u8, DATA.into());
        machine.set(A0 as u8 + 1, length);
        machine.answer(request);
        let secret = machine.secret[DATA as usize..][..8].to_vec();
        (found(&mut machine, &[]), secret)
    };
    let mixed = [[u8::MAX; 4], [0; 4]].concat();
    assert_eq!(asked(Request::MarkSecret, 8.into()).1, [u8::MAX; 8]);
    assert_eq!(asked(Request::MarkPublic, 4.into()).1, [0; 8]);
    assert_eq!(asked(Request::ExpectSecret, 4.into()), (vec![], mixed));
    assert_eq!(asked(Request::ExpectSecret, 5.into()).0, [Leak::Known]);
    let length = Word {
        value: 4,
        secret: 8,
    };
    assert_eq!(asked(Request::ExpectSecret, length).0, [Leak::Address]);
}
