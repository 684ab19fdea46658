//! Runs the work that `profile.sh` counts.
//!
//! ```text
//! profile OPERATION DEGREE REPEATS scalar|soft
//! ```
//!
//! does an operation REPEATS times, with other randomness each time if the operation uses any. The
//! work is between two [`mark`]s inside [`measured`], for tools that count instructions. Keys and
//! signatures are prepared outside of it. Only the portable code runs: one lane on the machine's
//! binary64 unit (`scalar`) or with integers (`soft`), without further instruction sets. Then the
//! program does the same work once more with code that counts butterflies, and prints their number
//! for each part of the work.

use falcon_core::seams::lanes::{Baseline, Soft};
use falcon_core::seams::sampler::SigningIsa;
use falcon_core::{Falcon512, Falcon1024, Parameters};
use falcon_hls_sim::profile::workload::{Workload, WorkloadError};
use falcon_hls_sim::profile::{Operation, count};
use std::env;
use std::hint::black_box;
use std::process::ExitCode;

/// Function whose address the counting tool gets.
#[inline(never)]
fn mark() {
    // The constant makes the code of this function unique. The compiler may merge functions with
    // equal code and remove a symbol.
    black_box("profile::mark");
}

#[inline(never)]
fn measured<P: Parameters, B: SigningIsa>(
    workload: &mut Workload<P, B>,
    operation: Operation,
) -> Result<(), WorkloadError> {
    mark();
    let result = workload.run(operation);
    mark();
    result
}

fn run<P: Parameters>(
    operation: Operation,
    repeats: u64,
    arith: impl SigningIsa,
) -> Result<(), WorkloadError> {
    measured(&mut Workload::<P, _>::new(arith, repeats)?, operation)?;
    if let Some(butterflies) = count::butterflies::<P>(operation, repeats)? {
        println!("fft\t{}", butterflies.fft);
        println!("ifft\t{}", butterflies.ifft);
        println!("split\t{}", butterflies.split);
        println!("merge\t{}", butterflies.merge);
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [operation, degree, repeats, token] = &arguments[..] else {
        eprintln!("usage: profile OPERATION DEGREE REPEATS scalar|soft");
        return ExitCode::from(2);
    };
    let (Some(operation), Ok(repeats)) = (Operation::by_name(operation), repeats.parse()) else {
        eprintln!("an operation and a number are needed");
        return ExitCode::from(2);
    };
    let result = match (&degree[..], &token[..]) {
        ("512", "scalar") => run::<Falcon512>(operation, repeats, Baseline),
        ("1024", "scalar") => run::<Falcon1024>(operation, repeats, Baseline),
        ("512", "soft") => run::<Falcon512>(operation, repeats, Soft),
        ("1024", "soft") => run::<Falcon1024>(operation, repeats, Soft),
        _ => {
            eprintln!("512 or 1024 and scalar or soft are needed");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
