//! Runs a program for AArch64 in an emulator and follows secret bytes through every instruction.
//!
//! The program is linked statically at fixed addresses, has one thread, and marks secrets with the
//! requests of Valgrind's Memcheck. A report is a line on standard error:
//! `taint: branch in PROGRAM ADDRESS`. Reported are branches, addresses and divisions of integers
//! that depend on a secret byte.
//!
//! `falcon-emulated-taint [--twice] PROGRAM [ARGUMENT...]` exits as the program does. With
//! `--twice` it finds the rule of each instruction again, from other states, and fails if one
//! differs.
//! `falcon-emulated-taint --rule WORD...` prints the rules of instructions, given in hexadecimal.

mod follow;
mod lab;
mod linux;
mod random;
mod registers;
mod rule;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--rule") {
        let mut lab = lab::Lab::new();
        for word in &arguments[1..] {
            let word = u32::from_str_radix(word, 16).expect("an instruction in hexadecimal");
            match lab.learn(word) {
                Some(rule) => println!("{word:08x} {rule}"),
                None => println!("{word:08x} has no rule"),
            }
        }
        return ExitCode::SUCCESS;
    }
    let twice = arguments.first().is_some_and(|first| first == "--twice");
    if twice {
        arguments.remove(0);
    }
    let Some(path) = arguments.first() else {
        eprintln!("usage: falcon-emulated-taint [--twice] PROGRAM [ARGUMENT...]");
        return ExitCode::from(2);
    };
    let file = match std::fs::read(path) {
        Ok(file) => file,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let program = linux::Program::read(&file);
    ExitCode::from(follow::run(&program, &arguments, twice))
}
