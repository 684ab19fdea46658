//! Registers of AArch64, and a state of all of them.

use unicorn_engine::{Arm64CpuModel, RegisterARM64, Unicorn};

/// Numbers of registers: first the general registers, then the stack pointer, the vector registers,
/// and the four flags as one register.
pub(crate) const SP: usize = 31;
pub(crate) const VECTORS: usize = 32;
pub(crate) const FLAGS: usize = 64;
pub(crate) const COUNT: usize = 65;

/// Returns the length of a register in bytes. The flags count as one byte.
pub(crate) fn length(register: usize) -> usize {
    match register {
        FLAGS => 1,
        VECTORS.. => 16,
        _ => 8,
    }
}

/// Name of a register.
pub(crate) fn name(register: usize) -> String {
    match register {
        SP => "sp".into(),
        FLAGS => "flags".into(),
        VECTORS.. => format!("v{}", register - VECTORS),
        _ => format!("x{register}"),
    }
}

fn number(register: usize) -> i32 {
    let number = match register {
        0..29 => RegisterARM64::X0 as usize + register,
        29 => RegisterARM64::X29 as usize,
        30 => RegisterARM64::X30 as usize,
        SP => RegisterARM64::SP as usize,
        VECTORS..FLAGS => RegisterARM64::Q0 as usize + register - VECTORS,
        _ => RegisterARM64::NZCV as usize,
    };
    number as i32
}

pub(crate) type State = [u128; COUNT];

pub(crate) fn read<D>(emulator: &Unicorn<'_, D>, register: usize) -> u128 {
    if (VECTORS..FLAGS).contains(&register) {
        let bytes = emulator
            .reg_read_long(number(register))
            .expect("a register");
        return u128::from_le_bytes(bytes[..16].try_into().expect("16 bytes"));
    }
    let value = u128::from(emulator.reg_read(number(register)).expect("a register"));
    if register == FLAGS {
        value >> 28 & 15
    } else {
        value
    }
}

pub(crate) fn write<D>(emulator: &mut Unicorn<'_, D>, register: usize, value: u128) {
    let number = number(register);
    let done = match register {
        VECTORS..FLAGS => emulator.reg_write_long(number, &value.to_le_bytes()),
        FLAGS => emulator.reg_write(number, (value as u64 & 15) << 28),
        _ => emulator.reg_write(number, value as u64),
    };
    done.expect("a register");
}

/// Selects a processor with every extension, and enables its vector unit.
pub(crate) fn prepare<D>(emulator: &mut Unicorn<'_, D>) {
    let model = Arm64CpuModel::MAX as i32;
    emulator.ctl_set_cpu_model(model).expect("a processor");
    let access = emulator
        .reg_read(RegisterARM64::CPACR_EL1)
        .expect("a register");
    emulator
        .reg_write(RegisterARM64::CPACR_EL1, access | 3 << 20)
        .expect("a register");
}
