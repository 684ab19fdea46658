//! Compares this project with the reference's C code. The help text describes it.

use clap::{Args, Parser, Subcommand};
use falcon_core::Engine;
use falcon_reference::c::Form;
use falcon_reference::numbering::Keys;
use falcon_reference::{Degree, centres, fn_dsa, keys, signatures};
use std::process::ExitCode;
use std::time::Instant;

/// Compares keys, signatures and centres of the sampler with the reference's C code.
///
/// Signature number i has the nonce "i as 8 bytes, little-endian, then 32 zeros", the sampler seed
/// "i as 8 bytes, little-endian, then 40 bytes a5" and an empty message. Key k has the reference
/// seed of 48 bytes k. A line on standard error says at once if a number differs, and a line a
/// minute how far the run has come. The exit status is 1 if anything differs.
#[derive(Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Args)]
struct Common {
    /// Degree.
    #[arg(long, value_enum, default_value = "512")]
    degree: Degree,
    /// Number of signatures or keys to compare; of signatures under each key for `centres`.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// The first number. A run that was stopped goes on from there.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Number of threads. `centres` has one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
}

#[derive(Args)]
struct Signers {
    /// The first key.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    key: u8,
    /// Number of keys. They take turns, 65,536 numbers each.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..))]
    keys: u8,
    /// Engine that signs: a name such as avx2x8. The best one by default.
    #[arg(long)]
    engine: Option<Engine>,
}

impl Signers {
    fn keys(&self) -> Keys {
        Keys {
            first: self.key,
            count: self.keys.min(u8::MAX - self.key + 1),
        }
    }

    fn engine(&self) -> Engine {
        self.engine.unwrap_or_else(Engine::best)
    }
}

#[derive(Subcommand)]
enum Command {
    /// Sign in batches, and compare the signatures that have a centre near an integer.
    Signatures {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        signers: Signers,
        /// Hand a signature over if a centre is nearer to an integer than 2^-BITS.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(i32).range(1..=60))]
        bits: i32,
        /// Hand every N-th number over in any case. 1 compares all signatures; 0 adds none.
        #[arg(long, default_value_t = 0)]
        also_every: u64,
        /// Form of the C code.
        #[arg(long, value_enum, default_value = "clean")]
        form: Form,
    },
    /// Compare the bits of all centres, and of the leaves of every key.
    Centres {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        signers: Signers,
    },
    /// Compare keys of reference seeds: the number as 8 bytes, then 40 bytes 5a.
    Keys {
        #[command(flatten)]
        common: Common,
        /// Form of the C code: the fastest one by default.
        #[arg(long, value_enum)]
        form: Option<Form>,
    },
    /// Compare provisional FN-DSA signatures of a batch with those of the crate fn-dsa.
    FnDsa {
        #[command(flatten)]
        common: Common,
        #[command(flatten)]
        signers: Signers,
    },
}

fn main() -> ExitCode {
    if run(Options::parse().command) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Runs a command. Returns true if nothing differs.
fn run(command: Command) -> bool {
    let begin = Instant::now();
    match command {
        Command::Signatures {
            common,
            signers,
            bits,
            also_every,
            form,
        } => {
            let plan = signatures::Plan {
                degree: common.degree,
                engine: signers.engine(),
                form,
                keys: signers.keys(),
                first: common.first,
                count: common.count,
                threads: common.threads.into(),
                bits,
                also_every,
            };
            let outcome = signatures::compare(plan);
            signatures::print(&plan, &outcome, begin);
            outcome.differences.is_empty() && outcome.signed == common.count
        }
        Command::Centres { common, signers } => {
            let plan = centres::Plan {
                degree: common.degree,
                engine: signers.engine(),
                keys: signers.keys(),
                first: common.first,
                count: common.count,
            };
            let outcome = centres::compare(plan);
            centres::print(&plan, &outcome);
            outcome.is_equal()
        }
        Command::Keys { common, form } => {
            let form = form.unwrap_or_else(Form::fastest);
            let outcome = keys::compare(
                common.degree,
                form,
                common.first,
                common.count,
                common.threads.into(),
            );
            keys::print(common.degree, form, &outcome);
            outcome.differences.is_empty() && outcome.keys == common.count
        }
        Command::FnDsa { common, signers } => {
            let outcome = fn_dsa::compare(
                common.degree,
                signers.engine(),
                signers.keys(),
                common.first,
                common.count,
                common.threads.into(),
            );
            fn_dsa::print(common.degree, signers.keys(), &outcome);
            outcome.differences.is_empty()
        }
    }
}
