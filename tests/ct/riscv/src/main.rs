//! Runs a program for RV32IMAC and follows secret bits through every instruction.
//!
//! It reports branches, addresses and divisions that depend on a secret bit, secret output, and
//! values that must be secret but are not. A report is a line on standard error: `taint: branch in
//! PROGRAM ADDRESS`. The program (`tests/ct/firmware`) is statically linked. It uses Linux's system
//! calls to write and to exit. Its requests are calls of the functions that `machine.rs` names.
//!
//! `falcon-riscv-taint PROGRAM` exits with 0 if every case is as expected, with 1 if a case is not
//! as expected, and with 2 if the program cannot be read.

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
