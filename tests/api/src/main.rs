//! Prints the public items of a crate, one a line, from the JSON that rustdoc wrote:
//! `falcon-api FILE.json`. `run.sh` compares these lines with the lists in `docs/api`.

use std::{env, process::ExitCode};

use public_api::Builder;

/// Traits that a type has by itself. A type that lacks one has a line, `!core::marker::Send for`;
/// not for the first two, which no stable program can name.
const AUTOMATIC: [&str; 7] = [
    "core::marker::Freeze for ",
    "core::marker::UnsafeUnpin for ",
    " core::marker::Send for ",
    " core::marker::Sync for ",
    " core::marker::Unpin for ",
    " core::panic::unwind_safe::RefUnwindSafe for ",
    " core::panic::unwind_safe::UnwindSafe for ",
];

fn main() -> ExitCode {
    let Some(path) = env::args_os().nth(1) else {
        eprintln!("usage: falcon-api FILE.json");
        return ExitCode::FAILURE;
    };
    // Left out is what follows from the rest: `Into` and the like, which the standard library
    // implements for all types, and what `derive` writes.
    match Builder::from_rustdoc_json(&path)
        .omit_blanket_impls(true)
        .omit_auto_derived_impls(true)
        .build()
    {
        Ok(api) => {
            for item in api.items().map(ToString::to_string) {
                if !AUTOMATIC.iter().any(|name| item.contains(name)) {
                    println!("{item}");
                }
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
