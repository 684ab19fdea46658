//! `mceliece-cli`: the KEM Classic McEliece on the command line.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod engine;
mod fingerprint;
mod keys;
mod object;
mod sets;
mod standing;

use clap::{CommandFactory, Parser};
use cli::{Cli, Command};
use engine::Engine;
use falcon_terminal::{
    error::{Result, Status},
    start,
    ui::Ui,
    usage,
};
use object::PROGRAM;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli =
        Cli::try_parse().unwrap_or_else(|error| usage::exit(error, &Cli::command(), &PROGRAM));
    cli.global.color.choose();
    let ui = Ui {
        json: cli.global.json,
        quiet: cli.global.quiet,
    };
    start::run(ui, || run(cli, ui))
}

fn run(cli: Cli, ui: Ui) -> Result<Status> {
    let engine = cli.global.engine;
    if let Some(engine) = engine {
        engine.choose();
    }
    match cli.command {
        Command::Keygen(keygen) => keygen.run(ui),
        Command::Pubkey(pubkey) => pubkey.run(ui),
        Command::Encaps(encaps) => encaps.run(ui),
        Command::Decaps(decaps) => decaps.run(ui),
        Command::Inspect(inspect) => inspect.run(ui),
        Command::Kat(kat) => kat.run(engine.unwrap_or_else(Engine::best), ui),
        Command::Bench(bench) => bench.run(engine, ui),
        Command::Completions(completions) => completions.run(Cli::command()),
        Command::Man(man) => man.run(Cli::command(), &PROGRAM, ui),
    }
}
