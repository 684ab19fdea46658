//! The command line: what can be asked for. How it is done is in `commands`.

#[cfg(feature = "hls")]
use crate::commands::hls::Hls;
use crate::commands::{
    bench::Bench, completions::Completions, demo::Demo, inspect::Inspect, kat::Kat, keygen::Keygen,
    man::Man, pubkey::Pubkey, sign::Sign, verify::Verify,
};
use crate::engine::{AUTO, parse_name};
use clap::{Args, Parser, Subcommand};

/// Falcon (FN-DSA round 3) signatures: keys, files, known-answer tests, measurements.
#[derive(Debug, Parser)]
#[command(
    name = "falcon-cli",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  falcon-cli keygen my.key             writes my.key and my.key.pub
  falcon-cli sign -k my.key FILE       writes FILE.sig
  falcon-cli verify -p my.key.pub FILE

Exit status: 0 done, and every signature valid; 1 a signature is invalid or a known answer
is not met; 2 wrong usage, input or output failed, or something does not decode;
129, 130, 131, 143 and 152 ended by SIGHUP, SIGINT (Ctrl-C), SIGQUIT, SIGTERM and SIGXCPU: no
file is left half-written. Any other signal, such as SIGKILL, or a power failure may leave a
file named .falcon-*.tmp, and keygen's can hold the secret key: remove it."
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
    /// Compute on an engine of `inspect --engines`, on the best of an instruction set, such as
    /// `avx2`, or on a GPU, `gpu`, if built for it; no byte depends on it
    #[arg(long, global = true, value_name = "NAME", default_value = AUTO, value_parser = parse_name)]
    pub(crate) engine: String,
    /// Print one JSON object a line, errors and warnings too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No notes and no progress bars
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Keygen(Keygen),
    Pubkey(Pubkey),
    Sign(Sign),
    Verify(Verify),
    Inspect(Inspect),
    #[command(subcommand)]
    Kat(Kat),
    Bench(Bench),
    Demo(Demo),
    #[cfg(feature = "hls")]
    #[command(subcommand)]
    Hls(Box<Hls>),
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
