//! The command line: commands and common options. `commands` implements them.

use crate::commands::{
    bench::Bench, decaps::Decaps, encaps::Encaps, inspect::Inspect, kat::Kat, keygen::Keygen,
    pubkey::Pubkey,
};
use crate::engine::{Engine, parse_name};
use clap::{Args, Parser, Subcommand};
use falcon_terminal::{color::Color, completions::Completions, man::Man};

/// Classic McEliece: keys, shared secrets, known-answer tests, measurements
#[derive(Debug, Parser)]
#[command(
    name = "mceliece-cli",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  mceliece-cli keygen --parameters mceliece460896f my.key      writes my.key and my.key.pub
  mceliece-cli encaps -p my.key.pub -o sent --secret secret    the sender
  mceliece-cli decaps -k my.key sent --secret secret2          the receiver: the same secret

The security of this scheme is in question. Since August 2026 several papers claim attacks that
lower the estimates for all parameter sets. No key of a parameter set has been recovered (state
of 2026-11-24). Do not use it as the only protection of anything: combine its secret with those
of other schemes. There is no default parameter set. This program encrypts no files.

Exit status:
  0    done, and every known answer is right
  1    a known answer differs
  2    wrong usage, or a file cannot be read, decoded or written
  128 + N    ended by signal N: SIGHUP (129), SIGINT (Ctrl-C, 130), SIGQUIT (131),
             SIGUSR1, SIGUSR2, SIGALRM, SIGTERM (143) or SIGXCPU (152)

These signals leave no half-written file. Another signal, such as SIGKILL, or a power failure can
leave a file named .mceliece-*.tmp. Remove it: it can hold a secret."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Engine: `portable`, or an instruction set such as `avx2`. Affects speed only, never the
    /// output [default: the best one of this machine]
    #[arg(long, global = true, value_name = "NAME", value_parser = parse_name)]
    pub(crate) engine: Option<Engine>,
    /// Print one JSON object on each line, also for errors and warnings
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print no notes, no progress bars and no reports of written files
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Whether to print colours; `auto`: on a terminal, if NO_COLOR is not set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(aliases = ["generate", "genkey"])]
    Keygen(Keygen),
    #[command(alias = "public")]
    Pubkey(Pubkey),
    #[command(alias = "encapsulate")]
    Encaps(Encaps),
    #[command(alias = "decapsulate")]
    Decaps(Decaps),
    Inspect(Inspect),
    Kat(Kat),
    Bench(Bench),
    #[command(after_help = "\
Examples:
  mceliece-cli completions bash > ~/.local/share/bash-completion/completions/mceliece-cli
  mceliece-cli completions fish > ~/.config/fish/completions/mceliece-cli.fish")]
    Completions(Completions),
    Man(Man),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_tree_is_consistent() {
        Cli::command().debug_assert();
    }
}
