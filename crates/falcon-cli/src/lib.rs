//! `falcon-cli`: Falcon signatures on the command line.
//!
//! The program is a library, so that a fuzz target can run commands. Its API is `main`, and with
//! the feature `fuzz` also `fuzz`.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod deterministic;
mod documents;
mod engine;
mod global;
mod guesses;
mod keys;
mod list;
mod listing;
mod message;
mod object;
mod oids;
mod parallel;
mod passphrase;
mod scheme;
mod stored;
#[cfg(feature = "tables")]
mod tables;
mod x509;

use clap::{CommandFactory, Parser};
use cli::{Cli, Command};
use error::{Result, Status};
// Lets this crate name modules of `falcon_terminal` like its own.
use falcon_terminal::{
    access, error, escape, input, interrupt, load, output, pem_text, place, program, progress,
    seed, shell, snapshot, start, timing, ui, usage,
};
use object::PROGRAM;
use std::process::ExitCode;
use ui::Ui;

/// Runs the command of the command line, and returns the exit status.
pub fn main() -> ExitCode {
    let cli = Cli::try_parse()
        .unwrap_or_else(|error| usage::exit(guesses::explain(error), &Cli::command(), &PROGRAM));
    cli.global.color.choose();
    let ui = Ui {
        json: cli.global.json,
        quiet: cli.global.quiet,
    };
    start::run(ui, || run(cli, ui))
}

/// Runs a command in a fuzz target, and returns the exit status. The first argument is the command.
/// Errors are not printed.
#[cfg(feature = "fuzz")]
pub fn fuzz(arguments: &[&str]) -> u8 {
    let cli = Cli::parse_from([&["falcon-cli"], arguments].concat());
    let ui = Ui {
        json: false,
        quiet: true,
    };
    run(cli, ui).unwrap_or(Status::Failure).code()
}

fn run(cli: Cli, ui: Ui) -> Result<Status> {
    // Only commands that need an engine open one.
    let engine = || engine::select(&cli.global.engine);
    match cli.command {
        Command::Keygen(keygen) => {
            if engine::names_gpu(&cli.global.engine) {
                ui.note("keys are generated on the CPU");
            }
            keygen.run(ui)
        }
        Command::Pubkey(pubkey) => pubkey.run(ui),
        Command::Passwd(passwd) => passwd.run(ui),
        Command::Convert(convert) => convert.run(ui),
        Command::Sign(sign) => sign.run(&engine()?, ui),
        Command::Verify(verify) => {
            verify.run(&engine::select_to_verify(&cli.global.engine, ui)?, ui)
        }
        #[cfg(feature = "tables")]
        Command::VerifyTable(verify) => {
            verify.run(&engine::select_to_verify(&cli.global.engine, ui)?, ui)
        }
        #[cfg(feature = "tables")]
        Command::SignTable(sign) => sign.run(&engine()?, ui),
        #[cfg(feature = "tables")]
        Command::MakeTable(make) => make.run(&engine()?, ui),
        Command::Manifest(manifest) => manifest.run(engine, ui),
        Command::Trust(trust) => trust.run(ui),
        Command::Fingerprint(fingerprint) => fingerprint.run(ui),
        Command::Inspect(inspect) => inspect.run(&cli.global, ui),
        Command::Kat(kat) => kat.run(&engine()?, ui),
        Command::Bench(bench) => bench.run(&engine()?, &cli.global, ui),
        Command::Demo(demo) => demo.run(&engine()?, ui),
        Command::Fields(fields) => fields.run(ui),
        #[cfg(feature = "hls")]
        Command::Hls(hls) => {
            if engine::names_gpu(&cli.global.engine) {
                ui.note("circuits are simulated on the processor");
            }
            hls.run(ui)
        }
        Command::Completions(completions) => completions.run(Cli::command()),
        Command::Man(man) => man.run(Cli::command(), &PROGRAM, ui),
    }
}
