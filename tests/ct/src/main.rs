//! Runs the secret-dependent parts of `falcon-core` and `mceliece-core` with every secret marked
//! as undefined, so that Memcheck reports each branch and each address that
//! depends on one, unless the crate has revealed the value. A seed of a sampler that is not secret
//! is an error too. `run.sh` builds and starts it;
//! `docs/CONSTANT-TIME.md` and `docs/MCELIECE.md` say what is claimed, and why each revealed value
//! is safe.
//!
//! With one argument it runs the cases whose name contains the argument.
//! With two arguments it only converts a key to text and back, for the comparison of traces in
//! `run.sh`: `text 0` and `text 1` for two keys, and `leak 0` and `leak 1` with a leak.
//!
//! Exit status: 0 if every case is as expected, 1 if not, 2 without Valgrind or
//! without `--cfg falcon_ct`.

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
use std::time::Instant;

#[cfg(not(falcon_ct))]
fn main() -> ExitCode {
    eprintln!("falcon-ct needs to be built with --cfg falcon_ct: use run.sh");
    ExitCode::from(2)
}

#[cfg(falcon_ct)]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [what, which] = &arguments[..] {
        texts::write_and_read(u8::from(which == "1"), what == "leak");
        return ExitCode::SUCCESS;
    }
    let part = arguments.first().map_or("", String::as_str);
    if !valgrind::is_running() {
        eprintln!("falcon-ct says nothing unless it runs under Valgrind: use run.sh");
        return ExitCode::from(2);
    }
    falcon_core::seams::on_reveal(valgrind::declassify_bytes);
    falcon_core::seams::on_expect_secret(valgrind::expect_secret_bytes);
    mceliece_core::seams::on_reveal(valgrind::declassify_bytes);
    let cases = cases::all();
    #[cfg(feature = "planted")]
    let cases = plants::plant(cases);
    let (mut unexpected, mut count) = (0, 0);
    for case in cases.iter().filter(|case| case.name.contains(part)) {
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
    ExitCode::from(u8::from(unexpected > 0 || count == 0))
}
