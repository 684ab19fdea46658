//! Runs the secret-dependent parts of `falcon-core` and `mceliece-core` with every secret marked as
//! undefined. Memcheck then reports each branch and each address that depends on a secret, unless
//! the crate has revealed the value. It is also an error if a sampler's seed is not secret.
//! `run.sh` builds and starts this program. `docs/CONSTANT-TIME.md` and `docs/MCELIECE.md` state
//! the claims, and why each revealed value is safe.
//!
//! With one argument it runs the cases whose name contains the argument.
//! With two arguments it only converts a key to text and back, so that `run.sh` can compare traces:
//! `text 0` and `text 1` for two keys, and `leak 0` and `leak 1` with a leak.
//!
//! The exit status is 0 if every case is as expected, 1 if a case is not, and 2 if neither Valgrind
//! nor falcon-taint runs the program, or without `--cfg falcon_ct`.

#[cfg(falcon_ct)]
mod cases;
#[cfg(all(falcon_ct, feature = "planted"))]
mod plants;
#[cfg(falcon_ct)]
mod texts;
#[cfg(falcon_ct)]
mod valgrind;

use std::process::ExitCode;
#[cfg(falcon_ct)]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
#[cfg(falcon_ct)]
use std::time::Instant;

/// The argument that runs the cases under falcon-taint, which supports AVX-512.
#[cfg(falcon_ct)]
const TRANSLATED: &str = "--translated";
/// The argument that does the same as [`TRANSLATED`], and then compares the rules of falcon-taint
/// with the processor.
#[cfg(falcon_ct)]
const AUDITED: &str = "--audited";

#[cfg(not(falcon_ct))]
fn main() -> ExitCode {
    eprintln!("falcon-ct needs to be built with --cfg falcon_ct: use run.sh");
    ExitCode::from(2)
}

#[cfg(falcon_ct)]
#[global_allocator]
static ALLOCATOR: falcon_taint::Allocator = falcon_taint::Allocator;

/// Set if a case is not as expected.
#[cfg(falcon_ct)]
static FAILED: AtomicBool = AtomicBool::new(false);

#[cfg(falcon_ct)]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [what, which] = &arguments[..]
        && what != TRANSLATED
        && what != AUDITED
    {
        texts::write_and_read(u8::from(which == "1"), what == "leak");
        return ExitCode::SUCCESS;
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(first) = arguments.first() {
        if first == TRANSLATED {
            falcon_taint::run(check);
            return status();
        }
        if first == AUDITED {
            audit(&falcon_taint::run_and_audit(check));
            return status();
        }
    }
    if valgrind::is_running() {
        check();
    } else {
        eprintln!("falcon-ct says nothing unless it runs under Valgrind or translated: use run.sh");
        return ExitCode::from(2);
    }
    status()
}

#[cfg(falcon_ct)]
fn status() -> ExitCode {
    ExitCode::from(u8::from(FAILED.load(Relaxed)))
}

/// Prints the result of the comparison with the processor.
#[cfg(all(falcon_ct, target_arch = "x86_64"))]
fn audit(audit: &falcon_taint::Audit) {
    let left_out: Vec<_> = audit.left_out.iter().map(String::as_str).collect();
    println!("left out: {}", left_out.join(", "));
    for missed in &audit.missed {
        println!("FAILED: {missed}");
    }
    let (missed, compared) = (audit.missed.len(), audit.compared);
    println!("instructions: {missed} of {compared} depend on more than their rule says");
    if missed > 0 || compared == 0 {
        FAILED.store(true, Relaxed);
    }
}

/// Runs the cases whose name contains the argument.
#[cfg(falcon_ct)]
fn check() {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.find(|argument| argument != TRANSLATED && argument != AUDITED);
    let part = part.unwrap_or_default();
    falcon_core::seams::on_reveal(valgrind::declassify_bytes);
    falcon_core::seams::on_expect_secret(valgrind::expect_secret_bytes);
    mceliece_core::seams::on_reveal(valgrind::declassify_bytes);
    let cases = cases::all();
    #[cfg(feature = "planted")]
    let cases = plants::plant(cases);
    let (mut unexpected, mut count) = (0, 0);
    for case in cases.iter().filter(|case| case.name.contains(&part)) {
        count += 1;
        let start = Instant::now();
        let before = valgrind::count_errors();
        (case.run)();
        let errors = valgrind::count_errors() - before;
        let as_expected = (errors > 0) == case.leaks;
        let expectation = if case.leaks {
            "must be reported"
        } else {
            "must be silent"
        };
        let verdict = if as_expected { "ok" } else { "FAILED" };
        let seconds = start.elapsed().as_secs_f32();
        println!(
            "{verdict}: {} ({expectation}): {errors} reports, {seconds:.1} s",
            case.name
        );
        unexpected += usize::from(!as_expected);
    }
    println!("constant time: {unexpected} of {count} cases are not as expected");
    FAILED.store(unexpected > 0 || count == 0, Relaxed);
}
