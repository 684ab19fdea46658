//! The command line: commands and common options. `commands` implements them.

#[cfg(feature = "hls")]
use crate::commands::hls::Hls;
use crate::commands::{
    bench::Bench, convert::Convert, demo::Demo, fields::Fields, fingerprint::PrintFingerprint,
    inspect::Inspect, kat::Kat, keygen::Keygen, manifest::Manifest, passwd::Passwd, pubkey::Pubkey,
    sign::Sign, trust::Trust, verify::Verify,
};
#[cfg(feature = "tables")]
use crate::commands::{make_table::MakeTable, sign_table::SignTable, verify_table::VerifyTable};
use crate::global::Global;
use clap::{Parser, Subcommand};
use falcon_terminal::{completions::Completions, man::Man};

/// Falcon signatures: keys, files, known-answer tests, measurements
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

This is Falcon round 3 (v1.2). Its keys and signatures are not compatible with FN-DSA
(FIPS 206), the standard that NIST derives from Falcon.

Exit status:
  0    done, and every signature is valid
  1    a signature is invalid, or a known answer differs
  2    wrong usage, or a file cannot be read, decoded or written
  128 + N    ended by signal N: SIGHUP (129), SIGINT (Ctrl-C, 130), SIGQUIT (131),
             SIGUSR1, SIGUSR2, SIGALRM, SIGTERM (143) or SIGXCPU (152)

These signals leave no half-written file. A file beyond the size limit (SIGXFSZ) cannot be
written: status 2. Another signal, such as SIGKILL, or a power failure can leave a file named
.falcon-*.tmp. Remove it: it can hold a secret key."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(aliases = ["generate", "genkey"])]
    Keygen(Keygen),
    Pubkey(Pubkey),
    Passwd(Passwd),
    Convert(Convert),
    Sign(Sign),
    #[command(alias = "check")]
    Verify(Verify),
    #[cfg(feature = "tables")]
    VerifyTable(VerifyTable),
    #[cfg(feature = "tables")]
    SignTable(SignTable),
    #[cfg(feature = "tables")]
    MakeTable(MakeTable),
    #[command(subcommand)]
    Manifest(Manifest),
    #[command(subcommand)]
    Trust(Trust),
    Fingerprint(PrintFingerprint),
    #[command(aliases = ["info", "show"])]
    Inspect(Inspect),
    #[command(subcommand)]
    Kat(Kat),
    Bench(Bench),
    Demo(Demo),
    Fields(Fields),
    #[cfg(feature = "hls")]
    #[command(
        subcommand,
        after_help = "\
\"The paper\" is \"Performance Analysis of Falcon Post-Quantum Cryptography in Embedded
Hardware-Software Integration\" (Biselx, Guerrieri). Its FFT of degree 512 takes 172,032 cycles
before and 4,124 after its optimizations: paper-original and paper-optimized."
    )]
    Hls(Box<Hls>),
    #[command(after_help = "\
Examples:
  falcon-cli completions bash > ~/.local/share/bash-completion/completions/falcon-cli
  falcon-cli completions fish > ~/.config/fish/completions/falcon-cli.fish")]
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
