//! Runs a program for RV32IMAC and follows secret bits through every instruction.
//!
//! It reports branches, addresses and divisions that depend on a secret bit, and values that must
//! be secret but are not. A report is a line on standard error: `taint: branch in PROGRAM ADDRESS`.
//! The program (`tests/ct/firmware`) is statically linked. It writes and exits with Linux's system
//! calls, and makes requests by calling functions with the names in `machine.rs`.
//!
//! `falcon-riscv-taint PROGRAM` exits with 0 if every case is as expected, with 1 if one is not,
//! and with 2 if the program cannot be read.

mod instruction;
mod machine;
mod taint;

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: falcon-riscv-taint PROGRAM");
        return ExitCode::from(2);
    };
    let file = match std::fs::read(&path) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    match machine::Machine::load(&path, &file) {
        Ok(mut machine) => ExitCode::from(u8::from(!machine.run())),
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::from(2)
        }
    }
}
