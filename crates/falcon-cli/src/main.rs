//! `falcon-cli`: Falcon signatures on the command line.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod deterministic;
mod documents;
mod engine;
mod error;
mod escape;
mod input;
mod interrupt;
mod keys;
mod list;
mod lock;
mod message;
mod object;
mod output;
mod parallel;
mod passphrase;
mod place;
mod progress;
mod scheme;
mod shell;
mod snapshot;
mod ui;
mod usage;

use clap::Parser;
use cli::{Cli, Command};
use error::{Result, Status};
use std::process::ExitCode;
use ui::Ui;

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| usage::exit(error));
    cli.global.color.choose();
    let ui = Ui {
        json: cli.global.json,
        quiet: cli.global.quiet,
    };
    // If this fails, a signal still ends the program, but temporary files stay.
    let _ = interrupt::watch();
    let result = run(cli, ui);
    // A signal that is being handled has the last word: what it removes may be
    // the cause of an error.
    let _hold = interrupt::hold();
    let status = result.unwrap_or_else(|error| {
        ui.error(&error);
        Status::Failure
    });
    status.into()
}

fn run(cli: Cli, ui: Ui) -> Result<Status> {
    // Opened by the commands that need it only.
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
        Command::Sign(sign) => sign.run(&engine()?, ui),
        Command::Verify(verify) => {
            verify.run(&engine::select_to_verify(&cli.global.engine, ui)?, ui)
        }
        Command::Manifest(manifest) => manifest.run(engine, ui),
        Command::Trust(trust) => trust.run(ui),
        Command::Fingerprint(fingerprint) => fingerprint.run(ui),
        Command::Inspect(inspect) => inspect.run(&cli.global, ui),
        Command::Kat(kat) => kat.run(&engine()?, ui),
        Command::Bench(bench) => bench.run(&engine()?, &cli.global, ui),
        Command::Demo(demo) => demo.run(&engine()?, ui),
        #[cfg(feature = "hls")]
        Command::Hls(hls) => {
            if engine::names_gpu(&cli.global.engine) {
                ui.note("circuits are simulated on the processor");
            }
            hls.run(ui)
        }
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(ui),
    }
}
