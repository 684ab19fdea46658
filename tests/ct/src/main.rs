//! Runs the secret-dependent parts of `falcon-core` with every secret marked
//! as undefined, so that Memcheck reports each branch and each address that
//! depends on one. `run.sh` builds and starts it; `docs/CONSTANT-TIME.md`
//! says what is claimed, and why each suppressed place is safe.
//!
//! Exit status: 0 if every case is as expected, 1 if not, 2 without Valgrind.

mod cases;
mod valgrind;

use std::process::ExitCode;

fn main() -> ExitCode {
    if !valgrind::is_running() {
        eprintln!("falcon-ct says nothing unless it runs under Valgrind: use run.sh");
        return ExitCode::from(2);
    }
    let mut unexpected = 0;
    for case in cases::all() {
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
        println!("{verdict}: {} ({expectation}): {errors} reports", case.name);
        unexpected += usize::from(!as_expected);
    }
    println!("constant time: {unexpected} cases are not as expected");
    ExitCode::from(u8::from(unexpected > 0))
}
