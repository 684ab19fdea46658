//! Runs a program for AArch64 in an emulator and follows secret bytes through every instruction.
//!
//! The program is statically linked at fixed addresses, has one thread, and marks secrets with the
//! requests of Valgrind's Memcheck. The emulator reports branches, addresses and integer divisions
//! that depend on a secret byte, secret output, and instructions without a rule that ran with a
//! secret. A report is a line on standard error: `taint: branch in PROGRAM ADDRESS`.
//!
//! `falcon-emulated-taint [--twice] PROGRAM [ARGUMENT...]` exits with the status of the program.
//! With `--twice` the lab learns the rule of each instruction a second time, from other states, and
//! the run fails if a rule differs. `falcon-emulated-taint --rule WORD...` prints the rules of
//! instructions, given in hexadecimal.

mod follow;
mod lab;
mod linux;
mod operands;
mod random;
mod registers;
mod rule;

use follow::{Follower, step};
use lab::Access;
use linux::Program;
use std::process::ExitCode;
use unicorn_engine::{Arch, HookType, MemType, Mode, Unicorn};

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
    let program = Program::read(&file);
    ExitCode::from(run(&program, &arguments, twice))
}

/// Runs the program, prints the findings, and returns the program's exit status.
///
/// With `twice`, the lab learns every rule again, from other states. If a rule differs, the run
/// fails.
fn run(program: &Program, arguments: &[String], twice: bool) -> u8 {
    let follower = Follower::new(arguments[0].clone(), &program.code);
    let mut emulator =
        Unicorn::new_with_data(Arch::ARM64, Mode::LITTLE_ENDIAN, follower).expect("unicorn");
    registers::prepare(&mut emulator);
    let entry = program.load(&mut emulator, arguments);
    let log = |emulator: &mut Unicorn<'_, Follower>, kind, address, length, _value| {
        let writes = kind == MemType::WRITE;
        emulator.get_data_mut().accesses.push(Access {
            address,
            length,
            writes,
        });
        true
    };
    emulator
        .add_mem_hook(HookType::MEM_READ | HookType::MEM_WRITE, 1, 0, log)
        .expect("a hook");
    emulator
        .add_code_hook(1, 0, |emulator, address, _| step(emulator, address))
        .expect("a hook");
    emulator.add_intr_hook(linux::interrupt).expect("a hook");
    let done = emulator.emu_start(entry, 0, 0, 0);
    let next = emulator.pc_read().expect("an address");
    if let Err(error) = done {
        panic!("at {next:#x}: {error:?}");
    }
    let follower = emulator.get_data_mut();
    follower.print();
    let status = follower.linux.status.expect("the program has ended");
    let differing = if twice { follower.learn_again() } else { 0 };
    if differing > 0 { 1 } else { status }
}
